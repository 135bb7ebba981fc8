"""What a run of ``curate`` tells: the report it hands back, the lines people find later, and why it could not go on."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from ultan import spool
from ultan.errors import LanguageModelError, MalformedReply
from ultan.events import Event
from ultan.library.executor import Receipt
from ultan.verbs import bulletin
from ultan.verbs.policy import Terms, tell_once
from ultan.verbs.reading import Reading, keep_progress, read_progress

TRIES = 3  # failures of one session before it is read in smaller packets; one more, and it is set aside
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


class Telling:
    """The report of the run of *who* in the home *root*, as it comes about, and what is told beside it."""

    def __init__(self, root: str, who: str, now: Callable[[], float]) -> None:
        self.root, self.who, self.now = root, who, now
        self.report = CurateReport(by=who)

    def note(self, state: str) -> None:
        """Leave for ``doctor`` what the run is about, and what the last one came to."""
        report = self.report
        bulletin.note_run(
            self.root, state, self.who, self.now(), last=report.state, kept=report.kept, told=report.told,
            operations=report.operations, events=report.events,
        )  # fmt: skip

    def trouble(self, what: str, told: str) -> None:
        """Leave a trouble line."""
        bulletin.trouble(self.root, what, told, self.now())

    def policies(self, known: Iterable[Terms]) -> None:
        """Tell once of each project file that asks for more than the person allowed."""
        for said in known:
            line = tell_once(self.root, said.unapproved) if said.unapproved else ""
            if line:
                self.trouble("policy", line)
                bulletin.tell(self.root, line)

    def tally(self, receipt: Receipt, *, is_past: bool) -> None:
        """Count what was written; what was said today is announced at the next session start."""
        report = self.report
        written = {entry for verb, entry, _ in receipt.applied if verb in REMEMBERED}
        report.remembered += len(written)
        report.reinforced += sum(verb == "reinforce" for verb, _, _ in receipt.applied)
        report.refused += [f"{refusal.action.verb}: {refusal.reason}" for refusal in receipt.refused]
        report.pending += len(receipt.pending)
        if receipt.operation:
            report.operations.append(receipt.number)
        if written and not is_past:
            bulletin.announce(self.root, len(written), receipt.number, self.now())

    def lags(self, used: Iterable[tuple[Reading, Receipt | None]]) -> None:
        """Note how long after it was said each session was written."""
        bulletin.keep_lags(
            self.root,
            [
                (receipt.number, self.who, round(reading.spoken_at, 3), round(self.now(), 3))
                for reading, receipt in used
                if receipt and receipt.operation and reading.spoken_at
            ],
        )

    # --- what cannot go on ------------------------------------------------------------------------

    def failed(self, reading: Reading, error: LanguageModelError) -> None:
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
            self.trouble("set_aside", f"{len(reading.events)} events of session {reading.session}: {error}")
            return
        keep_progress(self.root, before.model_copy(update={"failures": failures, "tried_to": reading.events[-1]}))
        self.trouble("malformed", f"session {reading.session}, try {failures}: {error}")

    def is_stopped(self, newest: Iterable[str]) -> bool:
        """Whether the models stopped, and asking again now would only be asking again."""
        stopped = bulletin.stopped(self.root)
        if stopped is None:
            return False
        if self.now() >= stopped.until and max(newest, default="") > stopped.newest:
            return False
        self.report.kept, self.report.told = stopped.why, stopped.told
        return True

    def quarantine(self, events: Sequence[Event]) -> None:
        """Set aside events without a session: nothing can be learned from them, ever."""
        if events:
            spool.set_aside(self.root, [event.id for event in events])
            self.report.set_aside += len(events)
            self.trouble("no_session", f"{len(events)} events name no session")
