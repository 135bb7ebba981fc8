"""Executor: ``plan`` is pure, ``execute`` is the only road to a write.

Whoever proposes (a person at the terminal, the clerk, the scholar, the upkeep, an import)
hands over actions; each is applied whole, refused with a reason, or held for a person. All of
a call's changes are one operation, which ``undo`` takes back.
"""

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from pydantic import TypeAdapter, ValidationError

from ultan.errors import InvalidEntry, LibraryError, LibraryMoved, NoSuchEntry
from ultan.events import Piece, trust_of
from ultan.library import actions as act
from ultan.library import bar, revision, upkeep
from ultan.library.actions import Action
from ultan.library.attempt import attempt
from ultan.library.draft import Asked, Declined, Draft, Held
from ultan.library.entry import Entry, parse
from ultan.library.grounds import cleaned, rule_key, shortened
from ultan.library.operation import Change, Changed, Operation, Tombstone, digest
from ultan.library.port import PENDING, Store
from ultan.library.rendering import edited
from ultan.library.snapshot import CATALOG, LOG, Ledger, Library, key, read_library
from ultan.redaction import redact

MOST_HELD = 200
ENTRIES_A_FOLDER = 5
REFERENCES = {
    "entry", "entries", "into", "superseded_by", "supersedes", "related", "target", "children", "folder", "slug",
    "evidence", "path", "verb",
}  # fmt: skip
_ACTION: TypeAdapter[Action] = TypeAdapter(Action)


@dataclass(frozen=True, slots=True)
class Refusal:
    """An action that was not carried out, and why."""

    action: Action
    reason: str


@dataclass(frozen=True, slots=True)
class Pending:
    """An action that waits for a person.

    Attributes:
        number: for ``approve`` and ``reject``.
        by, session, at: who proposed it, where and when (seconds since the epoch).
        source: lowest origin of what it cites; ``quote`` the words.
        why: why it was not simply written.
        pieces: what it cites, reduced to the quoted words.
    """

    number: int
    action: Action
    by: str
    session: str
    at: float
    source: str
    quote: str
    why: str
    pieces: tuple[Piece, ...] = ()
    path: str = ""


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


@dataclass(frozen=True, slots=True)
class Plan:
    """What would be written, and the record of it; ``changes`` is empty if nothing would."""

    changes: tuple[Change, ...]
    record: Operation
    applied: tuple[tuple[str, str, str], ...] = ()
    refused: tuple[Refusal, ...] = ()
    pending: tuple[Pending, ...] = ()
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Request:
    """Everything a call says beside its actions."""

    now: float
    by: str
    why: str = ""
    session: str = ""
    sources: Mapping[str, Piece] | None = None
    events: tuple[str, ...] = ()
    mode: Literal["auto", "ask"] = "auto"
    rulings: tuple[tuple[Any, Any], ...] = ()
    confirmed: bool = False
    settles: str = ""  # path of the held suggestion that this call decides


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
    return _carried_out(store, actions, request, library)


def _carried_out(
    store: Store, actions: Sequence[Action], request: Request, library: Library | None = None
) -> Receipt:
    try:
        return _commit(store, plan(actions, library or read_library(store), request))
    except LibraryMoved:
        with store.lock():  # once more, with every other writer of ours kept away
            return _commit(store, plan(actions, read_library(store), request))


def _commit(store: Store, planned: Plan) -> Receipt:
    said = (planned.applied, planned.refused, planned.pending, planned.notes)
    if not planned.changes and not planned.record.adopted and not planned.record.foreign:
        return Receipt("", 0, *said)
    operation = store.commit(planned.record, planned.changes)
    return Receipt(operation.id, operation.number, *said)


def plan(actions: Sequence[Action], library: Library, request: Request) -> Plan:
    """What *actions* would do to *library*; touches nothing."""
    if request.events and library.events.issuperset(request.events):
        return Plan((), Operation(), notes=("these events were used before; nothing to do",))
    draft = _draft(library, request)
    applied: list[tuple[str, str, str]] = []
    refused: list[Refusal] = []
    held: list[Pending] = []
    for action in _in_order(actions):
        try:
            if request.mode == "ask" and request.by != "person" and not _is_count(action):
                raise Held(f"held for review: {request.why}" if request.why else "held for review: nothing is written unseen")
            applied.append(attempt(draft, _scrubbed(action, draft)))
        except Declined as declined:
            refused.append(Refusal(action, str(declined)))
        except Held as reason:
            item = _held(action, str(reason), request, library, held)
            (held if isinstance(item, Pending) else refused).append(item)  # type: ignore[arg-type]
    for item in held:
        draft.dirty[item.path] = _written(item)
    if request.settles and not refused:
        draft.dirty[request.settles] = None
    return _planned(draft, request, applied, refused, held)


def _draft(library: Library, request: Request) -> Draft:
    asked = Asked(request.by, upkeep.day(request.now), request.session, request.sources, request.confirmed)
    return Draft(library, asked, dict(library.entries), dict(library.archived))


def _in_order(actions: Sequence[Action]) -> list[Action]:
    """As given, but endings last: they may name what is created beside them."""
    return sorted(actions, key=lambda action: isinstance(action, act.Deprecate))


def _is_count(action: Action) -> bool:
    return isinstance(action, act.Bump | act.MarkHelpful | act.Nudge)


def _planned(
    draft: Draft, request: Request, applied: Sequence[tuple[str, str, str]], refused: Sequence[Refusal] = (),
    held: Sequence[Pending] = (), **record: Any,
) -> Plan:  # fmt: skip
    """The plan that makes *draft* true: its files, derived text, the log, the record."""
    library = draft.library
    marked = record.get("foreign", {})  # an agent wrote them, though nothing was written here before
    if library.adopting:
        draft.adopted.update({path: library.digests[path] for path in library.adopting if path not in marked})
        draft.notes.append(f"took over {len(library.adopting)} files that were there before, as yours")
    vetoes = [(_what(thing), verdict.reason) for thing, verdict in request.rulings if not verdict.approve]
    refusals = [  # what was turned down was not scrubbed on the way, and is written down all the same
        *((refusal.action.verb, _clear(_about(refusal.action)), _clear(refusal.reason)) for refusal in refused),
        *(("veto", _clear(about), _clear(reason)) for about, reason in vetoes),
    ]
    waiting = {*library.foreign, *marked} - set(draft.adopted)
    counted = {id_: entry for id_, entry in draft.entries.items() if entry.path not in waiting}
    texts = {path: text for path, text in library.texts.items() if key(path) != LOG}
    touched = bool(draft.dirty or draft.adopted)
    for path, text in (upkeep.derived(counted, texts) if touched else {}).items():
        draft.dirty[path] = text
    lines = _lines(request, library.number + 1, applied, refusals, held)
    if lines:
        log = next((path for path in library.texts if key(path) == LOG), LOG)
        draft.dirty[log] = upkeep.logged(library.texts.get(log, ""), lines)
    changes = tuple(
        change for path, text in sorted(draft.dirty.items()) if (change := _change(path, text, library)) is not None
    )
    notes = (*draft.notes, *_crowded(counted, {each[1] for each in applied}))
    operation = Operation(
        number=library.number + 1, at=request.now, by=request.by, why=shortened(_clear(request.why)), session=request.session,
        actions=tuple(applied), refusals=tuple(refusals), events=(*request.events, *draft.events),
        adopted=draft.adopted, tombstones=tuple(draft.tombstones),
    )  # fmt: skip
    return Plan(changes, replace(operation, **record), tuple(applied), tuple(refused), tuple(held), notes)


def _change(path: str, text: str | None, library: Library) -> Change | None:
    before = library.digests.get(path, "")
    after = None if text is None else text.encode("utf-8", "replace")
    if digest(after) == before:
        return None
    name = key(path)
    keep = not _is_derived(path)
    if not keep and name != LOG:
        keep = upkeep.has_prose(library.texts.get(path, ""), path.rpartition("/")[0])
    return Change(path, before, after, keep)


def _crowded(entries: Mapping[str, Entry], touched: Iterable[str]) -> list[str]:
    folders = {id_.rpartition("/")[0] for id_ in touched}
    held = Counter(id_.rpartition("/")[0] for id_ in entries)
    found = []
    for folder in sorted(folders):
        inside = held[folder]
        if inside > ENTRIES_A_FOLDER:
            found.append(f"{folder} holds {inside} entries; more than {ENTRIES_A_FOLDER} are worth a split")
    return found


# --- what is written besides entries ------------------------------------------------------------------


def _lines(
    request: Request, number: int, applied: Iterable[tuple[str, str, str]],
    refusals: Iterable[tuple[str, str, str]], held: Iterable[Pending],
) -> list[str]:  # fmt: skip
    head = f"{upkeep.stamp(request.now)} #{number} {request.by}"
    why = f" ({shortened(_clear(request.why), 120)})" if request.why else ""
    lines = [
        f"{head}: {verb} {id_}{f' {upkeep.DASH} {shortened(note, 160)}' if note else ''}{why}"
        for verb, id_, note in applied
        if verb != "bump"
    ]
    lines += [
        f"{head}: {'vetoed' if verb == 'veto' else 'refused ' + verb} {shortened(about, 80)} {upkeep.DASH} {shortened(reason, 200)}"
        for verb, about, reason in refusals
    ]
    lines += [f"{head}: held {item.action.verb} {shortened(_about(item.action), 80)} {upkeep.DASH} {item.why}" for item in held]
    return [line.replace("<!--", "<! --") for line in lines]


def _clear(text: str) -> str:
    """*text* without credentials and invisible characters."""
    return redact(cleaned(text))[0]


def _about(action: Action) -> str:
    for name in ("title", "entry", "path", "folder"):
        value = getattr(action, name, None)
        if value:
            return str(value)
    return action.verb


def _what(thing: Any) -> str:
    """What a ruling is about: an action, or a suggestion that holds one."""
    action: Action = getattr(thing, "action", thing)
    return f"{action.verb} {_about(action)}"


def _scrubbed(action: Action, draft: Draft) -> Action:
    """*action* without credentials and invisible characters in what would be written."""
    count = 0

    def scrub(value: Any) -> Any:
        nonlocal count
        if isinstance(value, str):
            text, found = redact(cleaned(value))
            count += found
            return text
        if isinstance(value, tuple):
            return tuple(scrub(item) for item in value)
        if isinstance(value, act.Model):
            names = type(value).model_fields.keys() - REFERENCES
            return value.model_copy(update={name: scrub(getattr(value, name)) for name in names})
        return value

    cleared: Action = scrub(action)
    if count:
        draft.notes.append(f"{count} credential{'s' if count > 1 else ''} left out")
    return cleared


# --- suggestions that wait for a person ------------------------------------------------------------------


def _held(action: Action, reason: str, request: Request, library: Library, held: Sequence[Pending]) -> Pending | Refusal:
    """The suggestion as it will wait, or a refusal: bad evidence, no room, or it waits already."""
    cites: Sequence[act.Cite] = getattr(action, "evidence", ())
    draft = _draft(library, request)
    try:
        for cite in cites:
            bar.grounds(draft, (cite,))
    except Declined as declined:
        return Refusal(action, str(declined))
    cleared = _scrubbed(action, draft)
    plain = json.dumps(cleared.model_dump(mode="json"), sort_keys=True)
    mark = digest(plain.encode("utf-8", "replace"))[:12]
    waiting = [*library.held, *(item.path for item in held)]
    if any(path.endswith(f"-{mark}.json") for path in waiting):
        return Refusal(action, "it waits for review already")
    if len(waiting) >= MOST_HELD:
        return Refusal(action, f"{MOST_HELD} suggestions wait for review already")
    number = max((_number(path) for path in waiting), default=0) + 1
    quoted: dict[str, Piece] = {}
    for cite in cites:
        piece = (request.sources or {}).get(cite.event) or Piece(cite.event, "user", cite.quote)
        before = quoted[cite.event].text + "\n" if cite.event in quoted else ""
        quoted[cite.event] = Piece(piece.id, piece.origin, before + cite.quote, piece.at, piece.turn, piece.about[:200])
    pieces = tuple(quoted.values())
    lowest = min(pieces, key=_rank, default=None)
    return Pending(
        number, cleared, request.by, request.session, request.now, lowest.origin if lowest else "",
        shortened(lowest.text) if lowest else "", reason, pieces, f"{PENDING}{number:04d}-{mark}.json",
    )  # fmt: skip


def _rank(piece: Piece) -> int:
    return trust_of(piece.origin)


def _number(path: str) -> int:
    digits = path.removeprefix(PENDING).partition("-")[0].partition(".")[0]
    return int(digits) if digits.isdigit() else 0


def _written(item: Pending) -> str:
    return (
        json.dumps(
            {
                "v": 1, "number": item.number, "action": item.action.model_dump(mode="json"), "by": item.by,
                "session": item.session, "at": item.at, "source": item.source, "quote": item.quote, "why": item.why,
                "pieces": [piece.as_list() for piece in item.pieces],
            },
            ensure_ascii=False, indent=1,
        )
        + "\n"
    )  # fmt: skip


def pending(store: Store) -> list[Pending]:
    """Every suggestion that waits for a person, oldest first; torn ones are passed over (``check`` names them)."""
    found = []
    for path in store.files().paths:
        if path.startswith(PENDING):
            try:
                found.append(_read_held(path, store.read(path) or b""))
            except (ValueError, KeyError, TypeError, ValidationError):
                continue
    return sorted(found, key=lambda item: item.number)


def _read_held(path: str, raw: bytes) -> Pending:
    plain = json.loads(raw)
    return Pending(
        _number(path), _ACTION.validate_python(plain["action"], strict=False), plain["by"], plain["session"],
        plain["at"], plain["source"], plain["quote"], plain["why"], tuple(Piece(*piece) for piece in plain["pieces"]),
        path,
    )  # fmt: skip


def _waiting(store: Store, number: int) -> Pending:
    for item in pending(store):
        if item.number == number:
            return item
    raise NoSuchEntry(f"no suggestion {number} waits for review", "`ultan review` lists them")


def approve(store: Store, number: int, now: float, action: Action | None = None) -> Receipt:
    """What came of the held suggestion *number*, or of *action* in its place, with a person's approval.

    Raises:
        NoSuchEntry: nothing with that number waits.
    """
    item = _waiting(store, number)
    sources = {piece.id: piece for piece in item.pieces}
    request = Request(
        now, item.by, f"approved by a person: {item.why}", item.session, sources, confirmed=True, settles=item.path
    )
    return _carried_out(store, [action or item.action], request)


def reject(store: Store, number: int, now: float, why: str = "") -> Receipt:
    """The held suggestion *number* dropped; what it says is not learned again without new words.

    Raises:
        NoSuchEntry: nothing with that number waits.
    """
    item = _waiting(store, number)
    library = read_library(store)
    request = Request(now, "person", why or "rejected in review")
    draft = _draft(library, request)
    draft.dirty[item.path] = None
    rule = getattr(item.action, "rule", None)
    if rule:
        scope = _scope(item.action, library)
        draft.tombstones.append(Tombstone(scope, rule_key(rule), tuple(piece.id for piece in item.pieces)))
    return _commit(store, _planned(draft, request, [("reject", _about(item.action), f"suggestion {number}")]))


def _scope(action: Action, library: Library) -> str:
    folder = getattr(action, "folder", "") or getattr(action, "entry", "") or getattr(action, "into", "")
    parts = str(folder).split("/")
    if parts[0] == "projects" and len(parts) > 1:
        return f"project:{parts[1]}"
    entry = library.entries.get(str(folder))
    return entry.scope if entry else "global"


# --- the past ------------------------------------------------------------------------------------------------


def operations(store: Store) -> list[Operation]:
    """Every operation, oldest first."""
    return store.operations()


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
        draft = _draft(library, request)
        applied = []
        for change in operation.changes:
            if _is_derived(change.path) or change.path in operation.skipped or _only_counted(store, change):
                continue
            text = _taken_back(store, change, library, log, operation)
            draft.dirty[change.path] = text
            _put_back(draft, change.path, text)
            applied.append(("undo", change.path.removesuffix(".md"), "gone again" if text is None else "as before"))
            draft.tombstones += _unlearned(change.path, text, library)
        lifted = operation.tombstones
        if operation.undoes:
            draft.tombstones = []
        return _commit(
            store, _planned(draft, request, applied, undoes=operation.number, lifted=lifted, tombstones=tuple(draft.tombstones))
        )


def _undoable(log: Sequence[Operation], number: int | None) -> Operation:
    done = {each.undoes for each in log if each.undoes}
    if number is None:
        for operation in reversed(log):
            counts = all(verb in ("bump", "mark_helpful") for verb, _, _ in operation.actions)
            files = any(not _is_derived(change.path) for change in operation.changes)
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


def _is_derived(path: str) -> bool:
    name = key(path)
    return name in (LOG, CATALOG, key(upkeep.FRONT)) or name.endswith("/readme.md")


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


_COUNTED = ("fired", "fired_helpful", "ignored", "fetched", "last_surfaced", "last_helpful")


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
        return _carried_out(store, [act.Revive(entry=entry.id)], request)
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
    deleted = version is None and chosen.after and path not in library.digests  # by hand: the last text is what is missing
    wanted = chosen.after if deleted else chosen.before
    if not wanted:
        raise LibraryError(f"{id_} did not exist before operation {version or steps[-1][0].number}")
    text = store.past(wanted).decode()
    parse(text, path)
    draft = _draft(library, request)
    draft.dirty[path] = text
    _put_back(draft, path, text)
    revision.contest(draft, id_)
    return _commit(store, _planned(draft, request, [("restore", id_, "")]))


# --- files that no operation made --------------------------------------------------------------------------------


def settle(store: Store, touched: Iterable[str], now: float) -> Receipt:
    """What came of files that no operation made: the person's, unless an agent's tools wrote them.

    Args:
        store: the library.
        touched: paths relative to the library that an agent's own Write, Edit or Bash named since
            the last time; what lies there waits for ``adopt`` and counts for nothing until then.
        now: seconds since the epoch.
    """
    with store.lock():
        library = read_library(store)
        ledger = Ledger(store.operations())
        named = {path.removeprefix("knowledge/") for path in touched}
        paths = [entry.path for pool in (library.entries, library.archived) for entry in pool.values()]
        marks = {
            path: library.digests[path]
            for path in paths
            if path in named and ledger.known.get(path) != library.digests[path]
        }
        request = Request(now, "upkeep", "files that no operation made")
        draft = _draft(library, request)
        mine = [path for path in library.foreign if path not in marks and path not in ledger.marked]
        draft.adopted.update({path: library.digests[path] for path in mine})
        if not marks and not mine:
            return Receipt()
        applied = [("adopt", path.removesuffix(".md"), "a file of yours") for path in mine]
        applied += [("distrust", path.removesuffix(".md"), "an agent's tool wrote it") for path in marks]
        return _commit(store, _planned(draft, request, applied, foreign=marks))
