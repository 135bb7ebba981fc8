"""Which homes there have been, and which a hook was refused."""

import os

import pytest

from ultan import homes, housekeeping


def test_a_refusal_is_noted_where_it_is_found_without_a_home_and_not_at_every_call(tmp_path):
    env = {"HOME": str(tmp_path)}
    assert homes.refused(env) is None
    homes.note_refusal(env, 1000.0, "the home lies inside")
    homes.note_refusal(env, 1030.0, "the home lies inside")
    assert homes.refused(env) == (1000.0, "the home lies inside")
    homes.note_refusal(env, 1040.0, "another reason")
    assert homes.refused(env) == (1040.0, "another reason")
    homes.note_refusal(env, 900.0, "another reason")
    assert homes.refused(env) == (900.0, "another reason"), "a clock that was put back"


def test_a_note_of_a_refusal_that_cannot_be_made_or_read_is_none(tmp_path):
    env = {"HOME": str(tmp_path), "XDG_STATE_HOME": str(tmp_path / "file")}
    (tmp_path / "file").write_text("")
    homes.note_refusal(env, 1000.0, "x")
    assert homes.refused(env) is None
    env["XDG_STATE_HOME"] = str(tmp_path / "state")
    homes.note_refusal(env, 1000.0, "x")
    (tmp_path / "state" / "ultan" / "refused").write_text("soon, perhaps")
    assert homes.refused(env) is None


def test_a_deleted_home_is_known_as_withdrawn_and_an_unknown_one_is_not(tmp_path):
    env = {"HOME": str(tmp_path)}
    root = homes.make(str(tmp_path / "h"), env)
    assert not homes.is_withdrawn(root, env)
    housekeeping.clear_folder(root)
    assert homes.is_withdrawn(root, env)
    assert not homes.is_withdrawn(str(tmp_path / "other"), env)


def test_a_home_is_made_where_the_state_folder_cannot_be(tmp_path):
    (tmp_path / "file").write_text("")
    env = {"HOME": str(tmp_path), "XDG_STATE_HOME": str(tmp_path / "file")}
    root = homes.make(str(tmp_path / "h"), env)
    assert (tmp_path / "h" / "knowledge").is_dir()
    assert not homes.is_withdrawn(root, env)


@pytest.mark.parametrize("environ", [{"HOME": "rel"}, {"HOME": "/nowhere", "XDG_STATE_HOME": "./state"}])
def test_nothing_is_noted_below_the_folder_we_stand_in(tmp_path, monkeypatch, environ):
    monkeypatch.chdir(tmp_path)
    homes.note_refusal(environ, 1_780_000_000.0, "it lies inside the project")
    homes.note_home("/somewhere/ultan", environ)
    assert os.listdir(tmp_path) == []
