"""Rankings → fused, boosted, selected.

Any number of signals, each a score per entry; each turned into standard deviations over the entries
in scope (never ranks: reciprocal rank fusion lost 10 points of recall@3 against plain BM25), summed
with the named weights of ``WEIGHTS``, plus what is known of an entry beforehand. Whether anything is
shown at all is decided by ``silence``.
"""

from ultan.recall.signals import (
    CANDIDATES,
    POSTINGS,
    PROMPT_CHARS,
    Scope,
    best_of,
    in_two_stages,
    keyed,
    signals_of,
    standardised,
    trust,
    weighed_terms,
    yielding,
)
from ultan.recall.silence import SHOWN, judge, needs_nothing
from ultan.recall.situations import situations_of
from ultan.recall.text import terms

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from ultan.recall.index import Card, Index
    from ultan.recall.signals import Spread, Weighed

# Each with what leaving it out costs in recall@3 on PrimeBench's development half (`docs/benchmarks`).
WEIGHTS = {
    "words": 0.5,  # BM25F
    "near": 1.0,  # the same through near terms: semantics without a model
    "tail": 0.3,  # the assistant's last words, as a signal of their own; appended to the prompt they hurt
    "files": 0.15,  # names of the files in play
    "situation": 0.5,  # what kind of message it is, where a cue speaks of such messages or names it outright
    "topic": 1.0,  # what both are about, where most entries have neither title nor cues
    "order": 2.0,  # bare entries that say what holds from now on, as far as their topic is the question's
    "meaning": 1.0,  # warm: cosine of the prompt to title and cues
    "best_cue": 0.5,  # warm: cosine to the nearest cue
    "body": 1.0,  # warm: cosine to the body; worth .01 of recall@10 where entries are turns
    "late": 1.5,  # warm: words of a short question against words of the body; .015 of recall@10 where entries are turns
    "rerank": 1.0,  # warm: what a cross-encoder moves the leading entries by; no model of it at hand to measure
}
MODEL_FREE = ("words", "near", "tail", "files")
# Signals that few entries have are not standardised: the only entry that leans to a situation a little
# would stand out as far as one that names it. About the deviation among ``USUAL_SIZE`` entries; half of
# that beside the signals of a model, which double what speaks of topics.
FIXED_SPREADS: "dict[str, Spread]" = {"situation": (0.0, 1 / 16), "topic": (0.0, 1.0), "order": (0.0, 1.0)}
WARM_SPREADS: "dict[str, Spread]" = {"situation": (0.0, 1 / 32), "topic": (0.0, 1.0), "order": (0.0, 1.0)}


class Query:
    """What is asked, and in which surroundings.

    Attributes:
        text: the prompt or question.
        project: slug; ``""`` for none (global entries only); ``None`` for every scope.
        files: names of files in play, most recent first; ``languages`` words for their languages.
        tail: the assistant's last words.
        day: ISO day; ``agent`` the subagent's id or ``""``.
    """

    __slots__ = ("_situations", "agent", "day", "files", "languages", "project", "tail", "text")

    def __init__(
        self, text: str, project: "str | None" = "", files: "Sequence[str]" = (), languages: "Sequence[str]" = (),
        tail: str = "", day: str = "", agent: str = "",
    ) -> None:  # fmt: skip
        self.text, self.project, self.files, self.languages = text, project, tuple(files), tuple(languages)
        self.tail, self.day, self.agent = tail, day, agent
        self._situations: list[str] | None = None

    @property
    def situations(self) -> "list[str]":
        """The situations that are on; looked for once a query."""
        if self._situations is None:
            self._situations = situations_of(self.text, self.files, self.tail)
        return self._situations


class Scored:
    """One entry with its fused score, what each signal gave it (raw, in standard deviations), and its probability.

    Attributes:
        habit: by how much what this person made of it before moves the probability, in log-odds.
    """

    __slots__ = ("card", "features", "habit", "number", "parts", "probability", "score")

    def __init__(self, number: int, score: float, parts: "dict[str, tuple[float, float]]", card: "Card | None") -> None:
        self.number, self.score, self.parts = number, score, parts
        self.card: Card = card  # type: ignore[assignment]
        self.features: dict[str, float] = {}
        self.probability = self.habit = 0.0

    def __repr__(self) -> str:
        return f"Scored({self.number}, {self.score:.3f})"


class Ranked(list):  # type: ignore[type-arg]
    """Entries, best first, with the probability that the best is worth showing.

    Attributes:
        probability: 0 to 1, the highest of the first few; ``whole`` the summed weight of the query's terms.
        rankings: names of the signals used.
    """

    __slots__ = ("probability", "rankings", "whole")

    def __init__(self, items: "Iterable[Scored]" = ()) -> None:
        super().__init__(items)
        self.probability = self.whole = 0.0
        self.rankings: list[str] = []

    @property
    def features(self) -> "dict[str, float]":
        """What the scorer for silence saw of the best entry."""
        return self[0].features if self else {}


class Scores(dict):  # type: ignore[type-arg]
    """All signals, name → entry number → score, of the best candidates alone: a server scores every entry with arrays.

    Attributes:
        spreads: mean and standard deviation of each signal over all entries in scope, as ``rank`` would find them.
    """

    __slots__ = ("spreads",)

    def __init__(self, signals: "Mapping[str, Mapping[int, float]]", spreads: "Mapping[str, Spread]") -> None:
        super().__init__(signals)
        self.spreads = spreads


class Primed:
    """What is shown at a prompt, and what is not and why.

    Attributes:
        cards: at most ``priming.entries`` of them.
        left_out: (entry id, reason) of the next best.
    """

    __slots__ = ("cards", "left_out", "probability", "rankings")

    def __init__(
        self, cards: "list[Card]", left_out: "list[tuple[str, str]]", probability: float, rankings: "list[str]"
    ) -> None:
        self.cards, self.left_out, self.probability, self.rankings = cards, left_out, probability, rankings


# --- fusion --------------------------------------------------------------------------------------


def fused(
    signals: "Mapping[str, Mapping[int, float]]", spreads: "Mapping[str, Spread]", weights: "Mapping[str, float]"
) -> "dict[int, float]":
    """The weighted sum of all signals in standard deviations, for every entry any of them knows."""
    total: dict[int, float] = {}
    base = 0.0
    for name, scores in signals.items():
        if not scores:
            continue
        mean, deviation = spreads[name]
        factor = weights.get(name, 0.0) / deviation
        base -= mean * factor
        for doc, value in scores.items():
            total[doc] = total.get(doc, 0.0) + value * factor
    return {doc: value + base for doc, value in total.items()}


def rank(
    index: "Index", query: Query, extra: "Mapping[str, Mapping[int, float]] | None" = None, limit: int = 50,
    weights: "Mapping[str, float]" = WEIGHTS,
) -> Ranked:  # fmt: skip
    """Entries in scope of *query*, best first; *extra* are more signals (entry number → score), or all of them."""
    scope = Scope(index, query.project)
    result = Ranked()
    if not scope.size:
        return result
    signals, spreads = (extra, extra.spreads) if isinstance(extra, Scores) else gathered(scope, query, extra or {})
    totals = fused(signals, spreads, weights)
    boosted = [(totals[doc] + index.prior(doc), doc) for doc in best_of(totals, limit * 2)]
    boosted.sort(key=lambda pair: (-pair[0], pair[1]))
    for score, doc in corrected(index, boosted)[:limit]:
        parts = {}
        for name, scores in signals.items():
            raw = scores.get(doc, 0.0)
            parts[name] = (raw, (raw - spreads[name][0]) / spreads[name][1])
        result.append(Scored(doc, score, parts, index.card(doc)))
    result.rankings = [name for name, scores in signals.items() if scores]
    judge(result, scope, query)
    return result


def gathered(
    scope: Scope, query: Query, extra: "Mapping[str, Mapping[int, float]]"
) -> "tuple[Mapping[str, Mapping[int, float]], Mapping[str, Spread]]":
    """Every signal of *query* and how it spreads over the entries in scope."""
    weighed = weighed_terms(scope, terms(query.text[:PROMPT_CHARS]))
    spreads = dict(WARM_SPREADS if "meaning" in extra else FIXED_SPREADS)
    if scope.index.has_forward and sum(end - start for _, _, s in weighed for start, end in s) > POSTINGS:
        signals, spread = in_two_stages(scope, query, weighed)
        spreads |= dict.fromkeys(("words", "near"), spread)
    else:
        signals = signals_of(scope, query, weighed)
    signals |= keyed(scope, query)
    if scope.index.meta.get("topics"):
        signals |= topical(scope, weighed, signals)
    for name, scores in extra.items():
        signals[name] = {doc: value for doc, value in scores.items() if any(a <= doc < b for a, b in scope.ranges)}
    spreads = {name: spreads.get(name) or standardised(scores, scope.supposed) for name, scores in signals.items()}
    if signals.get("topic") or "meaning" in extra:  # words yield only to what can speak in their place
        best = max([max(signals[name].values(), default=0.0) for name in ("words", "near") if name in signals])
        spreads = yielding(spreads, trust(weighed, best))
    return signals, spreads


def topical(
    scope: Scope, weighed: "Weighed", signals: "Mapping[str, Mapping[int, float]]"
) -> "dict[str, Mapping[int, float]]":
    """What the best by words, the standing orders, or all of few entries, are about; and which of the orders apply."""
    from ultan.recall import topic  # noqa: PLC0415 -- only where most entries are bare

    held = topic.orders(scope.index, scope.ranges)
    if scope.size <= CANDIDATES:
        chosen = [doc for low, high in scope.ranges for doc in range(low, high)]
    else:
        first = signals.get("near") or signals["words"]
        chosen = list(dict.fromkeys((*best_of(first, CANDIDATES), *best_of(held, CANDIDATES))))
    found = topic.about(scope.index, weighed, chosen)
    return {"topic": found, "order": topic.applying(held, found)}


def corrected(index: "Index", boosted: "list[tuple[float, int]]") -> "list[tuple[float, int]]":
    """The same order, but no superseded entry before the one that corrects it."""
    place = {doc: at for at, (_, doc) in enumerate(boosted)}
    result: list[tuple[float, int]] = []
    held: set[int] = set()
    for score, doc in boosted:
        if doc in held:
            continue
        chain = [doc]
        after = index.successor(doc)
        while after >= 0 and after not in chain:
            chain.append(after)
            after = index.successor(after)
        for at, link in enumerate(reversed(chain)):
            if link not in held and (link == doc or link in place or at == 0):
                held.add(link)
                result.append((score, link))
    return result


# --- priming -------------------------------------------------------------------------------------


def prime(
    index: "Index", query: Query, already: "set[str]", now_day: str = "",
    extra: "Mapping[str, Mapping[int, float]] | None" = None,
) -> Primed:  # fmt: skip
    """The few entries worth showing at a prompt, or none."""
    settings = index.settings
    most = int(settings.get("priming.entries", SHOWN))
    floor = float(settings.get("priming.min_relevance", 0.44))
    if needs_nothing(query.text) or most <= 0:
        return Primed([], [], 0.0, [])
    ranked = rank(index, query, extra, limit=10)
    left_out: list[tuple[str, str]] = []
    cards: list[Card] = []
    for item in ranked:
        card = item.card
        reason = why_not(card, already, now_day or query.day)
        if not reason and item.probability < floor:
            reason = f"relevance {item.probability:.2f} is below {floor:.2f}"
        if not reason and len(cards) >= most:
            reason = f"only {most} are shown"
        if reason:
            left_out.append((card.id, reason))
        else:
            cards.append(card)
    return Primed(cards, left_out, ranked.probability, ranked.rankings)


def why_not(card: "Card", already: "set[str]", today: str, *, faded: bool = False) -> str:
    """Why *card* may not be shown unasked, or ``""``; *faded*: it is known to lie in the archive for want of use."""
    if card.id in already:
        return "shown before in this session"
    if card.superseded_by:
        return f"superseded by {card.superseded_by}"
    if card.status != "active" and not faded:
        return f"it is {card.status}"
    if card.trust == "observed":
        return "nobody has confirmed it"
    if card.expires and today and card.expires <= today:
        return f"it expired on {card.expires}"
    return ""
