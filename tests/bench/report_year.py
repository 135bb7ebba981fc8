"""The simulated year on seeds that no constant was fitted on: page, figures and plots.

    python tests/bench/report_year.py live docs/benchmarks [own|second PACE]     # plays the years, writes year.json
    python tests/bench/report_year.py draw docs/benchmarks                       # from it: tables and pictures

Two generators (our own and ``second_year.py``), three paces, five policies, seeds 100 to 109; our own
policy once more where code judges what was shown, and where nobody does.
"""

import json
import sys
from pathlib import Path

import second_year
from matplotlib.figure import Figure

from ultan.library.entry import Entry
from ultan.library.retention import Constants, lifetime_days, remaining
from ultan.verbs.bench_year import BARS, MEASURES, PACES, USERS, bench_year, breach, made
from ultan.verbs.habits import JUDGES
from ultan.verbs.synthetic_year import year_of

SEEDS = range(100, 110)
NAMES = ("strength", "window", "hebbian", "none", "recency")
GENERATORS = {
    "own": (made, USERS),
    "second": (lambda user, seed, pace, entries: year_of(second_year.make_year(user, seed, pace, entries)), second_year.USERS),
}
SAID = {"code": "code judges", "nobody": "nobody judges"}
TITLES = {
    "load_bearing_alive": "load-bearing alive", "noise_live": "noise still live", "stale_shown": "superseded shown",
    "wrongly_archived": "wrongly archived, never revived", "missed": "of these needed since", "precision": "precision shown", "live": "live entries", "revived": "revived",
    "asked": "asked of the person",
}  # fmt: skip


def live(folder, generator="", pace=""):
    """Play the years, all or those of one generator and pace; what was played before and is not now is kept."""
    path = folder / "year.json"
    told = json.loads(path.read_text()) if path.exists() else {"seeds": list(SEEDS), "runs": []}
    for name, (make, users) in GENERATORS.items():
        for each in PACES:
            if generator not in ("", name) or pace not in ("", str(each)):
                continue
            for judge, habits in JUDGES.items():
                policies = NAMES if judge == "model" else ("strength",)
                run = bench_year(SEEDS, users=users, pace=each, names=policies, make=make, habits=habits)
                curves = {policy: monthly([year for year in run["years"] if year["policy"] == policy]) for policy in policies}
                played = {"generator": name, "pace": each, "judge": judge, "means": run["means"], "monthly": curves}
                told["runs"] = [one for one in told["runs"] if key(one) != key(played)] + [played]
                print(name, each, judge, run["means"]["strength"], flush=True)
            told["runs"].sort(key=key)
            path.write_text(json.dumps(told, indent=1) + "\n")


def key(run):
    return run["generator"], run["pace"], list(JUDGES).index(run["judge"])


def monthly(years):
    """The curves of some years, averaged month by month."""
    months = sorted({point["month"] for year in years for point in year["monthly"]})
    rows = {month: [point for year in years for point in year["monthly"] if point["month"] == month] for month in months}
    return [
        {"month": month, **{key: round(sum(point[key] for point in points) / len(points), 4) for key in ("live", "archived", "precision")}}
        for month, points in rows.items()
    ]


def table(run):
    head = ("policy", *TITLES.values(), "bars missed by")
    rows = [head, ("---",) * len(head)]
    for policy, means in run["means"].items():
        cells = [f"{means[key]:.4f}" if key in (*MEASURES, "precision", "missed") else f"{means[key]:.0f}" for key in TITLES]
        rows.append((policy if run["judge"] == "model" else f"{policy}, {SAID[run['judge']]}", *cells, f"{breach(means):.4f}"))
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def beaten(run):
    """Policies that are at least as good as ours on all four bars and better on one."""
    ours = run["means"]["strength"]
    sign = {key: -1 if key == "load_bearing_alive" else 1 for key in BARS}
    return [
        policy for policy, means in run["means"].items()
        if policy != "strength"
        and all(sign[key] * (means[key] - ours[key]) <= 0 for key in BARS)
        and any(sign[key] * (means[key] - ours[key]) < 0 for key in BARS)
    ]  # fmt: skip


def draw(folder):
    told = json.loads((folder / "year.json").read_text())
    lines = []
    for run in told["runs"]:
        if run["judge"] == "model":
            lines += [f"\n### {run['generator']} generator, pace {run['pace']}\n", table(run)]
            better = beaten(run)
            lines.append("\nNo other policy is at least as good on all four and better on one." if not better else f"\nBetter: {', '.join(better)}.")
        else:
            lines += ["", table(run)]
    page = folder / "year.md"
    text = page.read_text()
    start, end = "<!-- tables -->", "<!-- end of tables -->"
    page.write_text(text[: text.index(start) + len(start)] + "\n" + "\n".join(lines) + "\n\n" + text[text.index(end) :])
    for name in GENERATORS:
        curves(told, name).savefig(folder / f"year-{name}.svg", metadata={"Date": None})
    fading().savefig(folder / "year-fading.svg", metadata={"Date": None})


def curves(told, generator):
    run = next(each for each in told["runs"] if each["generator"] == generator and each["pace"] == 1.0 and each["judge"] == "model")
    figure = Figure(figsize=(10, 4), layout="constrained")
    size, precision = figure.subplots(1, 2)
    for policy, points in run["monthly"].items():
        months = [point["month"] for point in points]
        size.plot(months, [point["live"] for point in points], label=policy)
        precision.plot(months, [point["precision"] for point in points], label=policy)
    size.set(title="live entries", xlabel="month")
    precision.set(title="share of what was shown that was needed", xlabel="month")
    size.legend(fontsize="small")
    return figure


def fading():
    """What is left of four findings and rules that are never used again."""
    figure = Figure(figsize=(7, 4), layout="constrained")
    axes = figure.subplots()
    days = range(201)
    cases = (
        ("finding, never used", 0.4, "finding", 0), ("rule with emphasis, never used", 0.65, "convention", 0),
        ("rule, of help once", 0.55, "convention", 1), ("rule, of help seven times", 0.55, "convention", 7),
    )  # fmt: skip
    for label, strength, kind, helped in cases:
        entry = Entry(id="global/a/b", title="b", kind=kind, scope="global", created="", updated="", encoding_strength=strength, fired_helpful=helped)
        half = lifetime_days(entry) / 2
        axes.plot(days, [remaining(half, day) for day in days], label=label)
    axes.axhline(Constants().archive_below, linestyle="--", linewidth=0.8, color="gray")
    axes.set(xlabel="active days of its scope without use", ylabel="retention", ylim=(0, 1.02))
    axes.legend(fontsize="small")
    return figure


if __name__ == "__main__":
    {"live": live, "draw": draw}[sys.argv[1]](Path(sys.argv[2]), *sys.argv[3:])
