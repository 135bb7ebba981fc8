"""Words that several renderers share."""

from ultan.cli.blocks import fields, mark, one_line, sparkline


def test_one_line_cuts_with_an_ellipsis():
    assert one_line("a  b\nc") == "a b c"
    assert one_line("x" * 200, 10) == "x" * 9 + "…"


def test_a_record_is_told_as_lines_and_what_it_lists_as_tables():
    rows = fields({"name": "x", "none": None, "sure": True, "days": {"a": 1}, "rows": [{"id": 1, "tags": ["a", "b"]}]})
    assert [row.text for row in rows[:4]] == ["name: x", "none: ", "sure: yes", "days:"]
    assert rows[-1].rows == [["1", "a, b"]]
    assert "none" not in [row.text for row in fields({"none": None}, with_empty=False)]


def test_every_kind_has_a_marker():
    assert [mark(kind) for kind in ("warn", "decision", "event")] == ["[W]", "[D]", "[E]"]


def test_a_sparkline_goes_from_low_to_high():
    assert sparkline([0.0, 0.5, 1.0]) == "\u2581\u2585\u2588"
