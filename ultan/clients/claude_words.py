"""What a person told Ultan itself in a Claude Code session: the arguments of our own commands.

``read_transcript`` leaves these out, since ``save`` has them already; ``save`` asks here whether
the words it was given were really typed. Slow side only.
"""

import glob
import os
from collections.abc import Iterator, Mapping

from ultan import home, plainjson
from ultan.clients import claude_transcript
from ultan.events import USER, Piece

LARGEST_BYTES = 256 << 20
LINE_BYTES = 1 << 20


def transcript_of(session: str, environ: Mapping[str, str]) -> str:
    """The client's file of *session*, or ``""``."""
    if not session.replace("-", "").isalnum():
        return ""
    folder = environ.get("CLAUDE_CONFIG_DIR") or os.path.join(environ.get("HOME") or os.path.expanduser("~"), ".claude")
    found = glob.glob(os.path.join(glob.escape(folder), "projects", "*", f"{session}.jsonl"))
    return found[0] if found else ""


def told_us(path: str) -> Iterator[Piece]:
    """Every prompt a person typed in the transcript at *path*, with the arguments of commands as their words."""
    try:
        raw = home.read(path, LARGEST_BYTES)
    except OSError:
        return
    for line in raw.split(b"\n"):
        if b'"user"' not in line[:LINE_BYTES] or len(line) > LINE_BYTES:
            continue
        try:
            value = plainjson.loads(line.decode("utf-8", "replace"))
        except plainjson.NotJson:
            continue
        piece = _piece(value)
        if piece is not None:
            yield piece


def _piece(value: object) -> Piece | None:
    if not isinstance(value, dict) or value.get("type") != "user" or value.get("isMeta") or value.get("isSidechain"):
        return None
    message, name = value.get("message"), value.get("uuid")
    content = message.get("content") if isinstance(message, dict) else None
    if isinstance(content, list):
        content = "\n".join(str(part.get("text", "")) for part in content if isinstance(part, dict) and part.get("type") == "text")
    if not isinstance(content, str) or not isinstance(name, str) or not claude_transcript.is_from_person(value):
        return None
    if content.lstrip().startswith("<command-message>"):
        content = content.partition("<command-args>")[2].partition("</command-args>")[0]
    stamp = value.get("timestamp")
    return Piece(name, USER, content.strip(), stamp if isinstance(stamp, str) else "") if content.strip() else None
