"""The plugin in a client: installing it, lending it a runtime, serving it from a git repository."""

import http.server
import os
import subprocess
import sys
import tomllib
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from client import Agent
from filelock import FileLock

ROOT = Path(__file__).parents[2]
VERSION = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]


@dataclass(frozen=True)
class Provisioned:
    """A runtime built by the plugin's own hook: the text of ``ready``, and how long it took."""

    ready: str
    seconds: float
    agent: Agent

    @property
    def python(self) -> str:
        return self.ready.splitlines()[0]


class GitDoor(http.server.BaseHTTPRequestHandler):
    """Hands each request to ``git http-backend``, as a web server would."""

    folder: Path

    def log_message(self, *_):
        pass

    def answer(self):
        path, _, query = self.path.partition("?")
        body = self.rfile.read(int(self.headers.get("content-length") or 0))
        done = subprocess.run(
            ["git", "http-backend"],
            input=body,
            capture_output=True,
            check=True,
            env={
                "PATH": os.environ["PATH"],
                "GIT_PROJECT_ROOT": str(self.folder),
                "GIT_HTTP_EXPORT_ALL": "1",
                "REQUEST_METHOD": self.command,
                "PATH_INFO": path,
                "QUERY_STRING": query,
                "CONTENT_TYPE": self.headers.get("content-type", ""),
                "HTTP_CONTENT_ENCODING": self.headers.get("content-encoding", ""),
                "GIT_PROTOCOL": self.headers.get("git-protocol", ""),
            },
        ).stdout
        head, _, rest = done.partition(b"\r\n\r\n")
        fields = [line.split(": ", 1) for line in head.decode().split("\r\n")]
        self.send_response(int(next((value.split()[0] for name, value in fields if name == "Status"), "200")))
        for name, value in fields:
            self.send_header(name, value)
        self.send_header("content-length", str(len(rest)))
        self.end_headers()
        self.wfile.write(rest)

    do_GET = do_POST = answer  # noqa: N815 -- the names http.server looks for


def install_plugin(agent, source):
    """Add the marketplace at *source* and install the plugin for the user."""
    for words in (("marketplace", "add", str(source)), ("install", "ultan@ultan", "--scope", "user")):
        done = agent.run("plugin", *words)
        assert done.code == 0, done.out + done.err


def runtime_folder(agent):
    return agent.config / "plugins" / "data" / "ultan-ultan" / "runtime"


def lend_runtime(agent, provisioned):
    """Let the plugin of *agent* use the runtime that was built once: a second build would teach nothing."""
    runtime_folder(agent).mkdir(parents=True, exist_ok=True)
    (runtime_folder(agent) / "ready").write_text(provisioned.ready)


def lend_index_configuration(agent):
    """Give *agent*'s HOME the pip configuration of whoever runs the tests, as that person's own file."""
    listed = subprocess.run(
        [sys.executable, "-m", "pip", "config", "list"], capture_output=True, text=True, check=True, env=os.environ
    ).stdout
    pairs = {}
    for line in listed.splitlines():
        name, _, value = line.partition("=")
        section, _, key = name.rpartition(".")
        if section in ("global", ":env:", "install", "user") and key not in ("user", "config-file"):
            pairs[key] = value.strip("'").replace("\\n", "\n    ")
    folder = agent.home / ".config" / "pip"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "pip.conf").write_text("[global]\n" + "".join(f"{key} = {value}\n" for key, value in pairs.items()))


def home_of(agent):
    return agent.home / ".local" / "share" / "ultan"


def queued(agent):
    """The texts of the events that wait; only under :func:`unread` is it certain that none was read and dropped."""
    return [path.read_text() for path in sorted((home_of(agent) / "queue" / "new").glob("*.json"))]


@contextmanager
def unread(agent):
    """Keep every curator that the hooks wake out, by its own lock: what is queued stays where a test looks."""
    home_of(agent).mkdir(parents=True, exist_ok=True, mode=0o700)
    with FileLock(home_of(agent) / "curate.lock", timeout=60, fallback_to_soft=False):
        yield
