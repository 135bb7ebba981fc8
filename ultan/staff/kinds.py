"""What sort of memory a statement is: the librarian's four questions, asked of its marks.

A *warning* forbids what takes away or breaks. A *preference* is how the person wants the agent to
work, or to write for people. A *convention* says how each next piece of a sort is made: an order, a
law, a reproach that recalls one, a thing in its place. A *finding* is the rest: what is so, or was
settled for one thing, often said in *we*, as a fact, with its reason.

Each sign counts once, for the question it answers: one, two where it settles it (twice that for how the
person wants the agent to work), a half where it is a word that most sentences have. Nothing of it is
fitted, for no fit on one half of the labelled sessions was better on the other
(``tests/bench/fit_kinds.py``, docs/adr/0073-kinds-by-what-signs-mean.md).
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
    "house": frozenset(("local", "located", "ruledoc", "settled", "chosen", "nothing", "ours", "habit", "fragment", "cease")),
    "instead": frozenset(("swapped", "placed", "contrasted")),
    "bounded": frozenset(("limited", "provided")),
    "owed": frozenset(("norm",)),
    "purpose": frozenset(("purpose",)),
    "behaves": frozenset(("behaves",)),
    "ours": frozenset(("us",)),
    "declared": frozenset(("declared", "assign")),
    "reason": frozenset(("reason",)),
    "literal": frozenset(("quoted",)),
    "wished": frozenset(("want", "refuse")),
    "fact": frozenset(("fact",)),
    "momentary": frozenset(("oneoff", "hedge")),
    "decided": frozenset(("decide",)),
    "taste": frozenset(("taste", "mannered", "valued", "habitual", "usual", "liking")),
    "conduct": frozenset(("agent",)),
    "words": frozenset(("=interaction", "=comment", "=doc")),
    "personal": frozenset(("personal",)),
    "everywhere": frozenset(("everywhere",)),
    "code": frozenset(("code",)),
    "filled": frozenset(("filled",)),
}  # fmt: skip
PROHIBITS = frozenset(("ban", "never", "forbid", "refuse"))
RELIED = frozenset(("relied", "fact"))  # the fact that stops a change: somebody else counts on it
GUARD = "guard"  # the sign of a warning: what would do harm, and a prohibition

KINDS: Mapping[Kind, Mapping[str, float]] = {
    "convention": {
        "order": 1, "slot": 1, "held": 2, "law": 1, "house": 2, "instead": 1, "bounded": 1, "owed": 1, "purpose": 1, "": -0.3,
    },
    "finding": {
        "ours": 1, "declared": 1, "reason": 1, "literal": 1, "wished": 1, "fact": 0.5, "momentary": 1, "decided": 0.5,
        "behaves": 1, "": 0.5,
    },
    "preference": {
        "taste": 4, "conduct": 4, "words": 2, "personal": 2, "everywhere": 2, "code": -2, "purpose": -2, "filled": -2,
        "literal": -2, "": -2,
    },
    "warn": {GUARD: 6, "": -1},
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
    if "anaphor" in features:
        features -= {"taste"}  # liked or not: what was just shown, not what shall be
    if "behaves" in features:
        features -= {"purpose"}  # "only for sync" tells what a thing does, "belongs in utils" where the next one goes
    found = {sign for sign, marks in SIGNS.items() if marks & features}
    if "held" in found:
        found -= {"decided"}  # settled before, and recalled in a reproach: that is held to, not settled now
    if features >= RELIED or ("danger" in features and features & PROHIBITS):
        found.add(GUARD)
    return frozenset(found)
