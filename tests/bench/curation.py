"""The page and the curve of curation: what is kept of labelled sessions, and of conventions that change.

    python tests/bench/curation.py SESSIONS [DIALOGUES] [--paraphrases DIR] [--out docs/benchmarks]

SESSIONS holds ``sessions_gold.jsonl``, DIALOGUES ``dialogues/``, DIR what ``paraphrase.py`` put
together. Each is left out, and said to be missing, where the folder is not there. Writes
``curation.md`` and ``curation.svg``.
"""

import argparse
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1]))
sys.dont_write_bytecode = True

from ultan.verbs.bench_curate import bench_curate  # noqa: E402 -- found by the line above

ROWS = (("clerk", "clerk"), ("cue-list", "cue list"), ("tf-idf", "tf-idf"))
PRECISION_BAR, RECALL_BAR, RECALL_AIM = 0.75, 0.3, 0.6


def drawn(sessions: dict, rows: dict, path: Path) -> None:
    """Precision over recall: the clerk's curve, the two baselines, the bars."""
    import matplotlib as mpl

    mpl.use("svg")
    mpl.rcParams["svg.hashsalt"] = "curation"  # the same picture gives the same file
    from matplotlib import pyplot as plt

    figure, axes = plt.subplots(figsize=(6.4, 4.2))
    curve = sessions["curve"]
    axes.plot(
        [recall for _, _, recall in curve],
        [precision for _, precision, _ in curve],
        "o-",
        color="#1f5a92",
        markersize=3,
        label="clerk, over its threshold",
    )
    for threshold, precision, recall in curve[::2]:
        axes.annotate(
            f"{threshold:g}", (recall, precision), textcoords="offset points", xytext=(4, 4), fontsize=7
        )
    for name, marker, color in (
        ("clerk", "D", "#1f5a92"),
        ("cue-list", "s", "#b5542b"),
        ("tf-idf", "^", "#5b7f2b"),
    ):
        durable = rows[name]["durable"]
        axes.plot(
            durable["recall_rules"],
            durable["precision"],
            marker,
            color=color,
            markersize=8,
            label=dict(ROWS)[name] + (", as shipped" if name == "clerk" else ""),
        )
    axes.axhline(PRECISION_BAR, color="grey", linewidth=0.8, linestyle=":")
    axes.axvline(RECALL_BAR, color="grey", linewidth=0.8, linestyle=":")
    axes.set(
        xlabel="recall over conventions, preferences, warnings",
        ylabel="precision over all kinds",
        xlim=(0, 1),
        ylim=(0.3, 1),
    )
    axes.legend(fontsize=8, loc="upper right")
    figure.tight_layout()
    figure.savefig(path, metadata={"Date": None})


def share(value: float) -> str:
    return f"{value:.2f}".lstrip("0") if value < 1 else f"{value:g}"


def table(head: tuple[str, ...], rows: list[tuple[str, ...]]) -> str:
    return "\n".join("| " + " | ".join(row) + " |" for row in (head, ("---",) * len(head), *rows))


def on_sessions(rows: dict) -> str:
    """The table of the three curators, and the crossed halves."""
    kinds = ("convention", "preference", "warn", "finding")
    body = []
    for name, label in ROWS:
        durable, scope = rows[name]["durable"], rows[name]["scope_accuracy"]
        body.append((label, share(durable["precision"]), share(durable["recall_rules"]), *(share(durable["recall_by_kind"].get(kind, 0)) for kind in kinds),
                     share(rows[name]["kind_accuracy"]), f"{share(scope['global'])} / {share(scope['project'])}", str(durable["proposals"])))  # fmt: skip
    head = (
        "",
        "precision",
        "recall of rules",
        *kinds,
        "kind right",
        "scope right, global / project",
        "proposals",
    )
    crossed = [
        (f"{one['tuned_on']} → {one['tried_on']}", f"{one['threshold']:g}", share(one["precision"]), share(one["recall_rules"]), share(one["kind_accuracy"]),
         f"{share(one['scope_global'])} / {share(one['scope_project'])}")
        for one in rows["clerk"]["crossed"]
    ]  # fmt: skip
    curve = [
        (f"{threshold:g}", share(precision), share(recall))
        for threshold, precision, recall in rows["clerk"]["curve"]
    ]
    return "\n\n".join((
        "## Labelled sessions",
        f"Bars: precision ≥ {PRECISION_BAR}, recall over conventions, preferences and warnings ≥ {RECALL_BAR} (aim {RECALL_AIM}), kind ≥ .8, scope ≥ .8 within both.",
        table(head, body),
        "![Precision over recall](curation.svg)",
        "The clerk over its threshold:",
        table(("threshold", "precision", "recall of rules"), curve),
        ("Crossed halves: the threshold with the best recall at that precision on one half (every other session), tried on the other. Only the threshold is crossed: "
        "the phrases and numbers were chosen with all of these sessions in view, so sessions nobody has seen lie below. What a fit on one half and a trial on the other "
        "gave is in [ADR 39](../adr/0039-scope-and-kind.md)."),
        table(("halves", "threshold", "precision", "recall of rules", "kind right", "scope right, global / project"), crossed),
    ))  # fmt: skip


def on_dialogues(title: str, found: dict) -> str:
    rows = [(sessions, str(each["dialogues"]), share(each["live_recall"]), f"{each['superseded_live']:.3f}", f"{each['size_ratio']:.2f}")
            for sessions, each in (*found["by_sessions"].items(), ("**all**", found))]  # fmt: skip
    return f"## {title}\n\n" + table(
        ("sessions", "dialogues", "live recall", "superseded and live", "size"), rows
    )


def main() -> int:
    """Measure what is there, and write the page."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("sessions", type=Path)
    parser.add_argument("dialogues", type=Path, nargs="?")
    parser.add_argument("--paraphrases", type=Path)
    parser.add_argument("--out", type=Path, default=HERE.parents[1] / "docs" / "benchmarks")
    given = parser.parse_args()
    parts = [
        (
            "# Curation without a model\n\nWritten by `python tests/bench/curation.py SESSIONS DIALOGUES --paraphrases DIR` on development halves; "
            "see [the clerk](../adr/0031-the-clerk.md) for what is measured."
        )
    ]
    if (given.sessions / "sessions_gold.jsonl").exists():
        rows = {name: bench_curate(str(given.sessions), by=name, curve=name == "clerk") for name, _ in ROWS}
        drawn(rows["clerk"], rows, given.out / "curation.svg")
        parts.append(on_sessions(rows))
    else:
        print(f"missing: {given.sessions}", file=sys.stderr)
    if given.dialogues and (given.dialogues / "dialogues").exists():
        parts.append(
            on_dialogues("Conventions over many sessions", bench_curate(str(given.dialogues)))
            + "\n\nBars: live recall ≥ .85, superseded and live ≤ .05, size ≤ 1.3. Filler instructions count neither way."
        )
    if given.paraphrases and (given.paraphrases / "ready" / "dialogues").exists():
        for folder, title in (
            ("before", "Twenty of the dialogues as they were"),
            ("ready", "The same twenty, said afresh by others"),
        ):
            parts.append(on_dialogues(title, bench_curate(str(given.paraphrases / folder))))
        parts.append(
            "Bars: recall within .05 of what it was, size ≤ 1.3. These paraphrases were scored once, and the clerk was not changed "
            "after; who reads them or works on them has used them up and writes new ones (`paraphrase.py`)."
        )
    (given.out / "curation.md").write_text("\n\n".join(parts) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
