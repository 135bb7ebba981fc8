"""Fit the constants of forgetting on made-up years, seeds 0 to 9: ``python tests/bench/fit_fading.py [QUICK_SEEDS]``.

The years are lived on bare entries (``ultan/verbs/shelves.py``), at the counted rates and at half
and one and a half times their pace. Every setting is tried on a few seeds, the best of them on all
ten. One row a setting, best first: how far the bars are missed, summed over the paces, then noise.
``docs/benchmarks/year.md`` reports the chosen ones on other seeds.
"""

import sys
from itertools import product

from ultan.library.retention import Constants
from ultan.verbs.bench_year import PACES, USERS, breach, made, mean_of, play

FINALISTS = 5


def settings():
    """Every setting that is tried: a lifetime near two months for what was never used, spread by strength, lengthened by use."""
    for days, doublings, weight, spacing in product((46, 52, 58, 64), (0.5, 1.0), (1.5, 2.5, 4.0), (7.0, 21.0)):
        base = days / 2 / 2 ** (doublings * 0.4)  # a plain finding has a strength of 0.4 and fades after two half-lives
        yield Constants(
            base_days=round(base, 1), strength_doublings=doublings, use_weight=weight, spacing_days=spacing,
        )  # fmt: skip


def tried(constants, years):
    """How far the bars are missed in all, the noise, and the means at each pace."""
    means = {pace: mean_of(play(year, constants=constants) for year in years[pace]) for pace in PACES}
    return sum(map(breach, means.values())), sum(one["noise_live"] for one in means.values()), means


def row(missed, _noise, means, one):
    told = [
        "{}: alive {load_bearing_alive:.4f} noise {noise_live:.3f} stale {stale_shown:.4f} wrong {wrongly_archived:.4f}".format(pace, **mean)
        for pace, mean in means.items()
    ]
    chosen = f"base {one.base_days} doublings {one.strength_doublings} use {one.use_weight} spacing {one.spacing_days:.0f}"
    return f"missed {missed:.4f} | {chosen} | {' | '.join(told)}"


def main(quick):
    seeds = range(10)
    years = {pace: {seed: [made(user, seed, pace) for user in USERS] for seed in seeds} for pace in PACES}
    some = {pace: [year for seed in range(quick) for year in years[pace][seed]] for pace in PACES}
    every = {pace: [year for seed in seeds for year in years[pace][seed]] for pace in PACES}
    rows = sorted(((*tried(one, some), one) for one in settings()), key=lambda each: each[:2])
    for each in rows:
        print("  ", row(*each), flush=True)
    print(f"the best {FINALISTS} on seeds 0 to 9")
    for each in sorted(((*tried(each[3], every), each[3]) for each in rows[:FINALISTS]), key=lambda each: each[:2]):
        print(row(*each), flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 3)
