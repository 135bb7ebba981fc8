"""The real client with an installation that is slow, noisy, hung, or stands on a broken home: the turn goes on, unpolluted.

``test_plugin.py`` has those that are cut, gone or torn. What the model is sent is compared with what
it is sent without Ultan: a broken installation may cost its notes and some seconds, never a word.
"""

import json
import os
import shutil
import sys
import time

import pytest
from messages_api import calls, says
from plugged import ROOT, home_of, install_plugin, lend_runtime, runtime_folder

pytestmark = pytest.mark.slow

TIMEOUT_S = {
    event: groups[0]["hooks"][0]["timeout"] for event, groups in json.loads((ROOT / "hooks" / "hooks.json").read_text())["hooks"].items()
}
IN_A_TURN = ("UserPromptSubmit", "PreToolUse", "PostToolUse", "Stop")
WRAPPERS = {
    "noisy": "head -c 2000000 /dev/zero | tr '\\0' x >&2; echo Traceback >&2; exec {python} \"$@\"",
    "noisy and broken": "head -c 2000000 /dev/zero | tr '\\0' x >&2; exit 2",
    "slow": 'sleep 1; exec {python} "$@"',
    "hung": "exec sleep 60",
    "crashing": "kill -SEGV $$",
}


def wrapped(agent, provisioned, name):
    """Let the plugin of *agent* start its interpreter through a script that makes it *name*."""
    path = runtime_folder(agent) / "wrapped"
    path.write_text("#!/bin/sh\n" + WRAPPERS[name].format(python=provisioned.python) + "\n")
    path.chmod(0o755)
    ready = runtime_folder(agent) / "ready"
    ready.write_text(ready.read_text().replace(provisioned.python, str(path), 1))


def settings_broken(agent):
    home_of(agent).mkdir(parents=True, exist_ok=True)
    (home_of(agent) / "config.toml").write_bytes(b"[[[\xff")


def a_file_for_a_home(agent):
    home_of(agent).parent.mkdir(parents=True, exist_ok=True)
    shutil.rmtree(home_of(agent), ignore_errors=True)
    home_of(agent).write_text("no folder")


def index_a_pipe(agent):
    (home_of(agent) / "index").mkdir(parents=True, exist_ok=True)
    shutil.rmtree(home_of(agent) / "index")
    (home_of(agent) / "index").mkdir()
    os.mkfifo(home_of(agent) / "index" / "library.idx")


def one_turn(agent, api):
    """A turn with a tool call in a session that is under way: its result, its seconds, what the model saw, what hooks said."""
    with agent.live("--permission-mode", "bypassPermissions") as live:
        live.say("hello")
        api.next_script(calls("Bash", command="echo still-here", description="x"), says("went on"))
        start = time.monotonic()
        result = live.say("run something")
        took = time.monotonic() - start
    return result["result"], took, api.turns[-1].text, live.messages


def unpolluted(messages, seen):
    for message in messages:
        if message.get("subtype") == "hook_response":
            if message.get("outcome") == "cancelled":  # the client's own hand, after the timeout we ask for
                continue
            assert message.get("exit_code") in (0, None), message
            assert not message.get("stderr"), message
            assert not (message.get("stdout") or "").strip() or set(json.loads(message["stdout"])) <= {"hookSpecificOutput", "suppressOutput"}
    for word in ("Traceback", "xxxxxxxx", "hook error", "hook failed"):
        assert word not in seen


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory):
    """How long the same turn takes without Ultan."""
    from client import Agent
    from messages_api import MessagesApi

    with MessagesApi() as api:
        result, took, _, _ = one_turn(Agent(tmp_path_factory.mktemp("bare"), api.url), api)
    assert result == "went on"
    return took


@pytest.mark.parametrize("name", WRAPPERS)
def test_an_interpreter_that_is_slow_noisy_or_hung_holds_no_turn_up_for_good(agent, plugin, provisioned, api, undisturbed, name):
    install_plugin(agent, plugin)
    lend_runtime(agent, provisioned)
    (runtime_folder(agent) / "failed").touch()
    wrapped(agent, provisioned, name)
    result, took, seen, messages = one_turn(agent, api)
    assert result == "went on"
    assert "still-here" in seen
    unpolluted(messages, seen)
    most = {"slow": 4.0, "hung": sum(TIMEOUT_S[event] for event in IN_A_TURN)}.get(name, 0.0)
    sys.stderr.write(f"{name}: the turn took {took:.1f} s, without Ultan {undisturbed:.1f} s\n")
    assert took < most + 4 * undisturbed + 10


@pytest.mark.parametrize("damage", [settings_broken, a_file_for_a_home, index_a_pipe])
def test_a_broken_home_holds_no_turn_up(ready_agent, api, undisturbed, damage):
    damage(ready_agent)
    result, took, seen, messages = one_turn(ready_agent, api)
    assert result == "went on"
    assert "still-here" in seen
    unpolluted(messages, seen)
    sys.stderr.write(f"{damage.__name__}: the turn took {took:.1f} s, without Ultan {undisturbed:.1f} s\n")
    assert took < 4 * undisturbed + 10
