"""What serving costs: ``python tests/bench/serving.py [--check]``, JSON out.

- ``mcp``: from the start of a process to its tools listed, ``ultan mcp`` against a server with
  the same three tools and nothing else on the same SDK, whole runs interleaved; and how soon it
  ends when its client closes stdin.
- ``boot``: from the start of ``ultan serve`` to its first answer, the index and vectors being there
  (vectors of entries by chance, unless ``--real-vectors``; the prompt's own is always the encoder's).
- ``warm``: the hook of a prompt, answered through the socket, as ratio to the bare interpreter in
  one interleaved run; how many of the answers came from the server is counted, not assumed.
- ``memory``: what the server holds afterwards.
- ``wedged``: the same hook while something accepts on the socket and never answers.
"""

import argparse
import json
import os
import platform
import resource
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence

import numpy as np
from latency import default_argv, entries, measured, payloads, quantile
from mute import mute

from ultan import encoders, home, housekeeping, settings
from ultan.encoders import wordpiece
from ultan.encoders.packaged import LONGEST, PackagedEncoder, Parts
from ultan.recall import wire
from ultan.recall.compile import build_from_entries
from ultan.recall.index import open_index, path_of
from ultan.recall.warm import Warm
from ultan.verbs.server import standing

BOUNDS = {"mcp_ratio": 1.5, "mcp_end_s": 2.0, "boot_s": 2.0, "warm_p50": 4.0, "warm_p95": 8.0, "memory_mb": 350, "wedged_s": 2.2}
BARE = """
import anyio
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server
from mcp.types import CallToolResult, ListToolsResult, Tool

TOOLS = [Tool.model_validate({"name": name, "description": name, "inputSchema": {"type": "object"}}) for name in "abc"]

async def tools(_context, _params):
    return ListToolsResult(tools=TOOLS)

async def call(_context, _params):
    return CallToolResult.model_validate({"content": []})

server = Server("bare", version="0", on_list_tools=tools, on_call_tool=call)

async def run():
    async with stdio_server() as (read, write):
        await server.run(read, write, server.create_initialization_options())

anyio.run(run)
"""
DIALOGUE = (
    {"jsonrpc": "2.0", "id": 1, "method": "initialize",
     "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "bench", "version": "0"}}},
    {"jsonrpc": "2.0", "method": "notifications/initialized"},
    {"jsonrpc": "2.0", "id": 2, "method": "tools/list"},
)  # fmt: skip


class MadeUp:
    """Vectors by chance, under the name of a real encoder: times and memory do not depend on their values."""

    def __init__(self, real: PackagedEncoder) -> None:
        self.name, self.dimension = real.name, real.dimension
        self.late_name, self.late_width, self.late_pieces = real.late_name, real.late_width, real.late_pieces

    def encode(self, texts: Sequence[str], *, query: bool = False) -> "np.typing.NDArray[np.float32]":  # noqa: ARG002 -- the contract's
        rows = np.random.default_rng(7).standard_normal((len(texts), self.dimension), np.float32)
        return rows / np.linalg.norm(rows, axis=1, keepdims=True)

    def encode_parts(self, texts: Sequence[str], *, query: bool = False) -> list[Parts]:
        """As many word pieces as the texts have, of any meaning."""
        found = []
        for text, row in zip(texts, self.encode(texts, query=query), strict=True):
            ids = np.array(wordpiece.encode(text, LONGEST)[1:-1], np.uint16)
            found.append(Parts(row, ids, np.full((len(ids), self.late_width), 0.1, np.float32)))
        return found


def listed(argv: list[str], environ: dict[str, str], cwd: str) -> tuple[float, float]:
    """Seconds to three tools listed, and from closing stdin to the end of the process."""
    start = time.perf_counter()
    with subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environ, cwd=cwd) as process:
        assert process.stdin
        assert process.stdout
        answer = {}
        for message in DIALOGUE:
            process.stdin.write(json.dumps(message).encode() + b"\n")
            process.stdin.flush()
            answer = json.loads(process.stdout.readline()) if "id" in message else {}
        took = time.perf_counter() - start
        assert len(answer["result"]["tools"]) == 3
        process.stdin.close()
        start = time.perf_counter()
        process.wait()
        return took, time.perf_counter() - start


def protocol(python: str, environ: dict[str, str], cwd: str, rounds: int) -> dict[str, object]:
    """Ours against the bare server, turn about."""
    argv = {"bare": [python, "-I", "-c", BARE], "ours": [python, "-I", "-m", "ultan", "mcp"]}
    times: dict[str, list[float]] = {"bare": [], "ours": []}
    ends = []
    for number in range(-1, rounds):
        for name, words in argv.items():
            took, end = listed(words, environ, cwd)
            if number >= 0:
                times[name].append(took)
                ends += [end] if name == "ours" else []
    bare, ours = (statistics.median(times[name]) for name in ("bare", "ours"))
    ratio = statistics.median(b / a for a, b in zip(times["bare"], times["ours"], strict=True))
    return {
        "rounds": rounds, "bare_s": round(bare, 3), "ours_s": round(ours, 3), "ratio": round(ratio, 3), "bound": BOUNDS["mcp_ratio"],
        "end_worst_s": round(max(ends), 3), "kept": ratio <= BOUNDS["mcp_ratio"] and max(ends) <= BOUNDS["mcp_end_s"],
    }  # fmt: skip


def first_answer(python: str, root: str, environ: dict[str, str]) -> tuple["subprocess.Popen[bytes]", float]:
    """A server, and the seconds until it answered a prompt."""
    start = time.perf_counter()
    process = subprocess.Popen(
        [python, "-I", "-m", "ultan", "serve", "--home", root], env=environ, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    question = {"text": "how do I add a dependency?", "project": "proj", "files": [], "tail": "", "day": "2026-11-30"}
    while wire.ask(root, "prime", {**question, "agent": "", "already": [], "nonce": "n"}, 5.0) is None:
        assert process.poll() is None, "the server ended"
        assert time.perf_counter() - start < 120
        time.sleep(0.005)
    return process, time.perf_counter() - start


def busy_of(pid: int) -> float:
    """Seconds of processor time that a process has used; 0 where the system does not say."""
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8") as file:
            fields = file.read().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def warm(python: str, environ: dict[str, str], call: dict[str, object], rounds: int, pid: int) -> dict[str, object]:
    """The hook of a prompt against the bare interpreter, turn about; by the clock, and by the processor.

    The second does not depend on who else uses the machine: processor time of hook and server together.
    """
    argv = default_argv(python)["prime"]
    bare, ours, busy = [], [], {"bare": 0.0, "ours": 0.0}
    server = busy_of(pid)
    for number in range(-3, rounds):
        started = time_of_children()
        base = measured([python, "-I", "-c", "pass"], b"", environ)
        between = time_of_children()
        mark = {"prompt_id": f"w{number}", "session_id": f"warm{number % 7}"}
        took = measured(argv, json.dumps({**call, **mark}).encode(), environ)
        if number >= 0:
            bare.append(base)
            ours.append(took)
            busy["bare"] += between - started
            busy["ours"] += time_of_children() - between
    server = (busy_of(pid) - server) * rounds / (rounds + 3)
    floor = statistics.median(bare)
    p50, p95 = statistics.median(ours) / floor, quantile(ours, 0.95) / floor
    return {
        "rounds": rounds, "bare_p50_ms": round(floor * 1e3, 2), "bare_p95_ms": round(quantile(bare, 0.95) * 1e3, 2),
        "p50_ms": round(p50 * floor * 1e3, 2), "p95_ms": round(p95 * floor * 1e3, 2), "p50_ratio": round(p50, 3),
        "p95_ratio": round(p95, 3),
        "processor": {
            "bare_ms": round(busy["bare"] / rounds * 1e3, 1), "hook_ms": round(busy["ours"] / rounds * 1e3, 1),
            "server_ms": round(server / rounds * 1e3, 1), "ratio": round((busy["ours"] + server) / busy["bare"], 2),
        },
        "bounds": [BOUNDS["warm_p50"], BOUNDS["warm_p95"]],
        "kept": p50 <= BOUNDS["warm_p50"] and p95 <= BOUNDS["warm_p95"],
    }  # fmt: skip


def time_of_children() -> float:
    """Seconds of processor time of all processes that we have waited for."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def wedged(python: str, root: str, environ: dict[str, str], call: dict[str, object]) -> dict[str, object]:
    """The worst of sixteen prompts in a row while the server accepts and never answers."""
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(wire.path_of(root))
    listener.listen(64)
    argv = default_argv(python)["prime"]
    before = housekeeping.counters(root)["late"]
    with mute(listener):
        took = [measured(argv, json.dumps({**call, "prompt_id": f"l{number}"}).encode(), environ) for number in range(16)]
    late = housekeeping.counters(root)["late"] - before
    home.remove(wire.path_of(root))
    return {
        "prompts": 16, "late": late, "worst_s": round(max(took), 3), "bound": BOUNDS["wedged_s"],
        "kept": late == 16 and max(took) <= BOUNDS["wedged_s"],
    }  # fmt: skip


def run(words: argparse.Namespace, folder: str) -> dict[str, object]:
    """All measures in a home below *folder*."""
    python, root, project = sys.executable, os.path.join(folder, "home"), os.path.join(folder, "proj")
    os.makedirs(project)
    home.ensure(root)
    chosen = settings.Settings({"curation.wake": False, "encoder.name": words.encoder})
    home.write(os.path.join(root, "config.toml"), f'[encoder]\nname = "{words.encoder}"\n'.encode())
    library = entries(words.entries)
    home.write(path_of(root), bytes(build_from_entries(library, chosen)._mapped))
    environ = {name: os.environ[name] for name in ("PATH", "LANG", "TMPDIR") if name in os.environ}
    environ |= {"ULTAN_HOME": root, "HOME": folder, "CLAUDE_PROJECT_DIR": project}
    encoder = encoders.load(chosen)
    start = time.perf_counter()
    made_up = MadeUp(encoder) if isinstance(encoder, PackagedEncoder) and not words.real_vectors else encoder
    Warm(open_index(root), made_up, os.path.join(root, "index", "vectors"))
    vectors_s = time.perf_counter() - start
    result: dict[str, object] = {
        "bench": "serving", "entries": words.entries, "encoder": encoder.name,
        "entry_vectors": "real" if made_up is encoder else "made up", "vectors_made_s": round(vectors_s, 1),
        "python": sys.version.split()[0], "machine": platform.machine(), "processors": os.cpu_count(),
        "load_before": round(os.getloadavg()[0], 1),
        "mcp": protocol(python, environ, project, words.mcp_rounds),
    }  # fmt: skip
    boots = []
    for last in range(words.boots - 1, -1, -1):
        process, took = first_answer(python, root, environ)
        boots.append(took)
        if last:
            process.terminate()
            process.wait()
    boot = statistics.median(boots)
    result["boot"] = {"first_answer_s": round(boot, 3), "all_s": [round(one, 3) for one in boots], "bound": BOUNDS["boot_s"], "kept": boot <= BOUNDS["boot_s"]}
    while standing(root).state != "warm":
        time.sleep(0.05)
    before = standing(root).answered
    prompt = payloads(project, library)["prime"]
    row = warm(python, environ, prompt, words.rounds, process.pid)
    after = standing(root)
    fresh = after.answered - before - 1  # the standing itself is an answer too
    row["from_the_server"] = fresh
    row["kept"] = bool(row["kept"]) and fresh >= 0.9 * (words.rounds + 3)  # a late answer is none: then the hook's own was timed
    result["warm"] = row
    result["memory"] = {"mb": after.memory_mb, "bound": BOUNDS["memory_mb"], "kept": after.memory_mb <= BOUNDS["memory_mb"]}
    process.terminate()
    process.wait()
    result["wedged"] = wedged(python, root, environ, prompt)
    result["kept"] = all(part["kept"] for part in result.values() if isinstance(part, dict))
    return result


def main() -> int:
    """Run, print JSON, and say by the status whether the bounds hold."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--entries", type=int, default=10_000)
    parser.add_argument("--encoder", default="packaged", choices=("packaged", "hashing"))
    parser.add_argument("--real-vectors", action="store_true", help="embed every entry first; many minutes with the packaged encoder")
    parser.add_argument("--rounds", type=int, default=120)
    parser.add_argument("--mcp-rounds", type=int, default=9)
    parser.add_argument("--boots", type=int, default=5)
    parser.add_argument("--check", action="store_true", help="exit 1 where a bound is broken")
    words = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="ultan-bench-") as folder:
        result = run(words, folder)
    print(json.dumps(result, indent=1))
    return 1 if words.check and not result["kept"] else 0


if __name__ == "__main__":
    sys.exit(main())
