"""Request: everything that a call to the executor says beside its actions."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from ultan.events import Piece
from ultan.library import upkeep
from ultan.library.actions import Action
from ultan.library.draft import Asked, Draft
from ultan.library.snapshot import Library


@dataclass(frozen=True, slots=True)
class Request:
    """Everything a call says beside its actions."""

    now: float
    by: str
    why: str = ""
    session: str = ""
    sources: Mapping[str, Piece] | None = None
    events: tuple[str, ...] = ()
    mode: Literal["auto", "ask"] = "auto"
    rulings: tuple[tuple[Any, Any], ...] = ()
    confirmed: bool = False
    settles: str = ""  # path of the held suggestion that this call decides


@dataclass(frozen=True, slots=True)
class Refusal:
    """An action that was not carried out, and why."""

    action: Action
    reason: str


def drafted(library: Library, request: Request) -> Draft:
    """A draft of *library* in which nothing has been done yet."""
    asked = Asked(request.by, upkeep.day(request.now), request.session, request.sources, request.confirmed)
    return Draft(library, asked, dict(library.entries), dict(library.archived))
