"""Operation: one committed set of changes, as a line of the log that only a sealed chain may hold (pure)."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any

from ultan.errors import LibraryMoved

VERSION = 1


@dataclass(frozen=True, slots=True)
class Change:
    """One file before and after.

    Attributes:
        path: relative to the library.
        before: digest of the bytes it is expected to have, ``""`` if it must not exist.
        after: its new bytes, ``None`` to remove it.
        keep: whether both versions go into history; no for what can be derived again.
    """

    path: str
    before: str
    after: bytes | None
    keep: bool = True


@dataclass(frozen=True, slots=True)
class Changed:
    """What an operation did to one file, as digests; ``""`` where there is no file."""

    path: str
    before: str
    after: str
    keep: bool = True


@dataclass(frozen=True, slots=True)
class Tombstone:
    """A rule that a person rejected or undid: not learned again without new words."""

    scope: str
    rule: str
    pieces: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Operation:
    """One committed set of changes, as it stands in the operation log.

    Attributes:
        number: position in the log from 1; for ``undo``.
        id: number and the beginning of the digest.
        at: seconds since the epoch.
        by, why, session: who asked, for which reason, in which session.
        changes: what happened to files.
        actions: (verb, entry id, note) of what was applied.
        refusals: (verb, entry id or title, reason) of what was not.
        events: names of the events and uses it consumed; replaying them changes nothing.
        adopted: path → digest of files taken over as the person's.
        foreign: path → digest of files that an agent's own tools wrote.
        tombstones, lifted: rules not to be learned again, and those allowed again.
        undoes: number of the operation this one takes back, or 0.
        skipped: paths that somebody edited at the last moment; their edit won.
        prev, digest: the chain.
    """

    number: int = 0
    id: str = ""
    at: float = 0.0
    by: str = ""
    why: str = ""
    session: str = ""
    changes: tuple[Changed, ...] = ()
    actions: tuple[tuple[str, str, str], ...] = ()
    refusals: tuple[tuple[str, str, str], ...] = ()
    events: tuple[str, ...] = ()
    adopted: Mapping[str, str] = field(default_factory=dict)
    foreign: Mapping[str, str] = field(default_factory=dict)
    tombstones: tuple[Tombstone, ...] = ()
    lifted: tuple[Tombstone, ...] = ()
    undoes: int = 0
    skipped: tuple[str, ...] = ()
    prev: str = ""
    digest: str = ""

    def encode(self) -> str:
        """One line of JSON."""
        return json.dumps(self._plain(), ensure_ascii=False, separators=(",", ":"), sort_keys=True)

    def sealed(self) -> str:
        """The digest that this record must carry."""
        plain = self._plain()
        del plain["digest"], plain["id"]
        text = json.dumps(plain, ensure_ascii=False, separators=(",", ":"), sort_keys=True)
        return digest(text.encode("utf-8", "surrogatepass"))

    def _plain(self) -> dict[str, Any]:
        plain: dict[str, Any] = {"v": VERSION}
        for each in fields(self):
            value = getattr(self, each.name)
            if each.name == "changes":
                value = [[c.path, c.before, c.after, int(c.keep)] for c in self.changes]
            elif each.name in ("tombstones", "lifted"):
                value = [[t.scope, t.rule, list(t.pieces)] for t in value]
            elif isinstance(value, tuple):
                value = [list(item) if isinstance(item, tuple) else item for item in value]
            elif isinstance(value, Mapping):
                value = dict(value)
            plain[each.name] = value
        return plain


def decode(line: str) -> Operation:
    """The operation in one line of the log.

    Raises:
        ValueError: torn, foreign or newer.
    """
    plain = json.loads(line)
    if not isinstance(plain, dict) or plain.pop("v", None) != VERSION:
        raise ValueError("not an operation of this version")
    try:
        plain["changes"] = tuple(Changed(c[0], c[1], c[2], bool(c[3])) for c in plain["changes"])
        for name in ("tombstones", "lifted"):
            plain[name] = tuple(Tombstone(t[0], t[1], tuple(t[2])) for t in plain[name])
        for name in ("actions", "refusals"):
            plain[name] = tuple((str(a[0]), str(a[1]), str(a[2])) for a in plain[name])
        for name in ("events", "skipped"):
            plain[name] = tuple(plain[name])
        return Operation(**plain)
    except (KeyError, IndexError, TypeError) as error:
        raise ValueError(f"not an operation: {error}") from None


def numbered(record: Operation, changes: Sequence[Change], before: Operation | None) -> Operation:
    """*record* with its number, its changes and its place in the chain after *before*.

    Raises:
        LibraryMoved: it was planned for another number.
    """
    number = before.number + 1 if before else 1
    if record.number not in (0, number):
        raise LibraryMoved(f"operation {number - 1} was committed meanwhile")
    changed = tuple(Changed(c.path, c.before, digest(c.after), c.keep) for c in changes)
    return replace(record, number=number, changes=changed, prev=before.digest if before else "")


def seal(operation: Operation) -> Operation:
    """*operation* with its digest and id."""
    mark = operation.sealed()
    return replace(operation, digest=mark, id=f"{operation.number:06d}-{mark[:8]}")


def digest(data: bytes | None) -> str:
    """The SHA-256 of *data* in hex; ``""`` for no file."""
    return "" if data is None else hashlib.sha256(data).hexdigest()
