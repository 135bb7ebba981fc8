"""Marks: actions that count uses, pin, vouch for and condense, and leave what an entry says (pure)."""

from typing import Any

from ultan.library import actions as act
from ultan.library import bar, condense
from ultan.library import grounds as ground
from ultan.library.body import revised
from ultan.library.condense import Condensed
from ultan.library.draft import Declined, Done, Draft, Held, one_line
from ultan.library.grounds import CONFIRMED
from ultan.library.places import used_again


def mark_helpful(draft: Draft, action: act.MarkHelpful) -> Done:
    """What was done: a use that helped, counted once a turn; what had faded is back."""
    entry = draft.target(action.entry)
    if action.evidence:
        bar.grounds(draft, action.evidence)
    mark = f"helpful:{draft.asked.session}:{action.turn}:{entry.id}"
    if mark in draft.library.events or mark in draft.events:
        return "mark_helpful", entry.id, "counted already in this turn"
    was_away = entry.shelved
    entry = draft.live(used_again(draft, action.entry).id)
    draft.events.append(mark)
    draft.edit(entry, {"fired_helpful": entry.fired_helpful + 1, "last_helpful": draft.asked.today})
    return ("revive" if was_away else "mark_helpful"), entry.id, "of help when it was shown again" if was_away else ""


def bump(draft: Draft, action: act.Bump) -> Done:
    """What was done: counters raised by what the hooks noted; what had faded and was of help is back."""
    entry = used_again(draft, action.entry) if action.helpful else draft.target(action.entry)
    changes: dict[str, Any] = {
        "fired": entry.fired + action.fired, "fired_helpful": entry.fired_helpful + action.helpful,
        "ignored": entry.ignored + action.ignored, "fetched": entry.fetched + action.fetched,
        "last_surfaced": max(entry.last_surfaced, action.surfaced_on),
        "last_helpful": max(entry.last_helpful, action.helpful_on),
    }  # fmt: skip
    changes = {name: value for name, value in changes.items() if value != getattr(entry, name)}
    is_back = entry.id in draft.entries and entry.id not in draft.library.entries
    if changes:
        draft.edit(entry, changes)
    return ("revive", entry.id, "of help when it was shown again") if is_back else ("bump", entry.id, "")


def pin(draft: Draft, action: act.Pin) -> Done:
    """What was done: an entry pinned, or let go again."""
    bar.need_person(draft, "pins")
    entry = draft.live(action.entry)
    draft.edit(entry, {"pinned": action.pinned})
    return "pin" if action.pinned else "unpin", entry.id, ""


def confirm(draft: Draft, action: act.Confirm) -> Done:
    """What was done: a person vouches for an entry."""
    bar.need_person(draft, "vouches for an entry")
    entry = draft.live(action.entry)
    if entry.trust_rank >= CONFIRMED:
        return "confirm", entry.id, "a person vouches for it already"
    draft.edit(entry, {"trust": "confirmed", "expires": "", "updated": draft.asked.today})
    return "confirm", entry.id, ""


def affirm(draft: Draft, action: act.Affirm) -> Done:
    """What was done: an entry is still true, perhaps in better words."""
    entry = draft.live(action.entry)
    if not draft.asked.decides:
        raise Held(action.reason or "still true?")
    changes: dict[str, Any] = {"updated": draft.asked.today, "ignored": 0}
    if action.title is not None:
        changes["title"] = one_line(action.title)
    if entry.trust_rank < CONFIRMED:
        changes |= {"trust": "confirmed", "expires": ""}
    body = None if action.rule is None else revised(entry.body, rule=action.rule)
    if body is not None:
        draft.check_links(body, entry.links)
    draft.edit(entry, changes, body)
    return "affirm", entry.id, "still true" if body is None else "true in better words"


def shorten(draft: Draft, action: act.Condense) -> Done:
    """What was done: a fading entry told in fewer words, or in all of them again."""
    if draft.asked.by not in ("person", "upkeep"):
        raise Declined("only a person or the upkeep condenses")
    entry = draft.live(action.entry)
    if action.level and entry.pinned:
        raise Declined("it is pinned")
    draft.check_links(action.body, entry.links)
    told = Condensed(action.level, draft.asked.today, entry.fetched, action.original, condense.said(action.body))
    body = action.body if action.body.endswith("\n") else action.body + "\n"
    draft.edit(entry, {condense.KEY: told.written() if action.level else None}, body)
    return "condense", entry.id, condense.LEVELS[action.level]


def nudge(draft: Draft, action: act.Nudge) -> Done:
    """What was done: nothing to a file; the remark is approved for the next turn."""
    entry = draft.live(action.entry)
    bar.grounds(draft, action.evidence)
    if entry.trust_rank < CONFIRMED:
        raise Declined("only what a person said or confirmed is worth a nudge")
    known = f"{entry.title} {entry.rule}"
    if ground.is_unsupported(action.text, known):
        raise Declined("its text has nothing to do with the entry")
    return "nudge", entry.id, action.text
