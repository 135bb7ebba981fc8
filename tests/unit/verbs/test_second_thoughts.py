"""What a person who changes their mind, or mistypes, is told."""

import json

import pytest

FIRST, SECOND = "Always use uv, never pip", "Never use uv, always pip"


def told(ultan, *words):
    return json.loads(ultan(*words, "--json").out)


@pytest.fixture
def reversed_rule(ultan):
    """A rule and its opposite, saved one after the other: the first one's id, the second one's, and what was said."""
    first = told(ultan, "save", FIRST, "--scope", "global")
    second = told(ultan, "save", SECOND, "--scope", "global")
    return first["entry"], second["entry"], second


def test_what_a_new_rule_takes_the_place_of_is_told(reversed_rule):
    first, _, said = reversed_rule
    assert f"in place of {first}" in said["note"]


def test_a_rule_that_no_longer_holds_is_marked_among_hits(ultan, reversed_rule):
    first, _, _ = reversed_rule
    out = ultan("search", "uv pip").out
    assert f"{FIRST}  (deprecated)" in out
    assert f"{SECOND}\n" in out
    assert {hit["id"]: hit["status"] for hit in told(ultan, "search", "uv pip")["hits"]}[first] == "deprecated"


def test_of_a_restored_rule_and_its_successor_neither_claims_to_replace_the_other(ultan, reversed_rule):
    first, second, _ = reversed_rule
    done = told(ultan, "restore", first)
    assert any(f"ultan archive {second}" in change for change in done["changes"])
    assert told(ultan, "show", second)["entry"]["supersedes"] == []
    assert told(ultan, "show", first)["entry"]["status"] == "active"


@pytest.mark.parametrize("command", [("search", "tests"), ("list",)])
def test_a_kind_that_does_not_exist_is_a_usage_error_everywhere(ultan, command):
    result = ultan(*command, "--kind", "nosuch")
    assert result.status == 2
    assert "convention" in result.err


@pytest.mark.parametrize(("day", "status"), [("banana", 2), ("2026-13-01", 2), ("2026-03-12", 0), ("2026-03", 0), ("2026-03-12 14:30", 0)])
def test_the_day_of_an_event_is_a_day(ultan, day, status):
    assert ultan("save", "Standup moved to ten", "--kind", "event", "--when", day).status == status


def test_a_broken_config_is_told_with_a_remedy_that_works(ultan, home):
    ultan("save", FIRST)
    with open(f"{home}/config.toml", "w", encoding="utf-8") as file:
        file.write("garbage = = 1\n")
    result = ultan("config")
    assert result.status == 1
    assert "move the file away" in result.err


def test_a_run_with_nothing_to_do_says_so_in_few_lines(ultan):
    ultan("save", FIRST)
    out = ultan("curate", "--now").out
    assert "operations:" not in out
    assert len(out.splitlines()) < 6
