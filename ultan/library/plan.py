"""Plan: what actions would do to a library, its files, its derived text and its log (pure)."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ultan.library import actions as act
from ultan.library import upkeep
from ultan.library.account import about, cleared, scrubbed, subject
from ultan.library.actions import Action
from ultan.library.attempt import attempt
from ultan.library.draft import Declined, Draft, Held
from ultan.library.entry import Entry
from ultan.library.grounds import shortened
from ultan.library.held import Pending, held_back, written
from ultan.library.operation import Change, Operation, digest
from ultan.library.request import Refusal, Request, drafted
from ultan.library.snapshot import LOG, Library, key

ENTRIES_A_FOLDER = 5


@dataclass(frozen=True, slots=True)
class Plan:
    """What would be written, and the record of it; ``changes`` is empty if nothing would."""

    changes: tuple[Change, ...]
    record: Operation
    applied: tuple[tuple[str, str, str], ...] = ()
    refused: tuple[Refusal, ...] = ()
    pending: tuple[Pending, ...] = ()
    notes: tuple[str, ...] = ()


def plan(actions: Sequence[Action], library: Library, request: Request) -> Plan:
    """What *actions* would do to *library*; touches nothing."""
    if request.events and library.events.issuperset(request.events):
        return Plan((), Operation(), notes=("these events were used before; nothing to do",))
    draft = drafted(library, request)
    applied: list[tuple[str, str, str]] = []
    refused: list[Refusal] = []
    held: list[Pending] = []
    for action in _in_order(actions):
        try:
            if request.mode == "ask" and request.by != "person" and not _is_count(action):
                raise Held(f"held for review: {request.why}" if request.why else "held for review: nothing is written unseen")
            applied.append(attempt(draft, scrubbed(action, draft)))
        except Declined as declined:
            refused.append(Refusal(action, str(declined)))
        except Held as reason:
            item = held_back(action, str(reason), request, library, held)
            (held if isinstance(item, Pending) else refused).append(item)  # type: ignore[arg-type]
    for item in held:
        draft.dirty[item.path] = written(item)
    if request.settles and not refused:
        draft.dirty[request.settles] = None
    return planned(draft, request, applied, refused, held)


def planned(
    draft: Draft, request: Request, applied: Sequence[tuple[str, str, str]], refused: Sequence[Refusal] = (),
    held: Sequence[Pending] = (), **record: Any,
) -> Plan:  # fmt: skip
    """The plan that makes *draft* true: its files, derived text, the log, the record."""
    library = draft.library
    marked = record.get("foreign", {})  # an agent wrote them, though nothing was written here before
    if library.adopting:
        draft.adopted.update({path: library.digests[path] for path in library.adopting if path not in marked})
        draft.notes.append(f"took over {len(library.adopting)} files that were there before, as yours")
    vetoes = [(subject(thing), verdict.reason) for thing, verdict in request.rulings if not verdict.approve]
    refusals = [  # what was turned down was not scrubbed on the way, and is written down all the same
        *((refusal.action.verb, cleared(about(refusal.action)), cleared(refusal.reason)) for refusal in refused),
        *(("veto", cleared(what), cleared(reason)) for what, reason in vetoes),
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
        number=library.number + 1, at=request.now, by=request.by, why=shortened(cleared(request.why)), session=request.session,
        actions=tuple(applied), refusals=tuple(refusals), events=(*request.events, *draft.events),
        adopted=draft.adopted, tombstones=tuple(draft.tombstones),
    )  # fmt: skip
    return Plan(changes, replace(operation, **record), tuple(applied), tuple(refused), tuple(held), notes)


def _in_order(actions: Sequence[Action]) -> list[Action]:
    """As given, but endings last: they may name what is created beside them."""
    return sorted(actions, key=lambda action: isinstance(action, act.Deprecate))


def _is_count(action: Action) -> bool:
    return isinstance(action, act.Bump | act.MarkHelpful | act.Nudge)


def _change(path: str, text: str | None, library: Library) -> Change | None:
    before = library.digests.get(path, "")
    after = None if text is None else text.encode("utf-8", "replace")
    if digest(after) == before:
        return None
    name = key(path)
    keep = not upkeep.is_derived(path)
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


def _lines(
    request: Request, number: int, applied: Iterable[tuple[str, str, str]],
    refusals: Iterable[tuple[str, str, str]], held: Iterable[Pending],
) -> list[str]:  # fmt: skip
    head = f"{upkeep.stamp(request.now)} #{number} {request.by}"
    why = f" ({shortened(cleared(request.why), 120)})" if request.why else ""
    lines = [
        f"{head}: {verb} {id_}{f' {upkeep.DASH} {shortened(note, 160)}' if note else ''}{why}"
        for verb, id_, note in applied
        if verb != "bump"
    ]
    lines += [
        f"{head}: {'vetoed' if verb == 'veto' else 'refused ' + verb} {shortened(what, 80)} {upkeep.DASH} {shortened(reason, 200)}"
        for verb, what, reason in refusals
    ]
    lines += [f"{head}: held {item.action.verb} {shortened(about(item.action), 80)} {upkeep.DASH} {item.why}" for item in held]
    return [line.replace("<!--", "<! --") for line in lines]
