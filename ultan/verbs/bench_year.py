"""Bench year: a made-up year played through the real library, once for each policy of forgetting.

The generator (``synthetic_year``) knows the truth; the library is told only what a session
would tell it: what was said, what was shown, what was used. Every change goes through the
executor. Reported are the four bars of forgetting and the curves behind them.
"""

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial

from ultan.events import Piece
from ultan.library import retention
from ultan.library.actions import Action, Archive, Bump, Cite, Create, Reinforce, Revive
from ultan.library.entry import Entry
from ultan.library.executor import execute
from ultan.library.retention import Activity, Constants, Fading, Policy
from ultan.library.snapshot import Library, read_library
from ultan.library.store import MemoryStore
from ultan.verbs.synthetic_year import USERS, Day, Happening, Memory, Rates, Year, make_year

SETTLED_DAYS = 60
"""Active days of its scope since it was taught: younger noise has had no chance to fade and is not judged."""


@dataclass(frozen=True, slots=True)
class Habits:
    """How user and agent behave; assumptions, except the two that PrimeBench measures.

    Attributes:
        shown: a needed, live entry is primed (PrimeBench recall@3).
        used: a primed entry that was needed is really relied on.
        said_again: a needed entry that was not there is said again by the user.
        false_prime: a prompt that needs nothing shows an entry all the same (PrimeBench).
        beside: entries shown beside a needed one that nobody needs.
    """

    shown: float = 0.6
    used: float = 0.8
    said_again: float = 0.5
    false_prime: float = 0.12
    beside: float = 0.5


@dataclass(slots=True)
class Outcome:
    """What a year came to.

    Shares in [0, 1]: *load_bearing_alive* of what is still needed and right; *noise_live* of
    settled noise; *stale_shown* of all that was shown; *wrongly_archived* of what is needed
    and right: archived at the end, never revived. *monthly* holds live entries and the share of
    what was shown that was needed.
    """

    load_bearing_alive: float = 0.0
    noise_live: float = 0.0
    stale_shown: float = 0.0
    wrongly_archived: float = 0.0
    entries: int = 0
    live: int = 0
    archived: int = 0
    revived: int = 0
    refused: int = 0
    monthly: list[dict[str, float]] = field(default_factory=list)


def by_recency(entry: Entry, activity: Activity, today: str, *, days: int = 60) -> Fading:
    """Plain recency: whatever was not written for *days* active days goes."""
    idle = activity.since(entry.scope, max(entry.created, entry.updated), today)
    return Fading(entry, 1.0 - min(1.0, idle / days), float(days), idle, "fade" if idle > days else "keep", "recency")


def policies(constants: Constants | None = None) -> Mapping[str, Policy]:
    """Ours and the four it is compared with."""
    ours: Policy = partial(retention.by_strength, constants=constants or Constants())
    return {**retention.POLICIES, "strength": ours, "recency": by_recency}


def play(year: Year, policy: Policy, habits: Habits | None = None, constants: Constants | None = None) -> Outcome:
    """The outcome of *year* in a fresh library that forgets by *policy*."""
    return _Player(year, policy, habits or Habits(), constants or Constants()).outcome()


class _Player:
    """One library living through one year."""

    def __init__(self, year: Year, policy: Policy, habits: Habits, constants: Constants) -> None:
        self.year, self.policy, self.habits, self.constants = year, policy, habits, constants
        self.rng = random.Random(f"play/{year.user}/{year.seed}")  # noqa: S311 -- a simulation
        self.store = MemoryStore()
        self.library: Library = read_library(self.store)
        self.activity = Activity({})
        self.chosen: Mapping[str, str] = {}
        self.ids: dict[int, str] = {}
        self.shown = self.stale = self.fitting = 0
        self.result = Outcome(entries=len(year.memories))

    def outcome(self) -> Outcome:
        month = ""
        for day in self.year.days:
            self._live(day)
            if day.day[:7] != month:
                month = day.day[:7]
                self._note(month)
        self._judge()
        return self.result

    # --- one day ----------------------------------------------------------------------------------

    def _live(self, day: Day) -> None:
        for project in day.projects:
            self.activity = self.activity.with_day(project, day.day)
        self._say(day)
        self._use(day)
        self._forget(day.day)

    def _do(self, actions: Sequence[Action], day: str, by: str, sources: Mapping[str, Piece] | None = None) -> None:
        if not actions:
            return
        now = datetime.fromisoformat(day).replace(hour=18, tzinfo=UTC).timestamp()
        receipt = execute(
            self.store, actions, now=now, by=by, session=f"{day}/{by}", sources=sources, library=self.library
        )
        self.result.refused += len(receipt.refused)
        self.library = read_library(self.store, self.library)

    def _say(self, day: Day) -> None:
        """What was taught, corrected and said again, as the clerk would hand it over."""
        actions: list[Action] = []
        sources: dict[str, Piece] = {}
        for number, one in enumerate(day.happenings):
            if one.what not in ("teach", "correct", "repeat"):
                continue
            memory = self.year.memories[one.memory]
            piece = Piece(f"{day.day}/{number}", "user", _text(memory), day.day + "T10:00:00Z", number)
            sources[piece.id] = piece
            actions += self._said(one, memory, Cite(event=piece.id, quote=piece.text))
        self._do(actions, day.day, "clerk", sources)

    def _said(self, one: Happening, memory: Memory, cite: Cite) -> list[Action]:
        if one.what == "repeat":
            return self._again(memory, cite)
        place = "global" if memory.scope == "global" else f"projects/{memory.scope.removeprefix('project:')}"
        self.ids[memory.key] = f"{place}/topic-{memory.key % 40}/memory-{memory.key}"
        folder, _, slug = self.ids[memory.key].rpartition("/")
        old = self.ids.get(memory.corrects, "")
        return [
            Create(
                folder=folder, slug=slug, title=" ".join(memory.words[:4]), kind=memory.kind, rule=_text(memory),  # type: ignore[arg-type]
                salience="contradicts" if one.what == "correct" else "novel", evidence=(cite,),
                supersedes=(old,) if old in self.library.entries else (),
            )
        ]  # fmt: skip

    def _again(self, memory: Memory, cite: Cite) -> list[Action]:
        id_ = self.ids.get(memory.key, "")
        if id_ in self.library.entries:
            return [Reinforce(entry=id_, evidence=(cite,))]
        if id_ in self.library.archived:
            self.result.revived += 1
            return [Revive(entry=id_, evidence=(cite,))]
        return []

    def _use(self, day: Day) -> None:
        """What was shown, used and ignored; folded in as the curator folds counters in."""
        live = {project: self.library.live(project, day.day) for project in day.projects}
        shown: dict[str, list[int]] = {}
        missed: list[Memory] = []
        for one in day.happenings:
            around = live.get(one.scope.removeprefix("project:"), ())
            if one.what == "need":
                memory = self.year.memories[one.memory]
                id_ = self.ids.get(memory.key, "")
                if id_ not in {entry.id for entry in around}:
                    missed.append(memory)
                elif self.rng.random() < self.habits.shown:
                    self._show(shown, id_, self.rng.random() < self.habits.used, needed=True)
                    self._beside(shown, around, self.habits.beside)
            elif one.what == "nothing":
                self._beside(shown, around, self.habits.false_prime)
        bumps = [
            Bump(entry=id_, fired=fired, helpful=helped, ignored=fired - helped, surfaced_on=day.day, helpful_on=day.day if helped else "")
            for id_, (fired, helped) in sorted(shown.items())
        ]
        self._do(bumps, day.day, "upkeep")
        self._miss(missed, day.day)

    def _show(self, shown: dict[str, list[int]], id_: str, helped: bool, *, needed: bool = False) -> None:
        counts = shown.setdefault(id_, [0, 0])
        counts[0] += 1
        counts[1] += helped
        self.shown += 1
        self.fitting += needed
        self.stale += bool(self.library.entries[id_].superseded_by)

    def _beside(self, shown: dict[str, list[int]], around: Sequence[Entry], chance: float) -> None:
        if around and self.rng.random() < chance:
            self._show(shown, self.rng.choice(around).id, helped=False)

    def _miss(self, missed: Sequence[Memory], day: str) -> None:
        """The user says again what was put away, now and then; that revives it."""
        actions: list[Action] = []
        sources = {}
        for memory in missed:
            if self.ids.get(memory.key, "") in self.library.archived and self.rng.random() < self.habits.said_again:
                piece = Piece(f"{day}/miss-{memory.key}", "user", _text(memory), day + "T15:00:00Z", 99)
                sources[piece.id] = piece
                actions += self._again(memory, Cite(event=piece.id, quote=piece.text))
        self._do(actions, day, "clerk", sources)

    def _forget(self, day: str) -> None:
        entries = [entry for entry in self.library.entries.values() if entry.status == "active"]
        swept = retention.sweep(entries, self.activity, day, self.chosen, self.policy, self.constants)
        self.chosen = swept.chosen
        self._do([Archive(entry=one.entry.id, reason="faded") for one in swept.archive], day, "upkeep")

    # --- the count --------------------------------------------------------------------------------

    def _note(self, month: str) -> None:
        self.result.monthly.append(
            {
                "month": int(month[5:]), "live": len(self.library.entries), "archived": len(self.library.archived),
                "precision": round(self.fitting / self.shown, 4) if self.shown else 0.0,
            }
        )  # fmt: skip

    def _judge(self) -> None:
        last = self.year.days[-1].day
        needed = [one for one in self.year.memories if one.load_bearing and not one.wrong_since]
        noise = [
            one for one in self.year.memories
            if not one.load_bearing and self.activity.since(one.scope, one.born, last) > SETTLED_DAYS
        ]  # fmt: skip
        is_live: Callable[[Memory], bool] = lambda one: self.ids.get(one.key, "") in self.library.entries  # noqa: E731
        is_away: Callable[[Memory], bool] = lambda one: self.ids.get(one.key, "") in self.library.archived  # noqa: E731
        result = self.result
        result.load_bearing_alive = _share(sum(map(is_live, needed)), len(needed), 1.0)
        result.wrongly_archived = _share(sum(map(is_away, needed)), len(needed), 0.0)
        result.noise_live = _share(sum(map(is_live, noise)), len(noise), 0.0)
        result.stale_shown = _share(self.stale, self.shown, 0.0)
        result.live, result.archived = len(self.library.entries), len(self.library.archived)


def _share(part: int, whole: int, empty: float) -> float:
    return round(part / whole, 4) if whole else empty


def _text(memory: Memory) -> str:
    head = "Always " if memory.emphatic else ""
    return f"{head}{' '.join(memory.words)} {memory.key}."


def bench_year(
    seeds: Sequence[int] = (100,), *, users: Sequence[str] = USERS, entries: int = 0, rates: Rates | None = None,
    names: Sequence[str] = ("strength", "window", "hebbian", "none", "recency"), constants: Constants | None = None,
    make: Callable[..., Year] = make_year,
) -> dict[str, object]:  # fmt: skip
    """Outcomes of every policy over *seeds* and *users*: means, and each year's own."""
    every = policies(constants)
    years: list[dict[str, object]] = []
    for name in names:
        for user in users:
            for seed in seeds:
                outcome = play(make(user, seed, rates, entries=entries), every[name], constants=constants)
                years.append({"policy": name, "user": user, "seed": seed, "outcome": outcome})
    means = {}
    for name in names:
        mine: list[Outcome] = [year["outcome"] for year in years if year["policy"] == name]  # type: ignore[misc]
        means[name] = {
            measure: round(sum(getattr(one, measure) for one in mine) / len(mine), 4)
            for measure in ("load_bearing_alive", "noise_live", "stale_shown", "wrongly_archived", "live", "archived", "revived")
        }
    return {"seeds": list(seeds), "users": list(users), "means": means, "years": years}
