import pytest

from ultan.errors import InvalidEntry
from ultan.library.plainyaml import DEPTH, through_yaml


def test_every_scalar_stays_the_text_it_is():
    assert through_yaml("a: no\nb: 0123\nc: 2026-05-01\nd: null\ne: [1, {f: yes}]\n", "x.md") == {
        "a": "no", "b": "0123", "c": "2026-05-01", "d": "null", "e": ["1", {"f": "yes"}],
    }  # fmt: skip


@pytest.mark.parametrize(
    ("block", "what"),
    [
        ("a: &x 1\nb: *x\n", "anchors"), ("a: !!int 1\n", "tags"), ("<<: {a: 1}\n", "merge keys"), ("a: 1\na: 2\n", "twice"),
        ("[1]: 2\n", "a key that is no text"), ("- a\n", "no table"), ("a: 1\n---\nb: 2\n", "more than one"), ("a: [\n", "line"),
        ("a: " + "[" * (DEPTH + 1) + "]" * (DEPTH + 1) + "\n", "nested deeper"),
    ],
)  # fmt: skip
def test_what_says_more_than_plain_values_is_refused_by_name(block, what):
    with pytest.raises(InvalidEntry, match=what):
        through_yaml(block, "x.md")


def test_nothing_is_an_empty_table():
    assert through_yaml("", "x.md") == {}
