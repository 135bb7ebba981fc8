"""How near entries are to a question by what both are about; imported only where the index has such vectors."""

from math import sqrt
from operator import mul

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from ultan.recall.index import Index
    from ultan.recall.signals import Weighed

WIDTH = 128  # signed bytes of a word or an entry
TERMS = 24  # of a prompt, its rarest; more change nothing
ORDER_LEVELS = 8  # how much of an entry is an order that holds from now on, in eighths


def order_key(level: int) -> str:
    """The key under which entries are found that are standing orders by so much."""
    return f"\0order/{level}"


def orders(index: "Index", ranges: "list[tuple[int, int]]") -> "dict[int, float]":
    """The standing orders in *ranges*, each with how much of it is one."""
    found = {}
    for level in range(1, ORDER_LEVELS + 1):
        number = index.term(order_key(level))
        if number >= 0:
            for start, end in index.postings(number, ranges):
                found.update(dict.fromkeys(index.docs(start, end), level / ORDER_LEVELS))
    return found


def applying(held: "Mapping[int, float]", topics: "Mapping[int, float]") -> "dict[int, float]":
    """How much standing orders matter to a question: the more, the farther its topic is theirs above the mean."""
    return {number: share * (topics[number] - 1.0) for number, share in held.items() if topics.get(number, 0.0) > 1.0}


def asked_about(index: "Index", weighed: "Weighed") -> "list[float]":
    """What a question is about: the weighted sum of its words; empty if none is known."""
    total = [0.0] * WIDTH
    for number, weight, _ in weighed[:TERMS]:
        row = index.vector("tvec", number)
        length = sqrt(sum(map(mul, row, row)))
        if length:
            factor = weight / length
            total = [value + factor * part for value, part in zip(total, row, strict=True)]
    return total if any(total) else []


def about(index: "Index", weighed: "Weighed", numbers: "Iterable[int]") -> "dict[int, float]":
    """How near each of the entries *numbers* is, in standard deviations over them; one below the mean is 0.

    What is not among them counts as much as that: it was passed over for its words.
    """
    asked = asked_about(index, weighed)
    if not asked:
        return {}
    found = {}
    for number in numbers:
        row = index.vector("evec", number)
        length = sqrt(sum(map(mul, row, row)))
        found[number] = sum(map(mul, asked, row)) / length if length else 0.0
    size = len(found)
    mean = sum(found.values()) / max(1, size)
    deviation = sqrt(sum((value - mean) ** 2 for value in found.values()) / max(1, size))
    if deviation < 1e-9:
        return {}
    return {number: (value - mean) / deviation + 1.0 for number, value in found.items()}
