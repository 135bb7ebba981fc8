"""Past tool calls against today's triggers: counted, shared out, examples without secrets."""

import io
import json
import os

import pytest

from ultan import home, settings
from ultan.cli.app import run
from ultan.cli.wiring import World
from ultan.clients import claude_past
from ultan.library.entry import Entry, Trigger
from ultan.recall.compile import build_from_entries
from ultan.recall.index import path_of
from ultan.verbs.replay import replay

SECRET = "ghp_" + "a1B2" * 9


def called(number, tool, **given):
    block = {"type": "tool_use", "id": f"t{number}", "name": tool, "input": given}
    return json.dumps({"type": "assistant", "uuid": f"u{number}", "message": {"role": "assistant", "content": [block]}})


def rule(name, pattern, scope="global"):
    return Entry(
        name, name, "convention", scope, "2026-01-01", "2026-01-01", body="Rule.\n", triggers=(Trigger(tool="Bash", pattern=pattern),)
    )


@pytest.fixture
def session(tmp_path):
    def write(name, *lines):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("\n".join(lines) + "\n")
        return str(path)

    return write


@pytest.fixture
def index():
    return build_from_entries(
        [rule("global/pip", r"\bpip install\b"), rule("global/git", r"\bgit\b"), rule("projects/a/make", r"\bmake\b", "project:a")],
        settings.Settings(),
    )


def test_each_call_counts_once_and_a_trigger_on_more_than_a_twentieth_is_marked(index, session):
    lines = [called(n, "Bash", command=f"ls {n}") for n in range(95)]
    lines += [called(100 + n, "Bash", command=f"git log -{n}") for n in range(6)]
    lines += [called(200, "Bash", command=f"pip install x --token {SECRET}"), called(201, "Bash", command="make")]
    path = session("s1.jsonl", *lines, "no json", '{"type":"assistant","message":{"content":[{"type":"tool_use"}]}}')
    fork = session("s2.jsonl", *lines)
    found = replay(index, [path, fork], project="b")
    assert (found.sessions, found.calls, found.met) == (2, 103, 7)
    assert [(one.entry, one.calls, one.is_broad) for one in found.fired] == [("global/git", 6, True), ("global/pip", 1, False)]
    assert len(found.fired[0].examples) == 3
    assert found.fired[0].share == round(6 / 103, 4)
    assert SECRET not in found.fired[1].examples[0]


def test_a_projects_trigger_is_replayed_in_it_and_one_call_of_ten_is_no_habit(index, session):
    path = session("s.jsonl", *[called(n, "Read", file_path=f"/f{n}") for n in range(9)], called(9, "Bash", command="make all"))
    found = replay(index, [path], project="a")
    assert [(one.entry, one.calls, one.is_broad) for one in found.fired] == [("projects/a/make", 1, False)]


def test_subagents_count_and_what_cannot_be_read_does_not(index, session, tmp_path):
    path = session("s.jsonl", called(1, "Bash", command="ls"))
    session("s/subagents/agent-7.jsonl", called(2, "Bash", command="git push"))
    found = replay(index, [path, str(tmp_path / "gone.jsonl")], project="")
    assert (found.calls, found.met) == (2, 1)


def test_nothing_to_replay_is_an_answer(index):
    assert replay(index, [], project="").fired == ()


def test_the_command_reads_this_projects_sessions_only(tmp_path, session, index):
    root = home.ensure(str(tmp_path / "h"))
    home.write(path_of(root), bytes(index._mapped))
    project = tmp_path / "proj"
    (project / ".git").mkdir(parents=True)
    environ = {"HOME": str(tmp_path), "ULTAN_HOME": root, "PATH": os.environ["PATH"]}
    folder = os.path.relpath(claude_past.past_folder(environ, str(project)), tmp_path)
    start = json.dumps({"type": "user", "cwd": str(project), "timestamp": "2026-01-01T00:00:00Z"})
    session(f"{folder}/s.jsonl", start, called(1, "Bash", command="git push"))
    session(f"{folder}-other/s.jsonl", start, called(2, "Bash", command="git push"))
    out = io.StringIO()
    world = World(environ, io.StringIO(), out, io.StringIO(), lambda: 1_780_000_000.0, str(project), has_person=False)
    assert run(["why", "--past", "5", "--json"], world) == 0
    told = json.loads(out.getvalue())
    assert (told["sessions"], told["calls"], told["met"]) == (1, 1, 1)
