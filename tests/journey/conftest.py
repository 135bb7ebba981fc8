"""What the journeys share: the plugin as a clean copy, its runtime provisioned once, an API, a client."""

import http.server
import os
import shutil
import subprocess
import threading
import time
from functools import partial

import pytest
from client import Agent
from messages_api import MessagesApi
from plugged import (
    ROOT,
    VERSION,
    GitDoor,
    Provisioned,
    install_plugin,
    lend_index_configuration,
    lend_runtime,
    runtime_folder,
)

from ultan.verbs import provision

PROVISION_S = 600
NOT_THE_PLUGIN = shutil.ignore_patterns(".*", "__pycache__", "build", "dist", "*.egg-info")


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
        while not ready.exists() or ready.read_text().endswith("\nbase\n"):
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
