"""Search: entries for a question, by the ranking that primes prompts; nothing is hidden by silence."""

from collections.abc import Iterable
from dataclasses import dataclass

from ultan.errors import IndexUnreadable
from ultan.library.entry import Entry
from ultan.library.snapshot import Library
from ultan.recall import ranking
from ultan.recall.index import Index
from ultan.recall.text import terms
from ultan.recall.timespan import span_of, within_first

MOST = 500  # candidates before what is wished is sorted out


@dataclass(frozen=True, slots=True)
class Hit:
    """One found entry; *score* orders hits of one search and means nothing between searches."""

    id: str
    title: str
    rule: str
    kind: str
    scope: str
    trust: str
    updated: str
    score: float
    status: str = "active"


@dataclass(frozen=True, slots=True)
class Found:
    """What a search found, best first; *note* says where it had to look instead of the index."""

    query: str
    hits: tuple[Hit, ...]
    note: str = ""


@dataclass(frozen=True, slots=True)
class Wish:
    """What a hit must be: empty means anything."""

    kind: str = ""
    scope: str = ""
    tags: tuple[str, ...] = ()
    archived: bool = False

    def admits(self, entry: Entry) -> bool:
        """Whether *entry* is of this kind and scope and has every tag."""
        return (
            (not self.kind or entry.kind == self.kind)
            and (not self.scope or entry.scope == self.scope)
            and set(self.tags) <= set(entry.tags)
        )


def search(
    library: Library, index: Index | IndexUnreadable, query: str, *, project: str | None, limit: int, wish: Wish,
    today: str = "",
) -> Found:  # fmt: skip
    """The entries that answer *query*: from *index*, or from the library itself where there is none.

    *project* as in ``ranking.Query``: its entries and global ones; ``None`` for every project's. With
    *today*, entries of the time that the question names ("last week") come first.
    """
    if wish.archived:
        return Found(query, _by_reading(library.archived.values(), query, wish, limit), "archived entries only")
    if isinstance(index, IndexUnreadable):
        note = f"{index}: read the library instead; `ultan rebuild` makes the index anew"
        reach = [entry for entry in library.entries.values() if project is None or entry.project in ("", project)]
        return Found(query, _by_reading(reach, query, wish, limit), note)
    hits: list[Hit] = []
    for scored in ranking.rank(index, ranking.Query(query, project), limit=MOST):
        entry = library.entries.get(scored.card.id)
        if entry is not None and wish.admits(entry):
            hits.append(_hit(entry, scored.score))
    span = span_of(query, today) if today else None
    hits = within_first(hits, span, lambda hit: _days(library.entries[hit.id]))
    stale = index.fingerprint != library.fingerprint
    return Found(query, tuple(hits[:limit]), "the index is older than the library: `ultan rebuild`" if stale else "")


def _days(entry: Entry) -> tuple[str, ...]:
    return (entry.created, entry.updated, entry.when)


def _by_reading(entries: Iterable[Entry], query: str, wish: Wish, limit: int) -> tuple[Hit, ...]:
    """Entries by the share of the question's words they hold, titles and cues counted twice."""
    asked = set(terms(query))
    hits = []
    for entry in entries:
        if not wish.admits(entry):
            continue
        head = set(terms(" ".join((entry.title, *entry.applies_when, *entry.tags))))
        body = set(terms(entry.body))
        score = (2 * len(asked & head) + len(asked & body)) / (3 * len(asked) or 1)
        if score > 0:
            hits.append(_hit(entry, score))
    return tuple(sorted(hits, key=lambda hit: (-hit.score, hit.id))[:limit])


def _hit(entry: Entry, score: float) -> Hit:
    return Hit(
        entry.id, entry.title, entry.rule, entry.kind, entry.scope, entry.trust, entry.updated, round(score, 4), entry.status
    )
