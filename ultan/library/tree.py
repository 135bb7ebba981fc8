"""Tree: the files of a library on disk, listed and opened so that no link leads outside (invariant 5)."""

import errno
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from ultan import home, housekeeping
from ultan.errors import LibraryError, OutsideLibrary, StorageFailed
from ultan.library.port import PENDING, Listing, Mark, checked_path

READ_LIMIT = 16 * 1024 * 1024
UNSETTLED_NS = 2_000_000_000  # the coarsest clock of a file system that is in use
_FOLDER_FLAGS = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0) | home.NOFOLLOW | home.CLOEXEC
_ANCHORS = "/proc/self/fd" if os.path.isdir("/proc/self/fd") and os.open in os.supports_dir_fd else ""


class Tree:
    """The folders ``knowledge`` and ``pending`` below the home *root*."""

    def __init__(self, root: str, clock: Callable[[], int] = time.time_ns) -> None:
        """Look below *root*; *clock* gives the nanoseconds by which a file is found to be at rest."""
        self._root = root
        self._clock = clock

    def files(self) -> Listing:
        """As ``Store.files``."""
        paths: dict[str, Mark] = {}
        skipped: list[tuple[str, str]] = []
        settled = self._clock() - UNSETTLED_NS
        for area, folder in (("", "knowledge"), (PENDING, "pending")):
            try:
                fd = os.open(os.path.join(self._root, folder), _FOLDER_FLAGS)
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
                        pass_over(error)
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
            pass_over(error)
            skipped.append((prefix, f"a folder that cannot be read: {error.strerror}"))
        finally:
            os.close(fd)

    def read(self, path: str) -> bytes | None:
        """As ``Store.read``."""
        try:
            with self.anchored(path, make=False) as anchored:
                data = home.read(anchored, READ_LIMIT)
        except (FileNotFoundError, NotADirectoryError):
            return None
        except OSError as error:
            if error.errno in (errno.ELOOP, errno.EMLINK):
                raise OutsideLibrary(f"{path} is a symbolic link; links are not followed") from None
            if error.errno == errno.EINVAL:
                raise OutsideLibrary(f"{path} is no plain file") from None
            pass_over(error)
            raise LibraryError(f"{path} cannot be read: {error.strerror}") from None
        return data

    @contextmanager
    def anchored(self, path: str, *, make: bool) -> Iterator[str]:
        """A path for the operating system that no swapped link can lead astray (invariant 5).

        Where the system allows it the folder is opened part by part without following links and
        the file is named below that open folder; elsewhere every part is looked at first.
        """
        checked_path(path)
        inner = path.removeprefix(PENDING)
        *folders, name = inner.split("/")
        here = os.path.join(self._root, "knowledge" if inner == path else "pending")
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

    def prune(self, path: str) -> None:
        """Remove the folders that became empty; the top ones stay."""
        parts = path.split("/")[:-1]
        while len(parts) > 1 and not path.startswith("@"):
            with self.anchored("/".join(parts), make=False) as anchored:
                housekeeping.remove_folder(anchored)
            parts.pop()


def _top(path: str, *, make: bool) -> int:
    """The open folder at *path*; one that cannot be had when something is to be made is no obstacle to pass over."""
    try:
        return os.open(path, _FOLDER_FLAGS)
    except OSError as error:
        if make:
            raise StorageFailed(f"{path} cannot be written: {error.strerror}") from None
        raise


def pass_over(error: OSError) -> None:
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
