"""Recorded answers of librarian and scholar: what they are asked, what they said, and how good it was.

Twenty labelled stretches of sessions are chosen by a seed, balanced over projects and over what
is labelled in them, empty ones included. ``ask`` writes the real questions into a folder, without
a label; whoever answers them sees nothing else. ``keep`` takes the answers into this folder, raw,
with the digest of the prompt and of the question. ``figures`` lets the real librarian and scholar
code run on them and compares with the labels.

    curation.py DATA ask librarian FOLDER     then answers as FOLDER/NN.answer.json
    curation.py DATA keep librarian FOLDER    refused ones are asked again: FOLDER/NN.again.md
    curation.py DATA ask scholar FOLDER       and so on
    curation.py DATA figures

The other twenty excerpts, which nobody had looked at while the prompts were written, are asked with
``--others`` behind any of these; their answers stand in ``others/``.
"""

import hashlib
import json
import random
import re
import statistics
import sys
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ultan.errors import LanguageModelError, MalformedReply
from ultan.events import Transcript
from ultan.library.actions import Create, ModelAction
from ultan.library.entry import Entry
from ultan.library.executor import execute
from ultan.library.rendering import render
from ultan.library.snapshot import Library, read_library
from ultan.library.twin import MemoryStore
from ultan.llm import Errand, Reply, Result, judged, schema_of
from ultan.staff import librarian, scholar
from ultan.staff.packet import CHARS_A_TOKEN
from ultan.staff.scan import by_words
from ultan.verbs.bench_curate import RULES, START_S, Excerpt, Tally, _count, _excerpts

HERE = Path(__file__).parent
SEED, CHOSEN = 4, 20
NONCE = re.compile(r"-[0-9a-f]{8}\b")
RETURN = (
    "Answer with the argument of `submit_result` and nothing else: one JSON value that fits the schema below. "
    "The read tools answer nothing here; what they could have told you about the library stands in the question."
)


class Unanswered(LanguageModelError):
    """Nobody has answered this question yet."""


def normal(text: str) -> str:
    """*text* with every nonce alike."""
    return NONCE.sub("-0a1b2c3d", text)


def digest(text: str) -> str:
    """What names *text*."""
    return hashlib.sha256(normal(text).encode()).hexdigest()[:16]


# --- what is asked -----------------------------------------------------------------------------------


def chosen(data: Path, *, others: bool = False) -> list[Excerpt]:
    """Twenty excerpts in file order, each stratum (project, rules or not, facts or not) giving in turn; or all *others*."""
    strata: dict[tuple[Any, ...], list[Excerpt]] = defaultdict(list)
    every = list(_excerpts(str(data / "sessions_gold.jsonl")))
    for excerpt in every:
        kinds = {item.kind for items in excerpt.items.values() for item in items}
        strata[excerpt.project, bool(kinds & set(RULES)), bool(kinds - set(RULES))].append(excerpt)
    dice = random.Random(SEED)
    rows = [dice.sample(strata[key], len(strata[key])) for key in sorted(strata)]
    taken: list[Excerpt] = []
    while len(taken) < CHOSEN:
        for row in rows:
            if row and len(taken) < CHOSEN:
                taken.append(row.pop())
    return [excerpt for excerpt in every if (excerpt in taken) != others]


def store() -> MemoryStore:
    """The small library that every question is asked over."""
    files = {}
    for row in json.loads((HERE / "library.json").read_text(encoding="utf-8")):
        entry = Entry(
            id=row["id"], title=row["title"], kind=row["kind"], scope="global", created="2026-01-05", updated="2026-01-05",
            trust="person", applies_when=tuple(row["applies_when"]), body=row["rule"] + "\n",
        )  # fmt: skip
        files[entry.path] = render(entry)
    return MemoryStore(files)


def transcript_of(excerpt: Excerpt) -> Transcript:
    """*excerpt* as a session that is read in one go."""
    return Transcript(excerpt.id, excerpt.project, list(excerpt.pieces))


def suggest(model: "Answers", excerpt: Excerpt, library: Library) -> list[librarian.Suggested]:
    """What the librarian made of *excerpt*."""
    found, _ = librarian.propose(model, transcript_of(excerpt), library, nearest=by_words(library), name="recorded")
    return found


# --- what was answered -------------------------------------------------------------------------------


@dataclass
class Answers:
    """A model that gives recorded answers: to each question those that were given to it, in order.

    Attributes:
        open: errands nobody has answered acceptably yet, in order, with the last complaint.
    """

    role: str
    known: dict[str, dict[str, Any]] = field(default_factory=dict)
    open: list[tuple[Errand[Any], str]] = field(default_factory=list)
    asked: list[Errand[Any]] = field(default_factory=list)

    def ask(self, errand: Errand[Result]) -> Reply[Result]:
        """The first recorded answer that fits *errand*."""
        self.asked.append(errand)
        answer = self.known.get(digest(errand.question))
        complaint = ""
        for place, raw in enumerate(answer["raw"] if answer else (), 1):
            try:
                value, complaint = judged(errand, json.loads(raw))
            except ValueError:
                value, complaint = None, "text is not read"
            if value is not None:
                return Reply(value, model="recorded", attempts=place)
        self.open.append((errand, complaint))
        if answer is None:
            raise Unanswered(f"a question of the {self.role} about {errand.session} has no recorded answer")
        raise MalformedReply(complaint)


def home_of(role: str, *, others: bool = False) -> Path:
    """Where the answers of *role* stand."""
    return HERE / "others" / role if others else HERE / role


def recorded(role: str, *, others: bool = False) -> Answers:
    """The answers of *role* in this folder."""
    rows = [json.loads(path.read_text(encoding="utf-8")) for path in sorted(home_of(role, others=others).glob("*.json"))]
    return Answers(role, {row["question"]: row for row in rows})


def errands(role: str, data: Path, *, others: bool = False) -> Iterator[Errand[Any]]:
    """What *role* is asked about the chosen excerpts, in order."""
    library = read_library(store())
    answers = recorded("librarian", others=others)
    for excerpt in chosen(data, others=others):
        if role == "librarian":
            transcript, nearest = transcript_of(excerpt), by_words(library)
            for packet in librarian.packets(transcript):
                yield librarian.errand(packet, transcript, library, nearest=nearest, name="recorded")
            continue
        try:
            found = suggest(answers, excerpt, library)
        except MalformedReply:
            continue
        if found:
            collecting = Answers("scholar")
            try:
                scholar.rule(collecting, found, library, nearest=by_words(library), project=excerpt.project, name="recorded", session=excerpt.id)
            except Unanswered:
                yield collecting.asked[0]


def ask(role: str, data: Path, folder: Path, *, others: bool = False) -> int:
    """How many questions of *role* were written into *folder*."""
    folder.mkdir(parents=True, exist_ok=True)
    count = 0
    for count, errand in enumerate(errands(role, data, others=others), 1):
        (folder / f"{count:02}.md").write_text(as_page(errand), encoding="utf-8")
    return count


def as_page(errand: Errand[Any]) -> str:
    """*errand* as one text for whoever answers it."""
    schema = json.dumps(schema_of(errand.result), ensure_ascii=False)
    return f"{RETURN}\n\n# System prompt\n\n{errand.prompt}\n\n# Schema of the answer\n\n{schema}\n\n# Question\n\n{normal(errand.question)}\n"


def keep(role: str, data: Path, folder: Path, by: str, *, others: bool = False) -> tuple[int, int]:
    """How many answers of *folder* were taken over, and how many of those must be asked again."""
    kept = refused = 0
    home = home_of(role, others=others)
    home.mkdir(parents=True, exist_ok=True)
    for number, errand in enumerate(errands(role, data, others=others), 1):
        raws = [path.read_text(encoding="utf-8").strip() for name in ("answer", "again")
                if (path := folder / f"{number:02}.{name}.json").exists()]  # fmt: skip
        if not raws:
            continue
        row = {"session": errand.session, "prompt": errand.prompt_digest, "question": digest(errand.question), "by": by, "raw": raws}
        (home / f"{number:02}.json").write_text(json.dumps(row, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
        kept += 1
        replay = Answers(role, {row["question"]: row})
        try:
            replay.ask(errand)
        except MalformedReply:
            refused += 1
            told = f"\n# You answered\n\n{raws[-1]}\n\n# It was refused\n\n{replay.open[-1][1]}\nCorrect exactly this, and give the whole answer again.\n"
            (folder / f"{number:02}.again.md").write_text(as_page(errand) + told, encoding="utf-8")
    return kept, refused


# --- how good it was ---------------------------------------------------------------------------------


def figures(data: Path, *, others: bool = False) -> dict[str, Any]:
    """Precision, recall, kind and scope of what passed librarian and scholar, and of the librarian alone; vetoes."""
    library = read_library(store())
    first, second = (recorded(role, others=others) for role in ("librarian", "scholar"))
    ruled, proposed, as_said = Tally(), Tally(), Tally()
    suggestions = vetoed = refused = failed = 0
    for excerpt in chosen(data, others=others):
        try:
            found = suggest(first, excerpt, library)
            verdicts = scholar.rule(second, found, library, nearest=by_words(library), project=excerpt.project, name="recorded")[0] if found else []
        except MalformedReply:
            failed += 1
            for tally in (ruled, proposed, as_said):
                _count(tally, [], excerpt, library)
            continue
        suggestions += len(found)
        vetoed += sum(not verdict.approve for verdict in verdicts)
        passed = [item.suggestion.action for item, verdict in zip(found, verdicts, strict=True) if verdict.approve]
        receipt = execute(
            store(), passed, now=START_S, by="scholar", session=excerpt.id, sources={piece.id: piece for piece in excerpt.pieces}
        )
        refused += len(receipt.refused)
        lost = [refusal.action for refusal in receipt.refused]
        kept = [action for action in passed if action not in lost]
        _count(ruled, [_as_labelled(action) for action in kept], excerpt, library)
        _count(as_said, kept, excerpt, library)
        _count(proposed, [_as_labelled(item.suggestion.action) for item in found], excerpt, library)
    calls = [*first.asked, *second.asked]
    return {
        "excerpts": CHOSEN, "failed": failed, "suggestions": suggestions, "vetoed": vetoed,
        "veto_share": round(vetoed / suggestions, 4) if suggestions else 0.0, "refused_by_code": refused,
        "retried": sum(len(row["raw"]) > 1 for model in (first, second) for row in model.known.values()),
        "calls": {"librarian": len(first.asked), "scholar": len(second.asked)},
        "input_tokens": {
            model.role: round(statistics.median(map(_tokens, model.asked))) for model in (first, second) if model.asked
        },
        "input_tokens_a_session": round(sum(map(_tokens, calls)) / CHOSEN),
        "librarian_and_scholar": ruled.figures(), "librarian_alone": proposed.figures(),
        "kind_accuracy_with_decisions": as_said.figures()["kind_accuracy"],
    }  # fmt: skip


def _as_labelled(action: ModelAction) -> ModelAction:
    """*action* in the four kinds that the labels know: they call a finding what we call a decision."""
    return action.model_copy(update={"kind": "finding"}) if isinstance(action, Create) and action.kind == "decision" else action


def _tokens(errand: Errand[Any]) -> float:
    """About how many tokens a call reads: prompt, question, and the schemas of result and tools."""
    schemas = sum(len(json.dumps(schema_of(each), separators=(",", ":"))) for each in (errand.result, *(t.arguments for t in errand.tools)))
    return (len(errand.prompt) + len(errand.question) + schemas) / CHARS_A_TOKEN


def main(words: list[str]) -> None:
    """Do what the command line asks."""
    others = "--others" in words
    data, what, *rest = (word for word in words if word != "--others")
    if what == "ask":
        sys.stdout.write(f"{ask(rest[0], Path(data), Path(rest[1]), others=others)} questions\n")
    elif what == "keep":
        kept, refused = keep(rest[0], Path(data), Path(rest[1]), rest[2] if len(rest) > 2 else "claude", others=others)
        sys.stdout.write(f"{kept} answers, {refused} to be asked again\n")
    else:
        sys.stdout.write(json.dumps(figures(Path(data), others=others), indent=1) + "\n")


if __name__ == "__main__":
    main(sys.argv[1:])
