"""Search: entries for a question, by the ranking that primes prompts; nothing is hidden by silence."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from ultan.errors import IndexUnreadable
from ultan.library.entry import Entry, check_kind
from ultan.library.faded import faded_entries
from ultan.library.snapshot import Library
from ultan.recall import ranking
from ultan.recall.index import Index
from ultan.recall.text import terms
from ultan.recall.timespan import Span, span_of, within_first
from ultan.staff.cues import language_of

if TYPE_CHECKING:
    from ultan.verbs.temporal import Resolve

MOST = 500  # candidates before what is wished is sorted out
MOST_FADED, FADED_SHARE = 2, 0.5  # of what faded so many are shown, if they hold so much of what is asked
REACH = 4  # times as many as are wanted: among these, those of the time asked for come first


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

    def __post_init__(self) -> None:
        """Refuse a kind that does not exist.

        Raises:
            UsageError: with the kinds there are.
        """
        check_kind(self.kind)

    def admits(self, entry: Entry) -> bool:
        """Whether *entry* is of this kind and scope and has every tag."""
        return (
            (not self.kind or entry.kind == self.kind)
            and (not self.scope or entry.scope == self.scope)
            and set(self.tags) <= set(entry.tags)
        )


def search(
    library: Library, index: Index | IndexUnreadable, query: str, *, project: str | None, limit: int, wish: Wish,
    today: str = "", resolve: "Resolve | None" = None,
) -> Found:  # fmt: skip
    """The entries that answer *query*: from *index*, or from the library itself where there is none.

    *project* as in ``ranking.Query``: its entries and global ones; ``None`` for every project's. With
    *today*, entries of the time that the question names ("last week") come first; *resolve* reads
    the times that no rule can.
    """
    if wish.archived:
        hits, note = _by_reading(library.archived.values(), query, wish), "archived entries only"
    elif isinstance(index, IndexUnreadable):
        note = f"{index}: read the library instead; `ultan rebuild` makes the index anew"
        reach = [entry for entry in library.entries.values() if project is None or entry.project in ("", project)]
        hits = _by_reading(reach, query, wish)
    else:
        hits = _by_index(library, index, query, project, wish)
        note = "" if index.fingerprint == library.fingerprint else "the index is older than the library: `ultan rebuild`"
    away = () if wish.archived else faded_hits(library, query, project, wish, today)
    known = library.archived if wish.archived else library.entries
    span = span_asked(query, today, resolve)
    near, far = hits[: limit * REACH], hits[limit * REACH :]
    ordered = [*within_first(near, span, lambda hit: days_of(known[hit.id])), *far]
    if span is not None and not any(_holds(span, known[hit.id]) for hit in ordered):
        ordered = [*_of_time(known.values(), span, project, wish), *ordered]  # the time is all that was asked for
    return Found(query, (*ordered[:limit], *away), note)


def faded_hits(library: Library, query: str, project: str | None, wish: Wish, today: str = "") -> Sequence[Hit]:
    """What faded and fits *query* strongly, to be shown after all that is live, as ``faded``."""
    reach = [entry for entry in library.archived.values() if entry.faded and (project is None or entry.project in ("", project))]
    strong = [hit for hit in _by_reading(reach, query, wish) if hit.score >= FADED_SHARE]
    known = {entry.id for entry in faded_entries(library, project, today, [library.archived[hit.id] for hit in strong])}
    return [replace(hit, status="faded") for hit in strong if hit.id in known][:MOST_FADED]


def _holds(span: Span, entry: Entry) -> bool:
    return any(span.holds(day) for day in days_of(entry))


def _of_time(entries: Iterable[Entry], span: Span, project: str | None, wish: Wish) -> list[Hit]:
    """What took place, or was written, in *span*: latest first."""
    found = [
        (max(day for day in days_of(entry) if span.holds(day)), entry)
        for entry in entries
        if _holds(span, entry) and wish.admits(entry) and (project is None or entry.project in ("", project))
    ]
    return [_hit(entry, 0.0) for _, entry in sorted(found, key=lambda pair: (pair[0], pair[1].id), reverse=True)]


def span_asked(question: str, today: str, resolve: "Resolve | None" = None) -> Span | None:
    """The time that *question* names, in whatever language it is asked; ``None`` without one or without *today*."""
    if not today:
        return None
    span = span_of(question, today, language_of(question))
    return resolve(question, today) if span is None and resolve is not None else span


def days_of(entry: Entry) -> tuple[str, ...]:
    """The days that an entry is of: when it was written, changed, and when what it tells took place."""
    return (entry.created, entry.updated, entry.when)


def _by_index(library: Library, index: Index, query: str, project: str | None, wish: Wish) -> Sequence[Hit]:
    hits: list[Hit] = []
    for scored in ranking.rank(index, ranking.Query(query, project), limit=MOST):
        entry = library.entries.get(scored.card.id)
        if entry is not None and wish.admits(entry):
            hits.append(_hit(entry, scored.score))
    return hits


def _by_reading(entries: Iterable[Entry], query: str, wish: Wish) -> Sequence[Hit]:
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
    return sorted(hits, key=lambda hit: (-hit.score, hit.id))


def _hit(entry: Entry, score: float) -> Hit:
    return Hit(
        entry.id, entry.title, entry.rule, entry.kind, entry.scope, entry.trust, entry.updated, round(score, 4), entry.status
    )
