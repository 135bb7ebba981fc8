"""Why: what a prompt or a tool call would bring back, with every stage's figures and what was left out."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ultan.recall import ranking, triggers
from ultan.recall.index import Index

CANDIDATES = 10

# The main field of a tool's input, for `--tool 'Bash: make'`.
MAIN_FIELD = {"Bash": "command", "Write": "file_path", "Edit": "file_path", "Read": "file_path", "WebFetch": "url"}


@dataclass(frozen=True, slots=True)
class Candidate:
    """One entry as the ranking saw it: each signal's raw score and its standard deviations above the mean."""

    id: str
    title: str
    score: float
    parts: dict[str, tuple[float, float]]


@dataclass(frozen=True, slots=True)
class Why:
    """What a prompt would bring back.

    Attributes:
        probability: that the best entry matters; under *floor* nothing is shown.
        block: what the model would read, or ``""``.
        left_out: (entry, reason) of the next best.
    """

    prompt: str
    project: str
    rankings: tuple[str, ...]
    features: dict[str, float]
    probability: float
    floor: float
    candidates: tuple[Candidate, ...]
    shown: tuple[str, ...]
    left_out: tuple[tuple[str, str], ...]
    block: str


@dataclass(frozen=True, slots=True)
class WhyTool:
    """What a tool call would meet: (entry, title, severity) of each trigger, then entries about its file."""

    tool: str
    project: str
    fired: tuple[tuple[str, str, str], ...]
    about_the_file: tuple[tuple[str, str], ...]


def why(
    index: Index, prompt: str, *, project: str, files: Sequence[str] = (), tail: str = "", already: Sequence[str] = (), today: str = ""
) -> Why:
    """Every stage of priming *prompt* in *project*, as a hook would do it now."""
    query = ranking.Query(prompt, project, files=tuple(files), tail=tail, day=today)
    ranked = ranking.rank(index, query)
    primed = ranking.prime(index, query, set(already), today)
    settings = index.settings
    rounded = [
        Candidate(
            item.card.id, item.card.title, round(item.score, 3),
            {name: (round(raw, 3), round(deviations, 2)) for name, (raw, deviations) in item.parts.items()},
        )
        for item in ranked[:CANDIDATES]
    ]  # fmt: skip
    block = ranking.render(primed.cards, int(settings.get("priming.budget_chars", 1500)), "", today) if primed.cards else ""
    left_out = tuple(primed.left_out)
    if not ranked or ranking.needs_nothing(prompt):
        left_out = (("", "the prompt needs nothing" if ranking.needs_nothing(prompt) else "the library is empty here"),)
    return Why(
        prompt, project, tuple(ranked.rankings), {name: round(value, 3) for name, value in ranked.features.items()},
        round(ranked.probability, 3), float(settings.get("priming.min_relevance", 0.5)), tuple(rounded),
        tuple(card.id for card in primed.cards), left_out, block,
    )  # fmt: skip


def why_tool(index: Index, call: str, *, project: str) -> WhyTool:
    """What the tool call *call* (``Bash: make test``) would meet in *project*."""
    tool, _, words = call.partition(":")
    tool, words = tool.strip(), words.strip()
    field = MAIN_FIELD.get(tool, "command")
    given: dict[str, Any] = {field: words}
    fired = tuple(
        (notice.card.id, notice.card.title, notice.severity) for notice in triggers.notices(index, tool, given, project)
    )
    cards = triggers.by_file(index, words, project) if field == "file_path" else []
    return WhyTool(call, project, fired, tuple((card.id, card.title) for card in cards))
