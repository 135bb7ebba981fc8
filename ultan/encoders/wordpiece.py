"""Text → WordPiece ids, as BERT's uncased models expect them.

``wordpiece.txt`` is the vocabulary of ``bert-base-uncased`` (Apache-2.0), which all-MiniLM-L6-v2
shares; the package that carries the weights leaves it out. Same ids as ``tokenizers`` on plain text.
"""

import os
import unicodedata
from collections.abc import Iterator, Sequence
from functools import cache

LONGEST_WORD = 100
CLS, SEP, UNKNOWN = "[CLS]", "[SEP]", "[UNK]"


@cache
def vocabulary() -> dict[str, int]:
    """Piece → id."""
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "wordpiece.txt")
    with open(path, encoding="utf-8") as file:
        return {line.rstrip("\n"): number for number, line in enumerate(file)}


def whole_words() -> list[str]:
    """The plain English words of the vocabulary, lower case, three letters or more."""
    return [piece for piece in vocabulary() if len(piece) > 2 and piece.isascii() and piece.isalpha()]


def split(text: str) -> Iterator[str]:
    """Words, punctuation marks and Han characters of *text*, lower case, without accents."""
    word = ""
    for char in unicodedata.normalize("NFD", text.lower()):
        category = unicodedata.category(char)
        if category == "Mn" or (category[0] == "C" and char not in "\t\n\r"):
            continue
        code = ord(char)
        alone = (
            category[0] == "P" or 33 <= code <= 47 or 58 <= code <= 64 or 91 <= code <= 96 or 123 <= code <= 126
            or 0x4E00 <= code <= 0x9FFF or 0x3400 <= code <= 0x4DBF or 0xF900 <= code <= 0xFAFF
        )  # fmt: skip
        if alone or char.isspace():
            if word:
                yield word
            word = ""
            if alone:
                yield char
        else:
            word += char
    if word:
        yield word


@cache
def pieces(word: str) -> tuple[int, ...]:
    """The ids of one word: the longest known piece first, then the longest continuation."""
    known = vocabulary()
    if len(word) > LONGEST_WORD:
        return (known[UNKNOWN],)
    found = []
    start = 0
    while start < len(word):
        end = len(word)
        mark = "##" if start else ""
        while end > start and mark + word[start:end] not in known:
            end -= 1
        if end == start:
            return (known[UNKNOWN],)
        found.append(known[mark + word[start:end]])
        start = end
    return tuple(found)


def encode(text: str, longest: int) -> list[int]:
    """The ids of *text* between the two marks, at most *longest* in all."""
    known = vocabulary()
    ids = [known[CLS]]
    for word in split(text[: longest * 24]):
        ids.extend(pieces(word))
        if len(ids) >= longest - 1:
            break
    return [*ids[: longest - 1], known[SEP]]


def batches(lengths: Sequence[int], most_tokens: int) -> Iterator[list[int]]:
    """Positions in batches of similar length, each of at most *most_tokens* padded tokens."""
    order = sorted(range(len(lengths)), key=lambda at: lengths[at])
    batch: list[int] = []
    for at in order:
        if batch and (len(batch) + 1) * lengths[at] > most_tokens:
            yield batch
            batch = []
        batch.append(at)
    if batch:
        yield batch
