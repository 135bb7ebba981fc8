"""Purge: the one verb that deletes, for a person only: a text, or an entry, out of everything ever written.

The library's own files are changed by the executor, as by any edit; then the text goes from
the places that keep the past: history, queue, review, runs, sessions, logs. The operation log
is sealed anew. Nothing of this can be undone.
"""

import json
import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from ultan import home
from ultan.errors import UsageError
from ultan.library import memo
from ultan.library.actions import Action, Archive, Rewrite
from ultan.library.entry import Entry
from ultan.library.grounds import rule_key
from ultan.library.operation import Operation, seal
from ultan.recall import columns
from ultan.verbs.desk import Desk

MARK = "[purged]"
_WORDS = re.compile(r"[^a-z0-9]+")
SHORTEST = 4
SHORTEST_QUOTE = 12  # of an entry's evidence: shorter words would tear up what they have nothing to do with
PLACES = ("queue", "pending", "nudges", "runs", "sessions", "trouble.jsonl", "trouble.jsonl.1", "ultan.log", "ultan.log.1")
LIST = "purged"  # digests that history no longer has, so that `check` does not miss them


@dataclass(frozen=True, slots=True)
class Purged:
    """What was changed or deleted: entries, versions in history, other files, operations of the log."""

    entries: tuple[str, ...]
    versions: int
    files: int
    operations: int
    remains: tuple[str, ...]


def purge_text(desk: Desk, text: str) -> Purged:
    """Every occurrence of *text* replaced by a mark, and the versions that held it deleted.

    Raises:
        UsageError: too short to be meant.
    """
    if len(text.strip()) < SHORTEST:
        raise UsageError(f"a text to purge has {SHORTEST} characters at least")
    library = desk.library
    found = [entry for entry in (*library.entries.values(), *library.archived.values()) if text in entry.raw]
    if found:
        actions: list[Action] = [Rewrite(entry=entry.id, text=entry.raw.replace(text, MARK)) for entry in found]
        desk.execute(actions, why="purge")
    slug = _WORDS.sub("-", text.lower()).strip("-")
    named = [name for name in (*library.entries, *library.archived) if slug and slug in name]
    remains = tuple(f"the name {name} still says it: `ultan purge {name}` deletes all of it" for name in named)
    return _scrubbed(desk, [text], tuple(entry.id for entry in found), set(), remains=remains)


def purge_entry(desk: Desk, name: str) -> Purged:
    """The entry called *name* deleted, with every version of it and the words it rests on.

    Raises:
        NoSuchEntry: nothing has that name.
    """
    entry = desk.library.find(name)
    if not entry.shelved:
        desk.insist(Archive(entry=entry.id, reason="purge"), why="purge")
        entry = desk.library.find(f"_archive/{entry.id}")
    home.remove(os.path.join(desk.root, "knowledge", entry.path), durable=True)
    return _scrubbed(desk, _words(entry), (entry.id,), _versions(desk, entry), gone=entry.id)


def _words(entry: Entry) -> list[str]:
    quotes = [cite.quote for cite in entry.evidence]
    kept = [text for text in (entry.body.strip(), entry.rule, *quotes) if len(text) >= SHORTEST_QUOTE]
    return list(dict.fromkeys((*kept, entry.title, entry.id)))


def _versions(desk: Desk, entry: Entry) -> set[str]:
    paths = {f"{entry.id}.md", f"_archive/{entry.id}.md"}
    return {
        each for operation in desk.store.operations() for change in operation.changes if change.path in paths
        for each in (change.before, change.after) if each
    }  # fmt: skip


def _scrubbed(
    desk: Desk, texts: Sequence[str], entries: tuple[str, ...], versions: set[str], *, gone: str = "", remains: tuple[str, ...] = ()
) -> Purged:
    needles = [needle for text in texts for needle in _forms(text)]
    versions |= {
        name for name in _names(os.path.join(desk.root, "history"))
        if _holds(home.read(os.path.join(desk.root, "history", name)), needles)
    }  # fmt: skip
    deleted = sorted(name for name in versions if os.path.exists(os.path.join(desk.root, "history", name)))
    if deleted:
        home.append(os.path.join(desk.root, LIST), "".join(name + "\n" for name in deleted).encode(), durable=True)
    for name in deleted:
        home.remove(os.path.join(desk.root, "history", name), durable=True)
    files = sum(_cleaned(path, needles) for path in _files(desk.root))
    operations = _resealed(desk, texts, gone)
    columns.forget(desk.root)
    memo.forget(desk.root)
    desk.compile()
    return Purged(entries, len(deleted), files, operations, remains)


def _forms(text: str) -> Iterator[bytes]:
    """*text* as it may stand in a file: plain, and inside JSON in both of its ways."""
    yield from dict.fromkeys((
        text.encode(), json.dumps(text, ensure_ascii=False)[1:-1].encode(), json.dumps(text)[1:-1].encode()
    ))  # fmt: skip


def _holds(raw: bytes, needles: Sequence[bytes]) -> bool:
    return any(needle in raw for needle in needles)


def _cleaned(path: str, needles: Sequence[bytes]) -> bool:
    raw = home.read(path)
    if not _holds(raw, needles):
        return False
    for needle in sorted(needles, key=len, reverse=True):
        raw = raw.replace(needle, MARK.encode())
    home.write(path, raw)
    return True


def _files(root: str) -> Iterator[str]:
    yield os.path.join(root, "knowledge", "log.md")
    for place in PLACES:
        path = os.path.join(root, place)
        if os.path.isfile(path):
            yield path
        for folder, _, names in os.walk(path):
            yield from (os.path.join(folder, name) for name in names if not os.path.islink(os.path.join(folder, name)))


def _names(folder: str) -> list[str]:
    return sorted(os.listdir(folder)) if os.path.isdir(folder) else []


def _resealed(desk: Desk, texts: Sequence[str], gone: str) -> int:
    """How many operations named one of *texts*; the log is written anew with a chain that holds."""
    with desk.store.lock():
        log = desk.store.operations()
        cleaned = [_without(operation, texts, gone) for operation in log]
        touched = sum(one != other for one, other in zip(log, cleaned, strict=True))
        if touched:
            before = ""
            lines = []
            for operation in cleaned:
                sealed = seal(replace(operation, prev=before))
                before = sealed.digest
                lines.append(sealed.encode() + "\n")
            home.write(os.path.join(desk.root, "journal", "operations.jsonl"), "".join(lines).encode("utf-8", "replace"))
    return touched


def _without(operation: Operation, texts: Sequence[str], gone: str) -> Operation:
    def clean(text: str) -> str:
        for each in (*texts, *filter(None, map(rule_key, texts))):
            text = text.replace(each, MARK)
        return text

    return replace(
        operation,
        why=clean(operation.why),
        changes=tuple(
            replace(change, path=change.path.replace(gone, MARK), keep=False) if gone and gone in change.path else change
            for change in operation.changes
        ),
        actions=tuple((verb, name.replace(gone, MARK) if gone else name, clean(note)) for verb, name, note in operation.actions),
        refusals=tuple((verb, clean(name), clean(reason)) for verb, name, reason in operation.refusals),
        tombstones=tuple(replace(stone, rule=clean(stone.rule)) for stone in operation.tombstones),
        lifted=tuple(replace(stone, rule=clean(stone.rule)) for stone in operation.lifted),
    )
