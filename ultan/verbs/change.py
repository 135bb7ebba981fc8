"""What a person does to one entry: say it again, say it is wrong, put it away, pin it, edit it."""

from collections.abc import Callable
from dataclasses import dataclass

from ultan.errors import UltanError
from ultan.library.actions import Action, Archive, Contradict, Pin, Reinforce, Rewrite
from ultan.verbs.desk import Desk


@dataclass(frozen=True, slots=True)
class Changed:
    """What happened to an entry, and the number that undoes it."""

    entry: str
    did: str
    number: int


def reinforce(desk: Desk, name: str) -> Changed:
    """The entry called *name*, said once more by the person."""
    return _changed(desk, name, "reinforced", lambda entry: Reinforce(entry=entry))


def contradict(desk: Desk, name: str, reason: str = "") -> Changed:
    """The entry called *name*, its strength reset because the person says it is wrong."""
    return _changed(desk, name, "contradicted", lambda entry: Contradict(entry=entry, reason=reason))


def archive(desk: Desk, name: str, reason: str = "") -> Changed:
    """The entry called *name*, put away; `restore` brings it back."""
    return _changed(desk, name, "archived", lambda entry: Archive(entry=entry, reason=reason))


def pin(desk: Desk, name: str, *, pinned: bool = True) -> Changed:
    """The entry called *name*, kept from fading, or no longer."""
    return _changed(desk, name, "pinned" if pinned else "unpinned", lambda entry: Pin(entry=entry, pinned=pinned))


def edit(desk: Desk, name: str, text: str) -> Changed:
    """The entry called *name* with the person's whole new *text*.

    Raises:
        UltanError: nothing was changed.
        InvalidEntry: the text is no entry any more.
    """
    if desk.library.find(name).raw.strip() == text.strip():
        raise UltanError("nothing was changed")
    return _changed(desk, name, "edited", lambda entry: Rewrite(entry=entry, text=text))


def _changed(desk: Desk, name: str, did: str, wanted: Callable[[str], Action]) -> Changed:
    entry = desk.library.find(name)
    receipt = desk.insist(wanted(entry.id))
    return Changed(entry.id, did, receipt.number)
