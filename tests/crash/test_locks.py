"""One curator at a time, whoever starts, stops, dies or meddles with the lock; and hooks that never wait for it."""

import os
import signal
import time

import crowd
import kills
import pytest

from ultan import home, housekeeping, spool
from ultan.recall.index import open_index
from ultan.reflex import WALL_S
from ultan.settings import Settings
from ultan.verbs.curate import curate

STARTERS = 12
HOOKS = 200


def started(root, log, *, hold=False):
    """A forked curator that notes in *log* when it is inside the lock and when it left."""
    child = os.fork()
    if child:
        return child
    inside = []

    def now():
        if not inside:
            inside.append(True)
            home.append(log, f"in {os.getpid()}\n".encode())
            if hold:
                os.kill(os.getpid(), signal.SIGSTOP)
        return kills.NOON

    try:
        curate(root, Settings(kills.QUIET), now=now, sleep=lambda _: None, at_once=True)
    finally:
        if inside:
            home.append(log, f"out {os.getpid()}\n".encode())
        os._exit(0)


def overlaps(log):
    """How often one was inside while another was."""
    inside, found = set(), 0
    for line in home.read(log).decode().splitlines():
        word, pid = line.split()
        if word == "in":
            found += bool(inside)
            inside.add(pid)
        else:
            inside.discard(pid)
    return found


@pytest.fixture
def root(tmp_path):
    return kills.prepared(str(tmp_path / "home"))


def test_of_many_that_start_at_once_no_two_are_inside(root, tmp_path, record_property):
    log = str(tmp_path / "log")
    for _ in range(3):
        for child in [started(root, log) for _ in range(STARTERS)]:
            os.waitpid(child, 0)
    record_property("trials", 3 * STARTERS)
    assert overlaps(log) == 0
    assert spool.backlog(root) == []


def test_a_stopped_holder_keeps_others_out_and_hooks_are_not_held_up(root, tmp_path):
    log = str(tmp_path / "log")
    holder = started(root, log, hold=True)
    os.waitpid(holder, os.WUNTRACED)
    assert (
        curate(root, Settings(kills.QUIET), now=lambda: kills.NOON, sleep=lambda _: None, at_once=True).state
        == "busy"
    )
    done, _ = kills._capture(root, str(tmp_path), 1, kills._Never(), 1.0)
    assert done
    assert len(spool.backlog(root)) == 7
    os.kill(holder, signal.SIGKILL)
    os.waitpid(holder, 0)
    report = curate(root, Settings(kills.QUIET), now=lambda: kills.NOON, sleep=lambda _: None, at_once=True)
    assert report.state == "done"
    assert open_index(root).size >= 2


def test_a_lock_file_deleted_under_a_holder_lets_nobody_in_twice(root, tmp_path):
    """The second may come in, since the kernel knows two files; what counts is that nothing is written twice."""
    log = str(tmp_path / "log")
    wanted = str(tmp_path / "wanted")
    import shutil

    shutil.copytree(root, wanted)
    kills._run(wanted)
    holder = started(root, log, hold=True)
    os.waitpid(holder, os.WUNTRACED)
    os.unlink(os.path.join(root, "curate.lock"))
    kills._run(root)
    os.kill(holder, signal.SIGCONT)
    os.waitpid(holder, 0)
    found = kills.differences(kills.state(root), kills.state(wanted))
    assert [part for part in found if part != "index"] == []


@pytest.mark.slow
def test_two_hundred_captures_at_once_lose_nothing(tmp_path, record_property):
    """On a machine so busy that a hook gets its nine seconds of wall and is not done, it is ended; then that is told.

    Nothing else may end one, and nothing may be missing that is not told of.
    """
    root = home.ensure(str(tmp_path / "home"))
    kills.compile_index(
        kills.read_library(kills.FileStore(root)), root, Settings(kills.QUIET), now=kills.NOON
    )
    calls = []
    for number in range(HOOKS):
        calls.append(tmp_path / f"call-{number}")
        calls[-1].write_text(
            f'{{"hook_event_name":"PostToolUse","session_id":"s{number % 20}","cwd":"{tmp_path}","tool_name":"WebFetch",'
            f'"tool_input":{{"url":"https://x.example"}},"tool_response":{{"result":"call {number}"}},"tool_use_id":"t{number}"}}'
        )
    environ = {"HOME": str(tmp_path), "ULTAN_HOME": root, "PATH": os.environ.get("PATH", "")}
    ended = crowd.at_once([*kills._boot(), "capture"], calls, environ)
    out_of_time = [each for each in ended if each.status == -signal.SIGALRM]
    assert {each.status for each in ended} <= {0, -signal.SIGALRM}
    assert all(each.ended - each.began >= WALL_S for each in out_of_time)
    told = housekeeping.cut_off(root, time.time() + 3600)
    assert len(told) == len(out_of_time)
    kept = [piece.text for event in spool.take(root, spool.backlog(root)) for piece in event.pieces]
    assert len(kept) == len(set(kept))
    missing = {f"call {number}" for number in range(HOOKS)} - set(kept)
    assert missing <= {f"call {each.number}" for each in out_of_time}
    assert sum(housekeeping.counters(root).values()) == 0
    record_property("trials", HOOKS)
    record_property("figure", f"{HOOKS} captures at once: {len(kept)} kept, {len(missing)} ended by their wall limit and told, the slowest after {max(each.ended for each in ended):.1f} s")
