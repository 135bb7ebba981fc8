"""Whole arrays of integers: what is different, where it stands, where stretches begin.

A compile works on these instead of on entries: one pass over sorted integers is what a processor
does best. For the slow side alone; a hook loads no numpy.
"""

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray


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


def is_among(values: "NDArray[np.uint64]", known: "NDArray[np.uint64]") -> "NDArray[np.bool_]":
    """Which of *values* the sorted *known* holds."""
    if not len(known):
        return np.zeros(len(values), bool)
    found: NDArray[np.bool_] = known[np.minimum(np.searchsorted(known, values), len(known) - 1)] == values
    return found


def edges(many: bytes) -> "NDArray[np.int64]":
    """Where stretches of so *many* (u32) items begin, and where the last ends."""
    sizes = np.frombuffer(many, np.uint32)
    return np.concatenate((np.zeros(1, np.int64), np.cumsum(sizes, dtype=np.int64)))


def running(many: bytes) -> bytes:
    """The same as the index holds them, u32."""
    return edges(many).astype(np.uint32).tobytes()


def offsets(numbers: "NDArray[np.uint64]", size: int) -> bytes:
    """Where each of *size* numbers begins in the sorted *numbers*, and where the last ends, as the index holds them."""
    counts = np.bincount(numbers.view(np.int64), minlength=size)
    return np.concatenate(([0], np.cumsum(counts))).astype(np.uint32).tobytes()


def directory(keys: "NDArray[np.uint64]") -> bytes:
    """Where the keys of each first byte begin."""
    firsts = np.arange(256, dtype=np.uint64) << np.uint64(56)
    return np.append(np.searchsorted(keys, firsts), len(keys)).astype(np.uint32).tobytes()
