"""Check: one thing looked at; and how small notes, durations and days are read and told."""

import json
import os
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Literal

from ultan import home

State = Literal["ok", "note", "wrong"]


@dataclass(frozen=True, slots=True)
class Check:
    """One thing looked at: what it says, and what to do unless all is well."""

    name: str
    state: State
    says: str
    remedy: str = ""


def names(root: str, *parts: str) -> list[str]:
    """What lies in a folder; nothing if it cannot be read."""
    try:
        return os.listdir(os.path.join(root, *parts))
    except OSError:
        return []


def changed(path: str) -> float:
    """When the file at *path* last changed; 0 if it is not there."""
    try:
        return os.stat(path).st_mtime
    except OSError:
        return 0.0


def noted(root: str, *parts: str) -> dict[str, Any]:
    """The JSON object in a small file; empty if there is none."""
    try:
        found = json.loads(home.read(os.path.join(root, *parts)))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def lives(pid: object) -> bool:
    """Whether the process *pid* runs."""
    if not isinstance(pid, int) or pid <= 0:
        return False
    try:
        os.kill(pid, 0)
    except PermissionError:
        return True
    except OSError:
        return False
    return True


def span(seconds: float) -> str:
    """A duration in words."""
    seconds = max(0.0, seconds)
    for size, word in ((86400.0, "d"), (3600.0, "h"), (60.0, "min")):
        if seconds >= 2 * size:
            return f"{seconds / size:.0f} {word}"
    return f"{seconds:.0f} s"


def ago(now: float, at: float) -> str:
    """How long ago *at* was, in words."""
    return f"{span(now - at)} ago"


def clock(at: float) -> str:
    """The minute of *at* in UTC."""
    return datetime.fromtimestamp(at, UTC).strftime("%Y-%m-%d %H:%M UTC")
