"""Bench notice: the triggers of a library against labelled tool calls."""

import json
import os
from typing import Any

from ultan.errors import UsageError
from ultan.recall import triggers
from ultan.recall.compile import build_from_entries
from ultan.settings import Settings
from ultan.verbs.bench_recall import read_entries


def bench_notice(folder: str, *, settings: Settings | None = None) -> dict[str, Any]:
    """Precision and recall over (call, entry) pairs, how many calls are exactly right, and the ids of the others.

    Raises:
        UsageError: the folder holds no ``toolcalls.jsonl``, or no library beside it.
    """
    entries, names = read_entries(folder)
    path = os.path.join(folder, "toolcalls.jsonl")
    try:
        with open(path, encoding="utf-8") as file:
            calls = [json.loads(line) for line in file if line.strip()]
    except (ValueError, OSError) as error:
        raise UsageError(f"{path} cannot be read: {error}") from None
    index = build_from_entries(entries, settings or Settings())
    right = false = missed = exact = 0
    wrong = []
    for call in calls:
        project = str(call.get("project", "")).removeprefix("project:")
        found = triggers.notices(index, str(call["tool_name"]), dict(call["tool_input"]), project)
        fired = {names[notice.card.id] for notice in found}
        wanted = {str(name) for name in call.get("should_fire") or ()}
        right += len(fired & wanted)
        false += len(fired - wanted)
        missed += len(wanted - fired)
        if fired == wanted:
            exact += 1
        else:
            wrong.append(str(call.get("id", "")))
    return {
        "precision": round(right / (right + false or 1), 4), "recall": round(right / (right + missed or 1), 4),
        "exact": exact, "calls": len(calls), "wrong": wrong,
    }  # fmt: skip
