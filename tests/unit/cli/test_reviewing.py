"""Review in a terminal, key by key; the cost chart; the dry run of a capture."""

import io
import json
import os

import pytest

from ultan import home as place
from ultan import spool
from ultan.cli.charts import WIDTH, bar, costs
from ultan.cli.previewing import words_of
from ultan.cli.reviewing import walk
from ultan.cli.screen import Screen
from ultan.cli.wiring import Door, World
from ultan.errors import UsageError
from ultan.events import Event, Piece
from ultan.library.held import pending
from ultan.library.snapshot import read_library
from ultan.library.store import FileStore
from ultan.settings import Settings
from ultan.verbs import spend
from ultan.verbs.curate import curate
from ultan.verbs.review import review

NOW = 1767603600.0
SAID = (
    "From now on always use uv in this repo, never pip.", "I prefer tabs over spaces, always.",
    "Please never push to main without asking me, ever.",
)  # fmt: skip


@pytest.fixture
def desk(home, tmp_path):
    """A door and a screen on a home in which three suggestions wait."""
    for number, text in enumerate(SAID):
        at = NOW - 500 + number
        pieces = [Piece(f"p{number}", "user", text)]
        spool.put(home, Event(spool.new_id(at), at, "prompt", client="claude-code", session=f"s{number}", project="shop", pieces=pieces))
    curate(home, Settings({"curation.mode": "ask"}), now=lambda: NOW, sleep=lambda _: None)
    out, err = io.StringIO(), io.StringIO()
    world = World(
        environ={"HOME": str(tmp_path), "ULTAN_HOME": home}, stdin=io.StringIO(), stdout=out, stderr=err, clock=lambda: NOW,
        folder=str(tmp_path), has_person=True,
    )  # fmt: skip
    return Door(world), Screen(out, err, {})


def keys(text):
    left = list(text)
    return lambda: left.pop(0) if left else ""


def waiting(door):
    return review(FileStore(door.root), read_library(FileStore(door.root)))


def entries(door):
    return read_library(FileStore(door.root)).entries


def test_each_item_is_shown_with_words_and_source_and_decided_by_one_key(desk):
    door, screen = desk
    assert walk(door, screen, waiting(door), keys("xArs")) == 2
    said = screen.err.getvalue()
    assert SAID[0] in said
    assert "from: user" in said
    assert "1/3" in said
    assert len(entries(door)) == 1
    assert len(pending(FileStore(door.root))) == 1


@pytest.mark.parametrize("leave", ["q", "\x1b", "\x03"])
def test_leaving_keeps_what_was_decided_and_what_was_not(desk, leave):
    door, screen = desk
    assert walk(door, screen, waiting(door), keys("a" + leave + "aa")) == 1
    assert len(pending(FileStore(door.root))) == 2


def test_an_item_is_said_better_in_the_editor(desk):
    door, screen = desk
    shown = []

    def edited(_door, text):
        shown.append(text)
        return "# Use uv for packages\n\nUse uv here, and nothing else.\n"

    walk(door, screen, waiting(door), keys("eq"), edited)
    [entry] = entries(door).values()
    assert (entry.title, entry.rule) == ("Use uv for packages", "Use uv here, and nothing else.")
    assert shown[0].startswith("# ")


def test_an_edit_that_does_not_fit_is_said_and_the_next_item_comes(desk):
    door, screen = desk
    assert walk(door, screen, waiting(door), keys("eaq"), lambda *_: "# t\n\nx") == 1
    assert "error: " in screen.err.getvalue()


def test_a_file_that_nobody_made_is_adopted_by_key(desk):
    door, screen = desk
    walk(door, screen, waiting(door), keys("arr"))
    path = os.path.join(door.root, "knowledge", "global", "mine.md")
    place.make_folder(os.path.dirname(path))
    text = "---\nid: global/mine\ntitle: Mine\nkind: convention\nscope: global\ncreated: 2026-01-05\nupdated: 2026-01-05\n---\nMine alone.\n"
    place.write(path, text.encode())
    assert walk(door, screen, waiting(door), keys("a")) == 1
    assert read_library(FileStore(door.root)).foreign == ()


# --- cost -----------------------------------------------------------------------------------------


def test_a_bar_is_as_long_as_its_share_and_never_vanishes():
    assert bar(0, 10) == ""
    assert len(bar(10, 10)) == WIDTH
    assert bar(1, 1000) == "▌"
    assert bar(5, 10) == "█" * (WIDTH // 2)


def test_costs_tell_days_payers_and_the_last_calls(ultan, home):
    assert "the clerk is free" in ultan("log", "--cost").out
    day = {"calls": 3, "tokens": 900, "cost_usd": 0.5}
    sums = {"by_role": {"librarian": day}, "by_payer": {"subscription": day}}
    record = {"total": day, "days": {"2026-01-05": {**day, **sums}}}
    place.write(os.path.join(home, "cost.json"), json.dumps(record).encode())
    rows = [
        {"at": NOW - 60, "role": "librarian", "model": "sonnet", "paid_by": "subscription", "cost_usd": 0.25, "duration_s": 4.2,
         "input_tokens": 400, "output_tokens": 50, "parsed_ok": True, "decisions": {"create": 2}, "error": ""},
        {"at": NOW - 30, "role": "librarian", "model": "sonnet", "parsed_ok": False, "error": "QuotaReached: weekly limit"},
    ]  # fmt: skip
    place.write(os.path.join(home, "runs", "2026-01-05.jsonl"), "".join(json.dumps(row) + "\n" for row in rows).encode() + b"torn{\n")
    told = spend.costs(home, Settings(), NOW)
    assert [call.error or call.decided for call in told.calls] == ["QuotaReached: weekly limit", "2 create"]
    assert any("3 calls, 900 tokens, 0.50 USD" in getattr(block, "text", "") for block in costs(told))
    said = ultan("log", "--cost").out
    assert "█" in said
    assert "subscription" in said
    assert json.loads(ultan("log", "--cost", "--json").out)["calls"][0]["role"] == "librarian"


# --- the dry run of a capture ---------------------------------------------------------------------


def test_a_payload_shows_what_its_hook_would_queue_and_writes_nothing(ultan, home, tmp_path):
    payload = {
        "hook_event_name": "UserPromptSubmit", "session_id": "s1", "cwd": str(tmp_path), "transcript_path": "", "prompt_id": "p1",
        "prompt": "always use uv <private>and my diary</private> with key ghp_" + "x7Kq2LmZp9Rt4VwYb6Nd8FhJ1s" + "CgA3Eu5TiO",
    }  # fmt: skip
    before = sorted(os.walk(home))
    said = ultan("capture", "--dry-run", "-", "--json", stdin=json.dumps(payload))
    assert said.status == 0, said.err
    told = json.loads(said.out)
    assert told["events"] == ["prompt"]
    [piece] = told["pieces"]
    assert piece["origin"] == "user"
    assert "always use uv" in piece["text"]
    assert "diary" not in piece["text"]
    assert "[redacted:" in piece["text"]
    assert told["taken_out"]["redacted"] == 1
    assert sorted(os.walk(home)) == before


def test_a_transcript_shows_its_pieces_with_their_origins(ultan, tmp_path):
    rows = [
        {"type": "user", "uuid": "a", "timestamp": "2026-01-05T09:00:00.000Z", "promptSource": "typed", "userType": "external",
         "message": {"role": "user", "content": "use uv, please"}},
        {"type": "assistant", "uuid": "b", "message": {"role": "assistant", "content": [{"type": "text", "text": "I will use uv."}]}},
    ]  # fmt: skip
    path = tmp_path / "session.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    told = json.loads(ultan("capture", "--dry-run", str(path), "--json").out)
    assert [(piece["origin"], piece["text"]) for piece in told["pieces"]] == [("user", "use uv, please"), ("assistant", "I will use uv.")]
    assert "2 pieces would be queued" in ultan("capture", "--dry-run", str(path)).out


def test_what_carries_no_signal_and_what_is_no_payload_are_said_to_be_so(ultan, tmp_path):
    quiet = {"hook_event_name": "PostToolUse", "session_id": "s1", "cwd": str(tmp_path), "tool_name": "Bash",
             "tool_input": {"command": "ls"}, "tool_response": {"stdout": "a"}}  # fmt: skip
    assert "no signal" in ultan("capture", "--dry-run", "-", stdin=json.dumps(quiet)).out
    assert "neither" in ultan("capture", "--dry-run", "-", stdin="hello").out
    assert ultan("capture", "--dry-run", str(tmp_path / "nowhere")).status == 2
    assert ultan("capture", "--dry-run").status == 2


def test_a_pause_is_told(ultan):
    ultan("pause")
    assert "paused" in ultan("capture", "--dry-run", "-", stdin="{}").out


def test_the_words_behind_a_dry_run():
    assert words_of(["--dry-run", "-", "--home", "/h", "--json"]) == ("-", "/h", True)
    with pytest.raises(UsageError):
        words_of(["--dry-run", "a", "b"])
