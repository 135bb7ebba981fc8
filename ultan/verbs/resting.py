"""How long an entry of a simulated year surely stays, so that it need not be looked at every day."""

from collections.abc import Callable
from dataclasses import dataclass

from ultan.library import retention
from ultan.library.entry import Entry

SLACK = 1e-6  # of a day: rounding must not hide an entry from the one that decides


@dataclass(frozen=True, slots=True)
class Rest:
    """How long an entry surely stays, so that it need not be looked at every day; a policy decides, this only spares.

    Attributes:
        days: of an entry, at least; active days of its scope, or of the calendar.
        since: the day from which they count.
    """

    days: Callable[[Entry], float]
    since: Callable[[Entry, str], str] = retention.renewed_on
    calendar: bool = False


NO_REST = Rest(lambda _entry: 0.0)
