"""List: the library's entries by folder."""

from dataclasses import dataclass

from ultan.library import citations
from ultan.library.snapshot import Library
from ultan.verbs.search import Wish


@dataclass(frozen=True, slots=True)
class Row:
    """One entry of a listing.

    Attributes:
        unverified: paths it cites that its project does not have any more.
        waits: no operation made it and nobody adopted it: it counts for nothing.
    """

    id: str
    title: str
    kind: str
    scope: str
    trust: str
    updated: str
    status: str
    pinned: bool
    unverified: tuple[str, ...] = ()
    waits: bool = False


@dataclass(frozen=True, slots=True)
class Listing:
    """Entries by id, and what could not be read."""

    rows: tuple[Row, ...]
    unreadable: tuple[tuple[str, str], ...]


def list_(library: Library, wish: Wish, root: str = "") -> Listing:
    """Every entry *wish* admits, by id; archived ones instead where it asks for them.

    With the home *root* it is looked whether cited paths are still there.
    """
    folders = citations.folders(root) if root else {}
    foreign = set(library.foreign)
    entries = library.archived if wish.archived else library.entries
    rows = tuple(
        Row(
            entry.id, entry.title, entry.kind, entry.scope, entry.trust, entry.updated, entry.status, entry.pinned,
            citations.unverified(folders, entry), entry.path in foreign,
        )
        for _, entry in sorted(entries.items())
        if wish.admits(entry)
    )
    return Listing(rows, tuple(library.unreadable))
