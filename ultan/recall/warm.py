"""The same question answered with models in memory: more signals for ``ranking.rank``, nothing else.

Every entry in scope is scored with arrays, as ``ranking`` would score it in a hook, and by the
encoder beside; the best candidates then pass through the ranking that hooks use. Vectors of
entries are kept beside the index by the digest of their text, so that a new generation embeds
only what changed.
"""

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any

import numpy as np

from ultan.errors import ModelUnavailable
from ultan.recall import index as layout
from ultan.recall import ranking, signals
from ultan.recall.kept import Kept, digest_of
from ultan.recall.ranking import WEIGHTS, Scores
from ultan.recall.signals import CANDIDATES, Scope
from ultan.recall.text import terms
from ultan.recall.topic import applying, asked_about, orders

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ultan.encoders import Encoder, Reranker
    from ultan.recall.index import Index
    from ultan.recall.ranking import Query
    from ultan.recall.signals import Spread, Weighed

    Floats = NDArray[np.float64]

PROMPT_CHARS = 1500  # an encoder reads no more; the rest only dilutes
AT_ONCE = 64  # texts embedded before their vectors are kept: an end in between loses no more
RERANKED, SURE, LIKELY = 20, 3, 10  # entries that a reranker sees; those at the top it may move less
LATE_DEPTH = 30  # more candidates change nothing
SHORT_QUESTION = 8  # word pieces
SHARED = 0.3  # of what bare entries have in common is taken from a question: turns of one dialogue are all alike
SHORT = 256  # postings that are cheaper to add than to cut to the scope


class Warm:
    """An index with the vectors of its entries.

    Attributes:
        index: the generation the vectors belong to; numbers of entries are its numbers.
    """

    def __init__(
        self, index: "Index", encoder: "Encoder", folder: str = "", reranker: "Reranker | None" = None, share: float = 0.5
    ) -> None:  # fmt: skip
        """Embed what *folder* does not hold yet, and keep it there; *share* is the weight of the *reranker*."""
        self.index, self.encoder, self.reranker, self.share = index, encoder, reranker, share
        self._words = Lexical(index)
        heads, bodies, cues, counts = [], [], [], []
        for number in range(index.size):
            card = index.card(number)
            heads.append(". ".join((card.title, *card.cues)) if card.title or card.cues else card.rule)
            bodies.append(f"{card.title}. {card.rule} {card.body}".strip(". "))
            cues += card.cues
            counts.append(len(card.cues))
        self._first_cue = np.concatenate([[0], np.cumsum(counts, dtype=np.int64)])
        self._late = Late(bodies, encoder, folder) if hasattr(encoder, "encode_parts") else None
        vectors = kept_vectors([*heads, *bodies, *cues], encoder, folder)
        self._means: dict[tuple[tuple[int, int], ...], NDArray[np.float32]] = {}
        size = index.size
        self._heads, self._bodies, self._cues = vectors[:size], vectors[size : 2 * size], vectors[2 * size :]

    def signals(self, query: "Query", most: int = CANDIDATES, weights: Mapping[str, float] = WEIGHTS) -> Scores:
        """All signals of the *most* best entries in scope, those that need a model among them.

        Raises:
            ModelUnavailable: the encoder gave no vector; the answer is then given without it.
        """
        scope = Scope(self.index, query.project)
        if not scope.size:
            return Scores({}, {})
        weighed = signals.weighed_terms(scope, terms(query.text[: signals.PROMPT_CHARS]))
        found = self._words.signals(scope, query, weighed)
        whole = set(found)  # known of every entry: a score of 0 is no absence
        for name, scores in signals.keyed(scope, query).items():
            found[name] = self._words.filled(scores)
        text, parts = query.text[:PROMPT_CHARS].strip(), None
        if text:
            row, parts = self._read(text)
            found |= self._near_in_meaning(scope, row)
        spreads = {
            name: ranking.WARM_SPREADS.get(name) or spread(scope, scores, scope.supposed if name in whole else scope.size)
            for name, scores in found.items()
        }
        share = 1.0
        if text:
            share = signals.trust(weighed, max(highest(scope, found[name]) for name in ("words", "near") if name in found))
            spreads = signals.yielding(spreads, share)
        result = best(scope, found, spreads, most, weights)
        if self._late and parts:
            self._late.add_to(result, parts, share)
        if self.reranker and text:
            self._rerank(result, text, self.reranker)
        return result

    def _rerank(self, found: Scores, text: str, reranker: "Reranker") -> None:
        """Add the signal that moves the leading entries by what *reranker* says of them."""
        totals = ranking.fused(found, found.spreads, WEIGHTS)
        leading = candidates(found, WEIGHTS)[:RERANKED]
        if len(leading) < 2:
            return
        cards = [self.index.card(number) for number in leading]
        said = reranker.score(text, [f"{card.title}. {card.rule} {card.body}"[:PROMPT_CHARS] for card in cards])
        moves = blended([totals[number] for number in leading], said, self.share)
        found["rerank"] = dict(zip(leading, moves, strict=True))
        found.spreads = {**found.spreads, "rerank": (0.0, 1.0)}

    def _read(self, text: str) -> "tuple[NDArray[np.float32], Any]":
        """The vector of a question, and its tokens where the encoder tells them."""
        if not self._late:
            return checked(self.encoder.encode([text], query=True), 1, self.encoder.dimension)[0], None
        encoder: Any = self.encoder
        parts = encoder.encode_parts([text], query=True)[0]
        return checked(parts.row[None], 1, self.encoder.dimension)[0], parts

    def _near_in_meaning(self, scope: Scope, row: "NDArray[np.float32]") -> "dict[str, Floats]":
        heads, bodies, cues = (np.zeros(self.index.size) for _ in range(3))
        if self.index.meta.get("topics"):
            row = row - SHARED * self._mean(tuple(scope.ranges))
        for low, high in scope.ranges:
            heads[low:high] = self._heads[low:high] @ row
            bodies[low:high] = self._bodies[low:high] @ row
            # An entry without cues is judged by its head: absence of a cue is no evidence against it.
            cues[low:high] = heads[low:high]
            starts = self._first_cue[low : high + 1]
            own = np.flatnonzero(starts[1:] > starts[:-1])
            if len(own):
                sims = self._cues[starts[0] : starts[-1]] @ row
                cues[low + own] = np.maximum.reduceat(sims, starts[own] - starts[0])
        return {"meaning": heads, "body": bodies, "best_cue": cues}

    def _mean(self, ranges: tuple[tuple[int, int], ...]) -> "NDArray[np.float32]":
        """What all entries of a scope share: an entry that is near everything is no answer to anything."""
        if ranges not in self._means:
            whole: NDArray[np.float32] = np.concatenate([self._bodies[low:high] for low, high in ranges]).mean(0)
            self._means[ranges] = whole
        return self._means[ranges]


class Lexical:
    """The signals of ``ranking`` that need no model, for every entry at once."""

    def __init__(self, index: "Index") -> None:
        self.index = index
        self._offsets = np.frombuffer(index.section("toff"), np.uint32)
        self._docs = np.frombuffer(index.section("pdoc"), np.uint32)
        self._weights = np.frombuffer(index.section("pimp"), np.uint16)
        self._topics: NDArray[np.float32] | None = None
        if index.meta.get("topics"):
            rows = np.frombuffer(index.section("evec"), np.int8).reshape(index.size, -1).astype(np.float32)
            self._topics = rows / np.maximum(1.0, np.linalg.norm(rows, axis=1, keepdims=True))

    def signals(self, scope: Scope, query: "Query", weighed: "Weighed") -> "dict[str, Floats]":
        """As ``signals.signals_of``, name → a score per entry; only those in scope are right."""
        found = {"words": self.words(weighed)}
        if self.index.encoder:
            found["near"] = self.near(scope, weighed)
        sides = {"tail": query.tail[-signals.TAIL_CHARS :], "files": signals.file_words(query.files[: signals.MOST_FILES])}
        for name, text in sides.items():
            if text:
                found[name] = self.words(signals.weighed_terms(scope, terms(text)))
        if self._topics is not None:
            found["topic"] = self.about(scope, weighed, self._topics)
            held = orders(self.index, scope.ranges)
            found["order"] = self.filled(applying(held, {number: float(found["topic"][number]) for number in held}))
        return found

    def about(self, scope: Scope, weighed: "Weighed", topics: "NDArray[np.float32]") -> "Floats":
        """As ``topic.about``, of every entry in scope."""
        scores = np.zeros(self.index.size)
        asked = np.array(asked_about(self.index, weighed))
        if len(asked):
            for low, high in scope.ranges:
                scores[low:high] = topics[low:high] @ asked
            mean, deviation = spread(scope, scores, scope.size)
            for low, high in scope.ranges:
                scores[low:high] = (scores[low:high] - mean) / deviation + 1.0
        return scores

    def words(self, weighed: "Weighed") -> "Floats":
        """As ``signals.lexical``."""
        scores = np.zeros(self.index.size)
        for _, idf, stretches in weighed:
            for start, end in stretches:
                scores[self._docs[start:end]] += self._weights[start:end] * (idf / layout.FULL_WEIGHT)
        return scores

    def near(self, scope: Scope, weighed: "Weighed") -> "Floats":
        """As ``signals.near``: of all that is near a word of the text, the nearest in an entry counts."""
        scores, most = np.zeros(self.index.size), np.zeros(self.index.size)
        for number, known_idf, stretches in weighed:
            neighbours = self.index.near(number)
            idf = signals.near_idf(scope, known_idf, stretches, neighbours) / layout.FULL_WEIGHT
            most[:] = 0.0
            own = [(stretch, idf) for stretch in stretches]
            own += [(stretch, idf * similarity) for other, similarity in neighbours for stretch in self._postings(other, scope)]
            for (start, end), factor in own:
                docs = self._docs[start:end]
                most[docs] = np.maximum(most[docs], self._weights[start:end] * factor)
            scores += most
        return scores

    def filled(self, scores: Mapping[int, float]) -> "Floats":
        """The same as an array."""
        row = np.zeros(self.index.size)
        row[list(scores)] = list(scores.values())
        return row

    def _postings(self, term: int, scope: Scope) -> list[tuple[int, int]]:
        start, end = int(self._offsets[term]), int(self._offsets[term + 1])
        return [(start, end)] if end - start <= SHORT else self.index.postings(term, scope.ranges)


class Late:
    """Late interaction: every word of a question finds its nearest among the words of an entry.

    States of tokens are kept as 64 signed bytes each, beside the vectors of entries.
    """

    def __init__(self, texts: Sequence[str], encoder: Any, folder: str) -> None:
        """Embed the tokens of what *folder* does not hold yet, and keep them there; the texts' vectors too."""
        self._kept = Kept(_path(folder, "tokens.kept"), f"{encoder.name} {encoder.late_name} {encoder.late_width}")
        self._width = encoder.late_width
        self._digests = [digest_of(text) for text in texts]
        missing = {
            digest: text for digest, text in zip(self._digests, texts, strict=True) if self._kept.get(digest) is None
        }
        rows = Kept(_path(folder, "entries.kept"), f"{encoder.name} {encoder.dimension}")
        for part in batched(missing.items(), AT_ONCE):
            parts = encoder.encode_parts([text for _, text in part])
            checked(np.stack([one.row for one in parts]), len(part), encoder.dimension)
            rows.add({digest: one.row.astype(np.float16).tobytes() for (digest, _), one in zip(part, parts, strict=True)})
            self._kept.add({digest: packed(one) for (digest, _), one in zip(part, parts, strict=True)})
        self._kept.tidy(self._digests)
        self._rarity = self._rarities(encoder.late_pieces)
        self._kept.rest()

    def add_to(self, found: Scores, parts: Any, share: float = 1.0) -> None:
        """Add the signal for the best of the candidates *found*, counting only *share* as much.

        Long questions spread it wider: their words find something near in any entry.
        """
        leading = candidates(found, ranking.WEIGHTS)[:LATE_DEPTH]
        weights = self._rarity[parts.ids]
        whole = float(weights.sum())
        if len(leading) < 2 or whole <= 0.0:
            return
        scores = self._scores(leading, parts.codes, weights / whole)
        mean, deviation = float(scores.mean()), float(scores.std())
        if deviation > 1e-6:
            found["late"] = dict(zip(leading, scores.tolist(), strict=True))
            found.spreads = {**found.spreads, "late": (mean, deviation * max(1.0, len(parts.ids) / SHORT_QUESTION) / share)}

    def _scores(self, numbers: list[int], asked: "NDArray[np.float32]", weights: "NDArray[np.float32]") -> "Floats":
        codes = [self._codes(number) for number in numbers]
        counts = np.array([len(one) for one in codes])
        filled = np.flatnonzero(counts)
        if not len(filled):
            return np.zeros(len(numbers))
        sims = np.concatenate(codes).astype(np.float32) @ (asked.T / 127.0)
        starts = np.concatenate([[0], np.cumsum(counts[filled])[:-1]])
        scores = np.empty(len(numbers))
        scores[filled] = np.maximum.reduceat(sims, starts, axis=0) @ weights
        scores[counts == 0] = scores[filled].mean()  # no words: no evidence
        return scores

    def _codes(self, number: int) -> "NDArray[np.int8]":
        row = self._kept.get(self._digests[number]) or b""
        count = len(row) // (self._width + 2)
        return np.frombuffer(row, np.int8, offset=2 * count).reshape(count, self._width)

    def _rarities(self, pieces: int) -> "NDArray[np.float32]":
        """The idf of every word piece among the entries."""
        holders = np.zeros(pieces, np.float32)
        for digest in self._digests:
            row = self._kept.get(digest) or b""
            ids = np.frombuffer(row, np.uint16, count=len(row) // (self._width + 2))
            holders[ids[np.concatenate([[True], ids[1:] != ids[:-1]])] if len(ids) else ids] += 1.0
        rarities: NDArray[np.float32] = np.log(np.maximum(1.0, (len(self._digests) + 1.0) / (holders + 0.5)))
        return rarities


def packed(parts: Any) -> bytes:
    """The tokens of a text as they are kept: ids in order, then 64 signed bytes each in the same order."""
    order = np.argsort(parts.ids, kind="stable")
    raw: bytes = parts.ids[order].tobytes() + np.rint(parts.codes[order] * 127.0).astype(np.int8).tobytes()
    return raw


def spread(scope: Scope, scores: "Floats", count: int) -> "Spread":
    """Mean and standard deviation over the entries in scope, as ``signals.standardised`` finds them."""
    parts = [scores[low:high] for low, high in scope.ranges]
    mean = float(sum(part.sum() for part in parts)) / count
    variance = float(sum(part @ part for part in parts)) / count - mean * mean
    return mean, variance**0.5 if variance > 1e-12 else 1.0


def highest(scope: Scope, scores: "Floats") -> float:
    """The highest score of an entry in scope."""
    return max(float(scores[low:high].max()) for low, high in scope.ranges if high > low)


def best(
    scope: Scope, found: "Mapping[str, Floats]", spreads: "Mapping[str, Spread]", most: int, weights: Mapping[str, float]
) -> Scores:
    """The *most* entries with the highest weighted sum of signals, and what each signal gives them."""
    numbers = np.concatenate([np.arange(low, high) for low, high in scope.ranges])
    total = np.zeros(len(numbers))
    for name, scores in found.items():
        mean, deviation = spreads[name]
        total += (scores[numbers] - mean) * (weights.get(name, 0.0) / deviation)
    if len(numbers) > most:
        numbers = numbers[np.sort(np.argpartition(-total, most)[:most])]
    chosen = numbers.tolist()
    kept = {}
    for name, scores in found.items():
        values = scores[numbers].tolist()
        kept[name] = dict(zip(chosen, values, strict=True)) if any(values) else {}
    return Scores(kept, dict(spreads))


def blended(totals: Sequence[float], said: Sequence[float], share: float) -> list[float]:
    """How far to move each of some entries, best first, so that a reranker has its share; less at the top.

    What the fused order is sure of, a reranker may not bury: it has half its share among the first
    three, four fifths up to the tenth, all of it and a fifth more behind (at most everything).
    """
    span, lowest, highest = totals[0] - totals[-1], min(said), max(said)
    if span <= 0.0 or highest <= lowest:
        return [0.0] * len(totals)
    moves = []
    for place, (total, score) in enumerate(zip(totals, said, strict=True)):
        part = min(1.0, share * (0.5 if place < SURE else 0.8 if place < LIKELY else 1.2))
        moves.append(span * part * ((score - lowest) / (highest - lowest) - (total - totals[-1]) / span))
    return moves


def candidates(found: Scores, weights: Mapping[str, float]) -> list[int]:
    """The entries of *found*, best first."""
    totals = ranking.fused(found, found.spreads, weights)
    return sorted(totals, key=lambda number: (-totals[number], number))


def checked(rows: "NDArray[np.float32]", count: int, dimension: int) -> "NDArray[np.float32]":
    """*rows* if they are what an encoder owes: one finite vector per text, of the declared dimension.

    Raises:
        ModelUnavailable: anything else; the answer is then given without a model.
    """
    if rows.shape != (count, dimension) or not np.isfinite(rows).all():
        raise ModelUnavailable(f"the encoder gave {rows.shape} for {count} texts of {dimension} dimensions, or no numbers")
    return rows


def kept_vectors(texts: Sequence[str], encoder: "Encoder", folder: str) -> "NDArray[np.float32]":
    """float32 (texts, dimension); read from *folder* where known, else computed and kept there, some at a time."""
    kept = Kept(_path(folder, "entries.kept"), f"{encoder.name} {encoder.dimension}")
    digests = [digest_of(text) for text in texts]
    missing = {digest: text for digest, text in zip(digests, texts, strict=True) if kept.get(digest) is None}
    for part in batched(missing.items(), AT_ONCE):
        rows = checked(encoder.encode([text for _, text in part]), len(part), encoder.dimension)
        kept.add({digest: row.astype(np.float16).tobytes() for (digest, _), row in zip(part, rows, strict=True)})
    kept.tidy(digests)
    found = np.empty((len(texts), encoder.dimension), np.float32)
    for at, digest in enumerate(digests):
        found[at] = np.frombuffer(kept.get(digest) or b"", np.float16)
    return found


def batched(items: "Iterable[tuple[bytes, str]]", size: int) -> "Iterator[list[tuple[bytes, str]]]":
    """*items* in lists of at most *size*."""
    left = iter(items)
    while part := list(islice(left, size)):
        yield part


def _path(folder: str, name: str) -> str:
    return os.path.join(folder, name) if folder else ""
