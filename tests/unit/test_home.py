"""Where things live, and that a file is there whole or not at all."""

import os
import stat

import platformdirs
import pytest
from platformdirs.macos import MacOS
from platformdirs.unix import Unix
from platformdirs.windows import Windows

from ultan import failpoints, home, homes, housekeeping


def test_the_data_folder_follows_the_rule_of_platformdirs_here():
    assert home.default_root(dict(os.environ)) == platformdirs.user_data_dir("ultan", appauthor=False)
    assert homes.state_folder(dict(os.environ)) == platformdirs.user_state_dir("ultan", appauthor=False)


def test_the_data_folder_follows_platformdirs_on_every_platform(monkeypatch, tmp_path):
    monkeypatch.setenv("HOME", str(tmp_path))
    for name in ("XDG_DATA_HOME", "XDG_STATE_HOME"):
        monkeypatch.delenv(name, raising=False)
    env = {"HOME": str(tmp_path)}
    assert home.default_root(env, "linux") == Unix("ultan", appauthor=False).user_data_dir
    assert home.default_root(env, "darwin") == MacOS("ultan", appauthor=False).user_data_dir
    assert homes.state_folder(env, "darwin") == MacOS("ultan", appauthor=False).user_state_dir
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


def test_everything_made_is_private_whatever_the_umask(tmp_path):
    before = os.umask(0o000)
    try:
        root = home.ensure(str(tmp_path / "h"))
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
    failpoints.passages.clear()
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
    assert housekeeping.counters(root)["dropped"] == 3
    assert housekeeping.counters(root)["redacted"] == 40
    assert os.stat(os.path.join(root, "counters")).st_size == home.COUNTERS_BYTES


def test_trouble_is_bounded(tmp_path):
    root = home.ensure(str(tmp_path / "h"))
    for _ in range(300):
        home.trouble(root, "x" * 5000)
    assert os.stat(os.path.join(root, "trouble.jsonl")).st_size <= home.TROUBLE_BYTES + 2001


def test_a_process_that_never_came_to_its_end_is_known_by_its_note(tmp_path):
    root = home.ensure(str(tmp_path / "home"))
    os.rmdir(os.path.join(root, "running"))  # a home made before there were notes
    home.end(home.begin(root, "prime"))
    cut = home.begin(root, "notice")
    at = os.stat(cut).st_mtime
    assert housekeeping.cut_off(root, at + 1) == []
    assert housekeeping.cut_off(root, at + housekeeping.CUT_OFF_S + 1) == [cut]
    housekeeping.clear_folder(root)
    assert home.begin(root, "prime") == ""
    assert not os.path.exists(root)


def test_a_lock_that_somebody_stuck_holds_is_given_up_and_costs_one_count(tmp_path, monkeypatch):
    fcntl = pytest.importorskip("fcntl")
    root = home.ensure(str(tmp_path / "home"))
    monkeypatch.setattr(home, "COUNT_WAIT_S", 0.0)
    held = os.open(os.path.join(root, "counters"), os.O_RDWR)
    fcntl.flock(held, fcntl.LOCK_EX)
    home.count(root, "bad")
    assert housekeeping.counters(root)["bad"] == 0
    os.close(held)
    home.count(root, "bad")
    assert housekeeping.counters(root)["bad"] == 1
