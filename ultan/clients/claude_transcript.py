"""Claude Code's transcript, read from an offset: what the person, the assistant and the tools said.

The transcript is the truth (prompts typed mid-turn and rejection comments are nowhere
else), but most of its bytes repeat other bytes, and some of its lines are our own words
coming back. So a line is parsed only if its bytes hold a mark of interest, and a line is
believed only as far as the client's own fields go: a prompt needs a mark that a person
typed it. Lines of an unknown form are skipped and counted.
"""

import os

from ultan import plainjson
from ultan.clients import claude_tools, plain_mark, plain_stamp
from ultan.clients.leaf import Sieve
from ultan.clients.prompts import Heard, is_words, mark_of, prompt_pieces
from ultan.events import ASSISTANT, REJECTION, Piece

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

HEAD = 400  # a line says within its first bytes what it is; the long ones are request snapshots
LONGEST_LINE = 64 << 20
STEP = 1 << 20
SKIPPED = (b'"api-request', b'"prompt_snapshot"', b'"skill_listing"', b'"queue-operation"', b'"last-prompt"')
SAID = "the user said:\n"


class Reading:
    """What one stretch of a transcript gave.

    Attributes:
        pieces: in order; ``offset`` after the last whole line that was read.
        turn: number of the last prompt seen.
        compacted: whether the conversation was compacted in it.
        sieve: what was taken out of the texts; ``unread`` lines of unknown form.
        heard: what tools said in the file; ``here`` where in it the line at hand begins.
        prompts: piece id of a prompt → the mark under which a hook may have queued it already.
    """

    __slots__ = ("calls", "compacted", "heard", "here", "offset", "pieces", "prompts", "sieve", "turn")

    def __init__(self, path: str, offset: int, turn: int, sieve: Sieve) -> None:
        self.heard, self.offset, self.turn, self.sieve = Heard(path), offset, turn, sieve
        self.here = offset
        self.pieces: list[Piece] = []
        self.prompts: dict[str, str] = {}
        self.calls: dict[str, tuple[str, dict[str, Any]]] = {}
        self.compacted = False


def read(path: str, offset: int, limit_bytes: int, turn: int = -1, sieve: "Sieve | None" = None) -> Reading:
    """The pieces in whole lines of *path* from *offset* on, from at most about *limit_bytes*.

    Raises:
        OSError: there is no such file, or it is no plain file.
    """
    reading = Reading(path, offset, turn, sieve or Sieve())
    fd = os.open(path, os.O_RDONLY | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NONBLOCK", 0))
    try:
        state = os.fstat(fd)
        if (state.st_mode & 0o170000) != 0o100000:
            raise OSError(22, "not a plain file", path)
        if offset > state.st_size:
            reading.offset = offset = 0  # rewritten by the client: ids keep what was read from coming twice
        raw, reading.offset = _whole_lines(fd, offset, state.st_size, limit_bytes)
    finally:
        os.close(fd)
    reading.here = reading.offset - len(raw)
    for line in raw.split(b"\n"):
        if _is_of_interest(line):
            _take(line, reading)
        reading.here += len(line) + 1
    return reading


def _whole_lines(fd: int, offset: int, size: int, limit: int) -> "tuple[bytes, int]":
    """Bytes from *offset* up to the last newline within *limit*; a longer line is read whole or passed over."""
    os.lseek(fd, offset, 0)
    parts: list[bytes] = []
    got = 0
    while got < min(limit, size - offset):
        part = os.read(fd, min(STEP, limit - got))
        if not part:
            break
        parts.append(part)
        got += len(part)
    raw = b"".join(parts)
    end = raw.rfind(b"\n") + 1
    if end or got < limit:
        return raw[:end], offset + end
    while got < LONGEST_LINE and (part := os.read(fd, STEP)):
        end = part.find(b"\n")
        if end >= 0:
            return b"", offset + got + end + 1
        got += len(part)
    return b"", offset


def _is_of_interest(line: bytes) -> bool:
    head = line[:HEAD]
    if any(mark in head for mark in SKIPPED):
        return False
    if b'"attachment"' in head:
        return b'"queued_command"' in line
    return b'"user"' in line or b'"assistant"' in line or b'"compact_boundary"' in line


def _take(line: bytes, reading: Reading) -> None:
    try:
        value = plainjson.loads(line.decode("utf-8", "replace"))
        if not isinstance(value, dict):
            raise plainjson.NotJson("no object")
    except plainjson.NotJson:
        reading.sieve.unread += 1
        return
    if value.get("isMeta") or value.get("isCompactSummary") or value.get("isSidechain"):
        return
    kind, name = value.get("type"), value.get("uuid")
    if kind == "system":
        reading.compacted = reading.compacted or value.get("subtype") == "compact_boundary"
        return
    if not isinstance(name, str) or not name:
        return
    name, at = plain_mark(name), plain_stamp(value.get("timestamp"))
    if kind == "attachment":
        _take_queued(value.get("attachment"), name, at, reading)
        return
    message = value.get("message")
    if not isinstance(message, dict):
        return
    content = message.get("content")
    if kind == "assistant":
        _take_assistant(content, name, at, reading)
    elif kind == "user":
        _take_user(value, content, name, at, reading)


# --- the person -----------------------------------------------------------------------------------


def _take_user(line: "dict[str, Any]", content: "Any", name: str, at: str, reading: Reading) -> None:
    blocks = [block for block in content if isinstance(block, dict)] if isinstance(content, list) else []
    results = [block for block in blocks if block.get("type") == "tool_result"]
    if results:
        for number, block in enumerate(results):
            _take_result(line, block, f"{name}.{number}" if number else name, at, reading)
        return
    text = content if isinstance(content, str) else _joined(blocks)
    if is_from_person(line):
        text = command_words(text)
        if text and is_words(text):
            reading.turn += 1
            prompt = line.get("promptId")
            _add_prompt(text, plain_mark(prompt) if isinstance(prompt, str) and prompt else name, at, reading)


def is_from_person(line: "dict[str, Any]") -> bool:
    """Whether the client marks a line as typed by a person (or piped in by one, headless)."""
    origin, turn, source = line.get("origin"), line.get("turnOrigin"), line.get("promptSource")
    if isinstance(origin, dict) and "kind" in origin:
        return bool(origin["kind"] == "human")
    if turn is not None:
        return turn in ("human", "sdk")
    if source is not None:
        return source in ("typed", "sdk")
    return "rowSource" not in line and line.get("userType") == "external"  # older clients mark nothing


def command_words(text: str) -> str:
    """What the person typed: the arguments of a custom command, or *text* itself; nothing for ours."""
    head = text.lstrip()
    if not head.startswith("<command-message>"):
        return text
    called = _between(head, "<command-name>", "</command-name>").strip()
    if not called.startswith("/"):
        called = "/" + called
    if called.startswith(("/ultan:", "/ultan-")) or called == "/ultan":
        return ""  # `save` has it already, from the person's own hand
    return _between(head, "<command-args>", "</command-args>").strip()


def _between(text: str, start: str, end: str) -> str:
    return text.partition(start)[2].partition(end)[0]


def _joined(blocks: "list[dict[str, Any]]") -> str:
    parts = [block.get("text") for block in blocks if block.get("type") == "text"]
    return "\n".join(part for part in parts if isinstance(part, str))


def _take_queued(attachment: "Any", name: str, at: str, reading: Reading) -> None:
    """A prompt typed while the agent worked; it is no line of its own kind."""
    if not isinstance(attachment, dict) or attachment.get("type") != "queued_command":
        return
    origin = attachment.get("origin")
    is_human = origin.get("kind") == "human" if isinstance(origin, dict) else attachment.get("humanTurn") is True
    if not is_human or attachment.get("commandMode", "prompt") != "prompt":
        return
    prompt = attachment.get("prompt")
    text = prompt if isinstance(prompt, str) else _joined([part for part in prompt or () if isinstance(part, dict)])
    if is_words(text):
        _add_prompt(text, name, at, reading)


def _add_prompt(text: str, name: str, at: str, reading: Reading) -> None:
    pieces = prompt_pieces(text, name, at, reading.turn, reading.sieve, reading.heard, reading.here)
    mark = mark_of(pieces)
    for piece in pieces:
        reading.prompts[piece.id] = mark
    reading.pieces += pieces


# --- the assistant and its tools ------------------------------------------------------------------


def _take_assistant(content: "Any", name: str, at: str, reading: Reading) -> None:
    number = 0
    for block in content if isinstance(content, list) else ():
        if not isinstance(block, dict):
            continue
        if block.get("type") == "tool_use":
            tool, tool_input = block.get("name"), block.get("input")
            if isinstance(tool, str):
                reading.calls[str(block.get("id"))] = (tool, tool_input if isinstance(tool_input, dict) else {})
        elif block.get("type") == "text" and isinstance(block.get("text"), str):
            text = reading.sieve.leaf(block["text"])
            if text.strip():
                piece_id = f"{name}.{number}" if number else name
                reading.pieces.append(Piece(piece_id, ASSISTANT, text, at, reading.turn))
                number += 1


def _take_result(line: "dict[str, Any]", block: "dict[str, Any]", name: str, at: str, reading: Reading) -> None:
    call_id = block.get("tool_use_id")
    tool, tool_input = reading.calls.get(str(call_id), ("", {}))
    sieve = reading.sieve
    if line.get("toolDenialKind") == "user-rejected":
        words = _rejection_words(line, block)
        if words.strip():
            told = claude_tools.about(tool, tool_input, sieve) if tool else ""
            reading.pieces.append(Piece(name, REJECTION, sieve.leaf(words), at, reading.turn, told))
        return
    if not tool or not isinstance(call_id, str):
        return  # its call lies before this stretch: the hook of the call has queued what it was worth
    response = line.get("toolUseResult")
    if response is None or tool not in claude_tools.CHANGES | {"AskUserQuestion", "Bash"}:
        response = block.get("content")
    reading.pieces += claude_tools.pieces_of_result(tool, tool_input, response, plain_mark(call_id), sieve, at, reading.turn)


def _rejection_words(line: "dict[str, Any]", block: "dict[str, Any]") -> str:
    words = line.get("userFeedback")
    if isinstance(words, str):
        return words
    content = block.get("content")
    text = content if isinstance(content, str) else _joined(content) if isinstance(content, list) else ""
    return text.partition(SAID)[2]
