"""A hook exits 0 with one object or nothing, and leaves a trace for the person."""

import os

import pytest

from ultan import home as place
from ultan import homes, housekeeping, reflex

BROKEN = {
    "empty": b"", "white space": b" \n", "no JSON": b"hello", "a list": b"[]", "a number": b"7", "two objects": b"{}{}",
    "cut off": b'{"session_id": "s', "deep": b"[" * 200_000, "NUL": b"\x00", "not UTF-8": b"\xff\xfe",
    "no session": b'{"hook_event_name": "Stop"}', "no event": b'{"session_id": "s"}', "a number for an event": b'{"session_id":"s","hook_event_name":7}',
    "an unknown event": b'{"session_id":"s","hook_event_name":"Telepathy"}', "an empty session": b'{"session_id":"","hook_event_name":"Stop"}',
}  # fmt: skip


@pytest.mark.parametrize("verb", reflex.VERBS)
@pytest.mark.parametrize("raw", BROKEN.values(), ids=BROKEN)
def test_broken_input_is_silent_and_queues_nothing(hook, queue, verb, raw):
    assert hook(verb, raw=raw) is None
    assert queue() == []


def test_broken_input_is_counted(hook, counters):
    hook("capture", raw=b"no JSON")
    assert counters() == {"bad": 1}


@pytest.mark.parametrize("verb", reflex.VERBS)
@pytest.mark.parametrize("value", ["\ud83d", "\x00", float("nan"), 10**400, None, [], {}, True])
def test_strange_values_in_every_field_are_survived(hook, verb, value):
    fields = ("transcript_path", "cwd", "prompt", "prompt_id", "tool_name", "tool_input", "tool_response", "error", "source",
              "agent_id", "tool_use_id", "last_assistant_message", "reason")  # fmt: skip
    for field in fields:
        hook(verb, **{field: value})


def test_too_much_input_is_dropped_and_counted(hook, counters, queue):
    assert hook("prime", prompt="x" * (reflex.STDIN_BYTES + 1)) is None
    assert queue() == []
    assert counters() == {"oversized": 1}


def test_our_own_models_are_never_captured(hook, home):
    assert hook("brief", environ={"ULTAN_INSIDE": "1"}) is None
    assert os.listdir(os.path.join(home, "sessions")) == []


@pytest.mark.parametrize("field", ["cwd", "transcript_path", "CLAUDE_PROJECT_DIR"])
def test_a_child_of_ours_that_dropped_the_guard_is_known_by_its_folder(hook, home, queue, field):
    inner = os.path.join(home, "runs", "r1", "empty")
    if field == "CLAUDE_PROJECT_DIR":
        hook("prime", prompt="always use uv", environ={field: inner})
    elif field == "cwd":
        hook("prime", prompt="always use uv", cwd=inner)
    else:
        slug = "".join(char if char.isalnum() else "-" for char in inner)
        hook("prime", prompt="always use uv", transcript_path=f"/h/.claude/projects/{slug}/x.jsonl")
    assert queue() == []


def test_a_paused_ultan_is_deaf_and_mute_and_hears_nothing_of_it_later(hook, home, index, queue, tmp_path):
    index("Always use uv, never pip")
    transcript = tmp_path / "t.jsonl"
    transcript.write_text('{"type":"user","uuid":"1","origin":{"kind":"human"},"message":{"content":"said while paused"}}\n')
    place.claim(os.path.join(home, "paused"))
    for verb in reflex.VERBS:
        assert hook(verb, prompt="use uv, never pip", transcript_path=str(transcript)) is None
    assert queue() == []
    place.remove(os.path.join(home, "paused"))
    with open(transcript, "a") as file:
        file.write('{"type":"user","uuid":"2","origin":{"kind":"human"},"message":{"content":"said before the next hook"}}\n')
    hook("prime", prompt="go on", transcript_path=str(transcript))
    with open(transcript, "a") as file:
        file.write('{"type":"user","uuid":"3","origin":{"kind":"human"},"message":{"content":"go further"}}\n')
    hook("capture", transcript_path=str(transcript))
    assert [piece.text for event in queue() for piece in event.pieces] == ["go on", "go further"]


@pytest.mark.parametrize("glob", ["{project}", "{project}/**", "**/proj", "proj", "{parent}/*", "{parent}"])
def test_an_excluded_project_is_neither_heard_nor_told_nor_noticed(hook, index, queue, project, glob):
    index(
        "Always use uv, never pip", trigger=r"\bpip install\b",
        chosen={"capture.excluded": (glob.format(project=project, parent=os.path.dirname(project)),)},
    )  # fmt: skip
    assert hook("brief") is None
    assert hook("prime", prompt="use uv, never pip") is None
    assert hook("notice", tool_name="Bash", tool_input={"command": "pip install x"}) is None
    assert hook("capture", last_assistant_message="done") is None
    assert queue() == []


@pytest.mark.parametrize("glob", ["/elsewhere/**", "other", "proj/*/deep", "*.py"])
def test_other_projects_are_heard(hook, index, queue, glob):
    index("Always use uv, never pip", chosen={"capture.excluded": (glob,)})
    hook("prime", prompt="use uv, never pip")
    assert [event.kind for event in queue()] == ["prompt", "surfaced"]


def test_an_excluded_project_is_excluded_without_an_index_too(hook, home, queue, project):
    place.write(os.path.join(home, "config.toml"), f'[capture]\nexcluded = [\n "{project}", # mine\n]\n'.replace(", # mine", ",").encode())
    hook("prime", prompt="use uv, never pip")
    assert queue() == []


def test_the_first_hook_makes_the_home_for_its_owner_alone(hook, tmp_path):
    new = str(tmp_path / "new")
    hook("prime", prompt="hello there", environ={"ULTAN_HOME": new})
    assert os.stat(new).st_mode & 0o777 == 0o700
    assert len(os.listdir(os.path.join(new, "queue", "new"))) == 1


def test_a_home_that_was_deleted_is_not_made_again(hook, tmp_path):
    new = str(tmp_path / "new")
    hook("prime", prompt="hello there", environ={"ULTAN_HOME": new})
    housekeeping.clear_folder(new)
    for verb in reflex.VERBS:
        assert hook(verb, prompt="hello again", environ={"ULTAN_HOME": new}) is None
    assert not os.path.exists(new)


def test_a_home_inside_the_project_is_refused_and_the_persons_own_is_used(hook, project, tmp_path):
    own = str(tmp_path / ".local" / "share" / "ultan")
    place.ensure(own)
    hook("prime", prompt="hello there", environ={"ULTAN_HOME": project + "/lib"})
    assert not os.path.exists(project + "/lib")
    assert len(os.listdir(os.path.join(own, "queue", "new"))) == 1
    assert housekeeping.counters(own)["refused_home"] == 1


def test_a_chosen_home_inside_the_project_is_refused_without_another(hook, project, queue):
    assert hook("prime", prompt="hello there", argv=["--home", project + "/lib"]) is None
    assert not os.path.exists(project + "/lib")
    assert queue() == []


@pytest.mark.parametrize("argv", [[], ["--home"]])
def test_an_agent_that_works_above_the_home_is_turned_away_and_that_is_noted_outside_it(hook, project, queue, tmp_path, argv):
    root = project + "/tools/memory"
    environ = {"ULTAN_HOME": root, "XDG_STATE_HOME": str(tmp_path / "state"), "XDG_DATA_HOME": project}
    for verb in reflex.VERBS:
        assert hook(verb, prompt="hello there", argv=[*argv, root] if argv else [], environ=environ) is None
    assert not os.path.exists(root)
    assert queue() == []
    _, why = homes.refused(environ)
    assert root in why
    assert project in why


@pytest.mark.parametrize("verb", reflex.VERBS)
@pytest.mark.parametrize("event", ["UserPromptSubmit", "PostToolUse", "PostToolUseFailure", "Stop", "SessionStart"])
@pytest.mark.parametrize("field", ["cwd", "transcript_path", "file_path"])
def test_a_nul_in_a_path_fails_no_hook(hook, counters, verb, event, field):
    payload = {"prompt": "hello there", field: "/a\0b"}
    more = {"tool_name": "Write", "tool_input": {"file_path": "/a\0b"}} if field == "file_path" else {}
    hook(verb, hook_event_name=event, **payload, **more)
    assert "failed" not in counters()


@pytest.mark.parametrize("argv", [["--client"], ["--home"], ["--nonsense", "x"], ["--client=claude-code"], ["-h", "--", "x"]])
def test_no_words_are_a_usage_error(hook, queue, argv):
    hook("prime", prompt="hello there", argv=argv)
    assert len(queue()) <= 1


def test_an_unknown_client_is_noted_for_doctor(hook, home, counters):
    assert hook("prime", prompt="hello there", argv=["--client", "abacus"]) is None
    assert counters() == {"failed": 1}
    assert b"KeyError" in place.read(os.path.join(home, "trouble.jsonl"))


def test_what_is_noted_of_a_failure_holds_no_text_of_the_session(hook, home):
    os.chmod(os.path.join(home, "sessions"), 0o700)
    os.rmdir(os.path.join(home, "sessions"))
    place.write(os.path.join(home, "sessions"), b"a file where a folder should be")
    assert hook("capture", last_assistant_message="the launch code is 1234") is None
    noted = place.read(os.path.join(home, "trouble.jsonl"))
    assert b"capture" in noted
    assert b"1234" not in noted


@pytest.mark.parametrize("verb", reflex.VERBS)
@pytest.mark.parametrize("damage", [b"", b"ULTANIDX", b"x" * 5000])
def test_a_damaged_index_costs_recall_and_nothing_else(hook, home, index, counters, verb, damage):
    index("Always use uv, never pip")
    place.write(os.path.join(home, "index", "library.idx"), damage)
    hook(verb, prompt="use uv, never pip", tool_name="Bash", tool_input={"command": "pip install x"})
    assert counters()["index_unreadable"] >= 1
    assert not os.path.exists(os.path.join(home, "trouble.jsonl"))
