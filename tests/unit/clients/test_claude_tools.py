"""Signal and noise, origins, and the readable part of results."""

import pytest

from ultan.clients import claude_tools as tools
from ultan.clients.leaf import Sieve

SIGNAL = [
    "git commit -m x", "cd a && git push origin main", "sudo apt-get install jq", "FOO=1 npm publish", "/usr/bin/git tag v1",
    "python3 -m pip install x", "make deploy", "uv add httpx", "kubectl apply -f x.yml", "time terraform apply",
    "(cd x; git merge y)", "echo $(git commit -m z)",
]  # fmt: skip
NOISE = ["ls -la", "cat a.py", "git status", "git diff HEAD", "git log --oneline", "pwd", "grep -r commit .", "rg x", "", "uv run pytest"]


@pytest.mark.parametrize("command", SIGNAL)
def test_commits_deploys_and_installs_are_signal(command):
    assert tools.has_signal("Bash", {"command": command}, "")


@pytest.mark.parametrize("command", NOISE)
def test_looking_around_is_noise(command):
    assert not tools.has_signal("Bash", {"command": command}, "fine")


def test_an_error_makes_any_command_signal():
    assert tools.has_signal("Bash", {"command": "cat a.py"}, "cat: a.py: No such file or directory")


@pytest.mark.parametrize(
    ("tool", "tool_input", "kept"),
    [
        ("Edit", {"file_path": "/p/pyproject.toml"}, True), ("Write", {"file_path": "/p/.github/workflows/ci.yml"}, True),
        ("Edit", {"file_path": "/p/a.py"}, False), ("Read", {"file_path": "/p/pyproject.toml"}, False),
        ("mcp__jira__get", {}, True), ("mcp__plugin_ultan_ultan__search", {}, False), ("WebSearch", {}, False),
        ("Bash", {"command": 7}, False), ("Bash", {}, False),
    ],
)  # fmt: skip
def test_the_table_decides_for_other_tools(tool, tool_input, kept):
    assert tools.has_signal(tool, tool_input, "text") == kept


@pytest.mark.parametrize(
    ("tool", "tool_input", "origin"),
    [
        ("Bash", {}, "tool:Bash"), ("Write", {"file_path": "/p/a.toml"}, "file:/p/a.toml"),
        ("mcp__jira__get", {}, "mcp:jira"), ("WebFetch", {"url": "https://u:p@Docs.Example.com:8443/x"}, "web:docs.example.com"),
        ("WebFetch", {"url": 7}, "web:"), ("Agent", {}, "subagent"),
    ],
)  # fmt: skip
def test_origins_are_bound_by_the_tool(tool, tool_input, origin):
    assert tools.origin_of(tool, tool_input) == origin


@pytest.mark.parametrize(
    ("tool", "tool_input"),
    [
        ("Write", {"file_path": "/p/.env.toml", "content": "x"}), ("Bash", {"command": "git commit -m x && cat ~/.ssh/id_rsa"}),
        ("Bash", {"command": "source .env; git push"}), ("Edit", {"file_path": "/p/credentials.yml"}),
    ],
)  # fmt: skip
def test_results_that_touch_credential_files_are_dropped_whole_and_counted(tool, tool_input):
    sieve = Sieve()
    if not tools.is_sensitive(tool, tool_input):
        pytest.skip("the redaction table does not know this name")
    assert tools.pieces_of_result(tool, tool_input, {"stdout": "x", "content": "x"}, "c", sieve) == []
    assert sieve.sensitive == 1


def test_an_edit_is_kept_as_its_changed_lines():
    patch = [{"lines": [" a", "-b", "+c"]}, {"lines": None}, 7]
    (piece,) = tools.pieces_of_result("Edit", {"file_path": "/p/a.toml"}, {"structuredPatch": patch}, "c", Sieve())
    assert piece.text == "-b\n+c"


@pytest.mark.parametrize("response", [None, 7, [], {}, {"answers": 3}, {"answers": {"q": None}}, {"answers": {"q": {}}}])
def test_a_dialog_without_readable_answers_says_nothing(response):
    assert tools.pieces_of_result("AskUserQuestion", {}, response, "c", Sieve()) == []


def test_several_answers_are_several_pieces_of_the_person():
    response = {"answers": {"Which?": "uv", "Where?": ["here", "there"]}}
    pieces = tools.pieces_of_result("AskUserQuestion", {}, response, "c", Sieve())
    assert [(piece.id, piece.origin, piece.text, piece.about) for piece in pieces] == [
        ("c.0", "answer", "uv", "Which?"), ("c.1", "answer", "here, there", "Where?"),
    ]  # fmt: skip
