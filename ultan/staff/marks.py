"""What the marks of a statement say together: the constructions by which several words make a demand.

A mark is the name of a group of phrases that a statement has, or of a trait of its form; each weighs
in ``weights.py``. Some say more, or less, in company.
"""

from collections.abc import Iterable

# Words that dictate, one way or another.
DICTATING = frozenset(("taste", "forbid", "standing", "never", "ask", "order", "practice", "norm", "want"))
# What makes a demand of a statement, what names something exactly, and what concerns how agent and person deal with each other.
DEMANDING = frozenset(("order", "norm", "ban", "want", "contrast", "value", "code", "quoted", "command", "whole"))
SPECIFIC = frozenset(("value", "code", "quoted", "command"))
PERSONAL_MATTER = frozenset(
    ("agent", "mannered", "manner", "taste", "personal", "protest", "correction", "annoyed", "us", "swapped", "entrust", "noted", "everywhere")
)
# Marks that say more together than each alone: name, all of these, none of those.
COMBINED: tuple[tuple[str, frozenset[str], frozenset[str]], ...] = (
    ("ordained", frozenset(("dictating", "filled")), frozenset(("asks", "hedge"))),
    ("required", frozenset(("dictating", "whole")), frozenset(("asks",))),
    ("universal", frozenset(("general", "whole")), frozenset(("asks", "report", "oneoff"))),
    ("principle", frozenset(("standing", "object")), frozenset(("asks", "courtesy"))),
    ("commanded", frozenset(("standing", "order")), frozenset(("asks", "courtesy", "vague"))),
    ("conditional", frozenset(("case", "order")), frozenset(("asks", "report", "oneoff"))),
    ("placed", frozenset(("purpose", "norm", "ban")), frozenset(("asks", "hedge"))),
    ("habitual", frozenset(("protest", "offtopic")), frozenset()),
    ("loose", frozenset(("standing", "offtopic")), frozenset(("order", "slot"))),
    ("forsworn", frozenset(("never", "order")), frozenset(("asks", "report"))),
    ("denied", frozenset(("correction", "fact")), frozenset(("asks", "report"))),
    ("bounded", frozenset(("norm", "contrast")), frozenset(("asks", "hedge"))),
    ("stressed", frozenset(("norm", "shout")), frozenset(("asks", "hedge"))),
    ("forbidden", frozenset(("norm", "ban")), frozenset(("asks", "hedge"))),
    ("declared", frozenset(("assign", "value")), frozenset(("asks", "report"))),
    ("barred", frozenset(("order", "ban")), frozenset(("asks", "oneoff"))),
    ("granted", frozenset(("accept", "code")), frozenset(("asks", "report"))),
    ("refused", frozenset(("refuse",)), frozenset(("asks", "hedge"))),
    ("grounded", frozenset(("purpose", "fact")), frozenset(("asks", "hedge", "report"))),
    ("scolded", frozenset(("protest", "annoyed")), frozenset()),
    ("plain", frozenset(("commanded", "weak")), frozenset(("courtesy", "vague"))),
    ("perilous", frozenset(("danger", "barred")), frozenset()),
    ("swapped", frozenset(("ban", "swap")), frozenset(("asks", "report", "relayed", "hedge"))),
    ("local", frozenset(("here", "practice")), frozenset(("asks", "report", "hedge", "vague"))),
    (
        "decreed",
        frozenset(("allcases", "norm")),
        frozenset(
            ("asks", "report", "oneoff", "anaphor", "hedge", "vague", "us", "idle", "offtopic", "reminder")
        ),
    ),
    (
        "mannered",
        frozenset(("manner", "dictating")),
        frozenset(("asks", "report", "oneoff", "hedge", "anaphor")),
    ),
    ("sweeping", frozenset(("everywhere", "choose", "order")), frozenset(("asks", "report", "oneoff"))),
    (
        "recurrent",
        frozenset(("everycase", "dictating")),
        frozenset(("asks", "report", "oneoff", "hedge", "vague", "anaphor")),
    ),
    (
        "limited",
        frozenset(("limit", "value", "dictating", "object")),
        frozenset(("asks", "report", "oneoff", "hedge")),
    ),
    ("provided", frozenset(("barred", "proviso")), frozenset(("asks", "oneoff"))),
    ("located", frozenset(("here", "purpose")), frozenset(("asks", "report", "hedge"))),
    ("contrasted", frozenset(("practice", "opposed")), frozenset(("asks", "report", "offtopic"))),
    ("obliged", frozenset(("standing", "norm", "object")), frozenset(("asks", "report", "hedge", "vague"))),
    ("entrusted", frozenset(("entrust",)), frozenset(("asks", "offtopic", "vague"))),
    (
        "spelled",
        frozenset(("filled", "whole", "quoted")),
        frozenset(("asks", "report", "oneoff", "hedge", "courtesy")),
    ),
    ("announcing", frozenset(("vague", "dictating")), frozenset(("filled", "value", "command"))),
    ("pronoun", frozenset(("refused", "offtopic", "anaphor")), frozenset()),
    ("recollected", frozenset(("recall",)), DEMANDING | frozenset(("asks", "annoyed", "shout"))),
    ("recollected", frozenset(("recall", "announcing")), SPECIFIC | frozenset(("annoyed", "shout"))),
    ("recollected", frozenset(("recall", "offtopic")), SPECIFIC | frozenset(("asks", "annoyed", "correction", "shout"))),
    ("worldly", frozenset(("offtopic",)), PERSONAL_MATTER | SPECIFIC),
)


def combined(marks: Iterable[str]) -> frozenset[str]:
    """*marks* and those that follow from several of them together."""
    found = set(marks)
    for name, wanted, barred in COMBINED:
        if wanted <= found and not found & barred:
            found.add(name)
    return frozenset(found)
