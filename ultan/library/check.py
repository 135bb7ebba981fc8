"""Every promise the home keeps, looked at without changing anything; what is broken is named.

A finding has a code, a path relative to the home, a message in words and a remedy. A library
in which everything is as it should be gives none.
"""

import os
from collections.abc import Callable, Iterator

from ultan.library import upkeep
from ultan.library.checks import disk, entries, files, records
from ultan.library.checks.finding import Finding, Home
from ultan.library.snapshot import NOTHING, read_library
from ultan.library.store import FileStore

CHECKS: tuple[Callable[[Home], Iterator[Finding]], ...] = (
    files.unreadable, entries.entries, files.derived, files.twins, files.foreign, records.log, records.journal, records.history,
    records.pending, records.queue, disk.modes, disk.configuration, files.deleted, files.gone_projects, files.unverified,
)  # fmt: skip


def findings(root: str, now: float | None = None) -> list[Finding]:
    """Everything under the home *root* that breaks a promise, in the order of paths; changes nothing.

    *now* tells which dates lie in the future; without it the newest file does.
    """
    if not os.path.isdir(root):
        return [Finding("no-home", root, "there is no such folder", "run `ultan install` or `ultan save`")]
    store = FileStore(root, recover=False)
    today = upkeep.day((now if now is not None else _newest(root)) + 86400)
    seen = Home(store.root, store, read_library(store, NOTHING), today)
    found = [finding for check in CHECKS for finding in check(seen)]
    return sorted(set(found), key=lambda each: (each.path, each.code, each.message))


def _newest(root: str) -> float:
    times = [0.0]
    for folder, _, names in os.walk(root):
        times += [os.lstat(os.path.join(folder, name)).st_mtime for name in names]
    return max(times)
