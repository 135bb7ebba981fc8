"""Creation: actions that bring an entry into being: a rule learned, one of another library, a parent over others (pure)."""

from collections.abc import Sequence
from itertools import takewhile

from ultan.library import actions as act
from ultan.library import bar, places, revision
from ultan.library import grounds as ground
from ultan.library.body import composed
from ultan.library.draft import Declined, Done, Draft, one_line
from ultan.library.entry import Entry, parse, scope_of
from ultan.library.grounds import CONFIRMED, Grounds
from ultan.library.yamlfront import front

LEAF_KINDS = ("convention", "preference", "warn", "decision")
PARENT_STRENGTH = 0.74  # at most: a parent is never beyond fading by birth


def create(draft: Draft, action: act.Create) -> Done:
    """What was done: a new entry, or the known one that says the same, in place of those it contradicts."""
    found = bar.grounds(draft, action.evidence)
    folder = draft.folder(action.folder)
    scope = scope_of(f"{folder}/x")
    bar.check_voice(action.kind, scope, found)
    superseded = [draft.target(each) for each in action.supersedes]
    for old in superseded:
        bar.need_rank(draft, found, old, "replace")
        bar.keep_guard(draft, old, action.evidence)
    again = _same_rule(draft, action.rule, scope, {old.id for old in superseded})
    if again is not None:
        return _instead(draft, _again(draft, again, found), superseded, found)
    bar.check_rule(draft, action.rule, scope, found)
    bar.check_support(draft, f"{action.title} {action.rule}", action.evidence)
    triggers, notes = bar.triggers(action.triggers, found)
    strength = ground.encoding_strength(
        "contradicts" if superseded else action.salience, kind=action.kind, words=bar.spoken(draft, found, action.rule),
        likeness=_likeness(draft, action.rule, scope),
    )  # fmt: skip
    entry = Entry(
        id=draft.free_id(folder, action.slug or action.title), title=one_line(action.title), kind=action.kind,
        scope=scope, created=draft.asked.today, updated=draft.asked.today, tags=action.tags,
        applies_when=action.applies_when, files=action.files, triggers=triggers, trust=found.name,
        evidence=found.evidence, encoding_strength=strength.value,
        pinned=action.pinned and found.trust >= CONFIRMED, supersedes=tuple(old.id for old in superseded),
        expires=bar.expiry(draft, action.expires, found), alternatives=action.alternatives, subject=action.subject,
        source=_source(found), when=action.when, participants=action.participants, location=action.location,
        body=composed(action.rule, action.why, action.how, draft.related(action.related)),
    )  # fmt: skip
    draft.check_links(entry.body)
    draft.add(entry)
    for old in superseded:
        revision.supersede(draft, old, entry.id, found)
    instead = [f"in place of {old.id}" for old in superseded]
    return "create", entry.id, "; ".join([f"strength {strength.explained()}", *instead, *notes])


def bring(draft: Draft, action: act.Bring) -> Done:
    """What was done: an entry of another library at its own place, as it stands there."""
    bar.need_person(draft, "brings whole entries in")
    text = action.text if action.text.endswith("\n") else action.text + "\n"  # the model strips its texts
    entry = parse(text, action.path)
    said = front(text).get("id", entry.id)
    if said != entry.id:
        raise Declined(f"it says its id is {said}, which is not where it lies")
    draft.folder(entry.id.rpartition("/")[0])
    if entry.id in draft.entries or entry.id in draft.archived:
        raise Declined(f"another entry stands at {entry.id} already")
    if draft.unused(entry.id, "_archive/" if entry.shelved else "") != entry.id:
        raise Declined(f"a file lies at {entry.path} already")
    draft.put(entry)
    return "bring", entry.id, "as it was there"


def _instead(draft: Draft, done: Done, superseded: Sequence[Entry], found: Grounds) -> Done:
    """What was done, after the known entry that it was done to took the place of those it contradicts."""
    entry = draft.entries[done[1]]
    if superseded:
        names = tuple(dict.fromkeys((*entry.supersedes, *(old.id for old in superseded))))
        draft.edit(entry, {"supersedes": names})
    for old in superseded:
        revision.supersede(draft, old, entry.id, found)
    return done


def _again(draft: Draft, entry: Entry, found: Grounds) -> Done:
    """A rule that is known already: heard once more, or brought back."""
    if entry.shelved:
        bar.need_rank(draft, found, entry, "bring back")
        return "revive", places.unshelve(draft, entry, found), "the same rule was in the archive"
    verb, id_, note = revision.reinforce(draft, entry, found)
    return verb, id_, f"known already; {note}"


def _same_rule(draft: Draft, rule: str, scope: str, besides: set[str]) -> Entry | None:
    """The entry that says *rule* already where *scope* is, in the archive too."""
    wanted = ground.rule_key(rule)
    foreign = set(draft.library.foreign)
    for pool in (draft.entries, draft.archived):
        for entry in pool.values():
            if (
                entry.scope in (scope, "global")
                and (entry.status == "active" or (entry.shelved and entry.status == "stale"))
                and not entry.superseded_by
                and entry.id not in besides
                and entry.path not in foreign
                and draft.rule_key(entry) == wanted
            ):
                return entry
    return None


def _likeness(draft: Draft, rule: str, scope: str) -> float | None:
    """How like the nearest entry that holds where *scope* is a new *rule* is."""
    foreign = set(draft.library.foreign)
    known = (
        entry for entry in draft.entries.values()
        if entry.scope in (scope, "global") and entry.status == "active" and not entry.superseded_by
        and entry.path not in foreign
    )  # fmt: skip
    return ground.likeness(ground.stems(rule), (draft.stems(entry) for entry in known))


def abstract(draft: Draft, action: act.Abstract) -> Done:
    """What was done: an entry stating the rule that its children imply, linked with each of them."""
    children = [draft.live(each) for each in dict.fromkeys(action.children)]
    if len(children) < 2:
        raise Declined("an abstraction needs two entries that exist")
    if action.rule.startswith(act.UNSAID):
        raise Declined("nobody has put its rule into words yet: approve it with --title and --rule, or reject it")
    found = bar.inherited(draft, action.evidence, children)
    folder = draft.folder(action.folder if draft.asked.decides else placed(children))
    scope = scope_of(f"{folder}/x")
    bar.check_voice("abstraction", scope, found)
    leafless = next((child for child in children if child.kind not in LEAF_KINDS), None)
    if leafless is not None:
        raise Declined(f"{leafless.id} is a{'n' if leafless.kind[0] in 'ae' else ''} {leafless.kind}; a parent stands over rules and decisions")
    if any(child.scope not in (scope, "global") for child in children) and scope != "global":
        raise Declined("its children belong to another project")
    if len(action.rule) >= sum(len(child.rule) for child in children):
        raise Declined("it is not shorter than what it stands for")
    bar.check_rule(draft, action.rule, scope, found)
    related = draft.related((*(child.id for child in children), *action.related))
    entry = Entry(
        id=draft.free_id(folder, action.slug or action.title), title=one_line(action.title), kind="abstraction",
        scope=scope, created=draft.asked.today, updated=draft.asked.today, tags=action.tags,
        applies_when=action.applies_when, files=action.files, trust=found.name, evidence=found.evidence,
        encoding_strength=parental(children), body=composed(action.rule, action.why, action.how, related),
    )  # fmt: skip
    draft.check_links(entry.body)
    draft.add(entry)
    for child in children:
        places.link(draft, child, entry.id)
    return "abstract", entry.id, f"strength {entry.encoding_strength:g} of its {len(children)} children; over {', '.join(child.id for child in children)}"


def placed(children: Sequence[Entry]) -> str:
    """Where a parent of *children* lies: their common folder, else ``abstractions`` of their project, or of all.

    What speaks for one project stays in it; children of two projects make a rule for all.
    """
    folders = [child.folder.split("/") for child in children]
    shared = [parts[0] for parts in takewhile(lambda parts: len(set(parts)) == 1, zip(*folders, strict=False))]
    if len(shared) > (2 if shared[:1] == ["projects"] else 1):
        return "/".join(shared)
    projects = {child.project for child in children} - {""}
    return f"projects/{projects.pop()}/abstractions" if len(projects) == 1 else "global/abstractions"


def parental(children: Sequence[Entry]) -> float:
    """How strong a parent is: the mean of its children, weighted by how often each was said, never beyond fading."""
    weights = [1 + min(1000, child.reinforced) for child in children]
    mean = sum(weight * child.encoding_strength for weight, child in zip(weights, children, strict=True)) / sum(weights)
    return round(min(PARENT_STRENGTH, mean), 3)


def _source(found: Grounds) -> str:
    """The origin that made the trust low, for `revoke`."""
    if found.trust >= CONFIRMED or not found.evidence:
        return ""
    return next((each.origin for each in found.evidence if each.origin not in ("user", "answer", "rejection")), "")
