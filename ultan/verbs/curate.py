"""Curate: what sessions said becomes what the library knows.

Queued events → one Transcript a session → a Proposal (the clerk's, or the librarian's under
the scholar's ruling) → the executor → a new index → the events leave the queue. One curator
runs at a time; whoever comes second leaves at once.

A batch is safe to lose at any point: see ``writing``. What is told of a run is in ``telling``.
"""

import os
from collections.abc import Callable, Iterable, Sequence

from ultan import home, spool
from ultan.events import Event, Piece
from ultan.library.executor import Receipt
from ultan.llm import LanguageModel, open_model
from ultan.llm.governor import day_of
from ultan.llm.recorded import Recorded, read_spending
from ultan.settings import Settings
from ultan.verbs import bulletin, chores
from ultan.verbs.curator_lock import napping, taken
from ultan.verbs.intents import Intents
from ultan.verbs.nearest import nearest_entries
from ultan.verbs.policy import Terms, is_excluded, terms, without_excluded
from ultan.verbs.reading import Reading, pull_transcript, read_progress, read_session
from ultan.verbs.telling import TRIES, CurateReport, Telling
from ultan.verbs.thinking import Draft, Failure, clerk_draft, staff_drafts
from ultan.verbs.waiting import by_session, turnout
from ultan.verbs.writing import Writing

BATCH_EVENTS = 5000
COMPILE_EVERY = 25  # stretches of past sessions
LONGEST_NAP_S = 5.0
BETWEEN_WAKES_S = 30.0  # as ultan.reflex.wake: so long a hook that finds a curator started starts no other
LOOK_S = 0.2


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
        self.is_past = is_past
        self.root, self.settings, self.who, self.now, self.at_once = root, settings, who, now, at_once
        self.telling = Telling(root, who, now)
        self.report = self.telling.report
        self.writing = Writing(root, settings, now, self.telling, is_past=is_past)
        self._model = model
        self._listed: frozenset[str] = frozenset()  # what was queued when this run last looked
        self._known_terms: dict[tuple[str, str], Terms] = {}
        self._read_under: dict[str, Terms] = {}  # session → how it may be read

    @property
    def model(self) -> LanguageModel:
        """The model, opened when first needed, under the governor."""
        inner = self._model or open_model(self.who, self.root, self.settings)
        return Recorded(inner, self.root, self.settings, self.now, insist=self.at_once)

    def run(self, nap: Callable[[float], bool], *, once: bool) -> CurateReport:
        """The report after all rounds.

        *nap* waits without the lock, so that a person who asks for a run now need not wait as well;
        it says whether the lock is ours again.
        """
        self.telling.note("running")
        chores.tidy(self.root, self.now())
        self.writing.recover()
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
                self.report.pending += chores.propose_splits(self.root, self.writing.store, self.writing.library(), self.now())
                self.writing.read_again()
            self._fade()
            self.telling.policies(self._known_terms.values())
        self.telling.note("idle")
        return self.report

    def _woken_until(self) -> float:
        """Until when a curator that a hook has started stays: no hook starts another before, and turns go on ending."""
        try:
            return float(home.read(os.path.join(self.root, "runs", "woken"), 100)) + BETWEEN_WAKES_S
        except (OSError, ValueError):
            return 0.0

    def _wait(self, nap: Callable[[float], bool], wait_s: float, until: float) -> bool:
        """Nap until something is due, at most a few seconds, or something new is queued; whether the lock is ours again."""
        self.telling.note("waiting")
        is_watching = self.now() < until
        step = LOOK_S if is_watching else LONGEST_NAP_S
        left = wait_s if wait_s > 0 else until - self.now()
        while left > 0:
            if not nap(min(left, step)):
                return False
            left -= step
            if not is_watching or not self._listed.issuperset(spool.backlog(self.root)):
                break
        self.telling.note("running")
        self.writing.recover()
        return True

    def run_past(self, stretches: Iterable[Sequence[Event]]) -> CurateReport:
        """The report after all *stretches*, or after the one at which a model stopped."""
        self.writing.recover()
        before = unseen = self.writing.library().number
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
                if not place % COMPILE_EVERY and unseen != self.writing.library().number:
                    unseen = self.writing.library().number
                    self.writing.compile()
        finally:
            if before != self.writing.library().number:
                self.writing.compile()
        return self.report

    def _round(self) -> float:
        """Read what is due; the seconds until the next session is, 0 if none waits."""
        events, touched, is_whole = self._waiting()
        self.telling.quarantine([event for event in events if not event.session])
        sessions = by_session(event for event in events if event.session)
        out = turnout(sessions, self.settings, self.now())
        due = tuple(sessions) if self.at_once else out.due
        if not due:
            if self.at_once:
                self._settle(touched, is_whole=is_whole)
            return out.wait_s
        if self.who != "clerk" and not self.at_once and self.telling.is_stopped(sessions[name][-1].id for name in due):
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

    def _settle(self, touched: frozenset[str], *, is_whole: bool) -> None:
        """Take over what a person wrote by hand, and hold what an agent's tools wrote."""
        self.writing.read_again()  # somebody else may have, while nobody held the lock
        receipt = chores.settle_files(self.root, self.writing.store, self.writing.library(), touched, self.now(), is_whole=is_whole)
        if receipt is not None and receipt.operation:
            self.report.adopted += sum(verb == "adopt" for verb, _, _ in receipt.applied)
            self.report.distrusted += sum(verb == "distrust" for verb, _, _ in receipt.applied)
            self.writing.compile()
        elif not self.writing.is_indexed():
            self.writing.compile()

    def _fade(self) -> None:
        put_away, fault = chores.fade(self.root, self.writing.store, self.settings, self.now())
        self.report.faded = put_away
        if fault:
            self.telling.trouble("fade", fault)

    def _batch(self, sessions: Sequence[Sequence[Event]]) -> None:
        readings = [self._read(events) for events in sessions]
        before = self.writing.library().number
        intents = Intents()
        used: list[tuple[Reading, Receipt | None]] = []
        for reading, draft in self._drafts(readings):
            if isinstance(draft, Failure):
                self.telling.failed(reading, draft.error)
                continue
            mode = "ask" if self._read_under[reading.session].mode == "ask" else "auto"
            used.append((reading, self.writing.write(reading, draft, intents, mode=mode)))
            self.report.vetoed += len(draft.vetoes)
        if not used:
            return
        if not self.is_past:
            if before != self.writing.library().number:
                self.writing.compile()
                self.telling.lags(used)
            chores.note_days(self.root, [reading for reading, _ in used], self.now(), self.writing.library())
        self.writing.finish(intents)
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
                library = self.writing.library()
                yield reading, clerk_draft(reading, library, nearest_entries(self.root, library, reading.project))
            return
        library = self.writing.library()
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
