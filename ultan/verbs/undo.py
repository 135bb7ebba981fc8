"""Undo: the log of operations, taking one back, and bringing back one entry's earlier text."""

from dataclasses import dataclass

from ultan.errors import LibraryError
from ultan.library import past
from ultan.library.executor import Receipt
from ultan.library.operation import Operation
from ultan.library.store import FileStore
from ultan.verbs.desk import Desk


@dataclass(frozen=True, slots=True)
class Logged:
    """One operation: when, who, why, which files, and what was refused."""

    number: int
    at: float
    by: str
    why: str
    session: str
    undoes: int
    actions: tuple[str, ...]
    changes: tuple[str, ...]
    refusals: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Undone:
    """What was taken back, and the number that undoes this."""

    operation: int
    number: int
    changes: tuple[str, ...]


def log(store: FileStore, *, limit: int = 20, entry: str = "", session: str = "") -> tuple[Logged, ...]:
    """The last *limit* operations, newest first; of one entry or session if given."""
    found = [
        _logged(operation)
        for operation in reversed(store.operations())
        if (not session or operation.session == session)
        and (not entry or any(entry in change.path for change in operation.changes))
    ]
    return tuple(found[:limit])


def undo(desk: Desk, number: int | None = None) -> Undone:
    """The operation *number*, or the last one not undone, taken back; a tombstone keeps it from being relearned.

    Raises:
        LibraryError: a file was changed since, or there is no such operation.
    """
    receipt = past.undo(desk.store, number, desk.now)
    return _undone(desk, receipt, number or 0)


def restore(desk: Desk, name: str, version: int | None = None) -> Undone:
    """The entry called *name* as it was before operation *version*, or out of the archive."""
    receipt = past.restore(desk.store, name, version, desk.now)
    return _undone(desk, receipt, version or 0)


def _undone(desk: Desk, receipt: Receipt, number: int) -> Undone:
    if receipt.refused:
        raise LibraryError(receipt.refused[0].reason)
    desk.compile()
    changes = [f"{entry} {note}".strip() for _, entry, note in receipt.applied]
    return Undone(number, receipt.number, (*changes, *receipt.notes))


def _logged(operation: Operation) -> Logged:
    return Logged(
        operation.number, operation.at, operation.by, operation.why, operation.session, operation.undoes,
        tuple(" ".join(filter(None, action)) for action in operation.actions),
        tuple(change.path for change in operation.changes if change.keep),
        tuple(f"{verb} {what}: {reason}" for verb, what, reason in operation.refusals),
    )  # fmt: skip
