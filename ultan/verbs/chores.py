"""What a curator does beside reading: files that nobody's operation made, active days, and what has faded.

None of it may cost the run: what goes wrong here is told and tried again next time.
"""

import os
from collections.abc import Iterable, Mapping, Sequence

from ultan import home, housekeeping, plainjson, spool
from ultan.clients.claude_calls import OPEN_S, busy_times
from ultan.errors import UltanError
from ultan.events import Event
from ultan.library import activity, upkeep
from ultan.library.executor import Receipt, execute, settle
from ultan.library.snapshot import Ledger, Library
from ultan.library.store import FileStore
from ultan.recall.text import terms
from ultan.settings import Settings
from ultan.staff.shelving import MOST, crowded, division
from ultan.veil import MARK, unveiled
from ultan.verbs.contexts import note_contexts
from ultan.verbs.decay import decay
from ultan.verbs.desk import Desk
from ultan.verbs.reading import Reading

GRACE_S = 10.0  # an agent's tool writes the file before its hook says so
SLACK_S = 2.0  # between a change and the line of the transcript that tells of it
STALE_S = 3600.0
FORGOTTEN_S = 90 * 86400.0  # the client keeps a transcript for a month unless told otherwise: nobody resumes such a session


def tidy(root: str, now: float) -> None:
    """Drop what killed writers left half-written, and count the hooks that were ended before they had finished."""

    def is_stale(at: float) -> bool:
        return now - at > STALE_S

    spool.sweep(root, is_stale)
    housekeeping.sweep(root, is_stale)
    for note in housekeeping.cut_off(root, now):
        home.count(root, "timed_out")
        home.remove(note)
    _forget_sessions(root, now)


def _forget_sessions(root: str, now: float) -> None:
    """Drop what was kept to go on with sessions that nobody goes on with."""
    for folder in (os.path.join(root, "sessions"), os.path.join(root, "runs", "reading")):
        for name in os.listdir(folder) if os.path.isdir(folder) else ():
            path = os.path.join(folder, name)
            if os.path.islink(path) or now - _touched_at(path) <= FORGOTTEN_S:
                continue
            if os.path.isdir(path):
                housekeeping.clear_folder(path)
            else:
                home.remove(path)


def _touched_at(path: str) -> float:
    """When a file, or anything in a session's folder, was last written."""
    newest = 0.0
    for folder, _, names in os.walk(path):
        newest = max([newest, *(os.lstat(os.path.join(folder, name)).st_mtime for name in ("", *names))])
    return newest or os.lstat(path).st_mtime


def touched_by(root: str, events: Iterable[Event]) -> frozenset[str]:
    """Paths below the library, relative to it, that an agent's tools wrote: from *events*, and noted before."""
    knowledge = os.path.realpath(os.path.join(root, "knowledge"))
    found = set(_noted(root))
    for event in events:
        named = event.data.get("touched")
        for written in _files(named) if isinstance(named, str) and named else ():
            path = os.path.relpath(os.path.realpath(written), knowledge).replace(os.sep, "/")
            if not path.startswith("../"):
                found.add(path)
    return frozenset(found)


def _files(named: str) -> list[str]:
    """*named*, or every file that a name without its credential may mean."""
    found = []
    for path in unveiled(named):
        inside = [os.path.join(folder, name) for folder, _, names in os.walk(path) for name in names]
        found += inside if MARK in named and inside else [path]
    return found


def settle_files(
    root: str, store: FileStore, library: Library, touched: frozenset[str], now: float, *, is_whole: bool
) -> Receipt | None:
    """What came of files that no operation left as they are; ``None`` where there is nothing to say yet.

    A file that is seconds old may be an agent's whose hook has not spoken, and so may any file
    while events wait unread (not *is_whole*): then it is not the person's before the next run. What
    is known to be an agent's, because its hook said so or it changed while a session's shell ran,
    waits for ``adopt`` from now on, an entry that it has edited like one that it has made.
    """
    noted = _edits(root, library)
    loose = {*library.foreign, *library.edited, *noted}
    times = _times(root, loose) | noted
    marked = Ledger(store.operations()).marked if touched or loose else {}
    unknown = {path: times[path] for path in loose - touched if path in times and marked.get(path) != library.digests.get(path)}
    touched |= _changed_by_tools(root, unknown)
    news = {path for path in touched if marked.get(path) != library.digests.get(path)}
    if not loose and not news:
        _note(root, frozenset(), {})
        return None
    is_early = not is_whole or any(_is_young(root, path, times.get(path, 0.0), now) for path in loose - touched)
    receipt = settle(store, news, now, () if is_early else loose, noted.keys() & touched)
    waiting = {path: times[path] for path in {*library.edited, *noted} - touched if path in times}
    _note(root, touched if is_early else frozenset(), waiting if is_early else {})
    return receipt


def note_days(root: str, readings: Sequence[Reading], now: float, library: Library) -> None:
    """Remember on which days somebody worked where, for forgetting counts active days, and where entries did not fit."""
    note_contexts(root, readings, library)
    for reading in readings:
        activity.note_activity(root, [reading.project], reading.transcript.day or upkeep.day(now))


def propose_splits(root: str, store: FileStore, library: Library, now: float) -> int:
    """How many full folders a person is asked to divide; each again only when it has grown by another five."""
    known = _table(os.path.join(root, "runs", "shelved.json"))
    actions = []
    for folder, inside in crowded(entry for entry in library.entries.values() if entry.path not in library.foreign).items():
        asked_at = known.get(folder)
        if isinstance(asked_at, int) and len(inside) < asked_at + MOST:
            continue
        split = division(folder, inside, terms)
        if split is not None:
            known[folder] = len(inside)
            actions.append(split)
    if not actions:
        return 0
    receipt = execute(store, actions, now=now, by="upkeep", why="more than five entries in a folder", mode="ask", library=library)
    home.write(os.path.join(root, "runs", "shelved.json"), plainjson.dumps(known).encode())
    return len(receipt.pending)


def fade(root: str, store: FileStore, settings: Settings, now: float) -> tuple[int, str]:
    """How many faded entries were put away, and what went wrong, if anything."""
    try:
        done = decay(Desk(root, store, settings, now), opportunistic=True)
    except (UltanError, OSError, ValueError, LookupError, TypeError) as error:
        return 0, f"{type(error).__name__}: {error}"
    return len(done.archived) if done.operation else 0, ""


def _is_young(root: str, path: str, changed: float, now: float) -> bool:
    try:
        written = os.stat(os.path.join(root, "knowledge", path)).st_mtime
    except OSError:
        return False
    return any(0 <= now - at < GRACE_S for at in (written, changed))


def _times(root: str, paths: Iterable[str]) -> dict[str, float]:
    """When the files at *paths* were changed: not as a program says (``touch -d``, ``cp -p``), but as the system does where it does."""
    found = {}
    for path in paths:
        try:
            state = os.stat(os.path.join(root, "knowledge", path))
        except OSError:
            continue
        found[path] = state.st_ctime if os.name == "posix" else state.st_mtime
    return found


def _changed_by_tools(root: str, changed: Mapping[str, float]) -> frozenset[str]:
    """Those of the paths *changed*, with their times, that changed while a session ran a tool which may write any file, such as a shell.

    Nobody tells who wrote a file. What changed meanwhile is not taken for the person's: it waits for ``adopt``.
    """
    if not changed:
        return frozenset()
    found = set()
    for transcript in _transcripts(root, min(changed.values()) - SLACK_S):
        times = busy_times(transcript)
        found |= {path for path, at in changed.items() if any(began - SLACK_S <= at <= ended + SLACK_S for began, ended in times)}
    return frozenset(found)


def _transcripts(root: str, since: float) -> Iterable[str]:
    """Transcripts of sessions that hooks know of and that went on after *since*, as far as their files tell."""
    folder = os.path.join(root, "sessions")
    for name in os.listdir(folder) if os.path.isdir(folder) else ():
        try:
            state = plainjson.loads(home.read(os.path.join(folder, name, "state"), 1 << 20).decode("utf-8", "replace"))
            named = state.get("transcript") if isinstance(state, dict) else None
            for place in unveiled(named) if isinstance(named, str) and named else ():
                path = os.path.join(place, name + ".jsonl") if os.path.isdir(place) else place  # what was masked may hold a slash
                if os.stat(path).st_mtime >= since - OPEN_S:
                    yield path
        except (OSError, plainjson.NotJson):
            continue


def _path(root: str) -> str:
    return os.path.join(root, "runs", "touched.json")


def _table(path: str) -> dict[str, object]:
    try:
        known = plainjson.loads(home.read(path).decode("utf-8", "replace"))
    except (OSError, plainjson.NotJson):
        return {}
    return known if isinstance(known, dict) else {}


def _noted(root: str) -> list[str]:
    try:
        known = plainjson.loads(home.read(_path(root)).decode("utf-8", "replace"))
    except (OSError, plainjson.NotJson):
        return []
    return [path for path in known if isinstance(path, str)] if isinstance(known, list) else []


def _edits_path(root: str) -> str:
    return os.path.join(root, "runs", "edits.json")


def _edits(root: str, library: Library) -> dict[str, float]:
    """Entries that somebody changed, and when: judged too early before; an operation may have written over them since."""
    known = _table(_edits_path(root))
    return {path: float(at) for path, at in known.items() if path in library.digests and isinstance(at, (int, float))}


def _note(root: str, touched: frozenset[str], edits: Mapping[str, float]) -> None:
    for path, value in ((_path(root), sorted(touched)), (_edits_path(root), dict(edits))):
        if value:
            home.make_folder(os.path.dirname(path))
            home.write(path, plainjson.dumps(value).encode())
        elif os.path.exists(path):
            home.remove(path)
