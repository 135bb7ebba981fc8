"""Random kills, a few in the quick tests and more in the slow ones; ``kills.py`` does as many as one likes."""

import kills
import pytest


def test_a_capture_that_was_acknowledged_is_in_the_queue_whatever_was_killed(record_property):
    row = kills.captures(25, seed=1)
    record_property("trials", row["trials"])
    assert row["killed"] >= 3, row
    assert row["failures"] == 0, row


def test_a_curator_killed_at_random_ends_where_an_uninterrupted_one_ends(record_property):
    row = kills.curators(5, seed=1)
    record_property("trials", row["trials"])
    assert row["killed"] >= 3, row
    assert row["failures"] == 0, row


@pytest.mark.long
@pytest.mark.parametrize("seed", [2, 3])
def test_hundreds_of_kills_lose_nothing(seed, record_property):
    rows = [kills.captures(100, seed), kills.curators(60, seed)]
    record_property("trials", sum(row["trials"] for row in rows))
    assert [row["failures"] for row in rows] == [0, 0], rows
