"""Cleanup: what has had its time goes, at once: entries past their day, and events that nobody can use any more."""

import os
from dataclasses import dataclass

from ultan import home
from ultan.library import upkeep
from ultan.library.actions import Archive
from ultan.library.retention import is_day
from ultan.verbs.chores import tidy
from ultan.verbs.desk import Desk

SET_ASIDE = ("bad", "dead")


@dataclass(frozen=True, slots=True)
class Cleaned:
    """What went, or with a dry run would go.

    Attributes:
        expired: ids of entries past their ``expires``, now archived; ``refused`` (id, why) of those that stayed.
        set_aside: events in the queue's ``bad`` and ``dead``; dropped only where that was asked for.
        number: of the operation, for ``undo``.
    """

    expired: tuple[str, ...]
    refused: tuple[tuple[str, str], ...]
    set_aside: int
    dropped: int
    number: int
    is_dry_run: bool


def cleanup(desk: Desk, *, drops: bool = False, is_dry_run: bool = False) -> Cleaned:
    """Entries past their day archived, leftovers of killed writers dropped; with *drops* also the events set aside.

    Unlike ``decay`` it waits for no second day: the person said when an entry ends. Pinned entries stay.
    """
    library, today = desk.library, upkeep.day(desk.now)
    expired = [
        entry.id for _, entry in sorted(library.entries.items())
        if is_day(entry.expires) and entry.expires < today and not entry.pinned and entry.path not in library.foreign
    ]  # fmt: skip
    aside = [os.path.join(folder, name) for folder in _folders(desk.root) for name in _events_in(folder)]
    if is_dry_run:
        return Cleaned(tuple(expired), (), len(aside), 0, 0, is_dry_run=True)
    tidy(desk.root, desk.now)
    refused: list[tuple[str, str]] = []
    number = 0
    if expired:
        receipt = desk.execute([Archive(entry=name, reason="its day has passed") for name in expired], by="upkeep", why="expired")
        refused = [(getattr(each.action, "entry", ""), each.reason) for each in receipt.refused]
        number = receipt.number
    for path in aside if drops else ():
        home.remove(path)
    stayed = {name for name, _ in refused}
    gone = tuple(name for name in expired if name not in stayed)
    return Cleaned(gone, tuple(refused), len(aside), len(aside) if drops else 0, number, is_dry_run=False)


def _folders(root: str) -> tuple[str, ...]:
    return tuple(os.path.join(root, "queue", name) for name in SET_ASIDE)


def _events_in(folder: str) -> list[str]:
    return sorted(name for name in os.listdir(folder) if name.endswith(".json")) if os.path.isdir(folder) else []
