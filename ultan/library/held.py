"""Held: suggestions that wait for a person, one file each below ``pending/``."""

import functools
import json
from collections.abc import Sequence
from dataclasses import dataclass

from pydantic import TypeAdapter, ValidationError

from ultan.errors import NoSuchEntry
from ultan.events import Piece, trust_of
from ultan.library import actions as act
from ultan.library import bar
from ultan.library.account import scrubbed
from ultan.library.actions import Action
from ultan.library.draft import Declined
from ultan.library.grounds import shortened
from ultan.library.operation import digest
from ultan.library.port import PENDING, Store
from ultan.library.request import Refusal, Request, drafted
from ultan.library.snapshot import Library

MOST_HELD = 200


@dataclass(frozen=True, slots=True)
class Pending:
    """An action that waits for a person.

    Attributes:
        number: for ``approve`` and ``reject``.
        by, session, at: who proposed it, where and when (seconds since the epoch).
        source: lowest origin of what it cites; ``quote`` the words.
        why: why it was not simply written.
        pieces: what it cites, reduced to the quoted words.
    """

    number: int
    action: Action
    by: str
    session: str
    at: float
    source: str
    quote: str
    why: str
    pieces: tuple[Piece, ...] = ()
    path: str = ""


@functools.cache
def _any_action() -> TypeAdapter[Action]:
    """What reads an action of any kind; made once something waits, since it costs as much as reading a thousand entries."""
    return TypeAdapter(Action)


def held_back(action: Action, reason: str, request: Request, library: Library, held: Sequence[Pending]) -> Pending | Refusal:
    """The suggestion as it will wait, or a refusal: bad evidence, no room, or it waits already."""
    cites: Sequence[act.Cite] = getattr(action, "evidence", ())
    draft = drafted(library, request)
    try:
        for cite in cites:
            bar.grounds(draft, (cite,))
    except Declined as declined:
        return Refusal(action, str(declined))
    cleared = scrubbed(action, draft)
    plain = json.dumps(cleared.model_dump(mode="json"), sort_keys=True)
    mark = digest(plain.encode("utf-8", "replace"))[:12]
    others = [*library.held, *(item.path for item in held)]
    if any(path.endswith(f"-{mark}.json") for path in others):
        return Refusal(action, "it waits for review already")
    if len(others) >= MOST_HELD:
        return Refusal(action, f"{MOST_HELD} suggestions wait for review already")
    number = max((_number(path) for path in others), default=0) + 1
    quoted: dict[str, Piece] = {}
    for cite in cites:
        piece = (request.sources or {}).get(cite.event) or Piece(cite.event, "user", cite.quote)
        before = quoted[cite.event].text + "\n" if cite.event in quoted else ""
        quoted[cite.event] = Piece(piece.id, piece.origin, before + cite.quote, piece.at, piece.turn, piece.about[:200])
    pieces = tuple(quoted.values())
    lowest = min(pieces, key=_rank, default=None)
    return Pending(
        number, cleared, request.by, request.session, request.now, lowest.origin if lowest else "",
        shortened(lowest.text) if lowest else "", reason, pieces, f"{PENDING}{number:04d}-{mark}.json",
    )  # fmt: skip


def pending(store: Store) -> list[Pending]:
    """Every suggestion that waits for a person, oldest first; torn ones are passed over (``check`` names them)."""
    found = []
    for path in store.files().paths:
        if path.startswith(PENDING):
            try:
                found.append(_read(path, store.read(path) or b""))
            except (ValueError, KeyError, TypeError, ValidationError):
                continue
    return sorted(found, key=lambda item: item.number)


def waiting(store: Store, number: int) -> Pending:
    """The suggestion *number*.

    Raises:
        NoSuchEntry: nothing with that number waits.
    """
    for item in pending(store):
        if item.number == number:
            return item
    raise NoSuchEntry(f"no suggestion {number} waits for review", "`ultan review` lists them")


def written(item: Pending) -> str:
    """The file that holds *item*."""
    return (
        json.dumps(
            {
                "v": 1, "number": item.number, "action": item.action.model_dump(mode="json"), "by": item.by,
                "session": item.session, "at": item.at, "source": item.source, "quote": item.quote, "why": item.why,
                "pieces": [piece.as_list() for piece in item.pieces],
            },
            ensure_ascii=False, indent=1,
        )
        + "\n"
    )  # fmt: skip


def scope_of(action: Action, library: Library) -> str:
    """The scope that *action* is about."""
    folder = getattr(action, "folder", "") or getattr(action, "entry", "") or getattr(action, "into", "")
    parts = str(folder).split("/")
    if parts[0] == "projects" and len(parts) > 1:
        return f"project:{parts[1]}"
    entry = library.entries.get(str(folder))
    return entry.scope if entry else "global"


def _read(path: str, raw: bytes) -> Pending:
    plain = json.loads(raw)
    return Pending(
        _number(path), _any_action().validate_python(plain["action"], strict=False), plain["by"], plain["session"],
        plain["at"], plain["source"], plain["quote"], plain["why"], tuple(Piece(*piece) for piece in plain["pieces"]),
        path,
    )  # fmt: skip


def _rank(piece: Piece) -> int:
    return trust_of(piece.origin)


def _number(path: str) -> int:
    digits = path.removeprefix(PENDING).partition("-")[0].partition(".")[0]
    return int(digits) if digits.isdigit() else 0
