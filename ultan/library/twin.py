"""A library without a disk: the twin of the store on one, under the same contract suite."""

import threading
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from itertools import count

from ultan.errors import LibraryError
from ultan.library.operation import Change, Operation, digest, numbered, seal
from ultan.library.port import Listing, Mark, checked_path, expect


class MemoryStore:
    """A library without a disk: for tests, dry runs and the tour."""

    def __init__(self, files: Mapping[str, str | bytes] | None = None) -> None:
        """Begin with *files*, path → text."""
        self._files = {
            checked_path(path): text.encode() if isinstance(text, str) else text
            for path, text in (files or {}).items()
        }
        self._marks = {path: _mark() for path in self._files}
        self._history: dict[str, bytes] = {}
        self._log: list[Operation] = []
        self._lock = threading.RLock()

    def files(self) -> Listing:
        """As ``Store.files``."""
        return Listing(tuple(sorted(self._files)), marks=dict(self._marks))

    def read(self, path: str) -> bytes | None:
        """As ``Store.read``."""
        return self._files.get(checked_path(path))

    def past(self, digest: str) -> bytes:
        """As ``Store.past``."""
        if digest not in self._history:
            raise LibraryError(f"history has no version {digest[:12]}")
        return self._history[digest]

    def operations(self) -> list[Operation]:
        """As ``Store.operations``."""
        return list(self._log)

    def commit(self, record: Operation, changes: Sequence[Change]) -> Operation:
        """As ``Store.commit``."""
        with self._lock:
            operation = numbered(record, changes, self._log[-1] if self._log else None)
            expect(self, changes)
            for change in changes:
                was = self._files.get(change.path)
                for data in (was, change.after):
                    if change.keep and data is not None:
                        self._history[digest(data)] = data
                self._put(change.path, change.after)
            self._log.append(seal(operation))
            return self._log[-1]

    def lock(self) -> AbstractContextManager[object]:
        """As ``Store.lock``."""
        return self._lock

    def edit(self, path: str, text: str | None) -> None:
        """What a person's editor does: change a file behind the library's back."""
        self._put(path, None if text is None else text.encode())

    def _put(self, path: str, data: bytes | None) -> None:
        if data is None:
            self._files.pop(path, None)
            self._marks.pop(path, None)
        else:
            self._files[path] = data
            self._marks[path] = _mark()


_written = count(1)


def _mark() -> Mark:
    """What no other writing of any file in memory has, as a disk's times and numbers."""
    return (next(_written), 0, 0, 0)
