"""Values → blocks."""

from ultan.cli.render import one_line


def test_one_line_cuts_with_an_ellipsis():
    assert one_line("a  b\nc") == "a b c"
    assert one_line("x" * 200, 10) == "x" * 9 + "…"
