"""Fit ``silence.SILENCE``: when is an entry worth showing? ``python tests/bench/fit_silence.py DIR [CACHE]``.

A ridge logistic regression over the raw features that ``silence.features`` gives, on the first five
entries of every prompt in DIR (PrimeBench's format), ranked cold and warm, since one table serves both;
weights are printed in the form of the table.
Cross-validated by session, so that no prompt is judged by weights that saw its neighbours. Seeded;
the same data give the same table. Half of the rows come from young libraries: a few entries drawn at
random, which the same weights must serve, since everybody begins with one. The last part comes from
a library half of whose entries have lost title and cues: what was imported from elsewhere has none,
and must be judged by its body.
"""

import json
import os
import random
import sys
from dataclasses import replace

import numpy as np

from ultan.encoders import load
from ultan.recall import ranking, silence
from ultan.recall.compile import build_from_entries
from ultan.recall.warm import Warm
from ultan.settings import Settings
from ultan.verbs.bench_recall import read

FIRST, FOLDS, RIDGE, SEEDS = 5, 10, 3.0, range(4)


def main(folder: str, cache: str) -> None:
    """Print cross-validated figures and the table."""
    names, *cold, speaking, sessions = gathered(folder, cache)
    warm = gathered(folder, cache, is_warm=True)[1:4]
    parts = {"cold": cold, "warm": warm, "young": young(folder, cache, names), "bare": bare(folder, cache)}
    every = tuple(np.concatenate(columns) for columns in zip(*parts.values(), strict=True))
    for seed in SEEDS:
        out = cross_validated(*every, sessions, seed)
        first = 0
        for name, (_, labels, owners) in parts.items():
            chances = out[first : first + len(labels)]
            first += len(labels)
            if name in ("cold", "warm"):
                print(seed, name, " | ".join(described(chances, labels, owners, speaking, most) for most in (0.05, 0.09, 0.12)))
                print(seed, name, "at .42:", described(chances, labels, owners, speaking, 1.0, 0.42))
                continue
            for floor in (0.35, 0.42, 0.5):
                right = labels[chances >= floor]
                print(f"  {name}, at {floor}: {len(right)} shown, {right.mean():.2f} right, {right.sum() / labels.sum():.2f} of all")
    weights = folded(*every[:2])
    print("SILENCE = {" + ", ".join(f'"{name}": {value:.4g}' for name, value in zip(("bias", *names), weights, strict=True)) + "}")


def gathered(folder: str, cache: str, alter=None, *, is_warm: bool = False):
    """Features and labels of the first entries of every prompt, the entries as *alter* makes them, ranked cold or warm."""
    data = read(folder)
    entries = [alter(entry) for entry in data.entries] if alter else data.entries
    with open(os.path.join(folder, "prompts.jsonl"), encoding="utf-8") as file:
        sources = [json.loads(line).get("source", {}).get("session", number) for number, line in enumerate(file)]
    settings = Settings()
    encoder = load(settings)
    index = build_from_entries(entries, settings, encoder, cache)
    warm = Warm(index, encoder, cache) if is_warm else None
    rows, labels, owners, names = [], [], [], []
    for number, asked in enumerate(data.queries):
        if silence.needs_nothing(asked.text):
            continue
        query = ranking.Query(asked.text, asked.pool or None, asked.files, tail=asked.tail)
        for item in ranking.rank(index, query, warm.signals(query) if warm else None)[:FIRST]:
            names = list(item.features)
            rows.append(list(item.features.values()))
            labels.append(data.names[item.card.id] in asked.relevant)
            owners.append(number)
    speaking = np.array([bool(asked.relevant) for asked in data.queries])
    return names, np.array(rows), np.array(labels, float), np.array(owners), speaking, np.array(sources)


def bare(folder: str, cache: str):
    """The same, of the entries without title and cues in a library where every second one is."""
    draw = random.Random(11)
    names, rows, labels, owners, _, _ = gathered(
        folder, cache, lambda entry: replace(entry, title="", applies_when=()) if draw.random() < 0.5 else entry
    )
    chosen = rows[:, names.index("bare")] > 0
    return rows[chosen], labels[chosen], owners[chosen]


def young(folder: str, cache: str, names):
    """Features, labels and prompts of the first three entries in libraries of one to forty."""
    data, settings, draw = read(folder), Settings(), random.Random(5)
    encoder, by_name = load(settings), {data.names[entry.id]: entry for entry in data.entries}
    places = {id(query): number for number, query in enumerate(data.queries)}
    rows, labels, owners = [], [], []
    for trial in range(90):
        asked = draw.sample(data.queries, 5)
        scopes = ("global", f"project:{asked[0].pool}")
        own = [entry for entry in data.entries if entry.scope in scopes]
        chosen = {entry.id: entry for entry in draw.sample(own, (1, 2, 4, 8, 16, 40)[trial % 6])}
        if asked[0].relevant and draw.random() < 0.7:
            wanted = by_name[draw.choice(sorted(asked[0].relevant))]
            chosen[wanted.id] = wanted
        index = build_from_entries(list(chosen.values()), settings, encoder, cache)
        for query in asked:
            if query.pool != asked[0].pool or silence.needs_nothing(query.text):
                continue
            for item in ranking.rank(index, ranking.Query(query.text, query.pool or None, query.files, tail=query.tail))[:3]:
                rows.append([item.features[name] for name in names])
                labels.append(data.names[item.card.id] in query.relevant)
                owners.append(places[id(query)])
    return np.array(rows), np.array(labels, float), np.array(owners)


def fitted(rows, labels):
    """Weights, the bias last, by Newton's method."""
    weights = np.zeros(rows.shape[1])
    ridge = RIDGE * np.eye(rows.shape[1])
    ridge[-1, -1] = 1e-6
    for _ in range(40):
        chance = 1 / (1 + np.exp(-rows @ weights))
        slope = rows.T @ (chance - labels) + ridge @ weights
        weights -= np.linalg.solve((rows.T * (chance * (1 - chance))) @ rows + ridge, slope)
    return weights


def folded(rows, labels):
    """Weights for features as they come, the bias first."""
    mean, deviation = rows.mean(0), rows.std(0) + 1e-9
    weights = fitted(np.c_[(rows - mean) / deviation, np.ones(len(rows))], labels)
    raw = weights[:-1] / deviation
    return [weights[-1] - raw @ mean, *raw]


def cross_validated(rows, labels, owners, sessions, seed):
    """The probability of every row by weights fitted without its session."""
    groups = np.unique(sessions)
    np.random.default_rng(seed).shuffle(groups)
    fold_of = {group: at % FOLDS for at, group in enumerate(groups)}
    folds = np.array([fold_of[sessions[owner]] for owner in owners])
    out = np.zeros(len(rows))
    for fold in range(FOLDS):
        away = folds != fold
        bias, *weights = folded(rows[away], labels[away])
        out[~away] = 1 / (1 + np.exp(-(rows[~away] @ np.array(weights) + bias)))
    return out


def described(chances, labels, owners, speaking, most_false, only=None):
    """The best hit rate with a false-prime rate of at most *most_false*; at the threshold *only*, if given."""
    best = (0.0, 0.0, 0.0, 1.0)
    for floor in np.unique(np.round(chances, 2)) if only is None else (only,):
        false = hits = shown = right = 0
        for number in range(len(speaking)):
            mine = owners == number
            order = np.argsort(-chances[mine], kind="stable")[:3]
            chosen = [at for at in order if chances[mine][at] >= floor]
            good = sum(labels[mine][at] for at in chosen)
            shown += len(chosen)
            right += good
            if speaking[number]:
                hits += bool(good)
            else:
                false += bool(chosen)
        rate, hit = false / max(1, (~speaking).sum()), hits / max(1, speaking.sum())
        if rate <= most_false and hit > best[0]:
            best = (hit, rate, right / max(1, shown), floor)
    return "false {1:.2f} hit {0:.2f} precision {2:.2f} at {3:.2f}".format(*best)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else "")
