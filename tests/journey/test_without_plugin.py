"""For people without the plugin: `ultan install` in the real client, and leaving again."""

import json
import os
import subprocess
import sys

import pytest
from messages_api import calls, says
from plugged import queued, unread

pytestmark = pytest.mark.slow

ODD = b'{\r\n\t"model": "opus",  \r\n\t"permissions": {"allow": ["Bash(ls:*)"]}\r\n}\r\n'


def ultan(agent, *words):
    """The command of the interpreter that runs the tests, in the person's own terminal."""
    done = subprocess.run(
        [sys.executable, "-I", "-m", "ultan", *words],
        env=agent.environ(),
        cwd=agent.project,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_a_session_is_captured_and_primed_and_uninstalling_leaves_no_trace(agent, api):
    settings = agent.config / "settings.json"
    settings.write_bytes(ODD)
    ultan(agent, "install")
    ultan(agent, "save", "Never write to the production database from a test", "--trigger", r"Bash:psql.*production")
    api.next_script(calls("Bash", command="echo psql; psql production", description="look"), says("done"))
    with unread(agent):
        outcome = agent.ask("count the rows in the database", "--permission-mode", "bypassPermissions")
        assert any("count the rows" in text for text in queued(agent))
    assert [hook for event in ("SessionStart", "UserPromptSubmit", "PreToolUse", "Stop") for hook in outcome.hooks(event)]
    assert "Library note" in api.turns[-1].text
    ultan(agent, "uninstall")
    assert settings.read_bytes() == ODD
    assert sorted(os.listdir(agent.config)) == sorted(set(os.listdir(agent.config)) - {"skills"})
    outcome = agent.ask("hello")
    assert not [hook for event in ("SessionStart", "UserPromptSubmit", "Stop") for hook in outcome.hooks(event)]
    assert not any("hello" in text for text in queued(agent))


def test_the_bare_skills_work(agent, api):
    ultan(agent, "install")
    seen = len(api.turns)
    agent.ask("/ultan remember: releases happen on Tuesdays")
    assert "releases-happen-on-tuesdays" in api.turns[seen].text
    api.next_script(calls("Bash", command="true", description="x"), says("On Tuesdays."))
    outcome = agent.ask("/ultan-advisor when do we release?")
    assert outcome.result["result"] == "On Tuesdays."
    assert "ultan ask" in api.turns[-1].text


def test_hooks_of_the_project_alone_leave_the_persons_settings_untouched(agent):
    ultan(agent, "install", "--project")
    assert not (agent.config / "settings.json").exists()
    with unread(agent):
        agent.ask("hello from the project")
        assert any("hello from the project" in text for text in queued(agent))
    ultan(agent, "uninstall", "--project")
    assert not (agent.project / ".claude" / "settings.json").exists()


def test_doctor_names_the_argv_that_the_client_runs(agent):
    ultan(agent, "install")
    report = json.loads(ultan(agent, "doctor", "--json"))
    settings = json.loads((agent.config / "settings.json").read_text())
    assert report["installed"] == "settings"
    line = settings["hooks"]["UserPromptSubmit"][0]["hooks"][0]["command"]
    assert report["hook_commands"]["prime"] == ["/bin/sh", "-c", line]
    assert report["interpreter"] in line
