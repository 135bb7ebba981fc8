"""Stats: counts of what is remembered, waiting and used."""

import os
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from ultan import housekeeping, spool
from ultan.library.snapshot import Library


@dataclass(frozen=True, slots=True)
class Stats:
    """Counts of a home."""

    entries: int
    archived: int
    by_kind: dict[str, int]
    by_scope: dict[str, int]
    by_trust: dict[str, int]
    by_source: dict[str, int]
    tags: dict[str, int]
    pinned: int
    superseded: int
    untagged: int
    orphans: int
    unreadable: int
    foreign: int
    surfaced: int
    helpful: int
    ignored: int
    waiting_events: int
    held_for_review: int
    counters: dict[str, int]


def stats(root: str, library: Library) -> Stats:
    """The counts of the home *root* and its *library*; an orphan is an entry without a link either way."""
    entries = list(library.entries.values())
    linked = {target for entry in entries for target in entry.links}
    return Stats(
        entries=len(entries), archived=len(library.archived),
        by_kind=_counted(entry.kind for entry in entries), by_scope=_counted(entry.scope for entry in entries),
        by_trust=_counted(entry.trust for entry in entries),
        by_source=_counted(entry.source or "session" for entry in entries),
        tags=_counted(tag for entry in entries for tag in entry.tags),
        pinned=sum(entry.pinned for entry in entries), superseded=sum(bool(entry.superseded_by) for entry in entries),
        untagged=sum(not entry.tags for entry in entries),
        orphans=sum(not entry.links and entry.id not in linked for entry in entries),
        unreadable=len(library.unreadable), foreign=len(library.foreign),
        surfaced=sum(entry.fired for entry in entries), helpful=sum(entry.fired_helpful for entry in entries),
        ignored=sum(entry.ignored for entry in entries), waiting_events=len(spool.backlog(root)),
        held_for_review=_files(os.path.join(root, "pending")), counters=housekeeping.counters(root),
    )  # fmt: skip


def _counted(words: Iterable[str]) -> dict[str, int]:
    return dict(Counter(words).most_common())


def _files(folder: str) -> int:
    try:
        return sum(name.endswith(".json") for name in os.listdir(folder))
    except OSError:
        return 0
