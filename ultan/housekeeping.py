"""Housekeeping: what a home and its neighbours need and no hook does, on top of ``home``."""

import os
from collections.abc import Callable

from ultan import home

LOG_BYTES = 5 << 20
CUT_OFF_S = 60.0  # no hook lives as long


def replace(path: str, data: bytes) -> None:
    """Replace a file that belongs to another program: its mode stays, a link to it is followed."""
    real = os.path.realpath(path)
    home.make_folder(os.path.dirname(real))
    try:
        mode = os.stat(real).st_mode & 0o7777
    except FileNotFoundError:
        mode = 0o600
    home.write(real, data, mode=mode)


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
            home.remove(inner)
    remove_folder(path)


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


def counters(root: str) -> "dict[str, int]":
    """Every counter with its value."""
    try:
        page = home.read(os.path.join(root, "counters"), home.COUNTERS_BYTES)
    except OSError:
        page = b""
    found = {}
    for slot, name in enumerate(home.COUNTERS):
        digits = page[slot * home.COUNTER_BYTES : (slot + 1) * home.COUNTER_BYTES].strip(b"\0 \n")
        found[name] = int(digits) if digits.isdigit() else 0
    return found


def log(root: str, line: str, *, most_bytes: int = LOG_BYTES) -> None:
    """Add one line, redacted by its author, to ``ultan.log``; rotated once it is full, never raises.

    It is where runs that nobody watches (a detached curate, a server) say what they did.
    """
    path = os.path.join(root, "ultan.log")
    try:
        if os.path.exists(path) and os.stat(path).st_size >= most_bytes:
            os.replace(path, path + ".1")
        home.append(path, line.encode("utf-8", "replace").replace(b"\n", b" ")[:2000] + b"\n")
    except OSError:
        home.count(root, "disk")
