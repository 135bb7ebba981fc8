"""Decay: put away what has faded, at most a little at a time, and never what is strong."""

import json
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from ultan import home
from ultan.library import memo, retention, upkeep
from ultan.library.actions import Archive
from ultan.library.activity import read_activity
from ultan.library.retention import Fading, Sweep, is_day
from ultan.library.snapshot import Library
from ultan.library.tension import tensions
from ultan.llm import MODELS, LanguageModel
from ultan.verbs.condense import restore_used
from ultan.verbs.contexts import misplaced
from ultan.verbs.desk import Desk
from ultan.verbs.drift import NOBODY_ASKED, Asked, ask
from ultan.verbs.standing import policy_of

STATE = "fading.json"


@dataclass(frozen=True, slots=True)
class Decayed:
    """What a run did, or would do.

    Attributes:
        archived: put away now (in a dry run: would be).
        waiting: chosen for the first time, or over the cap; looked at again on another day.
        drift: strong entries that go unused or ignored, or fit no more: still true?
        standing: every live entry's state, weakest first.
        operation: number for ``undo``; 0 if nothing was written.
        skipped: why nothing was looked at (cool-down, policy ``none``), or ``""``.
        asked: what came of asking about the drifting ones.
    """

    archived: tuple[Fading, ...] = ()
    waiting: tuple[Fading, ...] = ()
    drift: tuple[Fading, ...] = ()
    standing: tuple[Fading, ...] = ()
    operation: int = 0
    skipped: str = ""
    asked: Asked = NOBODY_ASKED


def decay(
    desk: Desk, *, dry_run: bool = False, opportunistic: bool = False, opened: Callable[[], LanguageModel] | None = None
) -> Decayed:
    """What faded in the home of *desk*; archived by the executor unless *dry_run*.

    With *opportunistic* (from ``curate``) nothing happens within the cool-down. *opened* gives the
    model that looks at what drifts; a model that curates but is not at hand now is waited for.
    """
    today = upkeep.day(desk.now)
    state = _read_state(desk.root)
    if opportunistic and desk.now - state.ran_at < desk.settings["retention.cooldown_h"] * 3600 and state.ran_at <= desk.now:
        return Decayed(skipped="ran a short while ago")
    policy = policy_of(desk.settings)
    library = desk.library
    entries = [entry for entry in library.entries.values() if entry.status == "active"]
    activity = read_activity(desk.root)
    constants = retention.Constants(archive_below=desk.settings["retention.archive_below"])
    swept = retention.sweep(entries, activity, today, state.chosen, policy, constants)
    unfit = {one.entry.id: one for one in tensions(swept.standing, today, misplaced(desk.root), constants)}
    drifting = (*unfit.values(), *(one for one in swept.drift if one.entry.id not in unfit))
    number = 0
    asked = NOBODY_ASKED
    if not dry_run:
        number = _archive(desk, swept, library)
        if not number:  # nothing was compiled, which would have kept it
            memo.keep(desk.root, library)
        restore_used(desk, library)
        _keep_state(desk, swept)
        if opened is not None or not opportunistic or desk.settings["curation.by"] not in MODELS:
            asked = ask(desk, drifting, library, today, opened)
    return Decayed(swept.archive, swept.waiting, drifting, swept.standing, number, asked=asked)


def _archive(desk: Desk, swept: Sweep, library: Library) -> int:
    if not swept.archive:
        return 0
    actions = [Archive(entry=one.entry.id, reason=f"faded: {one.reason}"[:200]) for one in swept.archive]
    return desk.execute(actions, by="upkeep", why="what faded on two days", library=library).number


@dataclass(frozen=True, slots=True)
class _State:
    ran_at: float
    chosen: Mapping[str, str]


def _read_state(root: str) -> _State:
    """When the last run was, and what it chose; nothing where the file is missing or no good."""
    try:
        value = json.loads(home.read(os.path.join(root, STATE), 1 << 24))
        chosen = {str(id_): day for id_, day in value["chosen"].items() if isinstance(day, str) and is_day(day)}
        return _State(float(value["ran_at"]), chosen)
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return _State(0.0, {})


def _keep_state(desk: Desk, swept: Sweep) -> None:
    text = json.dumps({"ran_at": desk.now, "chosen": dict(swept.chosen)})
    home.write(os.path.join(desk.root, STATE), text.encode())
