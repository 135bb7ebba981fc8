"""What should not come, and what becomes of it: right, or refused with a reason; never half done."""

import json
import os
import subprocess
import sys

import pytest

from ultan import home, spool
from ultan.events import Event, Piece
from ultan.library.check import findings
from ultan.library.snapshot import read_library
from ultan.library.store import FileStore
from ultan.llm.recorded import read_spending
from ultan.llm.scripted import by_role, scripted
from ultan.settings import Settings
from ultan.verbs.curate import curate

NOON = 1_780_000_000.0
RULE = "From now on always use uv in this repo, never pip."
MODEL = Settings({"curation.by": "claude"})
ACTION = {
    "verb": "create", "folder": "projects/shop/tools", "kind": "convention", "title": "uv, never pip", "rule": RULE,
    "evidence": [{"event": "e1", "quote": "always use uv in this repo"}],
}  # fmt: skip


@pytest.fixture
def root(tmp_path):
    return home.ensure(str(tmp_path / "home"))


def queue(root, *pieces, kind="prompt", session="s1", at=NOON - 100, **data):
    name = spool.new_id(at)
    found = [Piece(f"{name}.{place}", origin, text) for place, (origin, text) in enumerate(pieces)]
    spool.put(root, Event(name, at, kind, client="claude-code", session=session, project="shop", pieces=found, data=data))


def run(root, *, model=None, settings=None, at=NOON, **more):
    return curate(root, settings or Settings(), now=lambda: at, sleep=lambda _: None, model=model, **more)


def entries(root):
    return read_library(FileStore(root)).entries


def calls(root):
    return read_spending(root).total.calls


# --- transcripts -------------------------------------------------------------------------------------


def typed(text, name):
    return {
        "type": "user", "uuid": name, "timestamp": "2026-05-28T20:00:00.000Z", "promptSource": "typed", "userType": "external",
        "message": {"role": "user", "content": text},
    }  # fmt: skip


def test_a_transcript_in_a_newer_format_gives_what_is_still_understood(root, tmp_path):
    lines = [
        {"type": "header", "formatVersion": 9, "schema": {"user": "prompt"}},
        {"type": "user", "uuid": "u0", "message": {"role": "user", "content": {"parts": [{"kind": "text", "value": RULE}]}}},
        {"type": "assistant", "uuid": "a0", "message": {"content": [{"type": "thought-graph", "nodes": [1, {"x": None}]}]}},
        {"type": "user", "uuid": "u1", "message": None, "promptSource": "typed"},
        {"type": "user", "uuid": 7, "message": {"role": "user", "content": "x"}},
        ["a", "list"],
        typed(RULE, "u2") | {"futureField": {"deep": [1, 2, 3]}, "version": "99.0.0"},
    ]
    path = tmp_path / "newer.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines) + "not json at all\n")
    queue(root, kind="session_end", transcript=str(path), size=path.stat().st_size, to=0)
    assert run(root).remembered == 1
    assert [entry.evidence[0].turn for entry in entries(root).values()] == ["u2"]
    assert findings(root) == []


BIG = """
import json, sys
from pathlib import Path
sys.path[:0] = json.loads(sys.argv[2])
from ultan import home, spool
from ultan.events import Event
from ultan.settings import Settings
from ultan.verbs.curate import curate
place, path, size = sys.argv[1], sys.argv[3], int(sys.argv[4])
root = home.ensure(place)
data = {"transcript": path, "size": size, "to": 0}
spool.put(root, Event(spool.new_id(1.78e9), 1.78e9, "session_end", client="claude-code", session="big", project="shop", data=data))
report = curate(root, Settings(), now=lambda: 1.78e9, sleep=lambda _: None, at_once=True)
status = Path("/proc/self/status")  # not getrusage: that tells of the parent's memory, too, if that was larger
peak = [int(line.split()[1]) for line in status.read_text().splitlines() if line.startswith("VmHWM")] if status.exists() else [0]
print(json.dumps([report.state, report.remembered, report.backlog, peak[0]]))
"""


@pytest.mark.slow
def test_a_transcript_of_200_mb_is_read_to_its_end_in_little_memory(root, tmp_path):
    path = tmp_path / "big.jsonl"
    said = "line of a report about nothing in particular\n" * 5000
    with path.open("w") as file:
        file.write(json.dumps(typed(RULE, "first")) + "\n")
        number = 0
        while file.tell() < 200 << 20:
            number += 1
            call = {"type": "tool_use", "id": f"c{number}", "name": "Bash", "input": {"command": f"cat part{number}"}}
            file.write(json.dumps({"type": "assistant", "uuid": f"a{number}", "message": {"content": [call]}}) + "\n")
            result = {"type": "tool_result", "tool_use_id": f"c{number}", "content": said}
            file.write(json.dumps({"type": "user", "uuid": f"r{number}", "message": {"content": [result]}, "toolUseResult": {"stdout": said}}) + "\n")
            file.write(json.dumps(typed(f"please look at part {number} of the report as well and tell me what it says", f"u{number}")) + "\n")
        file.write(json.dumps(typed("Please never push to main without asking me, ever.", "last")) + "\n")
    words = [sys.executable, "-c", BIG, root, json.dumps(sys.path), str(path), str(path.stat().st_size)]
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    state, remembered, backlog, peak_kb = json.loads(done.stdout)
    assert (state, remembered, backlog) == ("done", 2, 0)
    assert peak_kb < 400 << 10, f"{peak_kb >> 10} MB"


@pytest.mark.parametrize("by", ["clerk", "claude"])
def test_a_session_of_only_tool_output_gives_nothing_and_costs_no_call(root, by):
    for place in range(5):
        queue(root, ("tool:Bash", f"{RULE} error {place}"), ("file:README.md", RULE), kind="tool_done")
    queue(root, kind="turn_end")
    model = scripted()
    report = run(root, model=model, settings=Settings({"curation.by": by}))
    assert (report.state, report.remembered, report.backlog) == ("done", 0, 0)
    assert entries(root) == {}
    assert calls(root) == 0


# --- models ------------------------------------------------------------------------------------------


def test_a_model_that_answers_prose_writes_nothing_and_the_reason_is_kept(root):
    queue(root, ("user", RULE))
    report = run(root, model=scripted(otherwise="Sure, I would remember that you like uv."), settings=MODEL)
    assert (report.kept, report.backlog) == ("malformed", 1)
    assert entries(root) == {}
    told = home.read(os.path.join(root, "trouble.jsonl")).decode()
    assert "no acceptable result" in told


@pytest.mark.parametrize("nothing", [{}, {"suggestions": []}])
def test_a_model_that_answers_nothing_leaves_the_library_as_it_is(root, nothing):
    queue(root, ("user", RULE))
    report = run(root, model=by_role(librarian=nothing), settings=MODEL)
    assert (report.state, report.backlog) == ("done", 0)
    assert entries(root) == {}
    assert calls(root) == 1


def test_a_model_that_suggests_forty_actions_is_told_and_asked_again(root):
    queue(root, ("user", RULE))
    many = {"suggestions": [{"action": {**ACTION, "title": f"Rule {number}"}} for number in range(40)]}
    verdict = {"verdicts": [{"number": 0, "approve": True, "reason": "a house rule"}]}
    model = scripted(many, {"suggestions": [{"action": ACTION}]}, verdict)
    report = run(root, model=model, settings=MODEL)
    assert report.remembered == len(entries(root)) == 1
    assert "at most 20 items" in model.told[0]


@pytest.mark.parametrize("folder", ["../../.claude", "/etc/cron.d", "projects/other", "global/../../x", "knowledge-evil", "projects/shop/../other"])
def test_a_model_that_names_a_place_outside_is_told_and_nothing_is_written_there(root, tmp_path, folder):
    queue(root, ("user", RULE))
    before = sorted(path for path in tmp_path.rglob("*") if "home" not in path.parts)
    model = scripted(otherwise={"suggestions": [{"action": {**ACTION, "folder": folder}}]})
    report = run(root, model=model, settings=MODEL)
    assert report.kept == "malformed"
    assert "folder" in model.told[0]
    assert entries(root) == {}
    assert sorted(path for path in tmp_path.rglob("*") if "home" not in path.parts) == before


def test_ten_quiet_minutes_cost_no_call(root):
    queue(root, ("user", RULE))
    model = by_role(librarian={"suggestions": []})
    run(root, model=model, settings=MODEL)
    assert calls(root) == 1
    for later in range(60, 660, 30):
        assert run(root, model=model, settings=MODEL, at=NOON + later).state == "nothing"
    assert run(root, model=model, settings=MODEL, at=NOON + 660, at_once=True).sessions == 0
    assert calls(root) == 1


# --- people ------------------------------------------------------------------------------------------


def test_a_user_who_says_the_opposite_twice_in_a_minute_is_left_with_the_last_word(root):
    for place, text in enumerate((RULE, "No, from now on always use pip in this repo, never uv.", RULE)):
        queue(root, ("user", text), at=NOON - 160 + 20 * place)
    run(root)
    live = [entry for entry in entries(root).values() if entry.status == "active" and not entry.superseded_by]
    assert len(live) == 1
    assert "use uv" in live[0].rule
    assert findings(root) == []


def test_the_same_rule_in_two_languages_is_one_rule(root):
    queue(root, ("user", "Always use pnpm in this repo, never npm."))
    run(root)
    queue(root, ("user", "Benutze in diesem Repo immer pnpm, niemals npm."), session="s2", at=NOON + 90000)
    report = run(root, at=NOON + 90100)
    assert len(entries(root)) == 1
    assert report.reinforced == 1
