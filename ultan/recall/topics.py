"""What entries are about, as mean vectors of their words; made by a compile, read by hooks and servers.

For libraries most of whose entries have neither title nor cues, as imports and dialogues have: there
nothing says in other words when an entry matters. Each word has ``WIDTH`` signed bytes, each entry
their mean, weighted by rarity; a question is summed up alike, so that a hook compares them without a model.
"""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ultan.recall import index as layout
from ultan.recall import near
from ultan.recall.signals import USUAL_SIZE
from ultan.recall.topic import WIDTH

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ultan.encoders import Encoder
    from ultan.library.entry import Entry

MOSTLY = 0.5  # of the entries have neither title nor cues
LARGEST = 127.0
AT_ONCE = 65_536  # postings summed at once: 32 MB


class Words(NamedTuple):
    """Words by their key, sorted, and a row of signed bytes for each."""

    keys: "NDArray[np.uint64]"
    rows: "NDArray[np.int8]"


def are_wanted(entries: "Sequence[Entry]") -> bool:
    """Whether most of *entries* have neither title nor cues."""
    bare = sum(not entry.title and not entry.applies_when for entry in entries)
    return bare > MOSTLY * len(entries)


def words_of(
    vocabulary: Mapping[str, int], spelling: Mapping[str, str], encoder: "Encoder", folder: str = ""
) -> Words | None:
    """The rows of the library's words and of common words beside, reduced to the directions that tell words apart."""
    asked = near.asked_beside(vocabulary)
    own = {term: spelling.get(term, term) for term in vocabulary if near.is_word(term)}
    every = {**own, **asked}
    if len(every) <= WIDTH:
        return None
    vectors = near.word_vectors(list(every.values()), encoder, folder, None)
    vectors = vectors - vectors[len(own) :].mean(0) if asked else vectors - vectors.mean(0)
    _, directions = np.linalg.eigh(vectors.T @ vectors)
    keys = np.array([layout.term_key(term) for term in every], np.uint64)
    order = np.argsort(keys)
    return Words(keys[order], signed(vectors[order] @ directions[:, ::-1][:, :WIDTH]))


def carried(before: layout.Index) -> Words | None:
    """The rows of the words of another generation, or ``None``."""
    if not before.meta.get("topics"):
        return None
    rows = np.frombuffer(before.section("tvec"), np.int8).reshape(-1, WIDTH)
    held = rows.any(axis=1)
    return Words(np.frombuffer(before.section("tkey"), np.uint64)[held], rows[held])


def add_to(sections: dict[str, bytes], words: Words, size: int) -> None:
    """Write the rows of words and of *size* entries beside the postings that stand in *sections*."""
    known = np.frombuffer(sections["tkey"], np.uint64)
    rows = np.zeros((len(known), WIDTH), np.int8)
    place = np.minimum(np.searchsorted(known, words.keys), max(0, len(known) - 1))
    here = known[place] == words.keys
    rows[place[here]] = words.rows[here]
    sections["tvec"] = rows.tobytes()
    starts = np.frombuffer(sections["toff"], np.uint32).astype(np.int64)
    holders = np.diff(starts)
    rarity = np.log((max(size, USUAL_SIZE) + 1.0) / (holders + 0.5)).clip(0.0).astype(np.float32)
    docs = np.frombuffer(sections["pdoc"], np.uint32)
    weights = np.frombuffer(sections["pimp"], np.uint16)
    numbers = np.repeat(np.arange(len(holders)), holders)
    order = np.argsort(docs, kind="stable")
    means = np.zeros((size, WIDTH), np.float32)
    units = rows / np.maximum(1.0, np.sqrt((rows.astype(np.float32) ** 2).sum(1, keepdims=True)))
    for start in range(0, len(order), AT_ONCE):
        part = order[start : start + AT_ONCE]
        terms = numbers[part]
        own = units[terms] * (rarity[terms] * weights[part])[:, None]
        first = np.flatnonzero(np.concatenate(([True], docs[part][1:] != docs[part][:-1])))
        means[docs[part][first]] += np.add.reduceat(own, first, axis=0)
    sections["evec"] = signed(means).tobytes()


def signed(rows: "NDArray[np.float32]") -> "NDArray[np.int8]":
    """Each row as signed bytes, its largest number as 127; rows of nothing stay."""
    largest = np.abs(rows).max(axis=1, keepdims=True) if len(rows) else rows
    scaled: NDArray[np.int8] = np.rint(rows * (LARGEST / np.maximum(largest, 1e-9))).astype(np.int8)
    return scaled
