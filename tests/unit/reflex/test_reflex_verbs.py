"""What each verb answers and queues."""

import json
import os
from pathlib import Path

import pytest

from ultan import home as place
from ultan.reflex.session import DEFAULTS, Seen, folder_of
from ultan.settings import TABLE

RECORDED = Path(__file__).parents[2] / "payloads" / "claude-code"
UV = {"title": "Always use uv, never pip", "rule": "Install Python packages with uv, never with pip.", "applies_when": ("adding a dependency",)}
ASKED = "add the python package requests as a dependency, with uv or pip"


def test_what_hooks_do_without_an_index_is_what_the_settings_table_says():
    baked = {row.key: row.default for row in TABLE if row.baked}
    assert {key: baked[key] for key in DEFAULTS} == DEFAULTS


# --- prime ----------------------------------------------------------------------------------------


def test_a_prompt_gets_what_is_relevant_once(hook, index, queue):
    index(**UV)
    reply = hook("prime", prompt=ASKED)
    assert reply["hookEventName"] == "UserPromptSubmit"
    assert "never with pip" in reply["additionalContext"]
    assert set(reply) == {"hookEventName", "additionalContext"}
    assert len(reply["additionalContext"]) <= 1500
    assert hook("prime", prompt=ASKED) is None
    (shown,) = queue("surfaced")
    assert shown.data["ids"] == ["global/uv"]
    assert shown.data["by"] == "prime"


@pytest.mark.parametrize(("source", "again"), [("startup", True), ("clear", True), ("compact", True), ("fork", True), ("resume", False)])
def test_what_was_shown_is_forgotten_with_the_conversation(hook, index, source, again):
    index(**UV)
    hook("prime", prompt=ASKED)
    hook("brief", source=source)
    assert (hook("prime", prompt=ASKED) is not None) == again


def test_a_resumed_conversation_that_was_compacted_unseen_starts_afresh(hook, index, tmp_path):
    index(**UV)
    transcript = tmp_path / "t.jsonl"
    hook("prime", prompt=ASKED, transcript_path=str(transcript))
    transcript.write_text('{"type":"system","subtype":"compact_boundary","uuid":"1"}\n')
    hook("brief", source="resume", transcript_path=str(transcript))
    assert hook("prime", prompt=ASKED, transcript_path=str(transcript)) is not None


def test_a_resumed_conversation_is_not_told_its_briefing_again(hook, index, tmp_path):
    index(**UV)
    assert "Always use uv" in hook("brief", source="startup")["additionalContext"]
    assert hook("brief", source="resume") is None
    transcript = tmp_path / "t.jsonl"
    transcript.write_text('{"type":"system","subtype":"compact_boundary","uuid":"1"}\n')
    assert "Always use uv" in hook("brief", source="resume", transcript_path=str(transcript))["additionalContext"]


def test_a_subagent_is_shown_what_the_main_agent_has_seen(hook, index):
    index(**UV)
    hook("prime", prompt=ASKED)
    assert hook("prime", prompt=ASKED, agent_id="a1") is not None
    assert hook("prime", prompt=ASKED, agent_id="a1") is None


@pytest.mark.parametrize("prompt", ["ok", "hi", "yes go on", "", "<task-notification>always use uv, never pip</task-notification>", "zebra xylophone"])
def test_a_prompt_that_needs_nothing_gets_nothing(hook, index, prompt):
    index(**UV)
    assert hook("prime", prompt=prompt) is None


def test_a_prompt_is_queued_as_the_persons_word(hook, queue, project):
    hook("prime", prompt="No, use uv.\n> quoted", prompt_id="p-1")
    (event,) = queue()
    assert (event.kind, event.client, event.session, event.project, event.root) == ("prompt", "claude-code", "s1", "proj", project)
    assert [(piece.id, piece.origin, piece.text, piece.turn) for piece in event.pieces] == [
        ("p-1", "user", "No, use uv.", 0), ("p-1.1", "pasted", "> quoted", 0),
    ]  # fmt: skip
    assert event.pieces[0].at == "2026-01-05T09:00:05Z"


def test_the_same_delivery_twice_is_one_event_and_one_answer(hook, index, queue):
    index(**UV)
    raw = json.dumps({"session_id": "s1", "cwd": "/p", "hook_event_name": "UserPromptSubmit", "prompt": ASKED}).encode()
    replies = [hook("prime", raw=raw, later=later) for later in (1, 0, 0.5)]
    assert [reply is not None for reply in replies] == [True, False, False]
    assert [event.kind for event in queue()] == ["prompt", "surfaced"]
    assert hook("prime", raw=raw, later=10) is None
    assert len(queue("prompt")) == 2


def test_a_turn_that_ended_without_stop_is_caught_up_with_at_the_next_prompt(hook, queue, tmp_path):
    transcript = tmp_path / "t.jsonl"
    hook("prime", prompt="first", prompt_id="p1", transcript_path=str(transcript))
    transcript.write_text(
        '{"type":"user","uuid":"1","promptId":"p1","origin":{"kind":"human"},"message":{"content":"first"}}\n'
        '{"type":"attachment","uuid":"2","attachment":{"type":"queued_command","prompt":"stop, use uv","origin":{"kind":"human"}}}\n'
    )
    hook("prime", prompt="second", prompt_id="p2", transcript_path=str(transcript))
    assert [[piece.text for piece in event.pieces] for event in queue()] == [["first"], ["stop, use uv"], ["second"]]
    assert [piece.turn for event in queue() for piece in event.pieces] == [0, 0, 1]


def test_a_prompt_typed_mid_turn_is_queued_once_though_two_roads_bring_it(hook, queue, tmp_path):
    transcript = tmp_path / "t.jsonl"
    hook("prime", prompt="first", prompt_id="p1", transcript_path=str(transcript))
    hook("prime", prompt="use uv instead", prompt_id="p1b", transcript_path=str(transcript))
    transcript.write_text(
        '{"type":"user","uuid":"1","promptId":"p1","origin":{"kind":"human"},"message":{"content":"first"}}\n'
        '{"type":"attachment","uuid":"2","attachment":{"type":"queued_command","prompt":"use uv instead","origin":{"kind":"human"}}}\n'
    )
    hook("capture", transcript_path=str(transcript))
    assert [piece.text for event in queue() for piece in event.pieces] == ["first", "use uv instead"]


def test_a_nudge_is_told_once(hook, home, queue):
    place.write(os.path.join(home, "nudges", "n1.json"), json.dumps({"text": "You said <b>uv</b> before.", "project": "proj"}).encode())
    place.write(os.path.join(home, "nudges", "n0.json"), json.dumps({"text": "another project", "project": "other"}).encode())
    place.write(os.path.join(home, "nudges", "broken.json"), b"{")
    assert hook("prime", prompt="hello there")["additionalContext"] == "Ultan: You said \u2039b\u203auv\u2039/b\u203a before."
    assert hook("prime", prompt="hello again") is None
    assert [event.data["id"] for event in queue("nudged")] == ["n1"]


def test_an_entry_written_by_hand_with_a_credential_is_shown_without_it(hook, index):
    token = "gh" + "p_" + "Zk3vQx8LmT1bWc7RyD5n" + "HsJ2fGa9UoPe4iKd"
    index("Add a python package with uv", rule=f"Add every python package dependency with uv and {token} as the index login.")
    shown = hook("prime", prompt=ASKED)["additionalContext"]
    assert token not in shown


def test_only_characters_of_the_basic_plane_are_shown(hook, index):
    index("Add a python package with uv \U0001f469\u200d\U0001f469 \U0001d4b3", rule="Add every python package dependency with uv, never pip \U0001f469.")
    assert max(hook("prime", prompt=ASKED)["additionalContext"]) <= "\uffff"


# --- brief ----------------------------------------------------------------------------------------


def test_a_session_starts_with_the_standing_rules_and_one_line_about_ultan_once(hook, index, queue):
    index(**UV)
    first = hook("brief", source="startup")["additionalContext"]
    assert "Always use uv" in first
    assert "clerk curates" in first
    second = hook("brief", source="startup", session="s2")["additionalContext"]
    assert "clerk" not in second
    assert len(second) <= 1200
    assert [event.kind for event in queue()] == ["session_start", "surfaced"] * 2


def test_no_entry_knows_the_fence_of_a_briefing(hook, index):
    index(**UV)
    fences = {hook("brief", session=f"s{number}", source="startup")["additionalContext"].split("\n")[0] for number in range(3)}
    assert len(fences) == 3
    assert all(len(fence.split()) == 5 for fence in fences)


def test_a_subagent_is_briefed_without_the_line(hook, index, queue):
    index(**UV)
    reply = hook("brief", "SubagentStart", agent_id="a1", agent_type="general-purpose")
    assert reply["hookEventName"] == "SubagentStart"
    assert "clerk" not in reply["additionalContext"]
    assert queue("session_start") == []


def test_news_are_told_once_and_trouble_as_long_as_it_lasts(hook, home):
    hook("brief")
    place.write(os.path.join(home, "news"), b"remembered 2; `ultan log` shows them\n")
    assert hook("brief")["additionalContext"] == "Ultan: remembered 2; 'ultan log' shows them"
    assert hook("brief") is None
    place.write(os.path.join(home, "stopped"), b"learning has stopped\n")
    for _ in range(2):
        assert hook("brief")["additionalContext"] == "Ultan: learning has stopped"


def test_nobody_is_told_how_to_choose_who_has_chosen(hook, home):
    place.write(os.path.join(home, "config.toml"), b'[curation]\nby = "clerk"\n')
    assert hook("brief") is None


# --- notice ---------------------------------------------------------------------------------------


def pip(hook, **fields):
    return hook("notice", tool_name="Bash", tool_input={"command": "cd x && pip install requests"}, **fields)


def test_a_call_that_breaks_a_rule_gets_advice(hook, index, queue):
    index(**UV, trigger=r"\bpip install\b")
    assert pip(hook) == {
        "hookEventName": "PreToolUse",
        "additionalContext": "Library note: [[global/uv]] applies here \u2013 Install Python packages with uv, never with pip.",
    }
    assert pip(hook) is None
    assert pip(hook, later=700) is not None
    assert [event.data["denied"] for event in queue("noticed")] == [False, False]


def test_a_call_that_nothing_is_known_of_gets_no_reply_at_all(hook, index, queue):
    index(**UV, trigger=r"\bpip install\b")
    assert hook("notice", tool_name="Bash", tool_input={"command": "uv add requests"}) is None
    assert queue() == []


def test_a_confirmed_block_denies_and_says_how_to_lift_it(hook, index, queue, counters):
    index(**UV, trigger=r"\bpip install\b", severity="block", trust="confirmed")
    reply = pip(hook)
    assert reply["permissionDecision"] == "deny"
    assert "ultan edit global/uv" in reply["permissionDecisionReason"]
    assert [event.data["denied"] for event in queue("noticed")] == [True]
    assert counters()["denied"] == 1


@pytest.mark.parametrize("trust", ["assistant", "observed"])
def test_an_entry_that_no_person_stands_behind_never_denies(hook, index, trust):
    index(**UV, trigger=r"\bpip install\b", severity="block", trust=trust)
    reply = pip(hook)
    assert reply is None or "permissionDecision" not in reply


def test_a_block_advises_where_blocks_are_off(hook, index):
    index(**UV, trigger=r"\bpip install\b", severity="block", chosen={"notice.blocks": False})
    assert "permissionDecision" not in pip(hook)


def test_after_five_denials_in_ten_minutes_a_block_advises(hook, index, home):
    index(**UV, trigger=r"\bpip install\b", severity="block")
    assert ["permissionDecision" in pip(hook) for _ in range(6)] == [True] * 5 + [False]
    assert b"brake" in place.read(os.path.join(home, "trouble.jsonl"))
    assert "permissionDecision" in pip(hook, later=700)


def test_both_deliveries_of_a_denied_call_are_denied_and_it_counts_once(hook, index, queue):
    index(**UV, trigger=r"\bpip install\b", severity="block")
    raw = json.dumps(
        {"session_id": "s1", "cwd": "/p", "hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {"command": "pip install x"}}
    ).encode()
    assert all("permissionDecision" in hook("notice", raw=raw, later=later) for later in (1, 0))
    assert len(queue("noticed")) == 1


def test_neither_allow_nor_ask_is_ever_said(hook, index):
    index(**UV, trigger=r"\bpip install\b", severity="block")
    for reply in (pip(hook), hook("notice", tool_name="Bash", tool_input={"command": "ls"})):
        assert (reply or {}).get("permissionDecision", "deny") == "deny"


def test_a_file_with_history_is_recalled_once(hook, index, queue):
    index("Billing rounds half up", rule="Amounts in billing are rounded half up.", files=("**/billing.py",), name="global/billing")
    read = {"tool_name": "Read", "tool_input": {"file_path": "/p/api/billing.py"}}
    assert "rounded half up" in hook("notice", **read)["additionalContext"]
    assert hook("notice", **read) is None
    assert [event.data["by"] for event in queue("surfaced")] == ["file"]


def test_what_a_call_certainly_does_brings_a_standing_rule_once(hook, index, queue):
    index(title="Ask before adding a package", applies_when=("adding a dependency",))
    call = {"tool_name": "Bash", "tool_input": {"command": "npm install left-pad"}}
    assert "Ask before adding" in hook("notice", **call)["additionalContext"]
    assert hook("notice", **call) is None
    assert [event.data["by"] for event in queue("surfaced")] == ["situation"]


def test_files_the_agent_touched_are_in_play_at_the_next_prompt(hook, index, home):
    index(**UV)
    hook("notice", tool_name="Edit", tool_input={"file_path": "/p/a.py"})
    assert place.read(os.path.join(folder_of(home, "s1"), "files")) == b"/p/a.py\n"


def test_a_file_named_after_a_credential_is_noted_without_it(hook, index, home):
    index("Always use uv")
    hook("notice", tool_name="Read", tool_input={"file_path": "/p/ghp_" + "aB3dE5fG7hI9" * 3 + ".py"})
    assert b"aB3d" not in place.read(os.path.join(folder_of(home, "s1"), "files"))


def test_an_error_is_queued_as_a_tools_word(hook, index, queue):
    index(**UV)
    hook("notice", "PostToolUseFailure", tool_name="Bash", tool_input={"command": "pytest"}, tool_use_id="t1", error="ModuleNotFoundError: x")
    (event,) = queue("tool_failed")
    assert [(piece.id, piece.origin, piece.text, piece.about) for piece in event.pieces] == [
        ("t1", "tool:Bash", "ModuleNotFoundError: x", "Bash: pytest")
    ]


def test_a_dialog_that_an_entry_answers_is_denied_once(hook, index):
    index("Which package manager: uv", rule="Use uv as the package manager for Python, never pip.", chosen={"notice.answer_min_relevance": 0.0})
    asked = {"tool_name": "AskUserQuestion", "tool_input": {"questions": [{"question": "Which package manager should Python use, uv or pip?"}]}}
    reply = hook("notice", **asked)
    assert reply["permissionDecision"] == "deny"
    assert "ask again" in reply["permissionDecisionReason"]
    assert hook("notice", **asked) is None


@pytest.mark.parametrize("questions", [None, 7, "x", [], [7], [{"question": 7}], [{}]])
def test_a_dialog_of_unknown_form_is_left_alone(hook, index, questions):
    index(**UV, chosen={"notice.answer_min_relevance": 0.0})
    assert hook("notice", tool_name="AskUserQuestion", tool_input={"questions": questions}) is None


# --- capture --------------------------------------------------------------------------------------


def test_a_recorded_session_is_captured_once_from_start_to_end(hook, queue, tmp_path):
    transcript = tmp_path / "t.jsonl"
    calls = (RECORDED / "hooks.jsonl").read_text().replace("$TRANSCRIPT", str(transcript)).splitlines()
    verbs = {"SessionStart": "brief", "SubagentStart": "brief", "UserPromptSubmit": "prime", "PreToolUse": "notice", "PostToolUseFailure": "notice"}
    for line in calls:
        name = json.loads(line)["hook_event_name"]
        if name == "Stop":
            transcript.write_bytes((RECORDED / "transcript.jsonl").read_bytes())
        hook(verbs.get(name, "capture"), raw=line.encode())
    assert [event.kind for event in queue()] == [
        "session_start", "prompt", "tool_done", "tool_done", "tool_failed", "subagent_end", "compact", "turn_end", "session_end",
    ]  # fmt: skip
    said = [(piece.origin, piece.text) for event in queue() for piece in event.pieces]
    assert len(said) == len(set(said))
    assert [text for origin, text in said if origin in ("user", "answer", "rejection")] == [
        "No, use uv here, never pip. Then add requests.", "PostgreSQL", "uv add, I told you", "and pin it to 2.32", "only the api folder",
    ]  # fmt: skip
    assert ("subagent", "the sub agent found nothing") in said
    assert {event.project for event in queue()} == {"proj"}


def test_reading_goes_on_where_it_stopped(hook, queue, tmp_path):
    transcript = tmp_path / "t.jsonl"
    for number in range(3):
        with open(transcript, "a") as file:
            file.write(f'{{"type":"user","uuid":"{number}","origin":{{"kind":"human"}},"message":{{"content":"prompt {number}"}}}}\n')
        hook("capture", transcript_path=str(transcript))
    assert [[piece.text for piece in event.pieces] for event in queue()] == [["prompt 0"], ["prompt 1"], ["prompt 2"]]
    assert [(event.data["from"] < event.data["to"], event.data["size"]) for event in queue()][-1] == (True, transcript.stat().st_size)


def test_a_missing_transcript_is_counted_and_the_payload_speaks(hook, queue, counters, tmp_path):
    hook("capture", transcript_path=str(tmp_path / "never.jsonl"), last_assistant_message="all done")
    (event,) = queue()
    assert [(piece.origin, piece.text) for piece in event.pieces] == [("assistant", "all done")]
    assert counters()["transcript_gone"] == 1


def test_noise_queues_nothing(hook, queue, home):
    hook("capture", "PostToolUse", tool_name="Bash", tool_input={"command": "ls"}, tool_response={"stdout": "x"})
    assert queue() == []
    assert not os.path.exists(folder_of(home, "s1"))


def test_what_the_agent_writes_into_the_library_is_told(hook, queue, home):
    path = os.path.join(home, "knowledge", "global", "x.md")
    hook("capture", "PostToolUse", tool_name="Write", tool_input={"file_path": path}, tool_response={"content": "x"})
    (event,) = queue()
    assert event.data["touched"] == path
    assert event.pieces == []


def test_capture_can_be_switched_off(hook, index, queue):
    index(**UV, chosen={"capture.enabled": False})
    hook("capture", last_assistant_message="x")
    hook("prime", prompt="hello there")
    assert queue() == []


def test_compactions_own_subagent_is_none(hook, queue):
    hook("capture", "SubagentStop", agent_id="a", agent_type="", last_assistant_message="SUMMARY")
    assert queue() == []


def test_a_hook_that_crashes_between_queue_and_offset_repeats_under_the_same_ids(hook, queue, home, tmp_path):
    transcript = tmp_path / "t.jsonl"
    transcript.write_text('{"type":"user","uuid":"u-1","origin":{"kind":"human"},"message":{"content":"use uv"}}\n')
    hook("capture", transcript_path=str(transcript))
    place.remove(os.path.join(folder_of(home, "s1"), "state"))
    hook("capture", transcript_path=str(transcript))
    assert [piece.id for event in queue() for piece in event.pieces] == ["u-1", "u-1"]


# --- session --------------------------------------------------------------------------------------


@pytest.mark.parametrize("session", ["../../etc", "a/b", ".hidden", "x" * 500, "\u65e5\u672c", "a b", "\ud83d"])
def test_a_session_of_any_name_stays_in_its_folder(home, session):
    folder = folder_of(home, session)
    assert os.path.dirname(folder) == os.path.join(home, "sessions")
    assert os.path.basename(folder).isascii()
    seen = Seen(home, session)
    seen.add("", ["global/a"])
    assert seen.already() == {"global/a"}
    assert seen.already("other") == set()
    seen.reset()
    assert seen.already() == set()
