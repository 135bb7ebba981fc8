"""Export: the library as it is, in one file, to keep or to take elsewhere."""

import io
import json
import os
import zipfile
from dataclasses import dataclass

from ultan import home
from ultan.errors import UltanError, UsageError
from ultan.library.entry import Entry
from ultan.library.snapshot import Library
from ultan.library.store import FileStore

FORMATS = ("zip", "json", "md")
STAMP = (1980, 1, 1, 0, 0, 0)  # the same library gives the same bytes


@dataclass(frozen=True, slots=True)
class Exported:
    """Where the library went, and how many entries of it."""

    path: str
    format: str
    entries: int


def export(library: Library, store: FileStore, target: str, *, replaces: bool = False) -> Exported:
    """The library written to *target*: ``.zip`` (every file as it is), ``.json`` or ``.md`` (one document).

    Raises:
        UsageError: another ending, or a folder that is not there.
        UltanError: the file exists, and *replaces* is not said.
    """
    kind = target.rpartition(".")[2].lower()
    if kind not in FORMATS:
        raise UsageError(f"{target} ends in none of .zip, .json, .md", "ultan export memory.zip")
    if not os.path.isdir(os.path.dirname(os.path.abspath(target))):
        raise UsageError(f"there is no folder {os.path.dirname(os.path.abspath(target))}", "make it first, or choose another place")
    entries = [*library.entries.values(), *library.archived.values()]
    match kind:
        case "zip":
            data = _zipped(store)
        case "json":
            data = _document(entries)
        case _:
            data = "\n\n---\n\n".join(f"# {entry.title}\n\n{entry.body.strip()}" for entry in entries).encode()
    place = os.path.abspath(target)
    if replaces:
        home.write(place, data)
    elif not home.create(place, data):
        raise UltanError(f"{target} exists", "say --replace, or choose another name")
    return Exported(place, kind, len(entries))


def _zipped(store: FileStore) -> bytes:
    whole = io.BytesIO()
    with zipfile.ZipFile(whole, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in sorted(store.files().paths):
            raw = store.read(path)
            if raw is not None and not path.startswith("@"):
                archive.writestr(zipfile.ZipInfo(f"knowledge/{path}", STAMP), raw)
    return whole.getvalue()


def _document(entries: list[Entry]) -> bytes:
    rows = [{"id": entry.id, "path": entry.path, "title": entry.title, "text": entry.raw} for entry in entries]
    return json.dumps({"ultan": 1, "entries": rows}, ensure_ascii=False, indent=1).encode() + b"\n"
