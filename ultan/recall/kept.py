"""What a model made of texts, kept in one file beside the index, found by the digest of the text.

A file begins with a line that names whose rows it holds; rows of another encoder are never read.
Rows are only ever added at the end, so that one new entry costs one row; when most of them are of
texts long gone the file is written anew. It is mapped, not read: what no question touches stays on
the disk. Each row carries its checksum, verified when the row is first used; whatever is torn
counts as missing and is made again.
"""

import hashlib
import mmap
import os
import struct
import zlib
from collections.abc import Collection, Mapping

from ultan import home

DIGEST_BYTES = 16
ROW = struct.Struct("=4s16sII")  # mark, digest, length, crc32
MARK = b"\x89row"
SPARE = 1000  # rows of texts long gone that are not worth a rewrite


def digest_of(text: str) -> bytes:
    """The name of a text."""
    return hashlib.blake2b(text.encode("utf-8", "replace"), digest_size=DIGEST_BYTES).digest()


class Kept:
    """Rows by digest; with an empty *path* they live in memory alone."""

    def __init__(self, path: str, owner: str) -> None:
        """Open the file at *path*, if it holds rows of *owner*; a file of somebody else is replaced at the first ``add``."""
        self.path = path
        self._head = f"ultan kept 1 {owner}\n".encode()
        self._places: dict[bytes, tuple[int, int, int]] = {}  # where a row lies, its length, its checksum
        self._fresh: dict[bytes, bytes] = {}
        self._mapped: mmap.mmap | bytes = b""
        self._is_whole = False
        if path:
            self._open()

    def __contains__(self, digest: bytes) -> bool:
        """Whether a row is there, whole or not."""
        return digest in self._places or digest in self._fresh

    def __len__(self) -> int:
        return len(self._places.keys() | self._fresh.keys())

    def get(self, digest: bytes) -> "memoryview | None":
        """The row of a text; None if it is missing, or torn: then it is forgotten."""
        fresh = self._fresh.get(digest)
        if fresh is not None:
            return memoryview(fresh)
        place = self._places.get(digest)
        if place is None:
            return None
        start, length, crc = place
        row = memoryview(self._mapped)[start : start + length]
        if zlib.crc32(row) != crc:
            del self._places[digest]
            self._is_whole = False
            return None
        return row

    def add(self, rows: Mapping[bytes, bytes]) -> None:
        """Keep *rows*.

        Raises:
            OSError: the disk is full or may not be written; the rows are there until the process ends.
        """
        self._fresh.update(rows)
        if not self.path or not rows:
            return
        if self._is_whole:
            home.append(self.path, b"".join(_framed(digest, row) for digest, row in rows.items()))
        else:
            self._rewrite(self._places.keys() | self._fresh.keys())

    def tidy(self, wanted: Collection[bytes]) -> None:
        """Drop the rows of texts that are not *wanted*, if they are the most part.

        Raises:
            OSError: the disk is full or may not be written; nothing is lost then.
        """
        if self.path and len(self) > 2 * len(set(wanted)) + SPARE:
            self._rewrite(set(wanted))

    def rest(self) -> None:
        """Let go of the memory that reading took; the next row is read from the disk, or what the system keeps of it."""
        if isinstance(self._mapped, mmap.mmap) and hasattr(mmap, "MADV_DONTNEED"):
            self._mapped.madvise(mmap.MADV_DONTNEED)

    def _open(self) -> None:
        try:
            fd = os.open(self.path, os.O_RDONLY | home.NOFOLLOW | home.CLOEXEC | home.NONBLOCK)
        except OSError:
            return
        try:
            self._mapped = mmap.mmap(fd, 0, access=mmap.ACCESS_READ)
        except (OSError, ValueError):
            return
        finally:
            os.close(fd)
        if self._mapped[: len(self._head)] != self._head:
            self._mapped = b""
            return
        at, end = len(self._head), len(self._mapped)
        while at + ROW.size <= end:
            mark, digest, length, crc = ROW.unpack_from(self._mapped, at)
            at += ROW.size
            if mark != MARK or at + length > end:
                return  # torn: what stands before it is used, the file written anew with the next row
            self._places[digest] = (at, length, crc)
            at += length
        self._is_whole = at == end

    def _rewrite(self, digests: Collection[bytes]) -> None:
        rows = {digest: bytes(row) for digest in sorted(digests) if (row := self.get(digest)) is not None}
        home.make_folder(os.path.dirname(self.path))
        home.write(self.path, self._head + b"".join(_framed(digest, row) for digest, row in rows.items()), durable=False)
        self._places, self._fresh, self._mapped, self._is_whole = {}, {}, b"", False
        self._open()


def _framed(digest: bytes, row: bytes) -> bytes:
    return ROW.pack(MARK, digest, len(row), zlib.crc32(row)) + row
