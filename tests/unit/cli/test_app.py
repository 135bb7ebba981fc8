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


@pytest.mark.parametrize("argv", ANSWERS, ids=" ".join)
def test_a_reader_that_has_gone_is_noticed_where_the_stream_keeps_nothing_back(argv, environ):
    out, into = os.pipe()
    os.close(out)
    with io.FileIO(into, "w") as raw:
        stream = io.TextIOWrapper(raw, write_through=True)
        assert ended(argv, environ, stream, stream) == READER_GONE


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


@pytest.mark.parametrize("closed", [0, 1, 2])
@pytest.mark.parametrize("argv", [["save", "-"], ["list"], ["list", "--json"], ["no-such-command"]], ids=" ".join)
def test_a_stream_that_was_closed_before_we_began_is_no_fault_of_ours(argv, closed, environ):
    sign = "<" if closed == 0 else ">"
    done = subprocess.run(
        ["/bin/sh", "-c", f'exec "$@" {closed}{sign}&-', "sh", sys.executable, "-m", "ultan", *argv],
        capture_output=True, env=environ, timeout=60, check=False, cwd=Path(__file__).parents[3],
    )  # fmt: skip
    assert b"unforeseen" not in done.stderr
    assert done.returncode == (0 if argv[0] == "list" else 2)


@pytest.mark.parametrize("argv", [[b"show", b"\xff\xfe"], [b"save", b"\xff" * 9, b"--title", b"x\xffy z"], [b"--home", b"/\xff", b"list"]])
def test_words_that_are_no_utf8_are_never_a_fault_of_ours(argv, environ, tmp_path):
    done = subprocess.run(
        [sys.executable, "-m", "ultan", *argv], capture_output=True, timeout=60, check=False, cwd=Path(__file__).parents[3],
        env={**environ, "ULTAN_HOME": str(tmp_path / "home")},
    )  # fmt: skip
    assert b"unforeseen" not in done.stderr
    assert done.returncode in (0, 1, 2)


def test_words_in_a_locale_without_unicode_arrive_as_they_were_typed(environ, tmp_path):
    plain = {**environ, "LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0", "ULTAN_HOME": str(tmp_path / "home")}
    said = [sys.executable, "-m", "ultan", "save", "Größe, 日本: use metres"]
    done = subprocess.run(said, capture_output=True, env=plain, timeout=60, check=False, cwd=Path(__file__).parents[3])
    assert (done.returncode, done.stderr) == (0, b"")
    kept = "".join(page.read_text(encoding="utf-8") for page in (tmp_path / "home" / "knowledge").rglob("*.md"))
    assert "title: 'Größe, 日本: use metres'" in kept


@pytest.mark.parametrize(("context", "says", "status"), [(None, "nothing was done", 1), (EOFError(), "interrupted", 130), (KeyboardInterrupt(), "interrupted", 130)])
def test_a_no_is_no_interruption(context, says, status, environ, monkeypatch):
    """Three ways out of a question: answered no, end of input, and Ctrl-C."""

    class Asking(io.StringIO):
        def isatty(self):
            return False

        def readline(self, *_):
            if context:
                raise context
            return "n\n"

    monkeypatch.setattr(sys, "stdin", Asking())
    out, err = io.StringIO(), io.StringIO()
    world = World(environ=environ, stdin=io.StringIO(), stdout=out, stderr=err, clock=lambda: 1_780_000_000.0, folder=os.sep, has_person=True)
    assert run(["purge", "use-uv"], world) == status
    assert says in err.getvalue()
