"""How near entries are to a question by what both are about; imported only where the index has such vectors."""

from math import sqrt
from operator import mul

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from ultan.recall.index import Index
    from ultan.recall.signals import Weighed

WIDTH = 128  # signed bytes of a word or an entry
TERMS = 24  # of a prompt, its rarest; more change nothing


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
