"""An index in the making: what depends on all entries, computed from whole arrays.

Weights of every term in every entry (BM25F; equal to ``rank-bm25``'s where there is one field, see
``tests/property/test_bm25.py``), links, the rarest trigram of every trigger, the order of standing rules;
then the bytes of the index file. The same entries give the same bytes, whatever was kept from earlier.
"""

import heapq
import struct
import zlib
from array import array
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from operator import attrgetter
from typing import TYPE_CHECKING, Any

import numpy as np

from ultan import plainjson
from ultan.errors import IndexUnreadable
from ultan.recall import columns, mapping, topics
from ultan.recall import index as layout
from ultan.recall import leaves as single
from ultan.recall.arrays import directory, distinct, edges, is_among, offsets, places, running
from ultan.recall.leaves import FIELDS
from ultan.recall.topic import WIDTH

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ultan.encoders import Encoder
    from ultan.library.entry import Entry

K1 = 1.0
# Where texts are long, length tells how wordy their author is and no longer how much they say: the
# length of a field then counts as in plain BM25. Mean lengths in terms from and to which that grows.
LONG_B, SHORT_TEXT, LONG_TEXT = 0.75, 50.0, 150.0
FORWARD_FROM = 2000  # entries from which on a query is answered in two stages
STANDING = 40  # standing rules kept per scope; a briefing shows a dozen
COUNT_BITS, FIELD_BITS = 13, 3  # of a number that is sorted: how often a term stands in a field, and in which


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
        self.words: topics.Words | None = None
        self.vocabulary = np.frombuffer(self.columns.lexicon, np.uint64)
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
        from ultan.recall.near import near_terms, spellings  # noqa: PLC0415 -- an encoder's, not needed by a save

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
        if topics.are_wanted(self.entries):
            self.words = topics.words_of(vocabulary, spelling, encoder, cache_folder)
        self.encoder, self.is_attuned = encoder.name, True

    def carry_over(self, root: str, names: Sequence[str] = (layout.LIVE,)) -> None:
        """Take the near terms of the generations under *root*, as far as their terms are still in use."""
        parts = []
        for name in names:
            try:
                before = layout.open_index(root, name=name)
                if not before.encoder or before.encoder != (self.encoder or before.encoder):
                    continue
                keys, offsets, numbers, sims = before.nearness()
            except IndexUnreadable:
                continue
            key_of = np.frombuffer(keys, np.uint64)
            starts = np.frombuffer(offsets, np.uint32).astype(np.int64)
            sources = np.repeat(key_of, np.diff(starts))
            targets = key_of[np.frombuffer(numbers, np.uint32)]
            alive = is_among(targets, self.vocabulary)
            parts.append(Nearness(sources[alive], targets[alive], np.frombuffer(sims, np.uint8)[alive]))
            self.encoder = before.encoder
            if self.words is None and topics.are_wanted(self.entries):
                self.words = topics.carried(before)
        if parts:
            self.near = parts[0] if len(parts) == 1 else _joined(parts)

    # --- writing --------------------------------------------------------------------------------

    def encoded(self, baked: Mapping[str, Any], fingerprint: str, now: float) -> bytes:
        """The bytes of the index file."""
        sections: dict[str, bytes] = {}
        self._write_terms(sections)
        if self.words is not None:
            topics.add_to(sections, self.words, len(self.entries))
        self._write_entries(sections)
        self._write_triggers(sections)
        sections["meta"] = plainjson.dumps(
            {
                "settings": {key: list(v) if isinstance(v, tuple) else v for key, v in baked.items()},
                "made_at": now, "fingerprint": fingerprint, "encoder": self.encoder, "attuned": self.is_attuned, "entries": len(self.entries),
                "situations": bool(self.columns.situations), "topics": WIDTH if self.words is not None else 0,
                "judged": [sum([entry.fired_helpful for entry in self.entries]), sum([entry.ignored for entry in self.entries])],
                "scopes": self._write_standing(sections),
            }
        ).encode("utf-8")  # fmt: skip
        return assembled(sections)

    def _write_terms(self, sections: dict[str, bytes]) -> None:
        keys = np.frombuffer(self.columns.keys, np.uint64)
        near = distinct(self.near.sources) if self.near is not None else keys[:0]
        words = self.words.keys if self.words is not None else keys[:0]
        known = distinct(np.concatenate((self.vocabulary, distinct(keys), near, words)))
        numbers, docs, weights, is_word = self._postings(known, keys)
        sections["tkey"], sections["tdir"] = known.tobytes(), directory(known)
        sections["toff"] = offsets(numbers, len(known))
        sections["pdoc"], sections["pimp"] = docs.astype(np.uint32).tobytes(), weights.tobytes()
        self._write_near(sections, known)
        sections["foff"] = sections["fterm"] = sections["fimp"] = b""
        if len(self.entries) >= FORWARD_FROM:
            packed = docs << np.uint64(40)
            packed |= numbers << np.uint64(16)
            packed |= weights
            packed = packed[is_word]
            packed.sort()
            sections["foff"] = offsets(packed >> np.uint64(40), len(self.entries))
            sections["fterm"] = (packed >> np.uint64(16) & np.uint64(0xFFFFFF)).astype(np.uint32).tobytes()
            sections["fimp"] = packed.astype(np.uint16).tobytes()

    def _postings(
        self, known: "NDArray[np.uint64]", keys: "NDArray[np.uint64]"
    ) -> "tuple[NDArray[np.uint64], NDArray[np.uint64], NDArray[np.uint16], NDArray[np.bool_]]":
        """Term number, entry number and weight of every posting, in this order; and which are words, not file names.

        One number holds all that is sorted by, so that one plain sort of integers does all the grouping:
        term, entry, field, count, from the highest bits to the lowest. Entry and field together are a cell.
        """
        size, width = len(self.entries), len(FIELDS)
        owners = np.arange(size, dtype=np.uint64) << np.uint64(FIELD_BITS)
        cells = np.repeat(owners, np.frombuffer(self.columns.many_terms, np.uint32))
        cells |= np.frombuffer(self.columns.fields, np.uint8)
        counts = np.frombuffer(self.columns.counts, np.uint16)
        scale = self._scale(cells, counts)
        of_keys = np.repeat(owners | np.uint64(width), np.frombuffer(self.columns.many_keys, np.uint32))

        cell_bits = size.bit_length() + FIELD_BITS
        number_of = places(known, self.vocabulary) << np.uint64(cell_bits + COUNT_BITS)
        packed = number_of[np.frombuffer(self.columns.terms, np.uint32)]
        packed |= cells << np.uint64(COUNT_BITS)
        packed |= counts
        names = places(known, keys) << np.uint64(cell_bits + COUNT_BITS) | of_keys << np.uint64(COUNT_BITS)
        packed = np.concatenate((packed, names))
        packed.sort()

        cell = packed >> np.uint64(COUNT_BITS)
        pair = cell >> np.uint64(FIELD_BITS)
        cell &= np.uint64((1 << cell_bits) - 1)
        first = np.flatnonzero(np.concatenate(([True], pair[1:] != pair[:-1]))) if len(pair) else pair.view(np.int64)
        parts = scale[cell.view(np.int64)]
        packed &= np.uint64((1 << COUNT_BITS) - 1)
        parts *= packed
        summed = np.add.reduceat(parts, first) if len(first) else parts
        pair, cell = pair[first], cell[first]
        is_word = cell & np.uint64((1 << FIELD_BITS) - 1) < width
        return pair >> np.uint64(size.bit_length()), cell >> np.uint64(FIELD_BITS), scaled(saturated(summed)), is_word

    def _scale(self, cells: "NDArray[np.uint64]", counts: "NDArray[np.uint16]") -> "NDArray[np.float64]":
        """What one occurrence of a term weighs in each cell, by the weight of the field and its length."""
        size, width = len(self.entries), len(FIELDS)
        lengths = np.bincount(cells.view(np.int64), weights=counts, minlength=size << FIELD_BITS)
        lengths = lengths.reshape(size, 1 << FIELD_BITS)[:, :width]
        average = lengths.sum(axis=0) / max(1, size)
        average[average == 0.0] = 1.0
        weight, b = (np.array(column) for column in zip(*FIELDS.values(), strict=True))
        b = b + (LONG_B - b) * np.clip((average - SHORT_TEXT) / (LONG_TEXT - SHORT_TEXT), 0.0, 1.0)
        scale = np.zeros((size, 1 << FIELD_BITS))
        scale[:, :width] = weight / (1.0 - b + b * lengths / average)
        return scale.reshape(-1)

    def _write_near(self, sections: dict[str, bytes], known: "NDArray[np.uint64]") -> None:
        sections["noff"] = sections["nterm"] = sections["nsim"] = b""
        if self.near is None or not self.encoder:
            return
        sources = np.searchsorted(known, self.near.sources)
        order = np.argsort(sources, kind="stable")
        sections["noff"] = offsets(sources[order].astype(np.uint64), len(known))
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
        sections["coff"], sections["card"] = running(own.many_card), own.cards
        keys = np.frombuffer(own.names, np.uint64)
        order = np.argsort(keys, kind="stable")
        sections["ikey"], sections["inum"] = keys[order].tobytes(), order.astype(np.uint32).tobytes()

    def _write_standing(self, sections: dict[str, bytes]) -> dict[str, list[int]]:
        scopes: dict[str, list[int]] = {}
        standing = array("I")
        at = 0
        for scope, many in Counter([entry.scope for entry in self.entries]).items():  # each in one stretch, in this order
            chosen = [(rank, number) for number, rank in enumerate(self.columns.standing[at : at + many], at) if rank]
            best = heapq.nlargest(STANDING, reversed(chosen))  # of equal ones the last: they are met first
            scopes[scope] = [at, at + many, len(standing), len(standing) + len(best)]
            standing.extend(number for _, number in best)
            at += many
        sections["bdoc"] = standing.tobytes()
        return scopes

    def _write_triggers(self, sections: dict[str, bytes]) -> None:
        """Triggers, filed under the rarest trigram of each literal they need; without one they are always tried."""
        own = self.columns
        owners = np.repeat(np.arange(len(own.ids)), np.frombuffer(own.many_triggers, np.uint32)).tolist()
        stretches = pairwise(edges(own.many_rest).tolist())
        rows = [b"[%d%b" % (owner, own.rests[start:end]) for owner, (start, end) in zip(owners, stretches, strict=True)]
        sections["xoff"] = running(array("I", map(len, rows)).tobytes())
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
        first = edges(own.many_grams)[:-1][held]
        rarest = np.minimum.reduceat(ranked, first) & np.uint64(0xFFFFFF) if len(first) else ranked[:0]
        owner = triggers[held]
        searched = ~has_none[owner.astype(np.int64)]
        filed = distinct(rarest[searched] << np.uint64(32) | owner[searched])
        keys = distinct(filed >> np.uint64(32))
        first = np.searchsorted(filed >> np.uint64(32), keys)
        sections["gkey"] = keys.astype(np.uint32).tobytes()
        sections["goff"] = np.append(first, len(filed)).astype(np.uint32).tobytes()
        sections["gtrig"] = (filed & np.uint64(0xFFFFFFFF)).astype(np.uint32).tobytes()


def _joined(parts: Sequence[Nearness]) -> Nearness:
    """The near terms of several generations as of one; what two of them say is taken once."""
    sources, targets, sims = (np.concatenate([getattr(part, name) for part in parts]) for name in ("sources", "targets", "sims"))
    order = np.lexsort((targets, -sims.astype(np.int16), sources))
    sources, targets, sims = sources[order], targets[order], sims[order]
    _, first = np.unique(np.stack((sources, targets)), axis=1, return_index=True)
    kept = np.sort(first)
    return Nearness(sources[kept], targets[kept], sims[kept])


def in_order(entries: Iterable["Entry"]) -> list["Entry"]:
    """*entries* as the index numbers them: global ones, then project by project, by id."""
    by_scope: dict[str, list[Entry]] = {}
    for entry in entries:
        by_scope.setdefault(entry.scope, []).append(entry)
    scopes = sorted(by_scope, key=lambda scope: (scope != layout.GLOBAL, scope))
    return [entry for scope in scopes for entry in sorted(by_scope[scope], key=attrgetter("id"))]


def saturated(frequency: "NDArray[np.float64]") -> "NDArray[np.float64]":
    """The part of BM25 that depends on the entry: frequency that counts ever less."""
    weight = frequency * (K1 + 1.0)
    weight /= frequency + K1
    return weight


def scaled(weight: "NDArray[np.float64]") -> "NDArray[np.uint16]":
    """Weights as the sixteen bits stored, never 0."""
    stored = weight * layout.FULL_WEIGHT
    np.rint(stored, out=stored)
    np.maximum(stored, 1.0, out=stored)
    np.minimum(stored, 65535.0, out=stored)
    return stored.astype(np.uint16)


def assembled(sections: Mapping[str, bytes]) -> bytes:
    """The file: header, table, block checksums, sections."""
    parts, rows, at = [], [], 0
    for name, raw in sections.items():
        pad = -len(raw) % 8
        rows.append((name.encode(), at, len(raw), zlib.crc32(raw)))
        parts += [raw, bytes(pad)]
        at += len(raw) + pad
    body = b"".join(parts)
    blocks = memoryview(body)
    sums = array("I", [zlib.crc32(blocks[at : at + mapping.BLOCK]) for at in range(0, len(body), mapping.BLOCK)]).tobytes()
    start = mapping.HEADER.size + (len(sections) + 1) * mapping.ROW.size
    start += -start % 8
    payload = start + len(sums)
    payload += -payload % 8
    rows = [(name, payload + at, size, crc) for name, at, size, crc in rows]
    rows.append((b"blocks", start, len(sums), zlib.crc32(sums)))
    table = b"".join([mapping.ROW.pack(*row, 0) for row in rows])
    head = mapping.HEADER.pack(
        mapping.MAGIC, mapping.FORMAT, mapping.ORDER, payload + len(body), len(rows), start, zlib.crc32(table), 0
    )
    head = head[:-4] + struct.pack("=I", zlib.crc32(head[:-4]))
    front = head + table
    front += bytes(start - len(front)) + sums
    return b"".join((front, bytes(payload - len(front)), body))
