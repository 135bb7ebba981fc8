"""The compiled index: one file, mapped into memory, read without any third-party module.

``<home>/index/library.idx`` holds plain arrays in the machine's byte order, never a pickle:

    header    magic, format, byte order, length, how many sections, their checksum
    table     per section: name, offset, length, crc32
    blocks    crc32 of every block of the payload, so that a query checks what it touches
    payload   the sections, each on an eight-byte boundary

| section | items | what |
|---|---|---|
| meta | JSON | settings for hooks, library fingerprint, encoder, scopes, averages |
| tdir tkey | u32 u64 | term keys (crc32, adler32) sorted, and where each first byte begins |
| toff pdoc pimp | u32 u32 u16 | postings: entry, weight over all fields |
| noff nterm nsim | u32 u32 u8 | near terms of a term with their squared cosine |
| tvec evec | i8 i8 | 128 numbers a term and an entry: what they are about (only where most entries are bare) |
| foff fterm fimp | u32 u32 u16 | the same postings by entry (only in large libraries) |
| dflag dprior dnext | u16 f32 i32 | per entry: kind and state, prior, what supersedes it |
| ikey inum | u64 u32 | entry ids |
| coff card | u32 bytes | cards, JSON, each deflated |
| bdoc | u32 | standing rules per scope, strongest first |
| gkey goff gtrig galways | u32 | trigrams of the literals that triggers need |
| xoff xtrig | u32 bytes | triggers, JSON |

Entries are ordered by scope, so that a project is one range in every posting list: what another
project remembers is never read, and cost grows with what is in scope. An index is disposable:
whatever is missing, torn, foreign or newer raises ``IndexUnreadable`` and is never used.

``faded.idx`` beside it is of the same make and holds what faded; a hook opens it where nothing live fits.

Beside them lies what only compiles read, each as disposable: ``leaves``, what each entry becomes on its
own, ``snapshot``, the entries as they were last read, and the vectors of words.
"""

import os
import zlib

from ultan import plainjson
from ultan.errors import IndexUnreadable
from ultan.recall.mapping import Sections, map_file

try:  # the C half alone: a file fewer for a hook to find and load
    from _bisect import bisect_left
except ImportError:
    from bisect import bisect_left

TYPE_CHECKING = False
if TYPE_CHECKING:
    import mmap
    from typing import Any

KINDS = ("convention", "preference", "finding", "warn", "abstraction", "decision", "event")
TRUST = ("observed", "assistant", "confirmed", "person")
STATUS = ("active", "stale", "deprecated")
# Bits of dflag: kind 0-3, trust 4-5, status 6-7, then:
PINNED, SUPERSEDED, HAS_FILES = 1 << 8, 1 << 9, 1 << 10
FULL_WEIGHT = 65535 / 4.0  # weights are stored as sixteenths of a thousandth of four: tf parts stay below k1 + 1
GLOBAL = "global"
LIVE, FADED = "library.idx", "faded.idx"

CARD_FIELDS = (
    "id", "title", "rule", "kind", "scope", "trust", "created", "updated", "source", "origin", "pinned", "status",
    "superseded_by", "links", "reinforced", "fired", "helpful", "strength", "body", "cues", "files", "expires",
    "ignored", "cites",
)  # fmt: skip


class Card:
    """An entry's compiled face.

    Attributes:
        rule: what the entry says to do, its first paragraph; ``body`` an excerpt of the rest.
        source: who says so, for a reader (``you``, ``web:example.com``); ``origin`` the lowest origin cited.
        links: ids this entry points at; ``cues`` when it matters; ``files`` globs; ``cites`` paths it names.
        superseded_by: id of the entry that corrects this one, or ``""``.
    """

    __slots__ = (*CARD_FIELDS, "number")

    def __init__(self, number: int, values: "list[Any]") -> None:
        self.number, self.ignored = number, 0
        self.cites = []
        for name, value in zip(CARD_FIELDS, values, strict=False):
            setattr(self, name, value)

    def __repr__(self) -> str:
        return f"Card({self.id!r})"

    if TYPE_CHECKING:
        id: str
        title: str
        rule: str
        kind: str
        scope: str
        trust: str
        created: str
        updated: str
        source: str
        origin: str
        pinned: bool
        status: str
        superseded_by: str
        links: list[str]
        reinforced: int
        fired: int
        helpful: int
        strength: float
        body: str
        cues: list[str]
        files: list[str]
        expires: str
        ignored: int
        cites: list[str]


def term_key(term: str) -> int:
    """The number under which *term* is filed; collisions are excluded when the index is built."""
    raw = term.encode("utf-8", "surrogatepass")
    return zlib.crc32(raw) << 32 | zlib.adler32(raw)


def path_of(root: str, name: str = LIVE) -> str:
    """Where the index of the home *root* lies."""
    return os.path.join(root, "index", name)


def open_index(root: str, encoder: str = "", name: str = LIVE) -> "Index":
    """The index of the home *root*, mapped.

    With *encoder*, an index made with another encoder is refused: vectors never mix.

    Raises:
        IndexUnreadable: missing, torn, foreign, newer, or made with another encoder.
    """
    index = Index(map_file(path_of(root, name)))
    if encoder and index.encoder != encoder:
        raise IndexUnreadable(f"the index was made with {index.encoder or 'no encoder'}, not with {encoder}")
    return index


class Index:
    """A mapped index; every read goes through a check of the blocks it touches.

    Attributes:
        settings: what hooks may do, as written by ``compile``.
        made_at: seconds since the epoch; ``fingerprint`` of the library; ``encoder`` or ``""``.
        size: how many entries; ``terms`` how many terms; ``triggers`` how many triggers.
    """

    __slots__ = (
        "_checked", "_mapped", "_sections", "_view", "encoder", "fingerprint", "made_at", "meta", "settings", "size",
        "terms", "triggers",
    )  # fmt: skip

    def __init__(self, mapped: "mmap.mmap | bytes") -> None:
        self._sections = sections = Sections(mapped)
        self._mapped = sections.raw
        self._view, self._checked = sections.view, sections.checked  # asked a thousand times a query
        try:
            self.meta: dict[str, Any] = plainjson.loads(str(self._checked("meta", 0, -1), "utf-8"))
            self.settings: dict[str, Any] = self.meta["settings"]
            self.made_at = float(self.meta["made_at"])
            self.fingerprint = str(self.meta["fingerprint"])
            self.encoder = str(self.meta["encoder"])
            self.size = int(self.meta["entries"])
        except (plainjson.NotJson, KeyError, TypeError, ValueError) as error:
            raise IndexUnreadable(f"the index has no head: {error}") from None
        self.terms = len(self._view("tkey"))
        self.triggers = max(0, len(self._view("xoff")) - 1)

    def verify(self) -> None:
        """Check every section against its checksum; for ``check`` and ``doctor``.

        Raises:
            IndexUnreadable: names the first section that is damaged.
        """
        self._sections.verify()

    # --- terms ----------------------------------------------------------------------------------

    def term(self, term: str) -> int:
        """The number of *term*, or -1 if the index does not know it."""
        return self._find("tdir", "tkey", term_key(term))

    def keys(self) -> "list[int]":
        """The keys of all terms, by number; for the next generation."""
        return self._checked("tkey", 0, -1).tolist()

    def section(self, name: str) -> "memoryview[Any]":
        """All items of a section, checked; for whoever reads it as one array."""
        return self._checked(name, 0, -1)

    def nearness(self) -> "tuple[memoryview[int], memoryview[int], memoryview[int], memoryview[int]]":
        """All near terms at once, for the next generation: keys of terms, then offsets, numbers and squared cosines."""
        return tuple(self._checked(name, 0, -1) for name in ("tkey", "noff", "nterm", "nsim"))  # type: ignore[return-value]

    def _find(self, directory: str, keys: str, key: int) -> int:
        start, end = self._checked(directory, key >> 56, (key >> 56) + 2)
        if start == end:
            return -1
        part = self._checked(keys, start, end)
        at = bisect_left(part, key)
        return start + at if at < len(part) and part[at] == key else -1

    def postings(self, term: int, ranges: "list[tuple[int, int]]") -> "list[tuple[int, int]]":
        """Where in the posting arrays the entries of *ranges* stand for *term*."""
        start, end = self._checked("toff", term, term + 2)
        docs = self._checked("pdoc", start, end)
        if not docs:
            return []
        found = []
        for low, high in ranges:
            first = bisect_left(docs, low)
            last = bisect_left(docs, high, first) if high < self.size else len(docs)
            if first < last:
                found.append((start + first, start + last))
        return found

    def docs(self, start: int, end: int) -> "memoryview[int]":
        """Entry numbers of a stretch of postings."""
        return self._checked("pdoc", start, end)

    def weights(self, start: int, end: int) -> "memoryview[int]":
        """Their weights over all fields, times ``FULL_WEIGHT``."""
        return self._checked("pimp", start, end)

    def near(self, term: int) -> "list[tuple[int, float]]":
        """Near terms of *term*, nearest first, with their squared cosine; empty without an encoder."""
        if not len(self._view("noff")):
            return []
        start, end = self._checked("noff", term, term + 2)
        numbers, sims = self._checked("nterm", start, end), self._checked("nsim", start, end)
        return [(number, sim / 255.0) for number, sim in zip(numbers, sims, strict=True)]

    def vector(self, name: str, number: int) -> "memoryview[int]":
        """What a term (``tvec``) or an entry (``evec``) is about; only where ``meta`` tells of topics."""
        width = int(self.meta["topics"])
        return self._checked(name, number * width, (number + 1) * width)

    def forward(self, number: int) -> "tuple[memoryview[int], memoryview[int]]":
        """Terms of one entry and their weights; empty where the library is small."""
        if not len(self._view("foff")):
            return self._view("fterm")[:0], self._view("fimp")[:0]
        start, end = self._checked("foff", number, number + 2)
        return self._checked("fterm", start, end), self._checked("fimp", start, end)

    @property
    def has_forward(self) -> bool:
        """Whether entries know their terms, as in a large library."""
        return len(self._view("foff")) > 0

    # --- entries --------------------------------------------------------------------------------

    def ranges(self, project: "str | None") -> "list[tuple[int, int]]":
        """The stretches of entry numbers in scope: global and *project*; all of them for ``None``."""
        if project is None:
            return [(0, self.size)] if self.size else []
        found = []
        scopes = self.meta["scopes"]
        for name in (GLOBAL, "project:" + project) if project else (GLOBAL,):
            row = scopes.get(name)
            if row and row[0] < row[1]:
                found.append((row[0], row[1]))
        return found

    def number(self, id: str) -> int:  # noqa: A002 -- the word of the glossary
        """The number of the entry called *id*, or -1."""
        key = term_key(id)
        keys = self._view("ikey")
        low, high = 0, len(keys)
        while low < high:
            middle = (low + high) // 2
            if self._checked("ikey", middle, middle + 1)[0] < key:
                low = middle + 1
            else:
                high = middle
        if low == len(keys) or self._checked("ikey", low, low + 1)[0] != key:
            return -1
        return int(self._checked("inum", low, low + 1)[0])

    def card(self, number: int) -> Card:
        """The card of an entry."""
        start, end = self._checked("coff", number, number + 2)
        try:
            raw = zlib.decompress(self._checked("card", start, end))
            return Card(number, plainjson.loads(str(raw, "utf-8")))
        except (plainjson.NotJson, UnicodeDecodeError, TypeError, zlib.error):
            raise IndexUnreadable("a card of the index is torn") from None

    def flags(self, number: int) -> int:
        """Kind, trust, status and marks of an entry, as bits."""
        return int(self._checked("dflag", number, number + 1)[0])

    def prior(self, number: int) -> float:
        """What is known for an entry whatever is asked: strength, helpful use, links; around 0."""
        return float(self._checked("dprior", number, number + 1)[0])

    def successor(self, number: int) -> int:
        """The entry that corrects this one, or -1."""
        return int(self._checked("dnext", number, number + 1)[0])

    def standing(self, scope: str) -> "list[int]":
        """Entries of a scope worth saying at session start, strongest first."""
        row = self.meta["scopes"].get(scope)
        return list(self._checked("bdoc", row[2], row[3])) if row else []

    # --- triggers -------------------------------------------------------------------------------

    def triggers_of(self, grams: "set[int]") -> "set[int]":
        """Numbers of the triggers whose rarest trigram is among *grams*, and of those that have none."""
        found = set(self._checked("galways", 0, -1))
        keys = self._checked("gkey", 0, -1)
        if not keys:
            return found
        offsets = self._checked("goff", 0, -1)
        numbers = self._view("gtrig")
        size = len(keys)
        if len(grams) * 12 > size:  # a long text: cheaper to walk the keys than to search each
            hits = [at for at, key in enumerate(keys) if key in grams]
        else:
            hits = []
            for gram in grams:
                at = bisect_left(keys, gram)
                if at < size and keys[at] == gram:
                    hits.append(at)
        for at in hits:
            start, end = offsets[at], offsets[at + 1]
            self._checked("gtrig", start, end)
            found.update(numbers[start:end])
        return found

    def trigger(self, number: int) -> "list[Any]":
        """One trigger: entry number, tool, field, pattern, files, unless, severity, needed literals."""
        start, end = self._checked("xoff", number, number + 2)
        value = plainjson.loads(str(self._checked("xtrig", start, end), "utf-8"))
        if not isinstance(value, list):
            raise IndexUnreadable("a trigger of the index is torn")
        return value
