"""What the warm server knows at a moment: the newest index, and its vectors as soon as they are there."""

import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ultan.encoders import Encoder, Reranker, probed
from ultan.errors import IndexUnreadable, ModelUnavailable, UltanError
from ultan.recall import index as layout
from ultan.recall import ranking, rendering, second_look, silence, wire
from ultan.recall.index import Card, Index, open_index
from ultan.recall.ranking import Query
from ultan.recall.warm import RERANKED, Warm

Signals = Mapping[str, Mapping[int, float]]


@dataclass(slots=True)
class Shelf:
    """Follows the generations of one home's index; vectors are made beside the answering.

    Attributes:
        root: the home; ``folder`` where vectors are kept between runs.
        reranker: a cross-encoder, with its ``share``; dropped with a word in ``trouble`` where a hook could not wait for it.
        state: ``empty`` (no index), ``warming`` (lexical answers) or ``warm``.
        trouble: why the last generation could not be used, or ``""``.
    """

    root: str
    encoder: Encoder
    folder: str
    stamp: Callable[[str], object]
    reranker: Reranker | None = None
    share: float = 0.5
    clock: Callable[[], float] = time.monotonic
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

    def _try_reranker(self, reranker: Reranker) -> None:
        """Load the reranker, and keep it only if a hook can wait for as many pairs as a question has."""
        pairs = ["Install Python packages with uv, never with pip."] * RERANKED
        try:
            reranker.score("which installer do we use", pairs)
            began = self.clock()
            reranker.score("which installer do we use", pairs)
            took = self.clock() - began
        except ModelUnavailable as error:
            self.reranker, self.trouble = None, str(error)
            return
        if took > wire.DEADLINE_S / 2:
            self.reranker = None
            self.trouble = f"{reranker.name} needs {took * 1000:.0f} ms for {len(pairs)} entries, hooks wait {wire.DEADLINE_S * 1000:.0f}: not used"

    def _embed(self, index: Index) -> None:
        try:
            if self.reranker is not None and self.generations == 1:
                self._try_reranker(self.reranker)
            warm = Warm(index, probed(self.encoder), self.folder, self.reranker, self.share)
        except (UltanError, OSError) as error:
            self.trouble = str(error)
            return
        with self._lock:
            if index is self._index:
                self._warm, self.state = warm, "warm"


def primed(shelf: Shelf, question: Mapping[str, Any], waiting: Sequence[str] = ()) -> dict[str, Any]:
    """The answer to a hook's question: the block to show, the ids in it, the rankings used.

    *waiting* are ids that an earlier answer of the session would have shown, had it not come too late:
    they take the places that are left.
    """
    index = shelf.index()
    if index is None:
        return {"text": "", "ids": [], "rankings": [], "probability": 0.0}
    project = question.get("project")
    query = Query(
        _word(question, "text"), project if isinstance(project, str) else "", _words(question, "files"), (),
        _word(question, "tail"), _word(question, "day"), _word(question, "agent"),
    )  # fmt: skip
    already = set(_words(question, "already"))
    found = ranking.prime(index, query, already, query.day, {} if silence.needs_nothing(query.text) else shelf.signals(query))
    cards = [*found.cards, *late_cards(index, query, waiting, already | {card.id for card in found.cards})]
    most = int(index.settings.get("priming.entries", silence.SHOWN))
    cards = cards[:most] or second_look.look(shelf.root, query, already, index.settings, found.probability).cards
    budget = int(index.settings.get("priming.budget_chars", 1500))
    text = rendering.render(cards, budget, _word(question, "nonce"), query.day, rendering.gone(shelf.root, cards)) if cards else ""
    return {
        "text": text, "ids": [card.id for card in cards], "rankings": list(found.rankings),
        "probability": round(found.probability, 4),
    }  # fmt: skip


def late_cards(index: Index, query: Query, waiting: Sequence[str], seen: set[str]) -> list[Card]:
    """The entries *waiting* that may still be shown: in scope, not *seen*, and still what holds."""
    cards = []
    for name in waiting:
        number = index.number(name)
        if number < 0 or not any(low <= number < high for low, high in index.ranges(query.project)):
            continue
        card = index.card(number)
        if not ranking.why_not(card, seen, query.day):
            cards.append(card)
    return cards


def _word(question: Mapping[str, Any], name: str) -> str:
    value = question.get(name)
    return value if isinstance(value, str) else ""


def _words(question: Mapping[str, Any], name: str) -> list[str]:
    value = question.get(name)
    return [one for one in value if isinstance(one, str)][:500] if isinstance(value, list) else []
