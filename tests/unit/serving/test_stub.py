"""The plugin's stand-in for its server: raw JSON-RPC with a shell, before there is any Python of ours."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from ultan.verbs import provision

ROOT = Path(__file__).parents[3]


@pytest.fixture
def plugin(tmp_path):
    """A plugin folder with the real shims and a provisioning that only notes that it was started."""
    hooks = tmp_path / "plugin" / "hooks"
    hooks.mkdir(parents=True)
    for name in ("ultan-hook", "ultan-mcp"):
        (hooks / name).write_text((ROOT / "hooks" / name).read_text())
    (hooks / "provision.sh").write_text('echo "$@" >"$2/asked.part" && mv "$2/asked.part" "$2/asked"\n')
    (tmp_path / "data").mkdir()
    return tmp_path / "plugin"


def environ(plugin, **more):
    return {
        "PATH": os.environ["PATH"], "CLAUDE_PLUGIN_ROOT": str(plugin), "CLAUDE_PLUGIN_DATA": str(plugin.parent / "data"),
        "HOME": str(plugin.parent), **more,
    }  # fmt: skip


def talk(plugin, *messages, **more):
    """The answers to *messages*, one JSON value a line; the process has ended by itself with 0."""
    sent = "\n".join(message if isinstance(message, str) else json.dumps(message) for message in messages)
    done = subprocess.run(
        ["/bin/sh", str(plugin / "hooks" / "ultan-mcp")], input=sent.encode(), capture_output=True, env=environ(plugin, **more),
        timeout=60, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.decode().splitlines()]


def message(number, method, **params):
    return {"jsonrpc": "2.0", "id": number, "method": method, "params": params}


def test_until_there_is_a_runtime_it_answers_that_it_has_no_tools(plugin):
    answers = talk(
        plugin,
        message(0, "server/discover"),
        message(1, "initialize", protocolVersion="2025-11-25", capabilities={}, clientInfo={"name": "c", "version": "1"}),
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        message(2, "tools/list"),
        message(3, "ping"),
        message(4, "tools/call", name="recall", arguments={"query": "x"}),
    )
    assert [answer["id"] for answer in answers] == [0, 1, 2, 3, 4]
    assert all(answer["jsonrpc"] == "2.0" for answer in answers)
    assert answers[0]["error"]["code"] == -32601
    assert answers[1]["result"]["protocolVersion"] == "2025-11-25"
    assert answers[1]["result"]["capabilities"] == {"tools": {}}
    assert answers[1]["result"]["serverInfo"]["name"] == "ultan"
    assert answers[2]["result"] == {"tools": []}
    assert answers[3]["result"] == {}
    assert answers[4]["error"]["code"] == -32601


@pytest.mark.parametrize(
    ("line", "number"),
    [
        ('{"id":"a\\"}{b","method":"ping"}', 'a"}{b'),
        ('{"params":{"id":7,"method":"tools/list","x":["}",{"id":8}]},"method":"ping","id":-3.5e1}', -35.0),
        ('  { "method" : "ping" , "id" : 4 }  \r', 4),
        ('{"method":"ping","id":"\u00e9\u4e2d"}', "\u00e9\u4e2d"),
        ('{"method":"ping","id":"%s%d\\\\"}', "%s%d\\"),
    ],
)
def test_the_id_comes_back_as_it_was_written(plugin, line, number):
    assert talk(plugin, line) == [{"jsonrpc": "2.0", "id": number, "result": {}}]


@pytest.mark.parametrize(
    "line",
    ["", "garbage", "[]", "{}", '{"id":1}', '{"id":1,"result":{}}', '{"method":"ping"}', '{"id":null,"method":"ping"}', "{{{{", '"'],
)
def test_what_asks_nothing_is_answered_with_nothing(plugin, line):
    assert talk(plugin, line, message(2, "ping")) == [{"jsonrpc": "2.0", "id": 2, "result": {}}]


def test_a_strange_version_of_the_protocol_is_not_repeated(plugin):
    told = talk(plugin, message(1, "initialize", protocolVersion='x","evil":"'))[0]["result"]
    assert told["protocolVersion"] == "2025-06-18"
    assert "evil" not in told


def test_it_starts_provisioning_and_a_model_of_ours_does_not(plugin):
    asked = plugin.parent / "data" / "asked"
    talk(plugin, message(1, "ping"), ULTAN_INSIDE="1")
    assert not asked.exists()
    with subprocess.Popen(
        ["/bin/sh", str(plugin / "hooks" / "ultan-mcp")], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environ(plugin)
    ) as process:
        while not asked.exists():  # started in the background, before the first message is read
            process.stdin.write(json.dumps(message(1, "ping")).encode() + b"\n")
            process.stdin.flush()
            assert process.stdout.readline()
        process.stdin.close()
        assert process.wait(60) == 0
    assert asked.read_text().split() == [str(plugin), str(plugin.parent / "data")]


def ready(plugin, python, folders):
    (plugin.parent / "data" / "runtime").mkdir()
    version = next(line for line in (plugin / "hooks" / "ultan-hook").read_text().splitlines() if line.startswith("ultan_version="))
    (plugin.parent / "data" / "runtime" / "ready").write_text(f"{python}\n{folders}\n{version.partition('=')[2]}\n")


def test_with_a_runtime_the_real_server_answers(plugin, tmp_path):
    runtime = provision.here()
    ready(plugin, sys.executable, ":".join(runtime.folders))
    with subprocess.Popen(
        ["/bin/sh", str(plugin / "hooks" / "ultan-mcp")], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        env=environ(plugin, ULTAN_HOME=str(tmp_path / "h")),
    ) as process:  # fmt: skip
        hello = message(1, "initialize", protocolVersion="2025-06-18", capabilities={}, clientInfo={"name": "c", "version": "1"})
        for sent in (hello, {"jsonrpc": "2.0", "method": "notifications/initialized"}, message(2, "tools/list")):
            process.stdin.write(json.dumps(sent).encode() + b"\n")
            process.stdin.flush()
            answer = json.loads(process.stdout.readline()) if "id" in sent else {}
        process.stdin.close()
        assert process.wait(60) == 0
    assert [tool["name"] for tool in answer["result"]["tools"]] == ["recall", "show", "save"]


def test_an_interpreter_that_cannot_start_is_stood_in_for(plugin):
    ready(plugin, "/bin/false", "/nowhere")
    assert talk(plugin, message(1, "tools/list")) == [{"jsonrpc": "2.0", "id": 1, "result": {"tools": []}}]


def test_without_the_clients_variables_it_still_answers(plugin):
    done = subprocess.run(
        ["/bin/sh", str(plugin / "hooks" / "ultan-mcp")], input=b'{"id":1,"method":"ping"}\n', capture_output=True,
        env={"PATH": os.environ["PATH"]}, timeout=60, check=False,
    )  # fmt: skip
    assert json.loads(done.stdout) == {"jsonrpc": "2.0", "id": 1, "result": {}}
