"""What a home needs and no hook does."""

import os
import stat

from ultan import home, housekeeping


def test_the_log_is_rotated_once_when_full_and_keeps_lines_whole(tmp_path):
    root = home.ensure(str(tmp_path / "h"))
    for number in range(30):
        housekeeping.log(root, f"line {number}\nof a run", most_bytes=100)
    lines = home.read(os.path.join(root, "ultan.log")).decode().splitlines()
    older = home.read(os.path.join(root, "ultan.log.1")).decode().splitlines()
    assert lines[-1] == "line 29 of a run"
    assert all(line.endswith("of a run") for line in lines + older)
    assert os.stat(os.path.join(root, "ultan.log")).st_size < 130


def test_what_killed_writers_left_is_swept_when_old_and_nothing_else_is(tmp_path):
    root = home.ensure(str(tmp_path / "home"))
    left = os.path.join(root, "knowledge", "global", ".README.md.1f.01234567.tmp")
    home.make_folder(os.path.dirname(left))
    hidden = [".obsidian.tmp", ".a.md.swp", ".x.12.tmp", ".git.aa.1234567g.tmp", "plain.1f.01234567.tmp"]
    for name in (left, *(os.path.join(root, "knowledge", "global", name) for name in hidden)):
        home.claim(name)
    outside = tmp_path / "outside"
    outside.mkdir()
    theirs = outside / os.path.basename(left)
    theirs.touch()
    os.symlink(outside, os.path.join(root, "knowledge", "linked"))
    assert housekeeping.sweep(root, lambda _modified: False) == 0
    assert housekeeping.sweep(root, lambda _modified: True) == 1
    assert not os.path.exists(left)
    assert sorted(os.listdir(os.path.dirname(left))) == sorted(hidden)
    assert theirs.exists()


def test_another_program_s_file_keeps_its_mode_and_the_link_to_it(tmp_path):
    real, link = tmp_path / "theirs.json", tmp_path / "link.json"
    real.write_text("old")
    real.chmod(0o644)
    link.symlink_to(real)
    housekeeping.replace(str(link), b"new")
    assert link.is_symlink()
    assert (real.read_text(), stat.S_IMODE(real.stat().st_mode)) == ("new", 0o644)
    housekeeping.replace(str(tmp_path / "below" / "fresh.json"), b"x")
    assert stat.S_IMODE((tmp_path / "below" / "fresh.json").stat().st_mode) == 0o600
