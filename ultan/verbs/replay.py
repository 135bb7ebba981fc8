"""Replay: the tool calls of past sessions against the triggers of today. Nothing is run, shown to a model, or written."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from ultan.clients.claude_calls import tool_calls
from ultan.recall import triggers
from ultan.recall.index import Index
from ultan.redaction import redact
from ultan.verbs.why import MAIN_FIELD

BROAD_SHARE = 0.05
BROAD_CALLS = 3  # one call of ten is no habit
EXAMPLES, EXAMPLE_CHARS = 3, 100


@dataclass(frozen=True, slots=True)
class Fired:
    """One trigger that would have fired.

    Attributes:
        share: of all calls that were replayed; above a twentieth the trigger *is_broad*.
        examples: a few of the calls, without secrets.
    """

    entry: str
    title: str
    severity: str
    pattern: str
    calls: int
    share: float
    is_broad: bool
    examples: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Replayed:
    """What past sessions would have met, each call on its own: hooks tell an entry once a session.

    Attributes:
        met: calls that would have met at least one trigger.
    """

    project: str
    sessions: int
    calls: int
    met: int
    fired: tuple[Fired, ...]


def replay(index: Index, paths: Sequence[str], *, project: str) -> Replayed:
    """The triggers that the sessions at *paths* would trip in *project*, the most frequent first."""
    counted: Counter[tuple[str, str, str, str]] = Counter()
    examples: dict[tuple[str, str, str, str], list[str]] = {}
    total = met = 0
    for tool, given in _once(paths):
        total += 1
        found = triggers.notices(index, tool, given, project)
        met += bool(found)
        for notice in found:
            key = (notice.card.id, notice.card.title, notice.severity, str(notice.trigger[3]))
            counted[key] += 1
            shown = examples.setdefault(key, [])
            if len(shown) < EXAMPLES and (text := _told(tool, given)) not in shown:
                shown.append(text)
    fired = tuple(
        Fired(*key, count, round(count / total, 4), count >= BROAD_CALLS and count > BROAD_SHARE * total, tuple(examples[key]))
        for key, count in sorted(counted.items(), key=lambda item: (-item[1], item[0]))
    )
    return Replayed(project, len(paths), total, met, fired)


def _once(paths: Iterable[str]) -> Iterable[tuple[str, dict[str, Any]]]:
    """Each call once: a forked session repeats the lines of the one before."""
    seen = set()
    for path in paths:
        for name, tool, given in tool_calls(path):
            if name not in seen:
                seen.add(name)
                yield tool, given


def _told(tool: str, given: dict[str, Any]) -> str:
    words = given.get(MAIN_FIELD.get(tool, "command")) or next((value for value in given.values() if isinstance(value, str)), "")
    text = " ".join(redact(str(words))[0].split())
    return f"{tool}: {text[:EXAMPLE_CHARS]}{'…' if len(text) > EXAMPLE_CHARS else ''}"
