"""A Messages API on the loopback, for driving a real client without a network or a bill.

    with MessagesApi(calls("Bash", command="ls"), says("done")) as api:
        …                     # a client with ANTHROPIC_BASE_URL=api.url
        assert "ls" in api.turns[0].text

Each model request of the conversation takes the next reply; when none is left, ``otherwise``
answers. Housekeeping requests of the client (no tools and a demanded JSON format, token counts)
are answered aside and take none. A reply is a ``Reply``, a ``Refusal``, or a function of the
``Turn`` that returns one.
"""

from __future__ import annotations

import itertools
import json
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self

KINDS_OF_ERROR = {
    400: "invalid_request_error",
    401: "authentication_error",
    403: "permission_error",
    404: "not_found_error",
    429: "rate_limit_error",
    500: "api_error",
    529: "overloaded_error",
}


@dataclass(frozen=True)
class Reply:
    """What the assistant says and calls; ``usage`` overrides the token counts."""

    blocks: tuple[dict[str, Any], ...]
    usage: dict[str, int] = field(default_factory=dict)

    @property
    def stop_reason(self) -> str:
        return "tool_use" if any(block["type"] == "tool_use" for block in self.blocks) else "end_turn"


@dataclass(frozen=True)
class Refusal:
    """An API error; ``headers`` may carry ``retry-after`` and the rate-limit state."""

    status: int
    message: str = "scripted refusal"
    headers: dict[str, str] = field(default_factory=dict)

    @property
    def body(self) -> dict[str, Any]:
        kind = KINDS_OF_ERROR.get(self.status, "api_error")
        return {"type": "error", "error": {"type": kind, "message": self.message}}


def says(text: str, **usage: int) -> Reply:
    """A turn of plain text."""
    return Reply(({"type": "text", "text": text},), usage)


def calls(tool: str, **arguments: Any) -> Reply:
    """A turn that calls one tool."""
    return Reply(({"type": "tool_use", "name": tool, "input": arguments},))


Scripted = Reply | Refusal | Callable[["Turn"], "Reply | Refusal"]


@dataclass
class Turn:
    """One model request as it arrived, and what it got."""

    body: dict[str, Any]
    headers: dict[str, str]
    answer: Reply | Refusal | None = None

    @property
    def texts(self) -> list[tuple[str, str]]:
        """Every (role, text) of the messages in order; a tool result has the role ``result``."""
        return [
            pair
            for message in self.body.get("messages", [])
            for pair in _flatten(message["role"], message.get("content", ""))
        ]

    @property
    def text(self) -> str:
        """All texts of the messages, one after the other."""
        return "\n".join(text for _, text in self.texts)

    @property
    def system(self) -> str:
        """The system prompt at the top of the request."""
        return "\n".join(text for _, text in _flatten("system", self.body.get("system", "")))

    @property
    def tools(self) -> list[str]:
        return [tool.get("name", "") for tool in self.body.get("tools") or ()]

    def where(self, needle: str) -> list[int]:
        """The positions in ``texts`` that hold *needle*."""
        return [place for place, (_, text) in enumerate(self.texts) if needle in text]


def _flatten(role: str, content: Any) -> Iterator[tuple[str, str]]:
    if isinstance(content, str):
        yield role, content
        return
    for block in content:
        if block.get("type") == "tool_result":
            yield from _flatten("result", block.get("content") or "")
        elif isinstance(block.get("text"), str):
            yield role, block["text"]


class MessagesApi:
    """The server, as a context manager."""

    def __init__(self, *script: Scripted, otherwise: Scripted | None = None) -> None:
        self.script = list(script)
        self.otherwise = otherwise or says("Understood.")
        self.turns: list[Turn] = []
        self.asides: list[Turn] = []
        self._lock = threading.Lock()
        self._numbers = itertools.count(1)
        api = self

        class Door(_Door):
            owner = api

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Door)
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02})

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}"

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    def next_script(self, *script: Scripted) -> None:
        """What the coming requests get, instead of what is left."""
        with self._lock:
            self.script = list(script)

    def reply_to(self, turn: Turn) -> Reply | Refusal:
        """The answer to *turn*, which is kept."""
        wants_json = (turn.body.get("output_config") or {}).get("format")
        aside = bool(wants_json) and not turn.body.get("tools")
        with self._lock:
            (self.asides if aside else self.turns).append(turn)
            scripted: Scripted = self.otherwise
            if aside:
                scripted = says('{"ok": true, "title": "a session"}')
            elif self.script:
                scripted = self.script.pop(0)
        turn.answer = scripted(turn) if callable(scripted) else scripted
        return turn.answer

    def message(self, turn: Turn, reply: Reply) -> dict[str, Any]:
        """The whole Messages API object of *reply*."""
        number = next(self._numbers)
        blocks = []
        for place, block in enumerate(reply.blocks):
            named = {"id": f"toolu_journey_{number:04}_{place}"} if block["type"] == "tool_use" else {}
            blocks.append({**named, **block})
        return {
            "id": f"msg_journey_{number:04}",
            "type": "message",
            "role": "assistant",
            "model": turn.body.get("model", ""),
            "content": blocks,
            "stop_reason": reply.stop_reason,
            "stop_sequence": None,
            "usage": {
                "input_tokens": 12,
                "output_tokens": 7,
                "cache_read_input_tokens": 0,
                "cache_creation_input_tokens": 0,
                **reply.usage,
            },
        }


def streamed(message: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """The server-sent events that carry *message*."""
    yield "message_start", {"message": {**message, "content": [], "stop_reason": None}}
    for place, block in enumerate(message["content"]):
        if block["type"] == "tool_use":
            empty, delta = {"input": {}}, {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
        else:
            empty, delta = {"text": ""}, {"type": "text_delta", "text": block["text"]}
        yield "content_block_start", {"index": place, "content_block": {**block, **empty}}
        yield "content_block_delta", {"index": place, "delta": delta}
        yield "content_block_stop", {"index": place}
    stop = {"stop_reason": message["stop_reason"], "stop_sequence": None}
    yield "message_delta", {"delta": stop, "usage": message["usage"]}
    yield "message_stop", {}


class _Door(BaseHTTPRequestHandler):
    owner: MessagesApi
    protocol_version = "HTTP/1.1"

    def log_message(self, *_: object) -> None:
        """Nothing: the turns are the log."""

    def do_HEAD(self) -> None:
        self._send(200, b"")

    def do_GET(self) -> None:
        self._send_json(404, Refusal(404, self.path).body)

    def do_POST(self) -> None:
        raw = self.rfile.read(int(self.headers.get("content-length") or 0))
        path = self.path.partition("?")[0]
        if path.endswith("/count_tokens"):
            self._send_json(200, {"input_tokens": len(raw) // 4 + 1})
        elif not path.endswith("/messages"):
            self._send_json(404, Refusal(404, path).body)
        else:
            headers = {name.lower(): value for name, value in self.headers.items()}
            turn = Turn(json.loads(raw), {k: v for k, v in headers.items() if k not in ("x-api-key", "authorization")})
            self._play(turn, self.owner.reply_to(turn))

    def _play(self, turn: Turn, reply: Reply | Refusal) -> None:
        if isinstance(reply, Refusal):
            self._send_json(reply.status, reply.body, reply.headers)
            return
        message = self.owner.message(turn, reply)
        if not turn.body.get("stream"):
            self._send_json(200, message)
            return
        lines = (f"event: {name}\ndata: {json.dumps({'type': name, **rest})}\n\n" for name, rest in streamed(message))
        self._send(200, "".join(lines).encode(), {"content-type": "text/event-stream"})

    def _send_json(self, status: int, value: dict[str, Any], headers: dict[str, str] | None = None) -> None:
        self._send(status, json.dumps(value).encode(), {"content-type": "application/json", **(headers or {})})

    def _send(self, status: int, body: bytes, headers: dict[str, str] | None = None) -> None:
        try:
            self.send_response(status)
            for name, value in {"content-length": str(len(body)), **(headers or {})}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body)
        except (BrokenPipeError, ConnectionResetError):  # the client gave up waiting
            self.close_connection = True
