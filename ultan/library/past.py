"""The past: taking back an operation, and restoring the earlier text of one entry."""

from collections.abc import Sequence
from dataclasses import replace

from ultan.errors import InvalidEntry, LibraryError, NoSuchEntry
from ultan.library import actions as act
from ultan.library import revision
from ultan.library.draft import Draft
from ultan.library.entry import Entry, parse
from ultan.library.executor import Receipt, carry_out, commit
from ultan.library.grounds import rule_key
from ultan.library.operation import Changed, Operation, Tombstone
from ultan.library.plan import planned
from ultan.library.port import PENDING, Store
from ultan.library.rendering import edited
from ultan.library.request import Request, drafted
from ultan.library.snapshot import Library, read_library
from ultan.library.upkeep import is_derived

_COUNTED = ("fired", "fired_helpful", "ignored", "fetched", "last_surfaced", "last_helpful")


def undo(store: Store, number: int | None, now: float) -> Receipt:
    """What came of taking back operation *number*, or the last one that was not taken back.

    Counters that rose since are kept. A file that was changed otherwise since is not touched:
    then everything is refused and the reason names the change. What is taken back is not learned
    again without new words.

    Raises:
        LibraryError: there is no such operation, it is taken back already, or a file was changed.
    """
    with store.lock():
        log = store.operations()
        operation = _undoable(log, number)
        library = read_library(store)
        request = Request(now, "person", f"undo of operation {operation.number}")
        draft = drafted(library, request)
        applied = []
        for change in operation.changes:
            if is_derived(change.path) or change.path in operation.skipped or _only_counted(store, change):
                continue
            text = _taken_back(store, change, library, log, operation)
            draft.dirty[change.path] = text
            _put_back(draft, change.path, text)
            applied.append(("undo", change.path.removesuffix(".md"), "gone again" if text is None else "as before"))
            draft.tombstones += _unlearned(change.path, text, library)
        lifted = operation.tombstones
        if operation.undoes:
            draft.tombstones = []
        return commit(
            store, planned(draft, request, applied, undoes=operation.number, lifted=lifted, tombstones=tuple(draft.tombstones))
        )


def restore(store: Store, name: str, version: int | None, now: float) -> Receipt:
    """The entry called *name* as it was before operation *version*; else out of the archive, or one version back.

    Raises:
        NoSuchEntry: nothing is or was called so.
        LibraryError: it has no earlier version.
    """
    library = read_library(store)
    request = Request(now, "person", f"restore of {name}")
    try:
        entry: Entry | None = library.find(name)
    except NoSuchEntry:
        entry = None
    if version is None and entry is not None and entry.shelved:
        return carry_out(store, [act.Revive(entry=entry.id)], request)
    id_ = entry.id if entry else name.removesuffix(".md")
    path = entry.path if entry else f"{id_}.md"
    steps = [
        (operation, change)
        for operation in store.operations()
        for change in operation.changes
        if change.path == path and change.keep
    ]
    if not steps:
        raise NoSuchEntry(f"no operation ever changed {name!r}", "`ultan log` lists what changed")
    chosen = next((c for o, c in steps if version is not None and o.number >= version), None if version else steps[-1][1])
    if chosen is None:
        raise LibraryError(f"{id_} was not changed by operation {version} or later")
    changed = version is None and chosen.after and library.digests.get(path) != chosen.after  # since, or deleted: its last text is what is missing
    wanted = chosen.after if changed else chosen.before
    if not wanted:
        raise LibraryError(f"{id_} did not exist before operation {version or steps[-1][0].number}")
    text = store.past(wanted).decode()
    parse(text, path)
    draft = drafted(library, request)
    draft.dirty[path] = text
    _put_back(draft, path, text)
    revision.contest(draft, id_)
    return commit(store, planned(draft, request, [("restore", id_, "")]))


def _undoable(log: Sequence[Operation], number: int | None) -> Operation:
    done = {each.undoes for each in log if each.undoes}
    if number is None:
        for operation in reversed(log):
            counts = all(verb in ("bump", "mark_helpful") for verb, _, _ in operation.actions)
            files = any(not is_derived(change.path) for change in operation.changes)
            if not operation.undoes and operation.number not in done and files and not counts:
                return operation
        raise LibraryError("there is nothing to undo")
    operation_ = next((each for each in log if each.number == number), None)
    if operation_ is None:
        raise LibraryError(f"there is no operation {number}", "`ultan log` lists them")
    if number in done:
        again = next(each.number for each in log if each.undoes == number)
        raise LibraryError(f"operation {number} is taken back already", f"`ultan undo {again}` would bring it back")
    return operation_


def _taken_back(
    store: Store, change: Changed, library: Library, log: Sequence[Operation], operation: Operation
) -> str | None:
    """The text that *change* found, with the counters of today; ``None`` if there was no file."""
    now = library.digests.get(change.path, "")
    before = store.past(change.before).decode() if change.before else None
    if now in (change.after, change.before) or change.path.startswith(PENDING):
        return before
    later = [each.number for each in log if each.number > operation.number and any(c.path == change.path for c in each.changes)]
    current = _entry_at(change.path, library)
    if current is not None and change.after:
        made = parse(store.past(change.after).decode(), change.path)
        if _content(made) == _content(current):
            counts = {name: getattr(current, name) for name in _COUNTED}
            return None if before is None else edited(before, counts)
    by = f"operation {later[-1]}; undo that first" if later else "hand"
    hint = f"`ultan undo {later[-1]}`" if later else "put it back, or take back an earlier operation by its number: `ultan log`"
    raise LibraryError(f"{change.path} was changed since by {by}", hint)


def _content(entry: Entry) -> Entry:
    return replace(
        entry, fired=0, fired_helpful=0, ignored=0, fetched=0, last_surfaced="", last_helpful="", raw=""
    )


def _only_counted(store: Store, change: Changed) -> bool:
    """Whether *change* raised counters and nothing else: uses stay counted."""
    if not (change.before and change.after) or change.path.startswith(PENDING):
        return False
    try:
        old, new = (parse(store.past(each).decode(), change.path) for each in (change.before, change.after))
    except (InvalidEntry, UnicodeDecodeError):
        return False
    return _content(old) == _content(new)


def _entry_at(path: str, library: Library) -> Entry | None:
    for pool in (library.entries, library.archived):
        for entry in pool.values():
            if entry.path == path:
                return entry
    return None


def _put_back(draft: Draft, path: str, text: str | None) -> None:
    """Let the draft's entries say what the file at *path* will say, so that listings are right."""
    if path.startswith(PENDING):
        return
    was = _entry_at(path, draft.library)
    if was is not None:
        (draft.archived if was.shelved else draft.entries).pop(was.id, None)
    if text is not None:
        try:
            entry = parse(text, path)
        except InvalidEntry:
            return
        (draft.archived if entry.shelved else draft.entries)[entry.id] = entry


def _unlearned(path: str, text: str | None, library: Library) -> list[Tombstone]:
    """What the person takes back by undoing: the rule that stands at *path* now, if it differs."""
    now = _entry_at(path, library)
    if now is None or now.shelved:
        return []
    try:
        old = parse(text, path).rule if text is not None else ""
    except InvalidEntry:
        old = ""
    if rule_key(old) == rule_key(now.rule):
        return []
    return [Tombstone(now.scope, rule_key(now.rule), tuple(each.turn for each in now.evidence))]
