"""Bench latency: how long hooks take, as ratios to the interpreter alone.

Every command is run whole, as the client runs it (``sh -c`` of the installed line), interleaved
in one run with the bare interpreter ``-I -c pass``, so that a busy machine slows both.
"""

import json
import os
import platform
import random
import statistics
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from itertools import accumulate

from ultan import home, settings
from ultan.library.entry import Entry, Trigger
from ultan.recall.compile import build_from_entries
from ultan.recall.index import path_of

BOUNDS = {"notice": 2.0, "prime": 2.5, "capture": 5.0}  # times the bare interpreter, p50
MORE_BOUNDS = {"notice 20 KB": 8.0, "save": 6.0}
PRIME_BOUNDS = {1_000: 2.0, 10_000: 2.5, 100_000: 4.0}  # entries → times the bare interpreter
REPORTED = ("save",)  # told beside the bound, but nothing is broken by it
SAVE_ROUNDS = 12
SPREAD = 1.5  # p95/p50 of a hook, at most so many times that of the bare interpreter
TOOL_BYTES, WRITE_BYTES = 24 * 1024, 20 * 1024


def entries(count: int, seed: int = 7) -> list[Entry]:
    """A library of *count* entries in Zipfian words, each with a trigger."""
    rng = random.Random(seed)  # noqa: S311 -- a library of words, not a secret
    syllables = [a + b for a in "bcdfghklmnprstvz" for b in "aeiou"]
    words = ["".join(rng.choices(syllables, k=rng.randint(2, 4))) for _ in range(30_000)]
    weights = list(accumulate(1 / (rank + 10) for rank in range(len(words))))  # summed once, not at every text

    def text(length: int) -> str:
        return " ".join(rng.choices(words, cum_weights=weights, k=length))

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
    rng = random.Random(3)  # noqa: S311 -- see above
    pool = " ".join(entry.body for entry in library[:400]).split()
    command = ("cd services/api && pip install requests && " + " ".join(rng.choices(pool, k=40)))[:200]
    lines = [" ".join(rng.choices(pool, k=9)) for _ in range(600)]
    lines[7::50] = ["export API_TOKEN=" + "".join(rng.choices("abcdef0123456789", k=40))] * len(lines[7::50])
    output = "\n".join(lines)[:TOOL_BYTES]
    written = "\n".join(" ".join(rng.choices(pool, k=9)) for _ in range(400))[:WRITE_BYTES]
    shared = {"session_id": "bench", "transcript_path": "", "cwd": project, "permission_mode": "auto"}
    prompt = "please add a dependency on requests: " + " ".join(rng.choices(pool, k=26))
    return {
        "notice": {**shared, "hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {"command": command}},
        "notice 20 KB": {
            **shared, "hook_event_name": "PreToolUse", "tool_name": "Write",
            "tool_input": {"file_path": os.path.join(project, "notes.md"), "content": written},
        },
        "prime": {**shared, "hook_event_name": "UserPromptSubmit", "prompt": prompt},
        "capture": {
            **shared, "hook_event_name": "PostToolUse", "tool_name": "Bash",
            "tool_input": {"command": "git commit -m x"}, "tool_response": {"stdout": output, "stderr": ""},
        },
    }  # fmt: skip


def measured(argv: list[str], stdin: bytes, environ: dict[str, str]) -> float:
    """Seconds from start to end of one whole process that prints JSON or nothing."""
    took, printed = timed(argv, stdin, environ)
    if printed:
        json.loads(printed)  # a hook that prints anything else is not measured, it is broken
    return took


def timed(argv: list[str], stdin: bytes, environ: dict[str, str]) -> tuple[float, bytes]:
    """Seconds from start to end of one whole process, and what it printed."""
    start = time.perf_counter()
    done = subprocess.run(argv, input=stdin, stdout=subprocess.PIPE, env=environ, check=True)  # noqa: S603 -- our own lines
    return time.perf_counter() - start, done.stdout


def quantile(values: list[float], share: float) -> float:
    """The value below which *share* of *values* lie."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


def bench_latency(
    argv_of: Mapping[str, Sequence[str]], python: str, *, rounds: int, count: int, root: str, project: str,
    sizes: Sequence[int] = (), save: Sequence[str] = (),
) -> dict[str, object]:  # fmt: skip
    """Interleaved runs of the bare interpreter and of every hook on a library of *count* entries.

    *sizes* are more libraries, each with a home beside *root*, in which prompts are primed too; *save* is
    the command that keeps a text, run in a young home, so that the time until a prompt can be primed with
    it is known: whatever starts after it finds it.
    """
    beside = os.path.dirname(root)
    library = entries(count)
    place(root, library)
    calls = [(name, name.partition(" ")[0], payload, root) for name, payload in payloads(project, library).items()]
    prompt = next(payload for name, _, payload, _ in calls if name == "prime")
    for size in sizes:
        if size != count:
            own = os.path.join(beside, f"home-{size}")
            place(own, entries(size))
            calls.append((f"prime {size}", "prime", prompt, own))
    environ = {name: value for name, value in os.environ.items() if name not in ("ULTAN_INSIDE", "CLAUDECODE")}
    environ |= {"HOME": beside, "CLAUDE_PROJECT_DIR": project, "ULTAN_HOME": home.ensure(os.path.join(beside, "young"))}
    times: dict[str, list[float]] = {}
    for number in range(-3, rounds):
        took = {"bare": timed([python, "-I", "-c", "pass"], b"", environ)[0]}
        for name, verb, payload, own in calls:
            mark = {"prompt_id": f"p{number}", "tool_use_id": f"t{number}", "session_id": f"bench{number % 7}"}
            home.remove(os.path.join(own, "sessions", mark["session_id"], "seen"))  # so that every prompt is answered, not the first alone
            took[name] = measured(list(argv_of[verb]), json.dumps({**payload, **mark}).encode(), {**environ, "ULTAN_HOME": own})
        if save and number < SAVE_ROUNDS:
            text = f"Always run make check{number + 3} before part {number + 3} is shipped"
            took["save"] = timed([*save, text], b"", environ)[0]
        if number >= 0:  # the first rounds write bytecode and warm the page cache
            for name, seconds in took.items():
                times.setdefault(name, []).append(seconds)
    return summary(times, count)


def place(root: str, library: list[Entry]) -> None:
    """Make a home at *root* with an index of *library* and nothing else."""
    home.ensure(root)
    index = build_from_entries(library, settings.Settings({"curation.wake": False}))
    home.write(path_of(root), bytes(index._mapped))  # noqa: SLF001 -- the file as compile writes it


def summary(times: dict[str, list[float]], count: int) -> dict[str, object]:
    """Ratios of medians, spreads, and whether the bounds hold."""
    floor = statistics.median(times["bare"])
    spread = quantile(times["bare"], 0.95) / floor
    rows = {}
    for name, values in times.items():
        p50, p95 = statistics.median(values), quantile(values, 0.95)
        bound = bound_of(name, count)
        rows[name] = {
            "p50_ms": round(p50 * 1e3, 2), "p95_ms": round(p95 * 1e3, 2), "ratio": round(p50 / floor, 3),
            "spread_ratio": round(p95 / p50 / spread, 3), "bound": bound,
            "kept": bound is None or name in REPORTED or (p50 / floor <= bound and p95 / p50 / spread <= SPREAD),
        }  # fmt: skip
    return {
        "bench": "latency", "entries": count, "rounds": len(times["bare"]), "rows": rows, "python": sys.version.split()[0],
        "machine": platform.machine(), "processors": os.cpu_count(),
        "kept": all(row["kept"] for row in rows.values()),
    }  # fmt: skip


def bound_of(name: str, count: int) -> float | None:
    """How many bare interpreters a row may take; ``None`` for the interpreter itself and sizes nobody set a bound for."""
    verb, _, size = name.partition(" ")
    if verb == "prime" and (size or count not in PRIME_BOUNDS):
        return PRIME_BOUNDS.get(int(size)) if size else BOUNDS["prime"]
    return MORE_BOUNDS.get(name) or (PRIME_BOUNDS[count] if verb == "prime" else BOUNDS.get(name))
