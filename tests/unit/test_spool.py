"""A directory used as a queue: nothing waits, nothing is lost, nothing torn is read."""

import os

import pytest

from ultan import events, home, housekeeping, spool


def an_event(name="", kind="prompt", **data):
    piece = events.Piece("p1", "user", "always use uv, 漢字 😀", "2026-01-02T03:04:05Z", 0)
    return events.Event(
        name or spool.new_id(), 12.5, kind, client="claude-code", session="s", pieces=[piece], data=data
    )


def test_an_event_comes_back_as_it_was_put(tmp_path):
    root = home.ensure(str(tmp_path))
    event = an_event(transcript="/t.jsonl", size=3)
    spool.put(root, event)
    (found,) = spool.take(root, spool.backlog(root))
    assert found.encode() == event.encode()
    assert found.pieces == event.pieces


def test_the_backlog_is_in_order_of_capture(tmp_path):
    root = home.ensure(str(tmp_path))
    ids = [spool.new_id(now) for now in (3.0, 1.0, 2.0, 1_800_000_000.0)]
    for name in ids:
        spool.put(root, an_event(name))
    assert spool.backlog(root) == sorted(ids)
    assert spool.backlog(root)[0] == ids[1]


def test_torn_foreign_and_newer_events_cost_only_themselves(tmp_path):
    root = home.ensure(str(tmp_path))
    spool.put(root, an_event("000000000001-aa"))
    whole = an_event("000000000002-bb").encode()
    new = os.path.join(root, "queue", "new")
    for cut in range(0, len(whole) - 2, 7):
        home.write(os.path.join(new, f"1-{cut:05d}.json"), whole[:cut])
    home.write(os.path.join(new, "2.json"), b'{"v": 99, "id": "x", "kind": "prompt"}')
    home.write(os.path.join(new, "3.json"), b"\xff\xfe garbage")
    found = spool.take(root, spool.backlog(root))
    assert [event.id for event in found] == ["000000000001-aa"]
    bad = os.listdir(os.path.join(root, "queue", "bad"))
    assert len(bad) == housekeeping.counters(root)["bad"] == len(range(0, len(whole) - 2, 7)) + 2


def test_done_drops_and_set_aside_keeps(tmp_path):
    root = home.ensure(str(tmp_path))
    for name in ("1", "2", "3"):
        spool.put(root, an_event(name))
    spool.done(root, ["1", "missing"])
    spool.set_aside(root, ["2"])
    assert spool.backlog(root) == ["3"]
    assert os.listdir(os.path.join(root, "queue", "dead")) == ["2.json"]


def test_a_half_written_capture_is_invisible_and_swept_when_old(tmp_path):
    root = home.ensure(str(tmp_path))
    path = os.path.join(root, "queue", "new", ".1.json.ab.tmp")
    with open(path, "w") as file:
        file.write("{")
    assert spool.backlog(root) == []
    spool.sweep(root, lambda _modified: False)
    assert os.path.exists(path)
    spool.sweep(root, lambda _modified: True)
    assert not os.path.exists(path)


def test_trust_is_the_origins_and_never_the_words():
    assert [events.trust_of(origin) for origin in ("user", "answer", "rejection")] == [3, 3, 3]
    assert events.trust_of("assistant") == 1
    assert {events.trust_of(o) for o in ("pasted", "tool:Bash", "web:x", "mcp:y", "file:z", "subagent", "")} == {0}


@pytest.mark.parametrize("at", ["1e999", "9" * 400, "-5", "true", '"x"', "1e300"])
def test_an_event_of_an_impossible_time_is_read_as_of_an_unknown_one(at):
    event = events.decode(f'{{"v":1,"id":"x","kind":"prompt","at":{at}}}'.encode())
    assert 0.0 <= event.at <= events.LATEST
    assert events.decode(event.encode()).at == event.at
