"""What a hook saw → an event in the queue; it answers nothing.

Finished tool calls are queued only where they carry signal. At the end of a turn, of a
session, and before a compaction, the transcript is read from where it was read up to;
what is more than a hook may take stands in the event as ``to`` and ``size``, and the
curator reads it.
"""

import os

from ultan import home
from ultan.clients import plain_mark
from ultan.clients.leaf import Sieve
from ultan.events import SUBAGENT, Piece
from ultan.reflex.session import Hook, State, folder_of, queued_marks, stamp
from ultan.veil import safe

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Self

    from ultan.clients.claude_transcript import Reading

STEP_BYTES = 4 << 20  # of a transcript, at one hook
TAIL_CHARS = 600
PAYLOAD_KINDS = frozenset(("tool_done", "tool_failed"))


def capture(hook: Hook) -> "dict[str, Any] | None":
    """Queue what *hook* saw; the reply is none.

    Raises:
        OSError: the disk said no.
    """
    if not hook.settings["capture.enabled"]:
        return None
    if hook.call.event in PAYLOAD_KINDS:
        take_result(hook)
        return None
    if not hook.is_first_delivery():
        return None
    hook.enrol()
    sieve = Sieve()
    pieces: list[Piece] = []
    known: dict[str, Any] = {"source": hook.call.source} if hook.call.source else {}
    with Cursor(hook.root, hook.call.session, hook.state) as cursor:
        if cursor.is_ours:
            known |= cursor.advance(hook.call.transcript, STEP_BYTES, sieve)
            pieces = cursor.pieces
        pieces += _last_words(hook, sieve, has_transcript="to" in known)
        hook.event(hook.call.event, pieces, **known)
        cursor.commit()
    sieve.count(hook.root)
    hook.sweep_claims()
    hook.wake()
    return None


def take_result(hook: Hook) -> None:
    """Queue the result, or the error, of a finished tool call if it carries signal.

    Raises:
        OSError: the disk said no.
    """
    from ultan.clients import claude_tools as tools  # noqa: PLC0415 -- tool calls only

    call = hook.call
    sieve = Sieve()
    touched = tools.file_of(call.tool_input) if call.tool in tools.CHANGES else ""
    known: dict[str, Any] = {"tool": call.tool}
    if touched and _is_below(touched, os.path.join(hook.root, "knowledge")):
        known["touched"] = touched  # the agent wrote into the library: foreign until adopted
    turn, at = max(hook.state.turn, hook.state.asked), stamp(hook.now)
    name = plain_mark(call.call_id) or "call"
    if call.event == "tool_failed":
        pieces = _error_pieces(hook, name, sieve, at, turn)
    elif hook.settings["capture.tool_results"] or call.tool == "AskUserQuestion":
        pieces = tools.pieces_of_result(call.tool, call.tool_input, call.tool_response, name, sieve, at, turn)
    else:
        pieces = []
    if pieces or "touched" in known:
        if call.event == "tool_done" and not hook.is_first_delivery():
            return
        hook.enrol()
        hook.event(call.event, pieces, **known)
        hook.note_queued(piece.id for piece in pieces)
    sieve.count(hook.root)


def _error_pieces(hook: Hook, name: str, sieve: Sieve, at: str, turn: int) -> "list[Piece]":
    from ultan.clients import claude_tools as tools  # noqa: PLC0415 -- tool calls only

    call = hook.call
    if tools.is_sensitive(call.tool, call.tool_input):
        sieve.sensitive += 1
        return []
    text = sieve.leaf(call.error)
    origin = sieve.leaf(tools.origin_of(call.tool, call.tool_input), tools.ABOUT_CHARS)
    return [Piece(name, origin, text, at, turn, tools.about(call.tool, call.tool_input, sieve))] if text.strip() else []


def _is_below(path: str, folder: str) -> bool:
    return os.path.realpath(path).startswith(os.path.realpath(folder) + os.sep)


def _last_words(hook: Hook, sieve: Sieve, *, has_transcript: bool) -> "list[Piece]":
    """The assistant's last message where no transcript tells it; and note its end for the next prompt."""
    call = hook.call
    if not call.last_words:
        return []
    from ultan.spool import new_id  # noqa: PLC0415 -- the queue needs it anyway

    is_subagent = call.event == "subagent_end"
    if not is_subagent:
        hook.state.tail = sieve.leaf(call.last_words[-4 * TAIL_CHARS :])[-TAIL_CHARS:]
    if has_transcript and not is_subagent:
        return []
    text = sieve.leaf(call.last_words)
    origin = SUBAGENT if is_subagent else "assistant"
    name = f"{call.agent or call.session}-{new_id(hook.now)}"
    turn = max(hook.state.turn, hook.state.asked)
    return [Piece(name, origin, text, stamp(hook.now), turn)] if text.strip() else []


# --- the transcript, by offset ----------------------------------------------------------------------


class Cursor:
    """The one place that moves a session's offset: a lock around read, queue, commit.

    Between queueing and committing a crash repeats pieces, under the same ids; it loses none.

    Attributes:
        is_ours: whether we hold it; another hook of the session may be reading just now.
        pieces: what the stretch gave and no hook has queued yet.
    """

    __slots__ = ("_fd", "_reading", "_root", "_session", "is_ours", "pieces", "state")

    def __init__(self, root: str, session: str, state: State) -> None:
        self._root, self._session, self.state = root, session, state
        self._fd, self.is_ours = -1, False
        self._reading: Reading | None = None
        self.pieces: list[Piece] = []

    def __enter__(self) -> "Self":
        self._fd = home.lock_file(os.path.join(folder_of(self._root, self._session), "lock"))
        try:
            import fcntl  # noqa: PLC0415 -- not on Windows

            fcntl.flock(self._fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except ImportError:
            pass
        except OSError:
            return self
        self.is_ours = True
        fresh = State(self._root, self._session)  # another hook may have read on since ours began
        self.state.offset, self.state.turn, self.state.asked = fresh.offset, fresh.turn, fresh.asked
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self._fd)

    def advance(self, transcript: str, limit_bytes: int, sieve: Sieve) -> "dict[str, Any]":
        """Read on; what the event says about it, or nothing if there is no transcript."""
        from ultan.clients.claude_transcript import read  # noqa: PLC0415 -- only where a turn ends

        path = transcript or self.state.transcript
        if not path:
            return {}
        start = self.state.offset if self.state.transcript in ("", path, safe(path)) else 0
        try:
            reading = read(path, start, limit_bytes, self.state.turn, sieve)
            size = os.stat(path).st_size
        except OSError:
            home.count(self._root, "transcript_gone")
            return {}
        queued = queued_marks(self._root, self._session)
        self.pieces = [
            piece
            for piece in reading.pieces
            if piece.id not in queued and reading.prompts.get(piece.id, "-") not in queued
        ]
        self.state.transcript, self.state.offset, self.state.turn = path, reading.offset, reading.turn
        said = [piece.text for piece in reading.pieces if piece.origin == "assistant"]
        if said:
            self.state.tail = said[-1][-TAIL_CHARS:]
        self._reading = reading
        return {
            "transcript": path, "from": start, "to": reading.offset, "size": size, "compacted": reading.compacted,
        }  # fmt: skip

    def commit(self) -> None:
        """Note that what was read is queued."""
        if not self.is_ours:
            return
        if self._reading is not None and self._reading.pieces:
            home.remove(os.path.join(folder_of(self._root, self._session), "queued"))
        self.state.save()
