"""What the original Ultan left on this machine: its hooks, its daemon, and what it had not read yet.

Its library needs nothing: a home at ``~/.agent-mem`` is used as it is. Its unread events
and nudges are taken in once; its own files are never changed.
"""

import contextlib
import errno
import json
import os
import socket
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from ultan import home, plainjson, projects, spool
from ultan.events import ASSISTANT, USER, Event, Piece
from ultan.redaction import redact

CLIENT = "claude-code"
WORDS = ("agent-mem", "agent_mem")
CHECKOUT = (os.path.join("daemon", "agent_mem_daemon"), os.path.join("src", "hooks"))
MOST_BYTES = 32 << 20
PIECE_CHARS = 16_000


@dataclass(frozen=True, slots=True)
class TakenIn:
    """What was taken over, and the marks by which it is known to be so."""

    did: tuple[str, ...] = ()
    marks: tuple[str, ...] = ()


def is_hook(command: str) -> bool:
    """Whether a hook's command line runs the original: it names it, or points into a checkout of it."""
    if "ultan.__main__" in command or "hooks/ultan-hook" in command:
        return False
    return any(word in command for word in WORDS) or any(_in_checkout(word) for word in _paths(command))


def live(environ: Mapping[str, str]) -> list[str]:
    """One line if the original's daemon listens, with what to do."""
    path = os.path.join(_folder(environ), "priming.sock")
    if not os.path.exists(path):
        return []
    with contextlib.closing(socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)) as probe:
        probe.settimeout(0.2)
        try:
            probe.connect(path)
        except OSError as error:
            if error.errno != errno.EAGAIN:
                return [f"{path} is left over from a daemon that is gone; it may be deleted"]
    return [f"the original's daemon still listens at {path}: stop it (its pid is in daemon.pid), it would curate as well"]


def take_in(root: str, environ: Mapping[str, str], now: float, known: set[str]) -> TakenIn:
    """Queue what the original had not read, and hand on its nudges; what is marked in *known* was taken before."""
    did, marks = [], []
    folder = _folder(environ)
    raw = _read(os.path.join(folder, "events.jsonl"))
    unread = raw[_offset(folder) :] if raw else b""
    mark = _mark("events", unread)
    if unread.strip() and mark not in known:
        found = list(_events(root, unread, now))
        for event in found:
            spool.put(root, event)
        did.append(f"{len(found)} unread events of the original queued")
        marks.append(mark)
    nudges = _read(os.path.join(folder, "pending-nudges.md"))
    mark = _mark("nudges", nudges)
    if nudges.strip() and mark not in known:
        text = redact(nudges.decode("utf-8", "replace").strip())[0][:PIECE_CHARS]
        note = {"session": "", "project": "", "entry": "", "text": text, "at": now}
        home.write(os.path.join(root, "nudges", spool.new_id(now) + ".json"), plainjson.dumps(note).encode())
        did.append("the pending nudges of the original handed on")
        marks.append(mark)
    return TakenIn(tuple(did), tuple(marks))


def _folder(environ: Mapping[str, str]) -> str:
    chosen = environ.get("AGENT_MEM_HOME", "")
    return chosen or os.path.join(environ.get("HOME") or os.path.expanduser("~"), ".agent-mem")


def _paths(command: str) -> list[str]:
    words = command.replace('"', " ").replace("'", " ").replace("=", " ").split()
    return [os.path.expanduser(word) for word in words if word.startswith(("/", "~"))]


def _in_checkout(path: str) -> bool:
    place = path
    while place not in ("", "/"):
        if all(os.path.isdir(os.path.join(place, inner)) for inner in CHECKOUT):
            return True
        place = os.path.dirname(place)
    return False


def _read(path: str) -> bytes:
    try:
        return home.read(path, MOST_BYTES)
    except OSError:
        return b""


def _mark(name: str, raw: bytes) -> str:
    return f"{name}:{sha256(raw).hexdigest()[:32]}"


def _offset(folder: str) -> int:
    """How far the original's daemon had read; 0 where it did not say."""
    try:
        value = json.loads(_read(os.path.join(folder, "daemon.offset.json")) or b"null")
    except ValueError:
        return 0
    if isinstance(value, dict):
        value = next((value[key] for key in ("offset", "position", "byte_offset") if key in value), 0)
    return value if isinstance(value, int) and value >= 0 else 0


def _events(root: str, raw: bytes, now: float) -> Iterator[Event]:
    for line in raw.splitlines():
        try:
            value = json.loads(line)
        except ValueError:
            continue
        event = _event(root, value, now) if isinstance(value, dict) else None
        if event:
            yield event


def _event(root: str, value: dict[str, Any], now: float) -> Event | None:
    """The event in one line of the original; None for what says nothing to a curator.

    Prompts and the assistant's last words are read; a tool's raw output is left where it is.
    """
    inner = value.get("payload") if isinstance(value.get("payload"), dict) else {}
    fields = {**(inner or {}), **{key: held for key, held in value.items() if key != "payload"}}
    session = _first(fields, "session_id", "session")
    name = _first(fields, "hook_event_name", "event", "event_type", "type")
    prompt, said = _first(fields, "prompt", "user_prompt"), _first(fields, "last_assistant_message", "assistant")
    kind, origin, text = ("prompt", USER, prompt) if prompt else ("turn_end", ASSISTANT, said)
    if name == "SessionEnd":
        kind = "session_end"
    if not session or not (text or kind == "session_end"):
        return None
    folder = _first(fields, "project_dir", "cwd")
    slug = projects.identify(folder, root)[1] if folder else ""
    made = spool.new_id(now)
    pieces = [Piece(f"{made}.0", origin, redact(text)[0][:PIECE_CHARS])] if text else []
    return Event(
        made, now, kind, client=CLIENT, session=session, project=slug, root=folder, pieces=pieces, data={"from": "original"}
    )


def _first(fields: Mapping[str, Any], *names: str) -> str:
    return next((value for name in names if isinstance(value := fields.get(name), str) and value), "")
