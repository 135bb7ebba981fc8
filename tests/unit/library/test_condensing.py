"""Fewer words: which sentences stay, and where one ends."""

import pytest

from ultan.library.condense import sentences, shorter


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("One. Two! Three?", 3),
        ("Use it, e.g. by hand. Then stop.", 2),
        ("Nimm z. B. uv. Nie pip.", 2),
        ("第一。第二。", 2),
        ("no end", 1),
        ("", 0),
        ("It is 3.5 s. Or `a.b.c`.", 2),
    ],
)
def test_a_sentence_ends_where_a_reader_would_say_so(text, count):
    found = sentences(text)
    assert len(found) == count
    assert "".join("".join(found).split()) == "".join(text.split())


def test_links_to_other_entries_stay_at_every_level():
    body = "First. Second. Third is long.\n\n**Why:** Because. And so on.\n\n## Related\n\n- [[global/a/x]]\n- [[global/b/y]]\n"
    for level in (1, 2):
        assert shorter(body, level).endswith("## Related\n\n- [[global/a/x]]\n- [[global/b/y]]\n")
    assert shorter(body, 2).startswith("First.\n\n##")
    assert "**Why:** Because.\n" in shorter(body, 1)


def test_a_sentence_that_forbids_weighs_more_than_one_that_tells():
    assert shorter("It began in May. It rained. Never open the valve.", 1) == "It began in May. Never open the valve.\n"
