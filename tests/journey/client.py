"""The real Claude Code client, the one inside claude-agent-sdk, in a throw-away HOME.

    agent = Agent(tmp_path, api.url)
    agent.settings({"hooks": …})
    outcome = agent.ask("say hi")               # headless, one turn
    with agent.live() as live:                  # headless, several turns in one process
        live.say("first"), live.say("/compact")
    agent.terminal("hello\\r", wait_for="Understood")   # the interface a person sees

Nothing of the caller's environment reaches the client but PATH and where certificates lie; the key
is a dummy and only a loopback API is accepted.
"""

from __future__ import annotations

import contextlib
import importlib.util
import json
import os
import queue
import re
import subprocess
import threading
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

KEY = "no-real-key-this-is-a-loopback-journey"
STREAMING = ("--output-format", "stream-json", "--verbose", "--include-hook-events")
PASSED_ON = ("PATH", "SSL_CERT_FILE", "SSL_CERT_DIR", "GIT_SSL_CAINFO", "XDG_CONFIG_DIRS")
ESCAPES = re.compile(r"\x1b\[[0-9;?<>=]*[a-zA-Z]|\x1b\][^\x07]*\x07|\x1b[()=>][0-9A-Z]?")


def bundled_client() -> Path:
    """The client binary that the installed claude-agent-sdk brings along."""
    spec = importlib.util.find_spec("claude_agent_sdk")
    assert spec is not None, "claude-agent-sdk is a base dependency"
    assert spec.submodule_search_locations
    return Path(spec.submodule_search_locations[0]) / "_bundled" / "claude"


def objects(text: str) -> list[dict[str, Any]]:
    """The JSON objects among the lines of *text*."""
    found = []
    for line in text.splitlines():
        with contextlib.suppress(ValueError):
            value = json.loads(line)
            if isinstance(value, dict):
                found.append(value)
    return found


@dataclass
class Outcome:
    """One finished run of the client."""

    code: int
    out: str
    err: str

    @property
    def messages(self) -> list[dict[str, Any]]:
        return objects(self.out)

    @property
    def result(self) -> dict[str, Any]:
        results = [message for message in self.messages if message.get("type") == "result"]
        assert results, f"the client gave no result: {self.out[-2000:]} {self.err[-2000:]}"
        return results[-1]

    def hooks(self, event: str) -> list[dict[str, Any]]:
        """The responses of hooks to *event*, with stdout, stderr and exit code."""
        return [
            message
            for message in self.messages
            if message.get("subtype") == "hook_response" and message.get("hook_event") == event
        ]


class Live:
    """A client process that takes one prompt after the other."""

    def __init__(self, process: subprocess.Popen[str], patience_s: float) -> None:
        self.process, self.patience_s = process, patience_s
        self.messages: list[dict[str, Any]] = []
        self._results: queue.Queue[dict[str, Any]] = queue.Queue()
        self._reader = threading.Thread(target=self._read)
        self._reader.start()

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            for message in objects(line):
                self.messages.append(message)
                if message.get("type") == "result":
                    self._results.put(message)

    def say(self, prompt: str) -> dict[str, Any]:
        """Send *prompt* (or a slash command) and return the result of its turn."""
        assert self.process.stdin is not None
        self.process.stdin.write(
            json.dumps({"type": "user", "message": {"role": "user", "content": prompt}}) + "\n"
        )
        self.process.stdin.flush()
        return self._results.get(timeout=self.patience_s)

    def end(self) -> None:
        """Close stdin, so that the session ends by itself."""
        assert self.process.stdin is not None
        with contextlib.suppress(BrokenPipeError):
            self.process.stdin.close()
        try:
            self.process.wait(self.patience_s)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self._reader.join()
        if self.process.stdout is not None:
            self.process.stdout.close()


class Agent:
    """A throw-away HOME with a project folder, and the client in it."""

    def __init__(self, root: Path, api_url: str, **environ: str) -> None:
        assert urlsplit(api_url).hostname == "127.0.0.1", "journeys stay on the loopback"
        self.root, self.api_url, self.more = root.resolve(), api_url, environ
        self.home, self.project = self.root / "home", self.root / "project"
        self.config = self.home / ".claude"
        for folder in (self.config, self.project, self.root / "tmp"):
            folder.mkdir(parents=True, exist_ok=True)

    def environ(self, more: Mapping[str, str] | None = None) -> dict[str, str]:
        """The whole environment of a run."""
        return {
            **{name: os.environ[name] for name in PASSED_ON if name in os.environ},
            "HOME": str(self.home),
            "LANG": "C.UTF-8",
            "TERM": "xterm-256color",
            "TMPDIR": str(self.root / "tmp"),
            "ANTHROPIC_BASE_URL": self.api_url,
            "ANTHROPIC_API_KEY": KEY,
            "NO_PROXY": "127.0.0.1,localhost",
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            "DISABLE_AUTOUPDATER": "1",
            "DISABLE_TELEMETRY": "1",
            "IS_SANDBOX": "1",
            **self.more,
            **(more or {}),
        }

    def settings(self, value: Mapping[str, Any]) -> Path:
        """Write the user's settings.json."""
        path = self.config / "settings.json"
        path.write_text(json.dumps(value, indent=2), encoding="utf-8")
        return path

    def run(self, *args: str, typed: str | None = None, patience_s: float = 90, **more: str) -> Outcome:
        """Run the client with *args* to its end."""
        done = subprocess.run(
            [str(bundled_client()), *args],
            cwd=self.project,
            env=self.environ(more),
            input=typed or "",
            capture_output=True,
            text=True,
            encoding="utf-8",
            timeout=patience_s,
            check=False,
        )
        return Outcome(done.returncode, done.stdout, done.stderr)

    def ask(self, prompt: str, *args: str, **options: Any) -> Outcome:
        """One headless turn."""
        return self.run("-p", prompt, *STREAMING, *args, **options)

    @contextlib.contextmanager
    def live(self, *args: str, patience_s: float = 90, **more: str) -> Iterator[Live]:
        """A headless session of several turns; leaving it ends the session."""
        process = subprocess.Popen(
            [str(bundled_client()), "-p", "--input-format", "stream-json", *STREAMING, *args],
            cwd=self.project,
            env=self.environ(more),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            encoding="utf-8",
        )
        session = Live(process, patience_s)
        try:
            yield session
        finally:
            session.end()

    def no_dialogs(self) -> None:
        """Answer what a first start would ask: theme, trust in the folder, the key."""
        path = self.home / ".claude.json"
        state = json.loads(path.read_text("utf-8")) if path.exists() else {}
        state.update(
            hasCompletedOnboarding=True,
            theme="dark",
            projects={str(self.project): {"hasTrustDialogAccepted": True, "hasCompletedProjectOnboarding": True}},
            customApiKeyResponses={"approved": [KEY[-20:]], "rejected": []},
        )
        path.write_text(json.dumps(state), encoding="utf-8")

    @contextlib.contextmanager
    def terminal(self, *args: str, patience_s: float = 60) -> Iterator[Screen]:
        """The terminal interface, through a pseudo-terminal."""
        self.no_dialogs()
        screen = Screen([str(bundled_client()), *args], self.project, self.environ(), patience_s)
        try:
            yield screen
        finally:
            screen.close()

    def transcripts(self) -> list[Path]:
        """The session transcripts, the latest written last."""
        return sorted(self.config.glob("projects/*/*.jsonl"), key=lambda path: path.stat().st_mtime_ns)


class Screen:
    """A pseudo-terminal with the client on it (POSIX)."""

    def __init__(self, command: list[str], cwd: Path, environ: dict[str, str], patience_s: float) -> None:
        import fcntl
        import pty
        import struct
        import termios

        self.patience_s = patience_s
        self._raw = b""
        self._news = threading.Condition()
        self._master, slave = pty.openpty()
        fcntl.ioctl(self._master, termios.TIOCSWINSZ, struct.pack("HHHH", 50, 160, 0, 0))
        self.process = subprocess.Popen(
            command, cwd=cwd, env=environ, stdin=slave, stdout=slave, stderr=slave, start_new_session=True
        )
        os.close(slave)
        self._reader = threading.Thread(target=self._read)
        self._reader.start()

    def _read(self) -> None:
        while True:
            try:
                part = os.read(self._master, 1 << 16)
            except OSError:  # the other side is closed
                part = b""
            with self._news:
                self._raw += part
                self._news.notify_all()
            if not part:
                return

    @property
    def text(self) -> str:
        return ESCAPES.sub("", self._raw.decode("utf-8", "replace"))

    def type(self, keys: str) -> None:
        os.write(self._master, keys.encode())

    def wait_for(self, wanted: str) -> str:
        """Wait until *wanted* (blanks ignored, as the screen has its own) has been shown; the text so far."""
        bare = re.sub(r"\s", "", wanted)
        deadline = time.monotonic() + self.patience_s
        with self._news:
            while bare not in re.sub(r"\s", "", self.text):
                left = deadline - time.monotonic()
                assert left > 0, f"{wanted!r} never came: {self.text[-3000:]}"
                self._news.wait(left)
        return self.text

    def close(self) -> None:
        self.process.terminate()
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self._reader.join(5)
        os.close(self._master)
