"""Load: fifty sessions at once, two hundred hooks in a second, a hundred thousand events, eight hours in minutes.

What must stay flat is printed: memory, files, children. Times are printed and not judged; what is
judged is that nothing is lost, nothing is left over, and nothing grows with what is long past.
"""

import json
import os
import resource
import subprocess
import sys
import sysconfig
import time
from pathlib import Path

import pytest

from ultan import home, housekeeping, spool
from ultan.events import Event, Piece
from ultan.library.check import findings
from ultan.library.snapshot import read_library
from ultan.library.store import FileStore
from ultan.recall.compile import compile as compile_index
from ultan.settings import Settings
from ultan.verbs.curate import curate

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(__file__)), "journey"))
from stage import Stage

pytestmark = [pytest.mark.long, pytest.mark.skipif(not hasattr(os, "fork"), reason="load is made by forks")]

ROOT = Path(__file__).parents[2]
NOON = 1_780_000_000.0
QUIET = {"curation.wake": False}
SESSIONS, HOOKS, EVENTS = 50, 200, 100_000
HOURS = 8


def told(line):
    sys.stderr.write(line + "\n")


def boot(verb):
    places = [str(ROOT), sysconfig.get_paths()["purelib"]]
    code = f"import sys;sys.path+={places!r};from ultan.__main__ import main;main()"
    return [sys.executable, "-I", "-S", "-c", code, verb, "--client", "claude-code"]


def started(root, folder, verb, **payload):
    """A hook process, its stdin written and closed."""
    child = subprocess.Popen(
        boot(verb), stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        env={"HOME": folder, "ULTAN_HOME": root, "PATH": os.environ["PATH"]},
    )  # fmt: skip
    child.stdin.write(json.dumps({"cwd": folder, **payload}).encode())
    child.stdin.close()
    return child


def prepared(tmp_path):
    root, folder = home.ensure(str(tmp_path / "home")), tmp_path / "shop"
    folder.mkdir()
    compile_index(read_library(FileStore(root)), root, Settings(QUIET), now=NOON)
    return root, str(folder)


def prompts(root):
    """The prompts in the queue, by how often each is there."""
    found = {}
    for event in spool.take(root, spool.backlog(root)):
        if event.kind == "prompt":
            for piece in event.pieces:
                found[piece.text] = found.get(piece.text, 0) + 1
    return found


def children():
    """Processes of ours that are still there."""
    return Path(f"/proc/self/task/{os.getpid()}/children").read_text().split() if sys.platform == "linux" else []


def files(root):
    return sum(len(names) for _, _, names in os.walk(root))


def test_fifty_sessions_at_once_are_all_heard_and_then_curated(tmp_path, record_property):
    root, folder = prepared(tmp_path)
    before = children()
    start = time.monotonic()
    for turn in range(4):
        wave = [
            started(root, folder, "prime", hook_event_name="UserPromptSubmit", session_id=f"s{number}", prompt_id=f"p{number}-{turn}",
                    prompt=f"In session {number}, turn {turn}, we look at the shop.")
            for number in range(SESSIONS)
        ]  # fmt: skip
        assert [child.wait(300) for child in wave] == [0] * SESSIONS
        wave = [started(root, folder, "capture", hook_event_name="Stop", session_id=f"s{number}", last_assistant_message=f"Done {turn}.") for number in range(SESSIONS)]
        assert [child.wait(300) for child in wave] == [0] * SESSIONS
    took = time.monotonic() - start
    assert set(prompts(root).values()) == {1}
    assert len(prompts(root)) == SESSIONS * 4
    assert housekeeping.cut_off(root, time.time() + 120) == []
    report = curate(root, Settings(QUIET), now=time.time, sleep=lambda _: None, at_once=True)
    assert (report.backlog, report.sessions) == (0, SESSIONS)
    assert findings(root) == []
    assert children() == before
    record_property("trials", SESSIONS * 8)
    told(f"50 sessions at once, 4 turns: {SESSIONS * 8} hooks in {took:.1f} s, none lost; {housekeeping.counters(root)['late']} late")


def test_two_hundred_hooks_in_a_second_lose_nothing(tmp_path, record_property):
    root, folder = prepared(tmp_path)
    start = time.monotonic()
    all_of_them = [
        started(root, folder, "prime", hook_event_name="UserPromptSubmit", session_id=f"s{number % 20}", prompt_id=f"p{number}", prompt=f"Prompt {number} about the shop.")
        for number in range(HOOKS)
    ]
    begun = time.monotonic() - start
    assert [child.wait(300) for child in all_of_them] == [0] * HOOKS
    took = time.monotonic() - start
    assert prompts(root) == {f"Prompt {number} about the shop.": 1 for number in range(HOOKS)}
    assert housekeeping.cut_off(root, time.time() + 120) == []
    record_property("trials", HOOKS)
    told(f"{HOOKS} hooks, all started within {begun:.1f} s, all answered after {took:.1f} s; none lost")


def test_a_hundred_thousand_queued_events_are_read_in_bounded_memory(tmp_path, record_property):
    root = home.ensure(str(tmp_path / "home"))
    for number in range(EVENTS):
        at = NOON - EVENTS + number
        pieces = [Piece(f"p{number}", "user", f"Line {number} of a long day at the shop.", "2026-05-28T10:00:00Z")]
        event = Event(f"{int(at * 1000):012x}-{number:010x}", at, "prompt", client="claude-code", session=f"s{number // 500}", project="shop", pieces=pieces)
        home.write(os.path.join(root, "queue", "new", event.id + ".json"), event.encode(), durable=False)
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            start = time.monotonic()
            rounds = 0
            while spool.backlog(root):
                curate(root, Settings(QUIET), now=lambda: NOON + 600, sleep=lambda _: None, at_once=True)
                rounds += 1
            peak_mb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
            os.write(writer, json.dumps([rounds, time.monotonic() - start, peak_mb]).encode())
        finally:
            os._exit(0)
    os.close(writer)
    said = os.read(reader, 1000)
    os.waitpid(child, 0)
    rounds, took, peak_mb = json.loads(said)
    assert spool.backlog(root) == []
    assert os.listdir(os.path.join(root, "queue", "bad")) == os.listdir(os.path.join(root, "queue", "dead")) == []
    assert peak_mb < 600
    record_property("trials", EVENTS)
    told(f"{EVENTS} events of {EVENTS // 500} sessions: read in {rounds} runs, {took:.0f} s, at most {peak_mb:.0f} MB; none left, none set aside")


def test_eight_hours_of_work_leave_memory_files_and_children_as_they_were(tmp_path, record_property):
    """A turn every two minutes, a new session each half hour, a curator after each turn, all in this process."""
    stage = Stage(tmp_path)
    before = children()
    seen = []
    turns = 0
    for hour in range(HOURS):
        for half in range(2):
            session = f"h{hour}-{half}"
            stage.starts(session)
            for turn in range(15):
                stage.clock += 90
                stage.types(f"Please look at part {turn} of the shop and tell me what is wrong with it.", session)
                stage.calls("Bash", session, command=f"pytest tests/test_part_{turn}.py")
                stage.runs(f"pytest tests/test_part_{turn}.py", "1 passed", session)
                stage.answers("It works.", session)
                turns += 1
            stage.dictates(f"From now on always run check number {hour * 2 + half} before a release.", session)
            stage.ends(session)
            stage.curate()
        stage.heard.clear()
        stage.said.clear()
        for path in tmp_path.glob("stdin-*"):
            path.unlink()
        others = sum(len(names) for folder, _, names in os.walk(stage.root) if "/sessions" not in folder and "/history" not in folder)
        seen.append((memory_mb(), others, files(os.path.join(stage.root, "sessions")), len(os.listdir("/proc/self/fd")) if sys.platform == "linux" else 0))
        told(f"hour {hour + 1}: {seen[-1][0]:.0f} MB, {seen[-1][1]} files beside sessions and history, {seen[-1][2]} of sessions, {seen[-1][3]} descriptors")
    assert len(stage.entries) == HOURS * 2
    assert spool.backlog(stage.root) == []
    assert children() == before
    memory, others, sessions, descriptors = zip(*seen, strict=True)
    assert memory[-1] - memory[1] < 15
    assert others[-1] - others[1] <= 9 * (HOURS - 2), "two entries and what was read of two sessions"
    assert sessions[-1] - sessions[1] <= 6 * 2 * (HOURS - 2), "each session leaves a handful"
    assert descriptors[-1] == descriptors[0]
    assert findings(stage.root, stage.clock) == []
    stage.clock = time.time() + 100 * 86400
    stage.types("good morning", "later")
    stage.curate()
    left = files(os.path.join(stage.root, "sessions")) + files(os.path.join(stage.root, "runs", "reading"))
    told(f"a hundred days later: {left} files of sessions and of what was read of them")
    assert left < sessions[0]
    record_property("trials", turns)


def memory_mb():
    if sys.platform != "linux":
        return 0.0
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / (1 << 20)
