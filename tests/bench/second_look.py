"""What comes back out of the archive, measured: ``python tests/bench/second_look.py PRIMEBENCH [TRIALS]``.

A quarter and a half of the library is put into the archive at random, as if it had faded. Counted over
all prompts: of what is relevant and lies there, what a second look shows (nothing live is shown, and it
fits strongly), and how much comes up beside, for each prompt. The habits of the simulated year (``ultan/verbs/habits.py``) are these figures.
"""

import random
import sys

from ultan.encoders import load
from ultan.recall import ranking
from ultan.recall.compile import build_from_entries
from ultan.recall.second_look import STRONGLY
from ultan.recall.silence import SHOWN, needs_nothing
from ultan.settings import Settings
from ultan.verbs.bench_recall import read

SHARES = (0.25, 0.5)


def counted(data, encoder, share, trial):
    """(needs of what lies in the archive, of these shown, prompts, shown beside)."""
    chance, settings = random.Random(trial), Settings()
    away = {entry.id for entry in data.entries if chance.random() < share}
    live = build_from_entries([entry for entry in data.entries if entry.id not in away], settings, encoder)
    faded = build_from_entries([entry for entry in data.entries if entry.id in away], settings, encoder)
    ids = {name: id_ for id_, name in data.names.items()}
    needs = shown = beside = 0
    for asked in data.queries:
        query = ranking.Query(asked.text, asked.pool or None, asked.files, tail=asked.tail, day=asked.day)
        found = [] if needs_nothing(asked.text) else ranking.rank(faded, query, limit=SHOWN)
        is_silent = not ranking.prime(live, query, set(), asked.day).cards
        offered = {item.card.id for item in found if is_silent and item.probability >= STRONGLY}
        wanted = {ids[name] for name in asked.relevant if name in ids} & away
        needs, shown, beside = needs + len(wanted), shown + len(wanted & offered), beside + len(offered - wanted)
    return needs, shown, len(data.queries), beside


def main(folder, trials):
    data, encoder = read(folder), load(Settings())
    for share in SHARES:
        needs, shown, prompts, beside = map(sum, zip(*(counted(data, encoder, share, one) for one in range(trials)), strict=True))
        print(
            f"{share:.0%} archived, {needs} needs of it: shown {shown / needs:.3f}; "
            f"beside, for each of {prompts} prompts: {beside / prompts:.3f}"
        )


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 5)
