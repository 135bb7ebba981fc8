"""Show: one entry with its neighbourhood, and the versions that came before."""

from collections.abc import Sequence
from dataclasses import dataclass

from ultan import spool
from ultan.events import Event
from ultan.library.entry import Entry
from ultan.library.snapshot import Library
from ultan.library.store import FileStore


@dataclass(frozen=True, slots=True)
class Version:
    """One operation that touched an entry."""

    number: int
    at: float
    by: str
    why: str


@dataclass(frozen=True, slots=True)
class Shown:
    """An entry and what stands around it, in one read."""

    entry: Entry
    text: str
    siblings: tuple[str, ...]
    subfolders: tuple[str, ...]
    readme: str
    links: tuple[str, ...]
    linked_from: tuple[str, ...]
    history: tuple[Version, ...] = ()


@dataclass(frozen=True, slots=True)
class Related:
    """Entries around one, each with why it is here, nearest first."""

    entry: str
    rows: tuple[tuple[str, str, str], ...]


def show(library: Library, name: str, *, store: FileStore | None = None) -> Shown:
    """The entry called *name* with siblings, subfolders, parent README and links both ways.

    With *store* its history too.

    Raises:
        NoSuchEntry: nothing, or more than one entry, has that name.
    """
    entry = library.find(name)
    around = library.neighbourhood(entry.id)
    return Shown(
        entry, entry.raw, tuple(other.id for other in around.siblings), around.subfolders, around.readme,
        around.links, around.links_back, _history(store, entry) if store else (),
    )  # fmt: skip


def related(library: Library, name: str) -> Related:
    """What stands beside the entry called *name*: links both ways, what it replaced, siblings."""
    shown = show(library, name)
    entry = shown.entry
    reasons: dict[str, str] = {}
    for ids, reason in (
        (shown.links, "linked"), (shown.linked_from, "links here"), (entry.supersedes, "replaced by this"),
        ((entry.superseded_by,) if entry.superseded_by else (), "replaces this"), (shown.siblings, "same folder"),
    ):  # fmt: skip
        for other in ids:
            reasons.setdefault(other, reason)
    known = {**library.archived, **library.entries}
    return Related(
        entry.id, tuple((other, known[other].title, why) for other, why in reasons.items() if other in known)
    )


def fetched(root: str, ids: Sequence[str], *, session: str, now: float) -> None:
    """Queue that the agent of *session* opened the entries *ids*: half a proof of use."""
    event = Event(spool.new_id(now), now, "fetched", client="claude-code", session=session, data={"ids": list(ids)})
    spool.put(root, event)


def _history(store: FileStore, entry: Entry) -> tuple[Version, ...]:
    path = entry.path
    return tuple(
        Version(operation.number, operation.at, operation.by, operation.why)
        for operation in store.operations()
        if any(change.path == path for change in operation.changes)
    )
