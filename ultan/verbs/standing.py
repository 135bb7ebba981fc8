"""Standing: how strong one entry was written, how much of it is left today, and whether what it cites is there."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from ultan.library import citations, retention, upkeep
from ultan.library.activity import read_activity
from ultan.library.entry import Entry
from ultan.library.grounds import REPETITION
from ultan.library.operation import Operation
from ultan.library.retention import Policy
from ultan.library.snapshot import Library
from ultan.settings import Settings

CHAIN_LENGTH = 100  # corrections of corrections that are followed; a person's circle ends too
WRITTEN = ("create", "update", "merge", "abstract")


@dataclass(frozen=True, slots=True)
class Standing:
    """How one entry stands, in words.

    Attributes:
        strength: encoding strength with the parts it was made of, as far as they are known.
        retention: how much is left, after how many active days, and the verdict of today.
        left: the same as a number in [0, 1].
        unverified: paths it cites that its project does not have any more.
    """

    strength: str
    retention: str
    left: float
    unverified: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Link:
    """One entry of a chain of corrections, oldest first; *state* is how it ended, or that it holds."""

    id: str
    created: str
    state: str
    rule: str


def standing(root: str, settings: Settings, now: float, entry: Entry, operations: Sequence[Operation] = ()) -> Standing:
    """How *entry* stands in the home *root* at *now*; *operations* say what its strength was made of."""
    fading = retention.fading(entry, read_activity(root), upkeep.day(now), policy_of(settings))
    words = {
        "keep": "kept", "fade": "fades: `ultan decay` may archive it", "expired": "expired",
        "drift": "goes to review, is never archived",
    }  # fmt: skip
    said = f"{fading.reason}: {words[fading.verdict]}"
    if entry.shelved:
        said = f"archived on {entry.archived or 'an unknown day'}; `ultan restore` brings it back"
    return Standing(_strength(entry, operations), said, round(fading.retention, 4), unverified(root, entry))


def policy_of(settings: Settings) -> Policy:
    """The policy that the settings choose, with its constants bound."""
    name = settings["retention.policy"]
    if name == "window":
        return partial(retention.by_window, window_days=settings["retention.window_days"])
    if name == "strength":
        constants = retention.Constants(archive_below=settings["retention.archive_below"])
        return partial(retention.by_strength, constants=constants)
    return retention.POLICIES[name]


def _strength(entry: Entry, operations: Sequence[Operation]) -> str:
    """``0.95 (contradicts 0.85, emphasis +0.1; said again 2 times +0.1)``, as far as the log knows."""
    notes = [
        note.removeprefix("strength ").partition(";")[0]
        for operation in operations
        for verb, id_, note in operation.actions
        if id_ == entry.id and verb in WRITTEN and note.startswith("strength ")
    ]
    parts = notes[-1:]
    if entry.reinforced:
        parts.append(f"said again {entry.reinforced} times, each {REPETITION:+g}")
    if entry.superseded_by or entry.status == "deprecated":
        parts.append("discounted: it was contradicted")
    word = "fair"
    if entry.encoding_strength >= retention.DEFAULTS.strong:
        word = "strong"
    elif entry.encoding_strength < retention.DEFAULTS.weak:
        word = "weak"
    return f"{entry.encoding_strength:g}, {word}" + (f" ({'; '.join(parts)})" if parts else "")


def chain(library: Library, entry: Entry) -> tuple[Link, ...]:
    """Everything *entry* corrected and everything that corrected it, followed both ways, oldest first.

    Both fields are read on both sides: after a hand edit one of them may be missing. Empty if
    nothing was ever corrected.
    """
    known = {**library.archived, **library.entries}
    older: dict[str, set[str]] = defaultdict(set)
    newer: dict[str, set[str]] = defaultdict(set)
    for id_, each in known.items():
        for old in each.supersedes:
            older[id_].add(old)
            newer[old].add(id_)
        if each.superseded_by:
            newer[id_].add(each.superseded_by)
            older[each.superseded_by].add(id_)
    before = _reached(entry.id, older)
    after = [id_ for id_ in _reached(entry.id, newer) if id_ not in before]
    ids = [*reversed(before), entry.id, *after]
    return tuple(_link(id_, known.get(id_)) for id_ in ids) if len(ids) > 1 else ()


def _reached(start: str, ways: Mapping[str, set[str]]) -> list[str]:
    """Every id that *ways* lead to from *start*, nearest first; a circle ends where it began."""
    found: dict[str, None] = {}
    edge = [start]
    while edge and len(found) < CHAIN_LENGTH:
        edge = sorted({id_ for here in edge for id_ in ways.get(here, ())} - {start} - found.keys())
        found.update(dict.fromkeys(edge))
    return list(found)


def _link(id_: str, entry: Entry | None) -> Link:
    if entry is None:
        return Link(id_, "", "gone", "")
    state = f"corrected by {entry.superseded_by}" if entry.superseded_by else "holds"
    if not entry.superseded_by and (entry.shelved or entry.status != "active"):
        state = "archived" if entry.shelved else entry.status
    return Link(id_, entry.created, state, entry.rule)


def unverified(root: str, entry: Entry) -> tuple[str, ...]:
    """The paths that *entry* cites and that no known folder of its project has any more."""
    return citations.unverified(citations.folders(root), entry) if entry.project else ()
