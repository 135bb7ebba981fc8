"""What the warm server knows at a moment: the newest index, and its vectors as soon as they are there."""

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from ultan.encoders import Encoder
from ultan.errors import IndexUnreadable, UltanError
from ultan.recall import index as layout
from ultan.recall import ranking
from ultan.recall.index import Index, open_index
from ultan.recall.ranking import Query
from ultan.recall.warm import Warm

Signals = Mapping[str, Mapping[int, float]]


@dataclass(slots=True)
class Shelf:
    """Follows the generations of one home's index; vectors are made beside the answering.

    Attributes:
        root: the home; ``folder`` where vectors are kept between runs.
        state: ``empty`` (no index), ``warming`` (lexical answers) or ``warm``.
        trouble: why the last generation could not be used, or ``""``.
    """

    root: str
    encoder: Encoder
    folder: str
    stamp: Callable[[str], object]
    state: str = "empty"
    trouble: str = ""
    generations: int = 0
    _seen: object = None
    _index: Index | None = None
    _warm: Warm | None = None
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _worker: threading.Thread | None = None

    def index(self) -> Index | None:
        """The newest index that can be used; None where there is none."""
        seen = self.stamp(layout.path_of(self.root))
        if seen != self._seen:
            self._follow(seen)
        return self._index

    def signals(self, query: Query) -> Signals:
        """The signals that need a model; none while vectors are being made, or when the encoder fails."""
        with self._lock:
            warm = self._warm
        if warm is None or warm.index is not self._index:
            return {}
        try:
            return warm.signals(query)
        except UltanError as error:
            self.trouble = str(error)
            return {}

    def finish(self) -> None:
        """Wait until the vectors of the newest generation are there."""
        if self._worker is not None:
            self._worker.join()

    def _follow(self, seen: object) -> None:
        try:
            self._index = open_index(self.root)
        except IndexUnreadable as error:
            self.trouble, self._seen = str(error), seen
            return
        self._seen, self.state, self.trouble = seen, "warming", ""
        self.generations += 1
        self._worker = threading.Thread(target=self._embed, args=(self._index,), daemon=True, name="ultan-vectors")
        self._worker.start()

    def _embed(self, index: Index) -> None:
        try:
            warm = Warm(index, self.encoder, self.folder)
        except (UltanError, OSError) as error:
            self.trouble = str(error)
            return
        with self._lock:
            if index is self._index:
                self._warm, self.state = warm, "warm"


def primed(shelf: Shelf, question: Mapping[str, Any]) -> dict[str, Any]:
    """The answer to a hook's question: the block to show, the ids in it, the rankings used."""
    index = shelf.index()
    if index is None:
        return {"text": "", "ids": [], "rankings": [], "probability": 0.0}
    project = question.get("project")
    query = Query(
        _word(question, "text"), project if isinstance(project, str) else "", _words(question, "files"), (),
        _word(question, "tail"), _word(question, "day"), _word(question, "agent"),
    )  # fmt: skip
    already = set(_words(question, "already"))
    found = ranking.prime(index, query, already, query.day, {} if ranking.needs_nothing(query.text) else shelf.signals(query))
    budget = int(index.settings.get("priming.budget_chars", 1500))
    text = ranking.render(found.cards, budget, _word(question, "nonce"), query.day) if found.cards else ""
    return {
        "text": text, "ids": [card.id for card in found.cards], "rankings": list(found.rankings),
        "probability": round(found.probability, 4),
    }  # fmt: skip


def _word(question: Mapping[str, Any], name: str) -> str:
    value = question.get(name)
    return value if isinstance(value, str) else ""


def _words(question: Mapping[str, Any], name: str) -> list[str]:
    value = question.get(name)
    return [one for one in value if isinstance(one, str)][:500] if isinstance(value, list) else []
