"""A text from outside is private-free, inert, masked and short."""

from ultan.clients.leaf import LONGEST, READ_AT_MOST, Sieve, cut


def test_plain_text_stays_as_it_is():
    text = "use uv,\n\tnever pip: \u6f22\u5b57 \u00e9"
    assert Sieve().leaf(text) == text


def test_invisible_characters_are_taken_out_and_counted():
    sieve = Sieve()
    assert sieve.leaf("a\u202eb\x00c\u200bd\U000e0041e\x1b[31mf") == "abcdef"
    assert sieve.hidden == 1


def test_a_long_text_keeps_head_and_tail_and_says_what_is_missing():
    text = "head " + "x " * 20_000 + "tail"
    kept = Sieve().leaf(text)
    assert len(kept) <= LONGEST
    assert kept.startswith("head")
    assert kept.endswith("tail")
    assert "characters left out" in kept


def test_a_credential_at_the_cut_of_a_huge_text_is_not_halved():
    token = "gh" + "p_" + "Zk3vQx8LmT1bWc7RyD5n" + "HsJ2fGa9UoPe4iKd"
    for shift in range(0, 40, 3):
        half = READ_AT_MOST // 2
        text = ("w " * READ_AT_MOST)[: half - shift] + " " + token + " " + "w " * READ_AT_MOST
        assert token[:8] not in Sieve().leaf(text, READ_AT_MOST)


def test_the_inside_of_a_key_block_is_not_left_at_the_cut():
    inside = "\n".join("c2VjcmV0" * 8 for _ in range(40))
    text = "x\n" * READ_AT_MOST + "-----BEGIN PRIVATE KEY-----\n" + inside * 40 + "\n-----END PRIVATE KEY-----\nbehind"
    kept = Sieve().leaf(text, READ_AT_MOST)
    assert "c2VjcmV0" not in kept
    assert kept.endswith("behind")


def test_cutting_is_exact():
    for size in (100, 101, 5000):
        assert len(cut("x" * size, 100)) <= 100
