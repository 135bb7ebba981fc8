"""Payloads in, replies out, and the lines that installed hooks run."""

import json
import subprocess
import sys

import pytest

from ultan import reflex
from ultan.clients import claude_code as client
from ultan.clients import plain_id


def call(name="UserPromptSubmit", environ=None, **fields):
    return client.read_call({"session_id": "s", "hook_event_name": name, **fields}, environ or {})


def test_every_event_has_a_verb_a_kind_and_a_timeout_in_seconds():
    assert set(client.EVENTS) == set(client.KINDS)
    for verb, _, timeout_s in client.EVENTS.values():
        assert verb in reflex.VERBS
        assert 1 <= timeout_s <= 120


def test_the_hooks_object_is_what_the_client_reads():
    hooks = client.settings_hooks(lambda verb: f"run {verb}")
    assert hooks["SessionEnd"] == [{"hooks": [{"type": "command", "command": "run capture", "timeout": 20}]}]
    assert hooks["PostToolUse"][0]["matcher"] == client.RESULTS
    assert json.loads(json.dumps(hooks)) == hooks


def test_what_may_name_a_file_holds_no_nul_and_what_was_said_is_left_as_it_is():
    found = call(cwd="/p\0", transcript_path="/t\0", prompt="a\0b", tool_input={"file_path": "/x\0/y", "limit": 3})
    assert (found.cwd, found.project_root, found.transcript) == ("/p\ufffd", "/p\ufffd", "/t\ufffd")
    assert found.tool_input == {"file_path": "/x\ufffd/y", "limit": 3}
    assert found.prompt == "a\0b"


def test_the_project_is_the_clients_folder_not_where_the_agent_went():
    assert call(cwd="/p/sub", environ={"CLAUDE_PROJECT_DIR": "/p"}).project_root == "/p"
    assert call(cwd="/p/sub").project_root == "/p/sub"


@pytest.mark.parametrize(
    ("prompt", "is_typed"),
    [
        ("use uv", True), ("/hi bob", True), ("", False), (" \n", False), ("<task-notification>x", False), ("/ultan remember x", False),
        ("/ultan:ultan x", False), ("/ultan-search x", False), ("/ultanic", True),
    ],
)  # fmt: skip
def test_typed_prompts_are_told_from_the_clients_and_ours(prompt, is_typed):
    assert client.is_typed(call(prompt=prompt)) == is_typed


def test_text_goes_into_one_field_alone_and_never_above_the_cap():
    reply = client.context(call(), "x" * 20_000)
    assert set(reply) == {"hookSpecificOutput", "suppressOutput"}
    assert set(reply["hookSpecificOutput"]) == {"hookEventName", "additionalContext"}
    assert len(reply["hookSpecificOutput"]["additionalContext"]) < 10_000


def test_a_denial_is_a_decision_with_its_reason():
    assert client.denial(call("PreToolUse"), "no")["hookSpecificOutput"] == {
        "hookEventName": "PreToolUse", "permissionDecision": "deny", "permissionDecisionReason": "no",
    }  # fmt: skip


@pytest.mark.parametrize("folder", ["plain", "a b", "it's", 'say "x"', "\u00fc\u6f22", "$HOME", "back\\slash", "semi;colon"])
def test_a_line_works_in_folders_of_any_name(tmp_path, folder):
    place = tmp_path / folder
    (place / "ultan").mkdir(parents=True)
    (place / "ultan" / "__init__.py").write_text("")
    (place / "ultan" / "__main__.py").write_text("import sys\ndef main():\n    print(sys.argv[1:], sys.stdin.read())\n")
    done = subprocess.run(
        ["/bin/sh", "-c", client.hook_line(sys.executable, [str(place)], "prime")], input=b"in", capture_output=True, check=True
    )
    assert done.stdout == b"['prime', '--client', 'claude-code'] in\n"


@pytest.mark.parametrize(
    "line",
    [
        client.hook_line("/nowhere/python", ["/nowhere"], "prime"),
        client.hook_line(sys.executable, ["/nowhere"], "prime"),
        client.hook_line("/etc/passwd", ["/nowhere"], "prime"),
        client.hook_line("/", ["/nowhere"], "prime"),
    ],
)
def test_a_broken_installation_is_silent_and_exits_0(line):
    done = subprocess.run(["/bin/sh", "-c", line], input=b"{}", capture_output=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


@pytest.mark.parametrize("prompt", ["/ultan use uv", "/ultan:ultan\tuse uv", "/ultan\nuse uv\n", " /ultan  use uv"])
def test_what_is_dictated_may_begin_on_a_line_of_its_own(prompt):
    assert client.dictated(prompt) == "use uv"
    assert client.dictated("/ultan") == client.dictated("use uv") == ""


# --- ids ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["", "s1", "agent_7.b", "0f8fad5b-d9cb-469f-a165-70867728950e", "session-of-the-tour"])
def test_a_plain_id_stays_as_it_is(name):
    assert plain_id(name) == name


@pytest.mark.parametrize(
    "name", ["ghp_" + "aB3dE5gH7j" * 3 + "K1m2N3", "AKIA" + "Z7Q2M5N8K1L4P9R3", "postgres://me:hunter2@db/x", "../../etc", "x" * 200, ".hidden", "ä"]
)
def test_what_is_no_plain_id_or_looks_like_a_credential_becomes_a_digest(name):
    masked = plain_id(name)
    assert masked.startswith("id-")
    assert name not in masked
    assert plain_id(name) == masked
    call = client.read_call({"hook_event_name": "Stop", "session_id": name, "agent_id": name}, {})
    assert (call.session, call.agent) == (masked, masked)
