"""Decay puts away what faded on two days, and can be undone."""

import pytest

from ultan import home
from ultan.library import memo
from ultan.library.actions import Create
from ultan.library.activity import note_activity, read_activity, set_back_s
from ultan.library.entry import Entry
from ultan.library.rendering import render
from ultan.library.store import FileStore
from ultan.settings import Settings
from ultan.verbs.decay import decay
from ultan.verbs.desk import Desk

DAY = 86400.0
START = 1_760_000_000.0


def at(root, days, **values):
    return Desk(root, FileStore(root), Settings(values), START + days * DAY)


@pytest.fixture
def root(tmp_path):
    made = home.ensure(str(tmp_path))
    actions = [
        Create(folder="projects/p/notes", title=f"Finding {word}", kind="finding", rule=f"The {word} build is slow when cold.")
        for word in ("alpha", "beta", "gamma")
    ]
    at(made, 0, **{"encoder.name": "hashing"}).execute(actions)
    for number in range(1, 200):
        day = read_day(START + number * DAY)
        note_activity(made, ["p"], day)
    return made


def read_day(now):
    from ultan.library.upkeep import day

    return day(now)


def test_activity_is_kept_per_scope_and_a_broken_file_means_nothing_is_known(root):
    assert len(read_activity(root).days["p"]) == len(read_activity(root).days["global"]) == 199
    home.write(f"{root}/activity.json", b"{")
    assert read_activity(root).days == {}


def test_what_faded_is_put_away_on_the_second_day_and_comes_back_with_undo(root):
    first = decay(at(root, 199))
    assert first.archived == ()
    assert len(first.waiting) == 3
    assert decay(at(root, 199)).archived == ()
    second = decay(at(root, 200))
    assert len(second.archived) == 3
    desk = at(root, 200)
    assert len(desk.library.archived) == 3
    assert {entry.status for entry in desk.library.archived.values()} == {"stale"}
    from ultan.library.past import undo

    undo(desk.store, second.operation, desk.now)
    assert len(desk.library.entries) == 3


def test_a_run_that_puts_nothing_away_keeps_what_it_read_for_the_next_one(tmp_path):
    root = home.ensure(str(tmp_path))
    home.make_folder(f"{root}/knowledge/global")
    day = read_day(START)
    for number in range(memo.KEPT_FROM):
        one = Entry(f"global/e{number:03d}", f"Rule {number}", "convention", "global", day, day, body=f"Body {number}.\n")
        home.write(f"{root}/knowledge/{one.path}", render(one).encode(), durable=False)
    store = FileStore(root, clock=lambda: int(4e18))  # long after: all of it is at rest
    assert decay(Desk(root, store, Settings({}), START), dry_run=True).archived == ()
    assert memo.remembered(FileStore(root)).entries == {}
    assert decay(Desk(root, store, Settings({}), START)).archived == ()
    assert len(memo.remembered(FileStore(root)).entries) == memo.KEPT_FROM


def test_a_dry_run_writes_nothing(root):
    before = {path: home.read(f"{root}/{path}") for path in ("activity.json",)}
    decay(at(root, 199), dry_run=True)
    report = decay(at(root, 250), dry_run=True)
    assert report.archived == ()
    assert len(report.waiting) == 3
    assert len(at(root, 250).library.entries) == 3
    assert before["activity.json"] == home.read(f"{root}/activity.json")


def test_an_opportunistic_run_waits_for_its_cool_down(root):
    decay(at(root, 199))
    assert decay(at(root, 199.5), opportunistic=True).skipped
    assert not decay(at(root, 200.1), opportunistic=True).skipped


def test_eight_months_asleep_and_a_jump_of_the_clock_archive_nothing(root):
    home.write(f"{root}/activity.json", b"{}")
    for days in (240, 241, 4000, 4001, -30, -29):
        assert decay(at(root, days)).archived == ()


def test_what_is_used_while_the_clock_is_set_back_is_dated_by_the_days_that_were_worked(root):
    now = START + 199 * DAY
    assert set_back_s(root, now) == set_back_s(root, now - DAY) == set_back_s(root, now + 30 * DAY) == 0
    assert set_back_s(root, now - 30 * DAY) == 30 * DAY
    assert set_back_s(root, now - 400 * DAY) == 0  # too far: the clock had been ahead before
