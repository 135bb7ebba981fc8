"""Bytes on disk: list, read, commit all-or-nothing, recover; and a twin in memory.

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

Paths are relative to ``knowledge/``; those that begin with ``@pending/`` lie in the home's
``pending/`` folder, so that a held suggestion and the entry it becomes change in one commit.
"""

import errno
import hashlib
import json
import os
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import dataclass, field, fields, replace
from typing import Any, Protocol

from ultan import home
from ultan.errors import LibraryBusy, LibraryError, LibraryMoved, OutsideLibrary, StorageFailed

PENDING = "@pending/"
READ_LIMIT = 16 * 1024 * 1024
LOCK_WAIT_S = 20.0
PATH_BYTES = 400  # a person's own names may be long; what we make is far shorter (R20)
VERSION = 1
UNSETTLED_NS = 2_000_000_000  # the coarsest clock of a file system that is in use
Mark = tuple[int, int, int, int]


@dataclass(frozen=True, slots=True)
class Change:
    """One file before and after.

    Attributes:
        path: relative to the library.
        before: digest of the bytes it is expected to have, ``""`` if it must not exist.
        after: its new bytes, ``None`` to remove it.
        keep: whether both versions go into history; no for what can be derived again.
    """

    path: str
    before: str
    after: bytes | None
    keep: bool = True


@dataclass(frozen=True, slots=True)
class Changed:
    """What an operation did to one file, as digests; ``""`` where there is no file."""

    path: str
    before: str
    after: str
    keep: bool = True


@dataclass(frozen=True, slots=True)
class Tombstone:
    """A rule that a person rejected or undid: not learned again without new words."""

    scope: str
    rule: str
    pieces: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Operation:
    """One committed set of changes, as it stands in the operation log.

    Attributes:
        number: position in the log from 1; for ``undo``.
        id: number and the beginning of the digest.
        at: seconds since the epoch.
        by, why, session: who asked, for which reason, in which session.
        changes: what happened to files.
        actions: (verb, entry id, note) of what was applied.
        refusals: (verb, entry id or title, reason) of what was not.
        events: names of the events and uses it consumed; replaying them changes nothing.
        adopted: path → digest of files taken over as the person's.
        foreign: path → digest of files that an agent's own tools wrote.
        tombstones, lifted: rules not to be learned again, and those allowed again.
        undoes: number of the operation this one takes back, or 0.
        skipped: paths that somebody edited at the last moment; their edit won.
        prev, digest: the chain.
    """

    number: int = 0
    id: str = ""
    at: float = 0.0
    by: str = ""
    why: str = ""
    session: str = ""
    changes: tuple[Changed, ...] = ()
    actions: tuple[tuple[str, str, str], ...] = ()
    refusals: tuple[tuple[str, str, str], ...] = ()
    events: tuple[str, ...] = ()
    adopted: Mapping[str, str] = field(default_factory=dict)
    foreign: Mapping[str, str] = field(default_factory=dict)
    tombstones: tuple[Tombstone, ...] = ()
    lifted: tuple[Tombstone, ...] = ()
    undoes: int = 0
    skipped: tuple[str, ...] = ()
    prev: str = ""
    digest: str = ""

    def encode(self) -> str:
        """One line of JSON."""
        return json.dumps(self._plain(), ensure_ascii=False, separators=(",", ":"), sort_keys=True)

    def sealed(self) -> str:
        """The digest that this record must carry."""
        plain = self._plain()
        del plain["digest"], plain["id"]
        text = json.dumps(plain, ensure_ascii=False, separators=(",", ":"), sort_keys=True)
        return digest(text.encode("utf-8", "surrogatepass"))

    def _plain(self) -> dict[str, Any]:
        plain: dict[str, Any] = {"v": VERSION}
        for each in fields(self):
            value = getattr(self, each.name)
            if each.name == "changes":
                value = [[c.path, c.before, c.after, int(c.keep)] for c in self.changes]
            elif each.name in ("tombstones", "lifted"):
                value = [[t.scope, t.rule, list(t.pieces)] for t in value]
            elif isinstance(value, tuple):
                value = [list(item) if isinstance(item, tuple) else item for item in value]
            elif isinstance(value, Mapping):
                value = dict(value)
            plain[each.name] = value
        return plain


def decode(line: str) -> Operation:
    """The operation in one line of the log.

    Raises:
        ValueError: torn, foreign or newer.
    """
    plain = json.loads(line)
    if not isinstance(plain, dict) or plain.pop("v", None) != VERSION:
        raise ValueError("not an operation of this version")
    try:
        plain["changes"] = tuple(Changed(c[0], c[1], c[2], bool(c[3])) for c in plain["changes"])
        for name in ("tombstones", "lifted"):
            plain[name] = tuple(Tombstone(t[0], t[1], tuple(t[2])) for t in plain[name])
        for name in ("actions", "refusals"):
            plain[name] = tuple((str(a[0]), str(a[1]), str(a[2])) for a in plain[name])
        for name in ("events", "skipped"):
            plain[name] = tuple(plain[name])
        return Operation(**plain)
    except (KeyError, IndexError, TypeError) as error:
        raise ValueError(f"not an operation: {error}") from None


@dataclass(frozen=True, slots=True)
class Listing:
    """Every markdown file and held suggestion; and what was passed over, with the reason.

    Attributes:
        marks: path → size, times of change of bytes and of the file itself, and its number on the disk; only
            of files at rest: one changed in the last ``UNSETTLED_NS`` may change again within the same tick.
    """

    paths: tuple[str, ...]
    skipped: tuple[tuple[str, str], ...] = ()
    marks: Mapping[str, "Mark"] = field(default_factory=dict)


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


def digest(data: bytes | None) -> str:
    """The SHA-256 of *data* in hex; ``""`` for no file."""
    return "" if data is None else hashlib.sha256(data).hexdigest()


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


def numbered(record: Operation, changes: Sequence[Change], before: Operation | None) -> Operation:
    """*record* with its number, its changes and its place in the chain after *before*.

    Raises:
        LibraryMoved: it was planned for another number.
    """
    number = before.number + 1 if before else 1
    if record.number not in (0, number):
        raise LibraryMoved(f"operation {number - 1} was committed meanwhile")
    changed = tuple(Changed(c.path, c.before, digest(c.after), c.keep) for c in changes)
    return replace(record, number=number, changes=changed, prev=before.digest if before else "")


def seal(operation: Operation) -> Operation:
    """*operation* with its digest and id."""
    mark = operation.sealed()
    return replace(operation, digest=mark, id=f"{operation.number:06d}-{mark[:8]}")


class MemoryStore:
    """A library without a disk: for tests, dry runs and the tour."""

    def __init__(self, files: Mapping[str, str | bytes] | None = None) -> None:
        """Begin with *files*, path → text."""
        self._files = {
            checked_path(path): text.encode() if isinstance(text, str) else text
            for path, text in (files or {}).items()
        }
        self._history: dict[str, bytes] = {}
        self._log: list[Operation] = []
        self._lock = threading.RLock()

    def files(self) -> Listing:
        """As ``Store.files``."""
        return Listing(tuple(sorted(self._files)))

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
            _expect(self, changes)
            for change in changes:
                was = self._files.get(change.path)
                for data in (was, change.after):
                    if change.keep and data is not None:
                        self._history[digest(data)] = data
                if change.after is None:
                    self._files.pop(change.path, None)
                else:
                    self._files[change.path] = change.after
            self._log.append(seal(operation))
            return self._log[-1]

    def lock(self) -> AbstractContextManager[object]:
        """As ``Store.lock``."""
        return self._lock

    def edit(self, path: str, text: str | None) -> None:
        """What a person's editor does: change a file behind the library's back."""
        if text is None:
            self._files.pop(path, None)
        else:
            self._files[path] = text.encode()


def _expect(store: Store, changes: Sequence[Change]) -> None:
    for change in changes:
        if digest(store.read(change.path)) != change.before:
            raise LibraryMoved(f"{change.path} was changed by somebody else")


class FileStore:
    """The library under ``<home>/knowledge``, with journal, history and operation log beside it."""

    def __init__(self, root: str, *, recover: bool = True, clock: Callable[[], int] = time.time_ns) -> None:
        """Open the library of the home *root*; finish what a crash left, unless *recover* is off.

        *clock* gives the nanoseconds since the epoch, against which files are found to be at rest.
        """
        self._clock = clock
        self.root = os.path.realpath(root)
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
        paths: dict[str, Mark] = {}
        skipped: list[tuple[str, str]] = []
        settled = self._clock() - UNSETTLED_NS
        for area, folder in (("", "knowledge"), (PENDING, "pending")):
            try:
                fd = os.open(os.path.join(self.root, folder), _FOLDER_FLAGS)
            except (FileNotFoundError, NotADirectoryError):
                continue
            except OSError as error:
                raise StorageFailed(f"{folder} cannot be read: {error.strerror}") from None
            self._walk(fd, area, paths, skipped)
        marks = {path: mark for path, mark in paths.items() if mark[1] < settled and mark[2] < settled}
        return Listing(tuple(sorted(paths)), tuple(sorted(skipped)), marks)

    def _walk(self, fd: int, prefix: str, paths: dict[str, Mark], skipped: list[tuple[str, str]]) -> None:
        """Collect below the open folder *fd* and close it."""
        ends = ".json" if prefix == PENDING else ".md"
        try:
            with os.scandir(fd) as entries:
                found = sorted(entries, key=lambda each: each.name)
            for each in found:
                path = prefix + each.name
                if each.name.startswith("."):
                    continue
                if each.is_symlink():
                    skipped.append((path, "a symbolic link; links are not followed"))
                elif each.is_dir(follow_symlinks=False):
                    try:
                        inner = os.open(each.name, _FOLDER_FLAGS, dir_fd=fd)
                    except OSError as error:
                        _passing(error)
                        skipped.append((path, f"a folder that cannot be read: {error.strerror}"))
                        continue
                    self._walk(inner, path + "/", paths, skipped)
                elif each.name.endswith(ends):
                    state = each.stat(follow_symlinks=False)
                    reason = _oddity(path, state)
                    if reason:
                        skipped.append((path, reason))
                    else:
                        paths[path] = (state.st_size, state.st_mtime_ns, state.st_ctime_ns, state.st_ino)
        except OSError as error:
            _passing(error)
            skipped.append((prefix, f"a folder that cannot be read: {error.strerror}"))
        finally:
            os.close(fd)

    def read(self, path: str) -> bytes | None:
        """As ``Store.read``."""
        try:
            with self._anchored(path, make=False) as anchored:
                data = home.read(anchored, READ_LIMIT)
        except (FileNotFoundError, NotADirectoryError):
            return None
        except OSError as error:
            if error.errno in (errno.ELOOP, errno.EMLINK):
                raise OutsideLibrary(f"{path} is a symbolic link; links are not followed") from None
            if error.errno == errno.EINVAL:
                raise OutsideLibrary(f"{path} is no plain file") from None
            _passing(error)
            raise LibraryError(f"{path} cannot be read: {error.strerror}") from None
        return data

    def past(self, digest: str) -> bytes:
        """As ``Store.past``."""
        if len(digest) == 64 and set(digest) <= set("0123456789abcdef"):
            try:
                data = home.read(os.path.join(self.root, "history", digest))
            except OSError as error:
                _passing(error)
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

    # --- paths ----------------------------------------------------------------------------------

    @contextmanager
    def _anchored(self, path: str, *, make: bool) -> Iterator[str]:
        """A path for the operating system that no swapped link can lead astray (invariant 5).

        Where the system allows it the folder is opened part by part without following links and
        the file is named below that open folder; elsewhere every part is looked at first.
        """
        checked_path(path)
        inner = path.removeprefix(PENDING)
        *folders, name = inner.split("/")
        here = os.path.join(self.root, "knowledge" if inner == path else "pending")
        if make:
            home.make_folder(here)
        if not _ANCHORS:  # pragma: no cover -- Windows and macOS
            for part in folders:
                here = os.path.join(here, part)
                if make:
                    home.make_folder(here)
                if os.path.islink(here):
                    raise OutsideLibrary(f"{path} passes through a symbolic link")
            yield os.path.join(here, name)
            return
        fd = _top(here, make=make)
        try:
            for part in folders:
                if make:
                    home.make_folder(f"{_ANCHORS}/{fd}/{part}")
                try:
                    below = os.open(part, _FOLDER_FLAGS, dir_fd=fd)
                except OSError as error:
                    if error.errno in (errno.ELOOP, errno.ENOTDIR) and _is_link(part, fd):
                        raise OutsideLibrary(f"{path} passes through a symbolic link") from None
                    raise
                os.close(fd)
                fd = below
            yield f"{_ANCHORS}/{fd}/{name}"
        finally:
            os.close(fd)

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
                _expect(self, changes)
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
        home.clear_folder(draft)
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
        home.clear_folder(place)
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
            with self._anchored(change.path, make=False) as anchored:
                home.remove(anchored, durable=True)
            self._prune(change.path)
            return True
        if change.keep:
            try:
                data = self.past(change.after)
            except LibraryError:
                data = b""
        if digest(data) != change.after:
            return False
        with self._anchored(change.path, make=True) as anchored:
            home.write(anchored, data, durable=change.keep)
        return True

    def _settle(self, operation: Operation) -> None:
        """Put the derived text of *operation* on disk, before the journal that could write it again goes."""
        for change in operation.changes:
            if change.after and not change.keep and change.path not in operation.skipped:
                with suppress(FileNotFoundError, NotADirectoryError, OutsideLibrary), self._anchored(change.path, make=False) as anchored:
                    home.sync_file(anchored)

    def _prune(self, path: str) -> None:
        """Remove the folders that became empty; the top ones stay."""
        parts = path.split("/")[:-1]
        while len(parts) > 1 and not path.startswith("@"):
            with self._anchored("/".join(parts), make=False) as anchored:
                home.remove_folder(anchored)
            parts.pop()

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
                home.clear_folder(place)
            else:
                try:
                    operation = decode(home.read(os.path.join(place, "operation.json")).decode().partition("\n")[0])
                except (OSError, ValueError):
                    home.clear_folder(place)  # logged already: its record was the first to go
                else:
                    self._finish(place, operation)


_FOLDER_FLAGS = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0) | home.NOFOLLOW | home.CLOEXEC
_ANCHORS = "/proc/self/fd" if os.path.isdir("/proc/self/fd") and os.open in os.supports_dir_fd else ""


def _top(path: str, *, make: bool) -> int:
    """The open folder at *path*; one that cannot be had when something is to be made is no obstacle to pass over."""
    try:
        return os.open(path, _FOLDER_FLAGS)
    except OSError as error:
        if make:
            raise StorageFailed(f"{path} cannot be written: {error.strerror}") from None
        raise


def _passing(error: OSError) -> None:
    """Raise what is no fault of one file: too many open files, no memory. Else the file is passed over."""
    if error.errno in (errno.EMFILE, errno.ENFILE, errno.ENOMEM):
        raise StorageFailed(f"the library cannot be read now: {error.strerror}") from None


def _is_link(name: str, fd: int) -> bool:
    try:
        return (os.lstat(name, dir_fd=fd).st_mode & 0o170000) == 0o120000
    except OSError:
        return False


def _oddity(path: str, state: os.stat_result) -> str:
    if (state.st_mode & 0o170000) != 0o100000:
        return "no plain file"
    if state.st_nlink > 1:
        return "a file with several names (hard links)"
    try:
        checked_path(path)
    except OutsideLibrary:
        return "a name that no library may hold"
    return ""
