"""One suite for every store; the numbers are the invariants in ``ultan/library/store.py``."""

import pytest

from ultan.errors import LibraryError, LibraryMoved, OutsideLibrary
from ultan.library.operation import Change, Operation, digest
from ultan.library.store import FileStore
from ultan.library.twin import MemoryStore

STORES = {"memory": lambda _folder: MemoryStore(), "files": lambda folder: FileStore(str(folder))}


@pytest.fixture(params=STORES)
def store(request, tmp_path):
    return STORES[request.param](tmp_path)


def put(store, path, text, **record):
    data = None if text is None else text.encode()
    return store.commit(Operation(at=1.0, by="test", **record), [Change(path, digest(store.read(path)), data)])


def test_an_empty_library_has_nothing(store):
    assert store.files().paths == ()
    assert store.read("global/a.md") is None
    assert store.operations() == []


def test_what_is_committed_is_read_back(store):
    put(store, "global/a.md", "one")
    put(store, "@pending/0001-x.json", "{}")
    assert store.read("global/a.md") == b"one"
    assert store.files().paths == ("@pending/0001-x.json", "global/a.md")


def test_a_file_is_removed_and_stays_in_history(store):
    """Invariant 9."""
    put(store, "global/a.md", "one")
    put(store, "global/a.md", None)
    assert store.files().paths == ()
    assert store.past(digest(b"one")) == b"one"


def test_every_version_stays_in_history(store):
    """Invariant 9."""
    for text in ("one", "two", "three"):
        put(store, "global/a.md", text)
    assert [store.past(change.after) for each in store.operations() for change in each.changes] == [b"one", b"two", b"three"]


def test_derived_text_is_not_kept_in_history(store):
    store.commit(Operation(at=1.0), [Change("index.md", "", b"listing", keep=False)])
    assert store.read("index.md") == b"listing"
    with pytest.raises(LibraryError):
        store.past(digest(b"listing"))


def test_history_says_what_it_does_not_have(store):
    for name in ("0" * 64, "../../etc/passwd", ""):
        with pytest.raises(LibraryError):
            store.past(name)


def test_operations_are_numbered_and_chained(store):
    made = [put(store, "global/a.md", text, why=text) for text in ("one", "two", "three")]
    log = store.operations()
    assert log == made
    assert [each.number for each in log] == [1, 2, 3]
    assert [each.prev for each in log] == ["", log[0].digest, log[1].digest]
    assert all(each.sealed() == each.digest for each in log)


def test_a_record_comes_back_with_all_it_said(store):
    record = Operation(
        at=1.5, by="scholar", why="w", session="s", actions=(("create", "a", "n"),), refusals=(("merge", "b", "r"),),
        events=("e",), adopted={"x": "1"}, foreign={"y": "2"}, undoes=3,
    )  # fmt: skip
    store.commit(record, [Change("global/a.md", "", b"x")])
    found = store.operations()[0]
    assert (found.at, found.by, found.actions, found.refusals, found.events) == (1.5, "scholar", record.actions, record.refusals, ("e",))
    assert (found.adopted, found.foreign, found.undoes) == ({"x": "1"}, {"y": "2"}, 3)


def test_a_file_that_is_not_as_expected_is_left_alone(store):
    """Invariant 4."""
    put(store, "global/a.md", "one")
    with pytest.raises(LibraryMoved):
        store.commit(Operation(at=1.0), [Change("global/b.md", "", b"x"), Change("global/a.md", digest(b"other"), b"two")])
    assert store.files().paths == ("global/a.md",)
    assert store.read("global/a.md") == b"one"
    assert len(store.operations()) == 1


def test_a_plan_for_another_number_is_refused(store):
    put(store, "global/a.md", "one")
    with pytest.raises(LibraryMoved):
        store.commit(Operation(number=1, at=1.0), [Change("global/b.md", "", b"x")])


def test_the_lock_may_be_nested(store):
    with store.lock(), store.lock():
        put(store, "global/a.md", "one")
    assert store.read("global/a.md") == b"one"


BAD_PATHS = [
    "", ".", "..", "/etc/passwd", "../x.md", "global/../../x.md", "global/..", "global//x.md", "global/x.md/", "./global/x.md",
    "global/./x.md", ".git/config", "global/.hidden.md", "global/x\0.md", "global/x\n.md", "global/x\x1b.md", "global\\x.md",
    "..\\x.md", "C:/x.md", "c:x.md", "global/x.md.", "global/x.md ", " global/x.md", "global/ x.md", "global/trailing /x.md",
    "@pending/../knowledge/x.md", "@pending/", "@other/x.json", "@/x", "global/\u202ex.md", "global/\u200bx.md", "a" * 500,
    "global/%00\0", "//server/share", "~/x.md\0", "global/\ud800.md", "@pending/.x", "global/x.md\r", "global/\x7f.md", "\ufeff/x.md",
    "../knowledge-evil/x.md", "...", "global/...", "projects/../global/x.md", "/", "//", "@pending//x", "@pending/a/../b",
]  # fmt: skip


@pytest.mark.parametrize("path", BAD_PATHS)
def test_no_path_leaves_the_library(store, path):
    """Invariant 5."""
    with pytest.raises(OutsideLibrary):
        store.commit(Operation(at=1.0), [Change(path, "", b"x")])
    with pytest.raises(OutsideLibrary):
        store.read(path)
    assert store.operations() == []
