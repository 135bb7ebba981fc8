"""Ask the warm server, or learn quickly that there is none.

``<home>/serve.sock``; a frame is four bytes of length, big end first, and one JSON object of
at most 1 MB. A question names the home and the version; an answer of another home or version,
a late one and a broken one are no answer, and the hook answers itself.
"""

import os
import time

from ultan import plainjson

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

VERSION = 1  # of question and answer together; raised when either changes
FRAME_BYTES = 1 << 20
DEADLINE_S = 0.15


class Warm:
    """What the server found: the block to show, the ids in it, the rankings used, the probability."""

    __slots__ = ("ids", "probability", "rankings", "text")

    def __init__(self, text: str, ids: "list[str]", rankings: "list[str]", probability: float) -> None:
        self.text, self.ids, self.rankings, self.probability = text, ids, rankings, probability


def path_of(root: str) -> str:
    """Where the server of the home *root* listens."""
    return os.path.join(root, "serve.sock")


def ask(root: str, verb: str, question: "dict[str, Any]", deadline_s: float = DEADLINE_S) -> "Warm | None":
    """The server's answer, or None: absent, late, broken, or of another home or version."""
    path = path_of(root)
    try:
        state = os.stat(path)
    except OSError:
        return None
    if (state.st_mode & 0o170000) != 0o140000 or (hasattr(os, "getuid") and state.st_uid != os.getuid()):
        return None
    frame = plainjson.dumps({"version": VERSION, "home": root, "verb": verb, **question})
    try:
        answer = _exchange(path, frame.encode("utf-8", "replace"), time.monotonic() + deadline_s)
    except (OSError, ValueError):
        return None
    return _checked(answer, root)


def _checked(answer: "Any", root: str) -> "Warm | None":
    if not isinstance(answer, dict) or answer.get("home") != root or answer.get("version") != VERSION:
        return None
    text, ids, rankings = answer.get("text"), answer.get("ids"), answer.get("rankings")
    chance = answer.get("probability")
    if not isinstance(text, str) or not isinstance(ids, list):
        return None
    return Warm(
        text, [one for one in ids if isinstance(one, str)],
        [one for one in rankings if isinstance(one, str)] if isinstance(rankings, list) else [],
        float(chance) if isinstance(chance, (int, float)) else 0.0,
    )  # fmt: skip


def _exchange(path: str, frame: bytes, end: float) -> "Any":
    """One question and one answer before *end*, all of it together."""
    try:
        from _socket import AF_UNIX, SOCK_STREAM, socket  # noqa: PLC0415 -- the public module costs 5 ms
    except ImportError:
        from socket import AF_UNIX, SOCK_STREAM, socket  # type: ignore[assignment]  # noqa: PLC0415
    line = socket(AF_UNIX, SOCK_STREAM)
    try:
        _hurry(line, end)
        line.connect(path)
        _hurry(line, end)
        line.sendall(len(frame).to_bytes(4, "big") + frame)
        size = int.from_bytes(exactly(line, 4, end), "big")
        if not 0 < size <= FRAME_BYTES:
            raise ValueError("no frame of ours")
        return plainjson.loads(exactly(line, size, end).decode("utf-8", "replace"))
    finally:
        line.close()


def _hurry(line: "Any", end: float) -> None:
    left = end - time.monotonic()
    if left <= 0:
        raise OSError("late")
    line.settimeout(left)


def exactly(line: "Any", size: int, end: float) -> bytes:
    """*size* bytes from *line* before *end* (of the monotonic clock); nothing is set aside for what has not come.

    Raises:
        OSError: they did not come, or not in time.
    """
    parts = []
    while size:
        _hurry(line, end)
        part = line.recv(min(size, 1 << 16))
        if not part:
            raise OSError("the other side hung up")
        parts.append(part)
        size -= len(part)
    return b"".join(parts)
