"""Past sessions are read like live ones: in steps, once, dated by the day they were said."""

import json
import os

import pytest

from ultan import home
from ultan.clients.claude_past import memory_files, past_folder, past_sessions
from ultan.errors import QuotaReached, UsageError
from ultan.library.check import findings
from ultan.library.snapshot import read_library
from ultan.library.store import FileStore
from ultan.llm.scripted import by_role, scripted
from ultan.settings import Settings
from ultan.verbs import past as verb
from ultan.verbs.desk import Desk

NOON = 1_780_000_000.0
RULE = "From now on always use uv in this repo, never pip."
TABS = "I prefer tabs over spaces, always."
PUSH = "Please never push to main without asking me, ever."


@pytest.fixture
def root(tmp_path):
    return home.ensure(str(tmp_path / "home"))


@pytest.fixture
def folder(tmp_path):
    place = tmp_path / "client"
    place.mkdir()
    return place


def record(folder, session, *said, day="2026-01-05", cwd="/shop", filler=0):
    """A transcript as the client writes it: alternating person and assistant."""
    rows = []
    for number, text in enumerate(said):
        row = {
            "type": "user", "uuid": f"{session}-{number}", "timestamp": f"{day}T09:{number:02d}:00.000Z", "sessionId": session,
            "cwd": cwd, "promptSource": "typed", "userType": "external", "message": {"role": "user", "content": text},
        }  # fmt: skip
        answer = {
            "type": "assistant", "uuid": f"{session}-{number}-a", "timestamp": f"{day}T09:{number:02d}:30.000Z",
            "message": {"role": "assistant", "content": [{"type": "text", "text": "Understood. " + "x" * filler}]},
        }  # fmt: skip
        rows += [row, answer]
    path = folder / f"{session}.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def bring(root, folder, *, by="clerk", model=None, told=None, settings=None):
    desk = Desk(root, FileStore(root), settings or Settings(), NOON)
    found = verb.past(root, str(folder))
    return verb.import_past(desk, found, project="shop", place="/shop", by=by, clock=lambda: NOON, model=model, told=told)


def entries(root):
    return read_library(FileStore(root)).entries


def test_what_a_person_said_then_is_theirs_and_bears_its_day(root, folder):
    path = record(folder, "one", "hello", RULE)
    before = path.read_bytes()
    done = bring(root, folder)
    [entry] = entries(root).values()
    assert (done.sessions, done.left, done.remembered) == (1, 0, 1)
    assert (entry.trust, entry.scope, entry.created) == ("person", "project:shop", "2026-01-05")
    assert entry.evidence[0].session == "one"
    assert path.read_bytes() == before
    assert [found for found in findings(root) if found.code != "index"] == []


def test_a_second_import_reads_nothing_and_changes_nothing(root, folder):
    record(folder, "one", RULE)
    bring(root, folder)
    before = {name: entry.raw for name, entry in entries(root).items()}
    found = verb.past(root, str(folder))
    assert (found.sessions, found.known, found.unread_bytes) == ((), 1, 0)
    bring(root, folder)
    assert {name: entry.raw for name, entry in entries(root).items()} == before


def test_a_session_that_went_on_is_read_on(root, folder):
    record(folder, "one", "hello")
    bring(root, folder)
    record(folder, "one", "hello", RULE)
    assert bring(root, folder).remembered == 1


def test_an_import_that_was_broken_off_goes_on_where_it_stopped(root, folder):
    record(folder, "one", RULE, day="2026-01-05")
    record(folder, "two", PUSH, day="2026-01-06")

    class Stopped(Exception):
        pass

    def told(_done, _total):
        raise Stopped

    with pytest.raises(Stopped):
        bring(root, folder, told=told)
    assert len(entries(root)) == 1
    assert [one.session for one in verb.past(root, str(folder)).sessions] == ["two"]
    done = bring(root, folder)
    assert (done.sessions, len(entries(root))) == (1, 2)


def test_the_older_session_is_read_first_and_a_correction_wins(root, folder):
    record(folder, "a", "From now on always use poetry for packages, never pip.", day="2026-02-01")
    record(folder, "z", "From now on always use pip for packages, never poetry.", day="2026-01-01")
    bring(root, folder)
    live = [entry.rule for entry in read_library(FileStore(root)).live("shop")]
    assert len(live) == 1
    assert "use poetry" in live[0]


def test_what_was_said_long_ago_takes_nothing_newer_away(root, folder):
    record(folder, "new", "From now on always use poetry for packages, never pip.", day="2026-02-01")
    bring(root, folder)
    record(folder, "old", "From now on always use pip for packages, never poetry.", day="2025-06-01")
    done = bring(root, folder)
    live = [entry.rule for entry in read_library(FileStore(root)).live("shop")]
    assert any("use poetry" in rule for rule in live)
    assert not any("use pip for" in rule for rule in live)
    assert "is newer than what was said on 2025-06-01" in done.refused[0]


def test_a_long_transcript_is_read_in_steps_that_lose_no_line(root, folder):
    said = [f"Remark {number} about nothing." for number in range(30)]
    said[7], said[29] = RULE, PUSH
    record(folder, "long", *said, filler=600_000)
    steps = []
    done = bring(root, folder, told=lambda read, total: steps.append((read, total)))
    assert len(steps) >= 4
    assert steps[-1][0] == steps[-1][1] == os.path.getsize(folder / "long.jsonl")
    assert done.remembered == 2


def test_half_a_line_at_the_end_waits(root, folder):
    path = record(folder, "one", "hello")
    whole = path.stat().st_size
    with path.open("a") as file:
        file.write('{"type": "user", "uuid": "half')
    [one] = verb.past(root, str(folder)).sessions
    assert one.size == whole
    bring(root, folder)
    record(folder, "one", "hello", RULE)
    assert bring(root, folder).remembered == 1


def test_ask_holds_and_off_refuses(root, folder):
    record(folder, "one", RULE)
    with pytest.raises(UsageError, match="off"):
        bring(root, folder, settings=Settings({"curation.modes": ("shop=off",)}))
    assert bring(root, folder, settings=Settings({"curation.mode": "ask"})).pending == 1
    assert entries(root) == {}


def test_a_limit_stops_the_import_and_the_next_run_goes_on(root, folder):
    record(folder, "one", RULE)
    record(folder, "two", PUSH, day="2026-01-06")
    done = bring(root, folder, by="claude", model=scripted(QuotaReached("weekly limit")))
    assert (done.kept, done.left, done.sessions) == ("quota", 2, 0)
    model = by_role(librarian={"suggestions": []})
    assert bring(root, folder, by="claude", model=model).left == 0
    assert [errand.session for errand in model.asked] == ["one", "two"]


def test_a_model_that_answers_prose_costs_one_session_and_not_the_import(root, folder):
    record(folder, "one", RULE)
    record(folder, "two", PUSH, day="2026-01-06")

    def librarian(errand):
        return "prose" if errand.session == "one" else {"suggestions": []}

    done = bring(root, folder, by="claude", model=by_role(librarian=librarian))
    assert (done.kept, done.left) == ("", 0)


def test_the_price_is_told_before_any_call(root, folder):
    record(folder, "one", RULE)
    record(folder, "two", PUSH, day="2026-01-06")
    record(folder, "three")
    told = verb.priced(root, verb.past(root, str(folder)), Settings(), NOON).estimate
    assert (told.sessions, told.calls, told.is_measured) == (2, 3, False)
    assert told.cost_usd > 0


def test_the_clients_own_memory_becomes_unconfirmed_findings_and_stays_as_it_is(root, folder):
    (folder / "memory").mkdir()
    (folder / "memory" / "MEMORY.md").write_text("- [Ports](ports.md)\n")
    note = folder / "memory" / "ports.md"
    note.write_text("---\nname: ports\ntype: project\n---\nThe staging database listens on port 5433, not 5432.\n")
    before = note.read_bytes()
    done = bring(root, folder)
    [entry] = entries(root).values()
    assert done.notes == 1
    assert (entry.kind, entry.trust, entry.scope) == ("finding", "assistant", "project:shop")
    assert note.read_bytes() == before
    assert bring(root, folder).notes == 0
    assert memory_files(str(folder)) == [str(note)]


def test_sessions_of_another_folder_with_the_same_name_are_not_ours(tmp_path, folder):
    record(folder, "mine", RULE, cwd=str(tmp_path / "a" / "b-c"))
    record(folder, "theirs", RULE, cwd=str(tmp_path / "a" / "b" / "c"))
    record(folder, "agent-1", RULE, cwd=str(tmp_path / "a" / "b-c"))
    found = past_sessions(str(folder), str(tmp_path / "a" / "b-c"))
    assert [os.path.basename(path) for path in found] == ["mine.jsonl"]


def test_the_clients_folder_is_named_after_the_projects_path():
    assert past_folder({"HOME": "/h"}, "/srv/my.shop_2") == "/h/.claude/projects/-srv-my-shop-2"
    assert past_folder({"CLAUDE_CONFIG_DIR": "/c"}, "/srv") == "/c/projects/-srv"


def test_nothing_to_bring_is_said(root, folder):
    with pytest.raises(UsageError, match="no sessions"):
        verb.past(root, str(folder))


def test_the_command_brings_in_the_sessions_of_the_project_we_stand_in(ultan, tmp_path):
    shop = tmp_path / "shop"
    (shop / ".git").mkdir(parents=True)
    (shop / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
    client = tmp_path / ".claude" / "projects" / past_folder({}, str(shop)).rpartition("/")[2]
    client.mkdir(parents=True)
    record(client, "one", RULE, cwd=str(shop))
    dry = json.loads(ultan("import", "--sessions", "--dry-run", "--json", folder=str(shop)).out)
    assert len(dry["sessions"]) == 1
    said = ultan("import", "--sessions", folder=str(shop))
    assert said.status == 0, said.err
    assert "1 sessions read: 1 remembered" in said.out
    assert ultan("import", "--sessions", "--by", "claude", folder=str(shop)).status == 0
    assert ultan("import", folder=str(shop)).status == 2


@pytest.mark.slow
def test_a_transcript_four_times_as_long_takes_no_more_memory(tmp_path):
    import tracemalloc

    peaks = []
    for turns in (100, 400):
        folder = tmp_path / f"client-{turns}"
        folder.mkdir()
        record(folder, "long", *(f"Please look at part {number} of the report." for number in range(turns)), filler=100_000)
        root = home.ensure(str(tmp_path / f"home-{turns}"))
        tracemalloc.start()
        assert bring(root, folder).left == 0
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[1] < 1.3 * peaks[0], peaks
