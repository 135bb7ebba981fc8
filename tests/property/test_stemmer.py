"""Our stemmer and Snowball's are the same function."""

import snowballstemmer
from hypothesis import given, settings
from hypothesis import strategies as st

from ultan.recall.text import stem

ORACLE = snowballstemmer.stemmer("english")
ENDINGS = (  # noqa: SIM905 -- a list of words reads best as words
    "s es ed ing ly edly ingly eed eedly ation ization er ies ied y ying ment ness ful ous al ically tional able e ll "
    "ogist ogi us ss ative icate alize past ism"
).split()


@settings(max_examples=1500, deadline=None)
@given(st.text("aeioubcdfghklmnprstvwxyz", min_size=1, max_size=12), st.sampled_from(["", *ENDINGS]))
def test_a_word_has_the_stem_that_snowball_gives_it(head: str, ending: str) -> None:
    word = head + ending
    assert stem(word) == ORACLE.stemWord(word)


def test_the_exceptions_of_the_algorithm_are_kept() -> None:
    for word in "skis skies news early only inning outing dying herring evening proceed succeed exceed bias atlas".split():  # noqa: SIM905 -- a list of words reads best as words
        assert stem(word) == ORACLE.stemWord(word)
