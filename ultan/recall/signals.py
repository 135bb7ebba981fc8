"""What of an entry answers a question, as one score per entry: signals that need no model.

Words, near terms, the assistant's last words, names of files, situations; each of every entry in
scope, or, in a large library, of the best candidates. ``ranking`` makes an order of them.
"""

from math import log, sqrt

from ultan.recall import index as layout
from ultan.recall.situations import LEVELS, level_key
from ultan.recall.text import terms

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from ultan.recall.index import Index
    from ultan.recall.ranking import Query

    Weighed = list[tuple[int, float, list[tuple[int, int]]]]  # term, weight, where its postings stand; rarest first
    Spread = tuple[float, float]  # mean and standard deviation over all entries in scope

MOST_TERMS = 64  # of a prompt, its rarest; fewer cost recall (16: -.02), more only time
POSTINGS = 6_000  # read before a large library is answered in two stages; rare terms come first
CANDIDATES = 120  # entries that the second stage looks at
TAIL_CHARS = 400
MOST_FILES = 8
PROMPT_CHARS = 20_000
USUAL_SIZE = 160  # entries in scope that the scorer for silence was fitted on, about
EVERYDAY_SHARE = 0.12
TELLING = 8  # the rarest words of a prompt: what of these the best entry holds tells how far words can be trusted
TRUSTED = 0.5  # of their weight, from which on words count in full
LEAST_TRUST = 0.05
# Stems that any prompt to a coding agent may hold, whatever it is about.
EVERYDAY = frozenset(
    "add allow app ask avail befor behavior break bug call case chang check clean code command complet config "  # noqa: SIM905 -- a table of words
    "correct creat current default delet differ doc easi edit error exampl exist fail featur file find first fix folder "
    "follow function give good handl happen help implement improv input instal issu item keep last later line list load "
    "look make mean move name new number old open option order output part pass path plan point possibl "
    "problem process project prompt put question read remov renam repo result return review right run save "
    "script set setup show simpl start stop support sure task tell thing think time tool tri type understand updat "
    "user valu version view wait want way work write wrong".split()
)


class Scope:
    """The entries in scope for one query, and the idf of terms among them."""

    __slots__ = ("_idf", "index", "ranges", "size", "supposed")

    def __init__(self, index: "Index", project: "str | None") -> None:
        self.index = index
        self.ranges = index.ranges(project)
        self.size = sum(high - low for low, high in self.ranges)
        self._idf: dict[str, float] = {}
        self.supposed = max(self.size, USUAL_SIZE)

    def idf(self, stretches: "list[tuple[int, int]]", term: str = "") -> float:
        """How rare a term with these postings is here; the idf of BM25L, never negative.

        A young library is filled up to ``USUAL_SIZE`` with imagined entries that hold only everyday
        words: otherwise no term of five entries is rare, and the first memory would never come back.
        """
        holders = float(sum(end - start for start, end in stretches))
        imagined = self.supposed - self.size
        if imagined and term in EVERYDAY:
            holders += EVERYDAY_SHARE * imagined
        return log((self.supposed + 1.0) / (holders + 0.5))

    def note(self, term: str, idf: float) -> None:
        """Keep what was worked out for *term*, so that ``rarity`` need not look it up again."""
        self._idf[term] = idf

    def rarity(self, term: str) -> float:
        """The idf of *term* here, known or not."""
        if term not in self._idf:
            number = self.index.term(term)
            self._idf[term] = self.idf(self.index.postings(number, self.ranges) if number >= 0 else [], term)
        return self._idf[term]


def weighed_terms(scope: Scope, texts: "Iterable[str]", most: int = MOST_TERMS) -> "Weighed":
    """The rarest known terms of a text: (number, weight, postings), rarest first.

    The weight is the idf, raised by the logarithm of how often the text repeats the term.
    """
    index = scope.index
    counts: dict[str, int] = {}
    for term in texts:
        counts[term] = counts.get(term, 0) + 1
    found = []
    for term, count in counts.items():
        number = index.term(term)
        if number < 0:
            continue
        stretches = index.postings(number, scope.ranges)
        idf = scope.idf(stretches, term)
        scope.note(term, idf)
        found.append((number, idf if count == 1 else idf * (1.0 + log(count)), stretches))
    found.sort(key=lambda item: (-item[1], item[0]))
    return found[:most]


def lexical(scope: Scope, weighed: "Weighed", most: int = 1 << 60) -> "dict[int, float]":
    """BM25F of every entry in scope that shares a term; after *most* postings the commonest terms are left out."""
    index = scope.index
    scores: dict[int, float] = {}
    get = scores.get
    for _, idf, stretches in weighed:
        factor = idf / layout.FULL_WEIGHT
        for start, end in stretches:
            if end - start > most and scores:
                return scores
            most -= end - start
            for doc, weight in zip(index.docs(start, end), index.weights(start, end), strict=True):
                scores[doc] = get(doc, 0.0) + weight * factor
    return scores


def near(scope: Scope, weighed: "Weighed") -> "dict[int, float]":
    """The same through near terms: of all that is near a word of the text, the nearest in an entry counts."""
    index = scope.index
    scores: dict[int, float] = {}
    for number, known_idf, stretches in weighed:
        best: dict[int, float] = {}
        neighbours = index.near(number)
        idf = near_idf(scope, known_idf, stretches, neighbours)
        own = [(stretch, 1.0) for stretch in stretches]
        for other, similarity in neighbours:
            own += [(stretch, similarity) for stretch in index.postings(other, scope.ranges)]
        get = best.get
        for (start, end), similarity in own:
            factor = similarity * idf / layout.FULL_WEIGHT
            for doc, weight in zip(index.docs(start, end), index.weights(start, end), strict=True):
                value = weight * factor
                if value > get(doc, 0.0):
                    best[doc] = value
        for doc, value in best.items():
            scores[doc] = scores.get(doc, 0.0) + value
    return scores


def near_idf(
    scope: Scope, idf: float, stretches: "list[tuple[int, int]]", neighbours: "list[tuple[int, float]]"
) -> float:
    """The weight of a term among near terms: a word the library lacks weighs as much as its nearest does."""
    if stretches or not neighbours:
        return idf
    return scope.idf(scope.index.postings(neighbours[0][0], scope.ranges))


def in_two_stages(  # noqa: C901 -- two loops over four signals
    scope: Scope, query: "Query", weighed: "Weighed"
) -> "tuple[dict[str, Mapping[int, float]], Spread]":
    """The signals for the best candidates of a large library, and how the words of all of them spread.

    First the rare terms choose ``CANDIDATES`` entries; then each of these is scored in full from its
    own list of terms, so that the cost no longer grows with how common a word is.
    """
    index = scope.index
    first = lexical(scope, weighed, POSTINGS)
    spread = standardised(first, scope.size)
    chosen = best_of(first, CANDIDATES)
    wanted: dict[int, list[tuple[str, int, float]]] = {}

    def want(term: int, name: str, place: int, factor: float) -> None:
        wanted.setdefault(term, []).append((name, place, factor / layout.FULL_WEIGHT))

    for place, (number, idf, stretches) in enumerate(weighed):
        want(number, "words", place, idf)
        if index.encoder:
            neighbours = index.near(number)
            weight = near_idf(scope, idf, stretches, neighbours)
            want(number, "near", place, weight)
            for other, similarity in neighbours:
                want(other, "near", place, weight * similarity)
    sides = {"tail": query.tail[-TAIL_CHARS:], "files": file_words(query.files[:MOST_FILES])}
    for name, text in sides.items():
        if text:
            for place, (number, idf, _) in enumerate(weighed_terms(scope, terms(text))):
                want(number, name, place, idf)
    signals: dict[str, dict[int, float]] = {}
    for doc in chosen:
        best: dict[tuple[str, int], float] = {}
        for term, weight in [pair for pair in zip(*index.forward(doc), strict=True) if pair[0] in wanted]:
            for name, place, factor in wanted[term]:
                value = weight * factor
                if value > best.get((name, place), 0.0):
                    best[name, place] = value
        for (name, _), value in best.items():
            scores = signals.setdefault(name, {})
            scores[doc] = scores.get(doc, 0.0) + value
    return dict(signals), spread


def best_of(scores: "Mapping[int, float]", most: int) -> "list[int]":
    """The *most* entries with the highest scores, best first, the first of equal ones before the later.

    Numbers alone are sorted ten times as fast as pairs, so these only decide where to cut.
    """
    if len(scores) > 2 * most:
        least = sorted(scores.values(), reverse=True)[most - 1]
        scores = {doc: score for doc, score in scores.items() if score >= least}
    return sorted(scores, key=lambda doc: (-scores[doc], doc))[:most]


def trust(weighed: "Weighed", best: float) -> float:
    """How much signals of words count beside signals of meaning: in full, if the *best* entry holds half of the prompt.

    Standard deviations cannot tell: where no entry says what was asked, the most alike of them still
    stands out. The share is squared, as the strength of evidence is.
    """
    whole = sum([weight for _, weight, _ in weighed[:TELLING]])
    return max(LEAST_TRUST, min(1.0, best / (TRUSTED * whole))) ** 2 if whole else 1.0


def yielding(spreads: "dict[str, Spread]", share: float) -> "dict[str, Spread]":
    """*spreads* with those of words widened, so that they count only *share* as much; topics the less, the more words do."""
    counts = {"words": share, "near": share, "topic": 1.0 - share / 2.0}
    return {name: (mean, deviation / counts.get(name, 1.0)) for name, (mean, deviation) in spreads.items()}


def in_situations(scope: Scope, names: "Iterable[str]") -> "dict[int, float]":
    """How much entries lean to the situations that are on; weak leanings, which are many, count little."""
    index = scope.index
    found: dict[int, float] = {}
    for name in names:
        for level in range(1, LEVELS + 1):
            number = index.term(level_key(name, level))
            if number < 0:
                continue
            weight = (level / LEVELS) ** 2
            for start, end in index.postings(number, scope.ranges):
                for doc in index.docs(start, end):
                    found[doc] = found.get(doc, 0.0) + weight
    return found


def file_words(files: "Iterable[str]") -> str:
    """The words in the names of files, without folder and extension."""
    return " ".join(path.replace("\\", "/").rsplit("/", 1)[-1].rpartition(".")[0] or path for path in files)


def standardised(scores: "Mapping[int, float]", size: int) -> "Spread":
    """Mean and standard deviation over all *size* entries, those without a score counted as 0."""
    if not scores or not size:
        return 0.0, 1.0
    mean = sum(scores.values()) / size
    variance = sum([value * value for value in scores.values()]) / size - mean * mean
    return mean, sqrt(variance) if variance > 1e-12 else 1.0


def keyed(scope: Scope, query: "Query") -> "dict[str, Mapping[int, float]]":
    """The signals that look up a few entries by key, not by words; cold and warm alike."""
    if not scope.index.meta.get("situations"):
        return {}
    return {"situation": in_situations(scope, query.situations)}


def signals_of(scope: Scope, query: "Query", weighed: "Weighed") -> "dict[str, Mapping[int, float]]":
    """The signals that need no model: name → entry number → score."""
    signals: dict[str, Mapping[int, float]] = {"words": lexical(scope, weighed)}
    if scope.index.encoder:
        signals["near"] = near(scope, weighed)
    if query.tail:
        signals["tail"] = lexical(scope, weighed_terms(scope, terms(query.tail[-TAIL_CHARS:])))
    if query.files:
        signals["files"] = lexical(scope, weighed_terms(scope, terms(file_words(query.files[:MOST_FILES]))))
    return signals
