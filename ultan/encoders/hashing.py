"""A deterministic encoder with nothing to download: character trigrams, hashed; for tests and tiny machines."""

import zlib
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from ultan.recall.text import terms

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ultan.settings import Settings


class HashingEncoder:
    """Texts that share terms, or parts of terms, lie near each other."""

    name = "hashing/1"
    dimension = 256

    @classmethod
    def from_settings(cls, settings: "Settings") -> "HashingEncoder":
        """The encoder; there is nothing to set."""
        del settings
        return cls()

    def encode(self, texts: Sequence[str], *, query: bool = False) -> "NDArray[np.float32]":
        """Unit rows; a text without words is a row of zeros."""
        del query
        rows = np.zeros((len(texts), self.dimension), np.float32)
        for at, text in enumerate(texts):
            for term in terms(text):
                padded = f"^{term}$"
                for start in range(len(padded) - 2):
                    number = zlib.crc32(padded[start : start + 3].encode("utf-8", "replace"))
                    rows[at, number % self.dimension] += 1.0 if number & 0x10000 else -1.0
        lengths = np.linalg.norm(rows, axis=1, keepdims=True)
        scaled: NDArray[np.float32] = (rows / np.maximum(lengths, 1e-9)).astype(np.float32)
        return scaled
