"""The hook contract on the real entry point: one process per call, started by the line that is installed.

Event by failure: exit 0, one JSON object or nothing, nothing on stderr, both pipes closed in time.
"""

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
import re2

import ultan
from ultan import home as place
from ultan import housekeeping, settings, spool
from ultan.clients import claude_code
from ultan.library.entry import Entry, Trigger
from ultan.recall.compile import build_from_entries

FOLDERS = [os.path.dirname(os.path.dirname(os.path.abspath(module.__file__))) for module in (ultan, re2)]
RECORDED = Path(__file__).parents[1] / "payloads" / "claude-code" / "hooks.jsonl"
IN_TIME_S = 60.0  # the machine that tests may be busy; the deadline under test is that it ends at all

CALLS = {}
for _line in RECORDED.read_text().splitlines():
    CALLS.setdefault(json.loads(_line)["hook_event_name"], _line)


def argv(verb):
    return ["/bin/sh", "-c", claude_code.hook_line(sys.executable, FOLDERS, verb)]


def prepared(tmp_path, *, woken=False):
    """A home with an index and a project; hooks in it start no curator."""
    root, project = place.ensure(str(tmp_path / "home")), tmp_path / "proj"
    project.mkdir()
    entry = Entry(
        "global/uv", "Always use uv, never pip", "convention", "global", "2026-01-01", "2026-01-01", body="Use uv, never pip.\n",
        triggers=(Trigger(tool="Bash", pattern=r"\bpip install\b", severity="block"),),
    )  # fmt: skip
    chosen = settings.Settings({"curation.wake": woken, "priming.min_relevance": 0.0})
    place.write(os.path.join(root, "index", "library.idx"), bytes(build_from_entries([entry], chosen)._mapped))
    if not woken:  # for the hooks that find no index
        place.write(os.path.join(root, "config.toml"), b"[curation]\nwake = false\n")
    environ = {"PATH": os.environ["PATH"], "HOME": str(tmp_path), "ULTAN_HOME": root, "CLAUDE_PROJECT_DIR": str(project)}
    return root, str(project), environ


def told(line, project, tmp_path):
    return line.replace("$PROJECT", project).replace("$TRANSCRIPT", str(tmp_path / "t.jsonl")).encode()


def run(verb, stdin, environ, cwd, **more):
    return subprocess.run(argv(verb), input=stdin, capture_output=True, env=environ, cwd=cwd, timeout=IN_TIME_S, check=False, **more)


def is_kept(done):
    """Exit 0, one JSON object or nothing, a silent stderr."""
    assert done.returncode == 0
    assert done.stderr == b""
    if done.stdout:
        reply = json.loads(done.stdout)
        assert set(reply) == {"hookSpecificOutput", "suppressOutput"}
        assert reply["hookSpecificOutput"].get("permissionDecision", "deny") == "deny"
    return bool(done.stdout)


# Failure → what it does to the world before the hook runs; returns the stdin, or None for the real one.
def intact(_root, _project, _environ):
    return None


def no_stdin(_root, _project, _environ):
    return b""


def garbage(_root, _project, _environ):
    return b"\x00\xff{"


def torn_index(root, _project, _environ):
    path = os.path.join(root, "index", "library.idx")
    raw = place.read(path)
    place.write(path, raw[: len(raw) // 2])


def no_index(root, _project, _environ):
    place.remove(os.path.join(root, "index", "library.idx"))


def files_for_folders(root, _project, _environ):
    for name in ("sessions", "queue/new"):
        housekeeping.clear_folder(os.path.join(root, name))
        place.write(os.path.join(root, name), b"")


def no_environment(root, _project, environ):
    environ.clear()
    environ["ULTAN_HOME"] = root


def odd_locale(_root, _project, environ):
    environ |= {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONIOENCODING": "ascii"}


def hostile_project(_root, project, environ):
    for name in ("json", "re2", "select", "ultan", "zlib", "sitecustomize"):
        Path(project, f"{name}.py").write_text("print('taken over'); raise SystemExit(2)\n")
    environ |= {"PYTHONPATH": project, "PYTHONSTARTUP": project + "/json.py", "PYTHONHOME": "/nowhere"}


def server_gone(root, _project, _environ):
    import socket

    line = socket.socket(socket.AF_UNIX)
    here = os.getcwd()
    os.chdir(root)  # socket names are short
    line.bind("serve.sock")
    os.chdir(here)
    line.close()


FAILURES = (intact, no_stdin, garbage, torn_index, no_index, files_for_folders, no_environment, odd_locale, hostile_project, server_gone)


@pytest.mark.parametrize("failure", FAILURES, ids=lambda failure: failure.__name__)
@pytest.mark.parametrize("event", sorted(CALLS))
def test_whatever_fails_the_agent_goes_on(tmp_path, event, failure):
    root, project, environ = prepared(tmp_path)
    stdin = failure(root, project, environ)
    verb = claude_code.EVENTS[event][0]
    spoke = is_kept(run(verb, told(CALLS[event], project, tmp_path) if stdin is None else stdin, environ, project))
    if failure in (intact, odd_locale, hostile_project, server_gone, files_for_folders):
        assert spoke == (event in ("SessionStart", "SubagentStart", "UserPromptSubmit", "PreToolUse"))


@pytest.mark.parametrize("verb", ["capture", "prime", "notice", "brief"])
def test_an_input_that_is_never_closed_ends_the_hook_and_its_pipes(tmp_path, verb):
    root, _, environ = prepared(tmp_path)
    started = time.monotonic()
    child = subprocess.Popen(argv(verb), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environ)
    child.stdin.write(b'{"session_id": "s"')
    child.stdin.flush()
    out, err = child.stdout.read(), child.stderr.read()  # until the end of both pipes
    assert (child.wait(IN_TIME_S), out, err) == (0, b"", b"")
    assert time.monotonic() - started < IN_TIME_S
    child.stdin.close()
    assert housekeeping.counters(root)["late"] == 1


@pytest.mark.parametrize("verb", ["capture", "notice"])
def test_a_gigabyte_is_not_read(tmp_path, verb):
    root, _, environ = prepared(tmp_path)
    feed = f"head -c 1000000000 /dev/zero | {argv(verb)[2]}"
    done = subprocess.run(["/bin/sh", "-c", feed], capture_output=True, env=environ, timeout=IN_TIME_S, check=False)
    assert not is_kept(done)
    assert housekeeping.counters(root)["oversized"] == 1


def test_a_started_curator_does_not_hold_the_hooks_pipes(tmp_path):
    root, project, environ = prepared(tmp_path, woken=True)
    done = run("capture", told(CALLS["Stop"], project, tmp_path), environ, project)  # returns when both pipes are closed
    assert not is_kept(done)
    assert os.path.exists(os.path.join(root, "runs", "woken"))


def test_a_wedged_hook_is_ended_by_the_kernel_and_the_shell_says_0():
    code = "import sys;sys.path+=%r;from ultan import reflex;reflex.PROCESSOR_S['notice']=0.05;reflex.set_hard_stop('notice')\nwhile True: pass"
    line = f"{{ {claude_code.quoted(sys.executable)} -I -S -c {claude_code.quoted(code % FOLDERS)}; }} 2>/dev/null || true"
    done = subprocess.run(["/bin/sh", "-c", line], capture_output=True, timeout=IN_TIME_S, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


@pytest.mark.parametrize("signal", ["ALRM", "PROF", "KILL"])
def test_a_hook_that_was_ended_while_it_worked_can_be_counted(tmp_path, signal):
    root, project, environ = prepared(tmp_path)
    code = "import os,sys;sys.path+=%r;from ultan import reflex;from ultan.reflex import capture\n"
    code += f"import signal;capture.capture=lambda hook: os.kill(os.getpid(), signal.SIG{signal})\nreflex.answer('capture', [])"
    line = f"{{ {claude_code.quoted(sys.executable)} -I -S -c {claude_code.quoted(code % FOLDERS)}; }} 2>/dev/null || true"
    done = subprocess.run(["/bin/sh", "-c", line], input=told(CALLS["Stop"], project, tmp_path), capture_output=True, env=environ, check=False)
    assert not is_kept(done)
    [note] = housekeeping.cut_off(root, time.time() + housekeeping.CUT_OFF_S + 1)
    assert os.path.basename(note).startswith("capture.")
    run("capture", told(CALLS["Stop"], project, tmp_path), environ, project)
    assert housekeeping.cut_off(root, time.time() + housekeeping.CUT_OFF_S + 1) == [note], "who ends by itself leaves none"


MODULES = (
    "import sys;sys.path+=%r\n"
    "before=set(sys.modules)\n"
    "from ultan import reflex\n"
    "assert reflex.run(sys.argv[1], []) == 0\n"
    "print('\\n'.join(sorted(set(sys.modules))), file=sys.stderr)\n"
)
NEVER = frozenset(
    ("json", "re", "typing", "dataclasses", "pathlib", "logging", "subprocess", "tomllib", "socket", "collections", "datetime",
     "hashlib", "functools", "enum", "signal", "threading", "pydantic", "numpy", "yaml", "filelock", "platformdirs", "asyncio", "site")
)  # fmt: skip
OWN = {"capture": {"prime", "notice", "brief"}, "prime": {"notice", "brief"}, "notice": {"brief"}, "brief": {"notice"}}


@pytest.mark.parametrize("event", sorted(CALLS))
def test_a_hook_loads_nothing_slow_and_no_other_verb(tmp_path, event):
    root, project, environ = prepared(tmp_path)
    verb = claude_code.EVENTS[event][0]
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", MODULES % FOLDERS, verb], input=told(CALLS[event], project, tmp_path), capture_output=True,
        env=environ, timeout=IN_TIME_S, check=True,
    )  # fmt: skip
    loaded = set(done.stderr.decode().split())
    assert not loaded & NEVER
    assert not {name.rpartition(".")[2] for name in loaded if name.startswith("ultan.reflex.")} & OWN[verb] - ({"capture"} if verb == "notice" else set())
    assert not os.path.exists(os.path.join(root, "trouble.jsonl"))


@pytest.mark.slow
def test_of_200_captures_in_parallel_none_is_lost_untold(tmp_path):
    """On a machine so busy that the wall limit ends one (``crash/test_locks.py`` sees to it that nothing else does), that is told."""
    root, project, environ = prepared(tmp_path)
    children = []
    for number in range(200):
        payload = json.loads(told(CALLS["PostToolUse"], project, tmp_path)) | {"tool_use_id": f"toolu_{number}"}
        child = subprocess.Popen(argv("capture"), stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environ)
        child.stdin.write(json.dumps(payload).encode())
        child.stdin.close()
        children.append(child)
    assert [child.wait(300) for child in children] == [0] * 200
    events = spool.take(root, spool.backlog(root))
    kept = {piece.id for event in events for piece in event.pieces}
    ended = housekeeping.cut_off(root, time.time() + 3600)
    assert kept <= {f"toolu_{number}" for number in range(200)}
    assert len(events) == len(kept) >= 200 - len(ended)
