import os

from ultan.encoders.hashing import HashingEncoder
from ultan.library.entry import Entry
from ultan.library.rendering import render
from ultan.library.store import FileStore
from ultan.recall.columns import path_of
from ultan.recall.index import open_index
from ultan.settings import Settings
from ultan.verbs.desk import Desk
from ultan.verbs.rebuild import rebuild

NOW = 1_780_000_000.0


def desk(root: str, encoder: str, count: int) -> Desk:
    for at in range(count):
        one = Entry(f"global/e{at}", f"Rule {at}", "convention", "global", "2026-01-01", "2026-01-01", body="testing tested tests\n")
        os.makedirs(os.path.join(root, "knowledge", "global"), exist_ok=True)
        with open(os.path.join(root, "knowledge", one.path), "w", encoding="utf-8") as file:
            file.write(render(one))
    return Desk(root, FileStore(root), Settings({"encoder.name": encoder}), NOW)


def test_the_new_index_has_near_terms_and_tells_its_steps(tmp_path):
    root, steps = str(tmp_path), []
    rebuilt = rebuild(desk(root, "hashing", 12), lambda name, done, total: steps.append((name, done, total)))
    assert (rebuilt.entries, rebuilt.encoder, rebuilt.lacks) == (12, HashingEncoder.name, "")
    assert open_index(root).meta["attuned"] is True
    assert {name for name, _, _ in steps} >= {"word vectors", "near terms"}
    assert all(done <= total for _, done, total in steps)


def test_without_a_model_it_finds_by_words_and_says_so(tmp_path, monkeypatch):
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.setenv("HF_HOME", str(tmp_path / "hub"))
    root = str(tmp_path)
    rebuilt = rebuild(desk(root, "transformer", 12))
    assert rebuilt.encoder == ""
    assert rebuilt.lacks
    assert open_index(root).size == 12


def test_what_was_kept_is_dropped(tmp_path):
    root = str(tmp_path)
    os.makedirs(os.path.dirname(path_of(root)))
    with open(path_of(root), "wb") as file:
        file.write(b"of an earlier compile")
    rebuild(desk(root, "hashing", 1))
    assert not os.path.exists(path_of(root))
