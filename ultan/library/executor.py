"""Executor: the only road to a write.

Whoever proposes (a person at the terminal, the clerk, the scholar, the upkeep, an import)
hands over actions; each is applied whole, refused with a reason, or held for a person. All of
a call's changes are one operation, which ``past.undo`` takes back.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from ultan.errors import LibraryMoved
from ultan.events import Piece
from ultan.library.account import about
from ultan.library.actions import Action, Affirm, Archive
from ultan.library.grounds import rule_key
from ultan.library.held import Pending, scope_of, waiting
from ultan.library.operation import Tombstone
from ultan.library.places import archive
from ultan.library.plan import Plan, plan, planned
from ultan.library.port import Store
from ultan.library.request import Refusal, Request, drafted
from ultan.library.snapshot import Ledger, Library, read_library


@dataclass(frozen=True, slots=True)
class Receipt:
    """What came of a call.

    Attributes:
        operation, number: id and number of the operation; empty and 0 if nothing was written.
        applied: (verb, entry id, note) of each action carried out.
        refused: the others, with reasons.
        pending: those held for a person.
        notes: what a person should know besides.
    """

    operation: str = ""
    number: int = 0
    applied: tuple[tuple[str, str, str], ...] = ()
    refused: tuple[Refusal, ...] = ()
    pending: tuple[Pending, ...] = ()
    notes: tuple[str, ...] = ()


def execute(
    store: Store, actions: Sequence[Action], *, now: float, by: str, why: str = "", session: str = "",
    sources: Mapping[str, Piece] | None = None, events: Sequence[str] = (), mode: Literal["auto", "ask"] = "auto",
    rulings: Sequence[tuple[Any, Any]] = (), library: Library | None = None,
) -> Receipt:  # fmt: skip
    """What came of *actions*: applied, refused or held, each with its reason; one operation for all.

    Args:
        store: the library.
        actions: in order; later ones see what earlier ones did.
        now: seconds since the epoch.
        by: ``person`` (terminal), ``clerk``, ``scholar``, ``upkeep`` or ``import``.
        why: one line for the log.
        session: the session that the evidence comes from.
        sources: piece id → piece; every quote is checked against it.
        events: names of the queue's events this call uses up; if all were used before, nothing happens.
        mode: ``ask`` holds everything for a person instead of writing it.
        rulings: (action or suggestion, verdict) pairs; vetoes go into the log, reasons too.
        library: a snapshot read just before, to plan on; where it is out of date the commit says so
            and the plan is made anew.

    Raises:
        LibraryMoved: somebody edited the same files twice in a row; nothing happened.
        LibraryBusy, StorageFailed: as ``Store.commit``.
    """
    request = Request(now, by, why, session, sources, tuple(events), mode, tuple(rulings))
    return carry_out(store, actions, request, library)


def carry_out(store: Store, actions: Sequence[Action], request: Request, library: Library | None = None) -> Receipt:
    """What came of *actions*; planned once more, on a fresh snapshot, if somebody else wrote meanwhile."""
    try:
        return commit(store, plan(actions, library or read_library(store), request))
    except LibraryMoved:
        with store.lock():  # once more, with every other writer of ours kept away
            return commit(store, plan(actions, read_library(store), request))


def commit(store: Store, made: Plan) -> Receipt:
    """What came of *made*, written if there is anything to write."""
    said = (made.applied, made.refused, made.pending, made.notes)
    if not made.changes and not made.record.adopted and not made.record.foreign:
        return Receipt("", 0, *said)
    operation = store.commit(made.record, made.changes)
    return Receipt(operation.id, operation.number, *said)


def approve(store: Store, number: int, now: float, action: Action | None = None) -> Receipt:
    """What came of the held suggestion *number*, or of *action* in its place, with a person's approval.

    Raises:
        NoSuchEntry: nothing with that number waits.
    """
    item = waiting(store, number)
    sources = {piece.id: piece for piece in item.pieces}
    request = Request(
        now, item.by, f"approved by a person: {item.why}", item.session, sources, confirmed=True, settles=item.path
    )
    return carry_out(store, [action or item.action], request)


def reject(store: Store, number: int, now: float, why: str = "") -> Receipt:
    """The held suggestion *number* dropped; what it says is not learned again without new words.

    A no to whether an entry is still true puts it into the archive.

    Raises:
        NoSuchEntry: nothing with that number waits.
    """
    item = waiting(store, number)
    library = read_library(store)
    request = Request(now, "person", why or "rejected in review")
    draft = drafted(library, request)
    draft.dirty[item.path] = None
    rule = getattr(item.action, "rule", None)
    if rule:
        scope = scope_of(item.action, library)
        draft.tombstones.append(Tombstone(scope, rule_key(rule), tuple(piece.id for piece in item.pieces)))
    applied = [("reject", about(item.action), f"suggestion {number}")]
    if isinstance(item.action, Affirm) and item.action.entry in library.entries:
        applied.append(archive(draft, Archive(entry=item.action.entry, reason="a person says it is true no more")))
    return commit(store, planned(draft, request, applied))


def settle(
    store: Store, touched: Iterable[str], now: float, mine: Iterable[str] | None = None, written_over: Iterable[str] = ()
) -> Receipt:
    """What came of files that no operation left as they are: the person's, unless an agent's tools wrote them.

    Args:
        store: the library.
        touched: paths relative to the library that an agent's own Write, Edit or Bash named since
            the last time; what lies there waits for ``adopt`` and counts for nothing until then.
        now: seconds since the epoch.
        mine: paths that are the person's; by default every file that no operation made, and none that was edited.
        written_over: those of *touched* that an operation has written since, and so took for known.
    """
    with store.lock():
        library = read_library(store)
        ledger = Ledger(store.operations())
        named = {path.removeprefix("knowledge/") for path in touched}
        over, loose = {*written_over}, {*library.foreign, *library.edited}
        paths = [entry.path for pool in (library.entries, library.archived) for entry in pool.values()]
        marks = {
            path: library.digests[path]
            for path in paths
            if path in named
            and library.digests[path] != ledger.marked.get(path)
            and (library.digests[path] != ledger.known.get(path) or path in over)
        }
        request = Request(now, "upkeep", "files that no operation made")
        draft = drafted(library, request)
        mine = [path for path in (library.foreign if mine is None else sorted(loose & {*mine})) if path not in marks and path not in ledger.marked]
        draft.adopted.update({path: library.digests[path] for path in mine})
        if not marks and not mine:
            return Receipt()
        applied = [("adopt", path.removesuffix(".md"), "a file of yours") for path in mine]
        applied += [("distrust", path.removesuffix(".md"), "an agent's tool wrote it") for path in marks]
        return commit(store, planned(draft, request, applied, foreign=marks))
