"""An entry counts as used only where the agent then did, unasked, what it names."""

import pytest

from ultan.events import Piece
from ultan.library.entry import Entry
from ultan.staff.usefulness import used

UV = Entry("projects/shop/tools/uv", "uv, never pip", "convention", "project:shop", "2026-01-05", "2026-01-05", body="Always use uv, never pip.\n")
PREFIX = Entry("global/naming/fn", "fn_", "convention", "global", "2026-01-05", "2026-01-05", body="Function names always begin with 'fn_'.\n")
PLACE = Entry(
    "projects/shop/tests/place", "tests", "convention", "project:shop", "2026-01-05", "2026-01-05", body="New tests always go into `tests/unit/`.\n"
)
BAN = Entry("projects/shop/tools/ban", "no pip", "warn", "project:shop", "2026-01-05", "2026-01-05", body="Never use pip in this repo.\n")
ENTRIES = {entry.id: entry for entry in (UV, PREFIX, PLACE, BAN)}


def bash(command, output="done", turn=0):
    return Piece(f"b{command}{turn}", "tool:Bash", output, turn=turn, about=f"Bash: {command}")


def edit(path, text, turn=0):
    return Piece(f"e{path}{turn}", f"file:{path}", text, turn=turn, about=f"Edit: {path}")


def said(text, turn=0, origin="user"):
    return Piece(f"p{text}{turn}", origin, text, turn=turn)


def uses(entry, *pieces, turns=(0,), overlap=0):
    return used(list(pieces), {entry.id: list(turns)}, ENTRIES, overlap=overlap)


def test_a_command_that_a_shown_rule_asks_for_is_a_use_of_it():
    assert uses(UV, said("add an http client"), bash("uv add httpx")) == [(UV.id, 0)]


def test_added_lines_that_bear_a_name_the_rule_gives_are_a_use():
    assert uses(PREFIX, said("add a function that sums"), edit("a.py", "+def fn_total(rows):\n+    return sum(rows)")) == [(PREFIX.id, 0)]
    assert uses(PREFIX, said("add a function that sums"), edit("a.py", "-def fn_total(rows):\n+def total(rows):")) == []


def test_a_file_put_where_the_rule_says_is_a_use():
    assert uses(PLACE, said("test the cart"), edit("tests/unit/test_cart.py", "def test_cart(): ...")) == [(PLACE.id, 0)]


@pytest.mark.parametrize(
    "pieces",
    [
        (said("add httpx with uv"), bash("uv add httpx")),  # the person said so
        (said("add a client"), bash("ls", "pyproject.toml  uv.lock"), bash("uv add httpx")),  # the folder said so
        (said("add a client"), said("I see there is a note about uv.", origin="assistant"), bash("uv add httpx")),  # a mention, and then more of it
        (said("add a client"), bash("pip install httpx"), bash("uv add httpx")),  # also what is forbidden
        (said("add a client"), bash("uv add httpx"), said("no, not uv here, use poetry", 1)),  # the person objects
        (said("add a client"), bash("uv add httpx"), said("stop that", origin="rejection")),
        (said("add a client"), said("uv is a fine tool", origin="assistant")),  # words are no deed
        (said("add a client"), bash("poetry add httpx")),
        (said("add a client"), bash("uvicorn app:app")),
    ],
)
def test_what_anything_else_explains_or_spoils_is_no_use(pieces):
    assert uses(UV, *pieces) == []


def test_only_the_turn_in_which_it_was_shown_counts_and_each_once():
    pieces = [said("add a client"), said("go on", 1), bash("uv add httpx", turn=1), bash("uv sync", turn=1)]
    assert uses(UV, *pieces) == []
    assert uses(UV, *pieces, turns=(1, 1)) == [(UV.id, 1)]


def test_what_was_judged_before_is_knowledge_and_no_use():
    pieces = [said("add a client"), bash("uv add httpx"), said("and another", 1), bash("uv add rich", turn=1)]
    assert uses(UV, *pieces, turns=(0, 1), overlap=2) == [(UV.id, 1)]
    assert uses(UV, said("we have uv"), said("add a client", 1), bash("uv add rich", turn=1), turns=(1,), overlap=1) == []


def test_a_rule_that_only_forbids_or_is_gone_is_never_seen_at_work():
    assert uses(BAN, said("add a client"), bash("uv add httpx")) == []
    assert used([said("add a client"), bash("uv add httpx")], {"global/gone": [0]}, ENTRIES) == []
