"""Revision: actions that change what an entry says, or end it (pure)."""

from typing import Any

from ultan.library import actions as act
from ultan.library import bar, places
from ultan.library import grounds as ground
from ultan.library.body import composed, revised
from ultan.library.draft import Declined, Done, Draft, one_line
from ultan.library.entry import Entry, parse
from ultan.library.grounds import CONFIRMED, PERSONAL, Grounds
from ultan.library.operation import Tombstone
from ultan.library.yamlfront import front


def update(draft: Draft, action: act.Update) -> Done:
    """What was done: some parts of an entry said anew."""
    entry = draft.live(action.entry)
    found = bar.grounds(draft, action.evidence)
    bar.need_rank(draft, found, entry, "edit")
    if action.rule is not None or action.triggers is not None:
        bar.keep_guard(draft, entry, action.evidence)
    changes: dict[str, Any] = {}
    notes: tuple[str, ...] = ()
    for name in ("tags", "applies_when", "files"):
        value = getattr(action, name)
        if value is not None:
            changes[name] = value
    if action.title is not None:
        changes["title"] = one_line(action.title)
    if action.triggers is not None:
        changes["triggers"], notes = bar.triggers(action.triggers, found)
    body = None
    if (action.rule, action.why, action.how) != (None, None, None):
        body = revised(entry.body, rule=action.rule, why=action.why, how=action.how)
        draft.check_links(body, entry.links)
    if action.rule is not None:
        bar.check_voice(entry.kind, entry.scope, found)
        bar.check_rule(draft, action.rule, entry.scope, found)
        bar.check_support(draft, f"{action.title or ''} {action.rule}", action.evidence)
        changes["trust"] = found.name
        strength = ground.encoding_strength(action.salience, kind=entry.kind, words=bar.spoken(draft, found, action.rule))
        changes["encoding_strength"] = max(strength.value, entry.encoding_strength)
    if not changes and body is None:
        raise Declined("it changes nothing")
    if found.evidence:
        changes["evidence"] = ground.gathered(entry.evidence, found.evidence)
    draft.edit(entry, {**changes, "updated": draft.asked.today}, body)
    return "update", entry.id, "; ".join(notes)


def reinforce(draft: Draft, entry: Entry, found: Grounds) -> Done:
    """What was done: *entry* heard again; it counts once a session and a day."""
    if found.trust < PERSONAL and not draft.asked.confirmed:
        raise Declined("only the person's own words reinforce an entry")
    mark = f"reinforce:{entry.id}:{draft.asked.session}" if draft.asked.session else ""
    counted = mark and (mark in draft.library.events or mark in draft.events)
    if counted or entry.last_reinforced == draft.asked.today:
        return "reinforce", entry.id, "heard again; a session and a day count once"
    pieces = {(each.session, each.turn) for each in entry.evidence}
    if found.evidence and all((each.session, each.turn) in pieces for each in found.evidence):
        return "reinforce", entry.id, "heard again; these very words made it"
    if mark:
        draft.events.append(mark)
    strength = min(1.0, round(entry.encoding_strength + ground.REPETITION, 3))
    changes: dict[str, Any] = {
        "reinforced": entry.reinforced + 1, "last_reinforced": draft.asked.today, "encoding_strength": strength,
    }  # fmt: skip
    if found.evidence:
        changes["evidence"] = ground.gathered(entry.evidence, found.evidence)
    if entry.trust_rank < PERSONAL and found.trust == PERSONAL and entry.kind == "finding":
        changes |= {"trust": "person", "expires": ""}
    draft.edit(entry, changes)
    return "reinforce", entry.id, f"said again ({entry.reinforced + 1})"


def deprecate(draft: Draft, action: act.Deprecate) -> Done:
    """What was done: an entry ended, with its follower if it has one."""
    entry = draft.live(action.entry)
    found = bar.grounds(draft, action.evidence)
    bar.need_rank(draft, found, entry, "end")
    bar.keep_guard(draft, entry, action.evidence)
    if action.superseded_by:
        newer = draft.live(action.superseded_by)
        if newer.id == entry.id:
            raise Declined("an entry cannot follow itself")
        supersede(draft, entry, newer.id, found)
        if entry.id not in newer.supersedes:
            draft.edit(draft.entries[newer.id], {"supersedes": (*newer.supersedes, entry.id)})
    else:
        supersede(draft, entry, "", found)
    return "deprecate", entry.id, action.reason


def supersede(draft: Draft, entry: Entry, by: str, found: Grounds) -> None:
    """End *entry*: its text stays, its strength is discounted, and it is not learned again by itself."""
    draft.edit(
        entry,
        {
            "status": "deprecated", "superseded_by": by, "updated": draft.asked.today, "reinforced": 0,
            "encoding_strength": round(entry.encoding_strength * ground.DISCOUNT, 3),
        },
    )  # fmt: skip
    if found.trust >= CONFIRMED:
        _bury(draft, entry)


def contest(draft: Draft, id_: str) -> None:
    """Where *id_* holds again, what had taken its place no longer says so; the person is told that both hold."""
    back = draft.entries.get(id_)
    if back is None or back.status != "active" or back.superseded_by:
        return
    for entry in list(draft.entries.values()):
        if id_ in entry.supersedes and entry.status == "active":
            draft.edit(entry, {"supersedes": tuple(each for each in entry.supersedes if each != id_)})
            draft.notes.append(f"{entry.id} had taken its place and holds too: `ultan archive {entry.id}` if it should not")


def _bury(draft: Draft, entry: Entry) -> None:
    pieces = tuple(each.turn for each in entry.evidence)
    draft.tombstones.append(Tombstone(entry.scope, ground.rule_key(entry.rule), pieces))


def merge(draft: Draft, action: act.Merge) -> Done:
    """What was done: one entry in place of several; the others lie in the archive and links lead to it."""
    into = draft.live(action.into)
    others = [draft.live(each) for each in dict.fromkeys(action.entries) if each != into.id]
    if not others:
        raise Declined("there is nothing to merge")
    if any(other.scope != into.scope for other in others):
        raise Declined("entries of different scopes are not merged")
    found = bar.inherited(draft, action.evidence, [into, *others])
    for entry in (into, *others):
        bar.need_rank(draft, bar.voiced(draft, action.evidence), entry, "merge")
        bar.keep_guard(draft, entry, action.evidence)
    bar.check_rule(draft, action.rule, into.scope, found)
    triggers, notes = bar.triggers(action.triggers, found)
    evidence = ground.gathered(into.evidence, (*(e for other in others for e in other.evidence), *found.evidence))
    changes: dict[str, Any] = {
        "title": one_line(action.title), "updated": draft.asked.today, "trust": found.name, "evidence": evidence,
        "supersedes": tuple(dict.fromkeys((*into.supersedes, *(other.id for other in others)))),
        "reinforced": into.reinforced + sum(other.reinforced for other in others),
        "encoding_strength": max(entry.encoding_strength for entry in (into, *others)),
    }  # fmt: skip
    given = {"tags": action.tags, "applies_when": action.applies_when, "files": action.files, "triggers": triggers}
    for name, value in given.items():
        kept = [item for entry in (into, *others) for item in getattr(entry, name)]
        changes[name] = tuple(dict.fromkeys((*kept, *value)))
    related = [draft.library.resolve(each) for each in (*into.links, *action.related)]
    gone = {other.id for other in others}
    body = composed(action.rule, action.why, action.how, [r for r in related if r and r not in gone | {into.id}])
    draft.check_links(body)
    draft.edit(into, changes, body)
    for other in others:
        draft.edit(draft.entries[other.id], {"status": "deprecated", "superseded_by": into.id})
        places.shelve(draft, draft.entries[other.id])
    places.relink(draft, {other.id: into.id for other in others})
    return "merge", into.id, "; ".join([f"took in {', '.join(sorted(gone))}", *notes])


def rewrite(draft: Draft, action: act.Rewrite) -> Done:
    """What was done: a whole file as the person wants it."""
    bar.need_person(draft, "rewrites a whole file")
    entry = draft.target(action.entry)
    text = action.text if action.text.endswith("\n") else action.text + "\n"  # the model strips its texts
    new = parse(text, entry.path)
    said = front(text).get("id", entry.id)
    if said != entry.id:
        raise Declined(f"it says its id is {said}; `ultan restore` and links need {entry.id}, move it instead")
    draft.check_links(new.body, entry.links)
    draft.put(new)
    return "rewrite", entry.id, ""


def contradict(draft: Draft, action: act.Contradict) -> Done:
    """What was done: an entry ended on a person's word."""
    bar.need_person(draft, "contradicts without words to quote")
    entry = draft.target(action.entry)
    supersede(draft, entry, "", Grounds(PERSONAL))
    return "contradict", entry.id, action.reason
