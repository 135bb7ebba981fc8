"""Library → a new index generation, then one rename.

What a hook would otherwise compute is computed here: the weights of every term in every entry
(BM25F; equal to ``rank-bm25``'s where there is one field, see ``tests/property/test_bm25.py``),
near terms from an encoder, cards, the literals that triggers need, the order of standing rules.

What an entry becomes on its own is a leaf (``leaves``), kept from one compile to the next; what depends
on all of them is computed here from whole arrays, so that a compile after one change gives byte for
byte what a compile from nothing gives (``tests/property/test_incremental.py``).
"""

import gc
import heapq
import os
import struct
import zlib
from array import array
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import pairwise
from operator import attrgetter
from typing import TYPE_CHECKING, Any

import numpy as np

from ultan import home, plainjson
from ultan.encoders import load as load_encoder
from ultan.errors import IndexUnreadable
from ultan.library import memo
from ultan.recall import columns
from ultan.recall import index as layout
from ultan.recall import leaves as single
from ultan.recall.index import Index
from ultan.recall.leaves import FIELDS
from ultan.recall.text import spelled

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ultan.encoders import Encoder
    from ultan.library.entry import Entry
    from ultan.library.snapshot import Library
    from ultan.settings import Settings

K1 = 1.0
FORWARD_FROM = 2000  # entries from which on a query is answered in two stages
ATTUNED_FROM = 12  # entries; before that half a minute of work for near terms finds nothing that words do not
STANDING = 40  # standing rules kept per scope; a briefing shows a dozen
COUNT_BITS, FIELD_BITS = 13, 3  # of a number that is sorted: how often a term stands in a field


@dataclass(frozen=True, slots=True)
class Generation:
    """What a compile made: where it lies, how large it is, and what it could not use."""

    path: str
    entries: int
    terms: int
    triggers: int
    size_bytes: int
    fingerprint: str
    encoder: str
    switched_off: tuple[tuple[str, str], ...]  # (entry id, why its trigger cannot be used)


def compile(  # noqa: A001 -- the word of the glossary
    library: "Library",
    root: str,
    settings: "Settings",
    encoder: "Encoder | None" = None,
    now: float = 0.0,
    progress: Callable[[str, int, int], None] | None = None,
) -> Generation:
    """The index generation made from *library* and published under the home *root*.

    Without an encoder the near terms of the generation before are carried over: a save must not
    wait for a model. ``attune`` brings them up to date in the background.
    """
    foreign = set(library.foreign)
    entries = list(library.entries.values())
    if foreign:
        entries = [entry for entry in entries if entry.path not in foreign and entry.id not in foreign]
    with _without_collector():
        is_large = len(entries) >= columns.KEPT_FROM
        draft = Draft(
            entries, progress, library.digests if is_large else {}, columns.kept(root) if is_large else None
        )
        if encoder is not None:
            draft.add_near_terms(encoder, os.path.join(root, "index"))
        else:
            draft.carry_over(root)
        raw = draft.encoded(settings.baked(), library.fingerprint, now)
    path = layout.path_of(root)
    home.make_folder(os.path.dirname(path))
    home.write(path, raw)
    if is_large and draft.made > columns.SPARE:
        columns.keep(root, draft.columns)
    memo.keep(root, library)
    return Generation(
        path, len(entries), draft.term_count, draft.trigger_count, len(raw), library.fingerprint,
        draft.encoder, tuple(draft.switched_off),
    )  # fmt: skip


@contextmanager
def _without_collector() -> Iterator[None]:
    """No search for cycles meanwhile: a hundred thousand small objects are made, and none of them in a ring."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def attune(
    read: "Callable[[], Library]", root: str, settings: "Settings", now: float,
    progress: Callable[[str, int, int], None] | None = None,
) -> Generation | None:  # fmt: skip
    """A generation whose near terms are all of today's encoder; ``None`` if there is nothing to gain.

    Nothing is to gain where the index is already so, or the library smaller than ``ATTUNED_FROM``.

    Meant for the background: words are embedded first, which may take a minute on a fresh machine,
    then the library is read again, so that nothing saved meanwhile is lost.

    Raises:
        ModelUnavailable: the encoder or its weights are not here; the index stays as it is.
    """
    encoder = load_encoder(settings)
    library = read()
    if len(library.entries) < ATTUNED_FROM or is_attuned(root, encoder.name, library.fingerprint):
        return None
    embed_words(list(library.entries.values()), encoder, os.path.join(root, "index"), progress)
    library = read()
    made = compile(library, root, settings, encoder, now, progress)
    latest = read()
    return made if latest.fingerprint == library.fingerprint else compile(latest, root, settings, None, now)


def is_attuned(root: str, encoder: str, fingerprint: str) -> bool:
    """Whether the index under *root* is whole, of this library, and its near terms of this encoder."""
    try:
        index = layout.open_index(root, encoder)
    except IndexUnreadable:
        return False
    return index.fingerprint == fingerprint and bool(index.meta.get("attuned"))


def build_from_entries(
    entries: Iterable["Entry"], settings: "Settings", encoder: "Encoder | None" = None, cache: str = ""
) -> Index:
    """An index of *entries* in memory, made by the same steps; for benches and dry runs."""
    draft = Draft(list(entries))
    if encoder is not None:
        draft.add_near_terms(encoder, cache)
    return Index(draft.encoded(settings.baked(), "", 0.0))


@dataclass(frozen=True, slots=True)
class Nearness:
    """Near terms by key: source, target and squared cosine in 255ths; each source in one stretch, nearest first."""

    sources: "NDArray[np.uint64]"
    targets: "NDArray[np.uint64]"
    sims: "NDArray[np.uint8]"


class Draft:
    """An index in the making.

    Attributes:
        entries: in the order of the index; their leaves as ``columns``, ``made`` of them now.
        encoder: whose near terms it holds, or ``""``; ``is_attuned`` whether they are complete.
        switched_off: (entry id, why its trigger cannot be used).
    """

    def __init__(
        self, entries: Sequence["Entry"], progress: Callable[[str, int, int], None] | None = None,
        digests: Mapping[str, str] | None = None, before: columns.Columns | None = None,
    ) -> None:  # fmt: skip
        """Lay out the leaves of *entries*; what *before* holds by the same digest need not be made."""
        self.entries = in_order(entries)
        self.progress = progress
        self.columns, self.made = columns.columns_of(self.entries, digests or {}, before, progress)
        self.encoder = ""
        self.is_attuned = False
        self.near: Nearness | None = None
        self.terms = np.frombuffer(self.columns.terms, np.uint64)
        self.vocabulary = distinct(self.terms)
        self.switched_off = [(id_, reason) for id_, reasons in sorted(self.columns.off.items()) for reason in reasons]

    @property
    def term_count(self) -> int:
        """How many terms the entries hold."""
        return len(self.vocabulary)

    @property
    def trigger_count(self) -> int:
        """How many triggers can be used."""
        return len(self.columns.many_rest) // 4

    # --- near terms -----------------------------------------------------------------------------

    def add_near_terms(
        self, encoder: "Encoder", cache_folder: str = "", progress: Callable[[str, int, int], None] | None = None
    ) -> None:
        """Find, for every term and for common words beside, the terms of the library that mean much the same."""
        from ultan.recall.near import near_terms  # noqa: PLC0415 -- an encoder's, not needed by a save

        vocabulary, spelling = spellings(self.entries)
        near, readers = near_terms(vocabulary, spelling, encoder, cache_folder, progress or self.progress)
        term_of = [layout.term_key(term) for term in vocabulary]
        term_of += [layout.term_key(term) for term, _ in sorted(readers.items(), key=lambda item: item[1])]
        place = {number: layout.term_key(term) for term, number in readers.items()}
        sources, targets, sims = array("Q"), array("Q"), array("B")
        for number, found in near.items():
            source = term_of[number] if number < len(vocabulary) else place[number]
            for other, sim in found:
                sources.append(source)
                targets.append(term_of[other])
                sims.append(min(255, round(sim * 255)))
        self.near = Nearness(np.array(sources, np.uint64), np.array(targets, np.uint64), np.array(sims, np.uint8))
        self.encoder, self.is_attuned = encoder.name, True

    def carry_over(self, root: str) -> None:
        """Take the near terms of the generation under *root*, as far as its terms are still in use."""
        try:
            before = layout.open_index(root)
            if not before.encoder:
                return
            keys, offsets, numbers, sims = before.nearness()
        except IndexUnreadable:
            return
        key_of = np.frombuffer(keys, np.uint64)
        starts = np.frombuffer(offsets, np.uint32).astype(np.int64)
        sources = np.repeat(key_of, np.diff(starts))
        targets = key_of[np.frombuffer(numbers, np.uint32)]
        alive = _is_among(targets, self.vocabulary)
        self.near = Nearness(sources[alive], targets[alive], np.frombuffer(sims, np.uint8)[alive])
        self.encoder = before.encoder

    # --- writing --------------------------------------------------------------------------------

    def encoded(self, baked: Mapping[str, Any], fingerprint: str, now: float) -> bytes:
        """The bytes of the index file."""
        sections: dict[str, bytes] = {}
        self._write_terms(sections)
        self._write_entries(sections)
        self._write_triggers(sections)
        sections["meta"] = plainjson.dumps(
            {
                "settings": {key: list(v) if isinstance(v, tuple) else v for key, v in baked.items()},
                "made_at": now, "fingerprint": fingerprint, "encoder": self.encoder, "attuned": self.is_attuned, "entries": len(self.entries),
                "situations": bool(self.columns.situations),
                "judged": [sum(entry.fired_helpful for entry in self.entries), sum(entry.ignored for entry in self.entries)],
                "scopes": self._write_standing(sections),
            }
        ).encode("utf-8")  # fmt: skip
        return assembled(sections)

    def _write_terms(self, sections: dict[str, bytes]) -> None:
        keys = np.frombuffer(self.columns.keys, np.uint64)
        near = self.near.sources if self.near is not None else keys[:0]
        known = distinct(np.concatenate((self.vocabulary, keys, near)))
        numbers, docs, weights, is_word = self._postings(known, keys)
        sections["tkey"], sections["tdir"] = known.tobytes(), directory(known)
        sections["toff"] = _offsets(numbers, len(known))
        sections["pdoc"], sections["pimp"] = docs.astype(np.uint32).tobytes(), weights.tobytes()
        self._write_near(sections, known)
        sections["foff"] = sections["fterm"] = sections["fimp"] = b""
        if len(self.entries) >= FORWARD_FROM:
            packed = (docs << np.uint64(40) | numbers << np.uint64(16) | weights.astype(np.uint64))[is_word]
            packed.sort()
            sections["foff"] = _offsets(packed >> np.uint64(40), len(self.entries))
            sections["fterm"] = (packed >> np.uint64(16) & np.uint64(0xFFFFFF)).astype(np.uint32).tobytes()
            sections["fimp"] = (packed & np.uint64(0xFFFF)).astype(np.uint16).tobytes()

    def _postings(
        self, known: "NDArray[np.uint64]", keys: "NDArray[np.uint64]"
    ) -> "tuple[NDArray[np.uint64], NDArray[np.uint64], NDArray[np.uint16], NDArray[np.bool_]]":
        """Term number, entry number and weight of every posting, in this order; and which are words, not file names.

        One number holds all that is sorted by, so that one plain sort of integers does all the grouping.
        """
        size, width = len(self.entries), len(FIELDS)
        fields = np.frombuffer(self.columns.fields, np.uint8).astype(np.uint64)
        counts = np.frombuffer(self.columns.counts, np.uint16).astype(np.uint64)
        owners = np.arange(size, dtype=np.uint64)
        docs = np.repeat(owners, np.frombuffer(self.columns.many_terms, np.uint32))
        cells = (docs * np.uint64(width) + fields).astype(np.int64)
        lengths = np.bincount(cells, weights=counts, minlength=size * width).reshape(size, width)
        average = lengths.sum(axis=0) / max(1, size)
        average[average == 0.0] = 1.0
        weight, b = (np.array(column) for column in zip(*FIELDS.values(), strict=True))
        scale = np.zeros((size, width + 1))
        scale[:, :width] = weight / (1.0 - b + b * lengths / average)

        of_keys = np.repeat(owners, np.frombuffer(self.columns.many_keys, np.uint32))
        numbers = places(known, np.concatenate((self.terms, keys)))
        packed = numbers << np.uint64(size.bit_length()) | np.concatenate((docs, of_keys))
        packed = packed << np.uint64(FIELD_BITS) | np.concatenate((fields, np.full(len(keys), width, np.uint64)))
        packed = packed << np.uint64(COUNT_BITS) | np.concatenate((counts, np.zeros(len(keys), np.uint64)))
        packed.sort()
        count = packed & np.uint64((1 << COUNT_BITS) - 1)
        field = packed >> np.uint64(COUNT_BITS) & np.uint64((1 << FIELD_BITS) - 1)
        pair = packed >> np.uint64(COUNT_BITS + FIELD_BITS)
        doc = pair & np.uint64((1 << size.bit_length()) - 1)
        first = np.flatnonzero(np.concatenate(([True], pair[1:] != pair[:-1]))) if len(pair) else pair.astype(np.int64)
        parts = count * scale.reshape(-1)[(doc * np.uint64(width + 1) + field).astype(np.int64)]
        summed = np.add.reduceat(parts, first) if len(first) else parts
        return pair[first] >> np.uint64(size.bit_length()), doc[first], scaled(saturated(summed)), field[first] < width

    def _write_near(self, sections: dict[str, bytes], known: "NDArray[np.uint64]") -> None:
        sections["noff"] = sections["nterm"] = sections["nsim"] = b""
        if self.near is None or not self.encoder:
            return
        sources = np.searchsorted(known, self.near.sources)
        order = np.argsort(sources, kind="stable")
        sections["noff"] = _offsets(sources[order].astype(np.uint64), len(known))
        sections["nterm"] = np.searchsorted(known, self.near.targets[order]).astype(np.uint32).tobytes()
        sections["nsim"] = self.near.sims[order].tobytes()

    def _write_entries(self, sections: dict[str, bytes]) -> None:
        own = self.columns
        number = {id_: at for at, id_ in enumerate(own.ids)}
        linked: Counter[str] = Counter()
        for links in own.links.values():
            linked.update(links)
        priors = np.frombuffer(own.priors, np.float64).copy()
        for id_, count in linked.items():
            if id_ in number:
                priors[number[id_]] += single.links_prior(count)
        successors = np.full(len(number), -1, np.int32)
        for id_, other in own.superseded.items():
            successors[number[id_]] = number.get(other, -1)
        sections["dflag"], sections["dprior"] = own.flags, priors.astype(np.float32).tobytes()
        sections["dnext"] = successors.tobytes()
        sections["coff"], sections["card"] = _running(own.many_card), own.cards
        keys = np.frombuffer(own.names, np.uint64)
        order = np.argsort(keys, kind="stable")
        sections["ikey"], sections["inum"] = keys[order].tobytes(), order.astype(np.uint32).tobytes()

    def _write_standing(self, sections: dict[str, bytes]) -> dict[str, list[int]]:
        scopes: dict[str, list[int]] = {}
        standing = array("I")
        at = 0
        while at < len(self.entries):
            scope = self.entries[at].scope
            end = at
            chosen = []
            while end < len(self.entries) and self.entries[end].scope == scope:
                rank = self.columns.standing[end]
                if rank:
                    chosen.append((rank, end))
                end += 1
            best = heapq.nlargest(STANDING, chosen)
            scopes[scope] = [at, end, len(standing), len(standing) + len(best)]
            standing.extend(number for _, number in best)
            at = end
        sections["bdoc"] = standing.tobytes()
        return scopes

    def _write_triggers(self, sections: dict[str, bytes]) -> None:
        """Triggers, filed under the rarest trigram of each literal they need; without one they are always tried."""
        own = self.columns
        owners = np.repeat(np.arange(len(own.ids)), np.frombuffer(own.many_triggers, np.uint32)).tolist()
        stretches = pairwise(columns.edges(own.many_rest).tolist())
        rows = [b"[%d%b" % (owner, own.rests[start:end]) for owner, (start, end) in zip(owners, stretches, strict=True)]
        sections["xoff"] = _running(array("I", map(len, rows)).tobytes())
        sections["xtrig"] = b"".join(rows)
        many = np.frombuffer(own.many_literals, np.uint32)
        triggers = np.repeat(np.arange(len(rows), dtype=np.uint64), many)
        sizes = np.frombuffer(own.many_grams, np.uint32)
        has_none = np.zeros(len(rows), bool)  # no literal, or one too short for a trigram
        has_none[many == 0] = True
        has_none[triggers[sizes == 0].astype(np.int64)] = True
        sections["galways"] = np.flatnonzero(has_none).astype(np.uint32).tobytes()
        grams = np.frombuffer(own.grams, np.uint32).astype(np.uint64)
        known = distinct(grams)
        place = places(known, grams).astype(np.int64)
        ranked = np.bincount(place, minlength=len(known)).astype(np.uint64)[place] << np.uint64(24) | grams
        held = sizes > 0  # an empty stretch has no least
        first = columns.edges(own.many_grams)[:-1][held]
        rarest = np.minimum.reduceat(ranked, first) & np.uint64(0xFFFFFF) if len(first) else ranked[:0]
        owner = triggers[held]
        searched = ~has_none[owner.astype(np.int64)]
        filed = distinct(rarest[searched] << np.uint64(32) | owner[searched])
        keys = distinct(filed >> np.uint64(32))
        first = np.searchsorted(filed >> np.uint64(32), keys)
        sections["gkey"] = keys.astype(np.uint32).tobytes()
        sections["goff"] = np.append(first, len(filed)).astype(np.uint32).tobytes()
        sections["gtrig"] = (filed & np.uint64(0xFFFFFFFF)).astype(np.uint32).tobytes()


def in_order(entries: Iterable["Entry"]) -> list["Entry"]:
    """*entries* as the index numbers them: global ones, then project by project, by id."""
    by_scope: dict[str, list[Entry]] = {}
    for entry in entries:
        by_scope.setdefault(entry.scope, []).append(entry)
    scopes = sorted(by_scope, key=lambda scope: (scope != layout.GLOBAL, scope))
    return [entry for scope in scopes for entry in sorted(by_scope[scope], key=attrgetter("id"))]


# --- words as they are written --------------------------------------------------------------------


def spellings(entries: Sequence["Entry"]) -> tuple[dict[str, int], dict[str, str]]:
    """The terms of *entries*, numbered, and the commonest word behind each: what an encoder reads."""
    counts: dict[str, Counter[str]] = {}
    for entry in entries:
        for text in single.field_texts(entry).values():
            for term, spelling in spelled(text):
                if term not in counts:
                    counts[term] = Counter()
                counts[term][spelling] += 1
    return {term: at for at, term in enumerate(counts)}, {
        term: min(found, key=lambda word: (-found[word], word)) for term, found in counts.items()
    }


def embed_words(
    entries: Sequence["Entry"], encoder: "Encoder", folder: str, progress: Callable[[str, int, int], None] | None = None
) -> None:
    """Keep the vectors of all words of *entries* in *folder*, so that the next compile need not wait for them."""
    from ultan.recall.near import near_terms  # noqa: PLC0415 -- an encoder's, not needed by a save

    near_terms(*spellings(entries), encoder, folder, progress)


# --- numbers ----------------------------------------------------------------------------------------


def saturated(frequency: "NDArray[np.float64]") -> "NDArray[np.float64]":
    """The part of BM25 that depends on the entry: frequency that counts ever less."""
    return frequency * (K1 + 1.0) / (frequency + K1)


def scaled(weight: "NDArray[np.float64]") -> "NDArray[np.uint16]":
    """Weights as the sixteen bits stored, never 0."""
    return np.clip(np.rint(weight * layout.FULL_WEIGHT), 1, 65535).astype(np.uint16)


def distinct(values: "NDArray[np.uint64]") -> "NDArray[np.uint64]":
    """The different *values*, sorted; sorting integers is what the processor does best."""
    if not len(values):
        return values
    ordered = np.sort(values)
    return ordered[np.concatenate(([True], ordered[1:] != ordered[:-1]))]


def places(known: "NDArray[np.uint64]", values: "NDArray[np.uint64]") -> "NDArray[np.uint64]":
    """Where each of *values* stands in the sorted *known*, which holds them all.

    The first bits of a checksum tell the place but for a step or two: three times as fast as a search.
    """
    bits = max(1, len(known).bit_length())
    shift = np.uint64(64 - bits)
    if not len(known) or known[-1] >> shift == 0:
        return np.searchsorted(known, values).astype(np.uint64)
    begins = np.searchsorted(known, np.arange(1 << bits, dtype=np.uint64) << shift)
    found = begins[(values >> shift).astype(np.int64)]
    wrong = np.flatnonzero(known[found] != values)
    while len(wrong):
        found[wrong] += 1
        wrong = wrong[known[found[wrong]] != values[wrong]]
    return found.astype(np.uint64)


def _is_among(values: "NDArray[np.uint64]", known: "NDArray[np.uint64]") -> "NDArray[np.bool_]":
    if not len(known):
        return np.zeros(len(values), bool)
    found: NDArray[np.bool_] = known[np.minimum(np.searchsorted(known, values), len(known) - 1)] == values
    return found


def _offsets(numbers: "NDArray[np.uint64]", size: int) -> bytes:
    """Where each of *size* numbers begins in the sorted *numbers*, and where the last ends."""
    counts = np.bincount(numbers.astype(np.int64), minlength=size)
    return np.concatenate(([0], np.cumsum(counts))).astype(np.uint32).tobytes()


def _running(many: bytes) -> bytes:
    """Where stretches of so *many* (u32) items begin, and where the last ends, as the index holds them."""
    return columns.edges(many).astype(np.uint32).tobytes()


def directory(keys: "NDArray[np.uint64]") -> bytes:
    """Where the keys of each first byte begin."""
    firsts = np.arange(256, dtype=np.uint64) << np.uint64(56)
    return np.append(np.searchsorted(keys, firsts), len(keys)).astype(np.uint32).tobytes()


def assembled(sections: Mapping[str, bytes]) -> bytes:
    """The file: header, table, block checksums, sections."""
    size = sum(len(raw) + (-len(raw)) % 8 for raw in sections.values())
    blocks = -(-size // layout.BLOCK)
    start = layout.HEADER.size + (len(sections) + 1) * layout.ROW.size
    start += (-start) % 8
    payload = start + blocks * 4
    payload += (-payload) % 8
    body = bytearray()
    rows = []
    for name, raw in sections.items():
        rows.append((name.encode(), payload + len(body), len(raw), zlib.crc32(raw)))
        body += raw
        body += bytes((-len(raw)) % 8)
    sums = array("I", (zlib.crc32(body[at : at + layout.BLOCK]) for at in range(0, len(body), layout.BLOCK))).tobytes()
    rows.append((b"blocks", start, len(sums), zlib.crc32(sums)))
    table = b"".join(layout.ROW.pack(*row, 0) for row in rows)
    head = layout.HEADER.pack(
        layout.MAGIC, layout.FORMAT, layout.ORDER, payload + len(body), len(rows), start, zlib.crc32(table), 0
    )
    head = head[:-4] + struct.pack("=I", zlib.crc32(head[:-4]))
    front = head + table
    front += bytes(start - len(front))
    front += sums
    front += bytes(payload - len(front))
    return bytes(front) + bytes(body)
