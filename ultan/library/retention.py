"""What fades, when and why; pure functions over entries, active days and one table of constants.

A trace falls exponentially from the last day on which it was written, said again or
relied on (Wixted 2004; Anderson & Schooler 1991). Its half-life grows with the surprise
at writing (Greve et al. 2017; Rouhani, Norman & Niv 2018) and with use (Bjork & Bjork
1992). Time is counted in *active days of its scope*: a holiday, a machine asleep or a
clock that jumps costs at most a day. Being shown renews nothing, or retrieval would
certify itself. A strong entry is never archived here: biology revises strong traces
instead of pruning them (Lee, Nader & Schiller 2017), so it goes to review as *drift*.
"""

import math
from bisect import bisect_right
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from functools import lru_cache

from ultan.library.entry import Entry


@dataclass(frozen=True, slots=True)
class Constants:
    """The numbers of forgetting; fitted by ``bench year`` (docs/adr/0007-fading.md)."""

    base_days: float = 25.8
    strength_doublings: float = 0.5
    use_weight: float = 1.5
    archive_below: float = 0.25
    strong: float = 0.75
    ignored_from: int = 3
    # a weak trace suffers only from being passed over again and again (Anderson & Green 2001: suppression grows with
    # repetition); three times is what happens to every entry that is needed rarely
    ignored_often: int = 10
    ignored_factor: float = 0.9
    weak: float = 0.6
    fetched_worth: float = 0.5
    # a showing of which nobody ever judged whether it helped (only the clerk curates): the benefit of the doubt
    unjudged_worth: float = 0.1
    spacing_days: float = 7.0
    least_a_run: int = 5
    share_a_run: float = 0.05
    # half-life in active days that an entry of a kind has at least, however weak it was written:
    # a rule that a person stated is worth more than its silence, a finding is not
    floor_days: Mapping[str, float] = field(
        default_factory=lambda: {
            "convention": 24.0, "preference": 24.0, "warn": 30.0, "decision": 24.0, "abstraction": 24.0,
            "finding": 0.0, "event": 24.0,
        }
    )  # fmt: skip


DEFAULTS = Constants()
MOST_COUNTED = 1000
"""Uses that count at most."""


@dataclass(frozen=True, slots=True)
class Activity:
    """On which days somebody worked in a scope: slug (or ``global``) → ISO days, ascending."""

    days: Mapping[str, Sequence[str]]

    def since(self, scope: str, day: str, today: str) -> int:
        """How many active days *scope* had after *day*, up to and including *today*.

        A global entry counts the days of any session. An unknown or future *day* counts as
        today: its age is unknown, and what is unknown does not fade.
        """
        if not is_day(day) or day >= today:
            return 0
        known = self.days.get(scope.removeprefix("project:"), ())
        return max(0, bisect_right(known, today) - bisect_right(known, day))

    def with_day(self, scope: str, day: str) -> "Activity":
        """A copy in which *scope*, and ``global`` with it, was active on *day*."""
        changed = dict(self.days)
        for name in {scope.removeprefix("project:"), "global"} - {""}:
            changed[name] = sorted({*changed.get(name, ()), day})
        return Activity(changed)


@dataclass(frozen=True, slots=True)
class Fading:
    """How one entry stands today.

    Attributes:
        retention: how much of the trace is left, in [0, 1].
        half_life_days: active days in which it halves; infinite where it does not fade.
        idle_days: active days of its scope since it was last written, said again or relied on.
        verdict: ``keep``, ``fade`` (may be archived), ``drift`` (strong and unused: review) or
            ``expired``.
        reason: the sentence for ``decay --dry-run`` and ``show``.
        cause: of a drift that is not want of use: the entry at odds with it, or ``misplaced``.
    """

    entry: Entry
    retention: float
    half_life_days: float
    idle_days: int
    verdict: str
    reason: str
    cause: str = ""


@lru_cache(maxsize=8192)
def is_day(text: str) -> bool:
    """Whether *text* is an ISO day that exists."""
    try:
        date.fromisoformat(text)
    except ValueError:
        return False
    return len(text) == 10


def renewed_on(entry: Entry, today: str) -> str:
    """The last day on which the entry was written, said again or relied on; ``""`` if unknown."""
    last = ""
    for day in (entry.created, entry.updated, entry.last_reinforced, entry.last_helpful):
        if last < day <= today and is_day(day):
            last = day
    return last


def uses(entry: Entry, constants: Constants = DEFAULTS) -> float:
    """How much use the entry was: said again, relied on, opened; shown, where nobody ever judged.

    Uses that crowd into the days around the first count for less than uses that come back later
    (the spacing effect: Cepeda et al. 2006): never more than one for each *spacing_days* between
    the first day and the last use, as far as both are known.
    """
    helpful, ignored = bounded(entry.fired_helpful), bounded(entry.ignored)
    used = bounded(entry.reinforced) + helpful + constants.fetched_worth * bounded(entry.fetched)
    last = max(entry.last_reinforced, entry.last_helpful)
    if not helpful and not ignored:
        used += constants.unjudged_worth * bounded(entry.fired)
        last = max(last, entry.last_surfaced)
    if constants.spacing_days <= 0 or not is_day(last) or not is_day(entry.created):
        return used
    return min(used, max(0, _ordinal(last) - _ordinal(entry.created)) / constants.spacing_days)


@lru_cache(maxsize=8192)
def _ordinal(day: str) -> int:
    return date.fromisoformat(day).toordinal()


def half_life_days(entry: Entry, constants: Constants = DEFAULTS) -> float:
    """Active days in which the entry's trace halves.

    Grows with encoding strength and with the logarithm of use, is shortened for a weak entry that
    was shown and ignored again and again, and has a floor by kind.
    """
    strength = min(1.0, max(0.0, entry.encoding_strength))
    worth = 1.0 + constants.use_weight * math.log2(1.0 + uses(entry, constants))
    days: float = constants.base_days * 2.0 ** (constants.strength_doublings * strength) * worth
    if strength < constants.weak and entry.ignored >= constants.ignored_often and is_ignored(entry, constants):
        return max(1.0, days * constants.ignored_factor)
    return max(days, constants.floor_days.get(entry.kind, 0.0) if entry.trust in ("person", "confirmed") else 0.0)


def lifetime_days(entry: Entry, constants: Constants = DEFAULTS) -> float:
    """Idle active days after which the entry may be archived, as far as fading goes."""
    return half_life_days(entry, constants) * -math.log2(constants.archive_below)


def bounded(count: int) -> int:
    """A counter between 0 and 1,000: an editor's million may not make an entry immortal."""
    return min(MOST_COUNTED, max(0, count))


def is_ignored(entry: Entry, constants: Constants = DEFAULTS) -> bool:
    """Whether the entry was shown and ignored often, and more often than it helped."""
    return entry.ignored >= constants.ignored_from and entry.ignored > entry.fired_helpful + entry.reinforced


def remaining(half_life: float, idle_days: float) -> float:
    """How much of a trace is left after *idle_days* active days, in [0, 1]."""
    return 1.0 if half_life == math.inf else math.pow(2.0, -max(0.0, idle_days) / half_life)


def by_strength(entry: Entry, activity: Activity, today: str, constants: Constants = DEFAULTS) -> Fading:
    """Ultan's own policy (DECISIONS 8)."""
    idle = activity.since(entry.scope, renewed_on(entry, today), today)
    half_life = half_life_days(entry, constants)
    left = remaining(half_life, idle)
    strong = entry.encoding_strength >= constants.strong
    said = f"{left:.0%} left after {idle} active days (half-life {half_life:.0f})"
    if strong and (left < constants.archive_below or is_ignored(entry, constants)):
        why = "ignored" if is_ignored(entry, constants) else "unused"
        return Fading(entry, left, half_life, idle, "drift", f"strong but {why}: still true? {said}")
    verdict = "fade" if left < constants.archive_below else "keep"
    return Fading(entry, left, half_life, idle, verdict, said)


def by_window(entry: Entry, _activity: Activity, today: str, *, window_days: int = 30) -> Fading:
    """The original's rule: nothing for a month, showing included, and said again less than twice."""
    days = (entry.created, entry.updated, entry.last_reinforced, entry.last_surfaced)
    last = max((day for day in days if is_day(day) and day <= today), default=today)
    idle = (date.fromisoformat(today) - date.fromisoformat(last)).days
    fades = idle > window_days and entry.reinforced < 2
    left = 0.0 if fades else 1.0
    return Fading(entry, left, float(window_days), idle, "fade" if fades else "keep", f"{idle} days without a sign")


def by_hebb(entry: Entry, _activity: Activity, today: str) -> Fading:
    """Ogham's rule: 5 % a month without access, 1 % from ten accesses on, never below 0.05."""
    days = (entry.created, entry.updated, entry.last_reinforced, entry.last_surfaced, entry.last_helpful)
    last = max((day for day in days if is_day(day) and day <= today), default=today)
    idle = (date.fromisoformat(today) - date.fromisoformat(last)).days
    accesses = bounded(entry.fired) + bounded(entry.reinforced)
    rate = 0.01 if accesses >= 10 else 0.05
    left = max(0.05, (1.0 - rate) ** (idle / 30.0))
    half_life = 30.0 * math.log(0.5) / math.log(1.0 - rate)
    fades = left < DEFAULTS.archive_below
    return Fading(entry, left, half_life, idle, "fade" if fades else "keep", f"{left:.0%} left after {idle} days")


def by_nothing(entry: Entry, _activity: Activity, _today: str) -> Fading:
    """No forgetting at all."""
    return Fading(entry, 1.0, math.inf, 0, "keep", "nothing fades")


Policy = Callable[[Entry, Activity, str], Fading]
POLICIES: Mapping[str, Policy] = {
    "strength": by_strength, "window": by_window, "hebbian": by_hebb, "none": by_nothing,
}  # fmt: skip


def fading(entry: Entry, activity: Activity, today: str, policy: Policy = by_strength) -> Fading:
    """How *entry* stands today; pinned entries keep, expired ones go whatever the policy."""
    if entry.pinned:
        return Fading(entry, 1.0, math.inf, 0, "keep", "pinned")
    if is_day(entry.expires) and entry.expires < today:
        return Fading(entry, 0.0, 0.0, 0, "expired", f"expired on {entry.expires}")
    return policy(entry, activity, today)


@dataclass(frozen=True, slots=True)
class Sweep:
    """What one run of ``decay`` does.

    Attributes:
        archive: to be put away now: chosen today and on an earlier day too, weakest first.
        waiting: chosen today for the first time, or over today's cap.
        drift: strong entries that a person or the scholar should look at.
        chosen: entry id → day of the first run that chose it, to be kept for the next run.
        standing: how every entry stands, weakest first.
    """

    archive: tuple[Fading, ...]
    waiting: tuple[Fading, ...]
    drift: tuple[Fading, ...]
    chosen: Mapping[str, str]
    standing: tuple[Fading, ...] = ()


def sweep(
    entries: Iterable[Entry], activity: Activity, today: str, chosen_before: Mapping[str, str],
    policy: Policy = by_strength, constants: Constants = DEFAULTS, *, among: int = 0,
) -> Sweep:  # fmt: skip
    """What fades today, at most ``max(5, 5 %)`` and only what two runs on different days chose.

    Where *entries* leave out some that cannot fade today, *among* says how many there are in all.
    """
    standing = sorted(
        (fading(entry, activity, today, policy) for entry in entries), key=lambda one: (one.retention, one.entry.id)
    )
    faded = [one for one in standing if one.verdict in ("fade", "expired")]
    cap = max(constants.least_a_run, int((among or len(standing)) * constants.share_a_run))
    twice = [one for one in faded if is_day(chosen_before.get(one.entry.id, "")) and chosen_before[one.entry.id] < today]
    archive = tuple(twice[:cap])
    gone = {one.entry.id for one in archive}
    waiting = tuple(one for one in faded if one.entry.id not in gone)
    chosen = {one.entry.id: min(chosen_before.get(one.entry.id, today), today) for one in waiting}
    drift = tuple(one for one in standing if one.verdict == "drift")
    return Sweep(archive, waiting, drift, chosen, tuple(standing))


def curve(entry: Entry, days: int = 120, constants: Constants = DEFAULTS) -> list[float]:
    """The entry's retention over the next *days* active days, for a plot."""
    half_life = math.inf if entry.pinned else half_life_days(entry, constants)
    return [remaining(half_life, day) for day in range(days + 1)]
