"""What a suggestion must satisfy beside its schema, said so that its author can correct it (pure).

The executor refuses the same things later; here they go back to the model in-band. Nothing
is repaired: a suggestion is accepted as it stands or handed back.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ultan.events import Piece, Transcript
from ultan.library.actions import (
    Abstract,
    AddWikilink,
    Cite,
    Create,
    MarkHelpful,
    Merge,
    ModelAction,
    Move,
    Revive,
    SplitFolder,
    TriggerSpec,
)
from ultan.library.faded import is_faded
from ultan.library.grounds import PERSONAL, compiled, grounds
from ultan.library.snapshot import Library
from ultan.recall.text import terms
from ultan.redaction import redact
from ultan.staff.abstraction import failed_gates
from ultan.staff.packet import Packet
from ultan.staff.proposals import Proposal

FOLDER = re.compile(r"^(?:global|projects/[a-z0-9][a-z0-9-]{0,62})(?:/[a-z0-9][a-z0-9-]{0,62}){0,4}$")
SLUG = re.compile(r"^[a-z0-9][a-z0-9-]{0,62}$")
LINK = re.compile(r"\[\[([^\]|#]+)")
PERSONS_KINDS = frozenset(("convention", "preference", "warn"))
TIDYING = (Move, SplitFolder, AddWikilink, Merge, Abstract)  # they rest on entries, not on what was just said


def complaints(proposal: Proposal, packet: Packet, transcript: Transcript, library: Library) -> list[str]:
    """Everything wrong with *proposal*, a line each; short names of pieces are those of *packet*."""
    made = {_id_of(item.action) for item in proposal.suggestions}
    found = []
    for place, item in enumerate(proposal.suggestions):
        problems = [
            *_about_evidence(item.action, packet),
            *_about_places(item.action, transcript, library),
            *_about_texts(item.action, library, made),
            *_about_use(item.action, transcript),
            *_about_gates(item.action, library),
        ]
        found += [f"suggestions.{place}.action ({item.action.verb}): {problem}" for problem in problems]
    return found


def _about_evidence(action: ModelAction, packet: Packet) -> Iterator[str]:
    cites: Sequence[Cite] = getattr(action, "evidence", ())
    if not cites:
        if not isinstance(action, TIDYING):
            yield "evidence is missing: name the piece and quote its words"
        return
    ground = grounds(cites, packet.names, by="scholar", session="")
    if isinstance(ground, str):
        yield ground
        return
    fresh = {piece.id for piece in packet.fresh}
    if not any(packet.names[cite.event].id in fresh for cite in cites):
        yield "it cites only what was read before; cite at least one new piece"
    kind = action.kind if isinstance(action, Create) else ""
    lowest = ", ".join(sorted({packet.names[cite.event].origin for cite in cites}))
    if ground.trust < PERSONAL and kind in PERSONS_KINDS:
        yield f"a {kind} needs the person's own words; cited: {lowest}"
    elif ground.trust < PERSONAL and isinstance(action, Create):
        yield from _beyond_a_finding(action, lowest)
    elif ground.trust < PERSONAL and not isinstance(action, (Create, MarkHelpful)):
        yield f"only the person's own words may do this; cited: {lowest}"


def _beyond_a_finding(action: Create, lowest: str) -> Iterator[str]:
    """What a thing that nobody vouched for may not be."""
    if not action.folder.startswith("projects/"):
        yield f"what {lowest} says belongs into the project's folder, never into global"
    if action.triggers or action.pinned or action.supersedes:
        yield f"what {lowest} says gets no trigger and no pin, and corrects nothing"


def _about_places(action: ModelAction, transcript: Transcript, library: Library) -> Iterator[str]:
    for name in _entries_of(action):
        entry = (library.archived if isinstance(action, Revive) else library.entries).get(name)
        if entry is None and isinstance(action, MarkHelpful):  # what faded may have been shown, and is back if it helped
            away = library.archived.get(name)
            entry = away if away is not None and is_faded(library, away) else None
        if entry is None:
            yield f"there is no entry {name!r}; search for it"
        elif entry.project not in ("", transcript.project):
            yield f"{name!r} belongs to another project"
    for folder in _folders_of(action):
        if not FOLDER.match(folder):
            yield f"folder {folder!r} is not global[/topic] or projects/<slug>[/topic], lower case with hyphens"
        elif folder.startswith("projects/") and folder.split("/")[1] != transcript.project:
            yield f"folder {folder!r} belongs to another project than {transcript.project or '(none)'!r}"
    slug = getattr(action, "slug", "")
    if slug and not SLUG.match(slug):
        yield f"slug {slug!r} is not lower case with hyphens"
    if isinstance(action, Create) and _id_of(action) in library.entries:
        yield f"{_id_of(action)!r} exists: update or reinforce it"


def _about_texts(action: ModelAction, library: Library, made: set[str]) -> Iterator[str]:
    plain = action.model_dump()
    for text in _texts(plain):
        if redact(text)[1]:
            yield "it contains a credential; never quote one, in no field"
        for target in LINK.findall(text):
            if not library.resolve(target) and target not in made:
                yield f"wikilink [[{target}]] leads nowhere"
    specs: Sequence[TriggerSpec] = getattr(action, "triggers", None) or ()
    for spec in specs:
        for pattern in (spec.pattern, *spec.unless):
            regex = compiled(pattern)
            if regex is None:
                yield f"trigger {pattern!r} is no RE2 (no look-around, no back-references)"
            elif regex.search(""):
                yield f"trigger {pattern!r} matches everything"


def _about_use(action: ModelAction, transcript: Transcript) -> Iterator[str]:
    if isinstance(action, MarkHelpful):
        if action.entry not in transcript.surfaced and action.entry not in transcript.fetched:
            yield f"{action.entry!r} was not shown in this session"
        if action.turn < 0:
            yield "name the turn in which it was relied on"


def _about_gates(action: ModelAction, library: Library) -> Iterator[str]:
    if isinstance(action, Abstract):
        yield from failed_gates(action, library.entries, terms)


def _entries_of(action: ModelAction) -> list[str]:
    match action:
        case Create():
            return [*action.supersedes, *action.related]
        case Merge():
            return [action.into, *action.entries, *action.related]
        case Abstract():
            return [*action.children, *action.related]
        case SplitFolder():
            return [name for names in action.into.values() for name in names]
        case AddWikilink():
            return [action.entry, action.target]
        case _:
            return [action.entry]


def _folders_of(action: ModelAction) -> list[str]:
    match action:
        case Create() | Abstract() | Move() | SplitFolder():
            return [action.folder]
        case _:
            return []


def _id_of(action: ModelAction) -> str:
    if isinstance(action, (Create, Abstract)) and action.slug:
        return f"{action.folder}/{action.slug}"
    return ""


def _texts(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for item in value.values():
            yield from _texts(item)
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from _texts(item)


def grounded(action: ModelAction, names: Mapping[str, Piece]) -> ModelAction:
    """*action* with the real ids of the pieces it cites by their short *names*."""
    cites: Sequence[Cite] = getattr(action, "evidence", ())
    if not cites:
        return action
    real = tuple(cite.model_copy(update={"event": names[cite.event].id}) for cite in cites)
    changed: Any = action.model_copy(update={"evidence": real})
    return changed  # type: ignore[no-any-return]


