"""Upkeep at set times: shown first, entered once, taken out whole; other people's lines stay byte for byte."""

import os
import plistlib
import shutil
import subprocess
from pathlib import Path

import pytest

from ultan.errors import SettingsError
from ultan.verbs import schedule

MINE = "# mine\n0 5 * * 1 /usr/bin/backup 100\\%\n"
CRONTAB = """#!/bin/sh
store="$HOME/table"
case "$1" in
-l) [ -f "$store" ] || { echo "no crontab" >&2; exit 1; }; exec cat "$store" ;;
-r) exec rm "$store" ;;
-) exec cat > "$store" ;;
esac
exit 2
"""
NOTING = '#!/bin/sh\necho "$@" >> "$HOME/calls"\n'


def environ(tmp_path, **programs):
    place = tmp_path / "bin"
    place.mkdir(exist_ok=True)
    for name, text in programs.items():
        (place / name).write_text(text)
        (place / name).chmod(0o755)
    for name in ("cat", "rm", "sh"):
        if not (place / name).exists():
            (place / name).symlink_to(shutil.which(name))
    return {"HOME": str(tmp_path), "PATH": str(place)}


def table(tmp_path):
    path = tmp_path / "table"
    return path.read_text() if path.exists() else None


def entered(home, around, **more):
    planned = schedule.plan(home, around, python="/opt/py/bin/python", **more)
    return planned, schedule.enter(home, around, planned)


@pytest.mark.parametrize("before", [None, "", MINE, MINE.rstrip("\n")])
def test_lines_in_a_crontab_are_entered_once_and_taken_out_whole(home, tmp_path, before):
    around = environ(tmp_path, crontab=CRONTAB)
    if before is not None:
        (tmp_path / "table").write_text(before)
    planned, did = entered(home, around)
    assert did == ["4 lines in your crontab"]
    assert table(tmp_path).startswith(before or "")
    for line in ("7 * * * * ", "17 4 * * * ", "37 4 * * 0 ", "47 4 * * 0 "):
        assert line + f"ULTAN_HOME={home} /opt/py/bin/python -P -m ultan " in table(tmp_path)
    assert all(line in table(tmp_path) for line in planned.shown)
    once = table(tmp_path)
    assert entered(home, around)[1] == []
    assert table(tmp_path) == once
    assert schedule.withdraw(home, around, is_dry_run=True)
    assert table(tmp_path) == once
    assert schedule.withdraw(home, around) == ["lines taken out of your crontab"]
    assert (table(tmp_path) or "").rstrip("\n") == (before or "").rstrip("\n")
    assert schedule.withdraw(home, around) == []


def test_two_homes_and_a_new_interpreter_do_not_mix(home, tmp_path):
    around = environ(tmp_path, crontab=CRONTAB)
    entered(home, around)
    entered(str(tmp_path / "other home's"), around)
    assert "ULTAN_HOME='" in table(tmp_path)
    schedule.enter(home, around, schedule.plan(home, around, python="/new/python"))
    assert table(tmp_path).count("/new/python") == 4
    schedule.withdraw(home, around)
    assert table(tmp_path).count("-m ultan") == 4
    assert "/new/python" not in table(tmp_path)


def test_a_block_whose_end_somebody_deleted_takes_nothing_else_with_it(home, tmp_path):
    around = environ(tmp_path, crontab=CRONTAB)
    entered(home, around)
    lines = [line for line in table(tmp_path).splitlines() if not line.startswith("# <<<")]
    (tmp_path / "table").write_text("\n".join([*lines, MINE]))
    schedule.withdraw(home, around)
    assert MINE.strip() in table(tmp_path)


def test_a_percent_sign_in_a_path_is_no_line_break_of_cron(tmp_path):
    around = environ(tmp_path, crontab=CRONTAB)
    entered(str(tmp_path / "100%"), around)
    assert "100\\%" in table(tmp_path)


def test_the_entered_line_is_one_that_a_shell_runs(tmp_path):
    around = environ(tmp_path, crontab=CRONTAB)
    odd = str(tmp_path / "a 'b' $c")
    seen = tmp_path / "python"
    seen.write_text('#!/bin/sh\necho "$ULTAN_HOME|$*" > "$SEEN"\n')
    seen.chmod(0o755)
    schedule.enter(odd, around, schedule.plan(odd, around, python=str(seen)))
    line = next(each for each in table(tmp_path).splitlines() if " decay" in each).split(" ", 5)[5]
    subprocess.run(["/bin/sh", "-c", line], check=True, env={**around, "SEEN": str(tmp_path / "seen")})
    assert (tmp_path / "seen").read_text() == f"{odd}|-P -m ultan decay\n"


def test_timers_of_systemd(home, tmp_path):
    around = environ(tmp_path, systemctl=NOTING)
    _, did = entered(home, around)
    assert did == ["4 timers of systemd"]
    folder = tmp_path / ".config/systemd/user"
    names = sorted(path.name for path in folder.iterdir())
    assert len(names) == 8
    weekly = next(path for path in folder.iterdir() if path.name.startswith("ultan-abstract") and path.suffix == ".timer")
    assert "OnCalendar=Sun *-*-* 04:37:00" in weekly.read_text()
    assert "enable --now ultan-curate-" in (tmp_path / "calls").read_text()
    assert entered(home, around)[1] == []
    assert schedule.withdraw(home, around) == ["8 files of systemd removed"]
    assert list(folder.iterdir()) == []
    assert "disable --now" in (tmp_path / "calls").read_text()


def test_agents_of_launchd(home, tmp_path):
    around = environ(tmp_path, launchctl=NOTING)
    entered(home, around)
    folder = tmp_path / "Library/LaunchAgents"
    agents = [plistlib.loads(path.read_bytes()) for path in sorted(folder.iterdir())]
    assert [agent["ProgramArguments"][4:] for agent in agents] == [["abstract"], ["condense"], ["curate", "--now"], ["decay"]]
    assert agents[0]["StartCalendarInterval"] == {"Minute": 37, "Hour": 4, "Weekday": 0}
    assert agents[0]["EnvironmentVariables"] == {"ULTAN_HOME": home}
    assert schedule.withdraw(home, around) == ["4 files of launchd removed"]
    assert list(folder.iterdir()) == []


def test_a_scheduler_that_refuses_leaves_nothing_behind(home, tmp_path):
    around = environ(tmp_path, systemctl="#!/bin/sh\necho 'no bus' >&2\nexit 1\n")
    with pytest.raises(SettingsError, match="no bus"):
        entered(home, around)
    assert list((tmp_path / ".config/systemd/user").iterdir()) == []


def test_without_a_scheduler_it_says_so(home, tmp_path):
    with pytest.raises(SettingsError, match="neither crontab"):
        schedule.plan(home, environ(tmp_path))
    with pytest.raises(SettingsError, match="called at"):
        schedule.plan(home, environ(tmp_path), kind="at")


def test_the_command_shows_first_asks_and_uninstall_takes_out(ultan, tmp_path):
    around = environ(tmp_path, crontab=CRONTAB)
    shown = ultan("install", "--cron", "--dry-run", environ=around)
    assert "-m ultan curate --now" in shown.err
    assert table(tmp_path) is None
    assert ultan("install", "--cron", stdin="n\n", environ=around).status == 1
    assert table(tmp_path) is None
    assert ultan("install", "--cron", environ=around, person=False).status == 1
    done = ultan("install", "--cron", stdin="y\n", environ=around)
    assert (done.status, done.out) == (0, "crontab: 4 lines in your crontab\n")
    assert "as it should be" in ultan("install", "--cron", environ=around).out
    assert not os.path.exists(Path(tmp_path) / ".claude")
    assert "taken out of your crontab" in ultan("uninstall", environ=around).out
    assert not table(tmp_path)
