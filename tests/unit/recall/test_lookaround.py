import pytest

from ultan.recall.lookaround import needed_literals, rewritten


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        ("rm (?!build)", ("rm ", ("rm (?:build)",))),
        (r"\(?!x", (r"\(?!x", ())),  # an escaped bracket opens no group
        ("[(?!]x", ("[(?!]x", ())),  # nor does one inside a class
        ("[]|](?!b)", ("[]|]", ("[]|](?:b)",))),  # a bracket that comes first in a class stands for itself
        ("[^]()](?!b)", ("[^]()]", ("[^]()](?:b)",))),
        ("(?![]()])x", ("x", ("(?:[]()])",))),
        ("a|b(?!c)", ("a|b", ("b(?:c)",))),  # only the branch it stands in
        ("(x|y(?!z))w", ("(x|y)w", ("y(?:z)",))),
        ("(?P<n>x|y(?!z)", ("(?P<n>x|y", ("y(?:z)",))),
        (r"a\[(?!b)", (r"a\[", (r"a\[(?:b)",))),
        ("a(?!b", ("a(?!b", ())),  # never closed: as it is
        ("[a(?!b)", ("[a(?!b)", ())),
        ("a(?!b(?!c))", ("a", ("a(?:b)",))),
    ],
)
def test_a_negative_lookahead_becomes_an_exception(pattern: str, expected: tuple[str, tuple[str, ...]]) -> None:
    assert rewritten(pattern) == expected


@pytest.mark.parametrize("pattern", ["[", "a[^", "(", "\\", "(?!", "a{", "[]", "(?P<", "x\\p{"])
def test_a_broken_pattern_is_left_alone(pattern: str) -> None:
    assert rewritten(pattern)[0] == pattern
    assert needed_literals(pattern) in ([], ["a"], ["x"])
