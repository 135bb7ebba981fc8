"""Every kind of secret through every field of every hook: none is in any file that is written, nor before any model."""

import json
import os
import sys
from pathlib import Path

import pytest
from stage import Stage, create

from ultan import housekeeping
from ultan.llm.scripted import by_role
from ultan.redaction import redact

sys.path.insert(0, str(Path(__file__).parent.parent / "unit"))
from made_secrets import SPECS, Maker


@pytest.fixture
def stage(tmp_path):
    return Stage(tmp_path)


def line(number, text, kind):
    """A line of the client's transcript."""
    content = text if kind == "user" else [{"type": "text", "text": text}]
    return json.dumps(
        {
            "type": kind, "uuid": f"u{number}", "timestamp": "2026-05-28T19:00:00Z", "userType": "external", "promptSource": "typed",
            "promptId": f"tp{number}", "message": {"role": kind, "content": content},
        }
    )  # fmt: skip


def through_transcript(stage, text, session):
    path = str(stage.place / f"{session}.jsonl")
    with open(path, "a", encoding="utf-8") as file:
        file.write(
            line(len(stage.heard) * 2, text, "user")
            + "\n"
            + line(len(stage.heard) * 2 + 1, text, "assistant")
            + "\n"
        )
    stage.hook("capture", "Stop", session=session, transcript_path=path, last_assistant_message=text)


def named_in_transcript(stage, text, session):
    """A transcript whose lines, calls and times are called by the secret."""
    path = str(stage.place / f"{session}-{len(stage.heard)}-{abs(hash(text))}.jsonl")
    call = {"type": "tool_use", "id": text, "name": f"mcp__tracker__{text}", "input": {text: "x"}}
    result = {"type": "tool_result", "tool_use_id": text, "content": "error: exit 1"}
    said = {"role": "user", "content": "please fix the tests"}
    rows = [
        {"type": "user", "uuid": text, "timestamp": text, "userType": "external", "promptSource": "typed", "promptId": text, "message": said},
        {"type": "assistant", "uuid": f"{text}a", "message": {"role": "assistant", "content": [call, {"type": "text", "text": "I do"}]}},
        {"type": "user", "uuid": f"{text}b", "message": {"role": "user", "content": [result]}},
        {"type": "user", "uuid": f"{text}c", "toolDenialKind": "user-rejected", "userFeedback": "no, not so",
         "message": {"role": "user", "content": [result]}},
    ]  # fmt: skip
    with open(path, "w", encoding="utf-8") as file:
        file.writelines(json.dumps(row) + "\n" for row in rows)
    stage.hook("capture", "Stop", session=session, transcript_path=path, last_assistant_message="I did")


FIELDS = {
    "prompt": lambda stage, text, session: stage.types(text, session),
    "page": lambda stage, text, session: stage.browses(text, session=session),
    "page address": lambda stage, text, session: stage.gets(
        "WebFetch", {"url": f"https://x.example/?q={text}"}, {"result": "page"}, session
    ),
    "server": lambda stage, text, session: stage.asks_server(text, session=session),
    "output": lambda stage, text, session: stage.runs("git push", f"error: {text}", session),
    "command": lambda stage, text, session: stage.runs(f"git push {text}", "error: x", session),
    "call": lambda stage, text, session: stage.calls("Bash", session, command=f"echo {text}"),
    "failure": lambda stage, text, session: stage.hook(
        "notice",
        "PostToolUseFailure",
        session=session,
        tool_name="Bash",
        tool_input={"command": "make deploy"},
        error=text,
        tool_use_id="f1",
    ),
    "new file": lambda stage, text, session: stage.gets(
        "Write",
        {"file_path": stage.folder + "/app.toml", "content": text},
        {"filePath": "app.toml", "content": text},
        session,
    ),
    "answer": lambda stage, text, session: stage.gets(
        "AskUserQuestion",
        {"questions": [{"question": "which?"}]},
        {"answers": {f"which {text}?": text}},
        session,
    ),
    "session": lambda stage, text, _: stage.hook("prime", "UserPromptSubmit", session=text, prompt="please fix the tests"),
    "agent": lambda stage, text, session: stage.hook("brief", "SubagentStart", session=session, agent_id=text, agent_type=text),
    "prompt id": lambda stage, text, session: stage.hook(
        "prime", "UserPromptSubmit", session=session, prompt="please fix the tests", prompt_id=text
    ),
    "call id": lambda stage, text, session: stage.hook(
        "notice", "PostToolUseFailure", session=session, tool_name="Bash", tool_input={"command": "make deploy"},
        error="error: exit 1", tool_use_id=text,
    ),
    "tool": lambda stage, text, session: stage.hook(
        "notice", "PostToolUseFailure", session=session, tool_name=f"mcp__tracker__{text}", tool_input={text: {text: [text]}},
        error="error: exit 1", tool_use_id="f2",
    ),
    "reason": lambda stage, text, session: stage.hook("capture", "SessionEnd", session=session, reason=text),
    "project": lambda stage, text, session: stage.hook(
        "prime", "UserPromptSubmit", session=f"{session}-{len(stage.heard)}", prompt="please fix the tests",
        environ={**stage.environ, "CLAUDE_PROJECT_DIR": f"/srv/{text}"},
    ),
    "transcript's name": lambda stage, text, session: stage.hook(
        "prime", "UserPromptSubmit", session=session, prompt="please fix the tests", transcript_path=f"/srv/{text}.jsonl"
    ),
    "names in a transcript": named_in_transcript,
    "last words": lambda stage, text, session: stage.answers(text, session),
    "transcript": through_transcript,
}


def planted(kinds, maker):
    """(secret, text) of each kind, and the two that need more than a row."""
    found = [maker.text(kind) for kind in kinds]
    block = maker.key_block()
    token = maker.web_token()
    return [*found, (block.split("\n")[3], f"here it is:\n{block}\n"), (token, f"the header is {token} ok")]


def searched(stage, secrets, asked=()):
    """Where a secret or its last letters were found."""
    files = stage.written()
    leaks = []
    for secret in secrets:
        for path, raw in files.items():
            if secret.encode() in raw or json.dumps(secret)[1:-1].encode() in raw:
                leaks.append((path, secret))
        leaks += [("model", secret) for text in asked if secret in text]
        leaks += [("context", secret) for text in stage.said if secret in text]
    return leaks


def with_models(stage, secrets):
    """Curate by models that repeat whatever they read, and what can be known by sight besides; what they were asked."""
    asked = []

    def librarian(errand):
        asked.append(errand.prompt + errand.question)
        name = errand.question.partition('id="')[2].partition('"')[0]
        read = errand.question.partition("<piece-")[2].partition(">")[2].strip()[:300]
        return {
            "suggestions": [
                {
                    "action": create([{"event": name, "quote": read[:40]}], read, title=read[:60]),
                    "reason": read,
                }
            ]
        }

    stage.curate(by_role(librarian=librarian))
    bare = [f"Remember {secret} for later." for secret in secrets]
    bare = [text for text in bare if redact(text)[1]]
    heard = [piece.text for piece in stage.heard.values()]
    cites = stage.cite("error")
    stage.force(
        [
            create(cites, text[:1000], title=text[:100], kind="finding", why=text[:1000])
            for text in [*bare, *heard]
        ]
    )
    return asked


@pytest.mark.parametrize("field", FIELDS)
def test_a_dozen_kinds_through_a_field_leave_no_trace(stage, field):
    maker = Maker(sum(map(ord, field)))
    pairs = planted(maker.random.sample(sorted(SPECS), 12), maker)
    for number, (_, text) in enumerate(pairs):
        FIELDS[field](stage, text, f"s{number % 3}")
    secrets = [secret for secret, _ in pairs]
    asked = with_models(stage, secrets)
    stage.curate()
    assert searched(stage, secrets, asked) == []


@pytest.mark.slow
@pytest.mark.parametrize("field", FIELDS)
def test_every_kind_through_every_field_leaves_no_trace(stage, field, record_property):
    maker = Maker(len(field))
    pairs = planted(SPECS, maker)
    for number, (_, text) in enumerate(pairs):
        FIELDS[field](stage, text, f"s{number % 5}")
    secrets = [secret for secret, _ in pairs]
    asked = with_models(stage, secrets)
    stage.curate()
    record_property("trials", len(pairs))
    assert searched(stage, secrets, asked) == []


def test_what_comes_from_a_place_of_credentials_is_dropped_whole(stage):
    word = "hunter"  # weak: no test of strength would find it
    stage.runs("cat .env && git push", f"error: PASSWORD={word}")
    stage.runs("git push; kubectl get secret app -o yaml < secrets.yaml", f"error: value {word}")
    secret = f"error: x\napiVersion: v1\nkind: Secret\nmetadata:\n  name: {word}\ndata:\n  a: b\n"
    stage.runs("git push; kubectl get secret app -o yaml", secret)
    stage.gets("Write", {"file_path": "/home/me/.aws/credentials.toml", "content": word}, {"content": word})
    stage.curate()
    assert [path for path, raw in stage.written().items() if word.encode() in raw] == []


def test_what_a_person_marks_private_is_never_written(stage):
    stage.types("always use uv here <private>my salary is 12345 gold</private> never pip")
    stage.types("and <private>the second secret of the day")
    stage.answers("ok")
    stage.curate()
    assert [
        path for path, raw in stage.written().items() if b"12345 gold" in raw or b"second secret" in raw
    ] == []


def test_a_failing_hook_notes_no_text_of_the_session(stage):
    secret = Maker(5).secret("github")
    os.remove(os.path.join(stage.root, "index", "library.idx"))
    os.makedirs(os.path.join(stage.root, "queue", "new.gone"))
    os.rename(os.path.join(stage.root, "queue", "new"), os.path.join(stage.root, "queue", "new.gone", "x"))
    with open(os.path.join(stage.root, "queue", "new"), "w", encoding="utf-8"):
        pass  # a file where the folder should be: every put fails
    stage._listen = lambda: None
    stage.types(f"use {secret} please")
    assert housekeeping.counters(stage.root)["disk"] == 1
    assert secret.encode() not in b"".join(stage.written().values())
