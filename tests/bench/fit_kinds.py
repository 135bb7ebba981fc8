"""How the numbers behind the clerk's kinds are fitted, and what they are worth where nobody fitted.

    python tests/bench/fit_kinds.py DATA

Each sign begins at the number its meaning gives it; a softmax regression over the clerk's hits on the
labelled sessions moves it, pulled back by ``PULL``. Printed: how many kinds are right with the signs
alone, in sample, over crossed halves (the mean of thirty splits by session, both ways), with one
session left out at a time, and with the table as it is shipped.
"""

import random
import statistics
import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
sys.dont_write_bytecode = True

from ultan.events import Transcript  # noqa: E402 -- found by the line above
from ultan.staff.clerk import drafts_of, settled  # noqa: E402
from ultan.staff.kinds import GUARD, KINDS, SIGNS, kind_of, signs_of  # noqa: E402
from ultan.verbs.bench_curate import _excerpts  # noqa: E402

# What a sign's meaning says: a one for the kind whose question it answers, a two where it settles it.
MEANS = {
    "convention": ("order", "slot", "held", "law", "house", "instead", "bounded", "owed", "purpose"),
    "finding": ("ours", "declared", "reason", "literal", "wished", "fact", "momentary", "decided"),
}
PREFERENCE = {"taste": 4, "conduct": 4, "words": 2, "personal": 2, "everywhere": 2, "code": -2, "purpose": -2, "filled": -2, "literal": -2}
START = (-0.3, 0.0, -2.0, -1.0)
PULL, STEPS, STEP, SPLITS = 0.04, 300, 0.5, 30
NAMES = (*SIGNS, GUARD, "")
ORDER = tuple(KINDS)


def prior() -> np.ndarray:
    """The numbers before anything is fitted: a row a sign, a column a kind."""
    table = np.zeros((len(NAMES), len(ORDER)))
    for kind, signs in MEANS.items():
        table[[NAMES.index(sign) for sign in signs], ORDER.index(kind)] = 1.0
    for sign, number in PREFERENCE.items():
        table[NAMES.index(sign), ORDER.index("preference")] = number
    table[NAMES.index(GUARD), ORDER.index("warn")] = 6.0
    table[-1] = START
    return table


def fitted(features: np.ndarray, wanted: np.ndarray) -> np.ndarray:
    """The numbers after *features* (a row a hit) and *wanted* (shares of kinds) have moved them."""
    table = prior()
    for _ in range(STEPS):
        scores = features @ table
        shares = np.exp(scores - scores.max(1, keepdims=True))
        shares /= shares.sum(1, keepdims=True)
        table -= STEP * (features.T @ (shares - wanted) / len(features) + PULL * (table - prior()))
    return table


def right(table: np.ndarray, features: np.ndarray, wanted: np.ndarray) -> float:
    """The share of hits whose kind *table* says as labelled."""
    return float(np.mean(wanted[np.arange(len(features)), (features @ table).argmax(1)] > 0))


def main(path: Path) -> None:
    """Print the shares."""
    sessions, rows, labels, shipped = [], [], [], []
    for excerpt in _excerpts(str(path / "sessions_gold.jsonl")):
        for draft in settled(drafts_of(Transcript(excerpt.id, excerpt.project, list(excerpt.pieces))))[0]:
            kinds = {item.kind for cite in draft.cites for item in excerpt.items.get(cite.event, ())}
            if kinds:
                found = signs_of(draft.statement) | {""}
                sessions.append(excerpt.id)
                rows.append([float(name in found) for name in NAMES])
                labels.append([(kind in kinds) / len(kinds) for kind in ORDER])
                shipped.append(kind_of(draft.statement, draft.origin) in kinds)
    x, y, every = np.array(rows), np.array(labels), sorted(set(sessions))
    at = np.array([every.index(session) for session in sessions])
    dice, crossed = random.Random(1), []
    for _ in range(SPLITS):
        half = np.isin(at, dice.sample(range(len(every)), len(every) // 2))
        crossed += [right(fitted(x[one], y[one]), x[other], y[other]) for one, other in ((half, ~half), (~half, half))]
    alone = [right(fitted(x[at != one], y[at != one]), x[at == one], y[at == one]) * (at == one).sum() for one in range(len(every))]
    print(f"{len(x)} hits; signs alone {right(prior(), x, y):.3f}; in sample {right(fitted(x, y), x, y):.3f}; "
          f"crossed halves {statistics.mean(crossed):.3f}; one session out {sum(alone) / len(x):.3f}; shipped {statistics.mean(shipped):.3f}")  # fmt: skip


if __name__ == "__main__":
    main(Path(sys.argv[1]))
