"""The entries closest to a text: the compiled index's ranking, and what was written since."""

from collections.abc import Callable, Sequence

from ultan.errors import IndexUnreadable
from ultan.library.entry import Entry
from ultan.library.snapshot import Library
from ultan.recall.index import Index, open_index
from ultan.recall.ranking import Query, rank
from ultan.recall.text import terms

Nearest = Callable[[str, int], Sequence[Entry]]


def nearest_entries(root: str, library: Library, project: str) -> Nearest:
    """A function that gives the live entries of *project* and the person closest to a text.

    Entries that the index does not know in their present form are compared by their words;
    without an index all are.
    """
    live = {entry.id: entry for entry in library.live(project)}
    index: Index | None
    try:
        index = open_index(root)
    except IndexUnreadable:
        index = None
    fresh = [entry for entry in live.values() if index is None or _differs(index, entry)]
    words = {entry.id: frozenset(terms(f"{entry.title} {entry.rule} {' '.join(entry.tags)}")) for entry in fresh}

    def nearest(text: str, most: int) -> Sequence[Entry]:
        wanted = frozenset(terms(text))
        scored = [(len(wanted & words[entry.id]) / (1 + len(words[entry.id])), entry.id) for entry in fresh]
        late = [name for score, name in sorted(scored, key=lambda pair: (-pair[0], pair[1])) if score > 0][:most]
        found = [hit.card.id for hit in rank(index, Query(text, project), limit=most)] if index is not None else []
        order = dict.fromkeys([*late[: most // 2], *found, *late])
        return [live[name] for name in order if name in live][:most]

    return nearest


def _differs(index: Index, entry: Entry) -> bool:
    number = index.number(entry.id)
    if number < 0:
        return True
    card = index.card(number)
    return bool(card.title != entry.title or card.updated != entry.updated)
