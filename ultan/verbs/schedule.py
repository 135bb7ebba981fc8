"""Schedule: upkeep at set times by crontab, a systemd user timer or launchd; shown first, taken out whole.

Every entry of ours carries the home's mark: two homes do not touch each other's, and
somebody else's lines stay byte for byte.
"""

import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from xml.sax.saxutils import escape

from ultan import home, housekeeping
from ultan.errors import SettingsError

KINDS = ("crontab", "systemd", "launchd")
PATIENCE_S = 30


@dataclass(frozen=True, slots=True)
class Job:
    """One command at set times: *minute* of the hour, *hour* of the day or -1, *weekday* (0 Sunday) or -1."""

    words: tuple[str, ...]
    minute: int
    hour: int = -1
    weekday: int = -1


JOBS = (
    Job(("curate", "--now"), 7), Job(("decay",), 17, 4), Job(("abstract",), 37, 4, 0), Job(("condense",), 47, 4, 0),
)  # fmt: skip
DAYS = ("Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat")


@dataclass(frozen=True, slots=True)
class Scheduled:
    """What is, or would be, entered where.

    Attributes:
        kind: row of ``KINDS``.
        shown: the lines to enter, as they will stand there; empty if they stand there already.
        files: path → text of the files to write; empty for crontab.
        table: the whole new crontab.
    """

    kind: str
    shown: tuple[str, ...]
    files: Mapping[str, str]
    table: str = ""


def plan(root: str, environ: Mapping[str, str], *, kind: str = "", python: str = sys.executable) -> Scheduled:
    """What ``install --cron`` would enter for the home *root*; *kind* chooses the scheduler.

    Raises:
        SettingsError: there is no scheduler here, or none called so; or a name cannot be written down.
    """
    chosen = kind or _found(environ)
    if chosen not in KINDS:
        raise SettingsError(f"no scheduler is called {kind}", f"choose one of {', '.join(KINDS)}") if kind else SettingsError(
            "neither crontab nor systemd nor launchd is here", "let something else run `ultan curate --now` and `ultan decay`"
        )
    if any(char in root + python for char in "\n\r\0"):
        raise SettingsError("the home's name holds a line break", "choose another home")
    if chosen == "crontab":
        before = _table(environ)
        block = _block(root, python)
        after = _without(before, root)
        after = after + ("" if not after or after.endswith("\n") else "\n") + block
        return Scheduled(chosen, () if block in before else tuple(block.splitlines()), {}, after)
    files = dict(_units(root, environ, python) if chosen == "systemd" else _agents(root, environ, python))
    new = {path: text for path, text in files.items() if _text(path) != text}
    lines = tuple(line for path, text in new.items() for line in (f"{path}:", *("  " + each for each in text.splitlines())))
    return Scheduled(chosen, lines, new)


def enter(root: str, environ: Mapping[str, str], scheduled: Scheduled) -> list[str]:
    """Enter what was planned; what was done, a line each.

    Raises:
        SettingsError: the scheduler refused; nothing of ours is left behind.
    """
    if not scheduled.shown:
        return []
    if scheduled.kind == "crontab":
        _run(["crontab", "-"], environ, scheduled.table)
        return [f"{len(JOBS)} lines in your crontab"]
    for path, text in scheduled.files.items():
        housekeeping.replace(path, text.encode())
    try:
        for command in _switches(root, environ, scheduled.kind):
            _run(command, environ)
    except SettingsError:
        withdraw(root, environ)
        raise
    return [f"{len(JOBS)} {'timers of systemd' if scheduled.kind == 'systemd' else 'agents of launchd'}"]


def withdraw(root: str, environ: Mapping[str, str], *, is_dry_run: bool = False) -> list[str]:
    """Take everything of the home *root* out of every scheduler; what was done, a line each."""
    did = []
    before = _table(environ) if _has("crontab", environ) else ""
    after = _without(before, root)
    if after != before:
        did.append("lines taken out of your crontab")
        if not is_dry_run:
            _run(["crontab", "-"] if after.strip() else ["crontab", "-r"], environ, after)
    for kind, paths in (("systemd", _units(root, environ, "")), ("launchd", _agents(root, environ, ""))):
        there = [path for path, _ in paths if os.path.lexists(path)]
        if not there:
            continue
        did.append(f"{len(there)} files of {kind} removed")
        if not is_dry_run:
            for command in _switches(root, environ, kind, off=True):
                _run(command, environ, forgiving=True)
            for path in there:
                home.remove(path, durable=True)
    return did


# --- which scheduler, and what it says ------------------------------------------------------------


def _found(environ: Mapping[str, str]) -> str:
    for kind, program in (("launchd", "launchctl"), ("crontab", "crontab"), ("systemd", "systemctl")):
        if _has(program, environ):
            return kind
    return ""


def _has(program: str, environ: Mapping[str, str]) -> bool:
    return shutil.which(program, path=environ.get("PATH", os.defpath)) is not None


def _run(command: Sequence[str], environ: Mapping[str, str], given: str = "", *, forgiving: bool = False) -> str:
    program = shutil.which(command[0], path=environ.get("PATH", os.defpath))
    if program is None:
        if forgiving:
            return ""
        raise SettingsError(f"{command[0]} is not here", "nothing was scheduled")
    try:
        done = subprocess.run(  # noqa: S603 -- a fixed command, no shell
            [program, *command[1:]], input=given, capture_output=True, text=True, check=False, timeout=PATIENCE_S, env=dict(environ)
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise SettingsError(f"{command[0]} did not answer: {error}", "nothing was scheduled") from None
    if done.returncode and not forgiving:
        said = " ".join(done.stderr.split())[:200] or f"status {done.returncode}"
        raise SettingsError(f"{' '.join(command)}: {said}", "choose another with --scheduler, or see `ultan install --help`")
    return done.stdout if not done.returncode else ""


def _text(path: str) -> str:
    try:
        return home.read(path).decode("utf-8", "replace")
    except OSError:
        return ""


def _mark(root: str) -> str:
    return sha256(os.path.abspath(root).encode("utf-8", "surrogateescape")).hexdigest()[:8]


# --- crontab --------------------------------------------------------------------------------------


def _table(environ: Mapping[str, str]) -> str:
    """The person's crontab; empty where there is none (the program then fails, and says so)."""
    return _run(["crontab", "-l"], environ, forgiving=True)


def _edges(root: str) -> tuple[str, str]:
    return f"# >>> ultan {_mark(root)}: `ultan uninstall` takes these lines out", f"# <<< ultan {_mark(root)}"


def _block(root: str, python: str) -> str:
    first, last = _edges(root)
    rows = []
    for job in JOBS:
        when = f"{job.minute} {'*' if job.hour < 0 else job.hour} * * {'*' if job.weekday < 0 else job.weekday}"
        words = [f"ULTAN_HOME={shlex.quote(root)}", *map(shlex.quote, (python, "-P", "-m", "ultan", *job.words))]
        rows.append(f"{when} {' '.join(words)} >/dev/null 2>&1".replace("%", "\\%"))
    return "\n".join((first, *rows, last)) + "\n"


def _without(table: str, root: str) -> str:
    """*table* without the block of *root*; a block whose end is lost is only its own lines."""
    first, last = _edges(root)
    kept, inside = [], False
    lines = table.splitlines(keepends=True)
    is_whole = any(line.rstrip("\n") == last for line in lines)
    for line in lines:
        bare = line.rstrip("\n")
        if bare == first:
            inside = is_whole
        elif bare == last:
            inside = False
        elif not inside:
            kept.append(line)
    return "".join(kept)


# --- systemd and launchd ----------------------------------------------------------------------------


def _name(root: str, job: Job) -> str:
    return f"ultan-{job.words[0]}-{_mark(root)}"


def _config(environ: Mapping[str, str]) -> str:
    return environ.get("XDG_CONFIG_HOME") or os.path.join(environ.get("HOME", os.path.expanduser("~")), ".config")


def _units(root: str, environ: Mapping[str, str], python: str) -> Iterator[tuple[str, str]]:
    """Path and text of each service and timer."""
    folder = os.path.join(_config(environ), "systemd", "user")
    for job in JOBS:
        day = f"{DAYS[job.weekday]} " if job.weekday >= 0 else ""
        when = f"{day}*-*-* {'*' if job.hour < 0 else f'{job.hour:02d}'}:{job.minute:02d}:00"
        words = " ".join(_systemd_word(word) for word in (python, "-P", "-m", "ultan", *job.words))
        setting = _systemd_word(f"ULTAN_HOME={root}", is_setting=True)
        yield (
            os.path.join(folder, _name(root, job) + ".service"),
            f"[Unit]\nDescription=Ultan: {job.words[0]}\n\n[Service]\nType=oneshot\nEnvironment={setting}\nExecStart={words}\nNice=10\n",
        )
        yield (
            os.path.join(folder, _name(root, job) + ".timer"),
            f"[Unit]\nDescription=Ultan: {job.words[0]}\n\n[Timer]\nOnCalendar={when}\nPersistent=true\n\n[Install]\nWantedBy=timers.target\n",
        )


def _systemd_word(word: str, *, is_setting: bool = False) -> str:
    """*word* quoted for a unit file: specifiers, and in commands variables, are doubled."""
    quoted = word.replace("\\", "\\\\").replace('"', '\\"').replace("%", "%%")
    return f'"{quoted if is_setting else quoted.replace("$", "$$")}"'


def _agents(root: str, environ: Mapping[str, str], python: str) -> Iterator[tuple[str, str]]:
    """Path and text of each launchd agent."""
    folder = os.path.join(environ.get("HOME", os.path.expanduser("~")), "Library", "LaunchAgents")
    for job in JOBS:
        words = "".join(f"<string>{escape(word)}</string>" for word in (python, "-P", "-m", "ultan", *job.words))
        times = {"Minute": job.minute, "Hour": job.hour, "Weekday": job.weekday}
        when = "".join(f"<key>{key}</key><integer>{value}</integer>" for key, value in times.items() if value >= 0)
        text = (
            '<?xml version="1.0" encoding="UTF-8"?>\n<plist version="1.0"><dict>\n'
            f"<key>Label</key><string>org.{_name(root, job)}</string>\n<key>ProgramArguments</key><array>{words}</array>\n"
            f"<key>EnvironmentVariables</key><dict><key>ULTAN_HOME</key><string>{escape(root)}</string></dict>\n"
            f"<key>StartCalendarInterval</key><dict>{when}</dict>\n<key>Nice</key><integer>10</integer>\n</dict></plist>\n"
        )
        yield os.path.join(folder, f"org.{_name(root, job)}.plist"), text


def _switches(root: str, environ: Mapping[str, str], kind: str, *, off: bool = False) -> list[list[str]]:
    """The commands that make *kind* notice what was written, or let go of it."""
    if kind == "systemd":
        timers = [f"{_name(root, job)}.timer" for job in JOBS]
        switch = ["systemctl", "--user", "disable" if off else "enable", "--now", *timers]
        return [switch] if off else [["systemctl", "--user", "daemon-reload"], switch]
    domain = f"gui/{os.getuid()}"
    if off:
        return [["launchctl", "bootout", f"{domain}/org.{_name(root, job)}"] for job in JOBS]
    return [["launchctl", "bootstrap", domain, path] for path, _ in _agents(root, environ, "")]
