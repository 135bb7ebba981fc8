"""Typed and pasted words are told apart by their form."""

import json

from ultan.clients.leaf import Sieve
from ultan.clients.prompts import Heard, is_echo, prompt_pieces, split_pasted
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


def test_a_line_that_nobody_types_is_pasted():
    blob = "word " * 1700
    assert split_pasted(f"see\n{blob}\nand say") == [(USER, "see"), (PASTED, blob), (USER, "and say")]
    assert split_pasted("word " * 1500)[0][0] == USER


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


def transcript(tmp_path, lines=400):
    """A transcript whose every third line is what a tool said; offsets of its lines."""
    path, offsets, at = tmp_path / "long.jsonl", [], 0
    with path.open("wb") as file:
        for number in range(lines):
            said = {"type": "tool_result", "content": f"Line {number} of the report " + f"word{number} " * (number % 90)}
            block = said if number % 3 == 0 else {"type": "text", "text": f"answer {number}"}
            row = {"type": "user", "message": {"content": [block]}}
            file.write(json.dumps(row).encode() + b"\n")
            offsets.append(at)
            at = file.tell()
    return str(path), [*offsets, at]


def test_what_was_heard_is_the_same_whether_a_transcript_is_read_on_or_anew(tmp_path):
    path, offsets = transcript(tmp_path)
    going_on = Heard(path, 5000)
    for offset in offsets[::7]:
        anew = Heard(path, 5000)
        assert going_on.read(offset) == anew.read(offset)
        assert len(going_on.read(offset)) <= 5000
        assert going_on.words() == anew.words()
    assert going_on.read(offsets[3]) == Heard(path, 5000).read(offsets[3]), "an offset before is read anew"
    assert going_on.read() == Heard(path, 5000).read(offsets[-1])


def test_each_line_is_parsed_once(tmp_path):
    path, offsets = transcript(tmp_path)
    heard = Heard(path)
    heard.read(offsets[200])
    heard.words()
    parsed = dict(heard._said)
    heard.read(offsets[210])
    heard.words()
    assert all(heard._said[at] is said for at, said in parsed.items())
    assert len(heard._said) == len(parsed) + 3


def test_a_paragraph_that_repeats_a_tool_is_pasted_and_the_rest_typed(tmp_path):
    path = tmp_path / "t.jsonl"
    said = "the build failed since the linker could not find the library libfoo in the search path"
    path.write_text(json.dumps({"message": {"content": [{"type": "tool_result", "content": said}]}}) + "\n")
    pieces = prompt_pieces(f"{said}\n\nplease look whether that is still so on the other machine", "p", "", 0, Sieve(), Heard(str(path)))
    assert [piece.origin for piece in pieces] == [PASTED, USER]
    assert [piece.origin for piece in prompt_pieces(said, "p", "", 0, Sieve(), Heard(str(tmp_path / "none")))] == [USER]
