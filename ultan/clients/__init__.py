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


CLIENTS = {"claude-code": "ultan.clients.claude_code"}
DEFAULT = "claude-code"
