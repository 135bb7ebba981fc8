"""Whether an entry is worth showing: a small scorer over raw scores.

Sums of standard deviations cannot tell a good best entry from the best of a bad lot.
"""

from math import exp, log

from ultan.recall.signals import PROMPT_CHARS
from ultan.recall.situations import named_situation
from ultan.recall.text import is_unspaced, terms

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from ultan.recall.index import Card
    from ultan.recall.ranking import Query, Ranked, Scored
    from ultan.recall.signals import Scope

SHOWN = 3
LOOKED_AT = 5  # entries whose probability is worked out; later ones are never shown
# A logistic regression over raw scores, fitted by tests/bench/fit_silence.py; one row a feature.
SILENCE = {
    "bias": -7.224, "near_share": 5.776, "head": 4.231, "cue": 2.098, "length": 0.5841, "tail": 0.2451, "place": -0.4038,
    "situation": 3.648, "bare": 3.353, "bare_share": -2.151,
}  # fmt: skip


# What was shown and ignored makes the scorer stricter, as Bayes has it: before anything is judged, two
# of three shown entries help, which is what it reaches at the shipped threshold. An entry's own record
# counts for itself, that of all entries for what this person makes of being reminded at all. A good
# record makes it no laxer: that raised the false primes of a simulated person from .13 to .18.
HELPS, BORES = 4.0, 2.0
OF_ALL = 5.0  # as much evidence must there be of all entries for the same shift
MOST_SHIFT, MOST_SHIFT_OF_ALL = 1.5, 1.0  # in log-odds; neither ever decides alone


def habit(helpful: float, ignored: float, mass: float, most: float) -> float:
    """How far what was judged helpful or ignored lowers the log-odds: from 0, without data, to -*most*."""
    shift = log((helpful + HELPS * mass) / (ignored + BORES * mass)) - log(HELPS / BORES)
    return max(-most, min(0.0, shift))


def judge(ranked: "Ranked", scope: "Scope", query: "Query") -> None:
    """Give each entry, and the whole answer, the probability that showing it helps.

    Words that no entry holds count as well: a prompt of which little is known is about something else.
    """
    asked = set(terms(query.text[:PROMPT_CHARS]))
    weights = {term: scope.rarity(term) for term in asked}
    ranked.whole = sum(weights.values())
    helpful, ignored = scope.index.meta.get("judged") or (0, 0)
    of_all = habit(helpful, ignored, OF_ALL, MOST_SHIFT_OF_ALL)
    for place, item in enumerate(ranked):
        if place < LOOKED_AT:
            card = item.card
            head, cue = echo(card, weights, scope)
            whole = ranked.whole
            named = is_named(card, query)
            if named:  # the cue is met, and what it is done to need not be known
                cue = 1.0
                whole = sum(weight for term, weight in weights.items() if scope.index.term(term) >= 0) or whole
            item.features = features(item, place, whole, (head, cue))
            if named:  # its text leans to the situation by so much; its cue says it in full
                item.features["situation"] = 1.0
            item.habit = of_all + habit(card.helpful, card.ignored, 1.0, MOST_SHIFT)
            item.probability = probability(item.features, item.habit)
    ranked.probability = max((item.probability for item in ranked[:SHOWN]), default=0.0)


def is_named(card: "Card", query: "Query") -> bool:
    """Whether a cue of the entry names outright a situation that is on."""
    named = {name for name in map(named_situation, card.cues) if name}
    return bool(named) and not named.isdisjoint(query.situations)


def echo(card: "Card", asked: "Mapping[str, float]", scope: "Scope") -> "tuple[float, float]":
    """How much of title and cues the prompt repeats, by weight: of all together, and of the best one."""
    everything: dict[str, float] = {}
    best = 0.0
    for line in (card.title, *card.cues):
        mine = {term: asked.get(term) or scope.rarity(term) for term in set(terms(line))}
        everything.update(mine)
        best = max(best, sum(mine[term] for term in mine if term in asked) / (sum(mine.values()) + 2.0))
    return sum(value for term, value in everything.items() if term in asked) / (sum(everything.values()) + 4.0), best


def features(item: "Scored", place: int, whole: float, echoed: "tuple[float, float]") -> "dict[str, float]":
    """What the scorer for silence looks at: raw shares, since the best of a bad lot has a high z-score too."""
    words = item.parts["words"][0]
    near_share = (item.parts["near"][0] if "near" in item.parts else words) / (whole + 4.0)
    is_bare = not item.card.title and not item.card.cues
    return {
        "near_share": near_share,
        "head": echoed[0],
        "cue": echoed[1],
        "length": log(1.0 + whole),
        "tail": log(1.0 + item.parts["tail"][0]) if "tail" in item.parts else 0.0,
        "place": float(min(place, 4)),
        "situation": min(1.0, item.parts["situation"][0]) if "situation" in item.parts else 0.0,
        "bare": float(is_bare),
        "bare_share": near_share if is_bare else 0.0,
    }


def probability(values: "Mapping[str, float]", shift: float = 0.0) -> float:
    """How likely it is that showing an entry with these features helps; *shift* as ``habit`` gives it."""
    total = SILENCE["bias"] + shift + sum(SILENCE[name] * value for name, value in values.items())
    return 1.0 / (1.0 + exp(-max(-30.0, min(30.0, total))))


def needs_nothing(text: str) -> bool:
    """Whether a prompt is a command of the client, an assent, or no words at all."""
    stripped = text.strip()
    if not stripped or stripped[0] == "/":
        return True
    found = terms(stripped)
    return not found or (len(found) == 1 and (len(found[0]) < 3 or found[0].isdigit()) and not is_unspaced(found[0][0]))
