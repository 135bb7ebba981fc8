"""Two places in which a simulated year can be lived: the real library, and bare entries for fitting.

Both take the same words and forget by the same functions. ``LibraryShelf`` hands every change to
the executor; ``BareShelf`` keeps plain entries and repeats what the executor does to their
counters, a hundred times faster. A test plays one year on both and compares every decision.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime
from typing import Protocol

from ultan.events import Piece
from ultan.library import retention
from ultan.library.actions import Action, Affirm, Archive, Bump, Cite, Contradict, Create, Reinforce, Revive
from ultan.library.entry import Entry
from ultan.library.executor import execute
from ultan.library.faded import is_faded
from ultan.library.grounds import REPETITION, encoding_strength, likeness, stems
from ultan.library.retention import Activity, Constants, Fading, Policy
from ultan.library.snapshot import Library, read_library
from ultan.library.twin import MemoryStore
from ultan.verbs.drift import questions
from ultan.verbs.resting import NO_REST, SLACK, Rest
from ultan.verbs.synthetic_year import Memory

TOPICS = 40
Count = tuple[int, int, int]
"""How often an entry was shown, was of help, and was passed over; where nobody judged only shown."""


@dataclass(frozen=True, slots=True)
class Said:
    """What a curator made of one remark: *memory* is new, corrects *instead_of*, or was said again."""

    memory: Memory
    again: bool = False
    instead_of: int = -1


def place_of(memory: Memory) -> tuple[str, str]:
    """Folder and slug of the entry that a memory becomes."""
    top = "global" if memory.scope == "global" else f"projects/{memory.scope.removeprefix('project:')}"
    return f"{top}/topic-{memory.key % TOPICS}", f"memory-{memory.key}"


class Shelf(Protocol):
    """Where memories are kept by their number in the year."""

    def live(self) -> set[int]:
        """Numbers of the entries that may be shown."""

    def archived(self) -> set[int]:
        """Numbers of the entries in the archive."""

    def offers(self, key: int, /) -> bool:
        """Whether the entry *key* lies in the archive for want of use alone, so that it may be shown again."""

    def say(self, day: str, said: Sequence[Said]) -> None:
        """Take in what was said on *day*: new, corrected, said again, or brought back from the archive."""

    def retract(self, day: str, keys: Sequence[int], /) -> None:
        """End entries that a person called wrong."""

    def count(self, day: str, shown: Mapping[int, Count]) -> None:
        """Fold in how often entries were shown and were of help on *day*; what had faded and was of help is back."""

    def forget(self, day: str, activity: Activity) -> list[int]:
        """Numbers of the entries put away on *day*."""

    def questions(self, day: str, *, thinks: bool) -> list[int]:
        """Numbers of the entries about which a person is asked whether they still hold, after ``forget``."""

    def answer(self, day: str, key: int, /, *, holds: bool) -> None:
        """Take a person's answer: it still holds, or goes into the archive."""


@dataclass(slots=True)
class _Reviews:
    """What was asked about drifting entries: each question once, in the product's own order."""

    events: set[str] = field(default_factory=set)
    waiting: set[str] = field(default_factory=set)

    def asked(self, drifting: Sequence[Fading], day: str, *, thinks: bool) -> list[str]:
        """Ids of the entries that a person is asked about on *day*; a model leaves the others as they are."""
        found = questions(drifting, day, self.events, self.waiting, thinks=thinks)
        self.events.update(mark for _, mark, _ in found)
        held = [one.entry.id for one, _, by_model in found if not by_model]
        self.waiting.update(held)
        return held


@dataclass(slots=True)
class _Counts:
    """What happened to an entry since it was last written anew."""

    fired: int = 0
    helped: int = 0
    ignored: int = 0
    last_helpful: str = ""
    last_surfaced: str = ""


class BareShelf:
    """Plain entries in memory.

    An entry that cannot fade today is not looked at: when it first can is known from its lifetime,
    less what being ignored may take from it. What was counted is folded in only when it is looked at.
    """

    def __init__(self, policy: Policy, constants: Constants, rest: Rest = NO_REST) -> None:
        """An empty shelf that forgets by *policy*; *rest* says when an entry need not be looked at."""
        self._policy, self._constants, self._rest = policy, constants, rest
        self._live: dict[int, Entry] = {}
        self._away: dict[int, Entry] = {}
        self._closed: set[int] = set()  # put away on a person's word: no use brings it back
        self._counts: dict[int, _Counts] = {}
        self._stems: dict[int, frozenset[str]] = {}
        self._due: dict[int, float] = {}
        self._waiting: set[int] = set()  # those that fade on their day unless something happens
        self._chosen: Mapping[str, str] = {}
        self._drift: tuple[Fading, ...] = ()
        self._reviews = _Reviews()

    def live(self) -> set[int]:
        """As ``Shelf.live``."""
        return set(self._live)

    def archived(self) -> set[int]:
        """As ``Shelf.archived``."""
        return set(self._away)

    def offers(self, key: int) -> bool:
        """As ``Shelf.offers``."""
        return key in self._away and key not in self._closed

    def say(self, day: str, said: Sequence[Said]) -> None:
        """As ``Shelf.say``."""
        for one in said:
            key = one.memory.key
            if not one.again:
                self._learn(day, one)
            elif key in self._live:
                self._live[key] = _said_again(self.looked_up(key), day)
            elif key in self._away:
                self._live[key] = _revived(self._away.pop(key), day)
                self._closed.discard(key)
            self._due.pop(key, None)

    def _learn(self, day: str, one: Said) -> None:
        memory = one.memory
        corrected = one.instead_of in self._live
        said = stems(memory.text)
        known = (self._stems[key] for key, entry in self._live.items() if entry.scope in (memory.scope, "global"))
        salience = "contradicts" if corrected else "novel"
        strength = encoding_strength(salience, kind=memory.kind, words=memory.text, likeness=likeness(said, known))
        self._stems[memory.key] = said
        self._live[memory.key] = Entry(
            id="/".join(place_of(memory)), title="m", kind=memory.kind, scope=memory.scope, created=day, updated=day,
            encoding_strength=strength.value,
        )  # fmt: skip
        if corrected:
            self.retract(day, [one.instead_of])

    def retract(self, _day: str, keys: Sequence[int]) -> None:
        """As ``Shelf.retract``; what is ended neither counts nor fades, so it is not kept here."""
        for key in keys:
            self._live.pop(key, None)

    def count(self, day: str, shown: Mapping[int, Count]) -> None:
        """As ``Shelf.count``."""
        for key, (fired, helped, ignored) in shown.items():
            if key in self._away:
                away = _shown_again(self._away[key], day, shown[key])
                self._away[key] = away
                if helped and self.offers(key):
                    self._live[key] = replace(self._away.pop(key), updated=day)
                    self._due.pop(key, None)
                continue
            known = self._counts.get(key)
            if known is None:
                known = self._counts[key] = _Counts()
            known.fired += fired
            known.helped += helped
            known.ignored += ignored
            known.last_helpful = day if helped else known.last_helpful
            known.last_surfaced = day
            if ignored and (key in self._waiting or self._live[key].encoding_strength >= self._constants.strong):
                self._waiting.discard(key)
                self._due.pop(key, None)

    def looked_up(self, key: int) -> Entry:
        """The live entry *key* with its counters as they are now."""
        known = self._counts.pop(key, None)
        if known is not None:
            was = self._live[key]
            self._live[key] = replace(
                was, fired=was.fired + known.fired, fired_helpful=was.fired_helpful + known.helped,
                ignored=was.ignored + known.ignored, last_surfaced=known.last_surfaced,
                last_helpful=known.last_helpful or was.last_helpful,
            )  # fmt: skip
        return self._live[key]

    def forget(self, day: str, activity: Activity) -> list[int]:
        """As ``Shelf.forget``."""
        worked = {scope: self._count(days, day) for scope, days in activity.days.items()}
        due = []
        for key, entry in self._live.items():
            now = worked[slug_of(entry)]
            if self._due.get(key, 0.0) <= now:
                self._due[key] = self._day_due(key, activity, day)
                if self._due[key] <= now:
                    due.append(self._live[key])
        swept = retention.sweep(
            due, activity, day, self._chosen, self._policy, self._constants, among=max(1, len(self._live))
        )
        self._chosen, self._drift = swept.chosen, swept.drift
        gone = [_key_of(one.entry.id) for one in swept.archive]
        for key in gone:
            self._away[key] = self._live.pop(key)
        return gone

    def questions(self, day: str, *, thinks: bool) -> list[int]:
        """As ``Shelf.questions``."""
        return [_key_of(id_) for id_ in self._reviews.asked(self._drift, day, thinks=thinks)]

    def answer(self, day: str, key: int, *, holds: bool) -> None:
        """As ``Shelf.answer``."""
        if key not in self._live:
            return
        entry = self.looked_up(key)
        self._reviews.waiting.discard(entry.id)
        self._due.pop(key, None)
        if holds:
            self._live[key] = replace(entry, updated=day, ignored=0)
        else:
            self._away[key] = self._live.pop(key)
            self._closed.add(key)

    def _day_due(self, key: int, activity: Activity, day: str) -> float:
        """The active day of its scope, counted from the first, on which an entry can fade at the earliest."""
        entry = self.looked_up(key)
        days = activity.days[slug_of(entry)]
        now, since = self._count(days, day), self._rest.since(entry, day)
        renewed = date.fromisoformat(since).toordinal() if self._rest.calendar else now - activity.since(entry.scope, since, day)
        lifetime = self._rest.days(entry) - SLACK
        if entry.encoding_strength >= self._constants.strong and retention.is_ignored(entry, self._constants):
            return now  # it drifts, whatever is left of it
        soonest = renewed + lifetime * min(1.0, self._constants.ignored_factor)
        if soonest > now:
            return soonest
        self._waiting.add(key)
        return renewed + lifetime

    def _count(self, days: Sequence[str], day: str) -> int:
        """Which day *day* is: of the calendar, or the how manieth of the active *days*."""
        return date.fromisoformat(day).toordinal() if self._rest.calendar else len(days)


def slug_of(entry: Entry) -> str:
    """The name under which the active days of an entry's scope are kept."""
    return entry.scope.removeprefix("project:")


def _key_of(id_: str) -> int:
    return int(id_.rpartition("-")[2])


def _said_again(entry: Entry, day: str) -> Entry:
    if entry.last_reinforced == day:
        return entry
    strength = min(1.0, round(entry.encoding_strength + REPETITION, 3))
    return replace(entry, reinforced=entry.reinforced + 1, last_reinforced=day, encoding_strength=strength)


def _shown_again(entry: Entry, day: str, count: Count) -> Entry:
    fired, helped, ignored = count
    return replace(
        entry, fired=entry.fired + fired, fired_helpful=entry.fired_helpful + helped, ignored=entry.ignored + ignored,
        last_surfaced=day, last_helpful=day if helped else entry.last_helpful,
    )  # fmt: skip


def _revived(entry: Entry, day: str) -> Entry:
    return replace(entry, updated=day, reinforced=entry.reinforced + 1, last_reinforced=day)


class LibraryShelf:
    """A real library in memory, written by the executor alone."""

    def __init__(self, policy: Policy, constants: Constants) -> None:
        """An empty library that forgets by *policy*."""
        self._policy, self._constants = policy, constants
        self.store = MemoryStore()
        self.library: Library = read_library(self.store)
        self.refused: list[str] = []
        self._chosen: Mapping[str, str] = {}
        self._drift: tuple[Fading, ...] = ()
        self._reviews = _Reviews()
        self._ids: dict[int, str] = {}
        self._keys: dict[str, int] = {}

    def live(self) -> set[int]:
        """As ``Shelf.live``."""
        return {self._keys[entry.id] for entry in self.library.entries.values() if entry.status == "active"}

    def archived(self) -> set[int]:
        """As ``Shelf.archived``."""
        return {self._keys[id_] for id_ in self.library.archived}

    def offers(self, key: int) -> bool:
        """As ``Shelf.offers``."""
        entry = self.library.archived.get(self._ids[key])
        return entry is not None and is_faded(self.library, entry)

    def say(self, day: str, said: Sequence[Said]) -> None:
        """As ``Shelf.say``, each remark a piece of the day's session, as the clerk would hand it over."""
        actions: list[Action] = []
        sources: dict[str, Piece] = {}
        live = self.live()
        for number, one in enumerate(said):
            piece = Piece(f"{day}/{self.library.number}/{number}", "user", one.memory.text, f"{day}T10:00:00Z", number)
            sources[piece.id] = piece
            actions += self._said(one, Cite(event=piece.id, quote=piece.text), corrects=one.instead_of in live)
            live = live - {one.instead_of} | {one.memory.key}
        self._do(actions, day, "clerk", sources)

    def _said(self, one: Said, cite: Cite, *, corrects: bool) -> list[Action]:
        memory = one.memory
        if one.again:
            id_ = self._ids.get(memory.key, "")
            if id_ in self.library.archived:
                return [Revive(entry=id_, evidence=(cite,))]
            return [Reinforce(entry=id_, evidence=(cite,))] if id_ else []
        folder, slug = place_of(memory)
        self._ids[memory.key] = f"{folder}/{slug}"
        self._keys[f"{folder}/{slug}"] = memory.key
        old = (self._ids[one.instead_of],) if corrects else ()
        return [
            Create(
                folder=folder, slug=slug, title=" ".join(memory.words[:4]), kind=memory.kind, rule=memory.text,  # type: ignore[arg-type]
                salience="contradicts" if corrects else "novel", evidence=(cite,), supersedes=old,
            )
        ]  # fmt: skip

    def retract(self, day: str, keys: Sequence[int]) -> None:
        """As ``Shelf.retract``."""
        self._do([Contradict(entry=self._ids[key]) for key in keys], day, "person")

    def count(self, day: str, shown: Mapping[int, Count]) -> None:
        """As ``Shelf.count``."""
        bumps = [
            Bump(
                entry=self._ids[key], fired=fired, helpful=helped, ignored=ignored, surfaced_on=day,
                helpful_on=day if helped else "",
            )
            for key, (fired, helped, ignored) in sorted(shown.items())
        ]  # fmt: skip
        self._do(bumps, day, "upkeep")

    def forget(self, day: str, activity: Activity) -> list[int]:
        """As ``Shelf.forget``."""
        entries = [entry for entry in self.library.entries.values() if entry.status == "active"]
        swept = retention.sweep(entries, activity, day, self._chosen, self._policy, self._constants)
        self._chosen, self._drift = swept.chosen, swept.drift
        self._do([Archive(entry=one.entry.id, reason="faded") for one in swept.archive], day, "upkeep")
        return [self._keys[one.entry.id] for one in swept.archive]

    def questions(self, day: str, *, thinks: bool) -> list[int]:
        """As ``Shelf.questions``."""
        return [self._keys[id_] for id_ in self._reviews.asked(self._drift, day, thinks=thinks)]

    def answer(self, day: str, key: int, *, holds: bool) -> None:
        """As ``Shelf.answer``."""
        id_ = self._ids[key]
        if id_ in self.library.entries and self.library.entries[id_].status == "active":
            self._reviews.waiting.discard(id_)
            self._do([Affirm(entry=id_) if holds else Archive(entry=id_, reason="true no more")], day, "person")

    def _do(self, actions: Sequence[Action], day: str, by: str, sources: Mapping[str, Piece] | None = None) -> None:
        if not actions:
            return
        now = datetime.fromisoformat(day).replace(hour=18, tzinfo=UTC).timestamp()
        session = f"{day}/{by}/{self.library.number}"
        receipt = execute(self.store, actions, now=now, by=by, session=session, sources=sources, library=self.library)
        self.refused += [refusal.reason for refusal in receipt.refused]
        self.library = read_library(self.store, self.library)
