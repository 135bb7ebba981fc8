"""Who proposes: what the clerk turned down is not silent, the log says why."""

from ultan import home, spool
from ultan.events import Event, Piece
from ultan.library.store import FileStore
from ultan.settings import Settings
from ultan.verbs.curate import curate

NOON = 1_780_000_000.0


def refusals(tmp_path, *texts):
    root = home.ensure(str(tmp_path / "home"))
    pieces = [Piece(f"a.{place}", "user", text) for place, text in enumerate(texts)]
    spool.put(
        root,
        Event("a", NOON - 100, "prompt", client="claude-code", session="s", project="shop", pieces=pieces),
    )
    spool.put(root, Event("b", NOON - 90, "turn_end", client="claude-code", session="s", project="shop"))
    curate(root, Settings(), now=lambda: NOON, sleep=lambda _: None)
    return [
        (verb, reason) for operation in FileStore(root).operations() for verb, _, reason in operation.refusals
    ]


def test_a_rule_that_contradicts_itself_is_refused_with_a_reason_in_the_log(tmp_path):
    assert refusals(tmp_path, "always use tabs, never use tabs") == [
        ("veto", "it asks for exactly what it forbids")
    ]


def test_a_word_taken_back_in_the_same_session_is_in_the_log_too(tmp_path):
    assert refusals(tmp_path, "always use tabs", "no, never use tabs") == [
        ("veto", "the person said the opposite later in the session")
    ]
