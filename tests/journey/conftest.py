"""What the journeys share: the plugin as a clean copy, its runtime provisioned once, an API, a client."""

import http.server
import os
import shutil
import subprocess
import sys
import threading
import time
import tomllib
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import pytest
from client import Agent
from messages_api import MessagesApi

from ultan.verbs import provision

ROOT = Path(__file__).parents[2]
PROVISION_S = 600
VERSION = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
NOT_THE_PLUGIN = shutil.ignore_patterns(".*", "__pycache__", "build", "dist", "*.egg-info")


@dataclass(frozen=True)
class Provisioned:
    """A runtime built by the plugin's own hook: the text of ``ready``, and how long it took."""

    ready: str
    seconds: float
    agent: Agent

    @property
    def python(self) -> str:
        return self.ready.splitlines()[0]


@pytest.fixture(scope="session")
def plugin(tmp_path_factory):
    """The checkout's files as a plugin folder of its own: what git would bring, no more."""
    target = tmp_path_factory.mktemp("plugin") / "ultan"
    target.mkdir()
    for name in ("ultan", "hooks", "prompts", "bin", ".claude-plugin"):
        shutil.copytree(ROOT / name, target / name, ignore=NOT_THE_PLUGIN)
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy2(ROOT / name, target / name)
    return target


@pytest.fixture
def api():
    with MessagesApi() as api:
        yield api


@pytest.fixture
def agent(tmp_path, api):
    return Agent(tmp_path, api.url)


@pytest.fixture(scope="session")
def provisioned(plugin, tmp_path_factory):
    """The runtime as a first session gets it: the plugin installed from a folder, one prompt, then waiting.

    ``ULTAN_JOURNEY_RUNTIME=here`` takes the interpreter of the tests instead, to save a developer two minutes.
    """
    if os.environ.get("ULTAN_JOURNEY_RUNTIME") == "here":
        runtime = provision.here()
        agent = Agent(tmp_path_factory.mktemp("none"), "http://127.0.0.1:9")
        yield Provisioned(f"{runtime.python}\n{':'.join(runtime.folders)}\n{VERSION}\n", 0.0, agent)
        return
    with MessagesApi() as api:
        agent = Agent(tmp_path_factory.mktemp("first"), api.url)
        lend_index_configuration(agent)
        install_plugin(agent, plugin)
        began = time.monotonic()
        agent.ask("hello")
        ready = runtime_folder(agent) / "ready"
        while not ready.exists():
            assert time.monotonic() - began < PROVISION_S, "never ready"
            state = (runtime_folder(agent) / "state").read_text() if ready.parent.exists() else ""
            log = ready.parent / "provision.log"
            assert not state.startswith("failed"), f"{state}\n{log.read_text()[-3000:]}"
            time.sleep(0.2)
        yield Provisioned(ready.read_text(), time.monotonic() - began, agent)


@pytest.fixture
def ready_agent(agent, plugin, provisioned):
    """A client with the plugin installed and its runtime in place."""
    install_plugin(agent, plugin)
    lend_runtime(agent, provisioned)
    return agent


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


@pytest.fixture
def served_repository(plugin, tmp_path):
    """The URL of a git repository with the plugin, served on the loopback by git's own backend."""
    source, bare = tmp_path / "source", tmp_path / "served" / "ultan.git"
    shutil.copytree(plugin, source)
    git = partial(subprocess.run, check=True, capture_output=True, cwd=source)
    name = ("-c", "user.name=Nobody", "-c", "user.email=nobody@example.invalid")
    git(["git", "init", "-q", "-b", "main"])
    git(["git", *name, "add", "-A"])
    git(["git", *name, "commit", "-q", "-m", "plugin"])
    git(["git", "clone", "-q", "--bare", str(source), str(bare)])

    class Door(GitDoor):
        folder = bare.parent

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Door)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}/ultan.git"
    server.shutdown()
    thread.join()
    server.server_close()


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
