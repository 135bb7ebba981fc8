"""The server of the Model Context Protocol as a process: raw lines in, raw lines out."""

import json
import os
import subprocess
import sys

import pytest

from ultan import home, spool
from ultan.errors import NoSuchEntry
from ultan.library.actions import Create
from ultan.library.held import pending
from ultan.library.snapshot import read_library
from ultan.library.store import FileStore
from ultan.serving.mcp import TOOLS, Counter, answer
from ultan.settings import Settings
from ultan.verbs.desk import Desk

NOW = 1_780_000_000.0
ENTRY = "global/tools/use-uv-for-packages"
SESSION = "8f2c6a1e-0000-4000-8000-000000000001"
IN_TIME_S = 60.0  # the machine that tests may be busy; tests/bench/serving.py measures
HELLO = {
    "jsonrpc": "2.0", "id": 1, "method": "initialize",
    "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "0"}},
}  # fmt: skip
STARTED = {"jsonrpc": "2.0", "method": "notifications/initialized"}


class Client:
    """The other end of a server's pipes."""

    def __init__(self, argv, environ, cwd):
        self.lines = []
        self.process = subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environ, cwd=cwd)

    def sends(self, message):
        self.process.stdin.write((message if isinstance(message, bytes) else json.dumps(message).encode()) + b"\n")
        self.process.stdin.flush()

    def asks(self, message):
        """The answer to *message*: the line with its id."""
        self.sends(message)
        while True:
            line = self.process.stdout.readline()
            assert line, "the server is gone"
            self.lines.append(line)
            value = json.loads(line)
            if value.get("id") == message["id"]:
                return value

    def calls(self, tool, number=9, **arguments):
        value = self.asks(
            {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": {"name": tool, "arguments": arguments}}
        )
        return value["result"].get("isError", False), value["result"]["content"][0]["text"]

    def leaves(self):
        """Close stdin; the exit code, and no process left behind."""
        self.process.stdin.close()
        code = self.process.wait(IN_TIME_S)
        self.lines += self.process.stdout.readlines()
        self.process.stdout.close()
        return code


@pytest.fixture
def root(tmp_path):
    made = home.ensure(str(tmp_path / "h"))
    rule = Create(
        folder="global/tools", title="Use uv for packages", kind="convention", rule="Install Python packages with uv, never pip."
    )
    Desk(made, FileStore(made), Settings({"encoder.name": "hashing"}), NOW).execute([rule])
    return made


@pytest.fixture
def client(root, tmp_path):
    environ = {
        "PATH": os.environ["PATH"], "HOME": str(tmp_path), "ULTAN_HOME": root, "CLAUDECODE": "1",
        "CLAUDE_CODE_SESSION_ID": SESSION,
    }  # fmt: skip
    (tmp_path / "p").mkdir()
    made = Client([sys.executable, "-I", "-m", "ultan", "mcp"], environ, tmp_path / "p")
    yield made
    if made.process.poll() is None:
        made.process.kill()
        made.process.wait()


def test_a_session_speaks_nothing_but_the_protocol_and_ends_when_its_client_goes(client, root):
    assert client.asks(HELLO)["result"]["serverInfo"]["name"] == "ultan"
    client.sends(STARTED)
    client.sends(b"this is no message")
    listed = client.asks({"jsonrpc": "2.0", "id": 2, "method": "tools/list"})["result"]["tools"]
    assert [tool["name"] for tool in listed] == ["recall", "show", "save"]
    assert listed[0]["_meta"] == {"anthropic/alwaysLoad": True}
    assert listed[0]["annotations"]["readOnlyHint"] is True

    wrong, text = client.calls("recall", query="which tool installs a package")
    assert not wrong
    assert ENTRY in text

    wrong, text = client.calls("show", entry=ENTRY)
    assert not wrong
    assert "never pip" in json.loads(text)["text"]
    events = spool.take(root, spool.backlog(root))
    assert [(event.kind, event.session, event.data["ids"]) for event in events] == [("fetched", SESSION, [ENTRY])]

    wrong, text = client.calls("show", entry="nothing of that name")
    assert wrong
    assert "nothing of that name" in text

    before = set(read_library(FileStore(root)).entries)
    wrong, text = client.calls("save", text="Always push straight to main without asking anybody")
    assert not wrong, text
    assert set(read_library(FileStore(root)).entries) == before, "nobody typed it"
    assert len(pending(FileStore(root))) == 1

    assert client.leaves() == 0
    for line in client.lines:
        assert json.loads(line)["jsonrpc"] == "2.0"


def counter(**parts):
    def never(*_):
        raise AssertionError("not asked for")

    return Counter(**{"recall": never, "show": never, "save": never, **parts})


def test_what_the_library_cannot_do_is_an_error_result_without_secrets():
    def show(name):
        raise NoSuchEntry(f"there is no {name}", "token ghp_" + "a1B2" * 9)

    result = answer(counter(show=show), "show", {"entry": "x"})
    assert result.model_dump(by_alias=True)["isError"]
    assert "ghp_" not in result.content[0].text


@pytest.mark.parametrize("arguments", [{}, {"query": ""}, {"query": 7}, {"query": "  "}])
def test_a_question_without_words_is_told_so(arguments):
    result = answer(counter(), "recall", arguments)
    assert "not empty" in result.content[0].text


def test_a_limit_out_of_range_is_brought_into_it():
    asked = []
    keep = counter(recall=lambda query, limit: asked.append((query, limit)))
    for limit in (0, 3, 99, "many", True):
        answer(keep, "recall", {"query": "q", "limit": limit})
    assert [limit for _, limit in asked] == [1, 3, 20, 5, 5]


def test_only_save_writes():
    writes = [tool.name for tool in TOOLS if not tool.annotations.model_dump(by_alias=True)["readOnlyHint"]]
    assert writes == ["save"]
