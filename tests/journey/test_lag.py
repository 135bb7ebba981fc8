"""How long it takes from the end of a turn, in the real client, until a prompt brings up what was said in it."""

import json
import statistics
import subprocess
import sys
import time

import pytest
from messages_api import says
from test_main_job import FREE, home_of, ultan

from ultan.errors import UltanError
from ultan.recall.index import open_index
from ultan.reflex import wake

pytestmark = pytest.mark.slow

TURNS = 20
P95_S = 5.0
PATIENCE_S = 60.0
TOOLS = (
    ("ruff", "formatting Python", "black"), ("pnpm", "installing packages", "npm"), ("podman", "building images", "docker"),
    ("vitest", "frontend tests", "jest"), ("httpx", "calling web services", "requests"), ("polars", "reading tables", "pandas"),
    ("structlog", "writing logs", "print"), ("just", "running tasks", "make"), ("orjson", "writing JSON", "simplejson"),
    ("rsync", "copying folders", "scp"), ("ripgrep", "searching code", "grep"), ("argon2", "hashing passwords", "bcrypt"),
    ("alembic", "database migrations", "handwritten SQL"), ("pathlib", "joining paths", "os.path"), ("minio", "storing uploads", "ftp"),
    ("kafka", "queueing messages", "rabbitmq"), ("hypothesis", "random inputs", "faker"), ("gitleaks", "finding secrets", "trufflehog"),
    ("mermaid", "drawing diagrams", "graphviz"), ("caddy", "serving files", "nginx"),
)  # fmt: skip


def primed(agent, prompt, session):
    """What the hook puts before the model for *prompt*, asked as the client asks."""
    payload = {"hook_event_name": "UserPromptSubmit", "session_id": session, "prompt": prompt, "cwd": str(agent.project)}
    words = [*wake.command(str(home_of(agent)), "prime")[:-3], "prime", "--home", str(home_of(agent))]
    more = agent.environ({"CLAUDE_PROJECT_DIR": str(agent.project)})
    return subprocess.run(words, input=json.dumps(payload), env=more, cwd=agent.project, capture_output=True, text=True, check=False).stdout


def holds(agent, word):
    """Whether the index knows an entry about *word*."""
    try:
        index = open_index(str(home_of(agent)))
    except UltanError:
        return False
    return any(word in index.card(number).title for number in range(index.size))


def test_what_was_said_is_primable_within_seconds_after_the_turn(ready_agent, api):
    answered = []  # when the agent's last words went out: the client's Stop comes right after

    def answer(_turn):
        answered.append(time.monotonic())
        return says("Understood.")

    api.otherwise = answer
    assert ultan(ready_agent, "config", "curation.quiet_s", "0").returncode == 0
    lags = []
    with ready_agent.live(*FREE) as live:
        for place, (tool, task, other) in enumerate(TOOLS[:TURNS]):
            live.say(f"From now on always use {tool} for {task} in this repo, never {other}.")
            ended = answered[-1]
            while not (holds(ready_agent, tool) and tool in primed(ready_agent, f"we need {tool} or {other} for {task}", f"look{place}")):
                assert time.monotonic() - ended < PATIENCE_S, f"{tool} never came up; until then: {lags}"
                time.sleep(0.05)
            lags.append(time.monotonic() - ended)
    assert len(lags) >= TURNS
    p50, p95 = statistics.median(lags), statistics.quantiles(lags, n=20, method="inclusive")[-1]
    sys.stderr.write(f"\nfrom Stop to prime: p50 {p50:.2f} s, p95 {p95:.2f} s, longest {max(lags):.2f} s, {len(lags)} turns\n")
    told = ultan(ready_agent, "doctor")
    assert "from your words to an entry" in told.stdout, told.stdout
    assert p95 < P95_S
