"""Bench recall: the ranking that primes prompts, measured on any data set in the documented format.

``entries.jsonl`` and ``queries.jsonl`` (also ``library.jsonl`` and ``prompts.jsonl``); ids are opaque,
``pool`` restricts the candidates of a query. The same ``rank`` and ``prime`` as everywhere else: there
is no second way to answer a bench.
"""

import json
import math
import os
import random
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from dataclasses import field as member
from functools import partial
from typing import TYPE_CHECKING, Any

from ultan.encoders import load
from ultan.errors import UsageError
from ultan.library.entry import KINDS, Entry, Trigger
from ultan.recall import briefing, ranking, rendering
from ultan.recall import silence as silence_of
from ultan.recall.compile import build_from_entries
from ultan.recall.index import Index
from ultan.recall.timespan import day_of
from ultan.recall.warm import Warm
from ultan.settings import Settings
from ultan.verbs.bench_plain import plain_answers

if TYPE_CHECKING:
    from ultan.encoders import Encoder

ENTRY_FILES = ("entries.jsonl", "library.jsonl")
QUERY_FILES = ("queries.jsonl", "prompts.jsonl")
RESAMPLES, SEED = 500, 7
CURVE = tuple(number / 20 for number in range(20))
MEASURES = ("R@1", "R@3", "R@5", "R@10", "P@3", "MRR", "nDCG@3", "nDCG@10")
BRIEF_CHARS = 1200
Signals = Callable[[ranking.Query], Mapping[str, Mapping[int, float]]]


@dataclass(frozen=True, slots=True)
class Asked:
    """One query of a data set."""

    id: str
    text: str
    pool: str
    group: str
    relevant: Mapping[str, float]
    silent: bool | None
    files: tuple[str, ...] = ()
    tail: str = ""
    day: str = ""


@dataclass(frozen=True, slots=True)
class DataSet:
    """Entries and queries; ``names`` maps an entry's id in the index to its opaque id in the files."""

    entries: tuple[Entry, ...]
    queries: tuple[Asked, ...]
    names: Mapping[str, str]


@dataclass(slots=True)
class Answered:
    """What a system gave for one query: opaque ids, best first; what prime showed, and when it would."""

    asked: Asked
    ids: list[str]
    shown: list[str] = member(default_factory=list)
    rendered: str = ""
    rendered_all: str = ""
    graded: list[tuple[str, float]] = member(default_factory=list)  # the first few with their probabilities
    ms: float = 0.0


def bench_recall(
    folder: str, *, mode: str = "cold", top: int = 10, abstain: bool = True, groups: Sequence[str] = (),
    settings: Settings | None = None, encoder: "Encoder | None" = None, cache: str = "", baselines: bool = False,
    weights: Mapping[str, float] | None = None,
) -> dict[str, Any]:  # fmt: skip
    """Every figure of ``bench recall`` for the data set in *folder*, ready to be printed as JSON.

    *groups* are names joined by ``+`` to be taken together; with *baselines* grep, BM25 by rank-bm25,
    vectors alone and reciprocal rank fusion stand beside ours. *cache* is a folder in which vectors
    may be kept from one run to the next.

    Raises:
        UsageError: the folder holds no such data set.
    """
    settings = settings or Settings()
    data = read(folder)
    encoder = encoder or load(settings)
    index = build_from_entries(data.entries, settings, encoder, cache)
    signals: Signals | None = None
    if mode == "warm":
        signals = partial(Warm(index, encoder, cache).signals, weights=ranking.WEIGHTS if weights is None else weights)
    answers = [answer(index, asked, data, max(top, 10), signals, weights) for asked in data.queries]
    report = figures(data, answers, groups)
    report = {"mode": mode, "entries": len(data.entries), "queries": len(data.queries), **report}
    if any(asked.silent is not None for asked in data.queries):
        report["silence"] = silence(answers, float(settings["priming.min_relevance"]) if abstain else 0.0)
        report["delivered"] = delivered(index, answers, data)
    times = sorted(one.ms for one in answers) or [0.0]
    report["ms"] = {"p50": round(times[len(times) // 2], 2), "p95": round(times[int(len(times) * 0.95)], 2)}
    if baselines:
        report["baselines"] = {name: measured(paired(data, lists)) for name, lists in plain_answers(data, encoder).items()}
    return report


# --- reading --------------------------------------------------------------------------------------


def read(folder: str) -> DataSet:
    """The data set in *folder*.

    Raises:
        UsageError: a file is missing or no JSON lines.
    """
    entries, names = read_entries(folder)
    queries: list[Asked] = []
    for row in rows_of(folder, QUERY_FILES):
        pool = str(row.get("pool", row.get("project", "")))
        queries.append(
            Asked(
                str(row.get("id", len(queries))), str(row.get("text", row.get("prompt", ""))), pool,
                str(row.get("group", row.get("project", "")) or "all"),
                {str(name): float(grade) for name, grade in (row.get("relevant") or {}).items()},
                bool(row["silent"]) if "silent" in row else None,
                tuple(row.get("cwd_files") or ()), str(row.get("previous_assistant_tail") or ""),
                day_of(str(row.get("date") or "")),
            )
        )  # fmt: skip
    return DataSet(tuple(entries), tuple(queries), names)


def read_entries(folder: str) -> tuple[list[Entry], dict[str, str]]:
    """The entries of the data set in *folder*, and their opaque ids by ours."""
    entries, names = [], {}
    for number, row in enumerate(rows_of(folder, ENTRY_FILES)):
        entry = entry_of(row, number)
        names[entry.id] = str(row["id"])
        entries.append(entry)
    return entries, names


def rows_of(folder: str, names: Sequence[str]) -> list[dict[str, Any]]:
    """The lines of the first of *names* that *folder* holds.

    Raises:
        UsageError: none is there, or it is no JSON lines.
    """
    for name in names:
        path = os.path.join(folder, name)
        if os.path.isfile(path):
            try:
                with open(path, encoding="utf-8") as file:
                    return [json.loads(line) for line in file if line.strip()]
            except (ValueError, OSError) as error:
                raise UsageError(f"{path} cannot be read: {error}") from None
    raise UsageError(f"{folder} holds neither {' nor '.join(names)}")


def entry_of(row: Mapping[str, Any], number: int) -> Entry:
    """The entry of one line; what the line does not say is left empty."""
    pool = str(row.get("pool", ""))
    scope = str(row.get("scope") or (f"project:{pool}" if pool else "global"))
    kind = str(row.get("kind", "finding"))
    day = day_of(str(row.get("created") or row.get("date") or ""))
    updated = day_of(str(row.get("updated") or "")) or day
    triggers = tuple(
        Trigger(
            str(one.get("tool", "")), str(one.get("pattern", one.get("regex", ""))), str(one.get("field", "")),
            tuple(one.get("files") or ()), tuple(one.get("unless") or ()), str(one.get("severity", "advise")),
        )
        for one in row.get("block_triggers") or row.get("triggers") or ()
    )  # fmt: skip
    path = str(row.get("path") or "").removesuffix(".md")
    return Entry(
        id=path or f"bench/{number:07d}", title=str(row.get("title", "")), kind=kind if kind in KINDS else "finding",
        scope=scope, created=day, updated=updated, tags=tuple(row.get("tags") or ()),
        applies_when=tuple(row.get("cues") or row.get("applies_when") or ()), triggers=triggers,
        body=str(row.get("body", row.get("text", ""))),
    )  # fmt: skip


# --- answering ------------------------------------------------------------------------------------


def answer(
    index: Index, asked: Asked, data: DataSet, top: int, signals: Signals | None,
    weights: Mapping[str, float] | None = None,
) -> Answered:  # fmt: skip
    """What our ranking gives for one query, and what prime would show."""
    query = ranking.Query(asked.text, asked.pool or None, asked.files, tail=asked.tail, day=asked.day)
    began = time.perf_counter()
    extra = signals(query) if signals else None
    if weights is None:
        ranked = ranking.rank(index, query, extra, limit=top)
    else:
        ranked = ranking.rank(index, query, extra, limit=top, weights=weights)
    ms = (time.perf_counter() - began) * 1000
    result = Answered(asked, [data.names[item.card.id] for item in ranked], ms=ms)
    if asked.silent is not None:
        settings = index.settings
        budget = int(settings["priming.budget_chars"])
        primed = ranking.prime(index, query, set(), asked.day, extra)
        result.shown = [data.names[card.id] for card in primed.cards]
        result.rendered = rendering.render(primed.cards, budget, "", asked.day)
        most = int(settings["priming.entries"])
        result.rendered_all = rendering.render([item.card for item in ranked[:most]], budget, "", asked.day)
        if not silence_of.needs_nothing(asked.text):
            usable = [item for item in ranked if not ranking.why_not(item.card, set(), asked.day)]
            result.graded = [(data.names[item.card.id], item.probability) for item in usable[:20]]
    return result


def paired(data: DataSet, lists: Sequence[list[str]]) -> list[Answered]:
    """What another system gave for each query that has an answer."""
    return [Answered(asked, ids) for asked, ids in zip(data.queries, lists, strict=True) if asked.relevant]


# --- figures --------------------------------------------------------------------------------------


def figures(data: DataSet, answers: Sequence[Answered], groups: Sequence[str]) -> dict[str, Any]:
    """The measures overall and by group, project, kind and scope of the relevant entries."""
    counted = [one for one in answers if one.asked.relevant]
    by_name = {data.names[entry.id]: entry for entry in data.entries}
    report: dict[str, Any] = {"overall": measured(counted)}
    names = sorted({one.asked.group for one in counted})
    wanted = {name: [name] for name in names} | {joined: joined.split("+") for joined in groups}
    report["groups"] = {
        name: measured([one for one in counted if one.asked.group in parts]) for name, parts in wanted.items()
    }

    def restricted(admits: Callable[[Entry], bool]) -> list[Answered]:
        found = []
        for one in counted:
            kept = {name: grade for name, grade in one.asked.relevant.items() if name in by_name and admits(by_name[name])}
            if kept:
                asked = Asked(one.asked.id, one.asked.text, one.asked.pool, one.asked.group, kept, one.asked.silent)
                found.append(Answered(asked, one.ids))
        return found

    kinds = sorted({entry.kind for entry in data.entries})
    report["kinds"] = {kind: measured(restricted(lambda entry, kind=kind: entry.kind == kind)) for kind in kinds}  # type: ignore[misc]
    report["scopes"] = {
        "global": measured(restricted(lambda entry: entry.scope == "global")),
        "project": measured(restricted(lambda entry: entry.scope != "global")),
    }
    report["kinds_by_scope"] = {
        f"{side}/{kind}": measured(
            restricted(lambda entry, side=side, kind=kind: (entry.scope == "global") == (side == "global") and entry.kind == kind)  # type: ignore[misc]
        )
        for side in ("global", "project")
        for kind in kinds
    }
    projects = sorted({one.asked.pool for one in counted if one.asked.pool})
    report["projects"] = {
        name: measured([one for one in counted if one.asked.pool == name]) for name in projects[:200]
    }
    return report


def measured(answers: Sequence[Answered]) -> dict[str, Any]:
    """The mean of every measure with its bootstrap interval over queries."""
    rows = [scores(one.ids, one.asked.relevant) for one in answers]
    report: dict[str, Any] = {"n": len(rows)}
    if not rows:
        return {**report, **dict.fromkeys(MEASURES, 0.0), "ci": {}}
    for name in MEASURES:
        report[name] = round(sum(row[name] for row in rows) / len(rows), 4)
    chance = random.Random(SEED)  # noqa: S311 -- resampling, not secrets
    samples = [[chance.randrange(len(rows)) for _ in rows] for _ in range(RESAMPLES if len(rows) < 1000 else 200)]
    intervals = {}
    for name in MEASURES:
        values = [row[name] for row in rows]
        means = sorted(sum(values[at] for at in sample) / len(sample) for sample in samples)
        intervals[name] = [round(means[int(len(means) * 0.025)], 4), round(means[int(len(means) * 0.975) - 1], 4)]
    report["ci"] = intervals
    return report


def scores(ids: Sequence[str], relevant: Mapping[str, float]) -> dict[str, float]:
    """Every measure for one ranking; graded relevance is the gain, divided by the logarithm of the place."""
    hits = [name in relevant for name in ids]
    found = {f"R@{k}": sum(hits[:k]) / len(relevant) for k in (1, 3, 5, 10)}
    found["P@3"] = sum(hits[:3]) / 3
    found["MRR"] = next((1.0 / (at + 1) for at, hit in enumerate(hits) if hit), 0.0)
    for k in (3, 10):
        gains = [relevant.get(name, 0.0) for name in ids[:k]]
        ideal = sorted(relevant.values(), reverse=True)[:k]
        found[f"nDCG@{k}"] = _discounted(gains) / (_discounted(ideal) or 1.0)
    return found


def _discounted(gains: Sequence[float]) -> float:
    return sum(gain / math.log2(at + 2) for at, gain in enumerate(gains))


def silence(answers: Sequence[Answered], threshold: float) -> dict[str, Any]:
    """False primes, hits and precision at the threshold, and the curve over it."""

    def at(floor: float) -> tuple[float, float, float]:
        false = hits = shown = good = 0
        quiet = [one for one in answers if not one.asked.relevant]
        speaking = [one for one in answers if one.asked.relevant]
        for one in answers:
            chosen = [name for name, probability in one.graded if probability >= floor][:3]
            right = sum(name in one.asked.relevant for name in chosen)
            shown += len(chosen)
            good += right
            if one.asked.relevant:
                hits += bool(right)
            else:
                false += bool(chosen)
        return false / (len(quiet) or 1), hits / (len(speaking) or 1), good / (shown or 1)

    false, hit, precision = at(threshold)
    return {
        "threshold": threshold, "false_prime_rate": round(false, 4), "hit_rate": round(hit, 4),
        "precision_shown": round(precision, 4), "curve": [[floor, *(round(v, 4) for v in at(floor)[:2])] for floor in CURVE],
    }  # fmt: skip


def delivered(index: Index, answers: Sequence[Answered], data: DataSet) -> dict[str, float]:
    """The share of grade-2 pairs that prime rendered with title and rule, or brief with its title."""
    entries = {data.names[entry.id]: entry for entry in data.entries}
    briefs: dict[str, str] = {}
    counts = dict.fromkeys(("grade2_prime", "grade2_prime_or_brief", "grade2_prime_shown", "grade2_prime_or_brief_shown"), 0)
    total = 0
    for one in answers:
        pool = one.asked.pool
        if pool not in briefs:
            briefs[pool] = briefing.brief(index, pool, BRIEF_CHARS, one.asked.day)[0]
        for name, grade in one.asked.relevant.items():
            if grade < 2 or name not in entries:
                continue
            total += 1
            told = says(briefs[pool], entries[name], with_rule=False)
            for ending, text in (("", one.rendered_all), ("_shown", one.rendered)):
                primed = says(text, entries[name], with_rule=True)
                counts["grade2_prime" + ending] += primed
                counts["grade2_prime_or_brief" + ending] += primed or told
    return {name: round(count / (total or 1), 4) for name, count in counts.items()}


def says(text: str, entry: Entry, *, with_rule: bool) -> bool:
    """Whether a rendered block holds the entry's title, and the beginning of its rule if asked."""
    title = rendering.harmless(entry.title)[:60]
    rule = rendering.harmless(entry.rule)[:40]
    return bool(title) and title in text and (not with_rule or rule in text)
