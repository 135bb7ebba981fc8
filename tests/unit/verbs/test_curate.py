"""Curate: what sessions said becomes what the library knows, once, whatever happens."""

import json
import os

import pytest

from ultan import home, spool
from ultan.errors import MalformedReply, NotLoggedIn, QuotaReached
from ultan.events import Event, Piece
from ultan.library.snapshot import read_library
from ultan.library.store import FileStore
from ultan.llm.recorded import read_spending
from ultan.llm.scripted import by_role, scripted
from ultan.recall.index import open_index
from ultan.settings import Settings
from ultan.verbs.curate import curate
from ultan.verbs.reading import read_progress

NOON = 1_780_000_000.0
RULE = "From now on always use uv in this repo, never pip."


class Clock:
    """A clock that moves only when somebody sleeps."""

    def __init__(self, at=NOON):
        self.at = at
        self.naps = []

    def __call__(self):
        return self.at

    def sleep(self, seconds):
        self.naps.append(seconds)
        self.at += seconds


@pytest.fixture
def root(tmp_path):
    return home.ensure(str(tmp_path / "home"))


def queue(root, kind, *texts, session="s1", at=NOON - 100, origin="user", number=[0], project="shop", **data):  # noqa: B006
    number[0] += 1
    name = f"{int(at * 1000):012x}-{number[0]:010x}"
    pieces = [Piece(f"{name}#{place}", origin, text) for place, text in enumerate(texts)]
    spool.put(
        root,
        Event(name, at, kind, client="claude-code", session=session, project=project, pieces=pieces, data=data),
    )
    return name


def turn(root, text, **more):
    queue(root, "prompt", text, **more)
    return queue(root, "turn_end", **more)


def run(root, clock=None, model=None, settings=None, **more):
    clock = clock or Clock()
    return curate(root, settings or Settings(), now=clock, sleep=clock.sleep, model=model, **more)


def entries(root):
    return read_library(FileStore(root)).entries


def quoting(errand, **fields):
    """A librarian's answer that creates one rule from the first new piece of the packet."""
    name = errand.question.rpartition("New:")[2].partition('id="')[2].partition('"')[0]
    action = {
        "verb": "create", "folder": "projects/shop/tools", "kind": "convention", "title": "uv, never pip",
        "rule": RULE, "applies_when": ["installing a package"],
        "evidence": [{"event": name, "quote": "always use uv in this repo"}], **fields,
    }  # fmt: skip
    return {"suggestions": [{"action": action, "reason": "a house rule"}]}


def approving(errand):
    count = errand.question.count("## Suggestion ")
    return {"verdicts": [{"number": n, "approve": True, "reason": "the person said so"} for n in range(count)]}


CLAUDE = Settings({"curation.by": "claude"})


# --- the clerk ----------------------------------------------------------------------------------


def test_a_dictated_rule_is_in_the_library_and_in_the_index_and_leaves_the_queue(root):
    turn(root, RULE)
    report = run(root)
    assert report.state == "done"
    [entry] = entries(root).values()
    assert "uv" in entry.rule
    assert entry.trust == "person"
    assert entry.scope == "project:shop"
    assert spool.backlog(root) == []
    assert open_index(root).number(entry.id) >= 0
    assert report.operations == [1]


def test_what_was_remembered_is_announced_for_the_next_session_start(root):
    turn(root, RULE)
    run(root)
    turn(root, "Please never push to main without asking me, ever.", session="s2")
    run(root)
    note = json.loads(home.read(os.path.join(root, "nudges", "remembered.json")))
    assert note["count"] == 2
    assert note["operations"] == [1, 2]
    assert note["operation"] == 2


def test_the_same_session_curated_twice_changes_nothing_the_second_time(root):
    turn(root, RULE)
    run(root)
    before = {path: entry.raw for path, entry in entries(root).items()}
    queue(root, "turn_end")
    report = run(root)
    assert report.operations == []
    assert {path: entry.raw for path, entry in entries(root).items()} == before


def test_a_second_curator_leaves_at_once(root):
    from filelock import FileLock

    turn(root, RULE)
    with FileLock(os.path.join(root, "curate.lock"), fallback_to_soft=False):
        report = run(root)
    assert report.state == "busy"
    assert report.backlog == 2


def test_nothing_is_read_before_the_session_was_quiet(root):
    clock = Clock()
    turn(root, RULE, at=NOON - 10)
    report = run(root, clock)
    assert sum(clock.naps) == pytest.approx(20, abs=0.1)
    assert report.state == "done"


def test_a_person_who_asks_does_not_wait(root):
    clock = Clock()
    turn(root, RULE, at=NOON)
    assert run(root, clock, at_once=True).state == "done"
    assert clock.naps == []


def test_off_keeps_the_queue(root):
    turn(root, RULE)
    assert run(root, settings=Settings({"curation.mode": "off"})).state == "off"
    assert run(root, by="off").state == "off"
    assert len(spool.backlog(root)) == 2


def test_ask_holds_everything_for_review(root):
    turn(root, RULE)
    report = run(root, settings=Settings({"curation.mode": "ask"}))
    assert report.pending == 1
    assert entries(root) == {}
    assert spool.backlog(root) == []


def test_an_event_without_a_session_is_set_aside_once(root):
    queue(root, "prompt", RULE, session="")
    model = scripted()
    report = run(root, model=model, settings=CLAUDE)
    assert report.set_aside == 1
    assert model.asked == []
    assert len(os.listdir(os.path.join(root, "queue", "dead"))) == 1


def test_shown_and_opened_entries_are_counted_once(root):
    turn(root, RULE)
    run(root)
    [name] = entries(root)
    queue(root, "prompt", "go on", session="s2", at=NOON + 1)
    queue(root, "surfaced", session="s2", at=NOON + 1, ids=[name])
    queue(root, "fetched", session="s2", at=NOON + 2, ids=[name])
    run(root, Clock(NOON + 100))
    entry = entries(root)[name]
    assert (entry.fired, entry.fetched, entry.ignored) == (1, 1, 0)
    assert entry.updated == entry.created


def test_the_lag_from_the_words_to_the_index_is_kept(root):
    turn(root, RULE, at=NOON - 40)
    run(root)
    [[number, by, said, readable]] = json.loads(home.read(os.path.join(root, "runs", "lag.json")))
    assert (number, by) == (1, "clerk")
    assert readable - said == pytest.approx(40)
