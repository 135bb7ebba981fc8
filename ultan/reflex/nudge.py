"""A remark that the scholar approved for the next turn: told once, then gone.

``<home>/nudges/<id>.json``: ``text``, and optionally ``project``, ``session``, ``expires`` (seconds
since the epoch).
"""

import os

from ultan import home, plainjson

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ultan.reflex.session import Hook

LONGEST = 300


def take(hook: "Hook", folder: str, names: "list[str]", most: int) -> str:
    """The first remark of *names* that is meant for this session, removed; ``""`` after *most* of them."""
    from ultan.recall.rendering import harmless  # noqa: PLC0415 -- hardly ever

    told = os.path.join(hook.folder, "nudged")
    try:
        if os.stat(told).st_size >= most:
            return ""
    except OSError:
        pass
    for name in names:
        path = os.path.join(folder, name)
        nudge = _read(path)
        if nudge is None or not _is_meant(nudge, hook):
            continue
        taken = os.path.join(hook.folder, "nudge-" + name)
        try:
            home.move(path, taken, durable=False)  # of two prompts at once, one gets it
            home.remove(taken)
            home.append(told, b".")
            hook.event("nudged", id=name[:-5])
        except OSError:
            continue
        return "Ultan: " + harmless(nudge["text"])[:LONGEST]
    return ""


def _read(path: str) -> "dict[str, Any] | None":
    try:
        found = plainjson.loads(home.read(path, 64 * 1024).decode("utf-8", "replace"))
    except (OSError, plainjson.NotJson):
        return None
    return found if isinstance(found, dict) and isinstance(found.get("text"), str) and found["text"] else None


def _is_meant(nudge: "dict[str, Any]", hook: "Hook") -> bool:
    expires = nudge.get("expires")
    if isinstance(expires, (int, float)) and expires < hook.now:
        return False
    project, session = nudge.get("project") or "", nudge.get("session") or ""
    return project in ("", hook.state.recall) and session in ("", hook.call.session)
