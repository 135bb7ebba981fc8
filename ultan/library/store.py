"""Bytes on disk: list, read, commit all-or-nothing, recover.

The invariants of the library; each has a test that cites its number.

1.  A commit is one journal folder; renaming it into place is the commit point: before,
    nothing happened; after, the next opener finishes it.
2.  Recovery is idempotent and may itself crash.
3.  A reader never sees half a file.
4.  A change names the digest it expects; a file that is neither *before* nor *after* is the
    user's and is never overwritten: plan again.
5.  No path leaves the root, no symlink is followed.
6.  An index generation names the library it was compiled from (``recall/compile.py``).
7.  An operation names the events it used; replay changes nothing.
8.  The library lock is held for milliseconds, never across a model call.
9.  Nothing is deleted: what is overwritten or moved away stays in ``history/`` by its digest.
10. A reflex exits 0 whatever happens (``reflex/``).
"""

import hashlib
import json
import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from typing import Any

from ultan import home, housekeeping
from ultan.errors import LibraryBusy, LibraryError, OutsideLibrary, StorageFailed
from ultan.library.operation import Change, Changed, Operation, decode, digest, numbered, seal
from ultan.library.port import Listing, checked_path, expect
from ultan.library.tree import Tree, pass_over

LOCK_WAIT_S = 20.0


class FileStore:
    """The library under ``<home>/knowledge``, with journal, history and operation log beside it."""

    def __init__(self, root: str, *, recover: bool = True, clock: Callable[[], int] = time.time_ns) -> None:
        """Open the library of the home *root*; finish what a crash left, unless *recover* is off.

        *clock* gives the nanoseconds since the epoch, against which files are found to be at rest.
        """
        self.root = os.path.realpath(root)
        self._tree = Tree(self.root, clock)
        self._journal = os.path.join(self.root, "journal")
        self._log = os.path.join(self._journal, "operations.jsonl")
        self._seen: tuple[tuple[int, int, int], list[Operation]] | None = None
        self._held: Any = None
        self._depth = 0
        try:
            if recover and self._leftovers():
                with self.lock():
                    self._recover()
        except (LibraryError, StorageFailed, OSError):
            return  # somebody is at it, or the disk is read-only: reading goes on

    # --- reading ------------------------------------------------------------------------------

    def files(self) -> Listing:
        """As ``Store.files``."""
        return self._tree.files()

    def read(self, path: str) -> bytes | None:
        """As ``Store.read``."""
        return self._tree.read(path)

    def past(self, digest: str) -> bytes:
        """As ``Store.past``."""
        if len(digest) == 64 and set(digest) <= set("0123456789abcdef"):
            try:
                data = home.read(os.path.join(self.root, "history", digest))
            except OSError as error:
                pass_over(error)
                data = None
            if data is not None and hashlib.sha256(data).hexdigest() == digest:
                return data
        raise LibraryError(f"history has no version {digest[:12]}")

    def operations(self) -> list[Operation]:
        """As ``Store.operations``; lines that cannot be read are passed over (``check`` names them)."""
        try:
            state = os.stat(self._log)
            mark = (state.st_ino, state.st_size, state.st_mtime_ns)
            fresh = self._seen is None or self._seen[0] != mark
            raw = home.read(self._log) if fresh else b""
        except FileNotFoundError:
            return []
        except OSError as error:
            raise StorageFailed(f"the operation log cannot be read: {error.strerror}") from None
        if self._seen is None or fresh:
            found = []
            for line in raw.decode("utf-8", "replace").split("\n"):
                try:
                    found.append(decode(line))
                except ValueError:
                    continue
            self._seen = (mark, found)
        return list(self._seen[1])

    # --- writing --------------------------------------------------------------------------------

    @contextmanager
    def lock(self) -> Iterator[object]:
        """As ``Store.lock``; a file system without real locks is refused."""
        if self._depth:
            self._depth += 1
            try:
                yield self._held
            finally:
                self._depth -= 1
            return
        import filelock  # noqa: PLC0415 -- 40 ms, and readers never lock

        home.make_folder(self.root)
        held = filelock.FileLock(
            os.path.join(self.root, "library.lock"), timeout=LOCK_WAIT_S, mode=0o600, poll_interval=0.005,
            fallback_to_soft=False, preserve_lock_file=True,
        )  # fmt: skip
        try:
            held.acquire()
        except filelock.Timeout:
            raise LibraryBusy("another process has been writing the library for too long") from None
        except NotImplementedError:
            raise StorageFailed(f"the file system of {self.root} has no real locks") from None
        except OSError as error:
            raise StorageFailed(f"{self.root} cannot be written: {error.strerror}") from None
        self._held, self._depth = held, 1
        try:
            yield held
        finally:
            self._depth, self._held = 0, None
            held.release()

    def commit(self, record: Operation, changes: Sequence[Change]) -> Operation:
        """As ``Store.commit``."""
        for change in changes:
            checked_path(change.path)
        try:
            with self.lock():
                if self._leftovers():
                    self._recover()
                log = self.operations()
                operation = numbered(record, changes, log[-1] if log else None)
                expect(self, changes)
                self._prepare(operation, changes)
                return self._finish(os.path.join(self._journal, f"{operation.number:08d}"), operation)
        except OSError as error:
            raise StorageFailed(f"the library cannot be written: {error.strerror or error}") from error

    def _prepare(self, operation: Operation, changes: Sequence[Change]) -> None:
        """Put everything needed to finish into the journal; the rename at the end is the commit point."""
        for change in changes:
            if change.keep:
                for data in (self.read(change.path), change.after):
                    self._remember(data)
        place = os.path.join(self._journal, f"{operation.number:08d}")
        draft = place + ".tmp"
        housekeeping.clear_folder(draft)
        home.make_folder(draft)
        derived = {c.path: c.after.decode("utf-8", "surrogateescape") for c in changes if not c.keep and c.after is not None}
        lines = f"{operation.encode()}\n{json.dumps(derived)}\n"
        home.write(os.path.join(draft, "operation.json"), lines.encode("utf-8", "replace"))
        home.move(draft, place)

    def _remember(self, data: bytes | None) -> None:
        if data is not None:
            path = os.path.join(self.root, "history", digest(data))
            if not os.path.exists(path):
                home.make_folder(os.path.dirname(path))
                home.create(path, data)

    def _finish(self, place: str, operation: Operation) -> Operation:
        """Make the journalled changes, log the operation, drop the journal folder (invariants 1, 2)."""
        derived = json.loads(home.read(os.path.join(place, "operation.json")).partition(b"\n")[2] or b"{}")
        skipped = [change.path for change in operation.changes if not self._apply(change, derived)]
        operation = seal(replace(operation, skipped=tuple(skipped)))
        self._settle(operation)
        log = self.operations()
        if not log or log[-1].number < operation.number:
            home.append(self._log, operation.encode().encode("utf-8", "replace") + b"\n", durable=True)
        else:
            operation = log[-1]
        housekeeping.clear_folder(place)
        return operation

    def _apply(self, change: Changed, derived: Mapping[str, str]) -> bool:
        """Whether *change* is true now; ``False`` where the file is the user's (invariant 4).

        So is a link, a folder or a device that lies where the file would: it must not hold up every later commit.
        """
        try:
            return self._make_true(change, derived)
        except (OutsideLibrary, NotADirectoryError, IsADirectoryError):
            return False

    def _make_true(self, change: Changed, derived: Mapping[str, str]) -> bool:
        """As ``_apply``. Text in *derived* is not in history; ``_settle`` puts it on disk, all of it at once."""
        current = self.read(change.path)
        now = digest(current)
        if now == change.after:
            return True
        data = derived.get(change.path, "").encode("utf-8", "surrogateescape")
        is_torn = not change.keep and current is not None and data.startswith(current.rstrip(b"\0"))
        if now != change.before and not is_torn:
            return False
        if not change.after:
            with self._tree.anchored(change.path, make=False) as anchored:
                home.remove(anchored, durable=True)
            self._tree.prune(change.path)
            return True
        if change.keep:
            try:
                data = self.past(change.after)
            except LibraryError:
                data = b""
        if digest(data) != change.after:
            return False
        with self._tree.anchored(change.path, make=True) as anchored:
            home.write(anchored, data, durable=change.keep)
        return True

    def _settle(self, operation: Operation) -> None:
        """Put the derived text of *operation* on disk, before the journal that could write it again goes."""
        for change in operation.changes:
            if change.after and not change.keep and change.path not in operation.skipped:
                with suppress(FileNotFoundError, NotADirectoryError, OutsideLibrary), self._tree.anchored(change.path, make=False) as anchored:
                    home.sync_file(anchored)

    # --- recovery -------------------------------------------------------------------------------

    def _leftovers(self) -> list[str]:
        """Names of the journal folders that a crash left, and the log itself if its tail is torn."""
        try:
            names = sorted(os.listdir(self._journal))
        except FileNotFoundError:
            return []
        found = [name for name in names if name.removesuffix(".tmp").isdigit()]
        found += [name for name in names if name.startswith(".") and name.endswith(".tmp")]
        if "operations.jsonl" in names and self._is_torn():
            found.append("operations.jsonl")
        return found

    def _is_torn(self) -> bool:
        with open(self._log, "rb", opener=lambda path, flags: os.open(path, flags | home.NOFOLLOW | home.NONBLOCK)) as file:
            size = file.seek(0, os.SEEK_END)
            file.seek(max(0, size - 1))
            return file.read(1) not in (b"", b"\n")

    def _recover(self) -> None:
        """Finish what was committed, drop what was not; under the lock."""
        for name in sorted(self._leftovers(), key=lambda each: each != "operations.jsonl"):
            place = os.path.join(self._journal, name)
            if name == "operations.jsonl":
                whole = home.read(place)
                home.write(place, whole[: whole.rfind(b"\n") + 1])
            elif name.startswith("."):
                home.remove(place)
            elif name.endswith(".tmp"):
                housekeeping.clear_folder(place)
            else:
                try:
                    operation = decode(home.read(os.path.join(place, "operation.json")).decode().partition("\n")[0])
                except (OSError, ValueError):
                    housekeeping.clear_folder(place)  # logged already: its record was the first to go
                else:
                    self._finish(place, operation)
