import numpy as np

from ultan.recall.arrays import directory, distinct, edges, is_among, offsets, places


def u64(*values: int):
    return np.array(values, np.uint64)


def test_different_values_are_sorted_and_each_stands_once() -> None:
    assert distinct(u64(5, 1, 5, 2**63)).tolist() == [1, 5, 2**63]
    assert distinct(u64()).tolist() == []


def test_a_place_is_found_where_first_bits_agree_and_where_all_values_are_small() -> None:
    for known in (u64(1, 2, 3), u64(7, 1 << 62, (1 << 62) + 1, (1 << 62) + 2, 1 << 63)):
        assert places(known, known[::-1]).tolist() == list(range(len(known)))[::-1]


def test_what_is_not_held_is_told_apart() -> None:
    assert is_among(u64(1, 4, 9), u64(4, 9)).tolist() == [False, True, True]
    assert is_among(u64(1), u64()).tolist() == [False]


def test_stretches_begin_where_those_before_end() -> None:
    assert edges(np.array([2, 0, 3], np.uint32).tobytes()).tolist() == [0, 2, 2, 5]
    assert np.frombuffer(offsets(u64(0, 0, 2), 3), np.uint32).tolist() == [0, 2, 2, 3]
    assert np.frombuffer(directory(u64(1, 1 << 56)), np.uint32)[:3].tolist() == [0, 1, 2]
