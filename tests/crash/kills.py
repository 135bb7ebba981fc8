"""Random kills of captures and curators, judged by an oracle outside: who was told "done" must be right.

``python tests/crash/kills.py --captures 700 --curates 300 --seed 1`` prints one JSON row for
each. A capture is a real hook process (the installed line's interpreter and flags), killed by
the clock or by a failpoint at a random passage; it is acknowledged if it ended by itself with
exit 0. A curator is forked, killed likewise, perhaps again while it tidies up, and then run to
its end: library, log, queue and index must equal those of an uninterrupted run.
"""

import argparse
import hashlib
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import sysconfig
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path[:0] = [str(ROOT)]

from ultan import home, spool  # noqa: E402 -- found by the line above
from ultan.events import Event, Piece  # noqa: E402
from ultan.library.snapshot import read_library  # noqa: E402
from ultan.library.store import FileStore  # noqa: E402
from ultan.recall.compile import compile as compile_index  # noqa: E402
from ultan.recall.index import open_index  # noqa: E402
from ultan.settings import Settings  # noqa: E402
from ultan.verbs.curate import curate  # noqa: E402

NOON = 1_780_000_000.0
QUIET = {"curation.wake": False}
PATIENCE_S = 300  # a hook ends itself long before; a busy machine may not get to it
PASSAGES = 12  # failpoints that a capture passes, and a few more
RULES = (
    "From now on always use uv in this repo, never pip.",
    "From now on never push to main in this repo, always open a pull request instead.",
    "As I said, always use uv in this repo, never pip.",
    "No, from now on always use pnpm in this repo, never npm.",
)


# --- captures ---------------------------------------------------------------------------------------


def _boot() -> list[str]:
    places = [str(ROOT), sysconfig.get_paths()["purelib"]]
    return [
        sys.executable,
        "-I",
        "-S",
        "-c",
        f"import sys;sys.path+={places!r};from ultan.__main__ import main;main()",
    ]


def _capture(
    root: str, folder: str, number: int, chance: random.Random, typical_s: float
) -> tuple[bool, bool]:
    """One hook call that may be killed: whether it was acknowledged, and whether it was killed."""
    environ = {"HOME": folder, "ULTAN_HOME": root, "PATH": os.environ.get("PATH", "")}
    delay = 0.0
    match chance.randrange(3):
        case 0:
            environ["ULTAN_FAILPOINT"] = f"any@{chance.randint(1, PASSAGES)}:kill"
        case 1:
            delay = chance.uniform(0.2, 1.3) * typical_s
        case _:
            pass
    payload = {
        "hook_event_name": "UserPromptSubmit", "session_id": f"s{number % 7}", "cwd": folder, "prompt_id": f"p{number}",
        "prompt": f"call {number}: please look at the shop " + "x" * chance.choice((0, 100, 5000)),
    }  # fmt: skip
    child = subprocess.Popen(
        [*_boot(), "prime", "--client", "claude-code"],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env=environ,
    )
    try:
        child.stdin.write(json.dumps(payload).encode())
        child.stdin.close()
    except BrokenPipeError:
        pass
    if delay:
        try:
            child.wait(delay)
        except subprocess.TimeoutExpired:
            child.kill()
    child.wait(PATIENCE_S)
    return child.returncode == 0, child.returncode == -signal.SIGKILL


def captures(count: int, seed: int) -> dict:
    """What came of *count* captures under random kills."""
    chance = random.Random(seed)
    folder = tempfile.mkdtemp(prefix="ultan-kills-")
    try:
        root = home.ensure(os.path.join(folder, "home"))
        compile_index(read_library(FileStore(root)), root, Settings(QUIET), now=NOON)
        start = time.monotonic()
        _capture(root, folder, 0, _Never(), 1.0)
        typical_s = time.monotonic() - start
        acknowledged, killed = {0}, 0
        for number in range(1, count):
            done, was_killed = _capture(root, folder, number, chance, typical_s)
            killed += was_killed
            if done:
                acknowledged.add(number)
        found: dict[int, int] = {}
        events = spool.take(root, spool.backlog(root))
        for event in events:
            for piece in event.pieces:
                if piece.text.startswith("call "):
                    number = int(piece.text.split(":")[0].removeprefix("call "))
                    found[number] = found.get(number, 0) + 1
        torn = len(os.listdir(os.path.join(root, "queue", "bad")))
        lost = sorted(acknowledged - found.keys())
        twice = sorted(number for number, times in found.items() if times > 1)
        failures = len(lost) + torn + len(twice)
        return {
            "what": "captures", "trials": count, "killed": killed, "acknowledged": len(acknowledged), "lost": lost,
            "torn": torn, "twice": twice, "failures": failures, "seed": seed,
        }  # fmt: skip
    finally:
        shutil.rmtree(folder, ignore_errors=True)


class _Never(random.Random):
    """Chance that never kills."""

    def randrange(self, *_: object, **__: object) -> int:  # type: ignore[override]
        return 2


# --- curators ---------------------------------------------------------------------------------------------


def prepared(root: str) -> str:
    """A home with one rule and two sessions waiting, always the same one."""
    home.ensure(root)
    _queue(root, 1, "prompt", RULES[0], "s0")
    _run(root)
    known = sorted(read_library(FileStore(root)).entries)
    _queue(root, 2, "prompt", RULES[1], "s1")
    _queue(root, 3, "surfaced", "", "s1", ids=known)
    _queue(root, 4, "turn_end", "", "s1")
    _queue(root, 5, "prompt", RULES[2], "s2")
    _queue(root, 6, "prompt", RULES[3], "s2")
    _queue(root, 7, "session_end", "", "s2")
    return root


def _queue(root: str, number: int, kind: str, text: str, session: str, **data: object) -> None:
    pieces = [Piece(f"p{number}", "user", text, "2026-05-28T19:00:00Z")] if text else []
    at = NOON - 500 + number
    name = f"{int(at * 1000):012x}-{number:010x}"
    spool.put(
        root,
        Event(
            name, at, kind, client="claude-code", session=session, project="shop", pieces=pieces, data=data
        ),
    )


def _run(root: str) -> None:
    curate(root, Settings(QUIET), now=lambda: NOON, sleep=lambda _: None, at_once=True)


def _killed_run(root: str, delay_s: float, failpoint: str) -> int:
    """The exit status of a forked curator that may be killed."""
    child = os.fork()
    if child == 0:
        if failpoint:
            os.environ["ULTAN_FAILPOINT"] = failpoint
        status = 1
        try:
            _run(root)
            status = 0
        finally:
            os._exit(status)
    if delay_s:
        time.sleep(delay_s)
        os.kill(child, signal.SIGKILL)
    return os.waitpid(child, 0)[1]


def state(root: str) -> dict:
    """What must be the same after any number of kills and power cuts, by name."""
    tree = {}
    for folder, folders, names in sorted(os.walk(os.path.join(root, "knowledge"))):
        folders.sort()
        for name in sorted(name for name in names if not name.startswith(".")):
            path = os.path.join(folder, name)
            tree[os.path.relpath(path, root)] = hashlib.sha256(home.read(path)).hexdigest()
    store = FileStore(root)
    return {
        "tree": tree,
        "operations": [(each.number, each.by, each.actions, each.events) for each in store.operations()],
        "backlog": spool.backlog(root),
        "index": open_index(root).fingerprint,
        "unreadable": read_library(store).unreadable,
    }


def differences(found: dict, wanted: dict) -> list[str]:
    """Which parts of two states differ; of the tree, which files."""
    parts = [name for name in wanted if found[name] != wanted[name]]
    files = sorted(path for path in {*found["tree"], *wanted["tree"]} if found["tree"].get(path) != wanted["tree"].get(path))
    return parts + files


def curators(count: int, seed: int) -> dict:
    """What came of *count* curations under random kills, a third of them killed again while tidying up."""
    chance = random.Random(seed)
    folder = tempfile.mkdtemp(prefix="ultan-kills-")
    killed, differ, kills = 0, [], 0
    try:
        template = prepared(os.path.join(folder, "template"))
        whole = os.path.join(folder, "whole")
        shutil.copytree(template, whole, symlinks=True)
        start = time.monotonic()
        _run(whole)
        typical_s = time.monotonic() - start
        wanted = state(whole)
        for number in range(count):
            root = os.path.join(folder, "trial")
            shutil.rmtree(root, ignore_errors=True)
            shutil.copytree(template, root, symlinks=True)
            for _ in range(1 if chance.random() < 0.67 else 2):
                by_clock = chance.random() < 0.5
                delay_s = chance.uniform(0.005, 1.1 * typical_s) if by_clock else 0.0
                kills += os.WIFSIGNALED(
                    _killed_run(root, delay_s, "" if by_clock else f"any@{chance.randint(1, 150)}:kill")
                )
            killed += 1
            _run(root)
            found = differences(state(root), wanted)
            if found:
                differ.append((number, found))
        return {
            "what": "curators",
            "trials": killed,
            "killed": kills,
            "differ": differ,
            "failures": len(differ),
            "seed": seed,
        }
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--captures", type=int, default=700)
    parser.add_argument("--curates", type=int, default=300)
    parser.add_argument("--seed", type=int, default=int(time.time()))
    chosen = parser.parse_args()
    rows = [captures(chosen.captures, chosen.seed), curators(chosen.curates, chosen.seed)]
    sys.stdout.write(json.dumps(rows, indent=1) + "\n")
    return 1 if any(row["failures"] for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
