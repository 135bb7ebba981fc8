"""The home: its folder, its disk, its counters and its trouble."""

import json
import os
from collections.abc import Iterator, Mapping

from ultan import home, homes
from ultan.verbs.checkup.check import Check, clock

FREE_BYTES = 64 << 20
TROUBLE_SHOWN = 3
# Counters that mean that something was lost or nearly so; the others are told as they are.
LOSSES = ("dropped", "bad", "timed_out", "oversized", "late", "index_unreadable", "disk", "failed", "refused_home")


def home_folder(root: str, environ: Mapping[str, str], project: str) -> Iterator[Check]:
    """Whether there is a home, and it may be used."""
    why = home.refusal(root, environ.get("CLAUDE_PROJECT_DIR", "") or project)
    if why:
        yield Check("home", "wrong", why, "choose another with ULTAN_HOME, outside the project")
    elif homes.is_withdrawn(root, environ):
        yield Check("home", "note", f"{root} was deleted, so hooks stay silent", "ultan install or ultan save makes it anew")
    elif not os.path.isdir(root):
        yield Check("home", "note", f"{root} does not exist yet", "the first hook or `ultan save` makes it")
    else:
        yield from _state(root)


def _state(root: str) -> Iterator[Check]:
    state = os.stat(root)
    if state.st_mode & 0o077:
        yield Check("home", "wrong", f"others may look into {root}", f"chmod -R go-rwx {root}")
    elif not os.access(root, os.W_OK):
        yield Check("home", "wrong", f"{root} cannot be written", "give yourself the right to write there")
    elif closed := [name for name in home.FOLDERS if _is_closed(os.path.join(root, name))]:
        yield Check("home", "wrong", f"not yours to read and write: {', '.join(closed)}", f"chmod -R u+rwX {root}")
    else:
        yield Check("home", "ok", root)
    free = os.statvfs(root).f_bavail * os.statvfs(root).f_frsize if hasattr(os, "statvfs") else FREE_BYTES
    if free < FREE_BYTES:
        yield Check("disk", "wrong", f"{free >> 20} MiB free: nothing is curated below 64", "free some space")
    if os.path.exists(os.path.join(root, "paused")):
        yield Check("paused", "note", "hooks are deaf and mute", "ultan pause --resume")


def _is_closed(folder: str) -> bool:
    return os.path.isdir(folder) and not os.access(folder, os.R_OK | os.W_OK | os.X_OK)


def counted(counters: Mapping[str, int], root: str) -> Iterator[Check]:
    """What was lost or nearly so, and the other counts."""
    lost = [f"{counters[name]} {name.replace('_', ' ')}" for name in LOSSES if counters.get(name)]
    told = [f"{value} {name.replace('_', ' ')}" for name, value in counters.items() if value and name not in LOSSES]
    if lost:
        yield Check("losses", "note", ", ".join(lost), "see trouble below" if next(trouble(root), None) else "")
    else:
        yield Check("losses", "ok", "none")
    if told:
        yield Check("counts", "ok", ", ".join(told))


def trouble(root: str) -> Iterator[Check]:
    """The last lines of trouble."""
    try:
        raw = home.read(os.path.join(root, "trouble.jsonl"))
    except OSError:
        return
    lines = [line for line in raw.decode("utf-8", "replace").splitlines() if line.strip()]
    for line in lines[-TROUBLE_SHOWN:]:
        yield Check("trouble", "note", _told(line), f"{len(lines)} lines in {os.path.join(root, 'trouble.jsonl')}")


def _told(line: str) -> str:
    try:
        value = json.loads(line)
    except ValueError:
        return line[:200]
    if not isinstance(value, dict):
        return line[:200]
    at = value.pop("at", None)
    words = " ".join(str(part) for part in value.values())[:200]
    return f"{clock(at)} {words}" if isinstance(at, (int, float)) else words
