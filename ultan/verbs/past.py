"""Import of past sessions: what the client kept of them goes the same way as what hooks see live.

Each transcript is read in steps, oldest session first, and what a step brings is curated as
if it had just been said: by the same clerk or models, under the same rules of origin and trust,
dated by the day it was said. How far each session was read stands where live reading notes it
(``Progress``), so an import may be broken off and run again, and what hooks saw live is not
read twice. The client's files are only read.
"""

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from ultan import home, spool
from ultan.clients import DEFAULT
from ultan.clients.claude_past import memory_files, past_sessions
from ultan.errors import UsageError
from ultan.events import ASSISTANT, PERSON, Event, Piece
from ultan.library.actions import Action, Cite, Create
from ultan.library.executor import execute
from ultan.library.snapshot import read_library
from ultan.library.store import FileStore
from ultan.llm import LanguageModel
from ultan.redaction import deep, redact
from ultan.settings import Settings
from ultan.verbs.curate import curate_past
from ultan.verbs.desk import Desk
from ultan.verbs.import_ import RULE_CHARS, TITLE_CHARS, Text, documents
from ultan.verbs.policy import terms
from ultan.verbs.reading import pull_transcript, read_progress
from ultan.verbs.spend import Estimate, estimate, shown_chars

STEP_BYTES = 4 << 20
QUOTE_CHARS = 600
Told = Callable[[int, int], None]  # bytes read, bytes there are


@dataclass(frozen=True, slots=True)
class PastSession:
    """One transcript; *done* bytes of its *size* were read before."""

    session: str
    path: str
    size: int
    done: int


@dataclass(frozen=True, slots=True)
class Past:
    """What there is to bring in, before anything is.

    Attributes:
        sessions: with something unread; ``known`` how many were read to their end before.
        notes: files of the client's own memory.
        estimate: what a model would take for them; ``None`` where none is asked.
    """

    folder: str
    sessions: tuple[PastSession, ...]
    known: int
    notes: tuple[str, ...]
    unread_bytes: int
    estimate: Estimate | None = None


@dataclass(frozen=True, slots=True)
class Brought:
    """What came of it.

    Attributes:
        sessions: read to their end; ``left`` those that were not.
        remembered: entries written or corrected; ``reinforced`` said again; ``pending`` held for review.
        notes: entries made from the client's own memory, which nobody has confirmed.
        refused: reasons.
        kept: why it stopped early (quota, login, …), with ``told`` for people; empty if it did not.
        operations: numbers for ``undo``.
    """

    sessions: int
    left: int
    remembered: int
    reinforced: int
    pending: int
    notes: int
    refused: tuple[str, ...]
    operations: tuple[int, ...]
    kept: str = ""
    told: str = ""


def past(root: str, folder: str, place: str = "") -> Past:
    """What the client keeps in *folder* (of the project in *place*, where given) and was not read yet.

    Raises:
        UsageError: there is nothing.
    """
    found = [_session(root, path) for path in past_sessions(folder, place)]
    notes = tuple(memory_files(folder))
    if not found and not notes:
        raise UsageError(f"there are no sessions in {folder}", "stand in the project's folder, or name the client's folder of it")
    unread = tuple(one for one in found if one.done < one.size)
    return Past(folder, unread, len(found) - len(unread), notes, sum(one.size - one.done for one in unread))


def priced(root: str, found: Past, settings: Settings, now: float) -> Past:
    """*found* with what reading it by a model would take; asks nobody, and holds one step in memory at a time."""
    sizes = []
    for one in found.sessions:
        size, has_words = 0, False
        for piece in _all_pieces(one):
            size += shown_chars((piece,))
            has_words = has_words or piece.origin in PERSON
        sizes += [size] if has_words else []
    return replace(found, estimate=estimate(root, settings, now, sizes))


def import_past(
    desk: Desk, found: Past, *, project: str, place: str, by: str = "clerk", clock: Callable[[], float],
    model: LanguageModel | None = None, told: Told | None = None,
) -> Brought:  # fmt: skip
    """What came of reading *found* as sessions of *project*, whose folder is *place*.

    Raises:
        UsageError: curation is off for the project.
    """
    mode = terms(desk.root, desk.settings, project, place).mode
    if mode == "off":
        raise UsageError(f"curation is off for {project or 'this home'}", "ultan config curation.modes, or curation.mode")
    stretches = _stretches(found, project, place, clock, told)
    report = curate_past(desk.root, desk.settings, stretches, now=clock, by=by, model=model)
    if report.state == "busy":
        raise UsageError("another curator is at work", "try again in a moment")
    left = [one for one in found.sessions if _session(desk.root, one.path).done < one.size]
    notes, refused, number = (0, (), 0) if report.kept else _bring_notes(desk, found.notes, project, mode, clock())
    return Brought(
        len(found.sessions) - len(left), len(left), report.remembered, report.reinforced, report.pending, notes,
        (*report.refused, *refused), (*report.operations, *((number,) if number else ())), report.kept, report.told,
    )  # fmt: skip


# --- sessions -------------------------------------------------------------------------------------


def _session(root: str, path: str) -> PastSession:
    name = os.path.basename(path)[:-6]
    size = _whole_bytes(path)
    return PastSession(name, path, size, min(read_progress(root, name).offsets.get(path, 0), size))


def _whole_bytes(path: str) -> int:
    """Where the last whole line of *path* ends: a session that is going on may be in the middle of one."""
    size = os.path.getsize(path)
    with open(path, "rb") as file:
        at = size
        while at > 0:
            start = max(0, at - (64 << 10))
            file.seek(start)
            end = file.read(at - start).rfind(b"\n")
            if end >= 0:
                return start + end + 1
            at = start
    return 0


def _stretches(
    found: Past, project: str, place: str, clock: Callable[[], float], told: Told | None
) -> Iterator[list[Event]]:
    """One event for each step of each session, as a hook would have queued it; made when it is asked for."""
    done = 0
    for one in found.sessions:
        start = one.done
        while start < one.size:
            end = _line_end(one.path, min(start + STEP_BYTES, one.size), one.size)
            known = {"transcript": one.path, "from": start, "to": start, "size": end}
            yield [
                Event(
                    spool.new_id(clock()), clock(), "session_end", client=DEFAULT, session=one.session, project=project,
                    root=place, data=known,
                )
            ]  # fmt: skip
            done += end - start
            start = end
            if told is not None:
                told(done, found.unread_bytes)


def _line_end(path: str, at: int, size: int) -> int:
    """The end of the line that the byte before *at* is in."""
    with open(path, "rb") as file:
        file.seek(max(at - 1, 0))
        at = max(at - 1, 0)
        while at < size:
            part = file.read(1 << 20)
            if not part:
                break
            end = part.find(b"\n")
            if end >= 0:
                return min(at + end + 1, size)
            at += len(part)
    return size


def _all_pieces(one: PastSession) -> Iterator[Piece]:
    start = one.done
    while start < one.size:
        end = _line_end(one.path, min(start + STEP_BYTES, one.size), one.size)
        yield from pull_transcript(DEFAULT, one.path, start, end)[0]
        start = end


# --- the client's own memory ----------------------------------------------------------------------


def _bring_notes(
    desk: Desk, paths: Sequence[str], project: str, mode: str, now: float
) -> tuple[int, tuple[str, ...], int]:
    """How many entries the client's own memory files gave, what was refused, and the operation.

    The assistant wrote them, so they are findings of the project that a person may confirm.
    """
    skipped: list[tuple[str, str]] = []
    store = FileStore(desk.root)
    known = {" ".join(entry.rule.split()).casefold() for entry in read_library(store).entries.values()}
    sources: dict[str, Piece] = {}
    actions: list[Action] = []
    for path in paths:
        text = home.read(path).decode("utf-8", "replace").replace("\r\n", "\n")
        for item in documents(text, os.path.basename(path), skipped):
            action = _note(item, f"memory:{os.path.basename(path)}", project, sources)
            if " ".join(action.rule.split()).casefold() not in known:
                actions.append(action)
    refused = tuple(f"{where}: {reason}" for where, reason in skipped)
    if not actions or not project:
        return 0, refused, 0
    receipt = execute(
        store, actions, now=now, by="clerk", why="the client's own memory", session="memory", sources=sources,
        mode="ask" if mode == "ask" else "auto",
    )  # fmt: skip
    if receipt.applied:
        desk.compile()
    refused += tuple(f"{getattr(each.action, 'title', '')}: {each.reason}" for each in receipt.refused)
    return len(receipt.applied), refused, receipt.number


def _note(item: Text, name: str, project: str, sources: dict[str, Piece]) -> Create:
    clean = deep(redact(item.text)[0])[0]
    head = clean[:RULE_CHARS].rpartition("\n\n")[0] or clean[:RULE_CHARS] if len(clean) > RULE_CHARS else clean
    sources[name] = Piece(name, ASSISTANT, clean)
    title = item.title if len(item.title) >= 3 else f"note {item.title}"
    return Create(
        folder=f"projects/{project}", kind="finding", title=title[:TITLE_CHARS], rule=head.strip(), tags=item.tags,
        applies_when=item.cues, evidence=(Cite(event=name, quote=head.strip()[:QUOTE_CHARS]),),
    )  # fmt: skip
