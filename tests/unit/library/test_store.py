"""What only a store on disk can get wrong: links, foreign edits, journals, modes."""

import os
import threading

import pytest

from ultan import home
from ultan.errors import LibraryMoved, StorageFailed
from ultan.library.operation import Change, Operation, decode, digest
from ultan.library.store import FileStore


def put(store, path, text):
    data = None if text is None else text.encode()
    return store.commit(Operation(at=1.0, by="test"), [Change(path, digest(store.read(path)), data)])


@pytest.fixture
def store(tmp_path):
    made = FileStore(str(tmp_path / "home"))
    put(made, "global/a.md", "one")
    return made


def under(store, path):
    return os.path.join(store.root, "knowledge", path)


def test_files_are_for_the_owner_alone(store):
    for folder, folders, names in os.walk(store.root):
        for name in folders:
            assert os.stat(os.path.join(folder, name)).st_mode & 0o777 == 0o700
        for name in names:
            assert os.stat(os.path.join(folder, name)).st_mode & 0o777 == 0o600


def test_nothing_of_a_commit_stays_behind(store):
    assert os.listdir(os.path.join(store.root, "journal")) == ["operations.jsonl"]
    assert not [name for _, _, names in os.walk(store.root) for name in names if name.endswith(".tmp")]


def test_the_operation_log_reads_as_lines_of_json(store):
    with open(os.path.join(store.root, "journal", "operations.jsonl")) as file:
        lines = file.read().splitlines()
    assert [decode(line).number for line in lines] == [1]


def test_an_edit_at_the_last_moment_wins(store):
    """Invariant 4: between planning and writing somebody saved the file."""
    change = Change("global/a.md", digest(b"one"), b"ours")
    with open(under(store, "global/a.md"), "w") as file:
        file.write("theirs")
    with pytest.raises(LibraryMoved):
        store.commit(Operation(at=1.0), [change])
    assert store.read("global/a.md") == b"theirs"


def test_an_edit_during_a_crash_wins_and_is_recorded(store, monkeypatch):
    """Invariants 2 and 4: the commit is finished by the next opener, around the person's edit."""
    from ultan.failpoints import passages

    passages.clear()
    monkeypatch.setenv("ULTAN_FAILPOINT", "move@1:raise")
    with pytest.raises(StorageFailed):
        store.commit(
            Operation(at=1.0), [Change("global/a.md", digest(b"one"), b"ours"), Change("global/b.md", "", b"new")]
        )
    monkeypatch.delenv("ULTAN_FAILPOINT")
    assert store.read("global/b.md") is None  # before the commit point: nothing happened
    draft = os.path.join(store.root, "journal", "00000002.tmp")
    os.rename(draft, draft.removesuffix(".tmp"))  # as if the crash had come just after it
    with open(under(store, "global/a.md"), "w") as file:
        file.write("theirs")
    again = FileStore(store.root)
    assert (again.read("global/a.md"), again.read("global/b.md")) == (b"theirs", b"new")
    assert again.operations()[-1].skipped == ("global/a.md",)
    assert again.past(digest(b"ours")) == b"ours"


@pytest.mark.parametrize("left", [None, b"", b"# A", b"\0" * 7, b"old"])
def test_derived_text_that_a_power_cut_took_is_written_again_from_the_journal(store, left, monkeypatch):
    """Invariant 1: between commit point and log the disk may hold the old text, a part of the new, or nothing."""
    from ultan.failpoints import passages

    kept = (Change("README.md", "", b"old", keep=False),) if left == b"old" else ()
    store.commit(Operation(at=1.0), kept)
    passages.clear()
    monkeypatch.setenv("ULTAN_FAILPOINT", "append@1:raise")  # everything is in place, nothing is logged
    with pytest.raises(StorageFailed):
        store.commit(Operation(at=2.0), [Change("README.md", digest(b"old") if kept else "", b"# A list\n", keep=False)])
    monkeypatch.delenv("ULTAN_FAILPOINT")
    path = under(store, "README.md")
    if left is None:
        os.unlink(path)
    else:
        home.write(path, left)
    again = FileStore(store.root)
    assert again.read("README.md") == b"# A list\n"
    assert again.operations()[-1].skipped == ()


def test_derived_text_that_a_person_changed_meanwhile_stays_theirs(store, monkeypatch):
    from ultan.failpoints import passages

    passages.clear()
    monkeypatch.setenv("ULTAN_FAILPOINT", "append@1:raise")
    with pytest.raises(StorageFailed):
        store.commit(Operation(at=2.0), [Change("README.md", "", b"# A list\n", keep=False)])
    monkeypatch.delenv("ULTAN_FAILPOINT")
    home.write(under(store, "README.md"), b"# My words\n")
    again = FileStore(store.root)
    assert again.read("README.md") == b"# My words\n"
    assert again.operations()[-1].skipped == ("README.md",)


def test_a_torn_log_is_cut_back_to_its_last_whole_line(store):
    path = os.path.join(store.root, "journal", "operations.jsonl")
    with open(path, "ab") as file:
        file.write(b'{"v":1,"number":2')
    again = FileStore(store.root)
    put(again, "global/b.md", "two")
    assert [each.number for each in again.operations()] == [1, 2]


def test_a_journal_folder_whose_record_is_gone_is_dropped(store):
    place = os.path.join(store.root, "journal", "00000009")
    os.makedirs(place)
    home.write(os.path.join(place, "0"), b"left")
    FileStore(store.root)
    assert os.listdir(os.path.join(store.root, "journal")) == ["operations.jsonl"]


def test_emptied_folders_go_and_the_top_ones_stay(store):
    put(store, "global/deep/er/b.md", "x")
    put(store, "global/deep/er/b.md", None)
    put(store, "global/a.md", None)
    assert os.listdir(under(store, "")) == ["global"]
    assert os.listdir(under(store, "global")) == []


def test_a_disk_that_says_no_is_said_in_one_line(tmp_path):
    (tmp_path / "knowledge").write_text("a file where the folder should be")
    with pytest.raises(StorageFailed) as caught:
        put(FileStore(str(tmp_path)), "global/a.md", "x")
    assert "\n" not in str(caught.value)


def test_writers_at_once_lose_nothing(store):
    """Every writer that was refused tries again; all land, in one chain."""

    def write(name):
        mine = FileStore(store.root)
        for number in range(4):
            put(mine, f"global/{name}-{number}.md", name)

    threads = [threading.Thread(target=write, args=(name,)) for name in "bcde"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    log = FileStore(store.root).operations()
    assert [each.number for each in log] == list(range(1, 18))
    assert len(store.files().paths) == 17
