"""Curate: what sessions said becomes what the library knows.

Queued events → one Transcript a session → a Proposal (the clerk's, or the librarian's under
the scholar's ruling) → the executor → a new index → the events leave the queue. One curator
runs at a time; whoever comes second leaves at once.

A batch is safe to lose at any point. Before each operation its intent (which events, how far
the session will have been read) is written down; whoever starts next finds either no
operation that names the events, and reads them again, or one, and only tidies up.
"""

import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from ultan import home, spool
from ultan.errors import IndexUnreadable, LanguageModelError, MalformedReply
from ultan.events import Event, Piece
from ultan.library import activity, upkeep
from ultan.library.actions import Action, Bump, Nudge
from ultan.library.executor import Receipt, execute
from ultan.library.snapshot import Library, read_library
from ultan.library.store import FileStore
from ultan.llm import LanguageModel, open_model
from ultan.llm.governor import day_of
from ultan.llm.recorded import Recorded, read_spending
from ultan.recall.compile import compile as compile_index
from ultan.recall.index import open_index
from ultan.settings import Settings
from ultan.verbs import bulletin, chores
from ultan.verbs.counting import bumps, counts
from ultan.verbs.curator_lock import napping, taken
from ultan.verbs.intents import Intent, Intents, drop_intents, keep_intents, kept_intents
from ultan.verbs.nearest import nearest_entries
from ultan.verbs.policy import Terms, is_excluded, tell_once, terms, without_excluded
from ultan.verbs.reading import Reading, keep_progress, pull_transcript, read_progress, read_session
from ultan.verbs.thinking import Draft, Failure, clerk_draft, staff_drafts
from ultan.verbs.waiting import by_session, turnout

BATCH_EVENTS = 5000
COMPILE_EVERY = 25  # stretches of past sessions
LONGEST_NAP_S = 5.0
BETWEEN_WAKES_S = 30.0  # as ultan.reflex.wake: so long a hook that finds a curator started starts no other
LOOK_S = 0.2
TRIES = 3  # failures of one session before it is read in smaller packets; one more, and it is set aside
NUDGES_A_TURN, NUDGES_A_SESSION = 1, 3
COUNTED = "counted:"
REMEMBERED = frozenset(("create", "update", "merge", "abstract", "revive", "deprecate"))


@dataclass(slots=True)
class CurateReport:
    """What one run did.

    Attributes:
        state: ``done``, ``nothing``, ``busy`` (another curator runs), ``off``, ``kept`` (see *kept*).
        by: who proposed.
        operations: numbers for ``undo``; ``remembered`` how many entries were written or corrected.
        refused: reasons; ``vetoed`` how many suggestions the scholar turned down.
        adopted: files a person wrote by hand; ``distrusted`` files an agent's tool wrote, which wait.
        faded: entries put away.
        kept: why events stay in the queue (quota, login, malformed, …), with *told* for people.
    """

    state: str = "nothing"
    by: str = ""
    sessions: int = 0
    events: int = 0
    operations: list[int] = field(default_factory=list)
    remembered: int = 0
    reinforced: int = 0
    pending: int = 0
    refused: list[str] = field(default_factory=list)
    vetoed: int = 0
    nudges: int = 0
    set_aside: int = 0
    adopted: int = 0
    distrusted: int = 0
    faded: int = 0
    kept: str = ""
    told: str = ""
    backlog: int = 0


def curate(
    root: str,
    settings: Settings,
    *,
    now: Callable[[], float],
    sleep: Callable[[float], None],
    by: str | None = None,
    once: bool = True,
    at_once: bool = False,
    model: LanguageModel | None = None,
) -> CurateReport:
    """What one curator did with the queue of the home *root*.

    Waits (with *sleep*) until a session is due, unless *at_once*; then reads all that are due.
    With *once* it ends there, else when nothing waits any more. *at_once* means that a person
    asks: a back-off after a failure does not count, caps do.

    Raises:
        StorageFailed: the disk is nearly full, or has no real locks.
        LibraryError, LanguageModelError: see ``errors``; what was not finished stays in the queue.
    """
    who = by or settings["curation.by"]
    if who == "off" or settings["curation.mode"] == "off":
        return CurateReport("off", who, backlog=len(spool.backlog(root)))
    if not os.path.isdir(root):
        return CurateReport("nothing", who)  # never made, or deleted by its owner: not for us to make
    lock = taken(root)
    if lock is None:
        return CurateReport("busy", who, backlog=len(spool.backlog(root)))

    try:
        curator = _Curator(root, settings, who, now, at_once=at_once, model=model)
        return curator.run(napping(root, lock, sleep), once=once)
    finally:
        lock.release()


def curate_past(
    root: str, settings: Settings, stretches: Iterable[Sequence[Event]], *, now: Callable[[], float], by: str = "clerk",
    model: LanguageModel | None = None,
) -> CurateReport:  # fmt: skip
    """What came of *stretches* of past sessions that no hook queued, oldest first.

    Each is read, written and noted before the next is asked for. What is written bears the day
    it was said, and takes nothing away that is newer. Ends early where a model can go on no more.

    Raises:
        StorageFailed, LibraryError: as ``curate``; what was read stays noted.
    """
    lock = taken(root)
    if lock is None:
        return CurateReport("busy", by)
    try:
        return _Curator(root, settings, by, now, at_once=True, model=model, is_past=True).run_past(stretches)
    finally:
        lock.release()


class _Curator:
    """One run under the lock; *is_past*: what it reads was said before today."""

    def __init__(
        self, root: str, settings: Settings, who: str, now: Callable[[], float], *, at_once: bool,
        model: LanguageModel | None, is_past: bool = False,
    ) -> None:  # fmt: skip
        self.is_past, self._said_at = is_past, 0.0
        self.root, self.settings, self.who, self.now, self.at_once = root, settings, who, now, at_once
        self.report = CurateReport(by=who)
        self.store = FileStore(root)
        self._model = model
        self._snapshot: Library | None = None
        self._has_written = False
        self._listed: frozenset[str] = frozenset()  # what was queued when this run last looked
        self._known_terms: dict[tuple[str, str], Terms] = {}
        self._read_under: dict[str, Terms] = {}  # session → how it may be read

    @property
    def model(self) -> LanguageModel:
        """The model, opened when first needed, under the governor."""
        inner = self._model or open_model(self.who, self.root, self.settings)
        return Recorded(inner, self.root, self.settings, self.now, insist=self.at_once)

    def _library(self) -> Library:
        """The library as this run knows it: read when first needed, and again after each write."""
        if self._snapshot is None or self._has_written:
            self._snapshot = read_library(self.store, self._snapshot)
            self._has_written = False
        return self._snapshot

    def _execute(self, actions: Sequence[Action], **more: Any) -> Receipt:
        late = 0.0 if self.is_past else activity.set_back_s(self.root, self.now())
        receipt = execute(self.store, actions, now=(self._said_at or self.now()) + late, library=self._library(), **more)
        self._has_written = self._has_written or bool(receipt.operation)
        return receipt

    def run(self, nap: Callable[[float], bool], *, once: bool) -> CurateReport:
        """The report after all rounds.

        *nap* waits without the lock, so that a person who asks for a run now need not wait as well;
        it says whether the lock is ours again.
        """
        self._note("running")
        chores.tidy(self.root, self.now())
        self._recover()
        until = 0.0 if self.at_once else self._woken_until()
        while True:
            wait_s = self._round()
            is_over = wait_s <= 0 or (once and self.report.state == "done")
            if self.report.kept or (is_over and self.now() >= until):
                break
            if not self._wait(nap, wait_s, until):
                self.report.state = self.report.state if is_over else "busy"
                return self.report  # somebody else has the lock, and goes on
        self.report.backlog = len(spool.backlog(self.root))
        if self.report.kept:
            self.report.state = "kept"
        if self.report.state != "nothing":
            if self.who == "clerk" and self.report.remembered:  # a model proposes splits while it reads
                self.report.pending += chores.propose_splits(self.root, self.store, self._library(), self.now())
                self._has_written = True
            self._fade()
            self._tell_of_policies()
        self._note("idle")
        return self.report

    def _woken_until(self) -> float:
        """Until when a curator that a hook has started stays: no hook starts another before, and turns go on ending."""
        try:
            return float(home.read(os.path.join(self.root, "runs", "woken"), 100)) + BETWEEN_WAKES_S
        except (OSError, ValueError):
            return 0.0

    def _wait(self, nap: Callable[[float], bool], wait_s: float, until: float) -> bool:
        """Nap until something is due, at most a few seconds, or something new is queued; whether the lock is ours again."""
        self._note("waiting")
        is_watching = self.now() < until
        step = LOOK_S if is_watching else LONGEST_NAP_S
        left = wait_s if wait_s > 0 else until - self.now()
        while left > 0:
            if not nap(min(left, step)):
                return False
            left -= step
            if not is_watching or not self._listed.issuperset(spool.backlog(self.root)):
                break
        self._note("running")
        self._recover()
        return True

    def run_past(self, stretches: Iterable[Sequence[Event]]) -> CurateReport:
        """The report after all *stretches*, or after the one at which a model stopped."""
        self._recover()
        before = unseen = self._library().number
        try:
            for place, events in enumerate(stretches, 1):
                for _ in range(TRIES + 1):  # a result that does not fit is asked for again, and then given up
                    self.report.kept = ""
                    self._batch([events])
                    if self.report.kept != "malformed":
                        break
                if self.report.kept:
                    self.report.state = "kept"
                    break
                if not place % COMPILE_EVERY and unseen != self._library().number:
                    unseen = self._library().number
                    self._compile()
        finally:
            if before != self._library().number:
                self._compile()
        return self.report

    def _round(self) -> float:
        """Read what is due; the seconds until the next session is, 0 if none waits."""
        events, touched, is_whole = self._waiting()
        self._quarantine([event for event in events if not event.session])
        sessions = by_session(event for event in events if event.session)
        out = turnout(sessions, self.settings, self.now())
        due = tuple(sessions) if self.at_once else out.due
        if not due:
            if self.at_once:
                self._settle(touched, is_whole=is_whole)
            return out.wait_s
        if self.who != "clerk" and self._is_stopped(sessions[name][-1].id for name in due):
            return 0.0
        self._settle(touched, is_whole=is_whole)
        self._batch([sessions[name] for name in due])
        return 0.0 if self.at_once else out.wait_s

    def _waiting(self) -> tuple[list[Event], frozenset[str], bool]:
        """The oldest events that may be read, what agents wrote into the library, and whether that is all.

        Events of a project that is off stay in the queue, and hold up no other.
        """
        names = spool.backlog(self.root)
        self._listed = frozenset(names)
        found: list[Event] = []
        touched: frozenset[str] = frozenset()
        at = 0
        while at < len(names) and len(found) < BATCH_EVENTS:
            taken = spool.take(self.root, names[at : at + BATCH_EVENTS])
            at += BATCH_EVENTS
            touched |= chores.touched_by(self.root, taken)
            found += [event for event in taken if self._terms(event.project, event.root).mode != "off"]
        return found, touched, at >= len(names)

    def _terms(self, project: str, folder: str) -> Terms:
        """How a session of *project* in *folder* may be read; looked up once a run."""
        known = self._known_terms.get((project, folder))
        if known is None:
            known = self._known_terms[project, folder] = terms(self.root, self.settings, project, folder)
        return known

    def _tell_of_policies(self) -> None:
        for said in self._known_terms.values():
            line = tell_once(self.root, said.unapproved) if said.unapproved else ""
            if line:
                self._trouble("policy", line)
                bulletin.tell(self.root, line)

    def _settle(self, touched: frozenset[str], *, is_whole: bool) -> None:
        """Take over what a person wrote by hand, and hold what an agent's tools wrote."""
        self._has_written = True  # somebody else may have, while nobody held the lock
        receipt = chores.settle_files(self.root, self.store, self._library(), touched, self.now(), is_whole=is_whole)
        if receipt is not None and receipt.operation:
            self.report.adopted += sum(verb == "adopt" for verb, _, _ in receipt.applied)
            self.report.distrusted += sum(verb == "distrust" for verb, _, _ in receipt.applied)
            self._compile()
        elif not self._is_indexed():
            self._compile()

    def _is_indexed(self) -> bool:
        """Whether prompts are primed from the library as it is: a file that was deleted by hand leaves no operation."""
        library = self._library()
        try:
            return open_index(self.root).fingerprint == library.fingerprint
        except IndexUnreadable:
            return not library.entries

    def _fade(self) -> None:
        put_away, fault = chores.fade(self.root, self.store, self.settings, self.now())
        self.report.faded = put_away
        if fault:
            self._trouble("fade", fault)

    def _batch(self, sessions: Sequence[Sequence[Event]]) -> None:
        readings = [self._read(events) for events in sessions]
        before = self._library().number
        intents = Intents()
        used: list[tuple[Reading, Receipt | None]] = []
        for reading, draft in self._drafts(readings):
            if isinstance(draft, Failure):
                self._failed(reading, draft.error)
                continue
            used.append((reading, self._write(reading, draft, intents)))
            self.report.vetoed += len(draft.vetoes)
        if not used:
            return
        if not self.is_past:
            if before != self._library().number:
                self._compile()
                self._lags(used)
            chores.note_days(self.root, [reading for reading, _ in used], self.now(), self._library())
        self._finish(intents)
        self.report.state = "done"
        self.report.sessions += len(used)
        self.report.events += sum(len(reading.events) for reading, _ in used)
        if not self.report.kept:
            bulletin.clear_stop(self.root)

    def _read(self, events: Sequence[Event]) -> Reading:
        session = events[0].session
        folder = next((event.root for event in reversed(events) if event.root), "")
        said = self._read_under[session] = self._terms(events[-1].project, folder)

        def pull(client: str, path: str, start: int, end: int) -> tuple[list[Piece], int]:
            pieces, after = pull_transcript(client, path, start, end)
            return [piece for piece in pieces if not is_excluded(piece, said)], after

        turns = self.settings["curation.overlap_turns"]
        return read_session(self.root, session, without_excluded(events, said), overlap_turns=turns, pull=pull)

    def _drafts(self, readings: Sequence[Reading]) -> Iterable[tuple[Reading, Draft | Failure]]:
        """A draft for each reading. The clerk sees what the one before wrote; models read one snapshot."""
        if self.who == "clerk":
            for reading in readings:
                library = self._library()
                yield reading, clerk_draft(reading, library, nearest_entries(self.root, library, reading.project))
            return
        library = self._library()
        ready = []
        for reading in readings:
            before = read_progress(self.root, reading.session)
            if before.tried_to >= reading.events[-1] and not self.at_once:
                continue  # it failed, and nobody has said anything since
            ready.append((reading, before.failures))
        yield from staff_drafts(
            ready, library, self.model, self.settings,
            nearest=lambda reading: nearest_entries(self.root, library, reading.project), tries=TRIES,
            calls_left=self._calls_left,
        )  # fmt: skip

    def _calls_left(self) -> int:
        spent = read_spending(self.root).days.get(day_of(self.now()))
        return int(self.settings["curation.calls_a_day"]) - (spent.calls if spent else 0)

    # --- writing ------------------------------------------------------------------------------

    def _write(self, reading: Reading, draft: Draft, intents: Intents) -> Receipt | None:
        """The receipt of what *draft* asks for; ``None`` if it asks for nothing."""
        actions = [action for action in draft.actions if not isinstance(action, Nudge)]
        actions = [action for action in actions if counts(reading.progress, action)]
        if self.is_past:
            self._said_at = _said_at(reading) or self.now()
            actions = [action for action in actions if self._is_newest(action)]
        counted = bumps(reading, self._library(), actions, judged=draft.is_judged)
        nudges = self._nudges(reading, draft)
        intents.items.append(Intent(events=list(reading.events), progress=reading.progress, bumps=counted))
        keep_intents(self.root, intents)
        receipt = None
        if actions or draft.vetoes:
            receipt = self._execute(
                actions, by=draft.by, why=draft.why, session=reading.session,
                sources={piece.id: piece for piece in reading.transcript.pieces}, events=reading.events,
                mode="ask" if self._read_under[reading.session].mode == "ask" else "auto", rulings=draft.vetoes,
            )  # fmt: skip
            self._tally(receipt)
        self._bump(counted, reading.events)
        for nudge in nudges:
            self._deliver(reading, nudge)
        return receipt

    def _is_newest(self, action: Action) -> bool:
        """Whether *action* takes nothing away that was written after it was said."""
        named = [getattr(action, name, ()) for name in ("entry", "into", "supersedes", "entries")]
        touched = {name for item in named for name in ((item,) if isinstance(item, str) else tuple(item))}
        said = upkeep.day(self._said_at)
        newer = [name for name in touched if name in self._library().entries and self._library().entries[name].updated > said]
        if newer:
            self.report.refused.append(f"{action.verb}: {newer[0]} is newer than what was said on {said}")
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
        self.report.nudges += 1

    def _tally(self, receipt: Receipt) -> None:
        report = self.report
        written = {entry for verb, entry, _ in receipt.applied if verb in REMEMBERED}
        report.remembered += len(written)
        report.reinforced += sum(verb == "reinforce" for verb, _, _ in receipt.applied)
        report.refused += [f"{refusal.action.verb}: {refusal.reason}" for refusal in receipt.refused]
        report.pending += len(receipt.pending)
        if receipt.operation:
            report.operations.append(receipt.number)
        if written and not self.is_past:
            bulletin.announce(self.root, len(written), receipt.number, self.now())

    def _compile(self) -> None:
        self._snapshot = read_library(self.store, self._snapshot)  # with whatever else was written meanwhile
        self._has_written = False
        compile_index(self._snapshot, self.root, self.settings, now=self.now())

    def _lags(self, used: Iterable[tuple[Reading, Receipt | None]]) -> None:
        bulletin.keep_lags(
            self.root,
            [
                (receipt.number, self.who, round(reading.spoken_at, 3), round(self.now(), 3))
                for reading, receipt in used
                if receipt and receipt.operation and reading.spoken_at
            ],
        )

    # --- finishing, and finishing for one who died ------------------------------------------------

    def _finish(self, intents: Intents) -> None:
        for intent in intents.items:
            keep_progress(self.root, intent.progress)
        for intent in intents.items:
            spool.done(self.root, intent.events)
        drop_intents(self.root)

    def _recover(self) -> None:
        """Tidy up after a curator that died between an operation and the end of its batch."""
        intents = kept_intents(self.root)
        if not intents.items:
            return
        used = self._library().events
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
            self._compile()
        self._finish(Intents(items=finished))

    # --- what cannot go on ------------------------------------------------------------------------

    def _failed(self, reading: Reading, error: LanguageModelError) -> None:
        """Keep the events of *reading*; a session that failed too often is set aside."""
        was_told = self.report.told == str(error)  # a thousand sessions may wait for the same limit
        self.report.kept, self.report.told = bulletin.word(error), str(error)
        if not isinstance(error, MalformedReply):
            if not was_told:
                bulletin.stop(self.root, error, self.now())
            return
        before = read_progress(self.root, reading.session)
        failures = before.failures + 1
        if failures > TRIES:
            spool.set_aside(self.root, reading.events)
            keep_progress(self.root, reading.progress)
            self.report.set_aside += len(reading.events)
            self.report.kept = ""
            self._trouble("set_aside", f"{len(reading.events)} events of session {reading.session}: {error}")
            return
        keep_progress(self.root, before.model_copy(update={"failures": failures, "tried_to": reading.events[-1]}))
        self._trouble("malformed", f"session {reading.session}, try {failures}: {error}")

    def _is_stopped(self, newest: Iterable[str]) -> bool:
        """Whether the models stopped, and asking again now would only be asking again."""
        stopped = bulletin.stopped(self.root)
        if stopped is None or self.at_once:
            return False
        if self.now() >= stopped.until and max(newest, default="") > stopped.newest:
            return False
        self.report.kept, self.report.told = stopped.why, stopped.told
        return True

    def _quarantine(self, events: Sequence[Event]) -> None:
        """Set aside events without a session: nothing can be learned from them, ever."""
        if events:
            spool.set_aside(self.root, [event.id for event in events])
            self.report.set_aside += len(events)
            self._trouble("no_session", f"{len(events)} events name no session")

    def _trouble(self, what: str, told: str) -> None:
        bulletin.trouble(self.root, what, told, self.now())

    def _note(self, state: str) -> None:
        report = self.report
        bulletin.note_run(
            self.root, state, self.who, self.now(), last=report.state, kept=report.kept, told=report.told,
            operations=report.operations, events=report.events,
        )  # fmt: skip


def _said_at(reading: Reading) -> float:
    """When the last piece of *reading* was said, seconds since the epoch; 0 if none says."""
    stamps = [piece.at for piece in reading.news if piece.at]
    try:
        return datetime.fromisoformat(max(stamps)).timestamp() if stamps else 0.0
    except ValueError:
        return 0.0
