"""Review: what was held back for a person, with its source and words; and files no operation made."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pydantic import ValidationError

from ultan.errors import LibraryError, NoSuchEntry
from ultan.library import executor
from ultan.library.actions import Action, Adopt, Affirm, Archive, Confirm
from ultan.library.held import Pending, pending
from ultan.library.snapshot import Library
from ultan.library.store import FileStore
from ultan.verbs.desk import Desk, unfit


@dataclass(frozen=True, slots=True)
class Held:
    """A suggestion that waits for a person.

    Attributes:
        source: origin of the words it cites; ``quote`` the words.
        reason: why it was not simply written.
    """

    number: int
    verb: str
    title: str
    rule: str
    source: str
    quote: str
    reason: str


@dataclass(frozen=True, slots=True)
class Waiting:
    """Everything that waits for a person: suggestions, files to adopt, entries not yet confirmed."""

    held: tuple[Held, ...]
    foreign: tuple[str, ...]
    unconfirmed: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Decided:
    """What a person decided, and what came of it."""

    did: str
    what: tuple[str, ...]
    number: int
    refused: tuple[str, ...] = ()


def review(store: FileStore, library: Library) -> Waiting:
    """What waits for a person."""
    held = tuple(_held(item, library) for item in pending(store))
    unconfirmed = tuple(sorted(entry.id for entry in library.entries.values() if entry.trust in ("observed", "assistant")))
    return Waiting(held, tuple(library.foreign), unconfirmed)


def approve(desk: Desk, number: int, edits: Mapping[str, str] | None = None) -> Decided:
    """The held suggestion *number*, written with the trust of a person's confirmation.

    *edits* are fields of it (title, rule, why, how, folder) that the person says better.

    Raises:
        UsageError: it has no such field, or the value does not fit.
    """
    wanted = {name: value for name, value in (edits or {}).items() if value}
    action = None
    if wanted:
        item = next((item for item in pending(desk.store) if item.number == number), None)
        if item is None:
            raise NoSuchEntry(f"no suggestion {number} waits for review", "`ultan review` lists them")
        try:
            action = type(item.action).model_validate({**item.action.model_dump(), **wanted})
        except ValidationError as error:
            raise unfit(error) from None
    return _decided(desk, "approved", executor.approve(desk.store, number, desk.now, action))


def reject(desk: Desk, number: int) -> Decided:
    """The held suggestion *number*, dropped, and not learned again without new words."""
    return _decided(desk, "rejected", executor.reject(desk.store, number, desk.now))


def confirm(desk: Desk, name: str) -> Decided:
    """The entry called *name*, vouched for by a person."""
    return _decided(desk, "confirmed", desk.execute([Confirm(entry=desk.library.find(name).id)]))


def adopt(desk: Desk, paths: Sequence[str]) -> Decided:
    """Files that no operation made, taken over as the person's; without *paths* all of them.

    Raises:
        NoSuchEntry: a path is not among them.
    """
    foreign = desk.library.foreign
    for path in paths:
        if path not in foreign:
            raise NoSuchEntry(f"{path} waits for no adoption", "`ultan review` lists the files that do")
    wanted = tuple(paths) or tuple(foreign)
    if not wanted:
        return Decided("adopted", (), 0)
    return _decided(desk, "adopted", desk.execute([Adopt(path=path) for path in wanted]))


def revoke(desk: Desk, *, source: str = "", session: str = "") -> Decided:
    """Every entry that descends from *source* or *session*, put away, with what was merged or abstracted from it."""
    library = desk.library
    tainted = {
        entry.id for entry in library.entries.values()
        if any((source and cite.origin == source) or (session and cite.session == session) for cite in entry.evidence)
        or (source and entry.source == source)
    }  # fmt: skip
    grown = True
    while grown:
        heirs = {
            entry.id for entry in library.entries.values()
            if entry.id not in tainted and (set(entry.supersedes) & tainted or _children(entry.id, library) & tainted)
        }  # fmt: skip
        tainted |= heirs
        grown = bool(heirs)
    if not tainted:
        return Decided("revoked", (), 0)
    reason = f"revoked: {source or session}"
    actions: list[Action] = [Archive(entry=name, reason=reason) for name in sorted(tainted)]
    return _decided(desk, "revoked", desk.execute(actions, why=reason))


def _children(name: str, library: Library) -> set[str]:
    entry = library.entries[name]
    return set(entry.links) if entry.kind == "abstraction" else set()


def _decided(desk: Desk, did: str, receipt: executor.Receipt) -> Decided:
    refused = tuple(refusal.reason for refusal in receipt.refused)
    if refused and not receipt.applied:
        raise LibraryError(refused[0])
    desk.compile()
    return Decided(did, tuple(name for _, name, _ in receipt.applied), receipt.number, refused)


def _held(item: Pending, library: Library) -> Held:
    action = item.action
    rule = getattr(action, "rule", "") or ""
    if isinstance(action, Affirm) and not rule and action.entry in library.entries:
        rule = library.entries[action.entry].rule
    return Held(
        item.number, action.verb, getattr(action, "title", "") or getattr(action, "entry", ""), rule, item.source,
        item.quote, item.why,
    )  # fmt: skip
