"""Attempt: one action tried on a draft; it does all of its part or nothing (pure)."""

from typing import assert_never

from ultan.errors import InvalidEntry, NoSuchEntry
from ultan.library import actions as act
from ultan.library import bar, creation, marks, places, revision
from ultan.library.draft import Declined, Done, Draft, Held


def attempt(draft: Draft, action: act.Action) -> Done:
    """What was done: verb, entry id, note.

    Raises:
        Declined, Held: nothing was done, with the reason.
    """
    before = draft.state()
    try:
        return _done(draft, action)
    except (InvalidEntry, NoSuchEntry) as error:
        draft.take_back(before)
        raise Declined(str(error)) from None
    except (Declined, Held):
        draft.take_back(before)
        raise


def _done(draft: Draft, action: act.Action) -> Done:  # noqa: C901, PLR0911, PLR0912 -- one case a verb
    match action:
        case act.Create():
            return creation.create(draft, action)
        case act.Abstract():
            return creation.abstract(draft, action)
        case act.Bring():
            return creation.bring(draft, action)
        case act.Update():
            return revision.update(draft, action)
        case act.Reinforce():
            return revision.reinforce(draft, draft.live(action.entry), bar.grounds(draft, action.evidence))
        case act.Deprecate():
            return revision.deprecate(draft, action)
        case act.Contradict():
            return revision.contradict(draft, action)
        case act.Merge():
            return revision.merge(draft, action)
        case act.Rewrite():
            return revision.rewrite(draft, action)
        case act.MarkHelpful():
            return marks.mark_helpful(draft, action)
        case act.Bump():
            return marks.bump(draft, action)
        case act.Pin():
            return marks.pin(draft, action)
        case act.Confirm():
            return marks.confirm(draft, action)
        case act.Affirm():
            return marks.affirm(draft, action)
        case act.Condense():
            return marks.shorten(draft, action)
        case act.Nudge():
            return marks.nudge(draft, action)
        case act.Move():
            entry = draft.live(action.entry)
            return "move", places.move(draft, entry, action.folder), f"from {entry.id}"
        case act.SplitFolder():
            return places.split(draft, action)
        case act.AddWikilink():
            return places.add_wikilink(draft, action)
        case act.Archive():
            return places.archive(draft, action)
        case act.Revive():
            return places.revive(draft, action)
        case act.Adopt():
            return places.adopt(draft, action)
        case _ as never:
            assert_never(never)
