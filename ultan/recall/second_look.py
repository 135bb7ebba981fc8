"""A second look, into what faded, where nothing live fits a prompt.

What faded lies in an index of its own, so that it takes part in no ranking of what is live and costs
nothing where something live is shown, or nothing ever faded.
"""

import os

from ultan import home
from ultan.errors import IndexUnreadable
from ultan.recall import ranking
from ultan.recall.index import FADED, open_index, path_of
from ultan.recall.silence import SHOWN, needs_nothing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from ultan.recall.index import Card

STRONGLY = 0.7  # probability from which what faded may be shown again: lower, and it brings back more noise than need


def look(
    root: str, query: ranking.Query, already: "set[str]", settings: "Mapping[str, Any]", best: float = 0.0
) -> ranking.Primed:
    """The faded entries of the home *root* that fit *query* strongly, as many as *settings* let be shown, or none.

    *best* is the probability of the best that is live: what fits and is only not shown twice leaves no gap.
    """
    most = int(settings.get("priming.entries", SHOWN))
    live = float(settings.get("priming.min_relevance", STRONGLY))
    floor = max(STRONGLY, live)
    nothing = ranking.Primed([], [], 0.0, [])
    if most <= 0 or best >= live or not os.path.exists(path_of(root, FADED)) or needs_nothing(query.text):
        return nothing
    try:
        index = open_index(root, name=FADED)
        ranked = ranking.rank(index, query, limit=most)
    except IndexUnreadable:
        home.count(root, "faded_unreadable")
        return nothing
    cards: list[Card] = [
        item.card for item in ranked
        if item.probability >= floor and not ranking.why_not(item.card, already, query.day, faded=True)
    ]  # fmt: skip
    return ranking.Primed(cards, [], ranked.probability, ranked.rankings)
