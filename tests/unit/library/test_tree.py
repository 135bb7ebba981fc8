"""The tree: no link leads out of it, and what is no plain file is passed over."""

import os

import pytest

from ultan.errors import OutsideLibrary
from ultan.library.operation import Change, Operation, digest
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


def test_a_symbolic_link_is_neither_read_nor_written_through(store, tmp_path):
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "secret.md").write_text("secret")
    os.symlink(outside, under(store, "global/link"))
    os.symlink(outside / "secret.md", under(store, "global/s.md"))
    listing = store.files()
    assert listing.paths == ("global/a.md",)
    assert {path for path, _ in listing.skipped} == {"global/link", "global/s.md"}
    for path in ("global/link/secret.md", "global/s.md", "global/link/new.md"):
        with pytest.raises(OutsideLibrary):
            store.read(path)
        with pytest.raises(OutsideLibrary):
            store.commit(Operation(at=1.0), [Change(path, "", b"x")])
    assert os.listdir(outside) == ["secret.md"]


def test_a_link_that_leads_in_a_circle_ends(store):
    os.symlink(under(store, "global"), under(store, "global/again"))
    assert store.files().paths == ("global/a.md",)


def test_the_home_itself_may_be_a_link(tmp_path):
    (tmp_path / "real").mkdir()
    os.symlink(tmp_path / "real", tmp_path / "home")
    put(FileStore(str(tmp_path / "home")), "global/a.md", "x")
    assert FileStore(str(tmp_path / "real")).read("global/a.md") == b"x"


def test_special_files_and_hard_links_are_passed_over(store):
    os.mkfifo(under(store, "global/pipe.md"))
    os.link(under(store, "global/a.md"), under(store, "global/b.md"))
    listing = store.files()
    assert listing.paths == ()
    assert [path for path, _ in listing.skipped] == ["global/a.md", "global/b.md", "global/pipe.md"]


def test_hidden_files_and_other_kinds_are_nobody_s_business(store):
    for name in (".obsidian", ".git"):
        os.makedirs(under(store, name))
        with open(under(store, f"{name}/x.md"), "w") as file:
            file.write("x")
    with open(under(store, "global/picture.png"), "w") as file:
        file.write("x")
    assert store.files().paths == ("global/a.md",)
