"""The warm server with real processes: a prompt starts it, the next is answered by it."""

import json
import os
import signal
import subprocess
import sys
import time

import pytest

from ultan import home, settings
from ultan.library.entry import Entry
from ultan.recall.compile import build_from_entries
from ultan.recall.index import path_of
from ultan.verbs import provision
from ultan.verbs.server import standing

pytestmark = pytest.mark.slow
PATIENCE_S = 120


def test_a_prompt_starts_the_server_and_a_later_one_is_answered_by_it(tmp_path):
    root = home.ensure(str(tmp_path / "h"))
    (tmp_path / "proj").mkdir()
    home.write(os.path.join(root, "config.toml"), b'[encoder]\nname = "hashing"\n[serve]\non_demand = true\n')
    rule = Entry(
        "global/uv", "Always use uv, never pip", "convention", "global", "2026-01-01", "2026-01-01", body="Use uv, never pip.\n"
    )
    chosen = {"curation.wake": False, "priming.min_relevance": 0.0, "encoder.name": "hashing", "serve.on_demand": True}
    home.write(path_of(root), bytes(build_from_entries([rule], settings.Settings(chosen))._mapped))
    environ = {"PATH": os.environ["PATH"], "HOME": str(tmp_path), "ULTAN_HOME": root, "CLAUDE_PROJECT_DIR": str(tmp_path / "proj")}
    argv = ["/bin/sh", "-c", provision.here().line("prime")]

    def prompt(number):
        payload = {
            "hook_event_name": "UserPromptSubmit", "session_id": f"s{number}", "prompt_id": f"p{number}", "prompt": "use uv or pip?",
            "cwd": str(tmp_path / "proj"), "transcript_path": "",
        }  # fmt: skip
        done = subprocess.run(argv, input=json.dumps(payload).encode(), env=environ, capture_output=True, check=True)
        return json.loads(done.stdout)["hookSpecificOutput"]["additionalContext"] if done.stdout else ""

    assert "uv" in prompt(1), "cold"
    began = time.monotonic()
    while (found := standing(root)).state != "warm":
        assert time.monotonic() - began < PATIENCE_S, found
        time.sleep(0.1)
    try:
        before = found.answered
        assert "uv" in prompt(2)
        assert standing(root).answered >= before + 2, "the prompt and the question how it stands"
        told = subprocess.run(
            [sys.executable, "-I", "-m", "ultan", "doctor", "--json"], env=environ, cwd=tmp_path, capture_output=True, check=False
        )
        assert "warm, encoder hashing" in next(row["says"] for row in json.loads(told.stdout)["checks"] if row["name"] == "server")
    finally:
        os.kill(found.pid, signal.SIGTERM)
    while standing(root).state != "absent":
        assert time.monotonic() - began < PATIENCE_S
        time.sleep(0.1)
