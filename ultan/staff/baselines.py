"""Two plain ways to pick what a person dictated, to measure the clerk against; never used to curate."""

import math
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from ultan.events import USER, Transcript
from ultan.library.actions import Action, Cite, Create
from ultan.recall.text import terms

if TYPE_CHECKING:
    from ultan.library.snapshot import Library

_CUES = re.compile(
    r"\b(?:always|never|from now on|prefer|should|must|don't|do not|make sure|remember|convention|rule)\b",
    re.IGNORECASE,
)
_SENTENCE = re.compile(r"(?<=[.!?])\s+|\n+")


def by_cue_list(transcript: Transcript, library: "Library") -> Sequence[Action]:
    """An entry for every sentence with a word of a short list, as many tools do it."""
    del library
    return [
        _creation(transcript, piece.id, sentence)
        for piece in transcript.pieces[transcript.overlap :]
        if piece.origin == USER
        for sentence in _SENTENCE.split(piece.text)
        if _CUES.search(sentence) and len(sentence) > 3
    ]


class TfIdf:
    """Nearest centroid over tf-idf of whole turns; each half of the sessions is judged by the other."""

    def __init__(self, labelled: Iterable[tuple[str, str, bool]]) -> None:
        """Learn from (session, text, is durable); without any, nothing is picked."""
        rows = [(session, Counter(terms(text)), durable) for session, text, durable in labelled]
        names = sorted({session for session, _, _ in rows})
        self._half = {name: place % 2 for place, name in enumerate(names)}
        self._models = [self._learned([row for row in rows if self._half[row[0]] != half]) for half in (0, 1)]

    def propose(self, transcript: Transcript, library: "Library") -> Sequence[Action]:
        """An entry for every turn nearer to the durable ones."""
        del library
        model = self._models[self._half.get(transcript.session, 0)]
        return [
            _creation(transcript, piece.id, piece.text)
            for piece in transcript.pieces[transcript.overlap :]
            if piece.origin == USER and len(piece.text) > 3 and _score(model, Counter(terms(piece.text))) > 0
        ]

    @staticmethod
    def _learned(rows: Sequence[tuple[str, Counter[str], bool]]) -> dict[str, float]:
        """Weight of each term: the durable centroid minus the other."""
        seen = Counter(term for _, counts, _ in rows for term in counts)
        sides = {True: Counter[str](), False: Counter[str]()}
        sizes = Counter(durable for _, _, durable in rows)
        for _, counts, durable in rows:
            norm = (
                math.sqrt(sum((n * math.log(1 + len(rows) / seen[term])) ** 2 for term, n in counts.items()))
                or 1
            )
            for term, n in counts.items():
                sides[durable][term] += n * math.log(1 + len(rows) / seen[term]) / norm  # type: ignore[assignment]
        return {
            term: (sides[True][term] / (sizes[True] or 1) - sides[False][term] / (sizes[False] or 1))
            * math.log(1 + len(rows) / seen[term])
            for term in seen
        }


def _score(model: dict[str, float], counts: Counter[str]) -> float:
    return sum(model.get(term, 0.0) * n for term, n in counts.items())


def _creation(transcript: Transcript, piece: str, text: str) -> Create:
    text = text.strip()[:1000]
    folder = f"projects/{transcript.project}" if transcript.project else "global"
    return Create(
        folder=folder, kind="convention", title=text[:100].ljust(3, "."), rule=text.ljust(3, "."),
        evidence=(Cite(event=piece, quote=text),),
    )  # fmt: skip
