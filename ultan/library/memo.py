"""The last snapshot of a large library, kept beside the index, so that unchanged files need not be read.

A file counts as unchanged if its size, both of its times and its number on the disk are those it had
when it was read, and it had been at rest then (``port.Listing.marks``): the time at which the file
itself last changed cannot be set back by any program. ``check`` trusts none of this and reads all.
The kept file is disposable: torn, of another version of the code, or of another format, it is as good
as missing.
"""

import functools
import marshal
import os
import weakref
import zlib
from collections.abc import Mapping
from dataclasses import fields
from typing import TYPE_CHECKING, Any, NamedTuple

from ultan import home
from ultan.library.entry import Entry, Evidence, Trigger
from ultan.library.port import Mark, Store
from ultan.library.store import FileStore

if TYPE_CHECKING:
    from ultan.library.snapshot import Library

KEPT_FROM = 300  # entries; a smaller library is read anew as fast
SPARE = 48  # files read anew beyond which a new snapshot is worth its writing

_FIELDS = tuple(each.name for each in fields(Entry))
_BODY, _RAW, _TRIGGERS, _EVIDENCE = (_FIELDS.index(name) for name in ("body", "raw", "triggers", "evidence"))
_on_disk: dict[str, dict[str, Mark]] = {}  # home → marks in its kept snapshot, as far as this process knows
_latest: "weakref.WeakKeyDictionary[FileStore, Library]" = weakref.WeakKeyDictionary()


def path_of(root: str) -> str:
    """Where the snapshot of the home *root* is kept."""
    return os.path.join(root, "index", "snapshot")


class Remembered(NamedTuple):
    """Files as they were last read: entries, digests and marks by path."""

    entries: Mapping[str, Entry]
    digests: Mapping[str, str]
    marks: Mapping[str, Mark]


NOTHING = Remembered({}, {}, {})


def of(library: "Library") -> Remembered:
    """What *library* remembers of its files."""
    entries = {entry.path: entry for pool in (library.entries, library.archived) for entry in pool.values()}
    return Remembered(entries, library.digests, library.marks)


def remembered(store: Store) -> Remembered:
    """The files of *store* as they were last read: in this process, else by whoever kept them; else none."""
    if not isinstance(store, FileStore):
        return NOTHING
    if store in _latest:
        return of(_latest[store])
    rows = _read(store.root)
    return Remembered(
        {path: _entry(values) for path, (_, _, values) in rows.items()},
        {path: digest for path, (_, digest, _) in rows.items()}, {path: mark for path, (mark, _, _) in rows.items()},
    )  # fmt: skip


def note(store: Store, library: "Library") -> None:
    """Remember *library* for the next reading of *store* in this process."""
    if isinstance(store, FileStore):
        _latest[store] = library


def keep(root: str, library: "Library") -> None:
    """Keep *library* for the next process, if it is large and what is kept is no longer of much use."""
    if len(library.entries) < KEPT_FROM:
        return
    if root not in _on_disk:
        _read(root)
    on_disk = _on_disk[root]
    wanted = of(library).entries
    fresh = sum(on_disk.get(path) != mark for path, mark in library.marks.items() if path in wanted)
    if fresh <= SPARE and len(on_disk) <= len(wanted) + SPARE:
        return
    body = marshal.dumps({
        path: (library.marks[path], library.digests[path], _values(entry))
        for path, entry in wanted.items() if path in library.marks
    })  # fmt: skip
    home.make_folder(os.path.dirname(path_of(root)))
    home.write(path_of(root), _front() + zlib.crc32(body).to_bytes(4, "big") + body, durable=False)
    _on_disk[root] = {path: mark for path, mark in library.marks.items() if path in wanted}


def forget(root: str) -> None:
    """Drop what is kept, as after a purge: it holds every word of every entry."""
    home.remove(path_of(root))


def _read(root: str) -> dict[str, tuple[Mark, str, tuple[Any, ...]]]:
    rows = _loaded(root)
    _on_disk[root] = {path: values[0] for path, values in rows.items()}
    return rows


def _loaded(root: str) -> dict[str, tuple[Mark, str, tuple[Any, ...]]]:
    try:
        raw = home.read(path_of(root))
    except OSError:
        return {}
    front = _front()
    body = memoryview(raw)[len(front) + 4 :]
    if not raw.startswith(front) or raw[len(front) : len(front) + 4] != zlib.crc32(body).to_bytes(4, "big"):
        return {}
    try:
        found = marshal.loads(body)  # noqa: S302 -- our own file, in a folder of the user alone, its checksum right
    except (ValueError, EOFError, TypeError):
        return {}
    return found if isinstance(found, dict) else {}


def _values(entry: Entry) -> tuple[Any, ...]:
    """*entry* as plain values; a body that ends the text is told by its length."""
    values = [getattr(entry, name) for name in _FIELDS]
    values[_TRIGGERS] = tuple((one.tool, one.pattern, one.field, one.files, one.unless, one.severity) for one in entry.triggers)
    values[_EVIDENCE] = tuple((one.session, one.turn, one.quote, one.origin) for one in entry.evidence)
    if entry.body and entry.raw.endswith(entry.body):
        values[_BODY] = len(entry.body)
    return tuple(dict(value) if name == "extra" else value for name, value in zip(_FIELDS, values, strict=True))


def _entry(values: tuple[Any, ...]) -> Entry:
    found = list(values)
    if isinstance(found[_BODY], int):
        found[_BODY] = found[_RAW][-found[_BODY] :]
    found[_TRIGGERS] = tuple([Trigger(*one) for one in found[_TRIGGERS]])
    found[_EVIDENCE] = tuple([Evidence(*one) for one in found[_EVIDENCE]])
    return Entry(*found)


def _front() -> bytes:
    """The first line of the kept file: entries read by other rules than today's are none."""
    return b"ultan snapshot 1 %08x\n" % rules("library")


@functools.cache
def rules(*rooms: str) -> int:
    """A checksum of the sources in *rooms* of the package: what was made by others is made anew."""
    package = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    crc = 0
    for room in rooms:
        folder = os.path.join(package, room)
        for name in sorted(name for name in os.listdir(folder) if name.endswith(".py")):
            crc = zlib.crc32(home.read(os.path.join(folder, name)), zlib.crc32(name.encode(), crc))
    return crc
