"""How a checkup reads small notes, and tells durations and losses."""

import os

import pytest

from ultan import home as place
from ultan.verbs.checkup.check import ago, changed, clock, lives, names, noted, span
from ultan.verbs.checkup.place import TROUBLE_SHOWN, counted, home_folder, trouble


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(-5, "0 s"), (0, "0 s"), (119, "119 s"), (120, "2 min"), (7199, "120 min"), (7200, "2 h"), (172_800, "2 d"), (864_000, "10 d")],
)
def test_a_duration_is_told_in_the_largest_unit_of_which_there_are_two(seconds, words):
    assert span(seconds) == words
    assert ago(1e6, 1e6 - seconds) == f"{words} ago"


def test_a_time_is_told_to_the_minute_in_utc():
    assert clock(1_780_000_000) == "2026-05-28 20:26 UTC"


def test_what_is_not_there_or_cannot_be_read_is_nothing(home):
    assert names(home, "nowhere") == []
    assert changed(os.path.join(home, "nowhere")) == 0.0
    assert noted(home, "nowhere.json") == {}


@pytest.mark.parametrize(("text", "value"), [("", {}), ("{", {}), ("[1]", {}), ("\xff", {}), ('{"a": 1}', {"a": 1})])
def test_a_note_that_is_no_object_is_no_note(home, text, value):
    place.ensure(home)
    place.write(os.path.join(home, "note.json"), text.encode("latin-1"))
    assert noted(home, "note.json") == value


@pytest.mark.parametrize("pid", [None, "1", 0, -1, 2**22 + 1])
def test_what_is_no_process_does_not_live(pid):
    assert not lives(pid)
    assert lives(os.getpid())


def test_counts_that_are_no_losses_are_told_apart_from_them(home):
    found = {check.name: check for check in counted({"late": 0, "unanswered": 3, "timed_out": 2}, home)}
    assert (found["losses"].state, found["losses"].says) == ("note", "2 timed out")
    assert (found["counts"].state, found["counts"].says) == ("ok", "3 unanswered")
    assert [check.says for check in counted({}, home)] == ["none"]


def test_the_last_lines_of_trouble_are_told_whatever_they_are(home):
    place.ensure(home)
    for line in ('{"at": 1, "kind": "old"}', '{"at": 1780000000, "kind": "failed", "what": "prime"}', "torn {", "[1, 2]"):
        place.trouble(home, line)
    told = [check.says for check in trouble(home)]
    assert told == ["2026-05-28 20:26 UTC failed prime", "torn {", "[1, 2]"]
    assert len(told) == TROUBLE_SHOWN


def test_a_home_that_others_may_look_into_is_wrong_and_the_remedy_closes_it(home):
    place.ensure(home)
    os.chmod(home, 0o755)
    (check, *_) = home_folder(home, {}, "")
    assert (check.state, check.remedy) == ("wrong", f"chmod -R go-rwx {home}")
    os.chmod(home, 0o700)
    assert [check.state for check in home_folder(home, {}, "")] == ["ok"]
