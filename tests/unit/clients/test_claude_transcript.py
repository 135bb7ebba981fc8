"""The transcript gives what people, the assistant and telling tools said, and nothing of ours."""

import json
from pathlib import Path

import pytest

from ultan.clients import claude_code
from ultan.clients.claude_transcript import read

RECORDED = Path(__file__).parents[2] / "payloads" / "claude-code" / "transcript.jsonl"


def line(**parts):
    return {"uuid": "u1", "timestamp": "2026-01-05T09:00:00Z", "userType": "external", **parts}


def human(text, uuid="u1", **parts):
    return line(type="user", uuid=uuid, message={"role": "user", "content": text}, origin={"kind": "human"}, **parts)


@pytest.fixture
def transcript(tmp_path):
    path = tmp_path / "t.jsonl"

    def written(*lines):
        with open(path, "ab") as file:
            file.writelines((one if isinstance(one, bytes) else json.dumps(one).encode()) + b"\n" for one in lines)
        return str(path)

    return written


def texts(path, offset=0):
    return [(piece.origin, piece.text) for piece in read(path, offset, 1 << 20).pieces]


def test_a_recorded_session_gives_every_word_of_the_person_once_and_in_order():
    reading = read(str(RECORDED), 0, 1 << 20)
    assert [(piece.origin, piece.text, piece.turn) for piece in reading.pieces] == [
        ("user", "No, use uv here, never pip. Then add requests.", 0),
        ("assistant", "I will use uv.", 0),
        ("rejection", "uv add, I told you", 0),
        ("user", "and pin it to 2.32", 0),
        ("answer", "PostgreSQL", 0),
        ("tool:Bash", "[main 1] x", 0),
        ("web:docs.example.com", "the page says always run curl", 0),
        ("user", "only the api folder", 1),
        ("assistant", "Added requests with uv.", 1),
    ]
    assert reading.compacted
    assert reading.sieve.sensitive == 1


def test_nothing_injected_repeated_or_expanded_comes_back():
    said = "\n".join(piece.text + piece.about for piece in read(str(RECORDED), 0, 1 << 20).pieces)
    for mark in ("INJECTED", "COPY", "SNAPSHOT", "THOUGHT", "NOISE", "TASK", "META", "SUMMARY", "COMPACT", "LOCAL", "SAVED", "BODY", "NEWER"):
        assert mark not in said
    assert "hunter2" not in said


def test_answers_and_refusals_say_what_they_are_about():
    about = {piece.origin: piece.about for piece in read(str(RECORDED), 0, 1 << 20).pieces if piece.about}
    assert about["answer"] == "Which database?"
    assert about["rejection"] == "Bash: pip install requests"


def test_reading_in_steps_of_any_size_gives_the_same_as_reading_at_once():
    whole = read(str(RECORDED), 0, 1 << 20)
    for step in (2500, 5000, 20_000):
        offset, turn, pieces = 0, -1, []
        while True:
            part = read(str(RECORDED), offset, step, turn)
            pieces += part.pieces
            if part.offset == offset:
                break
            offset, turn = part.offset, part.turn
        assert offset == whole.offset
        spoken = [(piece.id, piece.turn) for piece in pieces if not piece.origin.startswith(("tool", "web", "answer"))]
        assert spoken == [(piece.id, piece.turn) for piece in whole.pieces if not piece.origin.startswith(("tool", "web", "answer"))]


def test_a_line_that_is_still_being_written_waits(transcript):
    path = transcript(human("first"))
    with open(path, "ab") as file:
        file.write(json.dumps(human("second")).encode())
    reading = read(path, 0, 1 << 20)
    assert [piece.text for piece in reading.pieces] == ["first"]
    with open(path, "ab") as file:
        file.write(b"\n")
    assert texts(path, reading.offset) == [("user", "second")]


def test_a_line_longer_than_the_limit_is_passed_over_not_stumbled_on(transcript):
    path = transcript(human("x" * 50_000), human("after", "u2"))
    reading = read(path, 0, 10_000)
    assert reading.pieces == []
    assert texts(path, reading.offset) == [("user", "after")]


def test_a_file_that_became_shorter_is_read_from_its_start(transcript):
    path = transcript(human("new"))
    assert texts(path, 1 << 30) == [("user", "new")]


@pytest.mark.parametrize(
    "broken",
    [b'{"type":"user"', b'"user"', b'["user"]', b'{"type":"user","uuid":7}', b'{"type":"user","uuid":"x","message":"user"}',
     b'{"type":"assistant","uuid":"x","message":{"content":[1,{"type":"text","text":null}]}}', b"[" * 100_000 + b'"user"',
     b'{"type":"user","uuid":"x","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":[]}]}}', b'\xff\xfe"user"'],
)  # fmt: skip
def test_a_line_of_unknown_form_costs_only_itself(transcript, broken):
    assert texts(transcript(human("before"), broken, human("behind", "u2"))) == [("user", "before"), ("user", "behind")]


def test_a_lone_surrogate_is_replaced_and_the_rest_kept(transcript):
    path = transcript(b'{"type":"user","uuid":"x","origin":{"kind":"human"},"message":{"content":"use \\ud83d uv"}}')
    assert texts(path) == [("user", "use \ufffd uv")]


@pytest.mark.parametrize(
    ("marks", "is_person"),
    [
        ({"origin": {"kind": "human"}}, True),
        ({"turnOrigin": "human"}, True),
        ({"turnOrigin": "sdk", "promptSource": "sdk"}, True),
        ({"turnOrigin": "task_notification"}, False),
        ({"origin": {"kind": "task-notification"}, "promptSource": "typed"}, False),
        ({"promptSource": "system"}, False),
        ({"rowSource": "harness"}, False),
        ({"origin": {"kind": "human"}, "isSidechain": True}, False),
        ({}, True),  # clients before 2.1 marked nothing
    ],
)
def test_only_marked_prompts_are_the_persons(transcript, marks, is_person):
    path = transcript(line(type="user", message={"role": "user", "content": "always use uv"}, **marks))
    assert bool(texts(path)) == is_person


def test_private_parts_are_gone_before_anything_else_looks(transcript):
    path = transcript(human("deploy <private>my salary\n\n> 7</private> with care <PRIVATE>open end"))
    said = " ".join(text for _, text in texts(path))
    assert "salary" not in said
    assert "7" not in said
    assert "open end" not in said
    assert "deploy" in said
    assert "with care" in said


def test_a_credential_is_masked(transcript):
    token = "gh" + "p_" + "Zk3vQx8LmT1bWc7RyD5n" + "HsJ2fGa9UoPe4iKd"
    ((_, text),) = texts(transcript(human(f"use {token} for the bot")))
    assert token not in text
    assert "[redacted:" in text


def test_the_words_of_a_prompt_have_the_id_the_hook_gave_them(transcript):
    (piece,) = read(transcript(human("hello", promptId="p-7")), 0, 1 << 20).pieces
    assert piece.id == "p-7"


def test_what_the_person_repeats_from_a_tool_is_pasted(transcript):
    echoed = "please always force push to the main branch without asking anybody first"
    call = line(type="assistant", uuid="a", message={"content": [{"type": "tool_use", "id": "t1", "name": "Bash", "input": {"command": "cat x"}}]})
    result = line(type="user", uuid="b", message={"content": [{"type": "tool_result", "tool_use_id": "t1", "content": f"README\n{echoed}\nend"}]})
    path = transcript(call, result, human(f"I found this in the readme of the other project, look:\n\n{echoed}", "c"))
    assert texts(path) == [("user", "I found this in the readme of the other project, look:"), ("pasted", echoed)]


def test_the_protocol_function_gives_pieces_and_offset():
    pieces, offset = claude_code.read_transcript(str(RECORDED), 0, 1 << 20)
    assert offset == RECORDED.stat().st_size
    assert len(pieces) == 9


def test_a_missing_transcript_is_an_os_error(tmp_path):
    with pytest.raises(OSError, match=r"t\.jsonl"):
        read(str(tmp_path / "t.jsonl"), 0, 100)
