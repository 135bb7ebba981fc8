"""Condense: what is old, unused and long is told in fewer words, and in full again once it is used."""

from collections.abc import Sequence
from dataclasses import dataclass

from ultan.errors import LibraryError
from ultan.library import condense as words
from ultan.library import retention, upkeep
from ultan.library.actions import Action, Condense
from ultan.library.activity import read_activity
from ultan.library.body import with_related
from ultan.library.entry import Entry, parse
from ultan.library.snapshot import Library
from ultan.verbs.desk import Desk
from ultan.verbs.standing import policy_of, unverified

MOST_A_RUN = 20


@dataclass(frozen=True, slots=True)
class Shortened:
    """One entry that is told in fewer words, or in full again; *says* is how it begins then."""

    id: str
    level: int
    chars_before: int
    chars: int
    says: str


@dataclass(frozen=True, slots=True)
class Report:
    """What a run did, or would do.

    Attributes:
        shortened: told in fewer words; ``restored`` in full again, because they were used.
        unverified: (entry, path) of what is cited and gone, among all live entries.
        operation: number for ``undo``; 0 if nothing was written.
    """

    shortened: tuple[Shortened, ...] = ()
    restored: tuple[Shortened, ...] = ()
    unverified: tuple[tuple[str, str], ...] = ()
    operation: int = 0
    is_dry_run: bool = False


def condense(desk: Desk, *, dry_run: bool = False) -> Report:
    """What became of old, unused, long entries in the home of *desk*; the whole texts stay in history."""
    library = desk.library
    live = _live(library)
    activity, today, policy = read_activity(desk.root), upkeep.day(desk.now), policy_of(desk.settings)
    back = _used_again(desk, live)
    restored = {action.entry for action in back}
    standing = [retention.fading(entry, activity, today, policy) for entry in live if entry.id not in restored]
    fewer: list[Condense] = []
    for one in sorted(standing, key=lambda one: (one.retention, one.entry.id)):
        level = words.due(one)
        body = words.shorter(one.entry.body, level) if level else one.entry.body
        if len(body) < len(one.entry.body) and len(fewer) < MOST_A_RUN:
            before = words.told(one.entry)
            original = before.original if before else library.digests[one.entry.path]
            fewer.append(Condense(entry=one.entry.id, body=body, level=level, original=original))
    number = 0
    if not dry_run and (back or fewer):
        actions: list[Action] = [*back, *fewer]
        number = desk.execute(actions, by="upkeep", why="old, unused and long; or used again").number
    gone = tuple((entry.id, path) for entry in live for path in unverified(desk.root, entry))
    return Report(_shown(fewer, library), _shown(back, library), gone, number, dry_run)


def restore_used(desk: Desk, library: Library) -> int:
    """The number of the operation that told used entries of *library* in full again; 0 if there was none to tell."""
    back = _used_again(desk, _live(library))
    return desk.execute(back, by="upkeep", why="used again").number if back else 0


def _live(library: Library) -> list[Entry]:
    foreign = set(library.foreign)
    return [entry for entry in library.entries.values() if entry.status == "active" and entry.path not in foreign]


def _used_again(desk: Desk, live: Sequence[Entry]) -> list[Condense]:
    """Condensed entries that were used since, with their whole text; a text that somebody changed stays."""
    found = []
    for entry in live:
        now = words.told(entry)
        if now is None or not words.is_used(entry, now):
            continue
        try:
            full = parse(desk.store.past(now.original).decode("utf-8"), entry.path)
        except (LibraryError, OSError, UnicodeDecodeError):
            continue  # history was tidied by hand: the short text is all there is
        body = full.body
        for target in entry.links:
            body = body if target in full.links else with_related(body, target)
        found.append(Condense(entry=entry.id, body=body, level=0))
    return found


def _shown(actions: Sequence[Condense], library: Library) -> tuple[Shortened, ...]:
    return tuple(
        Shortened(action.entry, action.level, len(library.entries[action.entry].body), len(action.body), action.body.split("\n")[0])
        for action in actions
    )
