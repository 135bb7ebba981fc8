"""Rebuild: a new index from the entries alone."""

from collections.abc import Callable
from dataclasses import dataclass

from ultan.errors import ModelUnavailable
from ultan.library import memo
from ultan.recall import columns
from ultan.recall.compile import attune
from ultan.verbs.desk import Desk


@dataclass(frozen=True, slots=True)
class Rebuilt:
    """What went into the new index, and what could not be read.

    Attributes:
        encoder: whose near terms it holds, ``""``: it finds by words alone; ``lacks`` says why.
    """

    entries: int
    unreadable: tuple[tuple[str, str], ...]
    fingerprint: str
    encoder: str = ""
    lacks: str = ""


def rebuild(desk: Desk, progress: Callable[[str, int, int], None] | None = None) -> Rebuilt:
    """A new index generation, and derived listings made true where they are not.

    What earlier compiles kept is dropped first. Prompts are primed from the new index by words at once,
    while the near terms, which take a model a while, are told to *progress* (step, done, of how many).
    """
    columns.forget(desk.root)
    memo.forget(desk.root)
    desk.compile()
    encoder = lacks = ""
    try:
        made = attune(lambda: desk.library, desk.root, desk.settings, desk.now, progress)
        encoder = made.encoder if made else ""
    except ModelUnavailable as error:
        lacks = str(error)
    library = desk.library
    return Rebuilt(len(library.entries), tuple(library.unreadable), library.fingerprint, encoder, lacks)
