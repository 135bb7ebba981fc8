"""On which days somebody worked where, kept in ``<home>/activity.json``.

Forgetting counts active days, so that a holiday fades nothing. ``curate`` notes a day for
each session it reads; a lost file only makes entries look younger, never older.
"""

import json
import os
from collections.abc import Iterable
from datetime import date

from ultan import home
from ultan.library.retention import Activity, is_day

KEPT_DAYS = 3660  # ten years of daily work
DAY_S = 86_400.0
MOST_SET_BACK = 60
EPOCH = date(1970, 1, 1)


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


def set_back_s(root: str, now: float) -> float:
    """By how many seconds the clock seems to have been set back: sessions took place on days still to come.

    What is written meanwhile is dated so much later, or it would look idle for weeks once the clock is
    right again. Days more than two months ahead are taken for an earlier jump ahead.
    """
    today = EPOCH.toordinal() + int(max(0.0, now) // DAY_S)
    ahead = [date.fromisoformat(day).toordinal() - today for day in read_activity(root).days.get("global", ())]
    return DAY_S * max((days for days in ahead if 1 < days <= MOST_SET_BACK), default=0)


def note_activity(root: str, projects: Iterable[str], day: str) -> None:
    """Remember that sessions of *projects* took place on *day* (ISO); nothing if known already."""
    before = read_activity(root)
    after = before
    for project in projects:
        after = after.with_day(project or "global", day)
    kept = {scope: list(days)[-KEPT_DAYS:] for scope, days in sorted(after.days.items())}
    if {scope: list(days) for scope, days in before.days.items()} != kept:
        home.write(os.path.join(root, "activity.json"), (json.dumps(kept) + "\n").encode())
