"""Port: what every store of a library promises, and which paths it may hold.

Paths are relative to ``knowledge/``; those that begin with ``@pending/`` lie in the home's
``pending/`` folder, so that a held suggestion and the entry it becomes change in one commit.
"""

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Protocol

from ultan.errors import LibraryMoved, OutsideLibrary
from ultan.library.operation import Change, Operation, digest

PENDING = "@pending/"
PATH_BYTES = 400  # a person's own names may be long; what we make is far shorter (R20)
Mark = tuple[int, int, int, int]


@dataclass(frozen=True, slots=True)
class Listing:
    """Every markdown file and held suggestion; and what was passed over, with the reason.

    Attributes:
        marks: path → size, times of change of bytes and of the file itself, and its number on the disk; only
            of files at rest: one changed in the last two seconds may change again within the same tick.
    """

    paths: tuple[str, ...]
    skipped: tuple[tuple[str, str], ...] = ()
    marks: Mapping[str, Mark] = field(default_factory=dict)


class Store(Protocol):
    """Where a library's bytes live."""

    def files(self) -> Listing:
        """Every path that can be read, sorted, and what was passed over."""

    def read(self, path: str) -> bytes | None:
        """The bytes at *path*, ``None`` if nothing is there.

        Raises:
            OutsideLibrary: the path leaves the library or passes through a link.
        """

    def past(self, digest: str) -> bytes:
        """The bytes of an earlier version.

        Raises:
            LibraryError: history does not have it.
        """

    def operations(self) -> list[Operation]:
        """Every operation, oldest first."""

    def commit(self, record: Operation, changes: Sequence[Change]) -> Operation:
        """Make *changes* together and log them; *record.number*, unless 0, must be the next one.

        Raises:
            LibraryMoved: a file is not as expected, or somebody committed meanwhile: plan again.
            LibraryBusy: the lock could not be had.
            StorageFailed: the disk said no; nothing happened, or the next opener finishes it.
        """

    def lock(self) -> AbstractContextManager[object]:
        """Keep every other writer away for some milliseconds; may be nested."""


@lru_cache(maxsize=1 << 15)
def checked_path(path: str) -> str:
    """*path* if it is one that may exist in a library.

    Raises:
        OutsideLibrary: absolute, with ``..``, control characters, back-slashes, or too long.
    """
    area, _, inner = path.partition("/") if path.startswith("@") else ("", "", path)
    parts = inner.split("/")
    if area not in ("", PENDING.rstrip("/")) or len(path.encode("utf-8", "surrogatepass")) > PATH_BYTES:
        raise OutsideLibrary(f"{path[:80]!r} is no path of a library")
    for part in parts:
        if (
            part in ("", ".", "..")
            or part.startswith(".")
            or part != part.strip()
            or part.endswith(".")
            or "\\" in part
            or ":" in part
            or not part.isprintable()
        ):
            raise OutsideLibrary(f"{path[:80]!r} is no path of a library")
    return path


def expect(store: Store, changes: Sequence[Change]) -> None:
    """Check that every file is as *changes* expect it (invariant 4).

    Raises:
        LibraryMoved: somebody else changed one.
    """
    for change in changes:
        if digest(store.read(change.path)) != change.before:
            raise LibraryMoved(f"{change.path} was changed by somebody else")
