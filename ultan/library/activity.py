"""On which days somebody worked where, kept in ``<home>/activity.json``.

Forgetting counts active days, so that a holiday fades nothing. ``curate`` notes a day for
each session it reads; a lost file only makes entries look younger, never older.
"""

import json
import os
from collections.abc import Iterable

from ultan import home
from ultan.library.retention import Activity, is_day

KEPT_DAYS = 3660  # ten years of daily work


def read_activity(root: str) -> Activity:
    """The active days of every scope; empty where nothing is known or the file is no good."""
    try:
        value = json.loads(home.read(os.path.join(root, "activity.json"), 1 << 24))
    except (OSError, ValueError):
        return Activity({})
    if not isinstance(value, dict):
        return Activity({})
    return Activity(
        {
            str(scope): sorted({day for day in days if isinstance(day, str) and is_day(day)})
            for scope, days in value.items()
            if isinstance(days, list)
        }
    )


def note_activity(root: str, projects: Iterable[str], day: str) -> None:
    """Remember that sessions of *projects* took place on *day* (ISO); nothing if known already."""
    before = read_activity(root)
    after = before
    for project in projects:
        after = after.with_day(project or "global", day)
    kept = {scope: list(days)[-KEPT_DAYS:] for scope, days in sorted(after.days.items())}
    if {scope: list(days) for scope, days in before.days.items()} != kept:
        home.write(os.path.join(root, "activity.json"), (json.dumps(kept) + "\n").encode())
