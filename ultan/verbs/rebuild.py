"""Rebuild: a new index from the entries alone."""

from dataclasses import dataclass

from ultan.verbs.desk import Desk


@dataclass(frozen=True, slots=True)
class Rebuilt:
    """What went into the new index, and what could not be read."""

    entries: int
    unreadable: tuple[tuple[str, str], ...]
    fingerprint: str


def rebuild(desk: Desk) -> Rebuilt:
    """A new index generation, and derived listings made true where they are not."""
    desk.compile()
    library = desk.library
    return Rebuilt(len(library.entries), tuple(library.unreadable), library.fingerprint)
