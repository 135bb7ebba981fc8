"""The advisor: Question → Answer with citations, what is stored kept apart from its own opinion.

Two steps, as with curating: one model searches the library, another answers from what was
found. An answer that cites what was not found goes back.
"""

import re
from collections.abc import Sequence

from pydantic import Field

from ultan.library.actions import Id, Model
from ultan.library.entry import Entry
from ultan.library.snapshot import Library
from ultan.llm import Errand, LanguageModel
from ultan.staff.packet import block, entry_block, entry_blocks, nonce, prompt
from ultan.staff.tools import Nearest, library_tools

NEAREST = 8
DEADLINE_S = 120.0
WHOLE_CHARS = 2500
LINK = re.compile(r"\[\[([^\]|#]+)")
SEARCH = "First step. Find every entry that bears on the question; search more than once, in other words. Hand in their ids."
ANSWER = "Second step. Answer the question from these entries alone, and hand the answer in."


class Findings(Model):
    """Entries that bear on a question, the most important first."""

    entries: tuple[Id, ...] = Field(default=(), max_length=12)


class Answer(Model):
    """An answer to a question.

    Attributes:
        text: what the library says, each statement with its [[entry]]; empty if it says nothing.
        citations: ids of the entries it rests on.
        opinion: what the model thinks beyond that, or empty; never from the library.
    """

    text: str = Field(default="", max_length=4000, description="what the stored entries say, each statement with its [[entry id]]")
    citations: tuple[Id, ...] = Field(default=(), max_length=12)
    opinion: str = Field(default="", max_length=2000, description="your own view, kept apart; empty if none is needed")


def advise(
    model: LanguageModel, question: str, library: Library, *, nearest: Nearest, project: str, searcher: str, writer: str
) -> tuple[Answer, tuple[Entry, ...]]:
    """The answer to *question*, and the entries it had before it.

    Raises:
        LanguageModelError: no answer could be had.
    """
    words = prompt("advisor")
    mark = nonce()
    asked = block("question", mark, {}, question)
    close = nearest(question, NEAREST)
    findings = model.ask(
        Errand(
            "advisor", words.text, "\n\n".join((SEARCH, asked, "Nearest entries:", entry_blocks(close, mark))), Findings,
            check=lambda found: _unknown(found.entries, library), tools=library_tools(library, nearest, project),
            model=searcher, deadline_s=DEADLINE_S, prompt_digest=words.digest,
            summary=lambda found: {"found": len(found.entries)},
        )
    ).value
    entries = tuple(library.entries[name] for name in findings.entries)
    before = "\n".join(entry_block(entry, mark, chars=WHOLE_CHARS) for entry in entries) or "(nothing was found)"
    answer = model.ask(
        Errand(
            "advisor", words.text, f"{ANSWER}\n\n{asked}\n\n{before}", Answer,
            check=lambda said: complaints(said, findings), model=writer, deadline_s=DEADLINE_S,
            prompt_digest=words.digest, summary=lambda said: {"cited": len(said.citations)},
        )
    ).value
    return answer, entries


def complaints(answer: Answer, findings: Findings) -> list[str]:
    """What is wrong with *answer*: it may cite only what was found, and must cite what it says."""
    found = [f"citation {name!r} is none of the entries" for name in answer.citations if name not in findings.entries]
    linked = set(LINK.findall(answer.text))
    found += [f"[[{name}]] is not among your citations" for name in sorted(linked - set(answer.citations))]
    if answer.text and not answer.citations:
        found.append("text without a citation: what the library does not say belongs into opinion")
    if not answer.text and not answer.opinion:
        found.append("there is no answer: say in opinion that the library is silent, and what you would do")
    return found


def _unknown(names: Sequence[str], library: Library) -> list[str]:
    return [f"there is no entry {name!r}" for name in names if name not in library.entries]
