"""``capture --dry-run``: what a hook's payload, or a transcript, would put into the queue. Writes nothing.

A payload goes through the real hook in a throw-away home with the person's own settings; a
transcript through the real reader, in steps.
"""

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from ultan import home, housekeeping, plainjson, reflex, spool
from ultan.cli.blocks import one_line
from ultan.cli.screen import Block, Line, Screen
from ultan.cli.wiring import Door
from ultan.clients import claude_code
from ultan.clients.claude_transcript import read
from ultan.clients.leaf import Sieve
from ultan.errors import UsageError
from ultan.events import Event, Piece
from ultan.verbs.throwaway import throwaway

STEP_BYTES = 4 << 20
STDIN_BYTES = 256 << 20
SHOWN_CHARS = 400


@dataclass(frozen=True, slots=True)
class Queued:
    """One piece as it would lie in the queue."""

    origin: str
    text: str
    about: str = ""
    at: str = ""


@dataclass(slots=True)
class Preview:
    """What would be queued.

    Attributes:
        events: kinds of the events, in order; ``pieces`` their texts.
        taken_out: what was masked, cut or dropped, counted.
        note: why nothing would be queued, where it would not.
    """

    source: str
    events: list[str] = field(default_factory=list)
    pieces: list[Queued] = field(default_factory=list)
    taken_out: dict[str, int] = field(default_factory=dict)
    note: str = ""


def dry_run(door: Door, screen: Screen, source: str) -> None:
    """Show what *source* (a file, or ``-`` for standard input) would put into the queue.

    Raises:
        UsageError: it is not there, or neither a payload nor a transcript.
    """
    with throwaway("preview") as folder:
        path = source
        if source == "-":
            path = os.path.join(folder, "stdin")
            home.write(path, door.world.stdin.read(STDIN_BYTES).encode(errors="replace"))
        found = _of_payload(door, path, folder) or _of_transcript(path)
    found.source = source
    if os.path.exists(os.path.join(door.root, "paused")):
        found.note = "Ultan is paused: nothing at all is queued until `ultan pause --resume`"
    screen.show(found, shown(found))


def _of_payload(door: Door, path: str, folder: str) -> Preview | None:
    """What the hook of a payload queues; ``None`` if *path* holds no payload."""
    try:
        raw = home.read(path, reflex.STDIN_BYTES + 1)
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror or error}") from None
    try:
        payload = plainjson.loads(raw.decode("utf-8", "replace"))
    except plainjson.NotJson:
        return None
    if not isinstance(payload, dict) or payload.get("hook_event_name") not in claude_code.EVENTS:
        return None
    root = home.ensure(os.path.join(folder, "home"))
    _copy(door.root, root, "config.toml")
    verb = claude_code.EVENTS[payload["hook_event_name"]][0]
    environ = {**door.world.environ, "HOME": folder, "ULTAN_HOME": root}
    environ.pop("ULTAN_INSIDE", None)
    unread, answer = os.pipe()  # what the hook answers is shorter than a pipe holds, and nobody asked for it
    try:
        with open(path, "rb") as stdin:
            reflex.run(verb, [], stdin.fileno(), answer, environ, door.now, start=lambda *_: False)
    finally:
        os.close(unread)
        os.close(answer)
    events = spool.take(root, spool.backlog(root))
    found = Preview("", [event.kind for event in events], [_queued(piece) for piece in _pieces(events)])
    found.taken_out = {name: count for name, count in housekeeping.counters(root).items() if count}
    if not events:
        found.note = "nothing: this payload carries no signal, or its project is excluded"
    return found


def _of_transcript(path: str) -> Preview:
    found, sieve, start = Preview(""), Sieve(), 0
    try:
        size = os.path.getsize(path)
        while start < size:
            reading = read(path, start, STEP_BYTES, -1, sieve)
            found.pieces += [_queued(piece) for piece in reading.pieces]
            if reading.offset <= start:
                break
            start = reading.offset
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror or error}") from None
    if not found.pieces:
        found.note = "nothing: this is neither a hook's payload nor a transcript with words in it"
    found.events = ["turn_end"] if found.pieces else []
    counted = {name: getattr(sieve, name) for name in ("redacted", "hidden", "sensitive", "unread")}
    found.taken_out = {name: count for name, count in counted.items() if count}
    return found


def shown(value: Preview) -> list[Block]:
    """What would be queued, piece by piece."""
    rows: list[Block] = []
    for piece in value.pieces:
        rows.append(Line(f"{piece.origin}{'  ' + piece.about if piece.about else ''}", "bold"))
        rows.append(Line(f"    {one_line(piece.text, SHOWN_CHARS)}"))
    rows.extend(Line(f"{name}: {count}", "yellow") for name, count in value.taken_out.items())
    if value.note:
        rows.append(Line(value.note, "yellow"))
    rows.append(Line(f"{len(value.pieces)} pieces would be queued; nothing was written", "dim"))
    return rows


def words_of(args: Sequence[str]) -> tuple[str, str, bool]:
    """The source, the home and whether JSON is wanted, out of the words behind ``capture --dry-run``."""
    rest, place, as_json = [], "", False
    words = iter(args)
    for word in words:
        match word:
            case "--dry-run":
                continue
            case "--json":
                as_json = True
            case "--home" | "--client":
                value = next(words, "")
                place = value if word == "--home" else place
            case _:
                rest.append(word)
    if len(rest) != 1:
        raise UsageError("say one file, or - for standard input", "ultan capture --dry-run payload.json")
    return rest[0], place, as_json


def _queued(piece: Piece) -> Queued:
    return Queued(piece.origin, piece.text, piece.about, piece.at)


def _pieces(events: Sequence[Event]) -> Iterator[Piece]:
    for event in events:
        yield from event.pieces


def _copy(root: str, other: str, name: str) -> None:
    if os.path.exists(os.path.join(root, name)):
        home.write(os.path.join(other, name), home.read(os.path.join(root, name)))
