"""What the store without a disk does beside its contract: it notices an editor as a disk would."""

import pytest

from ultan.errors import LibraryMoved
from ultan.library.operation import Change, Operation, digest
from ultan.library.twin import MemoryStore


def test_an_edit_behind_the_librarys_back_changes_the_mark_even_if_the_bytes_are_the_same():
    store = MemoryStore({"global/a.md": "a", "global/b.md": "b"})
    before = store.files().marks
    store.edit("global/a.md", "a")
    after = store.files().marks
    assert after["global/a.md"] != before["global/a.md"]
    assert after["global/b.md"] == before["global/b.md"]


def test_a_file_that_was_deleted_by_hand_is_neither_listed_nor_marked():
    store = MemoryStore({"global/a.md": "a"})
    store.edit("global/a.md", None)
    assert (store.files().paths, dict(store.files().marks), store.read("global/a.md")) == ((), {}, None)


def test_an_edit_wins_over_a_change_that_did_not_know_of_it():
    store = MemoryStore({"global/a.md": "a"})
    store.edit("global/a.md", "mine")
    with pytest.raises(LibraryMoved):
        store.commit(Operation(), [Change("global/a.md", digest(b"a"), b"theirs")])
    assert store.read("global/a.md") == b"mine"
    assert store.operations() == []
