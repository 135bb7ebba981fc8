"""What use was made of entries that were shown: counters, and what counts at most once.

Where a model read the session it said what helped; where only rules did, code judges by what the
agent then did (``ultan.staff.usefulness``). Silence is counted against an entry only by a model.
"""

from collections.abc import Sequence

from ultan.library.actions import Action, Bump, MarkHelpful
from ultan.library.entry import Entry
from ultan.library.faded import is_faded
from ultan.library.snapshot import Library
from ultan.staff.usefulness import used
from ultan.verbs.reading import Progress, Reading


def counts(progress: Progress, action: Action) -> bool:
    """Whether *action* still counts: a helpful use is counted once for session, entry and turn."""
    if not isinstance(action, MarkHelpful):
        return True
    if action.entry not in progress.surfaced and action.entry not in progress.fetched:
        return False  # what was never shown cannot have helped
    return _first_time(progress, action.entry, action.turn)


def bumps(reading: Reading, library: Library, actions: Sequence[Action], *, judged: bool) -> list[Bump]:
    """Counters of the entries that were shown, opened or used, as far as the library still has them.

    Shown and of help brings back what had faded. *judged*: a model read the session. An entry counts as ignored only then: shown, not opened, not helpful.
    """
    helped = {action.entry for action in actions if isinstance(action, MarkHelpful)}
    uses = {} if judged else _uses(reading, library)
    day = reading.transcript.day
    found = []
    for name in sorted({*reading.shown, *reading.opened, *uses}):
        if _known(library, name) is None:
            continue
        was_ignored = judged and name in reading.shown and name not in helped and name not in reading.transcript.fetched
        found.append(
            Bump(
                entry=name, fired=reading.shown.get(name, 0), fetched=reading.opened.get(name, 0), helpful=uses.get(name, 0),
                ignored=int(was_ignored), surfaced_on=day if name in reading.shown else "", helpful_on=day if name in uses else "",
            )
        )  # fmt: skip
    return found


def _known(library: Library, name: str) -> Entry | None:
    """The entry that was shown under *name*, live or faded; None where it went since."""
    away = library.archived.get(name)
    return library.entries.get(name) or (away if away is not None and is_faded(library, away) else None)


def _uses(reading: Reading, library: Library) -> dict[str, int]:
    """Entry → how many turns of *reading* prove that it was used and were not counted before."""
    said = reading.transcript
    found: dict[str, int] = {}
    known = {name: that for name in said.surfaced if (that := _known(library, name)) is not None}
    for entry, turn in used(said.pieces, said.surfaced, known, overlap=said.overlap):
        if _first_time(reading.progress, entry, turn):
            found[entry] = found.get(entry, 0) + 1
    return found


def _first_time(progress: Progress, entry: str, turn: int) -> bool:
    mark = f"{entry}@{turn}"
    if mark in progress.helpful:
        return False
    progress.helpful.append(mark)
    return True
