"""A process ends exactly where the crash suite asks for it, and nowhere else."""

import pytest

from ultan import failpoints


@pytest.fixture(autouse=True)
def fresh():
    failpoints.passages.clear()
    yield
    failpoints.passages.clear()


@pytest.mark.parametrize("wanted", ["", "other", "other@1:raise", ":raise", "sync@0:raise"])
def test_nothing_happens_at_a_point_nobody_named(monkeypatch, wanted):
    monkeypatch.setenv("ULTAN_FAILPOINT", wanted)
    for _ in range(3):
        failpoints.passed("sync")


def test_the_nth_passage_ends_and_no_other(monkeypatch):
    monkeypatch.setenv("ULTAN_FAILPOINT", "sync@2:raise")
    failpoints.passed("sync")
    failpoints.passed("rename")
    with pytest.raises(OSError, match="failpoint sync"):
        failpoints.passed("sync")
    failpoints.passed("sync")


def test_any_counts_every_point(monkeypatch):
    monkeypatch.setenv("ULTAN_FAILPOINT", "any@3:raise")
    failpoints.passed("sync")
    failpoints.passed("rename")
    with pytest.raises(OSError, match="failpoint unlink"):
        failpoints.passed("unlink")
