"""How the warm server of a home stands, asked from outside."""

import fcntl
import os
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ultan import home, plainjson
from ultan.recall import wire

if TYPE_CHECKING:
    from ultan.settings import Settings

PATIENCE_S = 1.0
IDLE_S = 600.0


@dataclass(frozen=True, slots=True)
class Standing:
    """What the server says of itself.

    Attributes:
        state: ``absent``; ``starting``; ``dead`` (its socket is left over); ``silent`` (it does not answer);
            ``empty`` (no index); ``warming`` (lexical answers until its vectors are there); ``warm``; ``idle``.
        trouble: why it could not use the last index or a model, or ``""``.
        late: answers that came when the hook had already answered by itself; the session's next prompt may get them.
    """

    state: str
    encoder: str = ""
    memory_mb: int = 0
    idle_s: float = 0.0
    up_s: float = 0.0
    answered: int = 0
    pid: int = 0
    trouble: str = ""
    late: int = 0


def standing(root: str) -> Standing:
    """How the server of the home *root* stands now."""
    path = wire.path_of(root)
    runs = is_locked(os.path.join(root, "serve.lock"))
    if not os.path.exists(path):
        return Standing("starting" if runs else "absent")
    told = _told(root, path)
    if told is None:
        return Standing("silent" if runs else "dead")
    state, idle = str(told.get("state", "")), _number(told, "idle_s")
    return Standing(
        "idle" if state == "warm" and idle >= IDLE_S else state, str(told.get("encoder", "")), int(_number(told, "memory_mb")),
        idle, _number(told, "up_s"), int(_number(told, "answered")), int(_number(told, "pid")), str(told.get("trouble", "")), int(_number(told, "late")),
    )  # fmt: skip


def _told(root: str, path: str) -> dict[str, object] | None:
    frame = plainjson.dumps({"version": wire.VERSION, "home": root, "verb": "status"}).encode()
    try:
        answer = wire._exchange(path, frame, time.monotonic() + PATIENCE_S)  # noqa: SLF001 -- `ask` keeps only what hooks need
    except (OSError, ValueError):
        return None
    return answer if isinstance(answer, dict) and answer.get("home") == root else None


def prepare(root: str, settings: "Settings") -> bool:
    """Embed what a server of this home will want, beside everything else; whether there was anything to do here.

    Only where one has been used, or may be started on demand, and none runs now: that one does it itself.

    Raises:
        ModelUnavailable: the encoder or its weights are not here.
        IndexUnreadable: there is no index yet.
    """
    folder = os.path.join(root, "index", "vectors")
    if not (os.path.isdir(folder) or settings["serve.on_demand"]) or is_locked(os.path.join(root, "serve.lock")):
        return False
    from ultan.encoders import load  # noqa: PLC0415 -- numpy, only where a server is used
    from ultan.recall.index import open_index  # noqa: PLC0415 -- see above
    from ultan.recall.warm import Warm  # noqa: PLC0415 -- see above

    Warm(open_index(root), load(settings), folder)
    return True


def is_locked(path: str) -> bool:
    """Whether a process holds the lock at *path*; nothing is made."""
    if not os.path.exists(path):
        return False
    fd = home.lock_file(path)
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return True
    finally:
        os.close(fd)
    return False


def _number(told: dict[str, object], name: str) -> float:
    value = told.get(name)
    return float(value) if isinstance(value, (int, float)) else 0.0
