"""A directory used as a queue: putting never waits, a crash loses nothing.

``queue/new/<id>.json`` holds one event each; ids sort by time of capture. A file is
written under a dot-name and renamed, so it is there whole or not at all. What cannot
be read goes to ``queue/bad``; what a curator gave up on goes to ``queue/dead``.
``ls queue/new | wc -l`` is the backlog.
"""

import os
import time

from ultan import events, home

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

DURABLE = frozenset(("prompt", "saved", "session_end"))


def new_id(now: float = 0.0) -> str:
    """A name that sorts by time: milliseconds since the epoch and 40 random bits, in hex."""
    return f"{int((now or time.time()) * 1000):012x}-{os.urandom(5).hex()}"


def put(root: str, event: "events.Event") -> None:
    """Queue *event* under the home *root*.

    Durable kinds (what a person typed, a session's end) are on disk when this returns;
    the rest survives a dying process, not a power cut.

    Raises:
        OSError: the disk said no; nothing was queued.
    """
    path = os.path.join(root, "queue", "new", event.id + ".json")
    home.write(path, event.encode(), durable=False)
    if event.kind in DURABLE:
        home.sync_file(path)  # half the waiting of a sync before and after the rename; a torn one goes to queue/bad


def backlog(root: str) -> "list[str]":
    """The ids of all waiting events, oldest first."""
    try:
        names = os.listdir(os.path.join(root, "queue", "new"))
    except OSError:
        return []
    return sorted(name[:-5] for name in names if name.endswith(".json") and not name.startswith("."))


def take(root: str, ids: "Iterable[str]") -> "list[events.Event]":
    """The events of *ids* that can be read; the others are set aside in ``queue/bad`` and counted."""
    found = []
    for name in ids:
        path = os.path.join(root, "queue", "new", name + ".json")
        try:
            found.append(events.decode(home.read(path)))
        except FileNotFoundError:
            continue
        except (OSError, ValueError):
            home.move(path, os.path.join(root, "queue", "bad", name + ".json"))
            home.count(root, "bad")
    return found


def done(root: str, ids: "Iterable[str]") -> None:
    """Drop events whose operation is committed."""
    for name in ids:
        home.remove(os.path.join(root, "queue", "new", name + ".json"))


def set_aside(root: str, ids: "Iterable[str]") -> None:
    """Keep events that a curator failed on too often in ``queue/dead``."""
    for name in ids:
        source = os.path.join(root, "queue", "new", name + ".json")
        if os.path.exists(source):
            home.move(source, os.path.join(root, "queue", "dead", name + ".json"))


def sweep(root: str, is_stale: "Callable[[float], bool]") -> None:
    """Drop what killed captures left half-written; *is_stale* judges a modification time."""
    folder = os.path.join(root, "queue", "new")
    for name in os.listdir(folder) if os.path.isdir(folder) else ():
        path = os.path.join(folder, name)
        try:
            if name.startswith(".") and is_stale(os.stat(path).st_mtime):
                home.remove(path)
        except FileNotFoundError:
            continue
