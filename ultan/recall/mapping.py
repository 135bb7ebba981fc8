"""A file of checked sections, as ``index`` tells of it: mapped, and read only where its checksums agree.

What is touched is checked, block by block and once: a query never pays for what it does not read, and
a torn block is never used.
"""

import mmap
import os
import sys
import zlib

from ultan import home
from ultan.errors import IndexUnreadable

try:  # the C half alone: a file fewer for a hook to find and load
    from _struct import Struct
except ImportError:
    from struct import Struct

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

MAGIC = b"ULTANIDX"
FORMAT = 1
ORDER = 1 if sys.byteorder == "little" else 2
HEADER = Struct("=8sIIQIIII")  # magic, format, order, length, sections, block crcs at, table crc, header crc
ROW = Struct("=8sQQIi")  # name, offset, length, crc32, unused
BLOCK = 4 * 1024
ITEMS = {
    "tdir": "I", "tkey": "Q", "toff": "I", "pdoc": "I", "pimp": "H", "noff": "I", "nterm": "I",
    "nsim": "B", "foff": "I", "fterm": "I", "fimp": "H", "dflag": "H", "dprior": "f", "dnext": "i", "ikey": "Q",
    "inum": "I", "coff": "I", "bdoc": "I", "gkey": "I", "goff": "I", "gtrig": "I", "galways": "I", "xoff": "I",
    "blocks": "I", "tvec": "b", "evec": "b", "meta": "B", "card": "B", "xtrig": "B",
}  # fmt: skip


def map_file(path: str) -> "mmap.mmap":
    """The file at *path*, mapped for reading; no symlink is followed.

    Raises:
        IndexUnreadable: it is missing, empty, or cannot be mapped.
    """
    try:
        fd = os.open(path, os.O_RDONLY | home.NOFOLLOW | home.CLOEXEC | home.NONBLOCK)
    except OSError as error:
        raise IndexUnreadable(f"there is no index at {path}: {error.strerror}") from None
    try:
        return mmap.mmap(fd, 0, access=mmap.ACCESS_READ)
    except (OSError, ValueError) as error:
        raise IndexUnreadable(f"{path} cannot be mapped: {error}") from None
    finally:
        os.close(fd)


class Sections:
    """The sections of a mapped file.

    Attributes:
        raw: the whole file; ``places`` offset, bytes and crc32 of each section by its name.

    Raises:
        IndexUnreadable: cut off, torn, foreign or newer.
    """

    __slots__ = ("_good", "_payload", "_views", "places", "raw")

    def __init__(self, mapped: "mmap.mmap | bytes") -> None:
        self.raw = memoryview(mapped)
        self.places: dict[str, tuple[int, int, int]] = {}
        self._views: dict[str, memoryview[Any]] = {}
        self._read_header()

    def _read_header(self) -> None:
        raw = self.raw
        if len(raw) < HEADER.size:
            raise IndexUnreadable("the index is cut off")
        magic, version, order, length, count, _, table_crc, header_crc = HEADER.unpack(raw[: HEADER.size])
        if magic != MAGIC:
            raise IndexUnreadable("this is no index of ours")
        if version != FORMAT or order != ORDER:
            raise IndexUnreadable(f"the index has format {version}; this version reads {FORMAT}")
        end = HEADER.size + count * ROW.size
        if (
            zlib.crc32(raw[: HEADER.size - 4]) != header_crc
            or length != len(raw)
            or end > length
            or zlib.crc32(raw[HEADER.size : end]) != table_crc
        ):
            raise IndexUnreadable("the index is torn")
        for at in range(HEADER.size, end, ROW.size):
            name, offset, size, crc, _ = ROW.unpack(raw[at : at + ROW.size])
            if offset + size > length:
                raise IndexUnreadable("the index is torn")
            self.places[name.rstrip(b"\0").decode("ascii", "replace")] = (offset, size, crc)
        if "blocks" not in self.places:
            raise IndexUnreadable("the index is torn")
        offset, size, crc = self.places["blocks"]
        self._payload = offset + size + (-(offset + size)) % 8
        if zlib.crc32(raw[offset : offset + size]) != crc:
            raise IndexUnreadable("the index is torn")
        self._good = bytearray(size // 4)

    def view(self, name: str) -> "memoryview[Any]":
        """All items of a section, unchecked: for its length, and for what ``checked`` was asked about."""
        view = self._views.get(name)
        if view is None:
            try:
                offset, size, _ = self.places[name]
            except KeyError:
                raise IndexUnreadable(f"the index lacks its {name}") from None
            view = self._views[name] = self.raw[offset : offset + size].cast(ITEMS[name])  # type: ignore[call-overload]
        return view

    def checked(self, name: str, start: int, end: int) -> "memoryview[Any]":
        """Items *start* to *end* (-1: all) of a section, after checking the blocks they lie in."""
        view = self._views.get(name) or self.view(name)
        if end < 0:
            end = len(view)
        if start >= end:
            return view[:0]
        width = view.itemsize
        at = self.places[name][0] - self._payload
        first, last = (at + start * width) // BLOCK, (at + end * width - 1) // BLOCK
        if first != last or not self._good[first]:  # a query asks a thousand times, mostly where it asked before
            self._check(first, last)
        return view[start:end]

    def _check(self, first: int, last: int) -> None:
        good, sums = self._good, self.view("blocks")
        for block in range(first, last + 1):
            if not good[block]:
                at = self._payload + block * BLOCK
                if zlib.crc32(self.raw[at : at + BLOCK]) != sums[block]:
                    raise IndexUnreadable("the index is torn")
                good[block] = 1

    def verify(self) -> None:
        """Check every section against its checksum; for ``check`` and ``doctor``.

        Raises:
            IndexUnreadable: names the first section that is damaged.
        """
        for name, (offset, size, crc) in self.places.items():
            if zlib.crc32(self.raw[offset : offset + size]) != crc:
                raise IndexUnreadable(f"the {name} of the index is torn")
        self._check(0, len(self._good) - 1)
