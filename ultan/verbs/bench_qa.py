"""Bench qa: questions answered by a model from what recall finds, graded by another against a rubric.

The retrieval is ``bench_recall``'s, which is the one that primes prompts. What a reader makes of the
found entries says whether they were enough; the judge sees neither them nor which system found them.
"""

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, Field

from ultan.errors import LanguageModelError, UsageError
from ultan.llm import Errand, LanguageModel, Reply
from ultan.recall import ranking
from ultan.recall.compile import build_from_entries
from ultan.recall.timespan import day_of
from ultan.recall.warm import Warm
from ultan.settings import Settings
from ultan.staff.packet import Prompt, block, nonce, prompt
from ultan.verbs.bench_recall import QUERY_FILES, RESAMPLES, SEED, Signals, read_entries, rows_of

if TYPE_CHECKING:
    from ultan.encoders import Encoder
    from ultan.recall.index import Index

NOTE_CHARS, CONTEXT_CHARS = 2000, 24_000
GRADES = (0.0, 0.5, 1.0)


class Read(BaseModel):
    """What a reader answers."""

    text: str = Field(description="the answer, from the notes alone", max_length=4000)
    notes: list[int] = Field(default_factory=list, description="numbers of the notes it rests on")


class Graded(BaseModel):
    """What a judge finds."""

    grades: list[float] = Field(description="0, 0.5 or 1 for each criterion, in order")


@dataclass(frozen=True, slots=True)
class Question:
    """One question of a data set with what a right answer meets."""

    id: str
    text: str
    pool: str
    group: str
    rubric: tuple[str, ...]
    day: str = ""


def bench_qa(
    folder: str, *, reader: LanguageModel, judge: LanguageModel, mode: str = "cold", top: int = 10, most: int = 0,
    settings: Settings | None = None, encoder: "Encoder | None" = None, cache: str = "",
    reader_model: str = "", judge_model: str = "",
) -> dict[str, Any]:  # fmt: skip
    """The share of criteria that answers meet, overall and by group, with intervals, tokens and what they cost.

    *most* questions are asked, 0: all. A question whose model fails counts as unanswered, with grade 0.

    Raises:
        UsageError: the folder holds no question with an ``answer`` or a ``rubric``.
    """
    questions = read_questions(folder)[: most or None]
    entries, _ = read_entries(folder)
    texts = {entry.id: "\n".join(filter(None, (entry.title, entry.body))) for entry in entries}
    index = build_from_entries(entries, settings or Settings(), encoder, cache)
    signals: Signals | None = Warm(index, encoder, cache).signals if mode == "warm" and encoder is not None else None
    asks = Asks(reader, judge, prompt("reader"), prompt("judge"), reader_model, judge_model)
    rows = []
    for one in questions:
        notes = context(index, one, texts, top, signals)
        rows.append({"id": one.id, "group": one.group, **asks.answered(one, notes)})
    groups = sorted({one.group for one in questions})
    return {
        "mode": mode, "top": top, "entries": len(entries), "questions": len(rows), "overall": scored(rows),
        "groups": {group: scored([row for row in rows if row["group"] == group]) for group in groups},
        "tokens": asks.tokens, "cost_usd": round(asks.cost_usd, 4), "answers": rows,
    }  # fmt: skip


def read_questions(folder: str) -> list[Question]:
    """The questions in *folder* that can be graded: by a ``rubric`` of criteria, or an ``answer`` that is the only one.

    Raises:
        UsageError: there is none.
    """
    found: list[Question] = []
    for row in rows_of(folder, QUERY_FILES):
        rubric = row.get("rubric") or ([f"The answer says: {row['answer']}"] if row.get("answer") else [])
        pool = str(row.get("pool", row.get("project", "")))
        if rubric:
            found.append(
                Question(
                    str(row.get("id", len(found))), str(row.get("text", row.get("prompt", ""))), pool,
                    str(row.get("group", "") or "all"), tuple(map(str, rubric)), day_of(str(row.get("date") or "")),
                )
            )  # fmt: skip
    if not found:
        raise UsageError(f"no question in {folder} has an answer or a rubric", "see `bench qa` in the reference of benches")
    return found


def context(index: "Index", one: Question, texts: dict[str, str], top: int, signals: Signals | None) -> list[str]:
    """The notes that recall finds for a question, best first, each with its day."""
    query = ranking.Query(one.text, one.pool or None, day=one.day)
    ranked = ranking.rank(index, query, signals(query) if signals else None, limit=top)
    notes: list[str] = []
    room = CONTEXT_CHARS
    for item in ranked:
        note = f"({item.card.created or 'no day'}) {texts[item.card.id]}"[:NOTE_CHARS]
        room -= len(note)
        if room < 0:
            break
        notes.append(note)
    return notes


@dataclass(slots=True)
class Asks:
    """A reader and a judge at work, and what they have cost so far."""

    reader: LanguageModel
    judge: LanguageModel
    reads: Prompt
    judges: Prompt
    reader_model: str = ""
    judge_model: str = ""
    tokens: int = 0
    cost_usd: float = 0.0

    def answered(self, one: Question, notes: Sequence[str]) -> dict[str, Any]:
        """What became of a question: the answer and its grade, or why there is none."""
        mark = nonce()
        numbered = "\n\n".join(block("note", mark, {"number": at}, note) for at, note in enumerate(notes, 1))
        asked = block("question", mark, {"day": one.day or "unknown"}, one.text)

        def in_range(value: Read) -> Sequence[str]:
            return [f"there is no note {at}" for at in value.notes if not 1 <= at <= len(notes)]

        def one_each(value: Graded) -> Sequence[str]:
            wrong = [f"{grade} is no grade" for grade in value.grades if grade not in GRADES]
            return [*wrong, *([f"{len(one.rubric)} grades are wanted"] if len(value.grades) != len(one.rubric) else [])]

        try:
            read = self._counted(lambda: self.reader.ask(Errand(
                "reader", self.reads.text, f"{asked}\n\n{numbered}", Read, in_range, model=self.reader_model, prompt_digest=self.reads.digest,
            )))  # fmt: skip
            criteria = "\n".join(f"{at}. {line}" for at, line in enumerate(one.rubric, 1))
            told = "\n\n".join((asked, block("answer", mark, {}, read.text), block("criteria", mark, {}, criteria)))
            graded = self._counted(lambda: self.judge.ask(Errand(
                "judge", self.judges.text, told, Graded, one_each, model=self.judge_model, prompt_digest=self.judges.digest,
            )))  # fmt: skip
        except LanguageModelError as error:
            return {"grade": 0.0, "answer": "", "notes": [], "failed": str(error)}
        return {"grade": round(sum(graded.grades) / len(graded.grades), 4), "answer": read.text, "notes": read.notes, "failed": ""}

    def _counted(self, ask: "Callable[[], Reply[Any]]") -> Any:
        reply = ask()
        self.tokens += reply.usage.total
        self.cost_usd += reply.cost_usd
        return reply.value


def scored(rows: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """The mean grade of *rows* with its bootstrap interval, how many are fully right, and how many went unanswered."""
    if not rows:
        return {"n": 0, "grade": 0.0, "ci": [0.0, 0.0], "right": 0, "failed": 0}
    grades = [float(row["grade"]) for row in rows]
    chance = random.Random(SEED)  # noqa: S311 -- resampling, not secrets
    means = sorted(sum(chance.choices(grades, k=len(grades))) / len(grades) for _ in range(RESAMPLES))
    return {
        "n": len(rows), "grade": round(sum(grades) / len(grades), 4),
        "ci": [round(means[int(len(means) * 0.025)], 4), round(means[int(len(means) * 0.975) - 1], 4)],
        "right": sum(grade == 1.0 for grade in grades), "failed": sum(bool(row["failed"]) for row in rows),
    }  # fmt: skip
