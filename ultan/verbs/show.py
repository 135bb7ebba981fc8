"""Show: one entry with its neighbourhood, and the versions that came before."""

from collections.abc import Sequence
from dataclasses import dataclass

from ultan import spool
from ultan.events import Event
from ultan.library.entry import Entry
from ultan.library.operation import Operation
from ultan.library.snapshot import Library
from ultan.library.store import FileStore
from ultan.settings import Settings
from ultan.verbs.standing import Link, Standing, chain, standing


@dataclass(frozen=True, slots=True)
class Version:
    """One operation that touched an entry."""

    number: int
    at: float
    by: str
    why: str


@dataclass(frozen=True, slots=True)
class Shown:
    """An entry and what stands around it, in one read.

    Attributes:
        standing: how strong it is and how much is left today; ``None`` if nobody asked.
        chain: what it corrected and what corrected it, oldest first; empty if nothing.
        history: the operations that touched it, oldest first; only if asked for.
    """

    entry: Entry
    text: str
    siblings: tuple[str, ...]
    subfolders: tuple[str, ...]
    readme: str
    links: tuple[str, ...]
    linked_from: tuple[str, ...]
    history: tuple[Version, ...] = ()
    standing: Standing | None = None
    chain: tuple[Link, ...] = ()


@dataclass(frozen=True, slots=True)
class Today:
    """What an entry's standing is computed from: the home, its settings, and the time."""

    root: str
    settings: Settings
    now: float


@dataclass(frozen=True, slots=True)
class Related:
    """Entries around one, each with why it is here, nearest first."""

    entry: str
    rows: tuple[tuple[str, str, str], ...]


def show(
    library: Library, name: str, *, store: FileStore | None = None, today: Today | None = None, history: bool = True
) -> Shown:
    """The entry called *name* with siblings, subfolders, parent README and links both ways.

    With *store* its history too, and the chain of corrections it stands in, unless *history* is
    false; with *today* how strong it is.

    Raises:
        NoSuchEntry: nothing, or more than one entry, has that name.
    """
    entry = library.find(name)
    around = library.neighbourhood(entry.id)
    operations = store.operations() if store else []
    return Shown(
        entry, entry.raw, tuple(other.id for other in around.siblings), around.subfolders, around.readme,
        around.links, around.links_back, _history(operations, entry) if history else (),
        standing(today.root, today.settings, today.now, entry, operations) if today else None,
        chain(library, entry) if store and history else (),
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


def _history(operations: Sequence[Operation], entry: Entry) -> tuple[Version, ...]:
    path = entry.path
    return tuple(
        Version(operation.number, operation.at, operation.by, operation.why)
        for operation in operations
        if any(change.path == path for change in operation.changes)
    )
