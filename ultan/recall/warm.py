"""The same question answered with models in memory: more signals for ``ranking.rank``, nothing else.

Vectors of entries are kept beside the index by the digest of their text, so that a new generation
embeds only what changed.
"""

import hashlib
import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ultan import home
from ultan.errors import ModelUnavailable

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ultan.encoders import Encoder
    from ultan.recall.index import Index
    from ultan.recall.ranking import Query

PROMPT_CHARS = 1500  # an encoder reads no more; the rest only dilutes
DIGEST_BYTES = 16


class Warm:
    """An index with the vectors of its entries.

    Attributes:
        index: the generation the vectors belong to; numbers of entries are its numbers.
    """

    def __init__(self, index: "Index", encoder: "Encoder", folder: str = "") -> None:
        """Embed what *folder* does not hold yet, and keep it there."""
        self.index, self.encoder = index, encoder
        cards = [index.card(number) for number in range(index.size)]
        heads = [". ".join((card.title, *card.cues)) if card.title or card.cues else card.rule for card in cards]
        bodies = [f"{card.title}. {card.rule} {card.body}".strip(". ") for card in cards]
        cues = [cue for card in cards for cue in card.cues]
        self._owner = np.array([card.number for card in cards for _ in card.cues], np.int64)
        self._own_cues = np.array([bool(card.cues) for card in cards])
        vectors = kept_vectors([*heads, *bodies, *cues], encoder, folder)
        size = index.size
        self._heads, self._bodies, self._cues = vectors[:size], vectors[size : 2 * size], vectors[2 * size :]

    def signals(self, query: "Query") -> dict[str, dict[int, float]]:
        """The signals that need a model: name → entry number → score, for entries in scope."""
        text = query.text[:PROMPT_CHARS].strip()
        if not text or not self.index.size:
            return {}
        row = checked(self.encoder.encode([text], query=True), 1, self.encoder.dimension)[0]
        best = np.zeros(self.index.size, np.float32)
        if len(self._owner):
            np.maximum.at(best, self._owner, self._cues @ row)
        heads, bodies = self._heads @ row, self._bodies @ row
        # An entry without cues is judged by its head: absence of a cue is no evidence against it.
        best = np.where(self._own_cues, best, heads)
        found: dict[str, dict[int, float]] = {}
        for name, scores in (("meaning", heads), ("body", bodies), ("best_cue", best)):
            found[name] = {
                number: float(scores[number])
                for low, high in self.index.ranges(query.project)
                for number in range(low, high)
            }
        return found


def checked(rows: "NDArray[np.float32]", count: int, dimension: int) -> "NDArray[np.float32]":
    """*rows* if they are what an encoder owes: one finite vector per text, of the declared dimension.

    Raises:
        ModelUnavailable: anything else; the answer is then given without a model.
    """
    if rows.shape != (count, dimension) or not np.isfinite(rows).all():
        raise ModelUnavailable(f"the encoder gave {rows.shape} for {count} texts of {dimension} dimensions, or no numbers")
    return rows


def kept_vectors(texts: Sequence[str], encoder: "Encoder", folder: str) -> "NDArray[np.float32]":
    """float32 (texts, dimension); read from *folder* where known, else computed and kept there."""
    digests = [hashlib.blake2b(text.encode("utf-8", "replace"), digest_size=DIGEST_BYTES).digest() for text in texts]
    known = _read(folder, encoder)
    missing = {digest: text for digest, text in zip(digests, texts, strict=True) if digest not in known}
    if missing:
        rows = checked(encoder.encode(list(missing.values())), len(missing), encoder.dimension)
        known = {**known, **dict(zip(missing, rows.astype(np.float16), strict=True))}
    if folder and (missing or len(known) > 2 * len(set(digests)) + 1000):
        _write(folder, encoder, {digest: known[digest] for digest in dict.fromkeys(digests)})
    if not texts:
        return np.zeros((0, encoder.dimension), np.float32)
    return np.stack([known[digest] for digest in digests]).astype(np.float32)


def _path(folder: str) -> str:
    return os.path.join(folder, "entries.f16")


def _head(encoder: "Encoder") -> bytes:
    return f"ultan vectors 1 {encoder.name} {encoder.dimension}\n".encode()


def _read(folder: str, encoder: "Encoder") -> Mapping[bytes, Any]:
    if not folder:
        return {}
    head = _head(encoder)
    width = DIGEST_BYTES + 2 * encoder.dimension
    try:
        raw = home.read(_path(folder))
    except OSError:
        return {}
    body = memoryview(raw)[len(head) + 16 :]
    if not raw.startswith(head) or len(body) % width:
        return {}  # of another encoder, or torn: computed anew
    if hashlib.blake2b(body, digest_size=16).digest() != raw[len(head) : len(head) + 16]:
        return {}
    found = {}
    for at in range(0, len(body), width):
        found[bytes(body[at : at + DIGEST_BYTES])] = np.frombuffer(body[at + DIGEST_BYTES : at + width], np.float16)
    return found


def _write(folder: str, encoder: "Encoder", known: Mapping[bytes, Any]) -> None:
    body = b"".join(digest + np.asarray(row, np.float16).tobytes() for digest, row in known.items())
    home.make_folder(folder)
    home.write(_path(folder), _head(encoder) + hashlib.blake2b(body, digest_size=16).digest() + body, durable=False)
