"""The page that plots what benches found: ``python tests/bench/page.py docs/benchmarks [RUN.json]``.

Reads the newest run of ``recall.py`` there (or the one named), ``latency.json`` and ``compiling.json``
if they are there, and writes ``README.md`` with its pictures. Every figure on the page is read from
those files; nothing is measured here, and nothing is typed in by hand.
"""

import json
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from matplotlib import rc_context
from matplotlib.figure import Figure

OURS = ("cold", "warm")
BASELINES = ("grep", "bm25", "vectors", "rrf")
SET_MEASURES = {
    "primebench": ("R@3", "nDCG@3", "R@10"), "bench/locomo": ("R@10", "nDCG@10"), "bench/longmemeval-evidence": ("R@5",),
    "bench/prefeval": ("R@5",), "bench/beam-100k": ("R@10",),
}  # fmt: skip
MARK = "<!-- made by tests/bench/page.py from the JSON files beside it -->"


def main(folder: str, named: str = "") -> None:
    """Write the page and its pictures into *folder*."""
    run = read(os.path.join(folder, named or newest(folder)))
    latency, compiling = (read(os.path.join(folder, name)) for name in ("latency.json", "compiling.json"))
    lines = [MARK, "", "# Benchmarks", ""]
    if run:
        lines += recall_part(run, folder)
    if latency:
        lines += latency_part(latency, folder)
    if compiling:
        lines += compiling_part(compiling)
    with open(os.path.join(folder, "README.md"), "w", encoding="utf-8") as file:
        file.write("\n".join(lines).rstrip() + "\n")


def read(path: str) -> Any:
    """The JSON at *path*, or ``None``."""
    try:
        with open(path, encoding="utf-8") as file:
            return json.load(file)
    except OSError:
        return None


def newest(folder: str) -> str:
    """The run that was written last; runs say when."""
    runs = {}
    for name in sorted(os.listdir(folder)):
        if name.endswith(".json"):
            found = read(os.path.join(folder, name))
            if isinstance(found, dict) and "results" in found:
                runs[name] = str(found.get("day", ""))
    return max(runs, key=lambda name: runs[name]) if runs else ""


# --- recall ---------------------------------------------------------------------------------------


def recall_part(run: Mapping[str, Any], folder: str) -> Iterator[str]:
    """The lines about recall: every data set beside its baselines, PrimeBench by project, silence, ablations."""
    results = run["results"]
    yield from (f"## Recall, at {run['commit']}", "", f"{run['machine']}. Intervals are bootstraps over queries (95 %).", "")
    yield "`python tests/bench/recall.py DATA docs/benchmarks` measures, `python tests/bench/page.py docs/benchmarks` draws."
    yield from ("", "| data set | n | measure | " + " | ".join((*BASELINES, *OURS)) + " |", "|---|---|---|" + "---|" * 6)
    for name, found in results.items():
        for measure in SET_MEASURES.get(name, ("R@10",)):
            yield row_of(name, "all", measure, found)
        for group in found.get("shown_groups", ()):
            yield row_of(f"{name}: {group}", group, SET_MEASURES.get(name, ("R@10",))[0], found)
    yield ""
    prime = results.get("primebench")
    if prime:
        yield from prime_part(prime, folder)
    for name, found in results.items():
        if name != "primebench" and "ablation" in found:
            yield from bare_part(name, found)


def row_of(label: str, group: str, measure: str, found: Mapping[str, Any]) -> str:
    """One line of the table: a measure of a data set, or a group of it, in every system."""

    def cell(part: Mapping[str, Any] | None) -> str:
        if not part or not part.get("n"):
            return "-"
        low, high = part["ci"][measure]
        return f"{part[measure]:.3f} [{low:.3f}, {high:.3f}]"

    def side(mode: str) -> Mapping[str, Any] | None:
        report = found.get(mode)
        return report and (report["overall"] if group == "all" else report["groups"].get(group))

    beside = found.get("cold", {}).get("baselines", {}) if group == "all" else {}
    n = next((part["n"] for part in map(side, OURS) if part), 0)
    return f"| {label} | {n} | {measure} | " + " | ".join([*(cell(beside.get(name)) for name in BASELINES), *map(cell, map(side, OURS))]) + " |"


def prime_part(prime: Mapping[str, Any], folder: str) -> Iterator[str]:
    """The lines about PrimeBench alone."""
    systems = {**prime["cold"].get("baselines", {}), **{mode: prime[mode]["overall"] for mode in OURS if mode in prime}}
    names = [name for name in (*BASELINES, *OURS) if name in systems]
    bars(folder, "systems.svg", "PrimeBench, all projects", names, {
        measure: [interval(systems[name], measure) for name in names] for measure in ("R@3", "nDCG@3")
    })  # fmt: skip
    yield from ("![Recall@3 and nDCG@3 of every system](systems.svg)", "", "### By project", "")
    projects = sorted({name for mode in OURS if mode in prime for name in prime[mode]["projects"]})
    bars(folder, "projects.svg", "PrimeBench, recall@3 by project", projects, {
        mode: [interval(prime[mode]["projects"][name], "R@3") for name in projects] for mode in OURS if mode in prime
    })  # fmt: skip
    yield from ("![Recall@3 by project](projects.svg)", "", "| project | n | " + " | ".join(f"{mode} R@3 | {mode} nDCG@3" for mode in OURS) + " |")
    yield "|---|---|" + "---|" * 4
    for name in projects:
        cells = []
        for mode in OURS:
            part = prime.get(mode, {}).get("projects", {}).get(name)
            for measure in ("R@3", "nDCG@3"):
                at, low, high = interval(part, measure)
                cells.append(f"{at:.3f} [{low:.3f}, {high:.3f}]" if part else "-")
        yield f"| {name} | {prime['cold']['projects'][name]['n']} | " + " | ".join(cells) + " |"
    yield from ("", "Differences under .04 in recall@3 are noise here.", "", "### Silence and delivery", "")
    silence(folder, prime)
    yield from ("![False primes against hits](silence.svg)", "", "| at the shipped threshold | cold | warm |", "|---|---|---|")
    for part, keys in (("silence", ("threshold", "false_prime_rate", "hit_rate", "precision_shown")), ("delivered", sorted(prime["cold"]["delivered"]))):
        for key in keys:
            yield f"| {key.replace('_', ' ')} | " + " | ".join(f"{prime[mode][part][key]:.3f}" if mode in prime else "-" for mode in OURS) + " |"
    if "notice" in prime:
        found = prime["notice"]
        yield from ("", (f"Notices on labelled tool calls: precision {found['precision']:.3f}, recall {found['recall']:.3f}, "
                    f"{found['exact']} of {found['calls']} calls exactly right."))  # fmt: skip
    if "ablation" in prime:
        yield from ablation_part(prime["ablation"], folder)


def ablation_part(ablation: Mapping[str, Any], folder: str) -> Iterator[str]:
    """The lines about what each signal and each weight is worth."""
    yield from ("", "### Ablations", "", "One row a signal left out, and a row each for its weight halved and doubled.", "")
    for mode, rows in ablation.items():
        whole = rows["all"]
        changes = {name: row["R@3"] - whole["R@3"] for name, row in rows.items() if name.startswith("without ")}
        figure = Figure(figsize=(8, 0.4 * len(changes) + 1.2), layout="constrained")
        axes = figure.subplots()
        axes.barh(list(changes), list(changes.values()), color="tab:blue")
        axes.axvline(0, color="gray", linewidth=0.8)
        axes.set(title=f"{mode}: change of recall@3 without each signal (all: {whole['R@3']:.3f})")
        axes.invert_yaxis()
        save(figure, os.path.join(folder, f"ablation-{mode}.svg"))
        yield from (f"![What each signal is worth, {mode}](ablation-{mode}.svg)", "", f"| {mode} | R@3 | nDCG@3 | R@10 |", "|---|---|---|---|")
        for name, row in rows.items():
            yield f"| {name} | " + " | ".join(f"{row[key]:.4f} ({row[key] - whole[key]:+.4f})" for key in ("R@3", "nDCG@3", "R@10")) + " |"
        yield ""


def bare_part(name: str, found: Mapping[str, Any]) -> Iterator[str]:
    """What the signals of entries without title and cues are worth on one data set, cold beside warm."""
    (measure,) = next(iter(found["ablation"].values()))["all"]
    about = " and ".join(found.get("shown_groups") or ("all questions",))
    yield from ("", f"#### {name}, {about}, {measure}", "", "| | " + " | ".join(found["ablation"]) + " |", "|---" * (len(found["ablation"]) + 1) + "|")
    labels = dict.fromkeys(label for rows in found["ablation"].values() for label in rows)
    for label in labels:
        cells = [f"{rows[label][measure]:.4f} ({rows[label][measure] - rows['all'][measure]:+.4f})" if label in rows else "" for rows in found["ablation"].values()]
        yield f"| {label} | " + " | ".join(cells) + " |"
    yield ""


def interval(part: Mapping[str, Any] | None, measure: str) -> tuple[float, float, float]:
    """A measure and its interval; zeros where there is nothing."""
    if not part or not part.get("n"):
        return 0.0, 0.0, 0.0
    low, high = part["ci"][measure]
    return part[measure], low, high


def bars(folder: str, name: str, title: str, labels: Sequence[str], series: Mapping[str, Sequence[tuple[float, float, float]]]) -> None:
    """Draw groups of bars with their intervals."""
    figure = Figure(figsize=(9, 4), layout="constrained")
    axes = figure.subplots()
    width = 0.8 / len(series)
    for place, (label, values) in enumerate(series.items()):
        heights = [at for at, _, _ in values]
        around = [[max(0.0, at - low) for at, low, _ in values], [max(0.0, high - at) for at, _, high in values]]
        axes.bar([at + place * width for at in range(len(labels))], heights, width, yerr=around, capsize=2, label=label, error_kw={"linewidth": 0.8})
    axes.set_xticks([at + 0.4 - width / 2 for at in range(len(labels))], labels, rotation=20 if max(map(len, labels), default=0) > 12 else 0)
    axes.set(title=title, ylim=(0, 1))
    axes.legend()
    save(figure, os.path.join(folder, name))


def silence(folder: str, prime: Mapping[str, Any]) -> None:
    """Draw how many prompts that need nothing are primed against how many others are helped, over the threshold."""
    figure = Figure(figsize=(6, 5), layout="constrained")
    axes = figure.subplots()
    for mode in OURS:
        if mode in prime:
            found = prime[mode]["silence"]
            axes.plot([row[1] for row in found["curve"]], [row[2] for row in found["curve"]], marker=".", label=mode)
            axes.plot(found["false_prime_rate"], found["hit_rate"], marker="o", markersize=9, fillstyle="none", color="black")
    axes.set(xlabel="false-prime rate", ylabel="hit rate", title="PrimeBench over the threshold; circles: as shipped", xlim=(0, 1), ylim=(0, 1))
    axes.legend()
    save(figure, os.path.join(folder, "silence.svg"))


# --- speed ----------------------------------------------------------------------------------------


def latency_part(found: Mapping[str, Any], folder: str) -> Iterator[str]:
    """The lines about how long hooks take, and how that grows with the library."""
    rows = found["rows"]
    yield from ("## Latency", "", (f"Whole processes, interleaved with a bare `python -I -c pass` in one run of {found['rounds']} rounds; "
                f"{found['machine']}, {found['processors']} cores, Python {found['python']}; libraries of {found['entries']:,} entries where no size is named."), "")  # fmt: skip
    yield "`python tests/bench/latency.py --sizes 1000,10000,100000 --out docs/benchmarks/latency.json` measures."
    yield from ("", "| row | p50 ms | x bare | bound | p95/p50 over bare's |", "|---|---|---|---|---|")
    for name, row in rows.items():
        yield f"| {name} | {row['p50_ms']:.1f} | {row['ratio']:.2f} | {row['bound'] or '-'} | {row['spread_ratio']:.2f} |"
    sizes = {found["entries"]: rows["prime"], **{int(name.partition(" ")[2]): row for name, row in rows.items() if name.startswith("prime ")}}
    if len(sizes) > 1:
        growth(folder, dict(sorted(sizes.items())), rows["bare"]["p50_ms"])
        least, most = min(sizes), max(sizes)
        over = [sizes[size]["p50_ms"] - rows["bare"]["p50_ms"] for size in (least, most)]
        yield from ("", "![Prime by size of the library](growth.svg)", "", (f"{most // least} times the entries take {sizes[most]['ratio'] / sizes[least]['ratio']:.2f} times "
                    f"the time of a prompt, {over[1] / over[0]:.2f} times what it takes above the interpreter."))  # fmt: skip
    yield ""


def growth(folder: str, sizes: Mapping[int, Mapping[str, Any]], bare: float) -> None:
    """Draw the time of a prompt over the size of the library, beside what linear growth would be."""
    figure = Figure(figsize=(7, 4.5), layout="constrained")
    axes = figure.subplots()
    counts = list(sizes)
    over = [sizes[count]["p50_ms"] - bare for count in counts]
    axes.loglog(counts, over, marker="o", label="prime, above the bare interpreter")
    axes.loglog(counts, [over[0] * count / counts[0] for count in counts], linestyle="--", color="gray", label="linear")
    axes.set(xlabel="entries", ylabel="ms", title="A prompt, cold: time above the interpreter by size of the library")
    axes.legend()
    save(figure, os.path.join(folder, "growth.svg"))


def compiling_part(rows: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """The lines about what a compile costs."""
    yield from ("## Compile", "", "CPU seconds, the best of some runs. `python tests/bench/compiling.py > docs/benchmarks/compiling.json` measures.", "")
    yield "| entries | everything | one entry changed | part | index over text | reading all files | reading what was kept |"
    yield "|---|---|---|---|---|---|---|"
    for row in rows:
        yield (f"| {row['entries']:,} | {row['cpu_s']:.2f} | {row['one_changed_cpu_s']:.3f} | {row['one_changed_part']:.3f} | {row['index_over_text']:.2f} | "
               f"{row['read_all_cpu_s']:.2f} | {row['read_kept_cpu_s']:.2f} |")  # fmt: skip
    yield ""


def save(figure: Figure, path: str) -> None:
    """Write a picture that is the same whenever it is drawn from the same figures."""
    with rc_context({"svg.hashsalt": os.path.basename(path)}):
        figure.savefig(path, format="svg", metadata={"Date": None})


if __name__ == "__main__":
    main(*sys.argv[1:3])
