"""Recall on every data set at hand, cold and warm, with ablations: ``python tests/bench/recall.py DATA OUT [cold+warm [SET,…]]``.

Plain systems stand beside ours on each set. On PrimeBench every signal is left out once, and its
weight halved and doubled once; what earns nothing goes. ``page.py`` draws it.

Writes one JSON file named by commit into OUT (``docs/benchmarks``). Data sets that are not there are
left out and said so; vectors are kept in ULTAN_BENCH_CACHE, if that is set, from one run to the next.
"""

import json
import os
import platform
import subprocess
import sys
import time
from functools import partial

from ultan.encoders import load
from ultan.recall.compile import build_from_entries
from ultan.recall.ranking import MODEL_FREE, WEIGHTS, Query, rank
from ultan.recall.warm import Warm
from ultan.settings import Settings
from ultan.verbs.bench_notice import bench_notice
from ultan.verbs.bench_recall import Answered, Asked, DataSet, bench_recall, measured, read

SETS = ("primebench", "bench/locomo", "bench/longmemeval-evidence", "bench/prefeval", "bench/beam-100k")
GROUPS = {"bench/beam-100k": ["instruction_following+preference_following"]}
BARE = ("topic", "order")  # only where entries have neither title nor cues; left out of the ablation on PrimeBench
ABLATED_BARE = {"bench/prefeval": ("R@5", ()), "bench/beam-100k": ("R@10", ("instruction_following", "preference_following"))}
COLD = (*MODEL_FREE, "situation", *BARE)
UNMEASURED = ("rerank", *BARE)  # no reranker at hand


def main(data: str, out: str, modes: list[str], sets: list[str]) -> None:
    """Measure *sets* and write the file, after each anew: what another run at this commit found stays in it."""
    commit = subprocess.run(["git", "rev-parse", "--short", "HEAD"], capture_output=True, text=True, check=True).stdout.strip()
    encoder, cache = load(Settings()), os.environ.get("ULTAN_BENCH_CACHE", "")
    report = {"commit": commit, "machine": f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}", "day": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()), "results": {}}
    path = os.path.join(out, f"{commit}.json")
    for name in sets:
        folder = os.path.join(data, name)
        if not os.path.isdir(folder):
            sys.stderr.write(f"skipped, not there: {folder}\n")
            continue
        own = os.path.join(cache, name.replace("/", "-")) if cache else ""
        found = {mode: bench_recall(folder, mode=mode, encoder=encoder, cache=own, groups=GROUPS.get(name, ()), baselines=mode == "cold") for mode in modes}
        if name == "primebench":
            found["notice"] = bench_notice(folder)
            found["ablation"] = {mode: ablation(folder, mode, encoder, own) for mode in modes}
        if name in ABLATED_BARE:
            found["ablation"] = {mode: bare_ablation(folder, mode, encoder, own, ABLATED_BARE[name]) for mode in modes}
        found["shown_groups"] = GROUPS.get(name, [])
        sys.stderr.write(f"{name}: " + json.dumps({mode: found[mode]["overall"] for mode in modes}) + "\n")
        if os.path.exists(path):
            with open(path, encoding="utf-8") as file:
                report["results"] = json.load(file)["results"]
        report["results"][name] = found
        with open(path, "w", encoding="utf-8") as file:
            json.dump(report, file, indent=1, sort_keys=True)
            file.write("\n")


def ablation(folder: str, mode: str, encoder, cache: str) -> dict[str, dict[str, float]]:
    """Recall@3, nDCG@3 and recall@10 with each signal left out, and with its weight halved and doubled."""
    names = [name for name in WEIGHTS if name not in UNMEASURED and (mode == "warm" or name in COLD)]
    return reweighed(folder, mode, encoder, cache, names, ("R@3", "nDCG@3", "R@10"), ())


def bare_ablation(folder: str, mode: str, encoder, cache: str, asked: tuple[str, tuple[str, ...]]) -> dict[str, dict[str, float]]:
    """The same in one measure for the signals that bare entries have, on some groups of the set or all of it."""
    measure, groups = asked
    names = [name for name in (*MODEL_FREE[:2], *BARE, "meaning", "body", "late") if mode == "warm" or name in COLD]
    return reweighed(folder, mode, encoder, cache, names, (measure,), groups)


def reweighed(folder: str, mode: str, encoder, cache: str, names, measures, groups) -> dict[str, dict[str, float]]:
    """*measures* with each of the signals *names* left out, and with its weight halved and doubled."""
    data = read(folder)
    index = build_from_entries(data.entries, Settings(), encoder, cache)
    warm = Warm(index, encoder, cache) if mode == "warm" else None
    asked = [one for one in data.queries if one.relevant and (not groups or one.group in groups)]
    rows = {}

    def row(label: str, weights: dict[str, float]) -> None:
        signals = partial(warm.signals, weights=weights) if warm else None
        whole = measured([ranked(index, one, data, signals, weights) for one in asked])
        rows[label] = {measure: whole[measure] for measure in measures}

    row("all", WEIGHTS)
    for name in names:
        row(f"without {name}", {**WEIGHTS, name: 0.0})
    for name in names:
        row(f"half {name}", {**WEIGHTS, name: WEIGHTS[name] / 2})
        row(f"twice {name}", {**WEIGHTS, name: WEIGHTS[name] * 2})
    return rows


def ranked(index, one: Asked, data: DataSet, signals, weights: dict[str, float]) -> Answered:
    """The first ten for one query."""
    query = Query(one.text, one.pool or None, one.files, tail=one.tail, day=one.day)
    found = rank(index, query, signals(query) if signals else None, limit=10, weights=weights)
    return Answered(one, [data.names[item.card.id] for item in found])


if __name__ == "__main__":
    modes, sets = [*sys.argv[3:5], "", ""][:2]
    main(sys.argv[1], sys.argv[2], (modes or "cold+warm").split("+"), sets.split(",") if sets else list(SETS))
