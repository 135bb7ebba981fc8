"""What a curator leaves for others to read: news, why it stopped, who is at work, how long words took.

``news`` and ``stopped`` in the home are single lines that a session start shows; the rest
below ``runs/`` is for ``doctor``.
"""

import os
from collections.abc import Iterable, Sequence
from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError

from ultan import home, plainjson, spool
from ultan.errors import LanguageModelError
from ultan.library.actions import Nudge
from ultan.redaction import redact

LAGS_KEPT = 200
WORDS = {"QuotaReached": "quota", "NotLoggedIn": "login", "MalformedReply": "malformed"}

Lag = tuple[int, str, float, float]  # number of the operation, who curated, when it was said, when it was primable


class Stopped(BaseModel):
    """Why the models were not asked again, and what was newest in the queue then."""

    model_config = ConfigDict(extra="ignore")

    why: str
    told: str
    until: float = 0.0
    newest: str = ""
    at: float = 0.0


def announce(root: str, count: int, number: int, now: float) -> None:
    """Leave word for the next session start, together with what it was not told yet."""
    path, news = os.path.join(root, "runs", "remembered.json"), os.path.join(root, "news")
    known = _table(path) if os.path.exists(news) else {}
    numbers = [item for item in known.get("operations", []) if isinstance(item, int)]
    total = int(known.get("count", 0)) + count
    home.write(path, plainjson.dumps({"count": total, "operations": [*numbers, number], "at": now}).encode())
    line = f"remembered {total}. `ultan log` shows what, `ultan undo {number}` takes the last back."
    home.write(news, (line + "\n").encode())


def tell(root: str, line: str) -> None:
    """Leave *line* for the next session start, beside what it was not told yet."""
    path = os.path.join(root, "news")
    before = home.read(path, 4096).decode("utf-8", "replace").strip() if os.path.exists(path) else ""
    home.write(path, (f"{before} {redact(line)[0]}".strip() + "\n").encode())


def deliver(root: str, nudge: Nudge, session: str, project: str, now: float) -> None:
    """Leave *nudge* for the next prompt of *session*."""
    note = {"session": session, "project": project, "entry": nudge.entry, "text": nudge.text, "at": now}
    home.write(os.path.join(root, "nudges", spool.new_id(now) + ".json"), plainjson.dumps(note).encode())


def keep_lags(root: str, lags: Iterable[Lag]) -> None:
    """Add to the record of how long it took from the person's words to a primable entry."""
    path = os.path.join(root, "runs", "lag.json")
    try:
        known = plainjson.loads(home.read(path).decode("utf-8", "replace"))
    except (OSError, plainjson.NotJson):
        known = []
    rows = [*(known if isinstance(known, list) else []), *(list(lag) for lag in lags)]
    home.write(path, plainjson.dumps(rows[-LAGS_KEPT:]).encode(), durable=False)


def word(error: LanguageModelError) -> str:
    """The kind of *error* in a word: quota, login, malformed or unavailable."""
    return WORDS.get(type(error).__name__, "unavailable")


def stop(root: str, error: LanguageModelError, now: float) -> None:
    """Say that the models are not asked for now, and why."""
    newest = max(spool.backlog(root), default="")
    note = Stopped(why=word(error), told=str(error), until=error.until, newest=newest, at=now)
    home.write(os.path.join(root, "runs", "stopped.json"), note.model_dump_json().encode())
    line = f"learning has stopped: {error}. {error.hint}".strip()
    home.write(os.path.join(root, "stopped"), redact(line)[0].encode())


def stopped(root: str) -> Stopped | None:
    """Why the models are not asked; ``None`` if nothing keeps them."""
    try:
        return Stopped.model_validate_json(home.read(os.path.join(root, "runs", "stopped.json")))
    except (OSError, ValidationError):
        return None


def clear_stop(root: str) -> None:
    """Take the notice down."""
    home.remove(os.path.join(root, "runs", "stopped.json"))
    home.remove(os.path.join(root, "stopped"))


def note_run(root: str, state: str, by: str, now: float, **last: str | int | Sequence[int]) -> None:
    """Tell ``doctor`` who holds the lock, and how the last run ended."""
    note = {"pid": os.getpid(), "state": state, "by": by, "at": now, **last}
    home.write(os.path.join(root, "runs", "curator.json"), plainjson.dumps(note).encode(), durable=False)


def trouble(root: str, what: str, told: str, now: float) -> None:
    """Note what went wrong."""
    home.trouble(root, plainjson.dumps({"at": now, "what": f"curate.{what}", "told": told[:500]}))


def _table(path: str) -> dict[str, Any]:
    try:
        known = plainjson.loads(home.read(path).decode("utf-8", "replace"))
    except (OSError, plainjson.NotJson):
        return {}
    return known if isinstance(known, dict) else {}
