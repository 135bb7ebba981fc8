"""Where everything lives on disk, with which permissions; the one module that writes.

No other module of Ultan opens a file for writing, renames or unlinks (a test
greps for it). Every durable write is: a temporary dot-file in the same folder,
a write loop that checks for short writes, ``fsync``, ``os.replace``, ``fsync``
of the folder. Files are 0600, folders 0700, whatever the umask.

What no hook does (sweep, clear, rotate the log, write another program's file)
stands in ``housekeeping``, on top of this.

Standard library only, and only what a hook can afford: no pathlib, no tempfile.
"""

import os
import sys
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

FOLDERS = (
    "knowledge", "queue", "queue/new", "queue/bad", "queue/dead", "nudges", "index",
    "sessions", "runs", "journal", "history", "pending", "running",
)  # fmt: skip
STARTED = ("woken", "served")  # below runs/: when a curator, and when a server, was last started
COUNTERS_BYTES = 4096
COUNTER_BYTES = 16  # eight ASCII digits' worth is plenty; sixteen keeps the page readable with `cat`
COUNTERS = (
    "dropped", "bad", "redacted", "timed_out", "oversized", "sensitive", "duplicate", "late", "silent",
    "index_unreadable", "transcript_gone", "refused_home", "disk", "denied", "advised", "primed", "failed", "unanswered",
)  # fmt: skip
TROUBLE_BYTES = 256 * 1024
COUNT_WAIT_S = 0.5
LOCK_STEP_S = 0.002
NOFOLLOW = getattr(os, "O_NOFOLLOW", 0)
CLOEXEC = getattr(os, "O_CLOEXEC", 0)
NONBLOCK = getattr(os, "O_NONBLOCK", 0)  # opening a pipe that somebody put in a file's place must not wait


# --- which home ---------------------------------------------------------------------------------


def default_root(environ: "Mapping[str, str]", platform: str = sys.platform) -> str:
    """The user data folder for Ultan, by the same rule as ``platformdirs.user_data_dir``."""
    return user_folder(environ, platform, "XDG_DATA_HOME", "share")


def user_folder(environ: "Mapping[str, str]", platform: str, variable: str, below: str) -> str:
    """A folder of Ultan's: by the XDG *variable*, else *below* ``~/.local``, and by the customs of other platforms."""
    user = environ.get("HOME") or os.path.expanduser("~")
    if platform == "darwin":
        return os.path.join(user, "Library", "Application Support", "ultan")
    if platform == "win32":
        base = environ.get("LOCALAPPDATA") or os.path.join(user, "AppData", "Local")
    else:
        base = environ.get(variable, "").strip() or os.path.join(user, ".local", below)
    return os.path.join(base, "ultan")


def locate(environ: "Mapping[str, str]", explicit: str = "") -> str:
    """The home: ``--home``, ``ULTAN_HOME``, ``AGENT_MEM_HOME``, an existing ``~/.agent-mem``, the platform's."""
    chosen = explicit or environ.get("ULTAN_HOME", "") or environ.get("AGENT_MEM_HOME", "")
    if chosen:
        return os.path.abspath(os.path.expanduser(chosen))
    user = environ.get("HOME") or os.path.expanduser("~")
    old = os.path.join(user, ".agent-mem")
    return old if os.path.isdir(old) else default_root(environ)


def refusal(root: str, project: str) -> str:
    """Why *root* may not serve as a home for somebody who stands in *project*, or ``""``."""
    real = os.path.realpath(root)
    for place in (project, _git_root(project)) if project else ():
        inside = os.path.realpath(place)
        if real == inside or real.startswith(inside.rstrip(os.sep) + os.sep):
            if inside in ("/", os.path.realpath(os.path.expanduser("~"))):
                continue  # a session started in the home folder or at the root is no project
            return f"the home {root} lies inside the project {place}"
    try:
        owner = os.stat(real).st_uid
    except OSError:
        return ""
    if hasattr(os, "getuid") and owner != os.getuid():
        return f"the home {root} belongs to another user"
    return ""


def _git_root(place: str) -> str:
    here = os.path.realpath(place)
    while here and not os.path.exists(os.path.join(here, ".git")):
        parent = os.path.dirname(here)
        if parent == here:
            return place
        here = parent
    return here


def ensure(root: str) -> str:
    """Make the home and its folders (0700) where they are missing, and return *root*."""
    for name in ("", *FOLDERS):
        path = os.path.join(root, name) if name else root
        if not os.path.isdir(path):
            make_folder(path)
    page = os.path.join(root, "counters")
    if not os.path.exists(page):
        create(page, b"\0" * COUNTERS_BYTES, durable=False)
    return root


# --- reading ------------------------------------------------------------------------------------


def read(path: str, limit: int = -1) -> bytes:
    """The bytes of a plain file, at most *limit*; symbolic links and devices are refused."""
    fd = os.open(path, os.O_RDONLY | NOFOLLOW | CLOEXEC | NONBLOCK)
    try:
        if (os.fstat(fd).st_mode & 0o170000) != 0o100000:
            raise OSError(22, "not a plain file", path)
        parts = []
        left = limit
        while left:
            part = os.read(fd, 1 << 20 if left < 0 else min(left, 1 << 20))
            if not part:
                break
            parts.append(part)
            if left > 0:
                left -= len(part)
        return b"".join(parts)
    finally:
        os.close(fd)


# --- writing ------------------------------------------------------------------------------------


def write(path: str, data: bytes, *, durable: bool = True, mode: int = 0o600) -> None:
    """Replace the file at *path* whole: readers see the old bytes or the new, never a part.

    With *durable* the bytes and the folder are on disk when this returns.
    """
    with _Temporary(path) as temporary:
        _fill(temporary, data, durable=durable)
        if mode != 0o600:
            os.chmod(temporary, mode)
        failpoint("replace")
        os.replace(temporary, path)
    if durable:
        sync_folder(os.path.dirname(path))


def create(path: str, data: bytes, *, durable: bool = True) -> bool:
    """Make a new file whole; ``False``, and nothing changed, if *path* exists already."""
    with _Temporary(path) as temporary:
        _fill(temporary, data, durable=durable)
        try:
            failpoint("link")
            os.link(temporary, path)
        except FileExistsError:
            return False
        except OSError:
            if os.path.lexists(path):  # a file system without hard links: the next best is a rename
                return False
            os.replace(temporary, path)
            return True
        finally:
            _discard(temporary)
    if durable:
        sync_folder(os.path.dirname(path))
    return True


def claim(path: str) -> bool:
    """Make an empty marker file; ``False`` if somebody made it before."""
    try:
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | NOFOLLOW | CLOEXEC, 0o600))
    except FileExistsError:
        return False
    return True


def append(path: str, data: bytes, *, durable: bool = False) -> None:
    """Add *data* at the end in one write; a short write is cut back and raised."""
    fd = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | NOFOLLOW | CLOEXEC | NONBLOCK, 0o600)
    try:
        failpoint("append")
        wrote = os.write(fd, data)
        if wrote != len(data):
            os.ftruncate(fd, os.fstat(fd).st_size - wrote)
            raise OSError(28, "short write", path)
        if durable:
            os.fsync(fd)
    finally:
        os.close(fd)


def move(source: str, target: str, *, durable: bool = True) -> None:
    """Rename a file or folder; folders are made as needed."""
    make_folder(os.path.dirname(target))
    failpoint("move")
    os.rename(source, target)
    if durable:
        sync_folder(os.path.dirname(target))
        if os.path.dirname(source) != os.path.dirname(target):
            sync_folder(os.path.dirname(source))


def remove(path: str, *, durable: bool = False) -> None:
    """Unlink a file that is ours to drop (queue, markers, temporary files); missing is fine."""
    failpoint("unlink")
    try:
        os.unlink(path)
    except FileNotFoundError:
        return
    if durable:
        sync_folder(os.path.dirname(path))


def make_folder(path: str) -> None:
    """Make a folder and its parents, 0700; what exists is left as it is."""
    if not path or os.path.isdir(path):
        return
    make_folder(os.path.dirname(path))
    try:
        os.mkdir(path, 0o700)
    except FileExistsError:
        return


def lock_file(path: str) -> int:
    """A descriptor of the permanent lock file at *path* (never unlinked), for ``flock``."""
    make_folder(os.path.dirname(path))
    return os.open(path, os.O_RDWR | os.O_CREAT | NOFOLLOW | CLOEXEC | NONBLOCK, 0o600)


def hold(fd: int, most_s: float) -> bool:
    """Whether the lock of *fd* could be had within *most_s* seconds: its holder may be stopped.

    ``True`` as well where there are no locks: then nobody holds any.
    """
    try:
        import fcntl  # noqa: PLC0415 -- not on Windows, and most hooks lock nothing
    except ImportError:
        return True
    end = time.monotonic() + most_s
    while True:
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() >= end:
                return False
            time.sleep(LOCK_STEP_S)
        except OSError:
            return True
        else:
            return True


def sync_file(path: str) -> None:
    """Put a file that was just renamed into place on disk, and with it its name.

    One commit of the journal instead of two: on ext4, XFS and btrfs the sync of a new file keeps
    the rename before it too. Until then a power cut may leave an empty file, never an old one.
    """
    failpoint("fsync")
    fd = os.open(path, os.O_RDONLY | NOFOLLOW | CLOEXEC | NONBLOCK)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)


def sync_folder(path: str) -> None:
    """Put a folder's entries on disk; file systems that cannot are left at that."""
    failpoint("sync_folder")
    try:
        fd = os.open(path or ".", os.O_RDONLY | CLOEXEC)
    except OSError:
        return
    try:
        os.fsync(fd)
    except OSError as error:
        if error.errno not in (22, 95):  # EINVAL, ENOTSUP: the file system has no such notion
            raise
    finally:
        os.close(fd)


class _Temporary:
    """A name beside *path* to write a file under first; what lies there is dropped if the block fails."""

    __slots__ = ("_name",)

    def __init__(self, path: str) -> None:
        folder, name = os.path.split(path)
        self._name = os.path.join(folder, f".{name[:80]}.{os.getpid():x}.{os.urandom(4).hex()}.tmp")

    def __enter__(self) -> str:
        return self._name

    def __exit__(self, failure: "type[BaseException] | None", *_where: object) -> None:
        if failure:
            _discard(self._name)


def _fill(path: str, data: bytes, *, durable: bool) -> None:
    failpoint("open")
    fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | NOFOLLOW | CLOEXEC, 0o600)
    try:
        view = memoryview(data)
        while view:
            failpoint("write")
            wrote = os.write(fd, view)
            if wrote <= 0:
                raise OSError(28, "short write", path)
            view = view[wrote:]
        if durable:
            failpoint("fsync")
            os.fsync(fd)
    finally:
        os.close(fd)


def _discard(path: str) -> None:
    try:
        os.unlink(path)
    except OSError:
        return


# --- what went wrong, without making it worse -----------------------------------------------------


def begin(root: str, what: str) -> str:
    """Note that this process begins *what*; the note, for ``end``, or ``""`` where none can be made.

    A process that the kernel ends (the hard stop, a kill, a power cut) cannot count itself: its note
    stays, and ``cut_off`` finds it.
    """
    note = os.path.join(root, "running", f"{what}.{os.getpid():x}.{time.monotonic_ns():x}")
    try:
        try:
            claim(note)
        except FileNotFoundError:
            os.mkdir(os.path.dirname(note), 0o700)  # a home made before there were notes; never the home itself
            claim(note)
    except OSError:
        return ""
    return note


def end(note: str) -> None:
    """The process that made *note* ends by itself; never raises."""
    if note:
        _discard(note)


def count(root: str, name: str, by: int = 1) -> None:
    """Add to a counter in the preallocated page; works on a full disk, never raises."""
    try:
        slot = COUNTERS.index(name) * COUNTER_BYTES
        fd = os.open(os.path.join(root, "counters"), os.O_RDWR | NOFOLLOW | CLOEXEC)
    except (ValueError, OSError):
        return
    try:
        if not hold(fd, COUNT_WAIT_S):
            return
        was = os.pread(fd, COUNTER_BYTES, slot).strip(b"\0 \n") or b"0"
        now = (int(was) if was.isdigit() else 0) + by
        os.pwrite(fd, str(now).rjust(COUNTER_BYTES - 1).encode() + b"\n", slot)
    except OSError:
        return
    finally:
        os.close(fd)


def trouble(root: str, line: str) -> None:
    """Note one line for ``doctor`` in ``trouble.jsonl``; bounded in size, never raises."""
    path = os.path.join(root, "trouble.jsonl")
    try:
        try:
            if os.stat(path).st_size > TROUBLE_BYTES:
                os.replace(path, path + ".1")
        except FileNotFoundError:
            pass
        text = line.encode("utf-8", "replace").replace(b"\n", b" ")[:2000]
        append(path, text + b"\n")
    except OSError:
        count(root, "disk")


def failpoint(name: str) -> None:
    """End the process here if ``ULTAN_FAILPOINT`` names this passage; otherwise nothing."""
    if os.environ.get("ULTAN_FAILPOINT"):
        from ultan.failpoints import passed  # noqa: PLC0415 -- no hook pays for what the crash suite needs

        passed(name)
