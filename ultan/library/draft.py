"""Draft: a working copy of the library; its entries, its names and places, its files (pure).

What actions do to it stands in ``creation``, ``revision``, ``marks`` and ``places``, and what they
may do in ``bar``; ``attempt`` tries one of them. Nothing here touches a disk.
"""

import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ultan.errors import LibraryError
from ultan.events import Piece
from ultan.library import grounds as ground
from ultan.library.body import wikilinks
from ultan.library.entry import Entry, parse
from ultan.library.operation import Tombstone, digest
from ultan.library.rendering import edited, render
from ultan.library.snapshot import Library, folders_of, key

DEEPEST = 6
LONGEST_PATH = 200
RESERVED = {"readme", "index", "log", "con", "nul", "aux", "prn", *(f"com{n}" for n in range(10)), *(f"lpt{n}" for n in range(10))}
Done = tuple[str, str, str]
"""What an action did: verb, entry id, note."""
_NAME = re.compile(r"[a-z0-9][a-z0-9-]{0,62}")


class Declined(LibraryError):
    """An action that is not carried out, with the reason."""


class Held(LibraryError):
    """An action that only a person may decide, with the reason."""


@dataclass(frozen=True, slots=True)
class Asked:
    """Who asks, when, and on what grounds; the same for all actions of one call."""

    by: str
    today: str
    session: str = ""
    sources: Mapping[str, Piece] | None = None
    confirmed: bool = False

    @property
    def is_person(self) -> bool:
        """Whether a person speaks, at the terminal or through an import."""
        return self.by in ("person", "import")

    @property
    def decides(self) -> bool:
        """Whether a person decides: speaks, or approves what somebody else proposed."""
        return self.is_person or self.confirmed


@dataclass(slots=True)
class Draft:
    """The library as it would be.

    Attributes:
        entries, archived: id → entry, as they would be.
        dirty: path → new text, or ``None`` where the file goes.
        events: names of the uses that were counted.
        tombstones, adopted: for the operation.
        notes: what the person should know.
    """

    library: Library
    asked: Asked
    entries: dict[str, Entry]
    archived: dict[str, Entry]
    dirty: dict[str, str | None] = field(default_factory=dict)
    events: list[str] = field(default_factory=list)
    tombstones: list[Tombstone] = field(default_factory=list)
    adopted: dict[str, str] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    _lying: frozenset[str] | None = None
    _folders: dict[str, str] | None = None
    _rules: dict[str, tuple[Entry, str]] = field(default_factory=dict)
    _stems: dict[str, tuple[Entry, frozenset[str]]] = field(default_factory=dict)

    def state(self) -> tuple[Any, ...]:
        """What ``take_back`` needs to undo all that is done from now on."""
        return (
            dict(self.entries), dict(self.archived), dict(self.dirty), list(self.events), list(self.tombstones),
            dict(self.adopted), list(self.notes),
        )  # fmt: skip

    def take_back(self, state: tuple[Any, ...]) -> None:
        """Be again what *state* was taken of."""
        self.entries, self.archived, self.dirty, self.events, self.tombstones, self.adopted, self.notes = state

    # --- entries ----------------------------------------------------------------------------------

    def live(self, name: str) -> Entry:
        """The entry called *name*; declined if there is none, or it is in the archive."""
        entry = self.target(name)
        if entry.shelved:
            raise Declined(f"{entry.id} is in the archive")
        return entry

    def target(self, name: str) -> Entry:
        """The entry called *name*, in the archive or not; declined if no operation made its file."""
        entry = self._named(name)
        if entry.path in self.library.foreign and not self.asked.is_person:
            raise Declined(f"{entry.path} was made by no operation; it waits for `ultan adopt`")
        return entry

    def _named(self, name: str) -> Entry:
        wanted = name.strip().strip("[]").removesuffix(".md")
        if wanted in self.entries:
            return self.entries[wanted]
        if wanted in self.archived:
            return self.archived[wanted]
        found = self.library.find(name)
        entry = (self.archived if found.shelved else self.entries).get(found.id)
        if entry is None:
            raise Declined(f"{found.id} was moved or put away just now")
        return entry

    def resolve(self, target: str) -> str:
        """The id that the wikilink *target* leads to, ``""`` if nowhere."""
        wanted = target.removesuffix(".md")
        if wanted in self.entries or wanted in self.archived:
            return wanted
        fresh = [id_ for id_ in self.entries if id_.endswith(f"/{wanted}") and id_ not in self.library.entries]
        return self.library.resolve(target) or (fresh[0] if len(fresh) == 1 else "")

    def check_links(self, body: str, before: Sequence[str] = ()) -> None:
        """Decline a body whose new wikilinks lead nowhere."""
        lost = next((each for each in wikilinks(body) if each not in before and not self.resolve(each)), "")
        if lost:
            raise Declined(f"it links to {lost!r}, which is no entry")

    def related(self, targets: Iterable[str]) -> list[str]:
        """The ids of *targets*; declined if one is no entry."""
        found = []
        for target in dict.fromkeys(targets):
            id_ = self.resolve(target)
            if not id_:
                raise Declined(f"it links to {target!r}, which is no entry")
            found.append(id_)
        return found

    def rule_key(self, entry: Entry) -> str:
        """What tells the rule of *entry* from others."""
        known = self._rules.get(entry.path)
        if known is None or known[0] is not entry:
            known = self._rules[entry.path] = (entry, ground.rule_key(entry.rule))
        return known[1]

    def stems(self, entry: Entry) -> frozenset[str]:
        """The stems of the rule of *entry*."""
        known = self._stems.get(entry.path)
        if known is None or known[0] is not entry:
            known = self._stems[entry.path] = (entry, ground.stems(entry.rule))
        return known[1]

    # --- names and places -------------------------------------------------------------------------

    def folder(self, folder: str) -> str:
        """*folder* if entries may be made in it: ``global`` or ``projects/<slug>``, plain names below."""
        parts = folder.split("/")
        known = self._known_folders()
        if parts[0] not in ("global", "projects") or (parts[0] == "projects" and len(parts) < 2):
            raise Declined(f"{folder[:80]!r} is no folder of the library: global or projects/<slug>, then topics")
        for depth in range(1, len(parts) + 1):
            here = "/".join(parts[:depth])
            twin = known.get(key(here), "")
            if twin == here:
                continue
            if not _NAME.fullmatch(parts[depth - 1]) or parts[depth - 1] in RESERVED:
                raise Declined(f"{parts[depth - 1][:40]!r} is no name for a folder (a-z, 0-9 and -)")
            if twin:
                raise Declined(f"the folder {here} would differ from {twin} in case only")
        if len(parts) > DEEPEST:
            raise Declined(f"{folder[:80]!r} lies deeper than {DEEPEST} folders")
        return folder

    def _known_folders(self) -> dict[str, str]:
        """Key of a folder → its name, for every folder that entries lie in or will."""
        if self._folders is None:
            self._folders = {key(each): each for each in folders_of((*self.entries, *self.archived))}
        return self._folders

    def free_id(self, folder: str, wanted: str) -> str:
        """An id for a new entry called *wanted* in *folder*."""
        slug = slug_of(wanted)
        if len(f"{folder}/{slug}.md".encode()) > LONGEST_PATH:
            raise Declined(f"the path is longer than {LONGEST_PATH} bytes")
        return self.unused(f"{folder}/{slug}")

    def unused(self, id_: str, prefix: str = "") -> str:
        """*id_*, or with a number behind it where something lies at its path below *prefix* already."""
        taken = self._taken()
        number = 1
        candidate = id_
        while taken(key(f"{prefix}{candidate}.md")):
            number += 1
            candidate = f"{id_}-{number}"
        return candidate

    def _taken(self) -> Callable[[str], bool]:
        """Whether a file lies, or will lie, at a path; asked by the path's key."""
        if self._lying is None:
            unreadable = (path for path, _ in self.library.unreadable)
            self._lying = frozenset(map(key, (*self.library.digests, *unreadable)))
        lying = self._lying
        new = {key(path): text is not None for path, text in self.dirty.items()}
        return lambda wanted: new.get(wanted, wanted in lying)

    # --- files ------------------------------------------------------------------------------------

    def edit(self, entry: Entry, changes: Mapping[str, Any], body: str | None = None) -> None:
        """Change keys of *entry*, and its body, in the text it has."""
        self.put(parse(edited(entry.raw, changes, body), entry.path))

    def add(self, entry: Entry) -> None:
        """Add a new *entry*."""
        self.put(parse(render(entry), entry.path))

    def put(self, entry: Entry) -> None:
        """Let *entry* be what its file says."""
        (self.archived if entry.shelved else self.entries)[entry.id] = entry
        self.dirty[entry.path] = entry.raw
        if self._folders is not None:
            self._folders.update((key(each), each) for each in folders_of((entry.id,)))

    def drop(self, entry: Entry) -> None:
        """Let the file of *entry* go."""
        (self.archived if entry.shelved else self.entries).pop(entry.id, None)
        self.dirty[entry.path] = None


def slug_of(text: str) -> str:
    """A file name for *text*: plain letters, digits and dashes, at most 60; never a reserved one."""
    plain = unicodedata.normalize("NFKD", text.replace("ß", "ss")).encode("ascii", "ignore").decode().casefold()
    slug = re.sub(r"[^a-z0-9]+", "-", plain).strip("-")
    if len(slug) > 60:
        slug = slug[:61].rpartition("-")[0] or slug[:60]
    if len(slug) < 2 or slug in RESERVED:
        return f"entry-{slug + '-' if slug else ''}{digest(text.encode('utf-8', 'replace'))[:8]}"
    return slug


def one_line(text: str) -> str:
    """*text* with every run of white space as one blank."""
    return " ".join(text.split())
