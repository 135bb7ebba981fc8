import os

import pytest

from ultan.errors import UltanError
from ultan.recall.kept import Kept, digest_of

ONE, TWO = digest_of("one"), digest_of("two")


@pytest.fixture
def path(tmp_path) -> str:
    return str(tmp_path / "v" / "rows.kept")


def test_rows_come_back_by_the_digest_of_their_text(path) -> None:
    Kept(path, "a").add({ONE: b"first", TWO: b""})
    again = Kept(path, "a")
    assert (bytes(again.get(ONE)), bytes(again.get(TWO)), again.get(digest_of("three"))) == (b"first", b"", None)
    assert ONE in again
    assert len(again) == 2


def test_rows_of_another_owner_are_never_read_and_give_way(path) -> None:
    Kept(path, "a").add({ONE: b"first"})
    other = Kept(path, "b")
    assert other.get(ONE) is None
    other.add({TWO: b"second"})
    assert Kept(path, "a").get(ONE) is None
    assert bytes(Kept(path, "b").get(TWO)) == b"second"


def test_what_is_added_costs_what_it_is_long(path) -> None:
    kept = Kept(path, "a")
    kept.add({ONE: b"x" * 100_000})
    before = os.stat(path)
    kept.add({TWO: b"y"})
    after = os.stat(path)
    assert after.st_ino == before.st_ino
    assert after.st_size - before.st_size < 100
    assert bytes(kept.get(ONE)) == b"x" * 100_000
    assert bytes(kept.get(TWO)) == b"y"


@pytest.mark.parametrize("cut", range(1, 40, 3))
def test_a_torn_end_costs_the_last_row_and_nothing_that_follows(path, cut) -> None:
    Kept(path, "a").add({ONE: b"first"})
    size = os.path.getsize(path)
    Kept(path, "a").add({TWO: b"a longer second row"})
    os.truncate(path, max(size, os.path.getsize(path) - cut))
    kept = Kept(path, "a")
    assert bytes(kept.get(ONE)) == b"first"
    assert kept.get(TWO) is None
    kept.add({TWO: b"again"})
    again = Kept(path, "a")
    assert (bytes(again.get(ONE)), bytes(again.get(TWO))) == (b"first", b"again")


def test_a_row_that_rotted_counts_as_missing_and_is_replaced(path) -> None:
    Kept(path, "a").add({ONE: b"first", TWO: b"second"})
    with open(path, "rb+") as file:
        raw = file.read()
        file.seek(raw.index(b"first"))
        file.write(b"F")
    kept = Kept(path, "a")
    assert kept.get(ONE) is None
    kept.add({ONE: b"first"})
    again = Kept(path, "a")
    assert (bytes(again.get(ONE)), bytes(again.get(TWO))) == (b"first", b"second")


def test_rows_of_texts_long_gone_are_dropped_when_they_are_the_most_part(path) -> None:
    kept = Kept(path, "a")
    kept.add({digest_of(str(number)): b"x" * 50 for number in range(1500)})
    kept.tidy([digest_of("1"), digest_of("2")])
    assert len(kept) == 2
    assert bytes(Kept(path, "a").get(digest_of("2"))) == b"x" * 50
    assert os.path.getsize(path) < 1000


def test_two_who_add_at_once_lose_nothing(path) -> None:
    Kept(path, "a").add({ONE: b"first"})
    one, two = Kept(path, "a"), Kept(path, "a")
    one.add({TWO: b"second"})
    two.add({digest_of("three"): b"third"})
    assert bytes(two.get(ONE)) == b"first"
    again = Kept(path, "a")
    assert [bytes(again.get(digest_of(text))) for text in ("one", "two", "three")] == [b"first", b"second", b"third"]


def test_without_a_path_rows_live_in_memory() -> None:
    kept = Kept("", "a")
    kept.add({ONE: b"first"})
    kept.tidy([])
    kept.rest()
    assert bytes(kept.get(ONE)) == b"first"


def test_letting_go_of_memory_loses_no_row(path) -> None:
    Kept(path, "a").add({ONE: b"first"})
    kept = Kept(path, "a")
    kept.rest()
    assert bytes(kept.get(ONE)) == b"first"


def test_a_folder_that_cannot_be_written_keeps_rows_until_the_end(tmp_path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("x")
    kept = Kept(str(blocked / "rows.kept"), "a")
    with pytest.raises((OSError, UltanError)):
        kept.add({ONE: b"first"})
    assert bytes(kept.get(ONE)) == b"first"
