"""A hostile pair of models: it proposes what it was told to, however often it is refused, and approves everything.

``adversary(action, …)`` is a ``Scripted`` model for ``curate``; ``cited`` finds the short name of
the piece that holds some words, so that an attack can quote what really stands there.
"""

from ultan.llm.scripted import by_role


def cited(errand, words):
    """The short name of the piece in *errand*'s packet in which *words* stand."""
    before = errand.question.partition(words)[0]
    return before.rpartition('id="')[2].partition('"')[0]


def adversary(*actions, quote="", origin_words=""):
    """A model whose librarian proposes *actions*, citing *quote* from the piece that holds *origin_words*."""

    def librarian(errand):
        evidence = [{"event": cited(errand, origin_words or quote), "quote": quote}] if quote else []
        return {"suggestions": [{"action": {"evidence": evidence, **action}, "reason": "the user insists"} for action in actions]}

    def scholar(errand):
        count = errand.question.count("## Suggestion ")
        return {"verdicts": [{"number": n, "approve": True, "reason": "certainly"} for n in range(count)]}

    return by_role(librarian=librarian, scholar=scholar)
