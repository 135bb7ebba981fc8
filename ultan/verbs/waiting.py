"""Which sessions may be read now, and how long the others should be left in peace (pure)."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from ultan.events import Event
from ultan.settings import Settings

ENDS = frozenset(("session_end", "saved"))
AHEAD_S = 120.0  # a stamp further ahead of the clock than this says nothing about quiet


@dataclass(frozen=True, slots=True)
class Turnout:
    """The sessions that are due, and the seconds until the next of the others is."""

    due: tuple[str, ...]
    wait_s: float


def by_session(events: Iterable[Event]) -> dict[str, list[Event]]:
    """Events of each session, oldest first, in order of the sessions' first event."""
    found: dict[str, list[Event]] = {}
    for event in sorted(events, key=lambda event: event.id):
        found.setdefault(event.session, []).append(event)
    return found


def turnout(sessions: Mapping[str, Sequence[Event]], settings: Settings, now: float) -> Turnout:
    """Who is due at *now*: quiet for long enough, ended, kept waiting too long, or enough turns together."""
    turns = sum(event.kind == "turn_end" for events in sessions.values() for event in events)
    is_full = turns >= settings["curation.packets"]
    due, waits = [], []
    for session, events in sessions.items():
        wait = _wait(events, settings, now)
        if is_full and any(event.kind == "turn_end" for event in events):
            wait = 0.0
        if wait <= 0:
            due.append(session)
        else:
            waits.append(wait)
    return Turnout(tuple(due), min(waits, default=0.0))


def _wait(events: Sequence[Event], settings: Settings, now: float) -> float:
    if any(event.kind in ENDS for event in events):
        return 0.0
    first, last = events[0].at, events[-1].at
    if last > now + AHEAD_S:
        return 0.0
    quiet = settings["curation.quiet_s"] - max(0.0, now - last)
    longest = settings["curation.longest_wait_s"] - max(0.0, now - first)
    return float(min(quiet, longest))
