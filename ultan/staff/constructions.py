"""Ways of building a sentence that state what holds, without a word of dictation in it.

"Our line length is 100", "we release from develop", "tests go next to the source file", "no mocks in
integration tests", "use tabs in this project": each is a rule to whoever works there, and none says
*always* or *must*. What makes it one is its form: a subject that stands for all of its kind, the
simple present, no article before what is chosen. The forms stand as patterns in the tables of the
languages (``cues/*.toml``, ``[constructions]``), read over the statement without what leads up to it.
"""

import functools
import re
from collections.abc import Mapping

from ultan.staff.cues import Cues, constructions_of

LONGEST = 32  # words; a longer sentence holds more than one form
# What a statement of the moment, a question or a story looks like: there the same forms tell, and rule nothing.
TELLING = frozenset(("asks", "question", "report", "oneoff", "hedge", "relayed", "courtesy", "recall", "story"))
_CLAUSE = re.compile(r"(?:[:;]|,\s(?:so|but|and|hence)|\bso)\s+")
PLACED = frozenset(("here", "command", "manner", "quoted"))
PAST = "past"  # the pattern of a language that makes a story of any statement
# A subject of this form is all of its kind, so that *always* does not merely describe one thing.
OF_A_KIND = frozenset(("generic", "ours"))


def constructions(body: str, marks: frozenset[str], cues: Cues) -> frozenset[str]:
    """Names of the constructions that *body* is built by; none where its *marks* say that it only tells."""
    if marks & TELLING or len(body.split()) > LONGEST:
        return frozenset()
    if "offtopic" in marks and not marks & PLACED:
        return frozenset()  # people speak of the world in the same forms
    patterns = _patterns(cues.language)
    if PAST in patterns and patterns[PAST].search(body):
        return frozenset()
    clauses = [clause for clause in (body, *_CLAUSE.split(body)[1:]) if clause]
    return frozenset(name for name, pattern in patterns.items() if name != PAST and any(map(pattern.search, clauses)))


@functools.cache
def _patterns(language: str) -> Mapping[str, re.Pattern[str]]:
    return {name: re.compile(text, re.IGNORECASE | re.VERBOSE) for name, text in constructions_of(language).items()}
