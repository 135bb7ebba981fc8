"""Which tools a session called, and when those ran that may write any file."""

import json
from datetime import UTC, datetime

import pytest

from ultan.clients.claude_calls import OPEN_S, busy_times, tool_calls

NOON = 1_780_000_000.0


def stamp(at):
    return datetime.fromtimestamp(at, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def use(name, tool, at, **given):
    block = {"type": "tool_use", "id": name, "name": tool, "input": given}
    return {"type": "assistant", "message": {"content": [{"type": "text", "text": "on it"}, block]}, "timestamp": stamp(at)}


def result(name, at, said="done"):
    block = {"type": "tool_result", "tool_use_id": name, "content": said}
    return {"type": "user", "message": {"content": [block]}, "timestamp": stamp(at), "toolUseResult": {"stdout": said}}


@pytest.fixture
def written(tmp_path):
    def write(*rows):
        path = tmp_path / "session.jsonl"
        path.write_text("".join((row if isinstance(row, str) else json.dumps(row)) + "\n" for row in rows))
        return str(path)

    return write


def test_a_shell_is_busy_from_its_call_to_its_result(written):
    path = written(use("a", "Bash", NOON, command="make"), result("a", NOON + 5), use("b", "Read", NOON + 6), result("b", NOON + 7))
    assert busy_times(path) == [(NOON, NOON + 5)]
    assert [(name, tool) for name, tool, _ in tool_calls(path)] == [("a", "Bash"), ("b", "Read")]


def test_what_a_result_quotes_is_no_end_of_a_call(written):
    path = written(use("a", "Bash", NOON, command="cat"), result("a", NOON + 5, 'it says "timestamp": "2020-01-01T00:00:00Z" and "tool_use"'))
    assert busy_times(path) == [(NOON, NOON + 5)]


def test_a_call_without_a_result_is_over_after_an_hour_and_one_in_the_background_with_its_session(written):
    path = written(use("a", "Bash", NOON, command="x"), use("b", "Bash", NOON + 1, command="serve", run_in_background=True), result("b", NOON + 2), use("c", "Read", NOON + 900))
    assert sorted(busy_times(path)) == [(NOON, NOON + OPEN_S), (NOON + 1, NOON + 900)]


@pytest.mark.parametrize("line", ["", "{", '"tool_use"', '{"type": "assistant", "message": "tool_use"}', '{"type": "user", "tool_use_id": "tool_result"}', "\x00"])
def test_a_line_of_any_other_form_costs_only_itself(written, line):
    path = written(line, use("a", "Bash", NOON, command="make"), line, result("a", NOON + 5))
    assert busy_times(path) == [(NOON, NOON + 5)]


def test_a_file_that_is_gone_tells_nothing(tmp_path):
    assert busy_times(str(tmp_path / "none.jsonl")) == []
