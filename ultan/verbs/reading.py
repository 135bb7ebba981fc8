"""What is new in each session: queued events and the client's own transcript become one Transcript.

The transcript is the truth; hooks read it as far as they have time, and the rest of what they
saw of it is read here, from the offset they left. A piece is read once: by its id (a fork repeats its parent's), and by its text
where a hook was quicker than the file. ``Progress`` remembers, for each session, how far it
was read; it is written only after the operation that used it is committed.
"""

import importlib
import os
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from hashlib import blake2b

from pydantic import BaseModel, ConfigDict, ValidationError

from ultan import clients, home, redaction
from ultan.events import PASTED, PERSON, USER, Event, Piece, Transcript
from ultan.library import upkeep
from ultan.veil import unveiled

Pull = Callable[[str, str, int, int], tuple[list[Piece], int]]  # client, path, from, to → pieces, offset after them

CHUNK_BYTES = 8 << 20
SEEN_IDS = 20000
LOOSE_TEXTS = 200
OVERLAP_PIECES = 16
OVERLAP_CHARS = 8000
RELATIVES = 40  # sessions looked at for a fork's parent
SAFE_NAME = re.compile(r"^[A-Za-z0-9][A-Za-z0-9_-]{0,79}$")


class Progress(BaseModel):
    """How far one session was read.

    Attributes:
        offsets: transcript path → bytes read.
        seen: ids of pieces read, oldest first; ``loose`` digests of texts that a hook delivered
            and the transcript has not shown yet.
        prompts: how many prompts were read: the number of the next turn.
        overlap: the last pieces, as lists.
        surfaced: entry → turns in which it was shown; ``fetched`` entries that were opened.
        helpful: "entry@turn" already counted.
        nudges: how many were given in this session; ``nudged_at`` after how many prompts the last one.
        failures: readings in a row that failed; ``tried_to`` the newest event of the last one.
    """

    model_config = ConfigDict(extra="ignore")

    session: str
    project: str = ""
    offsets: dict[str, int] = {}
    seen: list[str] = []
    loose: list[str] = []
    prompts: int = 0
    overlap: list[list[str | int]] = []
    surfaced: dict[str, list[int]] = {}
    fetched: list[str] = []
    helpful: list[str] = []
    nudges: int = 0
    nudged_at: int = -1
    failures: int = 0
    tried_to: str = ""


@dataclass(frozen=True, slots=True)
class Reading:
    """One session's news.

    Attributes:
        events: ids of the queued events behind it, oldest first.
        transcript: overlap and new pieces.
        progress: what to keep once this was used.
        shown, opened, noticed: entry → how often, in these events alone.
        spoken_at: when the last prompt was captured, seconds since the epoch; 0 if none.
        ended: whether the session is over.
    """

    session: str
    project: str
    events: tuple[str, ...]
    transcript: Transcript
    progress: Progress
    shown: dict[str, int] = field(default_factory=dict)
    opened: dict[str, int] = field(default_factory=dict)
    spoken_at: float = 0.0
    ended: bool = False

    @property
    def news(self) -> list[Piece]:
        """The pieces that were not read before."""
        return self.transcript.pieces[self.transcript.overlap :]

    @property
    def needs_thought(self) -> bool:
        """Whether a model could find anything: the person spoke, or something shown may have helped."""
        if any(piece.origin in PERSON for piece in self.news):
            return True
        return bool(self.transcript.surfaced) and any(piece.origin == "assistant" for piece in self.news)


def read_session(
    root: str, session: str, events: Sequence[Event], *, overlap_turns: int, pull: Pull | None = None
) -> Reading:
    """The news of *session* in *events* (all of them its own, oldest first)."""
    pull = pull or pull_transcript
    before = read_progress(root, session)
    seen = set(before.seen) or _seen_by_relatives(root, session)
    offsets = dict(before.offsets)
    told: list[Piece] = []
    for stretch in _unread(events, offsets):
        pieces, offsets[stretch.path] = pull(stretch.client, stretch.path, stretch.start, stretch.end)
        told += [piece for piece in pieces if not (piece.id in seen or seen.add(piece.id))]  # type: ignore[func-returns-value]
    loose = list(before.loose)
    told = [piece for piece in told if not _settle(loose, piece)]
    waiting = [_digest(piece) for piece in told]
    for event in events:
        for piece in event.pieces:
            if piece.id in seen:
                continue
            seen.add(piece.id)
            mark = _digest(piece)
            if mark in waiting:
                waiting.remove(mark)  # the transcript says it too, in its place
                continue
            _place(told, _dated(piece, event))
            loose.append(mark)
    prompts = _number(told, before.prompts)
    fresh = [_cleaned(piece) for piece in told]
    context = [Piece(*item) for item in before.overlap]  # type: ignore[arg-type]
    counts = _Counts(before, events)
    known = set(before.seen)
    after = before.model_copy(
        update={
            "project": events[-1].project if events else before.project, "offsets": offsets, "prompts": prompts,
            "seen": [*before.seen, *(name for name in seen if name not in known)][-SEEN_IDS:],
            "loose": loose[-LOOSE_TEXTS:], "surfaced": counts.surfaced, "fetched": counts.fetched,
            "overlap": [piece.as_list() for piece in _tail([*context, *fresh], prompts - overlap_turns)],
            "failures": 0, "tried_to": "",
        }
    )  # fmt: skip
    days = [piece.at[:10] for piece in fresh if piece.at]
    transcript = Transcript(
        session, after.project, [*context, *fresh], overlap=len(context), surfaced=counts.surfaced,
        fetched=counts.fetched, day=days[-1] if days else "",
    )  # fmt: skip
    spoken = [event.at for event in events if event.kind == "prompt"]
    return Reading(
        session, after.project, tuple(event.id for event in events), transcript, after, counts.shown, counts.opened,
        max(spoken, default=0.0), any(event.kind == "session_end" for event in events),
    )  # fmt: skip


def pull_transcript(client: str, path: str, start: int, end: int) -> tuple[list[Piece], int]:
    """The pieces between two offsets of the client's transcript, and where reading stopped; what is gone is gone."""
    place = clients.CLIENTS.get(client)
    if place is None:
        return [], start
    module = importlib.import_module(place)
    found: list[Piece] = []
    path = next(iter(unveiled(path)), path)
    try:
        while start < end:
            pieces, after = module.read_transcript(path, start, min(CHUNK_BYTES, end - start))
            found += pieces
            if after <= start:
                break
            start = after
    except OSError:
        return found, start
    return found, start


# --- what is remembered about a session -----------------------------------------------------------


def progress_path(root: str, session: str) -> str:
    """Where the progress of *session* is kept."""
    name = session if SAFE_NAME.match(session) else blake2b(session.encode(), digest_size=16).hexdigest()
    return os.path.join(root, "runs", "reading", name + ".json")


def read_progress(root: str, session: str) -> Progress:
    """How far *session* was read; not at all, where nothing or nothing readable is kept."""
    try:
        return Progress.model_validate_json(home.read(progress_path(root, session)))
    except (OSError, ValidationError):
        return Progress(session=session)


def keep_progress(root: str, progress: Progress) -> None:
    """Write *progress* down."""
    path = progress_path(root, progress.session)
    home.make_folder(os.path.dirname(path))
    home.write(path, progress.model_dump_json().encode())


def _seen_by_relatives(root: str, session: str) -> set[str]:
    """Ids read in other sessions: a fork copies its parent's lines under a new session id."""
    folder = os.path.join(root, "runs", "reading")
    own = os.path.basename(progress_path(root, session))
    try:
        names = [name for name in os.listdir(folder) if name.endswith(".json") and name != own]
        names.sort(key=lambda name: os.stat(os.path.join(folder, name)).st_mtime, reverse=True)
    except OSError:
        return set()
    seen: set[str] = set()
    for name in names[:RELATIVES]:
        try:
            seen.update(Progress.model_validate_json(home.read(os.path.join(folder, name))).seen)
        except (OSError, ValidationError):
            continue
    return seen


# --- from events to pieces ------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Stretch:
    client: str
    path: str
    start: int
    end: int


def _unread(events: Iterable[Event], known: dict[str, int]) -> list[_Stretch]:
    """What the hooks saw of each transcript and had no time to read.

    Only as far as the file reached when a hook looked: what was written while Ultan was paused
    or shut out is none of its business.
    """
    found: dict[str, _Stretch] = {}
    for event in events:
        path, size, done = (event.data.get(name) for name in ("transcript", "size", "to"))
        if not isinstance(path, str) or not path or not isinstance(size, int):
            continue
        before = found.get(path, _Stretch(event.client or clients.DEFAULT, path, known.get(path, 0), 0))
        start = max(before.start, done if isinstance(done, int) else 0)
        found[path] = _Stretch(before.client, path, start, max(before.end, size))
    return [stretch for stretch in found.values() if stretch.start < stretch.end]


def _digest(piece: Piece) -> str:
    who = "person" if piece.origin in PERSON or piece.origin == PASTED else piece.origin
    words = " ".join(piece.text.split())
    return blake2b(f"{who}\0{words}".encode(), digest_size=8).hexdigest()


def _settle(loose: list[str], piece: Piece) -> bool:
    """Whether a hook delivered the text of *piece* before; each delivery settles one piece."""
    mark = _digest(piece)
    if mark not in loose:
        return False
    loose.remove(mark)
    return True


def _dated(piece: Piece, event: Event) -> Piece:
    at = piece.at or datetime.fromtimestamp(upkeep.told(event.at), UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    return Piece(piece.id, piece.origin, piece.text, at, piece.turn, piece.about)


def _place(pieces: list[Piece], late: Piece) -> None:
    """Put *late* after the last piece that is not younger; the others keep their order."""
    at = len(pieces)
    while at and pieces[at - 1].at and pieces[at - 1].at > late.at:
        at -= 1
    pieces.insert(at, late)


def _number(pieces: Sequence[Piece], prompts: int) -> int:
    """How many prompts there are after *pieces*, which get the number of the prompt they belong to."""
    last = ""
    for piece in pieces:
        stem = piece.id.partition(".")[0]  # the parts of one prompt, typed and pasted
        if piece.origin in (USER, PASTED) and stem != last:
            prompts += 1
            last = stem
        piece.turn = max(prompts - 1, 0)
    return prompts


def _cleaned(piece: Piece) -> Piece:
    """*piece* after the second layer of redaction, before anything else reads it."""
    piece.text = redaction.deep(piece.text)[0]
    piece.about = redaction.deep(piece.about)[0] if piece.about else ""
    return piece


def _tail(pieces: Sequence[Piece], first_turn: int) -> list[Piece]:
    """The pieces of the last turns, at most ``OVERLAP_PIECES`` and ``OVERLAP_CHARS``."""
    kept: list[Piece] = []
    room = OVERLAP_CHARS
    for piece in reversed(pieces):
        if piece.turn < first_turn or len(kept) >= OVERLAP_PIECES or len(piece.text) > room:
            break
        room -= len(piece.text)
        kept.append(piece)
    return kept[::-1]


class _Counts:
    """What was shown and opened, by entry."""

    __slots__ = ("fetched", "opened", "shown", "surfaced")

    def __init__(self, before: Progress, events: Iterable[Event]) -> None:
        self.surfaced = {name: list(turns) for name, turns in before.surfaced.items()}
        self.fetched = list(before.fetched)
        self.shown: dict[str, int] = {}
        self.opened: dict[str, int] = {}
        turn = before.prompts - 1
        for event in events:
            if event.kind == "prompt":
                turn += 1
            elif event.kind in ("surfaced", "noticed"):
                for name in _ids(event):
                    self.shown[name] = self.shown.get(name, 0) + 1
                    self.surfaced.setdefault(name, []).append(max(turn, 0))
            elif event.kind == "fetched":
                for name in _ids(event):
                    self.opened[name] = self.opened.get(name, 0) + 1
                    if name not in self.fetched:
                        self.fetched.append(name)


def _ids(event: Event) -> list[str]:
    named = event.data.get("ids")
    single = event.data.get("id")
    found = [name for name in named if isinstance(name, str)] if isinstance(named, list) else []
    return found + ([single] if isinstance(single, str) and single not in found else [])
