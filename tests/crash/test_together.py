"""Several processes at one library: nothing is lost, nobody waits for ever, people's edits win."""

import os
import sys

import pytest

from ultan import home
from ultan.errors import LibraryError, StorageFailed
from ultan.library import actions as act
from ultan.library.check import findings
from ultan.library.executor import execute
from ultan.library.snapshot import read_library
from ultan.library.store import FileStore

NOW = 1_780_000_000.0
pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="the others are forks")


def in_forks(*works):
    """Exit states of forked children that do *works* at the same time."""
    children = []
    for work in works:
        child = os.fork()
        if child == 0:
            status = 1
            try:
                work()
                status = 0
            except BaseException as error:  # noqa: BLE001 -- told to the parent by the exit status
                sys.stderr.write(f"{type(error).__name__}: {error}\n")
            finally:
                os._exit(status)
        children.append(child)
    return [os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children]


def rule(number, again):
    return act.Create(folder="global", kind="convention", title=f"Rule {number}-{again}", rule=f"Rule {number} of {again}.")


def test_ten_processes_that_write_at_once_all_land(tmp_path):
    root = home.ensure(str(tmp_path / "home"))

    def write(number):
        for again in range(2):
            execute(FileStore(root), [rule(number, again)], now=NOW, by="person")

    assert in_forks(*(lambda n=n: write(n) for n in range(10))) == [0] * 10
    assert len(read_library(FileStore(root)).entries) == 20
    assert len(FileStore(root).operations()) == 20
    assert findings(root, NOW) == []


def test_ten_processes_that_change_one_entry_at_once_all_count(tmp_path):
    root = home.ensure(str(tmp_path / "home"))
    execute(FileStore(root), [rule(0, 0)], now=NOW, by="person")

    def use(number):
        bump = act.Bump(entry="global/rule-0-0", fired=1)
        execute(FileStore(root), [bump], now=NOW, by="upkeep", events=(f"e{number}",))

    assert in_forks(*(lambda n=n: use(n) for n in range(10))) == [0] * 10
    assert read_library(FileStore(root)).find("rule-0-0").fired == 10


def test_an_editor_at_work_loses_no_line(tmp_path):
    """A person saves again and again, by rename and in place, while operations change the same entry."""
    root = home.ensure(str(tmp_path / "home"))
    execute(FileStore(root), [rule(0, 0)], now=NOW, by="person")
    path = os.path.join(root, "knowledge/global/rule-0-0.md")

    def edit():
        for line in range(12):
            with open(path) as file:
                text = file.read()
            if line % 2:
                with open(path + ".swp", "w") as file:
                    file.write(text + f"line {line}\n")
                os.rename(path + ".swp", path)
            else:
                with open(path, "a") as file:
                    file.write(f"line {line}\n")

    def use():
        for number in range(12):
            try:
                bump = act.Bump(entry="global/rule-0-0", fired=1)
                execute(FileStore(root), [bump], now=NOW, by="upkeep", events=(f"e{number}",))
            except LibraryError:
                continue

    assert in_forks(edit, use) == [0, 0]
    library = read_library(FileStore(root))
    assert library.unreadable == ()
    with open(path) as file:
        text = file.read()
    versions = [text, *(FileStore(root).past(name).decode() for name in os.listdir(os.path.join(root, "history")))]
    for line in range(12):
        assert any(f"line {line}\n" in each for each in versions), f"line {line} is lost"


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root mounts a small disk")
def test_a_full_disk_tears_nothing(tmp_path):
    disk = str(tmp_path / "disk")
    os.mkdir(disk)
    if os.system(f"mount -t tmpfs -o size=160k tmpfs {disk} 2>/dev/null"):
        pytest.skip("no small disk can be mounted here")
    try:
        root = home.ensure(os.path.join(disk, "home"))
        written = 0

        def fill():
            nonlocal written
            while written < 200:
                execute(FileStore(root), [rule(written, 0)], now=NOW, by="person")
                written += 1

        with pytest.raises(StorageFailed, match="cannot be written"):
            fill()
        assert written
        library = read_library(FileStore(root))
        assert library.unreadable == ()
        assert len(library.entries) >= written
        for name in os.listdir(os.path.join(root, "history"))[:20]:
            if not name.startswith("."):
                os.unlink(os.path.join(root, "history", name))  # somebody makes room
        execute(FileStore(root), [rule(999, 0)], now=NOW, by="person")
        assert "global/rule-999-0" in read_library(FileStore(root)).entries
    finally:
        os.system(f"umount -l {disk}")


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root mounts")
def test_a_read_only_library_can_be_read_and_says_so_when_written(tmp_path):
    root = home.ensure(str(tmp_path / "home"))
    execute(FileStore(root), [rule(0, 0)], now=NOW, by="person")
    if os.system(f"mount --bind {root} {root} 2>/dev/null && mount -o remount,ro,bind {root} 2>/dev/null"):
        os.system(f"umount -l {root} 2>/dev/null")
        pytest.skip("nothing can be mounted read-only here")
    try:
        assert list(read_library(FileStore(root)).entries) == ["global/rule-0-0"]
        assert findings(root, NOW) == []
        with pytest.raises(StorageFailed, match="cannot be written"):
            execute(FileStore(root), [rule(1, 0)], now=NOW, by="person")
    finally:
        os.system(f"umount -l {root}")
