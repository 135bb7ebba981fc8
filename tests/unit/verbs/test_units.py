"""The server's unit: written, shown, known again and removed; nothing of another hand's is touched."""

import os
import plistlib
import shutil
import stat
import subprocess
import sys

import pytest

from ultan.errors import StorageFailed
from ultan.verbs import units

ODD = '/home/a b/100% "x" $HOME \\ é/h'


@pytest.fixture
def person(tmp_path):
    return {"HOME": str(tmp_path)}


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


@pytest.mark.parametrize(
    ("platform", "place"),
    [("linux", ".config/systemd/user/ultan.service"), ("darwin", "Library/LaunchAgents/org.ultan.serve.plist")],
)
def test_a_unit_is_shown_written_and_removed(person, platform, place):
    path = os.path.join(person["HOME"], place)
    dry = units.install("/h", person, sys.executable, is_dry_run=True, platform=platform)
    assert not os.path.exists(path)
    assert any(sys.executable in line for line in dry.did)

    done = units.install("/h", person, sys.executable, platform=platform)
    assert done == dry
    assert "\n".join(line[4:] for line in done.did[1:]) == read(path).rstrip("\n")
    assert stat.S_IMODE(os.stat(path).st_mode) == 0o600
    assert units.install("/h", person, sys.executable, platform=platform).did == ()

    assert units.uninstall("/h", person, is_dry_run=True, platform=platform).did
    assert os.path.exists(path)
    assert path in units.uninstall("/h", person, platform=platform).did[0]
    assert not os.path.exists(path)
    assert units.uninstall("/h", person, platform=platform) == units.Change()


@pytest.mark.parametrize("platform", ["linux", "darwin"])
def test_a_file_of_another_hand_is_left_alone(person, platform):
    path = units.unit("/h", person, "python", platform).path
    os.makedirs(os.path.dirname(path))
    with open(path, "w", encoding="utf-8") as file:
        file.write("[Service]\nExecStart=/usr/bin/true\n")
    with pytest.raises(StorageFailed, match="not written by us"):
        units.install("/h", person, sys.executable, platform=platform)
    assert "stays" in units.uninstall("/h", person, platform=platform).told[0]
    assert read(path).startswith("[Service]")


def test_a_mac_starts_exactly_these_words(person):
    found = plistlib.loads(units.unit(ODD, person, "/py thon", "darwin").text.encode())
    assert found["ProgramArguments"] == ["/py thon", "-I", "-m", "ultan", "serve", "--home", ODD, "--idle", "100000"]
    assert found["Umask"] == 0o077


def test_systemd_takes_the_unit_for_a_good_one(person):
    if not shutil.which("systemd-analyze"):
        pytest.skip("systemd-analyze is not here")
    units.install("/h", person, sys.executable, platform="linux")
    path = units.unit("/h", person, sys.executable, "linux").path
    done = subprocess.run(["systemd-analyze", "--user", "verify", path], capture_output=True, text=True, check=False)
    assert path not in done.stderr


def test_odd_characters_in_a_path_mean_themselves_to_systemd(person):
    line = next(line for line in units.unit(ODD, person, "/p", "linux").text.splitlines() if line.startswith("ExecStart="))
    assert '"/home/a b/100%% \\"x\\" $$HOME \\\\ é/h"' in line


@pytest.mark.parametrize("platform", ["linux", "darwin"])
def test_a_unit_whose_interpreter_is_gone_is_stale(person, platform):
    assert units.stale("/h", person, platform) == ""
    units.install("/h", person, sys.executable, platform=platform)
    assert units.stale("/h", person, platform) == ""
    units.install("/h", person, "/nowhere/$py%", platform=platform)
    assert units.stale("/h", person, platform).endswith(("ultan.service", "org.ultan.serve.plist"))


def test_where_no_service_manager_is_known_it_says_so(person):
    with pytest.raises(StorageFailed, match="win32"):
        units.install("/h", person, sys.executable, platform="win32")
    assert units.uninstall("/h", person, platform="win32") == units.Change()
