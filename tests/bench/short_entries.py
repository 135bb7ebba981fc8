"""Silence in young libraries of short entries: ``python tests/bench/short_entries.py DIR [CACHE]``.

Most entries of a real library are one sentence and what the clerk reads off it. Here every entry of
DIR (PrimeBench's format) is cut to its first sentence, gets the clerk's title, cues, tags and files,
and libraries of 3 to 40 of one project are drawn from them, seeded, most with an entry that a prompt
of the project needs. Asked are that prompt and four others of the project; whoever needs none of what
the library holds must meet silence. Printed as JSON: by size, how many prompts that need an entry were
shown one, how many of the others were shown anything, and how much of what was shown is right; and
the same libraries with the entries as they were written.
"""

import json
import random
import re
import sys
from collections import Counter
from dataclasses import replace

from ultan.encoders import load
from ultan.recall import ranking, silence
from ultan.recall.compile import build_from_entries
from ultan.settings import Settings
from ultan.staff import drafting, subjects
from ultan.staff.cues import table
from ultan.verbs.bench_recall import read

SEED, TRIALS, SIZES, NEEDED, OTHERS = 5, 240, (3, 6, 12, 24, 40), 0.8, 4
BANDS = ((1, 9), (10, 19), (20, 41))


def main(folder: str, cache: str) -> None:
    """Print the figures of short entries and of the entries as they are."""
    told = {"short": measured(folder, cache, short), "as written": measured(folder, cache, lambda entry: entry)}
    print(json.dumps({"floor": floor(), **told}, indent=1))


def floor() -> float:
    """The relevance from which an entry is shown."""
    return float(Settings().baked()["priming.min_relevance"])


def short(entry):
    """*entry* as the clerk would have kept its first sentence."""
    rule = re.split(r"(?<=[.!?])\s", entry.body.split("\n")[0], maxsplit=1)[0]
    cues = table("en")
    details = drafting.details_of(subjects.subject_of(rule, cues), rule, cues)
    return replace(
        entry, title=drafting.title_of(rule, cues), body=rule,
        applies_when=details["applies_when"], tags=details["tags"], files=details["files"],
    )  # fmt: skip


def measured(folder: str, cache: str, alter):
    """By size of library: hits, false primes, precision; each a share, with the number of cases."""
    data, settings, draw = read(folder), Settings(), random.Random(SEED)
    encoder, by_name = load(settings), {data.names[entry.id]: entry for entry in data.entries}
    counts: dict[str, Counter[str]] = {}
    for trial in range(TRIALS):
        asked = draw.choice(data.queries)
        own = [entry for entry in data.entries if entry.scope in ("global", f"project:{asked.pool}")]
        chosen = {entry.id: entry for entry in draw.sample(own, min(len(own), SIZES[trial % len(SIZES)]))}
        if asked.relevant and draw.random() < NEEDED:
            wanted = by_name[draw.choice(sorted(asked.relevant))]
            chosen[wanted.id] = wanted
        index = build_from_entries([alter(entry) for entry in chosen.values()], settings, encoder, cache)
        band = next(f"{low} to {high}" for low, high in BANDS if low <= len(chosen) <= high)
        count = counts.setdefault(band, Counter())
        held = {data.names[entry] for entry in chosen}
        for query in (asked, *draw.sample([one for one in data.queries if one.pool == asked.pool], OTHERS)):
            _count(count, shown(index, query, data.names), held & set(query.relevant))
    return {band: figures(count) for band, count in sorted(counts.items(), key=lambda item: int(item[0].split()[0]))}


def shown(index, query, names):
    """The names of what *query* is shown."""
    if silence.needs_nothing(query.text):
        return []
    ranked = ranking.rank(index, ranking.Query(query.text, query.pool or None, query.files, tail=query.tail))
    return [names[item.card.id] for item in ranked[: silence.SHOWN] if item.probability >= floor()]


def _count(count, found, needed):
    good = len(set(found) & needed)
    count["speaking" if needed else "silent"] += 1
    count["hits"] += bool(good)
    count["false"] += bool(found) and not needed
    count["shown"] += len(found)
    count["right"] += good


def figures(count):
    """Counts as shares."""
    return {
        "hit_rate": round(count["hits"] / max(1, count["speaking"]), 3), "speaking": count["speaking"],
        "false_prime_rate": round(count["false"] / max(1, count["silent"]), 3), "silent": count["silent"],
        "precision_shown": round(count["right"] / max(1, count["shown"]), 3), "shown": count["shown"],
    }  # fmt: skip


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else "")
