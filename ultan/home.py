"""Where everything lives on disk, with which permissions; the one module that writes.

No other module of Ultan opens a file for writing, renames or unlinks (a test
greps for it). Every durable write is: a temporary dot-file in the same folder,
a write loop that checks for short writes, ``fsync``, ``os.replace``, ``fsync``
of the folder. Files are 0600, folders 0700, whatever the umask.

``ULTAN_FAILPOINT=name@n:kill`` (or ``:raise``) ends the process at the *n*-th
passage of a named point, so that the crash suite can stop at every side effect.

Standard library only, and only what a hook can afford: no pathlib, no tempfile.
"""

import os
import sys
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

FOLDERS = (
    "knowledge", "queue", "queue/new", "queue/bad", "queue/dead", "nudges", "index",
    "sessions", "runs", "journal", "history", "pending", "running",
)  # fmt: skip
COUNTERS_BYTES = 4096
COUNTER_BYTES = 16  # eight ASCII digits' worth is plenty; sixteen keeps the page readable with `cat`
COUNTERS = (
    "dropped", "bad", "redacted", "timed_out", "oversized", "sensitive", "duplicate", "late", "silent",
    "index_unreadable", "transcript_gone", "refused_home", "disk", "denied", "advised", "primed", "failed", "unanswered",
)  # fmt: skip
TROUBLE_BYTES = 256 * 1024
LOG_BYTES = 5 << 20
COUNT_WAIT_S = 0.5
LOCK_STEP_S = 0.002
CUT_OFF_S = 60.0  # no hook lives as long
REFUSAL_S = 60.0  # a note of a refusal is written at most as often
REFUSAL_BYTES = 8192
NOFOLLOW = getattr(os, "O_NOFOLLOW", 0)
CLOEXEC = getattr(os, "O_CLOEXEC", 0)
NONBLOCK = getattr(os, "O_NONBLOCK", 0)  # opening a pipe that somebody put in a file's place must not wait


# --- which home ---------------------------------------------------------------------------------


def default_root(environ: "Mapping[str, str]", platform: str = sys.platform) -> str:
    """The user data folder for Ultan, by the same rule as ``platformdirs.user_data_dir``."""
    user = environ.get("HOME") or os.path.expanduser("~")
    if platform == "darwin":
        return os.path.join(user, "Library", "Application Support", "ultan")
    if platform == "win32":
        base = environ.get("LOCALAPPDATA") or os.path.join(user, "AppData", "Local")
        return os.path.join(base, "ultan")
    base = environ.get("XDG_DATA_HOME", "").strip() or os.path.join(user, ".local", "share")
    return os.path.join(base, "ultan")


def state_folder(environ: "Mapping[str, str]", platform: str = sys.platform) -> str:
    """The user state folder, where the homes ever made are noted (``homes``, one path a line)."""
    user = environ.get("HOME") or os.path.expanduser("~")
    if platform == "darwin":
        return os.path.join(user, "Library", "Application Support", "ultan")
    if platform == "win32":
        base = environ.get("LOCALAPPDATA") or os.path.join(user, "AppData", "Local")
        return os.path.join(base, "ultan")
    base = environ.get("XDG_STATE_HOME", "").strip() or os.path.join(user, ".local", "state")
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


def is_withdrawn(root: str, environ: "Mapping[str, str]") -> bool:
    """Whether *root* was a home once and was deleted by its owner: then hooks stay silent."""
    if os.path.isdir(root):
        return False
    noted = os.path.join(state_folder(environ), "homes")
    try:
        return root in read(noted).decode("utf-8", "replace").splitlines()
    except OSError:
        return False


def ensure(root: str, environ: "Mapping[str, str] | None" = None) -> str:
    """Make the home and its folders (0700) where they are missing, note it, and return *root*."""
    for name in ("", *FOLDERS):
        path = os.path.join(root, name) if name else root
        if not os.path.isdir(path):
            make_folder(path)
    page = os.path.join(root, "counters")
    if not os.path.exists(page):
        create(page, b"\0" * COUNTERS_BYTES, durable=False)
    if environ is not None:
        note_home(root, environ)
    return root


def note_home(root: str, environ: "Mapping[str, str]") -> None:
    """Remember in the state folder that *root* is a home, so that its deletion is respected."""
    folder = state_folder(environ)
    noted = os.path.join(folder, "homes")
    try:
        known = read(noted).decode("utf-8", "replace").splitlines()
    except OSError:
        known = []
    if root not in known:
        make_folder(folder)
        append(noted, (root + "\n").encode("utf-8", "surrogateescape"))


def note_refusal(environ: "Mapping[str, str]", now: float, why: str) -> None:
    """Remember in the state folder that a hook was turned away, for there may be no home to note it in; never raises."""
    noted = os.path.join(state_folder(environ), "refused")
    last = refused(environ)
    if last and last[1] == why and 0 <= now - last[0] < REFUSAL_S:
        return
    try:
        make_folder(os.path.dirname(noted))
        write(noted, f"{now:.0f} {why}".encode("utf-8", "surrogateescape"), durable=False)
    except OSError:
        return


def refused(environ: "Mapping[str, str]") -> "tuple[float, str] | None":
    """When a hook was last turned away, and why."""
    try:
        raw = read(os.path.join(state_folder(environ), "refused"), REFUSAL_BYTES)
    except OSError:
        return None
    at, _, why = raw.decode("utf-8", "replace").partition(" ")
    return (float(at), why) if at.isdecimal() and why else None


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


def write(path: str, data: bytes, *, durable: bool = True) -> None:
    """Replace the file at *path* whole: readers see the old bytes or the new, never a part.

    With *durable* the bytes and the folder are on disk when this returns.
    """
    temporary = _temporary(path)
    _fill(temporary, data, durable=durable)
    try:
        failpoint("replace")
        os.replace(temporary, path)
    except BaseException:
        _discard(temporary)
        raise
    if durable:
        sync_folder(os.path.dirname(path))


def replace(path: str, data: bytes) -> None:
    """Replace a file that belongs to another program: its mode stays, a link to it is followed."""
    real = os.path.realpath(path)
    make_folder(os.path.dirname(real))
    try:
        mode = os.stat(real).st_mode & 0o7777
    except FileNotFoundError:
        mode = 0o600
    temporary = _temporary(real)
    _fill(temporary, data, durable=True)
    try:
        os.chmod(temporary, mode)
        os.replace(temporary, real)
    except BaseException:
        _discard(temporary)
        raise
    sync_folder(os.path.dirname(real))


def create(path: str, data: bytes, *, durable: bool = True) -> bool:
    """Make a new file whole; ``False``, and nothing changed, if *path* exists already."""
    temporary = _temporary(path)
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


def sweep(root: str, is_stale: "Callable[[float], bool]") -> int:
    """How many temporary files of killed writers were dropped; *is_stale* judges a modification time.

    Only names that ``write`` and ``create`` make; nothing is followed, and each file is unlinked
    below its open folder, so that a link swapped in meanwhile leads nowhere.
    """
    if not hasattr(os, "fwalk"):
        return 0  # Windows: ``check`` names them
    dropped = 0
    for _, folders, names, fd in os.fwalk(root, follow_symlinks=False):
        folders[:] = [name for name in folders if name != ".git"]
        for name in names:
            if name.startswith(".") and is_temporary(name):
                try:
                    if is_stale(os.stat(name, dir_fd=fd, follow_symlinks=False).st_mtime):
                        os.unlink(name, dir_fd=fd)
                        dropped += 1
                except OSError:
                    continue
    return dropped


def is_temporary(name: str) -> bool:
    """Whether a file of this name is one that a write begins with: ``.NAME.PID.RANDOM.tmp``."""
    parts = name.split(".")
    return (
        len(parts) >= 5
        and not parts[0]
        and parts[-1] == "tmp"
        and len(parts[-2]) == 8
        and not set(parts[-2] + parts[-3]) - set("0123456789abcdef")
    )


def remove_folder(path: str) -> None:
    """Remove an empty folder; one that is missing or not empty is left alone."""
    try:
        os.rmdir(path)
    except OSError:
        return


def clear_folder(path: str) -> None:
    """Remove a derived folder with all that is in it, following no link."""
    try:
        names = os.listdir(path)
    except OSError:
        return
    for name in names:
        inner = os.path.join(path, name)
        if os.path.isdir(inner) and not os.path.islink(inner):
            clear_folder(inner)
        else:
            remove(inner)
    remove_folder(path)


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


def tighten(root: str) -> "Iterator[str]":
    """Set every file under *root* to 0600 and every folder to 0700; yields what was changed."""
    for folder, folders, files in os.walk(root):
        for name in folders + files:
            path = os.path.join(folder, name)
            wanted = 0o700 if name in folders else 0o600
            state = os.lstat(path)
            if (state.st_mode & 0o170000) != 0o120000 and state.st_mode & 0o077:
                os.chmod(path, wanted)
                yield path


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


def _temporary(path: str) -> str:
    folder, name = os.path.split(path)
    return os.path.join(folder, f".{name[:80]}.{os.getpid():x}.{os.urandom(4).hex()}.tmp")


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
    except BaseException:
        os.close(fd)
        _discard(path)
        raise
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


def cut_off(root: str, now: float) -> "list[str]":
    """The notes of processes that were ended before they had finished."""
    folder = os.path.join(root, "running")
    found = []
    for name in sorted(os.listdir(folder)) if os.path.isdir(folder) else ():
        try:
            if now - os.lstat(os.path.join(folder, name)).st_mtime > CUT_OFF_S:
                found.append(os.path.join(folder, name))
        except OSError:
            continue
    return found


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


def counters(root: str) -> "dict[str, int]":
    """Every counter with its value."""
    try:
        page = read(os.path.join(root, "counters"), COUNTERS_BYTES)
    except OSError:
        page = b""
    found = {}
    for slot, name in enumerate(COUNTERS):
        digits = page[slot * COUNTER_BYTES : (slot + 1) * COUNTER_BYTES].strip(b"\0 \n")
        found[name] = int(digits) if digits.isdigit() else 0
    return found


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


def log(root: str, line: str, *, most_bytes: int = LOG_BYTES) -> None:
    """Add one line, redacted by its author, to ``ultan.log``; rotated once it is full, never raises.

    It is where runs that nobody watches (a detached curate, a server) say what they did.
    """
    path = os.path.join(root, "ultan.log")
    try:
        if os.path.exists(path) and os.stat(path).st_size >= most_bytes:
            os.replace(path, path + ".1")
        append(path, line.encode("utf-8", "replace").replace(b"\n", b" ")[:2000] + b"\n")
    except OSError:
        count(root, "disk")


_passages: "dict[str, int]" = {}


def failpoint(name: str) -> None:
    """End the process here if ``ULTAN_FAILPOINT`` names this passage; otherwise nothing."""
    wanted = os.environ.get("ULTAN_FAILPOINT", "")
    if not wanted:
        return
    place, _, how = wanted.partition(":")
    point, _, ordinal = place.partition("@")
    if point not in (name, "any"):
        return
    _passages[point] = _passages.get(point, 0) + 1
    if _passages[point] != int(ordinal or 1):
        return
    if how == "kill":
        os.kill(os.getpid(), 9)
        time.sleep(5)
    raise OSError(5, f"failpoint {name}")
