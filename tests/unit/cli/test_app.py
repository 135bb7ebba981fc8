"""The door for people: how a command ends."""

import contextlib
import io
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from ultan.cli.app import READER_GONE, commands, run
from ultan.cli.wiring import World
from ultan.library.actions import Create
from ultan.library.executor import execute
from ultan.library.store import FileStore

ALL = sorted(commands(World(environ={})).commands)
ANSWERS = (
    ["list"], ["list", "--json"], ["log"], ["show", "use-uv"], ["related", "use-uv"], ["review"], ["config"], ["check"], ["counters"],
    ["search", "uv"], ["why", "uv or pip?"], ["--version"], ["no-such-command"], ["show", "no-such-entry"],
)  # fmt: skip


@contextlib.contextmanager
def unread():
    """A stream whose reader has gone, as after ``| head``."""
    out, into = os.pipe()
    os.close(out)
    stream = os.fdopen(into, "w")
    try:
        yield stream
    finally:
        with contextlib.suppress(BrokenPipeError):
            stream.close()


@pytest.fixture(scope="module")
def environ(tmp_path_factory):
    root = tmp_path_factory.mktemp("read")
    wish = Create(folder="global", kind="convention", title="Use uv", rule="Use uv, never pip.")
    execute(FileStore(str(root / "home")), [wish], now=1_780_000_000.0, by="person")
    return {"HOME": str(root), "ULTAN_HOME": str(root / "home"), "PATH": os.defpath}


def ended(argv, environ, out, err):
    return run(argv, World(environ=environ, stdin=io.StringIO(), stdout=out, stderr=err, clock=lambda: 1_780_000_000.0, folder=os.sep))


@pytest.mark.parametrize("name", ALL)
def test_help_that_nobody_reads_ends_any_command_quietly(name, environ):
    err = io.StringIO()
    with unread() as out:
        assert (ended([name, "--help"], environ, out, err), err.getvalue()) == (READER_GONE, "")


@pytest.mark.parametrize("argv", ANSWERS, ids=" ".join)
def test_an_answer_or_a_failure_that_nobody_reads_ends_quietly(argv, environ):
    with unread() as out, unread() as err:
        assert ended(argv, environ, out, err) == READER_GONE


def test_a_pipe_that_breaks_elsewhere_is_a_failure_like_any_other(environ):
    """Only our own streams have readers that may leave."""
    out, err = io.StringIO(), io.StringIO()

    class Broken(dict):
        def get(self, name, default=""):
            if name == "ULTAN_HOME":
                raise BrokenPipeError(32, "Broken pipe", "somebody's socket")
            return super().get(name, default)

    assert ended(["list"], Broken(environ), out, err) == 1
    assert "Broken pipe (somebody's socket)" in err.getvalue()


@pytest.mark.skipif(not hasattr(signal, "SIGPIPE"), reason="Windows knows no SIGPIPE")
@pytest.mark.parametrize("argv", [["list"], ["--help"], ["--version"]], ids=" ".join)
def test_a_process_whose_reader_has_gone_ends_as_unix_tools_do(argv, environ):
    with unread() as out:
        done = subprocess.run(
            [sys.executable, "-m", "ultan", *argv], stdout=out, stderr=subprocess.PIPE, env=environ, timeout=60, check=False,
            cwd=Path(__file__).parents[3],
        )  # fmt: skip
    assert (done.returncode, done.stderr) == (-signal.SIGPIPE, b"")
