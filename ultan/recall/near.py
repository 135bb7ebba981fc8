"""Near terms: for every word a reader may use, the words of the library that mean much the same.

Computed once from an encoder, so that a hook has semantics without a model: a query word reaches
entries through up to ``MOST`` library terms whose cosine is at least ``FLOOR``, weighted by its square.
Vectors of words are kept beside the index and reused while the encoder stays the same.
"""

import os
import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ultan import home
from ultan.recall.leaves import field_texts
from ultan.recall.text import STOP, spelled, stem

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ultan.encoders import Encoder
    from ultan.library.entry import Entry

MOST = 16
FLOOR = 0.4
CHUNK = 512
LONGEST_WORD = 24
READERS_WORDS = 12_000


def near_terms(
    vocabulary: Mapping[str, int], spelling: Mapping[str, str], encoder: "Encoder", folder: str = "",
    progress: Callable[[str, int, int], None] | None = None,
) -> tuple[dict[int, list[tuple[int, float]]], dict[str, int]]:  # fmt: skip
    """Term number → (library term, squared cosine), nearest first; and the terms that only readers use.

    *vocabulary* are the library's terms, *spelling* the commonest word behind each. Terms that only
    readers use are numbered after the library's.
    """
    own = [term for term in vocabulary if is_word(term)]
    if not own:
        return {}, {}
    asked = asked_beside(vocabulary)
    words = [spelling.get(term, term) for term in own] + list(asked.values())
    vectors = word_vectors(words, encoder, folder, progress)
    library = vectors[: len(own)]
    numbers = np.array([vocabulary[term] for term in own])
    near: dict[int, list[tuple[int, float]]] = {}
    reader_numbers = {term: len(vocabulary) + at for at, term in enumerate(asked)}
    rows = [vocabulary[term] for term in own] + list(reader_numbers.values())
    row_numbers = np.array(rows)
    for start in range(0, len(words), CHUNK):
        part = vectors[start : start + CHUNK] @ library.T
        places, columns = _nearest(part)
        sims, others = part[places, columns], numbers[columns]
        apart = others != row_numbers[start + places]
        places, others, sims = places[apart], others[apart], sims[apart]
        order = np.lexsort((others, -sims, places))
        for place, other, cosine in zip(places[order].tolist(), others[order].tolist(), sims[order].tolist(), strict=True):
            found = near.setdefault(rows[start + place], [])
            if len(found) < MOST:
                found.append((other, min(1.0, cosine * cosine)))
        if progress:
            progress("near terms", min(start + CHUNK, len(words)), len(words))
    return near, {term: number for term, number in reader_numbers.items() if number in near}


def _nearest(part: "NDArray[np.float32]") -> "tuple[NDArray[np.int64], NDArray[np.int64]]":
    """Rows and columns of what may be among the ``MOST`` nearest of each row: its best, itself among them, and their equals.

    Sorting all that lie above ``FLOOR`` took longer than the products themselves: common words have hundreds.
    """
    reach = min(MOST + 1, part.shape[1])
    least = np.partition(part, part.shape[1] - reach, axis=1)[:, part.shape[1] - reach]
    places, columns = np.divmod(np.flatnonzero(part >= np.maximum(least, FLOOR)[:, None]), part.shape[1])
    return places, columns


def embed_words(
    entries: Iterable["Entry"], encoder: "Encoder", folder: str, progress: Callable[[str, int, int], None] | None = None
) -> None:
    """Keep the vectors of all words of *entries* in *folder*, so that the next compile need not wait for them."""
    vocabulary, spelling = spellings(entries)
    own = [spelling.get(term, term) for term in vocabulary if is_word(term)]
    if own:
        word_vectors([*own, *asked_beside(vocabulary).values()], encoder, folder, progress)


def spellings(entries: Iterable["Entry"]) -> tuple[dict[str, int], dict[str, str]]:
    """The terms of *entries*, numbered, and the commonest word behind each: what an encoder reads."""
    counts: dict[str, Counter[str]] = {}
    for entry in entries:
        for text in field_texts(entry).values():
            for term, spelling in spelled(text):
                if term not in counts:
                    counts[term] = Counter()
                counts[term][spelling] += 1
    return {term: at for at, term in enumerate(counts)}, {
        term: min(found, key=lambda word: (-found[word], word)) for term, found in counts.items()
    }


def asked_beside(vocabulary: Mapping[str, int]) -> dict[str, str]:
    """The terms of common words that a reader may use and *vocabulary* lacks, each with the word."""
    asked: dict[str, str] = {}
    for word in readers_words():
        term = stem(word)
        if term not in vocabulary and word not in STOP:
            asked.setdefault(term, word)
    return asked


def readers_words() -> list[str]:
    """Common English words that a library may lack and a reader use, the commonest first."""
    from ultan.encoders.wordpiece import whole_words  # noqa: PLC0415 -- 230 KB, read only here

    return whole_words()[:READERS_WORDS]


def is_word(term: str) -> bool:
    """Whether a term is a word worth a vector: letters, not too long, no key of ours."""
    return term.isalpha() and 2 <= len(term) <= LONGEST_WORD


# --- vectors of words, kept ----------------------------------------------------------------------


def word_vectors(
    words: Sequence[str], encoder: "Encoder", folder: str, progress: Callable[[str, int, int], None] | None
) -> "NDArray[np.float32]":
    """float32 (words, dimension), unit rows; what is known from earlier is read, the rest computed and kept."""
    known, rows = _read(folder, encoder)
    missing = sorted({word for word in words if word not in known})
    if missing:
        encode: Any = getattr(encoder, "encode_words", encoder.encode)
        parts = []
        for start in range(0, len(missing), CHUNK):
            parts.append(encode(missing[start : start + CHUNK]))
            if progress:
                progress("word vectors", min(start + CHUNK, len(missing)), len(missing))
        fresh = np.concatenate(parts).astype(np.float16)
        rows = np.concatenate([rows, fresh]) if len(rows) else fresh
        for word in missing:
            known[word] = len(known)
        _write(folder, encoder, known, rows)
    return rows[[known[word] for word in words]].astype(np.float32)


def _paths(folder: str) -> tuple[str, str]:
    return os.path.join(folder, "words.txt"), os.path.join(folder, "words.f16")


def _read(folder: str, encoder: "Encoder") -> tuple[dict[str, int], "NDArray[np.float16]"]:
    empty = np.zeros((0, encoder.dimension), np.float16)
    if not folder:
        return {}, empty
    names, numbers = _paths(folder)
    try:
        lines = home.read(names).decode("utf-8").split("\n")
        raw = home.read(numbers)
    except (OSError, UnicodeDecodeError):
        return {}, empty
    head = lines[0].split("\t")
    if head != [encoder.name, str(encoder.dimension), str(len(lines) - 1), str(zlib.crc32(raw))]:
        return {}, empty  # of another encoder, or torn: computed anew
    rows = np.frombuffer(raw, np.float16).reshape(len(lines) - 1, encoder.dimension)
    return {word: at for at, word in enumerate(lines[1:])}, rows


def _write(folder: str, encoder: "Encoder", known: Mapping[str, int], rows: "NDArray[np.float16]") -> None:
    if not folder:
        return
    names, numbers = _paths(folder)
    raw = rows.tobytes()
    home.make_folder(folder)
    home.write(numbers, raw, durable=False)
    head = "\t".join((encoder.name, str(encoder.dimension), str(len(known)), str(zlib.crc32(raw))))
    home.write(names, "\n".join((head, *known)).encode("utf-8"), durable=False)
