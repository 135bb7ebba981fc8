"""Ask: a question answered from the library, each statement with its entry.

With no model the entries and their words are the answer, and it says so. With one, the
advisor searches and writes; what is stored and what it thinks stay apart.
"""

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ultan.errors import LanguageModelError
from ultan.library import upkeep
from ultan.library.entry import Entry
from ultan.library.snapshot import read_library
from ultan.library.store import FileStore
from ultan.llm import LanguageModel, open_model
from ultan.llm.recorded import Recorded
from ultan.recall.timespan import within_first
from ultan.settings import Settings
from ultan.staff import advisor
from ultan.verbs.nearest import Nearest, nearest_entries
from ultan.verbs.search import REACH, Wish, days_of, faded_hits, span_asked
from ultan.verbs.temporal import Resolve, resolver

SHOWN = 5
SAID_BY = {"person": "you", "confirmed": "you confirmed it", "assistant": "the assistant, unconfirmed", "observed": "seen, unconfirmed"}


@dataclass(frozen=True, slots=True)
class Excerpt:
    """What an entry says, and what it is worth."""

    entry: str
    title: str
    rule: str
    kind: str
    said_by: str
    updated: str
    why: str = ""


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer.

    Attributes:
        text: what the library says; empty if it is silent.
        citations: entry ids behind *text*.
        opinion: the advisor's own; empty without a model.
        by: ``library`` (no model was asked) or the name of the model row.
        excerpts: the entries themselves.
        note: why no model answered, where one should have.
    """

    question: str
    text: str
    citations: tuple[str, ...]
    opinion: str
    by: str
    excerpts: tuple[Excerpt, ...]
    note: str = ""


def ask(
    root: str, question: str, settings: Settings, *, now: Callable[[], float], model: LanguageModel | None = None,
    project: str = "", by: str = "",
) -> Answer:  # fmt: skip
    """The answer to *question* for somebody who works in *project*.

    *by* names a row of ``MODELS``, ``clerk`` for none; empty: who curates also answers. A model
    that fails leaves the entries as the answer, with the reason.
    """
    who = by or settings["curation.by"]
    if not os.path.isdir(os.path.join(root, "knowledge")):
        return Answer(question, "", (), "", "library", (), "nothing is remembered yet")
    library = read_library(FileStore(root))
    today = upkeep.day(now())
    resolve = resolver(root, settings, now, model)
    nearest = timely(nearest_entries(root, library, project), question, today, resolve)
    away = [library.archived[hit.id] for hit in faded_hits(library, question, project, Wish(), today)]
    if model is None and who in ("clerk", "off"):
        return _from_library(question, [*nearest(question, SHOWN), *away])
    try:
        asked = Recorded(model or open_model(who, root, settings), root, settings, now, insist=True)
        answer, entries = advisor.advise(
            asked, question, library, nearest=nearest, project=project,
            searcher=settings["curation.librarian_model"], writer=settings["curation.scholar_model"],
        )  # fmt: skip
    except LanguageModelError as error:
        return _from_library(question, [*nearest(question, SHOWN), *away], f"no model answered: {error}")
    cited = [entry for entry in entries if entry.id in answer.citations]
    excerpts = tuple(_excerpt(entry) for entry in cited)
    return Answer(question, answer.text, answer.citations, answer.opinion, who, excerpts)


def timely(nearest: Nearest, question: str, today: str, resolve: Resolve | None = None) -> Nearest:
    """*nearest*, with entries of the time that *question* names before others about as near."""
    span = span_asked(question, today, resolve)
    if span is None:
        return nearest

    def nearest_then(text: str, most: int) -> Sequence[Entry]:
        return within_first(nearest(text, most * REACH), span, days_of)[:most]

    return nearest_then


def _from_library(question: str, entries: list[Entry], note: str = "") -> Answer:
    excerpts = tuple(_excerpt(entry) for entry in entries)
    lines = [f"{item.rule} [[{item.entry}]] ({item.said_by}, {item.updated})" for item in excerpts]
    text = "\n".join(lines)
    return Answer(question, text, tuple(item.entry for item in excerpts), "", "library", excerpts, note)


def _excerpt(entry: Entry) -> Excerpt:
    return Excerpt(
        entry.id, entry.title, entry.rule, entry.kind, SAID_BY[entry.trust] + ", faded" * entry.shelved, entry.updated, entry.why
    )
