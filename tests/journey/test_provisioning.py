"""provision.sh with a stand-in for Python: one build at a time, `ready` last, failures told and not repeated at once."""

import os
import shutil
import subprocess

import pytest
from plugged import ROOT, VERSION

PYTHON = """#!/bin/sh
case "$*" in
    *"-m venv"*) for last; do :; done; mkdir -p "$last/bin"; cp "$0" "$last/bin/python"; echo x >>"{marks}/venvs"; sleep 0.3 ;;
    *"-m pip"*whole.txt) grep -qx base ready 2>/dev/null && echo x >>"{marks}/served"; [ ! -e "{marks}/no-models" ] ;;
    *"-m pip"*) [ ! -e "{marks}/no-network" ] ;;
    *requires*) printf 'rich>=13\nonnxruntime>=1.20\n' ;;
    *"import ultan"*) [ -e ready ] && ! grep -qx base ready && echo early >>"{marks}/early"; printf '%s\\n/folders\\n' "$PWD/$0" ;;
    *) echo "$0" ;;
esac
"""


@pytest.fixture
def machine(tmp_path):
    """A machine whose only Python is the stand-in; gives a function that provisions."""
    tools, marks, data, home = (tmp_path / name for name in ("tools", "marks", "data", "home"))
    for folder in (tools, marks, data, home):
        folder.mkdir()
    for name in ("python3", "python", *(f"python3.{minor}" for minor in range(11, 15))):
        (tools / name).write_text(PYTHON.format(marks=marks))
        (tools / name).chmod(0o755)
    environ = {"HOME": str(home), "PATH": f"{tools}:/usr/bin:/bin"}

    def start(**more):
        return subprocess.Popen(
            ["/bin/sh", str(ROOT / "hooks" / "provision.sh"), str(ROOT), str(data)],
            env={**environ, **more},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )

    start.data, start.marks = data / "runtime", marks
    return start


def count(machine):
    venvs = machine.marks / "venvs"
    return len(venvs.read_text()) // 2 if venvs.exists() else 0


def test_of_many_that_start_at_once_one_builds_and_all_are_silent(machine):
    started = [machine() for _ in range(8)]
    outputs = [process.communicate() for process in started]
    assert outputs == [(b"", b"")] * 8
    assert count(machine) == 1
    lines = (machine.data / "ready").read_text().splitlines()
    assert os.access(lines[0], os.X_OK)
    assert lines[2] == VERSION
    assert not (machine.data / "lock").is_symlink()
    assert not (machine.marks / "early").exists(), "ready is written last"


def test_hooks_are_served_before_what_runs_models_is_there(machine):
    machine().communicate()
    assert (machine.marks / "served").exists()
    assert len((machine.data / "ready").read_text().splitlines()) == 3
    (build,) = machine.data.glob("build.*")
    assert (build / "base.txt").read_text() == "rich>=13\n"


def test_hooks_stay_served_where_what_runs_models_cannot_be_had(machine):
    (machine.marks / "no-models").touch()
    machine().communicate()
    lines = (machine.data / "ready").read_text().splitlines()
    assert lines[3] == "base"
    assert os.access(lines[0], os.X_OK)
    assert (machine.data / "state").read_text().startswith("failed: what runs models")
    (machine.marks / "no-models").unlink()
    machine(ULTAN_PROVISION_NOW="1").communicate()
    assert len((machine.data / "ready").read_text().splitlines()) == 3
    assert (machine.data / "state").read_text().startswith("ready\n")


def test_what_is_ready_is_not_built_again(machine):
    machine().communicate()
    machine().communicate()
    assert count(machine) == 1


def test_another_version_is_built_beside_the_one_in_use(machine):
    machine().communicate()
    ready = machine.data / "ready"
    before = ready.read_text()
    ready.write_text(before.replace(VERSION, "0.0.0"))
    machine().communicate()
    assert count(machine) == 2
    assert ready.read_text().endswith(f"{VERSION}\n")
    assert os.access(before.splitlines()[0], os.X_OK), "hooks that run now keep theirs"


def test_a_failure_is_told_and_tried_again_only_when_asked(machine):
    (machine.marks / "no-network").touch()
    machine().communicate()
    assert (machine.data / "state").read_text().startswith("failed: pip could not install")
    assert not (machine.data / "ready").exists()
    assert not list(machine.data.glob("build.*")), "half a build is no use"
    machine().communicate()
    assert count(machine) == 1
    (machine.marks / "no-network").unlink()
    machine(ULTAN_PROVISION_NOW="1").communicate()
    assert (machine.data / "ready").exists()


def test_the_lock_of_a_dead_process_holds_nobody_up(machine):
    machine.data.mkdir()
    gone = subprocess.Popen(["/bin/true"])
    gone.wait()
    (machine.data / "lock").symlink_to(str(gone.pid))
    machine().communicate()
    assert (machine.data / "ready").exists()


def test_a_person_may_provision_by_hand(machine, tmp_path):
    plugin = tmp_path / "plugin"
    for name in ("bin", "hooks"):
        shutil.copytree(ROOT / name, plugin / name)
    done = subprocess.run(
        ["/bin/sh", str(plugin / "bin" / "ultan"), "provision"],
        env={"HOME": str(tmp_path / "home"), "PATH": f"{tmp_path / 'tools'}:/usr/bin:/bin", "CLAUDE_PLUGIN_DATA": str(tmp_path / "data")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout) == (0, "runtime: ready\n")
    assert (machine.data / "ready").exists()
