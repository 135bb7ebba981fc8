"""Why: what a prompt or a tool call would bring back, with every stage's figures and what was left out."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ultan.errors import UsageError
from ultan.recall import ranking, rendering, silence, triggers
from ultan.recall.index import Index
from ultan.recall.situations import situations_of, situations_of_call

CANDIDATES = 10

# The main field of a tool's input, for `--tool 'Bash: make'`.
MAIN_FIELD = {"Bash": "command", "Write": "file_path", "Edit": "file_path", "Read": "file_path", "WebFetch": "url"}


@dataclass(frozen=True, slots=True)
class Part:
    """What one signal said of an entry: its raw score, how many deviations above the mean, and its place by this signal."""

    score: float
    deviations: float
    place: int


@dataclass(frozen=True, slots=True)
class Candidate:
    """One entry as the ranking saw it.

    Attributes:
        parts: by signal, where it has a score.
        prior: what was known of it before anything was asked; part of *score*.
        features: what the scorer for silence saw, for the first few entries.
        habit: by how much what was ignored before lowers its log-odds.
        verdict: ``shown``, or why not.
        unverified: a path that it cites and that its project does not have any more.
    """

    id: str
    title: str
    score: float
    parts: dict[str, Part]
    prior: float
    features: dict[str, float]
    habit: float
    probability: float
    verdict: str
    unverified: str = ""


@dataclass(frozen=True, slots=True)
class Why:
    """What a prompt would bring back.

    Attributes:
        situations: what the prompt is taken for.
        probability: that the best entry matters; under *floor* nothing is shown.
        out_of_scope: (entry, project) of other projects' entries that would have been among the first.
        block: what the model would read, or ``""``.
        left_out: (entry, reason) of the next best.
    """

    prompt: str
    project: str
    rankings: tuple[str, ...]
    situations: tuple[str, ...]
    probability: float
    floor: float
    candidates: tuple[Candidate, ...]
    shown: tuple[str, ...]
    left_out: tuple[tuple[str, str], ...]
    out_of_scope: tuple[tuple[str, str], ...]
    block: str


@dataclass(frozen=True, slots=True)
class WhyTool:
    """What a tool call would meet: (entry, title, severity) of each trigger, then entries about its file and about what it does.

    Attributes:
        answers: the entry that answers a dialog, with its title; empty for other tools.
    """

    tool: str
    project: str
    fired: tuple[tuple[str, str, str], ...]
    about_the_file: tuple[tuple[str, str], ...]
    situations: tuple[str, ...] = ()
    about_the_situation: tuple[tuple[str, str], ...] = ()
    answers: tuple[str, ...] = ()


def why(
    index: Index, prompt: str, *, project: str, files: Sequence[str] = (), tail: str = "", already: Sequence[str] = (), today: str = "",
    root: str = "",
) -> Why:  # fmt: skip
    """Every stage of priming *prompt* in *project*, as a hook would do it now; *root*, the home, tells which cited paths are gone."""
    query = ranking.Query(prompt, project, files=tuple(files), tail=tail, day=today)
    ranked = ranking.rank(index, query)
    primed = ranking.prime(index, query, set(already), today)
    settings = index.settings
    lost = rendering.gone(root, [item.card for item in ranked[:CANDIDATES]]) if root else {}
    block = rendering.render(primed.cards, int(settings.get("priming.budget_chars", 1500)), "", today, lost) if primed.cards else ""
    left_out = tuple(primed.left_out)
    if not ranked or silence.needs_nothing(prompt):
        left_out = (("", "the prompt needs nothing" if silence.needs_nothing(prompt) else "the library is empty here"),)
    shown = tuple(card.id for card in primed.cards)
    verdicts = dict(primed.left_out) | dict.fromkeys(shown, "shown")
    return Why(
        prompt, project, tuple(ranked.rankings), tuple(situations_of(prompt, tuple(files), tail)),
        round(ranked.probability, 3), float(settings.get("priming.min_relevance", 0.44)), _candidates(index, ranked, verdicts, lost),
        shown, left_out, _out_of_scope(index, query), block,
    )  # fmt: skip


def _candidates(
    index: Index, ranked: ranking.Ranked, verdicts: dict[str, str], lost: dict[str, str]
) -> tuple[Candidate, ...]:
    places: dict[str, list[int]] = {}
    for name in ranked.rankings:
        order = sorted((item for item in ranked if item.parts[name][0]), key=lambda item: (-item.parts[name][0], item.number))
        places[name] = [item.number for item in order]
    return tuple(
        Candidate(
            item.card.id, item.card.title, round(item.score, 3),
            {
                name: Part(round(item.parts[name][0], 3), round(item.parts[name][1], 2), order.index(item.number) + 1)
                for name, order in places.items()
                if item.number in order
            },
            round(index.prior(item.number), 3), {name: round(value, 3) for name, value in item.features.items()},
            round(item.habit, 3), round(item.probability, 3), verdicts.get(item.card.id, "too far down"), lost.get(item.card.id, ""),
        )
        for item in ranked[:CANDIDATES]
    )  # fmt: skip


def _out_of_scope(index: Index, query: ranking.Query) -> tuple[tuple[str, str], ...]:
    """Entries of other projects that would stand among the first if projects were not kept apart."""
    everywhere = ranking.Query(query.text, None, query.files, tail=query.tail, day=query.day)
    own = ("global", f"project:{query.project}")
    found = [item.card for item in ranking.rank(index, everywhere, limit=CANDIDATES)]
    return tuple((card.id, card.scope.removeprefix("project:")) for card in found if card.scope not in own)


def why_tool(index: Index, call: str, *, project: str) -> WhyTool:
    """What the tool call *call* (``Bash: make test``, ``AskUserQuestion: Which one? | this | that``) would meet in *project*.

    Raises:
        UsageError: it names no tool, or nothing behind it.
    """
    tool, colon, words = call.partition(":")
    tool, words = tool.strip(), words.strip()
    if not (colon and tool and words):
        raise UsageError(f"{call!r} is no tool call", "ultan why --tool 'Bash: pip install flask'")
    if tool == "AskUserQuestion":
        question, *options = (part.strip() for part in words.split("|"))
        card = triggers.by_question(index, [(question, options)], project)
        return WhyTool(call, project, (), (), answers=(card.id, card.title) if card else ())
    field = MAIN_FIELD.get(tool, "command")
    given: dict[str, Any] = {field: words}
    fired = tuple(
        (notice.card.id, notice.card.title, notice.severity) for notice in triggers.notices(index, tool, given, project)
    )
    cards = triggers.by_file(index, words, project) if field == "file_path" else []
    about = triggers.by_situation(index, tool, given, project)
    return WhyTool(
        call, project, fired, tuple((card.id, card.title) for card in cards), tuple(situations_of_call(tool, given)),
        tuple((card.id, card.title) for card in about),
    )  # fmt: skip
