"""What sort of memory a statement is: the librarian's four questions, asked of its marks.

A *warning* forbids what takes away or breaks. A *preference* is how the person wants the agent to
work, or to write for people. A *convention* says how each next piece of a sort is made: an order, a
law, a reproach that recalls one, a thing in its place. A *finding* is the rest: what is so, or was
settled for one thing, often said in *we*, as a fact, with its reason.

Each sign counts once, for the question it answers; the numbers are ones and twos by that meaning,
fitted with a strong pull back to it (``tests/bench/fit_kinds.py``, docs/adr/0053-kinds-by-signs.md).
"""

from collections.abc import Mapping
from math import fsum

from ultan.events import ANSWER
from ultan.library.actions import Kind
from ultan.staff.statements import Statement

# Sign → the marks (and, with "=", the concepts) of which one is enough.
SIGNS: Mapping[str, frozenset[str]] = {
    "order": frozenset(("order",)),
    "slot": frozenset(("slot",)),
    "held": frozenset(("protest", "reminder")),
    "law": frozenset(("standing", "never", "onward", "universal", "recurrent", "decreed", "sweeping", "everywhere")),
    "house": frozenset(("local", "located", "ruledoc")),
    "instead": frozenset(("swapped", "placed", "contrasted")),
    "bounded": frozenset(("limited", "provided")),
    "owed": frozenset(("norm",)),
    "purpose": frozenset(("purpose",)),
    "ours": frozenset(("us",)),
    "declared": frozenset(("declared", "assign")),
    "reason": frozenset(("reason",)),
    "literal": frozenset(("quoted",)),
    "wished": frozenset(("want", "refuse")),
    "fact": frozenset(("fact",)),
    "momentary": frozenset(("oneoff", "hedge")),
    "decided": frozenset(("decide",)),
    "taste": frozenset(("taste", "mannered", "valued", "habitual")),
    "conduct": frozenset(("agent",)),
    "words": frozenset(("=interaction", "=comment", "=doc")),
    "personal": frozenset(("personal",)),
    "everywhere": frozenset(("everywhere",)),
    "code": frozenset(("code",)),
    "filled": frozenset(("filled",)),
}  # fmt: skip
PROHIBITS = frozenset(("ban", "never", "forbid", "refuse"))
GUARD = "guard"  # the sign of a warning: what would do harm, and a prohibition

KINDS: Mapping[Kind, Mapping[str, float]] = {
    "convention": {
        "order": 0.9, "slot": 0.9, "held": 1.0, "law": 0.7, "house": 1.3, "instead": 1.1, "bounded": 0.9, "owed": 0.7,
        "purpose": 0.6, "ours": 0.2, "declared": -0.2, "reason": -0.3, "literal": 0.1, "fact": 0.2, "decided": 0.7,
        "taste": -0.1, "conduct": 0.1, "words": 0.2, "personal": -0.2, "everywhere": -0.2, "code": 0.2,
        "filled": -0.2, "": -0.4,
    },
    "finding": {
        "slot": 0.4, "held": -0.3, "house": -0.2, "instead": -0.1, "bounded": 0.1, "owed": 0.6, "purpose": 0.3,
        "ours": 0.5, "declared": 0.8, "reason": 1.3, "literal": 1.0, "wished": 0.7, "fact": 0.4, "momentary": 0.8,
        "decided": 0.3, "taste": 0.2, "conduct": -0.1, "words": -0.1, "personal": 0.4, "everywhere": -0.1,
        "code": -0.1, "filled": 0.3, "": 0.2,
    },
    "preference": {
        "order": 0.2, "slot": -0.3, "held": 0.3, "law": 0.3, "owed": -0.3, "purpose": -2.0, "ours": 0.2,
        "declared": 0.1, "literal": -2.0, "wished": 0.2, "fact": 0.2, "momentary": 0.2, "decided": -0.1, "taste": 3.9,
        "conduct": 4.1, "words": 1.9, "personal": 1.8, "everywhere": 2.2, "code": -1.9, "filled": -2.0, "": -2.0,
    },
    "warn": {
        "order": -0.1, "held": -0.1, "law": -0.1, "purpose": 0.1, "ours": 0.1, "declared": 0.2, "reason": -0.1,
        "literal": -0.1, "wished": 0.1, "fact": 0.2, "decided": 0.1, "code": -0.3, GUARD: 6.1, "": -1.0,
    },
}  # fmt: skip


def kind_of(statement: Statement, origin: str) -> Kind:
    """What sort of memory *statement* is."""
    if origin == ANSWER:
        return "decision"
    found = signs_of(statement)
    scores = {kind: fsum(row.get(sign, 0.0) for sign in (*found, "")) for kind, row in KINDS.items()}
    return max(scores, key=lambda kind: (scores[kind], kind))


def signs_of(statement: Statement) -> frozenset[str]:
    """The signs that *statement* bears, the one of a warning among them."""
    features = statement.marks | {"=" + thing for thing in statement.things}
    found = {sign for sign, marks in SIGNS.items() if marks & features}
    if "danger" in features and features & PROHIBITS:
        found.add(GUARD)
    return frozenset(found)
