"""Account: how actions are named in the log, and cleared of what must not be written (pure)."""

from typing import Any

from ultan.library import actions as act
from ultan.library.actions import Action
from ultan.library.draft import Draft
from ultan.library.grounds import cleaned
from ultan.redaction import redact

REFERENCES = {
    "entry", "entries", "into", "superseded_by", "supersedes", "related", "target", "children", "folder", "slug",
    "evidence", "path", "verb",
}  # fmt: skip


def cleared(text: str) -> str:
    """*text* without credentials and invisible characters."""
    return redact(cleaned(text))[0]


def about(action: Action) -> str:
    """The title, entry, path or folder that *action* is about; else its verb."""
    for name in ("title", "entry", "path", "folder"):
        value = getattr(action, name, None)
        if value:
            return str(value)
    return action.verb


def subject(thing: Any) -> str:
    """What a ruling is about: an action, or a suggestion that holds one."""
    action: Action = getattr(thing, "action", thing)
    return f"{action.verb} {about(action)}"


def scrubbed(action: Action, draft: Draft) -> Action:
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

    clean: Action = scrub(action)
    if count:
        draft.notes.append(f"{count} credential{'s' if count > 1 else ''} left out")
    return clean
