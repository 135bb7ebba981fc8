"""Where a person's change is made: execute it, then compile, so that the next prompt already knows."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from pydantic import ValidationError

from ultan.errors import LibraryError, UsageError
from ultan.events import Piece
from ultan.library import executor
from ultan.library.actions import Action
from ultan.library.executor import Receipt
from ultan.library.snapshot import Library, read_library
from ultan.library.store import FileStore
from ultan.settings import Settings


@dataclass(frozen=True, slots=True)
class Desk:
    """A home in which changes are made by hand, at one moment."""

    root: str
    store: FileStore
    settings: Settings
    now: float

    @property
    def library(self) -> Library:
        """The library as it is now."""
        return read_library(self.store)

    def execute(
        self, actions: Sequence[Action], *, by: str = "person", why: str = "", session: str = "",
        sources: Mapping[str, Piece] | None = None, mode: Literal["auto", "ask"] = "auto",
        events: Sequence[str] = (), rulings: Sequence[tuple[Any, Any]] = (), library: Library | None = None,
    ) -> Receipt:  # fmt: skip
        """What came of *actions*: one operation, and a new index if anything was applied; *library* as read just before."""
        receipt = executor.execute(
            self.store, actions, now=self.now, by=by, why=why, session=session, sources=sources, mode=mode,
            events=events, rulings=rulings, library=library,
        )  # fmt: skip
        if receipt.applied:
            self.compile()
        return receipt

    def insist(self, action: Action, *, why: str = "") -> Receipt:
        """The receipt of one change by a person that must not be refused.

        Raises:
            LibraryError: it was refused, with the reason.
        """
        receipt = self.execute([action], why=why)
        if receipt.refused:
            raise LibraryError(receipt.refused[0].reason)
        return receipt

    def compile(self) -> None:
        """Write a new index generation from the library as it is now."""
        from ultan.recall.compile import compile as compile_index  # noqa: PLC0415 -- numpy, where anything changed

        compile_index(self.library, self.root, self.settings, now=self.now)


def unfit(error: ValidationError) -> UsageError:
    """The error to raise where what a person gave does not fit an action: which part, and why, without the value."""
    first = error.errors(include_url=False, include_input=False)[0]
    part = next((str(name).replace("_", " ") for name in first["loc"]), "")
    return UsageError(f"{part}: {first['msg'][:1].lower()}{first['msg'][1:]}" if part else first["msg"])
