"""What a curator does beside reading: files made by hand, active days, and what faded."""

import os

import pytest

from ultan import home, spool
from ultan.events import Event, Piece
from ultan.library.activity import read_activity
from ultan.library.entry import Entry
from ultan.library.rendering import render
from ultan.library.snapshot import read_library
from ultan.library.store import FileStore
from ultan.recall.index import open_index
from ultan.settings import Settings
from ultan.verbs.chores import fade
from ultan.verbs.curate import curate

NOON = 1_780_000_000.0


@pytest.fixture
def root(tmp_path):
    return home.ensure(str(tmp_path / "home"))


def queue(root, kind, text="", *, session="s1", at=NOON - 100, **more):
    pieces = [Piece(spool.new_id(at), "user", text)] if text else []
    spool.put(root, Event(spool.new_id(at), at, kind, client="claude-code", session=session, project="shop", pieces=pieces, data=more))


def run(root, at=NOON, **more):
    return curate(root, Settings(), now=lambda: at, sleep=lambda _: None, **more)


def by_hand(root, name, age_s=3600.0):
    """A file that no operation made, as old as *age_s* by the curator's clock."""
    entry = Entry(name, "Deploy on Tuesdays", "convention", "global", "2026-01-05", "2026-01-05", body="Deploy on Tuesdays only.\n")
    path = os.path.join(root, "knowledge", entry.path)
    home.make_folder(os.path.dirname(path))
    home.write(path, render(entry).encode())
    os.utime(path, (NOON - age_s, NOON - age_s))
    return path


def learned(root):
    queue(root, "prompt", "From now on always use uv in this repo, never pip.", at=NOON - 5000)
    run(root, NOON - 4000, at_once=True)


def counting(root):
    return {entry.id for entry in read_library(FileStore(root)).live("shop")}


def test_a_persons_own_new_file_is_adopted_and_primable(root):
    learned(root)
    by_hand(root, "global/deploys")
    queue(root, "prompt", "good morning")
    report = run(root)
    assert (report.adopted, report.distrusted) == (1, 0)
    assert "global/deploys" in counting(root)
    assert open_index(root).number("global/deploys") >= 0


def test_a_file_that_an_agents_tool_wrote_waits_for_adoption(root):
    learned(root)
    path = by_hand(root, "global/deploys")
    queue(root, "tool_done", touched=path, tool="Write")
    report = run(root)
    assert (report.adopted, report.distrusted) == (0, 1)
    assert read_library(FileStore(root)).foreign == ("global/deploys.md",)
    assert "global/deploys" not in counting(root)
    queue(root, "prompt", "good morning", session="s2")
    again = run(root)
    assert (again.adopted, again.distrusted) == (0, 0)
    assert "global/deploys" not in counting(root)


def test_an_agents_file_of_a_session_that_is_not_due_is_not_taken_for_the_persons(root):
    learned(root)
    path = by_hand(root, "global/deploys")
    queue(root, "tool_done", touched=path, tool="Edit", session="busy", at=NOON - 1)
    queue(root, "prompt", "good morning")
    assert run(root).distrusted == 1
    before = len(FileStore(root).operations())
    queue(root, "prompt", "and again", session="s3")
    run(root)
    assert len(FileStore(root).operations()) == before  # the event still waits and says nothing new


def test_a_file_of_the_last_seconds_waits_until_its_hook_has_spoken(root):
    learned(root)
    path = by_hand(root, "global/deploys", age_s=2)
    queue(root, "prompt", "good morning")
    assert run(root).adopted == 0
    queue(root, "tool_done", touched=path, tool="Write", session="s2")
    report = run(root, NOON + 60)
    assert (report.adopted, report.distrusted) == (0, 1)


def test_what_an_agent_wrote_is_remembered_while_another_file_is_too_young(root):
    learned(root)
    written = by_hand(root, "global/agents")
    by_hand(root, "global/mine", age_s=2)
    queue(root, "tool_done", touched=written, tool="Write")
    assert run(root).distrusted == 0
    queue(root, "prompt", "good morning", session="s2")
    report = run(root, NOON + 60)
    assert (report.adopted, report.distrusted) == (1, 1)
    assert "global/mine" in counting(root)
    assert "global/agents" not in counting(root)


def test_a_person_who_asks_has_files_adopted_without_any_session(root):
    learned(root)
    by_hand(root, "global/deploys")
    assert run(root, at_once=True).adopted == 1


def test_each_session_read_marks_a_day_of_its_project_and_of_all(root):
    queue(root, "prompt", "good morning")
    run(root)
    assert dict(read_activity(root).days) == {"shop": ["2026-05-28"], "global": ["2026-05-28"]}


def test_curate_lets_entries_fade_at_most_once_a_day(root):
    learned(root)
    ran = home.read(os.path.join(root, "fading.json"))
    queue(root, "prompt", "good morning")
    run(root)
    assert home.read(os.path.join(root, "fading.json")) == ran
    queue(root, "prompt", "good morning", session="s2", at=NOON + 86400)
    run(root, NOON + 2 * 86400)
    assert home.read(os.path.join(root, "fading.json")) != ran


def test_a_failure_to_fade_costs_nothing_but_a_note(root):
    home.make_folder(os.path.join(root, "fading.json"))  # cannot be written
    queue(root, "prompt", "From now on always use uv in this repo, never pip.")
    report = run(root)
    assert report.state == "done"
    assert spool.backlog(root) == []
    assert "curate.fade" in home.read(os.path.join(root, "trouble.jsonl")).decode()
    assert fade(root, FileStore(root), Settings(), NOON)[1] != ""


def test_hooks_that_were_ended_are_counted_once_and_leftovers_of_killed_writers_go(root):
    learned(root)
    left = os.path.join(root, "knowledge", ".README.md.1f.0a1b2c3d.tmp")
    for path in (home.begin(root, "prime"), home.begin(root, "capture"), left):
        home.append(path, b"")
        os.utime(path, (NOON - 7200, NOON - 7200))
    now = home.begin(root, "notice")
    os.utime(now, (NOON, NOON))
    for _ in range(2):
        run(root)
        assert home.counters(root)["timed_out"] == 2
    assert os.listdir(os.path.join(root, "running")) == [os.path.basename(now)]
    assert not os.path.exists(left)
