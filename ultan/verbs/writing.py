"""What a curator writes: a draft becomes one operation, its intent noted before, and the index follows.

Before each operation its intent (which events, how far the session will have been read) is written
down; ``recover`` finds either no operation that names the events, and leaves them to be read again,
or one, and only tidies up.
"""

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any

from ultan import spool
from ultan.errors import IndexUnreadable
from ultan.library import activity, upkeep
from ultan.library.actions import Action, Bump, Nudge
from ultan.library.executor import Receipt, execute
from ultan.library.snapshot import Library, read_library
from ultan.library.store import FileStore
from ultan.recall.compile import compile as compile_index
from ultan.recall.index import open_index
from ultan.settings import Settings
from ultan.verbs import bulletin
from ultan.verbs.counting import bumps, counts
from ultan.verbs.intents import Intent, Intents, drop_intents, keep_intents, kept_intents
from ultan.verbs.reading import Reading, keep_progress
from ultan.verbs.telling import Telling
from ultan.verbs.thinking import Draft

NUDGES_A_TURN, NUDGES_A_SESSION = 1, 3
COUNTED = "counted:"


class Writing:
    """The library as one run knows and changes it; *is_past*: what it writes was said before today."""

    def __init__(self, root: str, settings: Settings, now: Callable[[], float], telling: Telling, *, is_past: bool) -> None:
        self.root, self.settings, self.now, self.is_past = root, settings, now, is_past
        self.store = FileStore(root)
        self._telling = telling
        self._said_at = 0.0
        self._snapshot: Library | None = None
        self._has_written = False

    def library(self) -> Library:
        """The library as this run knows it: read when first needed, and again after each write."""
        if self._snapshot is None or self._has_written:
            self._snapshot = read_library(self.store, self._snapshot)
            self._has_written = False
        return self._snapshot

    def _execute(self, actions: Sequence[Action], **more: Any) -> Receipt:
        late = 0.0 if self.is_past else activity.set_back_s(self.root, self.now())
        receipt = execute(self.store, actions, now=(self._said_at or self.now()) + late, library=self.library(), **more)
        self._has_written = self._has_written or bool(receipt.operation)
        return receipt

    def read_again(self) -> None:
        """Take it that somebody else has written."""
        self._has_written = True

    def compile(self) -> None:
        """Make a new index of what the library holds now."""
        self._snapshot = read_library(self.store, self._snapshot)  # with whatever else was written meanwhile
        self._has_written = False
        compile_index(self._snapshot, self.root, self.settings, now=self.now())

    def is_indexed(self) -> bool:
        """Whether prompts are primed from the library as it is: a file that was deleted by hand leaves no operation."""
        library = self.library()
        try:
            return open_index(self.root).fingerprint == library.fingerprint
        except IndexUnreadable:
            return not library.entries

    # --- a draft ----------------------------------------------------------------------------------

    def write(self, reading: Reading, draft: Draft, intents: Intents, *, mode: str) -> Receipt | None:
        """The receipt of what *draft* asks for; ``None`` if it asks for nothing."""
        actions = [action for action in draft.actions if not isinstance(action, Nudge)]
        actions = [action for action in actions if counts(reading.progress, action)]
        if self.is_past:
            self._said_at = _said_at(reading) or self.now()
            actions = [action for action in actions if self._is_newest(action)]
        counted = bumps(reading, self.library(), actions, judged=draft.is_judged)
        nudges = self._nudges(reading, draft)
        intents.items.append(Intent(events=list(reading.events), progress=reading.progress, bumps=counted))
        keep_intents(self.root, intents)
        receipt = None
        if actions or draft.vetoes:
            receipt = self._execute(
                actions, by=draft.by, why=draft.why, session=reading.session,
                sources={piece.id: piece for piece in reading.transcript.pieces}, events=reading.events,
                mode=mode, rulings=draft.vetoes,
            )  # fmt: skip
            self._telling.tally(receipt, is_past=self.is_past)
        self._bump(counted, reading.events)
        for nudge in nudges:
            self._deliver(reading, nudge)
        return receipt

    def _is_newest(self, action: Action) -> bool:
        """Whether *action* takes nothing away that was written after it was said."""
        named = [getattr(action, name, ()) for name in ("entry", "into", "supersedes", "entries")]
        touched = {name for item in named for name in ((item,) if isinstance(item, str) else tuple(item))}
        said = upkeep.day(self._said_at)
        newer = [name for name in touched if name in self.library().entries and self.library().entries[name].updated > said]
        if newer:
            self._telling.report.refused.append(f"{action.verb}: {newer[0]} is newer than what was said on {said}")
        return not newer

    def _bump(self, counted: Sequence[Bump], events: Sequence[str]) -> None:
        if counted:
            again = [COUNTED + name for name in events]  # a second use of the same events, under names of its own
            self._execute(counted, by="upkeep", why="counters", events=again)

    def _nudges(self, reading: Reading, draft: Draft) -> list[Nudge]:
        found = [action for action in draft.actions if isinstance(action, Nudge)]
        progress = reading.progress
        room = min(NUDGES_A_TURN, NUDGES_A_SESSION - progress.nudges)
        if reading.ended or progress.nudged_at == progress.prompts:
            return []
        chosen = found[: max(room, 0)]
        progress.nudges += len(chosen)
        progress.nudged_at = progress.prompts if chosen else progress.nudged_at
        return chosen

    def _deliver(self, reading: Reading, nudge: Nudge) -> None:
        bulletin.deliver(self.root, nudge, reading.session, reading.project, self.now())
        self._telling.report.nudges += 1

    # --- finishing, and finishing for one who died ------------------------------------------------

    def finish(self, intents: Intents) -> None:
        """Let the events of *intents*, all written, leave the queue."""
        for intent in intents.items:
            keep_progress(self.root, intent.progress)
        for intent in intents.items:
            spool.done(self.root, intent.events)
        drop_intents(self.root)

    def recover(self) -> None:
        """Tidy up after a curator that died between an operation and the end of its batch."""
        intents = kept_intents(self.root)
        if not intents.items:
            return
        used = self.library().events
        finished = []
        for place, intent in enumerate(intents.items):
            is_counted = any(COUNTED + name in used for name in intent.events)
            was_begun = is_counted or any(name in used for name in intent.events)
            if place == len(intents.items) - 1 and not was_begun:
                break  # nothing of it was written: read it again
            if intent.bumps and not is_counted:
                self._bump(intent.bumps, intent.events)
            finished.append(intent)
        if finished:
            self.compile()
        self.finish(Intents(items=finished))


def _said_at(reading: Reading) -> float:
    """When the last piece of *reading* was said, seconds since the epoch; 0 if none says."""
    stamps = [piece.at for piece in reading.news if piece.at]
    try:
        return datetime.fromisoformat(max(stamps)).timestamp() if stamps else 0.0
    except ValueError:
        return 0.0
