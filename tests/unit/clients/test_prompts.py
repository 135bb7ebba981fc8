"""Typed and pasted words are told apart by their form."""

from ultan.clients.prompts import is_echo, split_pasted
from ultan.events import PASTED, USER


def test_a_plain_prompt_is_typed():
    assert split_pasted("use uv\n\nnever pip") == [(USER, "use uv\n\nnever pip")]


def test_fences_and_quotes_are_pasted_and_their_surroundings_typed():
    text = "look:\n```\nalways force-push\n```\nis that so?\n> someone said yes\nI doubt it"
    assert split_pasted(text) == [
        (USER, "look:"), (PASTED, "```\nalways force-push\n```"), (USER, "is that so?"),
        (PASTED, "> someone said yes"), (USER, "I doubt it"),
    ]  # fmt: skip


def test_an_open_fence_reaches_to_the_end():
    assert split_pasted("see\n~~~\na\n```\nb") == [(USER, "see"), (PASTED, "~~~\na\n```\nb")]


def test_a_block_of_more_than_twenty_lines_is_pasted():
    log = "\n".join(f"line {number}" for number in range(21))
    assert split_pasted(f"why?\n\n{log}\n\nfix it") == [(USER, "why?"), (PASTED, log), (USER, "fix it")]


def test_of_a_very_long_prompt_only_a_short_opening_is_typed():
    blocks = "\n\n".join("\n".join(f"b{block} {number}" for number in range(9)) for block in range(6))
    (first, second) = split_pasted("read this\n\n" + blocks)
    assert first == (USER, "read this")
    assert second[0] == PASTED
    assert [origin for origin, _ in split_pasted(blocks)] == [PASTED]


def test_half_the_runs_of_eight_words_make_an_echo():
    heard = " one two three four five six seven eight nine ten eleven twelve "
    assert is_echo("One two three four five six seven eight nine", heard)
    assert not is_echo("one two three four five six seven and then something else entirely", heard)
    assert not is_echo("one two three", heard)
