"""Contexts: how often in a row a strong entry was shown to prompts that say none of its words.

Kept in ``<home>/contexts.json`` and not in the entry: it is a question in the making, not a
fact. A lost file only means that the question is asked later.
"""

import json
import os
from collections.abc import Iterable, Mapping

from ultan import home
from ultan.events import PERSON
from ultan.library.retention import DEFAULTS, is_day
from ultan.library.snapshot import Library
from ultan.library.tension import fits
from ultan.verbs.reading import Reading

FILE = "contexts.json"


def misplaced(root: str) -> dict[str, tuple[int, str]]:
    """Entry id → (showings in a row where it did not fit, day of the first); empty where nothing is known."""
    try:
        value = json.loads(home.read(os.path.join(root, FILE), 1 << 22))
        return {str(id_): (int(count), str(day)) for id_, (count, day) in value.items() if is_day(str(day))}
    except (OSError, ValueError, TypeError, AttributeError):
        return {}


def note_contexts(root: str, readings: Iterable[Reading], library: Library) -> None:
    """Remember where strong entries of *library* were shown in *readings*; a fit wipes the slate."""
    before = misplaced(root)
    after = dict(before)
    for reading in readings:
        prompts = _prompts(reading)
        for id_, turns in reading.transcript.surfaced.items():
            entry = library.entries.get(id_)
            if entry is None or id_ not in reading.shown or entry.encoding_strength < DEFAULTS.strong:
                continue
            for turn in turns:
                if turn not in prompts:
                    continue
                count, first = after.get(id_, (0, ""))
                after[id_] = (0, "") if fits(entry, prompts[turn]) else (count + 1, first or reading.transcript.day)
    kept = {id_: each for id_, each in sorted(after.items()) if each[0] and id_ in library.entries}
    if kept != before:
        home.write(os.path.join(root, FILE), (json.dumps(kept) + "\n").encode())


def _prompts(reading: Reading) -> Mapping[int, str]:
    """Turn → what the person said in it, among the new pieces."""
    found: dict[int, str] = {}
    for piece in reading.news:
        if piece.origin in PERSON and piece.turn >= 0:
            found[piece.turn] = f"{found.get(piece.turn, '')} {piece.text}"
    return found
