"""Faded: what want of use alone put into the archive, and use brings back (pure)."""

from collections.abc import Iterable

from ultan.library import grounds as ground
from ultan.library.entry import Entry
from ultan.library.grounds import Grounds
from ultan.library.snapshot import Library


def is_faded(library: Library, entry: Entry) -> bool:
    """Whether *entry* lies in the archive for want of use and for no other reason.

    Not what a person put away or rejected since, what was corrected, what lies there under the id
    of a live entry, or what no operation made.
    """
    return (
        entry.faded
        and entry.shelved
        and entry.status == "stale"
        and not entry.superseded_by
        and entry.id not in library.entries
        and entry.path not in library.foreign
        and not ground.forbidden(entry.rule, entry.scope, Grounds(0), library.tombstones)
    )


def faded_entries(
    library: Library, project: str | None = None, today: str = "", among: Iterable[Entry] | None = None
) -> tuple[Entry, ...]:
    """The faded entries of *project* and global ones, ``None`` for all of them; without those past their day *today*.

    *among*: only these of the archive are looked at.
    """
    return tuple(
        entry
        for entry in (library.archived.values() if among is None else among)
        if (project is None or entry.project in ("", project))
        and not (today and entry.expires and entry.expires < today)
        and is_faded(library, entry)
    )
