"""Blocks → terminal."""

import io
import json
from dataclasses import dataclass

from ultan.cli.screen import Line, Markdown, Screen, Table, Tree, inert, jsonable
from ultan.events import Piece
from ultan.library.actions import Pin


@dataclass(frozen=True, slots=True)
class Found:
    name: str
    rows: tuple[tuple[str, int], ...]
    raw: str = "never shown"


class Terminal(io.StringIO):
    encoding = "utf-8"

    def isatty(self):
        return True


def shown(blocks, out=None, **more):
    out = out or io.StringIO()
    Screen(out, io.StringIO(), more.pop("environ", {}), **more).show(None, blocks)
    return out.getvalue()


def test_a_record_becomes_json_by_its_fields_without_the_raw_bytes():
    assert jsonable(Found("a", (("x", 1),))) == {"name": "a", "rows": [["x", 1]]}
    assert jsonable(Piece("p", "user", "hello"))["text"] == "hello"
    assert jsonable(Pin(entry="global/x")) == {"verb": "pin", "entry": "global/x", "pinned": True}
    assert jsonable(frozenset(("b", "a"))) == ["a", "b"]


def test_json_is_one_document_whatever_the_value_says():
    out = io.StringIO()
    Screen(out, io.StringIO(), {}, as_json=True).show({"text": "日本\x1b[31m\ud83d"}, [])
    assert json.loads(out.getvalue())["text"].startswith("日本")


def test_plain_text_has_aligned_columns_and_no_escapes():
    table = Table(("entry", "why"), [("global/x", "linked"), ("y", "same\nfolder")])
    assert shown([table]) == "entry     why\nglobal/x  linked\ny         same folder\n"


def test_a_terminal_gets_colours_unless_it_asks_for_none():
    assert "\x1b[" in shown([Line("yes", "bold red")], Terminal(), environ={"TERM": "xterm"})
    assert "\x1b[3" not in shown([Line("yes", "red")], Terminal(), environ={"TERM": "xterm", "NO_COLOR": "1"})
    assert shown([Line("yes", "red")], Terminal(), environ={"TERM": "dumb"}) == "yes\n"


def test_what_text_says_is_inert_on_a_terminal_too():
    for block in (Line("a\x1b]52;c;eA==\x07b"), Markdown("a\u202eb\U000e0041"), Table(("a",), [("\x9b2Jb",)])):
        text = shown([block], Terminal(), environ={"TERM": "xterm"})
        assert not set(text) & set("\x07\u202e\U000e0041\x9b")
        assert "\x1b]52" not in text


def test_inert_text_keeps_newlines_tabs_and_every_letter():
    assert inert("a\n\tb ü 漢 ✓") == "a\n\tb ü 漢 ✓"


def test_a_markup_like_text_is_shown_as_it_is():
    assert "[bold]x[/bold]" in shown([Line("[bold]x[/bold]")], Terminal(), environ={"TERM": "xterm"})


def test_a_tree_is_indented_in_plain_text_and_drawn_on_a_terminal():
    tree = Tree("a", (Tree("b", (Tree("c\x07"),)), Tree("d")))
    assert shown([tree]) == "a\n  b\n    c\n  d\n"
    drawn = shown([tree], Terminal(), environ={"TERM": "xterm"})
    assert "└── d" in drawn
    assert "\x07" not in drawn


def test_a_name_stays_in_one_piece_on_a_narrow_terminal():
    name = "global/general/always-use-uv-never-pip"
    table = Table(("entry", "", "title", "trust"), [(name, "[C]", "Always use uv, never pip, in any of the projects", "person")])
    said = shown([table], Terminal(), environ={"NO_COLOR": "1"})  # 80 columns
    assert name in said
    assert "never pip" in said


def test_a_table_without_rows_or_columns_is_shown_on_a_terminal_too():
    assert "entry" in shown([Table(("entry",), [])], Terminal())
    shown([Table((), [])], Terminal())
