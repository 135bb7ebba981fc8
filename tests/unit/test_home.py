"""Where things live, and that a file is there whole or not at all."""

import os
import stat

import platformdirs
import pytest
from platformdirs.macos import MacOS
from platformdirs.unix import Unix
from platformdirs.windows import Windows

from ultan import home


def test_the_data_folder_follows_the_rule_of_platformdirs_here():
    assert home.default_root(dict(os.environ)) == platformdirs.user_data_dir("ultan", appauthor=False)
    assert home.state_folder(dict(os.environ)) == platformdirs.user_state_dir("ultan", appauthor=False)


def test_the_data_folder_follows_platformdirs_on_every_platform(monkeypatch, tmp_path):
    monkeypatch.setenv("HOME", str(tmp_path))
    for name in ("XDG_DATA_HOME", "XDG_STATE_HOME"):
        monkeypatch.delenv(name, raising=False)
    env = {"HOME": str(tmp_path)}
    assert home.default_root(env, "linux") == Unix("ultan", appauthor=False).user_data_dir
    assert home.default_root(env, "darwin") == MacOS("ultan", appauthor=False).user_data_dir
    assert home.state_folder(env, "darwin") == MacOS("ultan", appauthor=False).user_state_dir
    assert Windows is not None
    assert home.default_root({**env, "LOCALAPPDATA": "C:/L"}, "win32") == os.path.join("C:/L", "ultan")


def test_the_home_is_chosen_by_flag_then_environment_then_the_old_place_then_the_platform(tmp_path):
    env = {"HOME": str(tmp_path), "ULTAN_HOME": "/u", "AGENT_MEM_HOME": "/a"}
    assert home.locate(env, "/flag") == "/flag"
    assert home.locate(env) == "/u"
    del env["ULTAN_HOME"]
    assert home.locate(env) == "/a"
    del env["AGENT_MEM_HOME"]
    assert home.locate(env) == str(tmp_path / ".local/share/ultan")
    (tmp_path / ".agent-mem").mkdir()
    assert home.locate(env) == str(tmp_path / ".agent-mem")


def test_a_home_inside_the_project_or_its_repository_is_refused(tmp_path):
    repository = tmp_path / "repo"
    (repository / ".git").mkdir(parents=True)
    (repository / "sub").mkdir()
    assert "inside the project" in home.refusal(str(repository / "mem"), str(repository / "sub"))
    assert home.refusal(str(tmp_path / "repo-evil"), str(repository)) == ""
    assert home.refusal(str(tmp_path / "elsewhere"), str(repository)) == ""


def test_a_refusal_is_noted_where_it_is_found_without_a_home_and_not_at_every_call(tmp_path):
    env = {"HOME": str(tmp_path)}
    assert home.refused(env) is None
    home.note_refusal(env, 1000.0, "the home lies inside")
    home.note_refusal(env, 1030.0, "the home lies inside")
    assert home.refused(env) == (1000.0, "the home lies inside")
    home.note_refusal(env, 1040.0, "another reason")
    assert home.refused(env) == (1040.0, "another reason")
    home.note_refusal(env, 900.0, "another reason")
    assert home.refused(env) == (900.0, "another reason"), "a clock that was put back"


def test_a_note_of_a_refusal_that_cannot_be_made_or_read_is_none(tmp_path):
    env = {"HOME": str(tmp_path), "XDG_STATE_HOME": str(tmp_path / "file")}
    (tmp_path / "file").write_text("")
    home.note_refusal(env, 1000.0, "x")
    assert home.refused(env) is None
    env["XDG_STATE_HOME"] = str(tmp_path / "state")
    home.note_refusal(env, 1000.0, "x")
    (tmp_path / "state" / "ultan" / "refused").write_text("soon, perhaps")
    assert home.refused(env) is None


def test_everything_made_is_private_whatever_the_umask(tmp_path):
    before = os.umask(0o000)
    try:
        root = home.ensure(str(tmp_path / "h"), {"HOME": str(tmp_path)})
        home.write(os.path.join(root, "a"), b"x")
        home.create(os.path.join(root, "b"), b"x")
        home.append(os.path.join(root, "c"), b"x")
    finally:
        os.umask(before)
    for folder, folders, files in os.walk(root):
        for name in folders:
            assert stat.S_IMODE(os.stat(os.path.join(folder, name)).st_mode) == 0o700
        for name in files:
            assert stat.S_IMODE(os.stat(os.path.join(folder, name)).st_mode) == 0o600


def test_a_deleted_home_is_known_as_withdrawn_and_an_unknown_one_is_not(tmp_path):
    env = {"HOME": str(tmp_path)}
    root = home.ensure(str(tmp_path / "h"), env)
    assert not home.is_withdrawn(root, env)
    home.clear_folder(root)
    assert home.is_withdrawn(root, env)
    assert not home.is_withdrawn(str(tmp_path / "other"), env)


def test_creating_twice_keeps_the_first_and_leaves_no_temporary_file(tmp_path):
    path = str(tmp_path / "x")
    assert home.create(path, b"one")
    assert not home.create(path, b"two")
    assert home.read(path) == b"one"
    assert os.listdir(tmp_path) == ["x"]


def test_a_failed_replace_leaves_the_old_file_and_no_temporary_one(tmp_path, monkeypatch):
    path = str(tmp_path / "x")
    home.write(path, b"old")
    monkeypatch.setenv("ULTAN_FAILPOINT", "replace@1:raise")
    home._passages.clear()
    with pytest.raises(OSError, match="failpoint"):
        home.write(path, b"new")
    assert home.read(path) == b"old"
    assert os.listdir(tmp_path) == ["x"]


def test_symbolic_links_and_fifos_are_not_read(tmp_path):
    (tmp_path / "secret").write_text("s")
    os.symlink(tmp_path / "secret", tmp_path / "link")
    os.mkfifo(tmp_path / "pipe")
    for name in ("link", "pipe"):
        with pytest.raises(OSError, match=r"."):
            home.read(str(tmp_path / name))


def test_counters_add_up_survive_nonsense_and_never_grow_the_page(tmp_path):
    root = home.ensure(str(tmp_path / "h"))
    for _ in range(3):
        home.count(root, "dropped")
    home.count(root, "redacted", 40)
    home.count(root, "no such counter")
    assert home.counters(root)["dropped"] == 3
    assert home.counters(root)["redacted"] == 40
    assert os.stat(os.path.join(root, "counters")).st_size == home.COUNTERS_BYTES


def test_trouble_is_bounded(tmp_path):
    root = home.ensure(str(tmp_path / "h"))
    for _ in range(300):
        home.trouble(root, "x" * 5000)
    assert os.stat(os.path.join(root, "trouble.jsonl")).st_size <= home.TROUBLE_BYTES + 2001


def test_wide_modes_are_tightened(tmp_path):
    root = home.ensure(str(tmp_path / "h"))
    path = os.path.join(root, "knowledge", "a.md")
    home.write(path, b"x")
    os.chmod(path, 0o644)
    assert list(home.tighten(root)) == [path]
    assert stat.S_IMODE(os.stat(path).st_mode) == 0o600


def test_the_log_is_rotated_once_when_full_and_keeps_lines_whole(tmp_path):
    root = home.ensure(str(tmp_path / "h"))
    for number in range(30):
        home.log(root, f"line {number}\nof a run", most_bytes=100)
    lines = home.read(os.path.join(root, "ultan.log")).decode().splitlines()
    older = home.read(os.path.join(root, "ultan.log.1")).decode().splitlines()
    assert lines[-1] == "line 29 of a run"
    assert all(line.endswith("of a run") for line in lines + older)
    assert os.stat(os.path.join(root, "ultan.log")).st_size < 130


def test_what_killed_writers_left_is_swept_when_old_and_nothing_else_is(tmp_path):
    root = home.ensure(str(tmp_path / "home"))
    left = os.path.join(root, "knowledge", "global", os.path.basename(home._temporary("README.md")))
    home.make_folder(os.path.dirname(left))
    hidden = [".obsidian.tmp", ".a.md.swp", ".x.12.tmp", ".git.aa.1234567g.tmp", "plain.1f.01234567.tmp"]
    for name in (left, *(os.path.join(root, "knowledge", "global", name) for name in hidden)):
        home.claim(name)
    outside = tmp_path / "outside"
    outside.mkdir()
    theirs = outside / os.path.basename(left)
    theirs.touch()
    os.symlink(outside, os.path.join(root, "knowledge", "linked"))
    assert home.sweep(root, lambda _modified: False) == 0
    assert home.sweep(root, lambda _modified: True) == 1
    assert not os.path.exists(left)
    assert sorted(os.listdir(os.path.dirname(left))) == sorted(hidden)
    assert theirs.exists()


def test_a_process_that_never_came_to_its_end_is_known_by_its_note(tmp_path):
    root = home.ensure(str(tmp_path / "home"))
    os.rmdir(os.path.join(root, "running"))  # a home made before there were notes
    home.end(home.begin(root, "prime"))
    cut = home.begin(root, "notice")
    at = os.stat(cut).st_mtime
    assert home.cut_off(root, at + 1) == []
    assert home.cut_off(root, at + home.CUT_OFF_S + 1) == [cut]
    home.clear_folder(root)
    assert home.begin(root, "prime") == ""
    assert not os.path.exists(root)


def test_a_lock_that_somebody_stuck_holds_is_given_up_and_costs_one_count(tmp_path, monkeypatch):
    fcntl = pytest.importorskip("fcntl")
    root = home.ensure(str(tmp_path / "home"))
    monkeypatch.setattr(home, "COUNT_WAIT_S", 0.0)
    held = os.open(os.path.join(root, "counters"), os.O_RDWR)
    fcntl.flock(held, fcntl.LOCK_EX)
    home.count(root, "bad")
    assert home.counters(root)["bad"] == 0
    os.close(held)
    home.count(root, "bad")
    assert home.counters(root)["bad"] == 1
