"""The coding agents that call us: the Client protocol and the CLIENTS table.

A client module turns its agent's payloads into our words and our answers into its
words; nothing else in Ultan knows a client's field names.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Protocol

    from ultan.events import Piece

    class Client(Protocol):
        """What a module of this package offers, as plain functions."""

        NAME: str

        def read_call(self, payload: "dict[str, Any]", environ: "dict[str, str]") -> "Call | None":
            """The call in our words, or None for an event that is not ours (unknown, or noise)."""

        def context(self, call: "Call", text: str) -> "dict[str, Any]":
            """The reply object that puts *text* before the model as background."""

        def denial(self, call: "Call", reason: str) -> "dict[str, Any]":
            """The reply object that stops the tool call, with the reason for the model."""

        def read_transcript(
            self, path: str, offset: int, limit_bytes: int
        ) -> "tuple[list[Piece], int]":
            """The pieces in whole lines from *offset* on, and the offset after the last whole line."""


class Call:
    """One hook call in our words.

    Attributes:
        event: one of ``events.KINDS`` (``prompt``, ``tool``, …); ``name`` the client's own name for it.
        session, agent: the client's ids.
        source: for session starts: startup, resume, clear, compact, fork.
        project_root: the folder that identifies the project (never ``cwd``).
        transcript: path, or ``""``.
        prompt: what was typed.
        tool, tool_input: the tool call; ``tool_response`` its result; ``error`` its error text.
        call_id: what makes two deliveries of the same happening equal.
        last_words: the assistant's last message, where the client gives it.
        headless: nobody sits at the terminal.
    """

    __slots__ = (
        "agent", "call_id", "cwd", "error", "event", "headless", "last_words", "name", "project_root", "prompt",
        "session", "source", "tool", "tool_input", "tool_response", "transcript",
    )  # fmt: skip

    def __init__(self, event: str, name: str, session: str) -> None:
        self.event, self.name, self.session = event, name, session
        self.agent = self.source = self.project_root = self.cwd = self.transcript = self.prompt = ""
        self.tool = self.error = self.call_id = self.last_words = ""
        self.tool_input: dict[str, Any] = {}
        self.tool_response: Any = None
        self.headless = False


SHORT_ID, LONG_ID, LONGEST_STAMP = 20, 100, 40


def plain_id(text: str) -> str:
    """*text*, a client's id of a session or an agent, as it may stand in a file and its name.

    As ``plain_mark``, and no file is hidden by it.
    """
    return _digest(text) if text.startswith(".") else plain_mark(text)


def plain_mark(text: str) -> str:
    """*text*, a client's name of a prompt, a call or a line of its transcript, as a piece may be called by it.

    Plain words stay, unless they are a credential by sight; anything else becomes a digest: it tells
    names apart and gives nothing away.
    """
    if not text or _is_uuid(text):
        return text
    if _is_word(text):
        if len(text) < SHORT_ID:
            return text
        from ultan.veil import safe  # noqa: PLC0415 -- loaded already where a text is kept

        if safe(text) == text:
            return text
    return _digest(text)


def plain_stamp(text: object) -> str:
    """*text*, a client's time, if it looks like one; else ``""``."""
    return text if isinstance(text, str) and len(text) <= LONGEST_STAMP and not text.strip("0123456789-:.+TZ ") else ""


def _is_word(text: str) -> bool:
    """Whether *text* is one plain word of no great length."""
    bare = text.replace("-", "").replace("_", "").replace(".", "")
    return bare.isascii() and bare.isalnum() and len(text) <= LONG_ID


def _digest(text: str) -> str:
    """What stands for a name that must not be written: it tells names apart and gives nothing away."""
    from _blake2 import blake2b  # noqa: PLC0415 -- no client has sent such a name yet

    return "id-" + blake2b(text.encode("utf-8", "replace"), digest_size=8).hexdigest()


def _is_uuid(text: str) -> bool:
    return [len(part) for part in text.split("-")] == [8, 4, 4, 4, 12] and not text.replace("-", "").strip("0123456789abcdefABCDEF")


CLIENTS = {"claude-code": "ultan.clients.claude_code"}
DEFAULT = "claude-code"
