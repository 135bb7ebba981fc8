"""Links that are planted, or swapped in while we write: nothing outside the home is read or written.

A racer can only swap what lies below ``knowledge/`` and ``pending/``, where others write too; all
other folders of the home are ours alone, and a link in place of one is named by ``check``.
"""

import contextlib
import os
import shutil
import signal
import sys

import pytest

from ultan import failpoints, home, housekeeping
from ultan.errors import UltanError
from ultan.library import actions as act
from ultan.library.executor import execute
from ultan.library.snapshot import read_library
from ultan.library.store import FileStore

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(__file__)), "journey"))
from stage import Stage

NOW = 1_780_000_000.0
CANARY = "These words lie outside of the library."
pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="the racer is a fork")


def racer(places, outside):
    """A child that swaps each of *places* with a link to *outside*, there and back, until it is killed."""
    child = os.fork()
    if child:
        return child
    try:
        while True:
            for place in places:
                aside = os.path.join(os.path.dirname(os.path.dirname(place)), "aside")
                try:
                    os.rename(place, aside)
                    os.symlink(outside, place)
                    os.unlink(place)
                    os.rename(aside, place)
                except OSError:  # the writer made the folder anew meanwhile: put back what we can
                    shutil.rmtree(aside, ignore_errors=True)
                    if os.path.islink(place):
                        os.unlink(place)
    finally:
        os._exit(0)


def raced(tmp_path, writes):
    """Counts of writes that landed and that were refused, while the folders they go to turn into links and back."""
    root = home.ensure(str(tmp_path / "home"))
    outside = tmp_path / "outside"
    outside.mkdir()
    theirs = {"README.md": CANARY, "rule-1.md": f"---\ntitle: Rule 1\nkind: warn\n---\n\n{CANARY}\n", "note.md": CANARY}
    for name, text in theirs.items():
        (outside / name).write_text(text)
    folders = ("global/deep/er", "global/deep", "projects/shop")
    for folder in folders:
        execute(FileStore(root), [rule(folder, 0)], now=NOW, by="person")
    places = [os.path.join(root, "knowledge", folder) for folder in folders]
    child = racer(places, str(outside))
    landed = refused = 0
    try:
        for number in range(1, writes + 1):
            try:
                receipt = execute(FileStore(root), [rule(folders[number % 3], number)], now=NOW, by="person")
            except UltanError:
                refused += 1
            else:
                landed += bool(receipt.operation)
            for entry in read_library(FileStore(root)).entries.values():
                assert CANARY not in entry.raw
    finally:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
    assert {name: (outside / name).read_text() for name in os.listdir(outside)} == theirs
    return landed, refused


def rule(folder, number):
    return act.Create(folder=folder, kind="convention", title=f"Rule {number}", rule=f"Rule {number} of {folder}.")


def test_a_folder_swapped_for_a_link_while_we_write_leads_nowhere(tmp_path, record_property):
    landed, refused = raced(tmp_path, 15)
    record_property("trials", 15)
    assert landed + refused == 15


@pytest.mark.long
def test_hundreds_of_swapped_folders_lead_nowhere(tmp_path, record_property):
    landed, refused = raced(tmp_path, 400)
    record_property("trials", 400)
    sys.stderr.write(f"of 400 writes {landed} landed and {refused} were refused; none left the library\n")
    assert landed
    assert refused


def link(place, outside):
    os.symlink(outside, place)


def plain_file(place, _outside):
    home.write(place, b"a file where a folder was")


def pipes_inside(place, _outside):
    os.mkdir(place)
    for name in ("rule-1.md", "README.md"):
        os.mkfifo(os.path.join(place, name))


def folders_inside(place, _outside):
    os.makedirs(os.path.join(place, "rule-1.md", "x"))
    os.makedirs(os.path.join(place, "README.md", "x"))


@pytest.mark.parametrize("obstacle", [link, plain_file, pipes_inside, folders_inside])
def test_what_lies_where_a_crash_left_something_unwritten_wedges_nothing(tmp_path, monkeypatch, obstacle):
    root = home.ensure(str(tmp_path / "home"))
    outside = tmp_path / "outside"
    outside.mkdir()
    execute(FileStore(root), [rule("global/deep", 0)], now=NOW, by="person")
    failpoints.passages.clear()
    monkeypatch.setenv("ULTAN_FAILPOINT", "replace@2:raise")  # the commit point has passed, the entry is not there
    with pytest.raises(UltanError):
        execute(FileStore(root), [rule("global/deep", 1)], now=NOW, by="person")
    monkeypatch.delenv("ULTAN_FAILPOINT")
    place = os.path.join(root, "knowledge", "global", "deep")
    os.rename(place, str(tmp_path / "aside"))
    obstacle(place, outside)
    assert list(read_library(FileStore(root)).entries) == []
    execute(FileStore(root), [rule("projects/shop", 2)], now=NOW, by="person")
    assert list(read_library(FileStore(root)).entries) == ["projects/shop/rule-2"]
    assert os.listdir(outside) == []
    log = FileStore(root).operations()
    [unwritten] = [change for change in log[1].changes if change.path == "global/deep/rule-1.md"]
    assert unwritten.path in log[1].skipped
    assert b"Rule 1 of global/deep." in FileStore(root).past(unwritten.after)


@pytest.mark.slow
def test_a_link_or_a_pipe_in_place_of_any_file_of_the_home_is_never_written_through_nor_waited_for(tmp_path, record_property):
    """Each file that a session, a curation and a failure leave behind, one after the other."""
    stage = lived(tmp_path / "first")
    names = sorted(
        os.path.relpath(os.path.join(folder, name), stage.root)
        for folder, _, files in os.walk(stage.root)
        for name in files
        if not os.path.relpath(folder, stage.root).startswith(("history", "queue"))  # names nobody can foresee
    )
    assert {"counters", "library.lock", "curate.lock", "journal/operations.jsonl", "index/library.idx", "activity.json"} <= set(names)
    victim = tmp_path / "victim"
    for place, name in enumerate(names):
        there = Stage(tmp_path / f"linked-{place}")
        target = os.path.join(there.root, name)
        os.makedirs(os.path.dirname(target), exist_ok=True)
        if os.path.lexists(target):
            os.unlink(target)
        victim.write_text(CANARY)
        os.symlink(victim, target)
        live(there)
        assert victim.read_text() == CANARY, name
        if os.path.lexists(target):
            os.unlink(target)
        os.mkfifo(target)
        live(there)
        assert victim.read_text() == CANARY, name
        assert victim.stat().st_mode & 0o777 == 0o644, name
    record_property("trials", len(names))


def lived(place):
    stage = Stage(place)
    live(stage)
    return stage


def live(stage):
    """A session with a rule, a failure, a curation; the next one is primed."""
    with contextlib.suppress(UltanError):
        stage.starts()
        stage.types("From now on always use uv in this repo, never pip.")
        stage.calls("Bash", command="pip install x")
        stage.runs("ls", "a b c")
        stage.answers("Understood.")
        home.trouble(stage.root, "{}")
        housekeeping.log(stage.root, "a line")
        stage.curate()
        stage.types("install requests", session="s2")
        stage.ends("s2")
        stage.curate()
