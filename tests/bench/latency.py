"""How long hooks take, as ratios to the interpreter alone: ``python tests/bench/latency.py``.

Every command is run whole, as the client runs it (``sh -c`` of the installed line), interleaved
in one run with the bare interpreter ``-I -c pass``, so that a busy machine slows both. Prints
JSON; ``--check`` exits 1 where a bound is broken.
"""

import argparse
import json
import os
import platform
import random
import statistics
import subprocess
import sys
import tempfile
import time

from ultan import home, settings
from ultan.clients import claude_code
from ultan.library.entry import Entry, Trigger
from ultan.recall.compile import build_from_entries

BOUNDS = {"notice": 2.0, "prime": 2.5, "capture": 5.0}  # times the bare interpreter, p50
SPREAD = 1.5  # p95/p50 of a hook, at most so many times that of the bare interpreter
TOOL_BYTES = 24 * 1024


def entries(count: int, seed: int = 7) -> list[Entry]:
    """A library of *count* entries in Zipfian words, each with a trigger."""
    rng = random.Random(seed)
    syllables = [a + b for a in "bcdfghklmnprstvz" for b in "aeiou"]
    words = ["".join(rng.choices(syllables, k=rng.randint(2, 4))) for _ in range(30_000)]
    weights = [1 / (rank + 10) for rank in range(len(words))]

    def text(length: int) -> str:
        return " ".join(rng.choices(words, weights, k=length))

    found = []
    for number in range(count):
        scope, folder = ("global", "global") if number % 3 == 0 else ("project:proj", "projects/proj")
        trigger = Trigger(tool="Bash", pattern=rf"\b{rng.choice(words)}{number}\s+--{rng.choice(words)}\b")
        found.append(
            Entry(
                id=f"{folder}/t{number // 50}/e{number}", title=text(6), kind="convention", scope=scope,
                created="2026-01-01", updated="2026-01-01", body=text(60), applies_when=(text(5),), triggers=(trigger,),
            )
        )  # fmt: skip
    found.append(
        Entry(
            id="global/uv", title="Use uv, never pip", kind="convention", scope="global", created="2026-11-01",
            updated="2026-11-01", body="Install every Python package with uv, never with pip.",
            applies_when=("adding a dependency",), triggers=(Trigger(tool="Bash", pattern=r"\bpip3? install\b"),),
        )
    )  # fmt: skip
    return found


def payloads(project: str, library: list[Entry]) -> dict[str, dict[str, object]]:
    """What is put into each hook; a serial number makes every delivery its own."""
    rng = random.Random(3)
    pool = " ".join(entry.body for entry in library[:400]).split()
    command = ("cd services/api && pip install requests && " + " ".join(rng.choices(pool, k=40)))[:200]
    lines = [" ".join(rng.choices(pool, k=9)) for _ in range(600)]
    lines[7::50] = ["export API_TOKEN=" + "".join(rng.choices("abcdef0123456789", k=40))] * len(lines[7::50])
    output = "\n".join(lines)[:TOOL_BYTES]
    shared = {"session_id": "bench", "transcript_path": "", "cwd": project, "permission_mode": "auto"}
    prompt = "please add a dependency on requests: " + " ".join(rng.choices(pool, k=26))
    return {
        "notice": {**shared, "hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {"command": command}},
        "prime": {**shared, "hook_event_name": "UserPromptSubmit", "prompt": prompt},
        "capture": {
            **shared, "hook_event_name": "PostToolUse", "tool_name": "Bash",
            "tool_input": {"command": "git commit -m x"}, "tool_response": {"stdout": output, "stderr": ""},
        },
    }  # fmt: skip


def measured(argv: list[str], stdin: bytes, environ: dict[str, str]) -> float:
    """Seconds from start to end of one whole process."""
    start = time.perf_counter()
    done = subprocess.run(argv, input=stdin, stdout=subprocess.PIPE, env=environ, check=True)
    took = time.perf_counter() - start
    assert not done.stdout or json.loads(done.stdout)
    return took


def quantile(values: list[float], share: float) -> float:
    """The value below which *share* of *values* lie."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


def run(argv_of: dict[str, list[str]], python: str, rounds: int, count: int, root: str, project: str) -> dict[str, object]:
    """Interleaved runs of the bare interpreter and of every hook on a library of *count* entries."""
    library = entries(count)
    environ = {**os.environ, "ULTAN_HOME": root, "HOME": os.path.dirname(root), "CLAUDE_PROJECT_DIR": project}
    for name in ("ULTAN_INSIDE", "CLAUDECODE"):
        environ.pop(name, None)
    home.ensure(root)
    index = build_from_entries(library, settings.Settings({"curation.wake": False}))
    home.write(os.path.join(root, "index", "library.idx"), bytes(index._mapped))
    calls = payloads(project, library)
    times: dict[str, list[float]] = {name: [] for name in ("bare", *calls)}
    bare = [python, "-I", "-c", "pass"]
    for number in range(-3, rounds):
        for name, kept in times.items():
            if name == "bare":
                took = measured(bare, b"", environ)
            else:
                mark = {"prompt_id": f"p{number}", "tool_use_id": f"t{number}", "session_id": f"bench{number % 7}"}
                took = measured(argv_of[name], json.dumps({**calls[name], **mark}).encode(), environ)
            if number >= 0:  # the first rounds write bytecode and warm the page cache
                kept.append(took)
    return summary(times, count)


def summary(times: dict[str, list[float]], count: int) -> dict[str, object]:
    """Ratios of medians, spreads, and whether the bounds hold."""
    floor = statistics.median(times["bare"])
    spread = quantile(times["bare"], 0.95) / floor
    rows = {}
    for name, values in times.items():
        p50, p95 = statistics.median(values), quantile(values, 0.95)
        rows[name] = {
            "p50_ms": round(p50 * 1e3, 2), "p95_ms": round(p95 * 1e3, 2), "ratio": round(p50 / floor, 3),
            "spread_ratio": round(p95 / p50 / spread, 3), "bound": BOUNDS.get(name),
            "kept": name == "bare" or (p50 / floor <= BOUNDS[name] and p95 / p50 / spread <= SPREAD),
        }  # fmt: skip
    return {
        "bench": "latency", "entries": count, "rounds": len(times["bare"]), "rows": rows, "python": sys.version.split()[0],
        "machine": platform.machine(), "processors": os.cpu_count(),
        "kept": all(row["kept"] for row in rows.values()),
    }  # fmt: skip


def default_argv(python: str) -> dict[str, list[str]]:
    """The hook lines of this checkout, each as the client starts it."""
    import re2

    import ultan

    folders = [os.path.dirname(os.path.dirname(os.path.abspath(module.__file__))) for module in (ultan, re2)]
    return {verb: ["/bin/sh", "-c", claude_code.hook_line(python, folders, verb)] for verb in BOUNDS}


def main() -> int:
    """Run, print JSON, and say by the status whether the bounds hold."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=120)
    parser.add_argument("--entries", type=int, default=10_000)
    parser.add_argument("--hook-commands", help="JSON file: verb → argv, as `ultan doctor --json` prints it")
    parser.add_argument("--check", action="store_true", help="exit 1 where a bound is broken")
    words = parser.parse_args()
    argv_of, python = default_argv(sys.executable), sys.executable
    if words.hook_commands:
        with open(words.hook_commands, encoding="utf-8") as file:
            found = json.load(file)
        argv_of = found.get("hook_commands", found)
    with tempfile.TemporaryDirectory(prefix="ultan-bench-") as folder:
        project = os.path.join(folder, "proj")
        os.makedirs(project)
        result = run(argv_of, python, words.rounds, words.entries, os.path.join(folder, "home"), project)
    print(json.dumps(result, indent=1))
    return 1 if words.check and not result["kept"] else 0


if __name__ == "__main__":
    sys.exit(main())
