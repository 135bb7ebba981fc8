"""The overview of all commands."""

from ultan.cli.commands import SHORT, group, in_short
from ultan.cli.wiring import World


def test_a_line_of_the_overview_ends_where_a_clause_does():
    assert in_short("List entries.") == "List entries"
    assert in_short("Show what waits, with its words; approve, reject or confirm it, one by one, key by key. In a terminal.") == "Show what waits, with its words"
    assert in_short("Show an entry with its siblings, subfolders, the README of its folder and links.") == "Show an entry with its siblings"


def test_no_command_is_cut_off_in_the_overview(ultan):
    said = ultan("--help").out
    assert "..." not in said.partition("Commands:")[2]
    assert all(len(command.short_help) <= SHORT for command in group(World(environ={})).commands.values())
