"""Bench year: a made-up year lived through once for each policy of forgetting.

The generator (``synthetic_year``) knows the truth; the shelf is told only what a session
would tell it: what was said, what was shown, what was used. With ``real`` every change goes
through the executor. Reported are the four bars of forgetting and the curves behind them.
"""

import math
import random
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial

from ultan.library import retention
from ultan.library.entry import Entry
from ultan.library.retention import Activity, Constants, Fading, Policy
from ultan.verbs.habits import Habits
from ultan.verbs.resting import NO_REST, Rest
from ultan.verbs.shelves import BareShelf, Count, LibraryShelf, Said, Shelf
from ultan.verbs.synthetic_year import USERS, Day, Memory, Rates, Year, make_year

SETTLED_DAYS = 60
"""Active days of its scope since it was taught: younger noise has had no chance to fade and is not judged."""

MEASURES = ("load_bearing_alive", "noise_live", "stale_shown", "wrongly_archived")
COUNTS = ("entries", "live", "archived", "revived", "precision", "missed", "asked")


WINDOW_DAYS, RECENT_DAYS = 30, 60
PACES = (0.5, 1.0, 1.5)
BARS = {"load_bearing_alive": 0.99, "noise_live": 0.10, "stale_shown": 0.01, "wrongly_archived": 0.005}
"""At least the first, at most the others."""

ENTRIES = 300
"""Memories taught in a year: as many as the labelled library holds that the rates were counted in."""


def made(user: str, seed: int, pace: float = 1.0, entries: int = ENTRIES) -> Year:
    """The year of our own generator, at a *pace* of one for the counted rates."""
    return make_year(user, seed, Rates().scaled(pace), entries=entries)


@dataclass(slots=True)
class Outcome:
    """What a year came to.

    Shares in [0, 1]. *load_bearing_alive*: of what is needed and right, live at the year's end.
    *wrongly_archived*: of the same, in the archive at the end and never revived. *noise_live*: of
    settled noise. *stale_shown*: of all that was shown, what had been corrected before.
    *missed*: of what is needed and right, what was needed again after it was put away and never
    revived. *precision*: of all that was shown, what was needed. *asked*: questions to a person
    about entries that drift. *monthly* holds the curves.
    """

    load_bearing_alive: float = 0.0
    noise_live: float = 0.0
    stale_shown: float = 0.0
    wrongly_archived: float = 0.0
    precision: float = 0.0
    missed: float = 0.0
    asked: int = 0
    entries: int = 0
    live: int = 0
    archived: int = 0
    revived: int = 0
    decisions: list[tuple[str, str, int]] = field(default_factory=list)
    monthly: list[dict[str, float]] = field(default_factory=list)


def by_recency(entry: Entry, activity: Activity, today: str, *, days: int = RECENT_DAYS) -> Fading:
    """Plain recency: whatever was not written for *days* active days goes."""
    idle = activity.since(entry.scope, max(entry.created, entry.updated), today)
    return Fading(entry, 1.0 - min(1.0, idle / days), float(days), idle, "fade" if idle > days else "keep", "recency")


def policies(constants: Constants | None = None) -> Mapping[str, Policy]:
    """Ours and the four it is compared with."""
    ours: Policy = partial(retention.by_strength, constants=constants or Constants())
    return {**retention.POLICIES, "strength": ours, "recency": by_recency}


def play(
    year: Year, name: str = "strength", habits: Habits | None = None, constants: Constants | None = None, *, real: bool = False
) -> Outcome:
    """The outcome of *year* for a memory that forgets by the policy *name*; *real* takes the library itself."""
    constants = constants or Constants()
    policy = policies(constants)[name]
    shelf: Shelf = LibraryShelf(policy, constants) if real else BareShelf(policy, constants, _rest(name, constants))
    return Player(year, shelf, habits or Habits()).outcome()


def _rest(name: str, constants: Constants) -> Rest:
    """How long an entry surely stays under a policy."""
    never = Rest(lambda _entry: math.inf)  # Hebbian decay of 5 % a month reaches a quarter after 27 months
    written = Rest(lambda _entry: RECENT_DAYS, since=lambda entry, _day: max(entry.created, entry.updated))
    known = {
        "strength": Rest(partial(retention.lifetime_days, constants=constants)), "none": never, "hebbian": never,
        "recency": written, "window": Rest(lambda _entry: WINDOW_DAYS, calendar=True),
    }  # fmt: skip
    return known.get(name, NO_REST)


class Player:
    """One memory living through one year."""

    def __init__(self, year: Year, shelf: Shelf, habits: Habits) -> None:
        """Begin *year* with an empty *shelf*."""
        self._year, self._shelf, self._habits = year, shelf, habits
        self._rng = random.Random(f"play/{year.user}/{year.seed}")  # noqa: S311 -- a simulation
        self.activity = Activity({})
        self._today = ""
        self._live: set[int] = set()
        self._away: set[int] = set()
        self._revived: set[int] = set()
        self._missed: set[int] = set()
        self._scoped: dict[str, list[int]] = {}
        self._shown = self._stale = self._fitting = 0
        self._result = Outcome(entries=len(year.memories))

    def outcome(self) -> Outcome:
        """What the year came to."""
        month = ""
        for day in self._year.days:
            self._today = day.day
            for project in day.projects:
                self.activity = self.activity.with_day(project, day.day)
            self._say(day)
            self._use(day)
            self._forget(day.day)
            self._review(day.day)
            if day.day[:7] != month:
                month = day.day[:7]
                self._note(month)
        self._judge()
        return self._result

    # --- one day ----------------------------------------------------------------------------------

    def _say(self, day: Day) -> None:
        """What was taught, corrected and said again, as a curator would hand it over."""
        said = []
        for one in day.happenings:
            if one.what not in ("teach", "correct", "repeat"):
                continue
            memory = self._year.memories[one.memory]
            found = one.what == "correct" and self._rng.random() < self._habits.recognised
            said.append(Said(memory, one.what == "repeat", memory.corrects if found else -1))
            if one.what != "repeat":
                self._scoped.setdefault(memory.scope, []).append(memory.key)
        self._tell(day.day, said)

    def _tell(self, day: str, said: Sequence[Said]) -> None:
        if said:
            self._shelf.say(day, said)
            self._welcome(day)

    def _welcome(self, day: str) -> None:
        """Look at the shelf, and note what came back from the archive."""
        before = self._away
        self._look()
        for key in sorted(before & self._live):
            self._revived.add(key)
            self._scoped[self._year.memories[key].scope].append(key)
            self._result.decisions.append((day, "revive", key))

    def _look(self) -> None:
        self._live, self._away = self._shelf.live(), self._shelf.archived()

    def _use(self, day: Day) -> None:
        """What was shown, used and ignored; folded in as the curator folds counters in."""
        shown: dict[int, Count] = {}
        missed: list[Memory] = []
        wrong: list[int] = []
        for one in day.happenings:
            if one.what == "need":
                self._need(self._year.memories[one.memory], one.scope, shown, missed, wrong)
            elif one.what == "nothing":
                self._beside(shown, one.scope, self._habits.false_prime)
            if one.what in ("need", "nothing"):
                self._away_beside(shown, one.scope)
        self._shelf.count(day.day, shown)
        if any(useful for key, (_, useful, _) in shown.items() if key in self._away):
            self._welcome(day.day)
        if wrong:
            self._shelf.retract(day.day, sorted(set(wrong)))
        self._tell(day.day, [Said(memory, again=True) for memory in missed])
        if wrong and not missed:
            self._look()

    def _need(
        self, memory: Memory, scope: str, shown: dict[int, Count], missed: list[Memory], wrong: list[int]
    ) -> None:
        rng, habits = self._rng, self._habits
        if memory.key in self._away:
            self._missed.add(memory.key)
            self._need_away(memory, shown, missed)
        elif memory.key in self._live and rng.random() < habits.shown:
            self._show(shown, memory.key, helped=rng.random() < habits.used, needed=True)
            self._beside(shown, scope, habits.beside)
        old = memory.corrects
        while old >= 0:  # what it corrected answers to the same words
            if old in self._live and rng.random() < habits.shown:
                self._show(shown, old, helped=False)
                if rng.random() < habits.said_again:
                    wrong.append(old)
            elif old in self._away and self._shelf.offers(old) and rng.random() < habits.offered:
                self._show(shown, old, helped=False)
            old = self._year.memories[old].corrects

    def _need_away(self, memory: Memory, shown: dict[int, Count], missed: list[Memory]) -> None:
        """What is needed lies in the archive: shown again and relied on, or said again."""
        rng, habits = self._rng, self._habits
        if memory in missed or shown.get(memory.key, (0, 0, 0))[1]:
            return  # it will be back by tomorrow
        if rng.random() < habits.offered and self._shelf.offers(memory.key):
            self._show(shown, memory.key, helped=rng.random() < habits.used, needed=True)
            if shown[memory.key][1]:
                return
        if rng.random() < habits.said_again:
            missed.append(memory)

    def _away_beside(self, shown: dict[int, Count], scope: str) -> None:
        """Something that faded and that nobody needs comes up."""
        if self._away and self._rng.random() < self._habits.offered_beside:
            near = sorted(key for key in self._away if self._year.memories[key].scope in (scope, "global"))
            key = self._rng.choice(near) if near else -1
            if key >= 0 and self._shelf.offers(key):
                self._show(shown, key, helped=self._rng.random() < self._habits.misjudged)

    def _show(self, shown: dict[int, Count], key: int, *, helped: bool, needed: bool = False) -> None:
        fired, useful, passed = shown.get(key, (0, 0, 0))
        heard = helped and self._habits.judged
        if heard and needed and self._habits.heard < 1.0:
            heard = self._rng.random() < self._habits.heard
        shown[key] = (fired + 1, useful + heard, passed + (self._habits.judged and self._habits.passes and not helped))
        self._shown += 1
        self._fitting += needed
        self._stale += self._is_corrected(key)

    def _is_corrected(self, key: int) -> bool:
        since = self._year.memories[key].wrong_since
        return bool(since) and since <= self._today

    def _beside(self, shown: dict[int, Count], scope: str, chance: float) -> None:
        """Something that nobody needs, from the same project or from everywhere."""
        if self._rng.random() < chance:
            key = self._any_of([self._scoped.get(scope, []), self._scoped.get("global", [])])
            if key >= 0:
                self._show(shown, key, helped=self._rng.random() < self._habits.misjudged)

    def _any_of(self, lists: Sequence[list[int]]) -> int:
        """A live entry of *lists*, each with the same chance; -1 if there is none."""
        for _ in range(40):
            total = sum(map(len, lists))
            if not total:
                return -1
            place = self._rng.randrange(total)
            for one in lists:
                if place < len(one):
                    if one[place] in self._live:
                        return one[place]
                    break
                place -= len(one)
        return -1

    def _forget(self, day: str) -> None:
        gone = self._shelf.forget(day, self.activity)
        if gone:
            self._put_away(day, gone)

    def _review(self, day: str) -> None:
        """What drifts is asked about; a person who answers knows whether it will be needed, mostly."""
        gone = []
        for key in self._shelf.questions(day, thinks=self._habits.thinks):
            self._result.asked += 1
            if self._rng.random() >= self._habits.answered:
                continue
            memory = self._year.memories[key]
            holds = memory.load_bearing and not self._is_corrected(key)
            if self._rng.random() < self._habits.mistaken:
                holds = not holds
            self._shelf.answer(day, key, holds=holds)
            self._result.decisions.append((day, "affirm" if holds else "drop", key))
            gone += [] if holds else [key]
        if gone:
            self._put_away(day, ())

    def _put_away(self, day: str, gone: Sequence[int]) -> None:
        self._result.decisions += [(day, "archive", key) for key in sorted(gone)]
        self._look()
        self._scoped = {scope: [key for key in keys if key in self._live] for scope, keys in self._scoped.items()}

    # --- the count --------------------------------------------------------------------------------

    def _note(self, month: str) -> None:
        self._result.monthly.append(
            {
                "month": int(month[5:]), "live": len(self._live), "archived": len(self._away),
                "precision": _share(self._fitting, self._shown, 0.0),
            }
        )  # fmt: skip

    def _judge(self) -> None:
        last = self._year.days[-1].day
        needed = {one.key for one in self._year.memories if one.load_bearing and not one.wrong_since}
        noise = {
            one.key for one in self._year.memories
            if one.truth == "noise" and not one.wrong_since and self.activity.since(one.scope, one.born, last) > SETTLED_DAYS
        }  # fmt: skip
        result = self._result
        result.load_bearing_alive = _share(len(needed & self._live), len(needed), 1.0)
        result.wrongly_archived = _share(len((needed & self._away) - self._revived), len(needed), 0.0)
        result.missed = _share(len((needed & self._away & self._missed) - self._revived), len(needed), 0.0)
        result.noise_live = _share(len(noise & self._live), len(noise), 0.0)
        result.stale_shown = _share(self._stale, self._shown, 0.0)
        result.precision = _share(self._fitting, self._shown, 0.0)
        result.live, result.archived, result.revived = len(self._live), len(self._away), len(self._revived)


def _share(part: int, whole: int, empty: float) -> float:
    return round(part / whole, 4) if whole else empty


def bench_year(
    seeds: Sequence[int] = (100,), *, users: Sequence[str] = USERS, entries: int = ENTRIES, pace: float = 1.0,
    names: Sequence[str] = ("strength", "window", "hebbian", "none", "recency"), constants: Constants | None = None,
    habits: Habits | None = None, make: Callable[[str, int, float, int], Year] = made, real: bool = False,
) -> dict[str, object]:  # fmt: skip
    """Outcomes of every policy over *seeds* and *users*: means, and each year's own."""
    years: list[tuple[str, Year, Outcome]] = []
    for user in users:
        for seed in seeds:
            year = make(user, seed, pace, entries)
            years += [(name, year, play(year, name, habits, constants, real=real)) for name in names]
    means = {name: mean_of(outcome for known, _, outcome in years if known == name) for name in names}
    told = [{"policy": name, "user": year.user, "seed": year.seed, **_told(outcome)} for name, year, outcome in years]
    return {"seeds": list(seeds), "users": list(users), "entries": entries, "pace": pace, "real": real, "means": means, "years": told}


def mean_of(outcomes: Iterable[Outcome]) -> dict[str, float]:
    """Every measure and count, averaged over *outcomes*."""
    every = list(outcomes)
    return {name: round(sum(getattr(one, name) for one in every) / len(every), 4) for name in (*MEASURES, *COUNTS)}


def breach(means: Mapping[str, float]) -> float:
    """By how much the bars are missed, summed; 0 if all are held."""
    over = (means[name] - bar for name, bar in BARS.items() if name != "load_bearing_alive")
    return sum(max(0.0, missed) for missed in (BARS["load_bearing_alive"] - means["load_bearing_alive"], *over))


def _told(outcome: Outcome) -> dict[str, object]:
    return {**{name: getattr(outcome, name) for name in (*MEASURES, *COUNTS)}, "monthly": outcome.monthly}
