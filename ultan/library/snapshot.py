"""Library: every entry, link and folder at one moment; immutable."""

import hashlib
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache

from ultan.errors import InvalidEntry, LibraryError, NoSuchEntry
from ultan.library import memo
from ultan.library.entry import ARCHIVE, Entry, parse
from ultan.library.operation import Operation, Tombstone, digest
from ultan.library.port import PENDING, Mark, Store

DERIVED = ("readme.md", "index.md", "log.md")
CATALOG, LOG = "index.md", "log.md"


@dataclass(frozen=True, slots=True)
class Neighbourhood:
    """What lies around an entry: one read answers where to look next."""

    entry: Entry
    siblings: tuple[Entry, ...]
    subfolders: tuple[str, ...]
    readme: str
    links: tuple[str, ...]
    links_back: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Library:
    """Every entry, link and folder at one moment.

    Attributes:
        entries: id → entry, live ones only.
        archived: id → entry below ``_archive/``.
        unreadable: (path, reason) of what is no entry or was passed over.
        foreign: paths that no operation made and no person adopted, or that an agent's tools wrote.
        standing: what stood in entries before an agent's tools wrote into them; it counts until a person decides.
        fingerprint: names exactly this set of entries.
        digests: path → digest of every file read, held suggestions included.
        texts: path → text of READMEs, catalog and log.
        held: paths of held suggestions.
        number: of the last operation; a plan made from this snapshot is for the next one.
        events: names of the events that operations have consumed.
        tombstones: rules not to be learned again.
        adopting: paths of a library that has no operation log yet; they are the person's.
        marks: path → what the disk says of the file, where it was at rest when it was read.
        ledger: what the operation log said, for the next snapshot to go on from.
    """

    entries: Mapping[str, Entry]
    archived: Mapping[str, Entry]
    unreadable: tuple[tuple[str, str], ...] = ()
    foreign: tuple[str, ...] = ()
    fingerprint: str = ""
    digests: Mapping[str, str] = field(default_factory=dict)
    texts: Mapping[str, str] = field(default_factory=dict)
    held: tuple[str, ...] = ()
    number: int = 0
    events: frozenset[str] = frozenset()
    tombstones: tuple[Tombstone, ...] = ()
    adopting: tuple[str, ...] = ()
    marks: Mapping[str, Mark] = field(default_factory=dict)
    _names: Mapping[str, tuple[str, ...]] = field(default_factory=dict, repr=False)
    _back: Mapping[str, tuple[str, ...]] = field(default_factory=dict, repr=False)
    ledger: "Ledger | None" = field(default=None, repr=False, compare=False)
    standing: tuple[Entry, ...] = ()

    def find(self, name: str) -> Entry:
        """The entry called *name*: an id, a unique last part of one, or a unique title.

        Raises:
            NoSuchEntry: nothing, or more than one, is called so; the message names candidates.
        """
        wanted = name.strip().strip("[]").removesuffix(".md").strip("/").removeprefix("knowledge/")
        shelved = wanted.startswith(ARCHIVE)
        wanted = wanted.removeprefix(ARCHIVE)
        for pool in (self.archived,) if shelved else (self.entries, self.archived):
            if wanted in pool:
                return pool[wanted]
        ids = self._names.get(key(wanted), ())
        live = [id_ for id_ in ids if id_ in self.entries]
        chosen = live or list(ids)
        if len(chosen) == 1:
            return self.entries.get(chosen[0]) or self.archived[chosen[0]]
        if chosen:
            raise NoSuchEntry(f"{len(chosen)} entries are called {name!r}: {', '.join(sorted(chosen)[:6])}")
        close = self._close(wanted)
        raise NoSuchEntry(f"no entry is called {name!r}" + (f"; close: {', '.join(close)}" if close else ""))

    def resolve(self, target: str) -> str:
        """The id that a wikilink *target* means, live or archived; ``""`` if none or unclear."""
        try:
            return self.find(target).id
        except NoSuchEntry:
            return ""

    def _close(self, wanted: str) -> list[str]:
        import difflib  # noqa: PLC0415 -- only for the suggestion

        slugs = {id_.rpartition("/")[2]: id_ for id_ in self.entries}
        near = difflib.get_close_matches(wanted.rpartition("/")[2], slugs, 3)
        return [slugs[each] for each in near]

    @property
    def edited(self) -> tuple[str, ...]:
        """Paths of entries that an operation made and somebody else has changed since, sorted."""
        if self.ledger is None:
            return ()
        known, marked = self.ledger.known, self.ledger.marked
        paths = (entry.path for pool in (self.entries, self.archived) for entry in pool.values())
        return tuple(
            sorted(path for path in paths if path not in marked and known.get(path, self.digests[path]) != self.digests[path])
        )

    def links_to(self, id_: str) -> tuple[str, ...]:
        """Ids of the live entries whose text links to *id_*."""
        return self._back.get(id_, ())

    def neighbourhood(self, id_: str) -> Neighbourhood:
        """Siblings, sub-folders, the folder's README and links both ways of an entry.

        Raises:
            NoSuchEntry: nothing is called so.
        """
        entry = self.find(id_)
        folder = entry.folder
        return Neighbourhood(
            entry=entry,
            siblings=tuple(each for each in self.entries.values() if each.folder == folder and each.id != entry.id),
            subfolders=tuple(each for each in self.folders() if each.rpartition("/")[0] == folder),
            readme=next((text for path, text in self.texts.items() if key(path) == key(f"{folder}/readme.md")), ""),
            links=tuple(filter(None, (self.resolve(target) for target in entry.links))),
            links_back=self.links_to(entry.id),
        )

    def folders(self) -> tuple[str, ...]:
        """Every folder that holds live entries, directly or below, sorted."""
        return folders_of(self.entries)

    def live(self, project: str | None = None, today: str = "") -> tuple[Entry, ...]:
        """The entries that count: global ones and, unless *project* is ``None``, that project's.

        An entry counts if it is active, readable, not superseded, not foreign and, where *today*
        is given, not expired.
        """
        foreign = set(self.foreign)
        return tuple(
            entry
            for entry in self.entries.values()
            if entry.project in ("", project)
            and entry.status == "active"
            and not entry.superseded_by
            and entry.path not in foreign
            and not (today and entry.expires and entry.expires < today)
        )


NOTHING = Library({}, {})  # as *known*: trust no earlier snapshot


def read_library(store: Store, known: Library | None = None) -> Library:
    """The library in *store* as it is now; what cannot be read is named and blocks nothing else.

    Entries of *known*, an earlier snapshot, are taken over where their bytes are the same: parsing
    is most of the work. A file that the disk says nobody touched since is not even read; without
    *known* the last snapshot that was kept (``memo``) serves. ``NOTHING`` makes everything be read.
    """
    before, known_digests, known_marks = memo.of(known) if known else memo.remembered(store)
    ledger = Ledger.reading(store.operations(), known.ledger if known else None)
    listing = store.files()
    entries: dict[str, Entry] = {}
    archived: dict[str, Entry] = {}
    unreadable = list(listing.skipped)
    digests: dict[str, str] = {}
    texts: dict[str, str] = {}
    held = []
    for path in listing.paths:
        mark = listing.marks.get(path)
        if mark is not None and path in before and known_marks.get(path) == mark:
            entry: Entry | None = before[path]
            digests[path] = known_digests[path]
        else:
            try:
                raw = store.read(path)
            except LibraryError as error:
                unreadable.append((path, str(error).removeprefix(f"{path}: ")))
                continue
            if raw is None:
                continue
            digests[path] = digest(raw)
            if path.startswith(PENDING):
                held.append(path)
                continue
            if path.rpartition("/")[2].casefold() in DERIVED:
                texts[path] = raw.decode("utf-8", "replace")
                continue
            same = path in before and known_digests.get(path) == digests[path]
            entry = before[path] if same else _entry(path, raw, unreadable)
        if entry is not None:
            (archived if entry.shelved else entries)[entry.id] = entry
    library = assemble(
        entries, archived, unreadable=tuple(unreadable), digests=digests, texts=texts, held=tuple(held), ledger=ledger,
        marks=listing.marks,
    )  # fmt: skip
    memo.note(store, library)
    return replace(library, standing=tuple(_standing(store, library))) if library.foreign else library


def _standing(store: Store, library: Library) -> Iterator[Entry]:
    known = library.ledger.known if library.ledger else {}
    for path in library.foreign:
        if known.get(path):
            try:
                entry = _entry(path, store.past(known[path]), [])
            except LibraryError:  # a person's own edit, of which no copy was made
                continue
            if entry is not None and not entry.shelved:
                yield entry


def _entry(path: str, raw: bytes, unreadable: list[tuple[str, str]]) -> Entry | None:
    try:
        text = raw.decode("utf-8")
        if is_conflict_copy(path):
            raise InvalidEntry(f"{path}: a conflict copy of a sync tool; merge it by hand, then delete it")
        return parse(text, path)
    except UnicodeDecodeError:
        unreadable.append((path, "not UTF-8"))
    except InvalidEntry as error:
        unreadable.append((path, str(error).removeprefix(f"{path}: ")))
    return None


def assemble(
    entries: Mapping[str, Entry],
    archived: Mapping[str, Entry],
    *,
    unreadable: tuple[tuple[str, str], ...] = (),
    digests: Mapping[str, str] | None = None,
    texts: Mapping[str, str] | None = None,
    held: tuple[str, ...] = (),
    ledger: "Ledger | None" = None,
    marks: Mapping[str, Mark] | None = None,
) -> Library:
    """A library made of its parts, with names, links back and fingerprint computed."""
    ledger = ledger or Ledger(())
    digests = digests or {}
    paths = [entry.path for pool in (entries, archived) for entry in pool.values()]
    foreign = tuple(sorted(path for path in paths if ledger.is_foreign(path)))
    names: dict[str, list[str]] = {}
    for id_, entry in (*archived.items(), *entries.items()):
        for name in {key(entry.slug), key(entry.title)}:
            if id_ not in names.setdefault(name, []):
                names[name].append(id_)
    library = Library(
        entries=dict(sorted(entries.items())),
        archived=dict(sorted(archived.items())),
        unreadable=tuple(sorted(unreadable)),
        foreign=foreign,
        fingerprint=_fingerprint(paths, digests, foreign),
        digests=digests,
        texts=texts or {},
        held=held,
        number=ledger.number,
        events=frozenset(ledger.events),
        tombstones=tuple(ledger.tombstones),
        adopting=() if ledger.number else tuple(sorted([*paths, *(path for path, _ in unreadable if path in digests)])),
        marks=marks or {},
        ledger=ledger,
        _names={name: tuple(ids) for name, ids in names.items()},
    )
    back: dict[str, list[str]] = {}
    for entry in library.entries.values():
        for target in entry.links:
            id_ = library.resolve(target)
            if id_ and id_ != entry.id:
                back.setdefault(id_, []).append(entry.id)
    object.__setattr__(library, "_back", {id_: tuple(dict.fromkeys(ids)) for id_, ids in back.items()})
    return library


class Ledger:
    """What the operation log says about files, events and forbidden rules."""

    def __init__(self, operations: Iterable[Operation], earlier: "Ledger | None" = None) -> None:
        """Read *operations*, oldest first, on top of what an *earlier* ledger says."""
        self.number: int = earlier.number if earlier else 0
        self.known: dict[str, str] = dict(earlier.known) if earlier else {}  # path → digest when last made or adopted
        self.marked: dict[str, str] = dict(earlier.marked) if earlier else {}
        self.events: set[str] = set(earlier.events) if earlier else set()
        self.tombstones: list[Tombstone] = list(earlier.tombstones) if earlier else []
        self.last: str = earlier.last if earlier else ""  # digest of the operation read last
        self.count: int = earlier.count if earlier else 0
        for operation in operations:
            self.last = operation.digest
            self.count += 1
            self.number = operation.number
            self.events.update(operation.events)
            for change in operation.changes:
                if change.path not in operation.skipped:
                    self.known[change.path] = change.after
                    self.marked.pop(change.path, None)
            for path, adopted in operation.adopted.items():
                self.known[path] = adopted
                self.marked.pop(path, None)
            self.marked.update(operation.foreign)
            for path, found in operation.foreign.items():
                if self.known.get(path) == found:  # an operation wrote over the edit before it was judged
                    del self.known[path]
            lifted = {(each.scope, each.rule) for each in operation.lifted}
            self.tombstones = [each for each in self.tombstones if (each.scope, each.rule) not in lifted]
            self.tombstones += operation.tombstones

    @classmethod
    def reading(cls, operations: Sequence[Operation], earlier: "Ledger | None" = None) -> "Ledger":
        """The ledger of *operations*; where they go on from what *earlier* read, only the new ones are read."""
        if earlier is None or not 0 < earlier.count <= len(operations) or operations[earlier.count - 1].digest != earlier.last:
            return cls(operations)
        return cls(operations[earlier.count :], earlier) if len(operations) > earlier.count else earlier

    def is_foreign(self, path: str) -> bool:
        """Whether the file at *path* waits for a person's word: an agent's tool wrote it, however it looks by now."""
        return path in self.marked or (self.number > 0 and path not in self.known)


@lru_cache(maxsize=1 << 16)
def key(name: str) -> str:
    """What two names share if a case-insensitive or decomposing file system sees one file."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", name).casefold())


def is_conflict_copy(path: str) -> bool:
    """Whether a sync tool put a second version of a file beside it."""
    name = path.rpartition("/")[2].casefold()
    return ".conflict-" in name or ".sync-conflict-" in name or " (conflicted copy" in name or "'s conflicted copy" in name


def folders_of(ids: Iterable[str]) -> tuple[str, ...]:
    """Every folder on the way to *ids*, sorted."""
    found: set[str] = set()
    for folder in {id_.rpartition("/")[0] for id_ in ids} - {""}:
        parts = folder.split("/")
        found.update("/".join(parts[:depth]) for depth in range(1, len(parts) + 1))
    return tuple(sorted(found))


def _fingerprint(paths: Iterable[str], digests: Mapping[str, str], foreign: Iterable[str]) -> str:
    whole = hashlib.sha256()
    for path in sorted(paths):
        whole.update(f"{path}\0{digests.get(path, '')}\n".encode("utf-8", "surrogatepass"))
    for path in sorted(foreign):
        whole.update(f"foreign\0{path}\n".encode("utf-8", "surrogatepass"))
    return whole.hexdigest()[:32]
