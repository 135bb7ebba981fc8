"""Reading: queued events and the client's transcript become one Transcript, each piece once."""

import pytest

from ultan import home
from ultan.events import Event, Piece
from ultan.verbs.reading import keep_progress, pull_transcript, read_progress, read_session

NOON = 1_780_000_000.0


@pytest.fixture
def root(tmp_path):
    return home.ensure(str(tmp_path / "home"))


def event(number, kind, *pieces, session="s1", **data):
    return Event(f"{number:012x}", NOON + number, kind, client="claude-code", session=session, project="shop", pieces=pieces, data=data)


def said(name, text, origin="user", at=""):
    return Piece(name, origin, text, at)


def read(root, *events, pull=None, session="s1"):
    return read_session(root, session, events, overlap_turns=2, pull=pull or (lambda *_: ([], 0)))


def texts(reading):
    return [piece.text for piece in reading.news]


def test_pieces_are_numbered_by_the_prompt_they_belong_to(root):
    reading = read(
        root,
        event(1, "prompt", said("a", "first")),
        event(2, "turn_end", said("b", "done", "assistant")),
        event(3, "prompt", said("c", "second, with a paste"), Piece("c.1", "pasted", "log")),
    )
    assert [piece.turn for piece in reading.news] == [0, 0, 1, 1]
    assert reading.progress.prompts == 2


def test_a_piece_is_read_once_whatever_repeats_it(root):
    first = read(root, event(1, "prompt", said("a", "use uv")))
    keep_progress(root, first.progress)
    again = read(root, event(2, "turn_end", said("a", "use uv"), said("b", "ok", "assistant")))
    assert texts(again) == ["ok"]
    assert [piece.text for piece in again.transcript.pieces] == ["use uv", "ok"]
    assert again.transcript.overlap == 1


def test_a_fork_repeats_its_parent_and_brings_only_what_is_new(root):
    parent = read(root, event(1, "prompt", said("a", "use uv")))
    keep_progress(root, parent.progress)
    fork = read(root, event(2, "prompt", said("a", "use uv"), said("z", "and ruff"), session="s2"), session="s2")
    assert texts(fork) == ["and ruff"]


def test_what_a_hook_told_before_the_transcript_did_is_not_read_again_under_another_id(root):
    first = read(root, event(1, "prompt", said("hook-1", "use  uv")))
    keep_progress(root, first.progress)
    told = [said("line-1", "use uv"), said("line-2", "use uv")]
    second = read(root, event(2, "turn_end", transcript="/t", size=10), pull=lambda *_: (told, 10))
    assert texts(second) == ["use uv"]  # said twice: once was settled


def test_the_transcript_is_read_only_as_far_as_a_hook_saw_it(root):
    asked = []

    def pull(client, path, start, end):
        asked.append((client, path, start, end))
        return [], end

    reading = read(root, event(1, "turn_end", transcript="/t", to=40, size=100), event(2, "prompt", transcript="/t"), pull=pull)
    assert asked == [("claude-code", "/t", 40, 100)]
    keep_progress(root, reading.progress)
    read(root, event(3, "turn_end", transcript="/t", to=100, size=100), pull=pull)
    assert len(asked) == 1


def test_a_transcript_that_vanished_leaves_what_the_hooks_told():
    assert pull_transcript("claude-code", "/nowhere/at-all.jsonl", 0, 100) == ([], 0)
    assert pull_transcript("no-such-client", "/nowhere", 5, 100) == ([], 5)


def test_a_late_piece_stands_where_it_was_said(root):
    told = [said("a", "first", at="2026-05-28T20:26:41Z"), said("c", "third", at="2026-05-28T20:26:50Z")]
    late = Event("000000000009", NOON + 5, "prompt", client="claude-code", session="s1", pieces=[said("b", "second")])
    reading = read(root, event(1, "turn_end", transcript="/t", size=9), late, pull=lambda *_: (told, 9))
    assert texts(reading) == ["first", "second", "third"]


def test_credentials_are_taken_out_before_anything_else_reads_the_words(root):
    secret = "ghp_" + "a1B2" * 9
    reading = read(root, event(1, "prompt", said("a", f"my token is {secret}")))
    assert secret not in texts(reading)[0]


def test_shown_entries_are_counted_by_turn(root):
    reading = read(
        root,
        event(1, "prompt", said("a", "one")),
        event(2, "surfaced", ids=["global/uv"]),
        event(3, "prompt", said("b", "two")),
        event(4, "noticed", id="global/uv"),
        event(5, "fetched", ids=["global/ruff"]),
    )
    assert reading.transcript.surfaced == {"global/uv": [0, 1]}
    assert reading.shown == {"global/uv": 2}
    assert reading.transcript.fetched == ["global/ruff"]


def test_a_broken_note_of_progress_means_reading_from_the_start(root):
    keep_progress(root, read_progress(root, "s1"))
    home.write(f"{root}/runs/reading/s1.json", b"{")
    assert read_progress(root, "s1").prompts == 0


def test_a_session_id_never_becomes_a_path(root):
    for name in ("../../x", "a/b", "", "x" * 300):
        progress = read_progress(root, name)
        keep_progress(root, progress.model_copy(update={"prompts": 3}))
        assert read_progress(root, name).prompts == 3
