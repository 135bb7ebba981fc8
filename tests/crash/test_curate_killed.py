"""Kill the curator at every side effect: whoever comes next ends where an uninterrupted run ends.

Invariant 7 of the library: an event leaves the queue only after the operation that names it
is committed; replay changes nothing.
"""

import hashlib
import os

import pytest

from ultan import failpoints, home, spool
from ultan.events import Event, Piece
from ultan.library.snapshot import read_library
from ultan.library.store import FileStore
from ultan.recall.index import open_index
from ultan.settings import Settings
from ultan.verbs.curate import curate

NOON = 1_780_000_000.0
ONCE = "From now on always use uv in this repo, never pip."
AGAIN = "Never push to main without asking me first, ever."
MOST = 400


def queue(root, number, kind, text="", session="s1", **data):
    pieces = [Piece(f"p{number}", "user", text, "2026-05-28T19:00:00Z")] if text else []
    event = Event(
        f"{int((NOON - 500 + number) * 1000):012x}-{number:010x}", NOON - 500 + number, kind, client="claude-code",
        session=session, project="shop", pieces=pieces, data=data,
    )  # fmt: skip
    spool.put(root, event)


def run(root):
    curate(root, Settings(), now=lambda: NOON, sleep=lambda _: None)


@pytest.fixture
def prepared(tmp_path):
    """Makes a home that knows one rule and has two sessions waiting; always the same one."""

    def made(name):
        root = home.ensure(str(tmp_path / name))
        queue(root, 1, "prompt", ONCE, session="s0")
        run(root)
        [known] = read_library(FileStore(root)).entries
        queue(root, 2, "prompt", AGAIN)
        queue(root, 3, "surfaced", ids=[known])
        queue(root, 4, "turn_end")
        queue(root, 5, "prompt", "As I said, always use uv in this repo.", session="s2")
        queue(root, 6, "fetched", session="s2", ids=[known])
        queue(root, 7, "session_end", session="s2")
        return root

    return made


def state(root):
    """Everything that must be the same: the library byte for byte, what was logged, what waits, what is indexed."""
    digest = hashlib.sha256()
    for folder, folders, names in sorted(os.walk(os.path.join(root, "knowledge"))):
        folders.sort()
        for name in sorted(name for name in names if not name.startswith(".")):  # a killed write leaves its dot-file
            path = os.path.join(folder, name)
            digest.update(os.path.relpath(path, root).encode() + b"\0" + home.read(path))
    operations = [(each.number, each.by, each.actions, each.events) for each in FileStore(root).operations()]
    return digest.hexdigest(), operations, spool.backlog(root), open_index(root).fingerprint


def killed_at(root, place):
    """Run a curator that is killed at its *place*-th side effect; whether it lived that long."""
    child = os.fork()
    if not child:
        os.environ["ULTAN_FAILPOINT"] = f"any@{place}:kill"
        failpoints.passages.clear()
        try:
            run(root)
        finally:
            os._exit(0)
    _, status = os.waitpid(child, 0)
    return os.WIFSIGNALED(status)


def sweep(prepared, places):
    wanted_root = prepared("whole")
    run(wanted_root)
    wanted = state(wanted_root)
    assert wanted[2] == []
    tried = 0
    for place in places:
        root = prepared(f"killed-{place}")
        was_killed = killed_at(root, place)
        run(root)
        assert state(root) == wanted, f"killed at side effect {place}"
        if not was_killed:
            break
        tried += 1
    return tried


def test_a_curator_killed_here_and_there_loses_nothing_and_does_nothing_twice(prepared):
    assert sweep(prepared, range(5, MOST, 41)) >= 3


@pytest.mark.long
def test_a_curator_killed_at_any_side_effect_loses_nothing_and_does_nothing_twice(prepared, record_property):
    tried = sweep(prepared, range(1, MOST))
    record_property("places", tried)
    assert 50 < tried < MOST - 1


@pytest.mark.long
def test_who_tidies_up_may_be_killed_as_well(prepared):
    wanted_root = prepared("whole")
    run(wanted_root)
    wanted = state(wanted_root)
    for first in range(10, 150, 20):
        for second in (2, 7, 15):
            root = prepared(f"killed-{first}-{second}")
            assert killed_at(root, first)
            killed_at(root, second)
            run(root)
            assert state(root) == wanted, f"killed at {first}, then at {second}"
