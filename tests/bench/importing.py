"""What `ultan import --sessions` costs on one long session: ``python tests/bench/importing.py [--dense] MB [MB …]``.

A session of MB megabytes is written as the client writes it: a prompt of 25 words, six tool calls with
1,500 words of output each, an answer. ``--dense``: prompts of 150 words and long answers, no tools.
Words are drawn from five thousand made-up ones, seeded. Printed as JSON for each size: prompts, wall and
CPU seconds of the whole command in a home of its own, the most memory it held, and CPU seconds a megabyte,
which must not grow with the size.
"""

import json
import os
import random
import resource
import subprocess
import sys
import tempfile
import time
import uuid
from collections.abc import Iterator
from typing import Any

SEED, WORDS, PROMPTS_A_DAY = 7, 5000, 500


def rows(size: float, *, dense: bool) -> Iterator[dict[str, Any]]:
    """The records of a session of about *size* megabytes."""
    draw = random.Random(SEED)
    words = ["".join(draw.choices("abcdefghijklmnopqrstuvwxyz", k=draw.randint(2, 9))) for _ in range(WORDS)]
    written = turn = 0
    parent = None

    def said(many: int) -> str:
        return " ".join(draw.choices(words, k=many))

    def row(kind: str, content: object, **more: object) -> dict[str, Any]:
        nonlocal parent, written
        message: dict[str, Any] = {"role": kind, "content": content}
        if kind == "assistant":
            message |= {"id": f"msg_{written}", "type": "message", "model": "m", "stop_reason": "end_turn"}
        found = {
            "parentUuid": parent, "isSidechain": False, "uuid": str(uuid.UUID(int=draw.getrandbits(128))), "type": kind,
            "timestamp": f"2026-11-{1 + turn // PROMPTS_A_DAY % 28:02}T{turn // 60 % 24:02}:{turn % 60:02}:00.000Z",
            "sessionId": "long", "version": "2.1.332", "userType": "external", "message": message, **more,
        }  # fmt: skip
        parent = found["uuid"]
        written += len(json.dumps(found)) + 1
        return found

    while written < size * 1e6:
        turn += 1
        yield row("user", said(150 if dense else 25), origin={"kind": "human"}, promptSource="typed", promptId=str(turn))
        for call in range(0 if dense else 6):
            name = f"toolu_{turn}_{call}"
            use = {"type": "tool_use", "name": "Bash", "input": {"command": f"cat {said(3)}"}, "id": name}
            yield row("assistant", [{"type": "text", "text": said(40)}, use])
            result = {"tool_use_id": name, "type": "tool_result", "content": said(1500), "is_error": False}
            yield row("user", [result], toolUseResult={"stdout": ""})
        yield row("assistant", [{"type": "text", "text": said(2500 if dense else 120)}])


def measured(size: float, *, dense: bool) -> dict[str, Any]:
    """One import of a session of *size* megabytes."""
    with tempfile.TemporaryDirectory() as folder:
        past, project = os.path.join(folder, "past"), os.path.join(folder, "project")
        os.mkdir(past)
        os.mkdir(project)
        prompts = 0
        with open(os.path.join(past, "long.jsonl"), "w", encoding="utf-8") as file:
            for row in rows(size, dense=dense):
                prompts += "promptId" in row
                file.write(json.dumps({**row, "cwd": project}) + "\n")
        before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
        argv = [sys.executable, "-m", "ultan", "import", "--sessions", past, "--json"]
        env = {**os.environ, "HOME": folder, "ULTAN_HOME": os.path.join(folder, "home")}
        subprocess.run(argv, cwd=project, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        return {
            "mb": size, "prompts": prompts, "wall_s": round(time.perf_counter() - began, 1), "cpu_s": round(cpu, 1),
            "cpu_s_a_mb": round(cpu / size, 3), "most_memory_mb": after.ru_maxrss // 1024,
        }  # fmt: skip


if __name__ == "__main__":
    sizes = [float(word) for word in sys.argv[1:] if word != "--dense"] or [20.0, 40.0]
    print(json.dumps([measured(size, dense="--dense" in sys.argv) for size in sizes], indent=1))
