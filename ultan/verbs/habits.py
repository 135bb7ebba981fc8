"""How user, agent and judge behave in a simulated year: the same for every policy of forgetting."""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Habits:
    """How user and agent behave; assumptions, except what PrimeBench and MemoryCode measure.

    Attributes:
        shown: a needed, live entry is primed (PrimeBench recall@3).
        used: a primed entry that was needed is really relied on.
        said_again: what was needed and put away is said again by the user; what was shown and is
            wrong is called wrong.
        false_prime: a prompt that needs nothing shows an entry all the same (PrimeBench).
        beside: entries shown beside a needed one that nobody needs.
        offered: what faded and is needed is shown, nothing live being there to show and it fitting strongly;
            offered_beside: a prompt shows one that faded and that nobody needs (both PrimeBench with a
            quarter to a half of its library in the archive, ``tests/bench/second_look.py``).
        recognised: a correction finds the entry that it corrects (MemoryCode, 1 - superseded_live).
        misjudged: an entry that nobody needed is taken for helpful.
        heard: a use is noticed by whoever looks at what was shown: a model all, a judge by code a part.
        passes: what was shown and not taken for helpful counts as passed over; a judge that misses much
            does not say so.
        judged: anybody looks at what was shown; else nothing counts as helpful or ignored.
        thinks: a model is asked about what drifts before a person is; it leaves the entry as it is.
        answered: a person answers when asked in ``review`` whether an entry still holds.
        mistaken: of these answers, the wrong ones.
    """

    shown: float = 0.635
    used: float = 0.8
    said_again: float = 0.5
    false_prime: float = 0.105
    beside: float = 0.5
    offered: float = 0.075
    offered_beside: float = 0.009
    recognised: float = 0.985
    misjudged: float = 0.02
    heard: float = 1.0
    passes: bool = True
    judged: bool = True
    thinks: bool = True
    answered: float = 0.5
    mistaken: float = 0.1


HEARD_BY_CODE = 0.5
"""Of real uses, those that a judge by code notices: assumed."""
JUDGES: Mapping[str, Habits] = {
    "model": Habits(), "code": Habits(heard=HEARD_BY_CODE, passes=False, thinks=False), "nobody": Habits(judged=False, thinks=False),
}  # fmt: skip
"""Who says whether what was shown was of help."""
