"""What a curator does beside reading: files that nobody's operation made, active days, and what has faded.

None of it may cost the run: what goes wrong here is told and tried again next time.
"""

import os
from collections.abc import Iterable

from ultan import home, plainjson, spool
from ultan.errors import UltanError
from ultan.events import Event
from ultan.library import activity, upkeep
from ultan.library.executor import Receipt, settle
from ultan.library.snapshot import Ledger, Library
from ultan.library.store import FileStore
from ultan.settings import Settings
from ultan.verbs.decay import decay
from ultan.verbs.desk import Desk
from ultan.verbs.reading import Reading

GRACE_S = 10.0  # an agent's tool writes the file before its hook says so
STALE_S = 3600.0


def tidy(root: str, now: float) -> None:
    """Drop what killed writers left half-written, and count the hooks that were ended before they had finished."""

    def is_stale(at: float) -> bool:
        return now - at > STALE_S

    spool.sweep(root, is_stale)
    home.sweep(root, is_stale)
    for note in home.cut_off(root, now):
        home.count(root, "timed_out")
        home.remove(note)


def touched_by(root: str, events: Iterable[Event]) -> frozenset[str]:
    """Paths below the library, relative to it, that an agent's tools wrote: from *events*, and noted before."""
    knowledge = os.path.realpath(os.path.join(root, "knowledge"))
    found = set(_noted(root))
    for event in events:
        named = event.data.get("touched")
        if isinstance(named, str) and named:
            path = os.path.relpath(os.path.realpath(named), knowledge).replace(os.sep, "/")
            if not path.startswith("../"):
                found.add(path)
    return frozenset(found)


def settle_files(
    root: str, store: FileStore, library: Library, touched: frozenset[str], now: float, *, is_whole: bool
) -> Receipt | None:
    """What came of files that no operation made; ``None`` where there is nothing to say yet.

    A file that is seconds old may be an agent's whose hook has not spoken, and so may any file
    while events wait unread (not *is_whole*): then what is known is noted, for the next run.
    """
    marked = Ledger(store.operations()).marked if touched else {}
    news = {path for path in touched if marked.get(path) != library.digests.get(path)}
    if not library.foreign and not news:
        _note(root, frozenset())
        return None
    if not is_whole or any(_is_young(root, path, now) for path in library.foreign if path not in touched):
        _note(root, touched)
        return None
    receipt = settle(store, news, now)
    _note(root, frozenset())
    return receipt


def note_days(root: str, readings: Iterable[Reading], now: float) -> None:
    """Remember on which days somebody worked where: forgetting counts active days."""
    for reading in readings:
        activity.note_activity(root, [reading.project], reading.transcript.day or upkeep.day(now))


def fade(root: str, store: FileStore, settings: Settings, now: float) -> tuple[int, str]:
    """How many faded entries were put away, and what went wrong, if anything."""
    try:
        done = decay(Desk(root, store, settings, now), opportunistic=True)
    except (UltanError, OSError, ValueError, LookupError, TypeError) as error:
        return 0, f"{type(error).__name__}: {error}"
    return len(done.archived) if done.operation else 0, ""


def _is_young(root: str, path: str, now: float) -> bool:
    try:
        return 0 <= now - os.stat(os.path.join(root, "knowledge", path)).st_mtime < GRACE_S
    except OSError:
        return False


def _path(root: str) -> str:
    return os.path.join(root, "runs", "touched.json")


def _noted(root: str) -> list[str]:
    try:
        known = plainjson.loads(home.read(_path(root)).decode("utf-8", "replace"))
    except (OSError, plainjson.NotJson):
        return []
    return [path for path in known if isinstance(path, str)] if isinstance(known, list) else []


def _note(root: str, touched: frozenset[str]) -> None:
    if touched:
        home.make_folder(os.path.dirname(_path(root)))
        home.write(_path(root), plainjson.dumps(sorted(touched)).encode())
    elif os.path.exists(_path(root)):
        home.remove(_path(root))
