"""Load: fifty sessions at once, two hundred hooks in a second, a hundred thousand events, eight hours in minutes.

What must stay flat is printed: memory, files, children. Times are printed and not judged; what is
judged is that nothing is lost, nothing is left over, and nothing grows with what is long past.
"""

import json
import os
import subprocess
import sys
import sysconfig
import time
from pathlib import Path

import crowd
import pytest

from ultan import home, housekeeping, spool
from ultan.clients import claude_code
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
DAYS = (100, 150, 200)


def told(record_property, line):
    record_property("figure", line)
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
    told(record_property, f"50 sessions at once, 4 turns: {SESSIONS * 8} hooks in {took:.1f} s, none lost; {housekeeping.counters(root)['late']} late")


def test_two_hundred_hooks_that_start_within_a_second_lose_nothing_silently(tmp_path, record_property):
    """As they are installed: a shell around each, which makes 0 of any end. What the wall limit ends is told."""
    root, folder = prepared(tmp_path)
    calls = []
    for number in range(HOOKS):
        payload = {"hook_event_name": "UserPromptSubmit", "session_id": f"s{number % 20}", "cwd": folder, "prompt_id": f"p{number}", "prompt": f"Prompt {number} about the shop."}
        calls.append(tmp_path / f"call-{number}")
        calls[-1].write_text(json.dumps(payload))
    line = claude_code.hook_line(sys.executable, [str(ROOT), sysconfig.get_paths()["purelib"]], "prime")
    ended = crowd.at_once(["/bin/sh", "-c", line], calls, {"HOME": folder, "ULTAN_HOME": root, "PATH": os.environ["PATH"]})
    assert {each.status for each in ended} == {0}
    found = prompts(root)
    counts = housekeeping.counters(root)
    cut_off = len(housekeeping.cut_off(root, time.time() + 3600))
    missing = {f"Prompt {number} about the shop." for number in range(HOOKS)} - set(found)
    assert set(found.values()) == {1}
    assert len(missing) <= cut_off + counts["late"] + counts["timed_out"]
    record_property("trials", HOOKS)
    began, after = max(each.began for each in ended), max(each.ended - each.began for each in ended)
    told(record_property, f"{HOOKS} prompts' hooks, started within {began:.2f} s: {len(found)} kept, {cut_off} ended by their wall limit and told, {len(missing)} of these not kept; the slowest took {after:.1f} s at load {os.getloadavg()[0]:.0f}")


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
            start, used, before = time.monotonic(), time.process_time(), memory_mb()
            rounds = 0
            while spool.backlog(root):
                curate(root, Settings(QUIET), now=lambda: NOON + 600, sleep=lambda _: None, at_once=True)
                rounds += 1
            took, used = time.monotonic() - start, time.process_time() - used
            os.write(writer, json.dumps([rounds, took, used, peak_mb() - before]).encode())
        finally:
            os._exit(0)
    os.close(writer)
    said = os.read(reader, 1000)
    os.waitpid(child, 0)
    rounds, took, used, grown_mb = json.loads(said)
    assert spool.backlog(root) == []
    assert os.listdir(os.path.join(root, "queue", "bad")) == os.listdir(os.path.join(root, "queue", "dead")) == []
    assert grown_mb < 400
    record_property("trials", EVENTS)
    told(record_property, f"{EVENTS:,} events of {EVENTS // 500} sessions: read in {rounds} runs, {took:.0f} s ({used:.0f} s of processor), {grown_mb:.0f} MB at most beside what the test held; none left, none set aside")


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
        sys.stderr.write(f"hour {hour + 1}: {seen[-1][0]:.0f} MB, {seen[-1][1]} files beside sessions and history, {seen[-1][2]} of sessions, {seen[-1][3]} descriptors\n")
    assert len(stage.entries) == HOURS * 2
    assert spool.backlog(stage.root) == []
    assert children() == before
    memory, others, sessions, descriptors = zip(*seen, strict=True)
    assert memory[-1] - memory[1] < 15
    assert others[-1] - others[1] <= 9 * (HOURS - 2), "two entries and what was read of two sessions"
    assert sessions[-1] - sessions[1] <= 6 * 2 * (HOURS - 2), "each session leaves a handful"
    assert descriptors[-1] == descriptors[0]
    assert findings(stage.root, stage.clock) == []
    record_property("trials", turns)
    told(record_property, f"{HOURS} hours, {turns} turns, {HOURS * 2} sessions: memory {memory[1]:.0f} MB after two hours and {memory[-1]:.0f} after {HOURS}, descriptors {descriptors[1]} and {descriptors[-1]}, no child left")


def test_what_sessions_leave_behind_is_flat_once_the_first_of_them_are_forgotten(tmp_path, record_property):
    """A session a day, and a curator after it: their files go after ninety days, calls on record after a year."""
    stage = Stage(tmp_path)
    before, seen, known = children(), {}, {}
    for day in range(1, max(DAYS) + 1):
        stage.starts(f"d{day}")
        stage.types("Please look at the shop and tell me what is wrong with it.", f"d{day}")
        stage.calls("Bash", f"d{day}", command="pytest")
        stage.answers("It works.", f"d{day}")
        stage.ends(f"d{day}")
        stage.curate()
        stage.heard.clear()
        stage.said.clear()
        for path in tmp_path.glob("stdin-*"):
            path.unlink()
        of_today(stage.root, stage.clock, known)
        stage.clock = NOON + day * 86400
        if day in DAYS:
            seen[day] = files(stage.root)
    assert len(set(seen.values())) == 1, seen
    assert len(os.listdir(os.path.join(stage.root, "sessions"))) <= 92
    assert children() == before
    record_property("trials", max(DAYS))
    told(record_property, f"a session a day: {', '.join(f'{count} files on day {day}' for day, count in seen.items())}")


def of_today(root, clock, known):
    """The disk's clock goes with ours: what was written since it was *known* was written on that day."""
    for place in ("sessions", "runs"):
        for folder, _, names in os.walk(os.path.join(root, place), topdown=False):
            for path in (*(os.path.join(folder, name) for name in names), folder):
                if os.stat(path).st_mtime != known.get(path):
                    os.utime(path, (clock, clock))
                    known[path] = os.stat(path).st_mtime


def peak_mb():
    """The most memory that this process ever had; not what its parent had, which ``getrusage`` tells after a fork."""
    if sys.platform != "linux":
        return 0.0
    [line] = [line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("VmHWM")]
    return int(line.split()[1]) / 1024


def memory_mb():
    if sys.platform != "linux":
        return 0.0
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / (1 << 20)
