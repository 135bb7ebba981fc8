"""What happened in a session: events, and the pieces of text in them with their origin.

An ``Event`` is what one hook put into the queue. Its ``Piece``s are the texts worth
reading, each bound at capture, by code, to the origin it really came from; trust is
later computed from the origins alone (RELIABILITY section 3). A ``Transcript`` is a
session's pieces in order, gathered from events by the slow side.

Standard library only; slots classes because they cost a hook 0.2 ms, not 15.
"""

from ultan import plainjson

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

VERSION = 1
LATEST = 1e11  # seconds since the epoch; what claims to be later has no time

# The kinds of event, in our words; each client maps its own names to these.
KINDS = (
    "session_start", "prompt", "tool", "tool_done", "tool_failed", "compact", "turn_end",
    "subagent_start", "subagent_end", "session_end",
    "surfaced",  # an entry was shown (data: ids, by)
    "noticed",   # a trigger fired (data: id, severity, denied)
    "fetched",   # the agent or the person opened an entry (data: ids)
    "saved",     # a person saved a text explicitly
    "nudged",    # a nudge was delivered
)  # fmt: skip

# Origins. `user` typed it; `answer` chose or typed it in a dialog of the client; `rejection` wrote
# it when refusing a tool: all three are the person's own words. The rest is data.
USER, ANSWER, REJECTION, PASTED, ASSISTANT, SUBAGENT = (
    "user", "answer", "rejection", "pasted", "assistant", "subagent",
)  # fmt: skip
PERSON = frozenset((USER, ANSWER, REJECTION))


def trust_of(origin: str) -> int:
    """Trust of an origin: 3 the person typed it, 1 the assistant said it, 0 all else.

    2 (``confirmed``) is never an origin: only a person's approval gives it.
    """
    if origin in PERSON:
        return 3
    return 1 if origin == ASSISTANT else 0


class Piece:
    """One text of a session and where it came from.

    Attributes:
        id: stable name of the piece (the transcript line's uuid, or event id plus a number);
            evidence cites it.
        origin: ``user``, ``answer``, ``rejection``, ``pasted``, ``assistant``, ``subagent``, or
            ``tool:<name>``, ``file:<path>``, ``web:<host>``, ``mcp:<server>``.
        text: the redacted text, at most 16 KB, head and tail kept.
        at: RFC 3339 in UTC, or ``""`` if unknown.
        turn: number of the person's prompt it belongs to within the session, from 0; -1 unknown.
        about: what it answers or refuses (the question, the tool call, the file), redacted.
    """

    __slots__ = ("about", "at", "id", "origin", "text", "turn")

    def __init__(
        self, id: str, origin: str, text: str, at: str = "", turn: int = -1, about: str = ""  # noqa: A002
    ) -> None:
        self.id, self.origin, self.text, self.at, self.turn, self.about = id, origin, text, at, turn, about

    def __repr__(self) -> str:
        return f"Piece({self.id!r}, {self.origin!r}, {self.text[:60]!r})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Piece) and self.as_list() == other.as_list()

    __hash__ = None  # type: ignore[assignment]

    def as_list(self) -> "list[Any]":
        """The JSON form: id, origin, text, at, turn, about."""
        return [self.id, self.origin, self.text, self.at, self.turn, self.about]


class Event:
    """What one hook saw, as it lies in the queue.

    Attributes:
        id: time-ordered name, unique; also the file name in the queue.
        at: seconds since the epoch when captured; for display, never for order.
        kind: one of ``KINDS``.
        client: row of the ``CLIENTS`` table, or ``"cli"``.
        session: the client's session id; ``agent`` the subagent's id or ``""``.
        project: slug of the project, ``""`` if none; ``root`` its folder on this machine.
        pieces: the texts, in order.
        data: what else is known, JSON values only (transcript path and size, ids shown, tool name).
    """

    __slots__ = ("agent", "at", "client", "data", "id", "kind", "pieces", "project", "root", "session")

    def __init__(
        self, id: str, at: float, kind: str, *, client: str = "", session: str = "", agent: str = "",  # noqa: A002
        project: str = "", root: str = "", pieces: "Iterable[Piece]" = (), data: "dict[str, Any] | None" = None,
    ) -> None:  # fmt: skip
        self.id, self.at, self.kind, self.client = id, at, kind, client
        self.session, self.agent, self.project, self.root = session, agent, project, root
        self.pieces = list(pieces)
        self.data = data or {}

    def __repr__(self) -> str:
        return f"Event({self.id!r}, {self.kind!r}, session={self.session!r}, pieces={len(self.pieces)})"

    def encode(self) -> bytes:
        """The bytes of the queue file: one JSON object, UTF-8, ending in a newline."""
        return (
            plainjson.dumps(
                {
                    "v": VERSION, "id": self.id, "at": round(self.at, 3), "kind": self.kind,
                    "client": self.client, "session": self.session, "agent": self.agent,
                    "project": self.project, "root": self.root,
                    "pieces": [piece.as_list() for piece in self.pieces], "data": self.data,
                }
            )
            + "\n"
        ).encode("utf-8", "replace")  # fmt: skip


def decode(raw: bytes) -> Event:
    """The event in the bytes of a queue file.

    Raises:
        ValueError: torn, foreign or of a newer version.
    """
    value = plainjson.loads(raw.decode("utf-8", "replace"))
    if not isinstance(value, dict) or value.get("v") != VERSION:
        raise ValueError("not an event of this version")
    kind = value.get("kind")
    if kind not in KINDS or not isinstance(value.get("id"), str):
        raise ValueError("not an event")
    pieces = [Piece(*item) for item in value.get("pieces", []) if _is_piece(item)]
    data = value.get("data")
    at = value.get("at")
    return Event(
        value["id"], float(at) if isinstance(at, (int, float)) and 0 <= at < LATEST else 0.0, kind,
        client=str(value.get("client", "")), session=str(value.get("session", "")),
        agent=str(value.get("agent", "")), project=str(value.get("project", "")),
        root=str(value.get("root", "")), pieces=pieces, data=data if isinstance(data, dict) else {},
    )  # fmt: skip


def _is_piece(item: object) -> bool:
    return (
        isinstance(item, list)
        and len(item) == 6
        and all(isinstance(part, str) for part in (*item[:4], item[5]))
        and isinstance(item[4], int)
    )


class Transcript:
    """The pieces of one session that a curator reads together, oldest first.

    Attributes:
        session: the client's session id.
        project: slug of the project, or ``""``.
        pieces: in order, without duplicates (a fork repeats its parent's ids).
        overlap: how many of the first pieces were read before and only give context.
        surfaced: entry id → turns in which it was shown in this session.
        fetched: entry ids the agent opened in this session.
        day: ISO day of the last piece, or ``""``.
    """

    __slots__ = ("day", "fetched", "overlap", "pieces", "project", "session", "surfaced")

    def __init__(
        self, session: str, project: str, pieces: "list[Piece]", *, overlap: int = 0,
        surfaced: "dict[str, list[int]] | None" = None, fetched: "list[str] | None" = None, day: str = "",
    ) -> None:  # fmt: skip
        self.session, self.project, self.pieces, self.overlap = session, project, pieces, overlap
        self.surfaced, self.fetched, self.day = surfaced or {}, fetched or [], day
