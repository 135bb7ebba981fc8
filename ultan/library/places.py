"""Places: actions that move entries, shelve them, bring them back and join them (pure)."""

from collections.abc import Mapping
from typing import Any

from ultan.library import actions as act
from ultan.library import bar
from ultan.library import grounds as ground
from ultan.library.body import with_related
from ultan.library.draft import Declined, Done, Draft, Held
from ultan.library.entry import ARCHIVE, Entry, parse, scope_of
from ultan.library.faded import is_faded
from ultan.library.grounds import CONFIRMED, Grounds
from ultan.library.rendering import edited
from ultan.library.upkeep import relinked


def move(draft: Draft, entry: Entry, folder: str) -> str:
    """The new id of *entry*, which now lies in *folder* with every link to it rewritten."""
    target = draft.folder(folder)
    scope = scope_of(f"{target}/x")
    if scope != entry.scope and not draft.asked.decides:
        raise Held("moving an entry to another scope is for a person to decide")
    if target == entry.folder:
        raise Declined("it lies there already")
    new_id = draft.free_id(target, entry.slug)
    if new_id.rpartition("/")[2] != entry.slug:
        raise Declined(f"{target} has another entry called {entry.slug}")
    text = edited(entry.raw, {"id": new_id, "scope": scope})
    draft.drop(entry)
    draft.put(parse(text, f"{new_id}.md"))
    relink(draft, {entry.id: new_id})
    return new_id


def split(draft: Draft, action: act.SplitFolder) -> Done:
    """What was done: entries of one folder moved into folders below it."""
    folder = action.folder.strip("/")
    moved = 0
    for name, ids in action.into.items():
        for each in ids:
            entry = draft.live(each)
            if entry.folder != folder:
                raise Declined(f"{entry.id} does not lie in {folder}")
            move(draft, entry, f"{folder}/{name}")
            moved += 1
    return "split_folder", folder, f"{moved} entries into {', '.join(action.into)}"


def relink(draft: Draft, moved: Mapping[str, str]) -> None:
    """Make every link and reference to a moved entry name its new place."""
    meant = {}
    for entry in (*draft.entries.values(), *draft.archived.values()):
        for target in entry.links:
            meant[target] = draft.library.resolve(target) or target
    for entry in (*draft.entries.values(), *draft.archived.values()):
        if entry.path in draft.library.foreign:
            continue
        changes: dict[str, Any] = {}
        if entry.superseded_by in moved:
            changes["superseded_by"] = moved[entry.superseded_by]
        if any(each in moved for each in entry.supersedes) and entry.id not in moved.values():
            changes["supersedes"] = tuple(moved.get(each, each) for each in entry.supersedes)
        body = entry.body
        if any(meant.get(target) in moved for target in entry.links):
            body = relinked(entry.body, moved, meant)
        if changes or body != entry.body:
            draft.edit(entry, changes, body if body != entry.body else None)


def archive(draft: Draft, action: act.Archive) -> Done:
    """What was done: an entry put into the archive, as a person or the upkeep asks."""
    if draft.asked.by not in ("person", "import", "upkeep"):
        raise Declined("only a person or the upkeep archives")
    entry = draft.live(action.entry)
    if entry.pinned and draft.asked.by == "upkeep":
        raise Declined("it is pinned")
    shelve(draft, entry, faded=draft.asked.by == "upkeep")
    return "archive", entry.id, action.reason


def shelve(draft: Draft, entry: Entry, *, faded: bool = False) -> None:
    """Put *entry* into the archive; *faded*: for want of use, so that use brings it back."""
    status = "stale" if entry.status == "active" else entry.status
    text = edited(entry.raw, {"status": status, "archived": draft.asked.today, **({"faded": True} if faded else {})})
    new_id = draft.unused(entry.id, ARCHIVE)
    draft.drop(entry)
    if new_id != entry.id:
        text = edited(text, {"id": new_id})
    draft.put(parse(text, f"{ARCHIVE}{new_id}.md"))


def revive(draft: Draft, action: act.Revive) -> Done:
    """What was done: an entry brought back from the archive."""
    entry = draft.target(action.entry)
    found = bar.grounds(draft, action.evidence)
    if not entry.shelved:
        raise Declined("it is not in the archive")
    bar.need_rank(draft, found, entry, "bring back")
    return "revive", unshelve(draft, entry, found), ""


def used_again(draft: Draft, name: str) -> Entry:
    """The entry called *name*, back from the archive where it had faded: it was of help.

    What a person put away, or what was corrected, is not brought back by a use.
    """
    entry = draft.target(name)
    if entry.shelved and is_faded(draft.library, entry) and entry.id not in draft.entries:
        return draft.entries[unshelve(draft, entry, Grounds(0))]
    return entry


def unshelve(draft: Draft, entry: Entry, found: Grounds) -> str:
    """The id under which *entry* is back from the archive."""
    new_id = draft.unused(entry.id)
    changes: dict[str, Any] = {"id": new_id, "status": "active", "archived": "", "updated": draft.asked.today, "superseded_by": ""}
    if entry.faded:
        changes["faded"] = False
    if found.evidence:
        changes["evidence"] = ground.gathered(entry.evidence, found.evidence)
    if found.trust >= CONFIRMED:  # somebody missed it: it is said again, and lasts longer than the first time
        changes |= {"reinforced": entry.reinforced + 1, "last_reinforced": draft.asked.today}
    text = edited(entry.raw, changes)
    draft.drop(entry)
    draft.put(parse(text, f"{new_id}.md"))
    return new_id


def add_wikilink(draft: Draft, action: act.AddWikilink) -> Done:
    """What was done: one entry names another."""
    entry, target = draft.live(action.entry), draft.live(action.target)
    if entry.id == target.id:
        raise Declined("an entry does not link to itself")
    if target.trust_rank < entry.trust_rank and not draft.asked.decides:
        raise Declined("an entry does not link to one of lower trust")
    if target.id in {draft.resolve(each) for each in entry.links}:
        return "add_wikilink", entry.id, "linked already"
    link(draft, entry, target.id)
    return "add_wikilink", entry.id, f"to {target.id}"


def link(draft: Draft, entry: Entry, target: str) -> None:
    """Let *entry* name *target* among what is related."""
    now = draft.entries[entry.id]
    if target not in now.links:
        draft.edit(now, {}, with_related(now.body, target))


def adopt(draft: Draft, action: act.Adopt) -> Done:
    """What was done: a file that no operation made is the person's from now on."""
    if draft.asked.by not in ("person", "import", "upkeep"):
        raise Declined("only a person adopts a file")
    path = action.path.removeprefix("knowledge/")
    if path not in draft.library.digests:
        raise Declined(f"there is no file {path}")
    draft.adopted[path] = draft.library.digests[path]
    return "adopt", path.removesuffix(".md"), ""
