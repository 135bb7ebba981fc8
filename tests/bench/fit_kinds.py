"""What the numbers behind the clerk's kinds are worth, and whether fitting them would make them better.

    python tests/bench/fit_kinds.py DATA

Each sign begins at the number its meaning gives it (``staff/kinds.py``); a softmax regression over what the clerk hears in
durable turns of the labelled sessions moves it, pulled back by ``PULL``. What it hears and would not
propose counts for ``HEARD_WEIGHT``. Printed: how many kinds of its hits are right as shipped and, after
the fit, in sample, over crossed halves (the mean of thirty splits by session, both ways) and with one
session left out at a time; the spread of the shipped table over the same halves; the fitted table.
"""

import random
import statistics
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
sys.dont_write_bytecode = True

from ultan.events import Transcript  # noqa: E402 -- found by the line above
from ultan.staff.clerk import drafts_of, settled  # noqa: E402
from ultan.staff.kinds import GUARD, KINDS, SIGNS, signs_of  # noqa: E402
from ultan.verbs.bench_curate import _excerpts  # noqa: E402

PULL, STEPS, STEP, SPLITS = 0.2, 300, 0.5, 30
HEARD_FROM, HEARD_WEIGHT = 0.0, 0.5
NAMES = (*SIGNS, GUARD, "")
ORDER = tuple(KINDS)


def prior() -> np.ndarray:
    """The numbers as shipped, before anything is fitted: a row a sign, a column a kind."""
    return np.array([[float(KINDS[kind].get(name, 0)) for kind in ORDER] for name in NAMES])


def fitted(features: np.ndarray, wanted: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """The numbers after *features* (a row a draft, with its weight) and *wanted* (shares of kinds) have moved them."""
    table = prior()
    for _ in range(STEPS):
        scores = features @ table
        shares = np.exp(scores - scores.max(1, keepdims=True))
        shares /= shares.sum(1, keepdims=True)
        table -= STEP * (features.T @ ((shares - wanted) * weights[:, None]) / weights.sum() + PULL * (table - prior()))
    return table


def right(table: np.ndarray, features: np.ndarray, wanted: np.ndarray) -> float:
    """The share of hits whose kind *table* says as labelled."""
    return float(np.mean(wanted[np.arange(len(features)), (features @ table).argmax(1)] > 0))


def heard(path: Path) -> Iterator[tuple[str, bool, list[float], list[float]]]:
    """Session, whether it is a hit, signs and shares of the labelled kinds: a draft a row."""
    for excerpt in _excerpts(str(path / "sessions_gold.jsonl")):
        transcript = Transcript(excerpt.id, excerpt.project, list(excerpt.pieces))
        hits, every = settled(drafts_of(transcript))[0], drafts_of(transcript, heard_from=HEARD_FROM)
        for draft, is_hit in [*((draft, True) for draft in hits), *((draft, False) for draft in every)]:
            kinds = {item.kind for cite in draft.cites for item in excerpt.items.get(cite.event, ())}
            if kinds:
                found = signs_of(draft.statement) | {""}
                yield excerpt.id, is_hit, [float(name in found) for name in NAMES], [(kind in kinds) / len(kinds) for kind in ORDER]


def main(path: Path) -> None:
    """Print the shares and the table."""
    rows = list(heard(path))
    at, x, y = np.array([row[0] for row in rows]), np.array([row[2] for row in rows]), np.array([row[3] for row in rows])
    hit = np.array([row[1] for row in rows])
    weights = np.where(hit, 1.0, HEARD_WEIGHT)
    every = sorted(set(at.tolist()))
    dice, crossed, shipped = random.Random(1), [], []
    for _ in range(SPLITS):
        half = np.isin(at, dice.sample(every, len(every) // 2))
        for one, other in ((half, ~half & hit), (~half, half & hit)):
            crossed.append(right(fitted(x[one], y[one], weights[one]), x[other], y[other]))
            shipped.append(right(prior(), x[other], y[other]))
    alone = [right(fitted(x[at != one], y[at != one], weights[at != one]), x[(at == one) & hit], y[(at == one) & hit]) * ((at == one) & hit).sum()
             for one in every if ((at == one) & hit).any()]  # fmt: skip
    table = fitted(x, y, weights)
    print(f"{hit.sum()} hits; shipped {right(prior(), x[hit], y[hit]):.3f} (halves {statistics.mean(shipped):.3f}, spread {statistics.stdev(shipped):.3f}); "
          f"fitted: in sample {right(table, x[hit], y[hit]):.3f}; crossed halves {statistics.mean(crossed):.3f}; one session out {sum(alone) / hit.sum():.3f}")  # fmt: skip
    for kind in ORDER:
        numbers = {name: round(float(table[place, ORDER.index(kind)]), 1) for place, name in enumerate(NAMES)}
        print(kind, {name: number for name, number in numbers.items() if number})


if __name__ == "__main__":
    main(Path(sys.argv[1]))
