import os
import time
from collections.abc import Callable

import pytest

from ultan.library import memo
from ultan.library.check import findings
from ultan.library.entry import Entry, Evidence, Trigger
from ultan.library.rendering import render
from ultan.library.snapshot import NOTHING, Library, read_library
from ultan.library.store import FileStore
from ultan.library.tree import UNSETTLED_NS
from ultan.library.twin import MemoryStore


def written(root: str, count: int) -> str:
    """A home with *count* entries just written."""
    for at in range(count):
        one = Entry(
            f"global/part{at // 50}/e{at:04d}", f"Rule {at}", "convention", "global", "2026-01-01", "2026-01-01", body=f"Body {at}.\n",
            triggers=(Trigger("Bash", r"\bpip\b", unless=("uv",)),), evidence=(Evidence("s", "t", "quoted"),), extra={"mine": ["a", {"b": "c"}]},
        )  # fmt: skip
        path = os.path.join(root, "knowledge", one.path)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(render(one))
    return root


def later() -> int:
    """Ten seconds later than now, when all that was written is at rest."""
    return time.time_ns() + 10 * UNSETTLED_NS


class Spy(FileStore):
    """A store that tells which files were read."""

    def __init__(self, root: str, clock: Callable[[], int]) -> None:
        super().__init__(root, clock=clock)
        self.asked: list[str] = []

    def read(self, path: str) -> bytes | None:
        self.asked.append(path)
        return super().read(path)


def test_unchanged_files_are_not_read_again_by_another_process(tmp_path):
    root = written(str(tmp_path), memo.KEPT_FROM)
    first = read_library(FileStore(root, clock=later))
    memo.keep(root, first)
    store = Spy(root, later)
    assert read_library(store) == first
    assert store.asked == []


def test_a_changed_file_is_read_whatever_its_size_and_time_of_change_say(tmp_path):
    root = written(str(tmp_path), memo.KEPT_FROM)
    memo.keep(root, read_library(FileStore(root, clock=later)))
    path = os.path.join(root, "knowledge", "global/part0/e0007.md")
    before = os.stat(path)
    with open(path, "r+", encoding="utf-8") as file:
        text = file.read().replace("Body 7.", "Eody 7.")
        file.seek(0)
        file.write(text)
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    store = Spy(root, later)
    assert read_library(store).entries["global/part0/e0007"].body == "Eody 7.\n"
    assert store.asked == ["global/part0/e0007.md"]


def test_a_file_just_written_is_not_trusted(tmp_path):
    root = written(str(tmp_path), memo.KEPT_FROM)
    store = Spy(root, time.time_ns)
    assert read_library(store).marks == {}
    read_library(store)
    assert len(store.asked) == 2 * memo.KEPT_FROM


def test_a_process_remembers_what_it_read(tmp_path):
    store = Spy(written(str(tmp_path), 3), later)
    first = read_library(store)
    store.asked.clear()
    assert read_library(store) == first
    assert store.asked == []


def test_checking_trusts_no_snapshot(tmp_path):
    root = written(str(tmp_path), memo.KEPT_FROM)
    memo.keep(root, read_library(FileStore(root, clock=later)))
    store = Spy(root, later)
    assert read_library(store, NOTHING).entries
    assert len(store.asked) == memo.KEPT_FROM
    findings(root)


def test_a_small_library_is_not_kept(tmp_path):
    root = written(str(tmp_path), 3)
    memo.keep(root, read_library(FileStore(root, clock=later)))
    assert not os.path.exists(memo.path_of(root))


@pytest.mark.parametrize("keep", [0, 12, 40, 2000, -1])
def test_a_torn_snapshot_is_as_good_as_missing(tmp_path, keep):
    root = written(str(tmp_path), memo.KEPT_FROM)
    memo.keep(root, read_library(FileStore(root, clock=later)))
    with open(memo.path_of(root), "rb+") as file:
        whole = file.read()
        file.seek(0)
        file.truncate()
        file.write(whole[:keep])
    assert memo.remembered(FileStore(root, clock=later)) == memo.NOTHING


def test_what_is_forgotten_is_gone(tmp_path):
    root = written(str(tmp_path), memo.KEPT_FROM)
    memo.keep(root, read_library(FileStore(root, clock=later)))
    memo.forget(root)
    assert memo.remembered(FileStore(root, clock=later)) == memo.NOTHING


def test_a_store_in_memory_remembers_nothing():
    assert memo.remembered(MemoryStore()) == memo.NOTHING
    memo.note(MemoryStore(), Library({}, {}))
