"""The warm server as a unit of the person's own session: systemd's on Linux, launchd's on a Mac.

Only a file is written or removed; starting and ending it is told as a command, because a
service manager of a person is not ours to steer. A file by another hand is left alone.
"""

import os
import plistlib
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ultan import home, housekeeping
from ultan.errors import StorageFailed

LABEL = "org.ultan.serve"
MARK = "# Written by `ultan install --serve`; `ultan uninstall` removes it."
NEVER_IDLE_MIN = "100000"


@dataclass(frozen=True, slots=True)
class Unit:
    """A unit file, and the shell commands that make it count and take it out of use."""

    path: str
    text: str
    start: str
    stop: str


@dataclass(frozen=True, slots=True)
class Change:
    """What was done or would be, and what the person should do."""

    did: tuple[str, ...] = ()
    told: tuple[str, ...] = ()


def unit(root: str, environ: Mapping[str, str], python: str, platform: str = sys.platform) -> Unit | None:
    """The unit for the home *root*, served by the interpreter *python*; None where we know no service manager."""
    own = environ.get("HOME") or os.path.expanduser("~")
    words = [python, "-I", "-m", "ultan", "serve", "--home", root, "--idle", NEVER_IDLE_MIN]
    if platform == "darwin":
        path = os.path.join(own, "Library", "LaunchAgents", f"{LABEL}.plist")
        return Unit(path, _plist(words), f"launchctl bootstrap gui/$(id -u) {path}", f"launchctl bootout gui/$(id -u)/{LABEL}")
    if platform.startswith("linux"):
        folder = environ.get("XDG_CONFIG_HOME") or os.path.join(own, ".config")
        path = os.path.join(folder, "systemd", "user", "ultan.service")
        manager = "systemctl --user"
        start = f"{manager} daemon-reload && {manager} enable --now ultan.service"
        return Unit(path, _systemd(words), start, f"{manager} disable --now ultan.service")
    return None


def install(
    root: str, environ: Mapping[str, str], python: str, *, is_dry_run: bool = False, platform: str = sys.platform
) -> Change:
    """Write the unit, shown whole; nothing is started.

    Raises:
        StorageFailed: another hand wrote a file of that name, or the system has no service manager we know.
    """
    wanted = unit(root, environ, python, platform)
    if wanted is None:
        raise StorageFailed(f"no service manager is known for {platform}", "start `ultan serve` yourself, or set serve.on_demand")
    there = _text(wanted.path)
    if there and not _is_ours(there):
        raise StorageFailed(f"{wanted.path} was not written by us", "move it away, then try again")
    if there == wanted.text:
        return Change(told=(f"to start the server: {wanted.start}",))
    if not is_dry_run:
        housekeeping.replace(wanted.path, wanted.text.encode())
    shown = tuple(f"    {line}" for line in wanted.text.splitlines())
    return Change((f"a unit for the warm server in {wanted.path}:", *shown), (f"to start the server: {wanted.start}",))


def uninstall(root: str, environ: Mapping[str, str], *, is_dry_run: bool = False, platform: str = sys.platform) -> Change:
    """Remove the unit where it is ours."""
    known = unit(root, environ, "python", platform)
    there = _text(known.path) if known else ""
    if known is None or not there:
        return Change()
    if not _is_ours(there):
        return Change(told=(f"{known.path} was not written by us and stays",))
    if not is_dry_run:
        home.remove(known.path, durable=True)
    return Change((f"the unit of the warm server taken out of {known.path}",), (f"if the server runs: {known.stop}",))


def stale(root: str, environ: Mapping[str, str], platform: str = sys.platform) -> str:
    """The unit's path if it starts an interpreter that is gone, else ``""``."""
    known = unit(root, environ, "python", platform)
    there = _text(known.path) if known else ""
    python = _interpreter(there) if there and _is_ours(there) else ""
    return known.path if known and python and not os.access(python, os.X_OK) else ""


def _systemd(words: Sequence[str]) -> str:
    return f"""{MARK}
[Unit]
Description=Ultan's warm server

[Service]
ExecStart={" ".join(_quoted(word) for word in words)}
Restart=on-failure
RestartSec=60
UMask=0077
NoNewPrivileges=yes
Nice=5

[Install]
WantedBy=default.target
"""


def _quoted(word: str) -> str:
    """*word* as systemd reads it back: quotes, backslashes, specifiers and variables are no more than themselves."""
    escaped = word.replace("\\", "\\\\").replace('"', '\\"').replace("%", "%%").replace("$", "$$")
    return f'"{escaped}"'


def _plist(words: Sequence[str]) -> str:
    return plistlib.dumps(
        {
            "Label": LABEL, "ProgramArguments": list(words), "RunAtLoad": True, "KeepAlive": {"SuccessfulExit": False},
            "ThrottleInterval": 60, "Umask": 0o077, "ProcessType": "Background",
        }, sort_keys=False,
    ).decode()  # fmt: skip


def _interpreter(text: str) -> str:
    if text.startswith(MARK):
        line = next((line for line in text.splitlines() if line.startswith('ExecStart="')), "")
        word = line.removeprefix('ExecStart="').partition('" "')[0]
        return word.replace("$$", "$").replace("%%", "%").replace('\\"', '"').replace("\\\\", "\\")
    try:
        words = plistlib.loads(text.encode()).get("ProgramArguments")
    except (ValueError, AttributeError, plistlib.InvalidFileException):
        return ""
    return str(words[0]) if isinstance(words, list) and words else ""


def _is_ours(text: str) -> bool:
    return text.startswith(MARK) or (text.startswith("<?xml") and f"<string>{LABEL}</string>" in text)


def _text(path: str) -> str:
    try:
        return home.read(path, 1 << 20).decode("utf-8", "replace")
    except OSError:
        return ""
