"""The real client inside claude-agent-sdk, against a Messages API on the loopback: who sees what, and what it leaves."""

import json
import os
import stat

import pytest
from messages_api import MessagesApi, Refusal, calls

from ultan import home, spool
from ultan.events import Event, Piece
from ultan.library.snapshot import read_library
from ultan.library.store import FileStore
from ultan.llm.claude import Claude
from ultan.settings import Settings
from ultan.verbs.curate import curate

pytestmark = pytest.mark.slow

NOON = 1_780_000_000.0
RULE = "No, use uv, never pip here. From now on, always. It is in"
SETTINGS = Settings({"curation.by": "claude", "curation.billing": "api"})
SUBMIT = "mcp__ultan__submit_result"
CREATE = {
    "verb": "create", "folder": "projects/shop/tools", "slug": "uv-never-pip", "kind": "convention",
    "title": "uv, never pip", "rule": "Use uv, never pip.", "applies_when": ["installing a package"],
    "evidence": [{"event": "e1", "quote": "use uv, never pip here"}],
}  # fmt: skip
PROPOSAL = calls(SUBMIT, suggestions=[{"action": CREATE, "reason": "a house rule"}])
APPROVAL = calls(SUBMIT, verdicts=[{"number": 0, "approve": True, "reason": "the person said so"}])


@pytest.fixture
def place(tmp_path, monkeypatch):
    """A home with one turn in its queue, and a user folder whose own hook would leave a mark."""
    user = tmp_path / "user"
    mark = tmp_path / "a-hook-of-the-user-ran"
    (user / ".claude").mkdir(parents=True)
    hook = {"hooks": [{"type": "command", "command": f"touch {mark}"}]}
    events = ("SessionStart", "UserPromptSubmit", "PostToolUse", "Stop", "SessionEnd")
    (user / ".claude" / "settings.json").write_text(json.dumps({"hooks": {name: [hook] for name in events}}))
    monkeypatch.setenv("HOME", str(user))
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-dummy")
    root = home.ensure(str(tmp_path / "home"))
    (tmp_path / "private.txt").write_text("a file that nobody showed to a model")
    said = f"{RULE} @{tmp_path / 'private.txt'}"
    for place, (kind, text) in enumerate((("prompt", said), ("turn_end", ""))):
        pieces = [Piece("p1", "user", text)] if text else []
        name = f"{int((NOON - 100) * 1000):012x}-{place:010x}"
        spool.put(root, Event(name, NOON - 100, kind, client="claude-code", session="s1", project="shop", pieces=pieces))
    return root, user, mark


def run(root, api):
    model = Claude(root, metered=True, environ={"ANTHROPIC_BASE_URL": api.url, "DISABLE_TELEMETRY": "1"})
    return curate(root, SETTINGS, now=lambda: NOON, sleep=lambda _: None, model=model)


def test_a_malformed_answer_is_handed_back_in_band_and_the_rule_is_written(place):
    root, user, mark = place
    wrong = {**CREATE, "evidence": [{"event": "e1", "quote": "use poetry"}], "kind": "habit"}
    with MessagesApi(calls(SUBMIT, suggestions=[{"action": wrong}]), PROPOSAL, APPROVAL) as api:
        report = run(root, api)
    assert report.state == "done"
    assert len(api.turns) == 3
    assert "suggestions.0.action.create.kind" in api.turns[1].text
    entry = read_library(FileStore(root)).entries["projects/shop/tools/uv-never-pip"]
    assert entry.trust == "person"
    first = api.turns[0]
    own = {name.removeprefix("mcp__ultan__") for name in first.tools if name.startswith("mcp__")}
    assert own == {"search", "show", "grep", "submit_result"}
    assert not {"Bash", "Read", "Write", "Edit", "Grep", "Glob", "WebFetch", "Task"} & set(first.tools)
    assert "You are the librarian" in first.system
    assert RULE in first.text
    assert not any("nobody showed" in turn.text for turn in api.turns)  # an @path in the words is only words
    assert "You are the scholar" in api.turns[2].system
    assert not mark.exists()
    assert not list(user.glob(".claude/projects/**/*.jsonl"))
    assert os.listdir(os.path.join(root, "runs", "room")) == []
    day = home.read(os.path.join(root, "runs", "2026-05-28.jsonl")).decode().splitlines()
    rows = [json.loads(line) for line in day]
    assert [(row["role"], row["attempts"], row["paid_by"], row["parsed_ok"]) for row in rows] == [
        ("librarian", 2, "api", True), ("scholar", 1, "api", True),
    ]  # fmt: skip


def test_a_limit_keeps_the_batch_and_the_next_run_reads_it(place):
    root, _, _ = place
    before = spool.backlog(root)
    with MessagesApi(Refusal(429, headers={"retry-after": "3600"})) as api:
        report = run(root, api)
    assert (report.state, report.kept) == ("kept", "quota")
    assert spool.backlog(root) == before
    assert len(api.turns) == 1
    with MessagesApi(PROPOSAL, APPROVAL) as api:
        model = Claude(root, metered=True, environ={"ANTHROPIC_BASE_URL": api.url, "DISABLE_TELEMETRY": "1"})
        report = curate(root, SETTINGS, now=lambda: NOON + 4000, sleep=lambda _: None, model=model, at_once=True)
    assert report.remembered == 1
    assert spool.backlog(root) == []


def test_an_inherited_key_is_not_spent_on_a_subscription(place):
    root, _, _ = place
    with MessagesApi(PROPOSAL, APPROVAL) as api:
        model = Claude(root, environ={"ANTHROPIC_BASE_URL": api.url})
        report = curate(root, SETTINGS, now=lambda: NOON, sleep=lambda _: None, model=model)
    assert report.kept == "login"
    assert api.turns == []


def test_the_models_folder_is_private_and_empty_and_inside_the_home(place):
    root, _, _ = place
    seen = []

    def look(_turn):
        rooms = os.path.join(root, "runs", "room")
        for name in os.listdir(rooms):
            work = os.path.join(rooms, name, "work")
            seen.append((os.listdir(work), stat.S_IMODE(os.stat(work).st_mode)))
        return PROPOSAL

    with MessagesApi(look, APPROVAL) as api:
        run(root, api)
    assert seen == [([], 0o700)]
