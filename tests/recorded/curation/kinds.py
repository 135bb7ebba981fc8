"""Where the kinds of recorded curation go wrong, and whether the clerk's table would set them better.

    kinds.py DATA [--others]

Counts alone, no text: new entries that passed librarian and scholar and cite a durable turn, by the
kind that the model said and those that are labelled there; then how many are right as said, and set
by the clerk's table (``staff/kinds.py``), read off the rule, the quotes or both, where its best kind
leads the one that was said by so much. The others' excerpts are asked about the one way that the
twenty chose, and no further, so that nothing is chosen by them (docs/adr/0082-kinds-as-the-model-says.md).
"""

import json
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from math import fsum
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

from curation import _as_labelled, chosen, recorded, store, suggest

from ultan.library.actions import Create
from ultan.library.snapshot import read_library
from ultan.staff import kinds, scholar
from ultan.staff.scan import by_words
from ultan.staff.statements import statements

Way = tuple[str, int]  # what is read, and by how much the table's kind must lead
MARGINS = range(6)
CHOSEN_WAY: Way = ("quotes", 0)
TEXTS: Mapping[str, Callable[[Create], str]] = {
    "rule": lambda action: action.rule,
    "quotes": lambda action: " ".join(cite.quote for cite in action.evidence),
    "both": lambda action: "\n\n".join((action.rule, *(cite.quote for cite in action.evidence))),
}


def hits(data: Path, *, others: bool = False) -> Iterator[tuple[Create, frozenset[str]]]:
    """Each new entry that passed and cites a durable turn, with the kinds labelled there."""
    library = read_library(store())
    first, second = (recorded(role, others=others) for role in ("librarian", "scholar"))
    for excerpt in chosen(data, others=others):
        found = suggest(first, excerpt, library)
        if not found:
            continue
        verdicts = scholar.rule(second, found, library, nearest=by_words(library), project=excerpt.project, name="recorded")[0]
        for item, verdict in zip(found, verdicts, strict=True):
            action = _as_labelled(item.suggestion.action)
            if verdict.approve and isinstance(action, Create):
                labelled = {each.kind for cite in action.evidence for each in excerpt.items.get(cite.event, ())}
                if labelled:
                    yield action, frozenset(labelled)


def by_table(text: str, said: str, lead: float) -> str:
    """The kind that the clerk's table gives *text* if it leads what was *said* by *lead*, else *said*."""
    best: dict[str, float] = {}
    for statement in statements(text):
        found = kinds.signs_of(statement)
        for kind, row in kinds.KINDS.items():
            score = fsum(row.get(sign, 0.0) for sign in (*found, ""))
            best[kind] = max(best.get(kind, score), score)
    if not best:
        return said
    leader = max(best, key=lambda kind: (best[kind], kind))
    return leader if best[leader] - best.get(said, 0.0) >= lead else said


def figures(data: Path, *, others: bool = False) -> dict[str, Any]:
    """Hits, those wrong by said and labelled kind, and how many are right by each way."""
    every = list(hits(data, others=others))
    ways: list[Way] = [CHOSEN_WAY] if others else [(name, lead) for name in TEXTS for lead in MARGINS]
    wrong = Counter(f"{action.kind} for {'/'.join(sorted(labelled))}" for action, labelled in every if action.kind not in labelled)
    set_so = {way: [by_table(TEXTS[way[0]](action), action.kind, way[1]) in labelled for action, labelled in every] for way in ways}
    as_said = [action.kind in labelled for action, labelled in every]
    return {
        "hits": len(every), "as_said": sum(as_said), "wrong_as_said": dict(wrong.most_common()),
        "by_table": {f"{name}, leading by {lead}": sum(right) for (name, lead), right in set_so.items()},
        "mended": sum(new > old for new, old in zip(set_so[CHOSEN_WAY], as_said, strict=True)),
        "broken": sum(new < old for new, old in zip(set_so[CHOSEN_WAY], as_said, strict=True)),
    }  # fmt: skip


if __name__ == "__main__":
    rest = [word for word in sys.argv[1:] if word != "--others"]
    sys.stdout.write(json.dumps(figures(Path(rest[0]), others="--others" in sys.argv), indent=1) + "\n")
