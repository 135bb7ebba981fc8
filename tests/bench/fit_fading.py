"""Fit the constants of forgetting on made-up years, seeds 0 to 9: ``python tests/bench/fit_fading.py``.

The years are played on bare entries here, without a library, so that hundreds of settings can be
tried; ``ultan bench year`` then plays the chosen ones through the real library, on other seeds.
Printed is one row a setting, best first: the worst breach of a bar counts, then noise.
"""

import random
import sys
from dataclasses import replace
from functools import partial
from itertools import product
from statistics import mean

from ultan.library.entry import Entry
from ultan.library.grounds import encoding_strength
from ultan.library.retention import Activity, Constants, by_strength, sweep
from ultan.verbs.bench_year import SETTLED_DAYS, Habits
from ultan.verbs.synthetic_year import USERS, make_year

HABITS = Habits()


def played(year, policy, constants):  # noqa: C901 -- one branch for each thing that can happen on a day
    """Shares alive, noise live, wrongly archived: the bench's measures without the library."""
    rng = random.Random(f"play/{year.user}/{year.seed}")
    live, away, chosen, activity = {}, {}, {}, Activity({})
    days = {}
    for day in year.days:
        for project in day.projects:
            days.setdefault(project, []).append(day.day)
        days.setdefault("global", []).append(day.day)
        activity = Activity(days)
        for one in day.happenings:
            memory = year.memories[one.memory] if one.memory >= 0 else None
            around = [e for e in live.values() if e.scope in ("global", one.scope)] if one.what in ("need", "nothing") else []
            if one.what in ("teach", "correct"):
                words = ("Always " if memory.emphatic else "") + "word"
                salience = "contradicts" if one.what == "correct" else "novel"
                live[memory.key] = Entry(
                    id=f"m{memory.key}", title="m", kind=memory.kind, scope=memory.scope, created=day.day, updated=day.day,
                    encoding_strength=encoding_strength(salience, kind=memory.kind, words=words).value,
                )
                live.pop(memory.corrects, None)
            elif one.what == "repeat":
                again(memory.key, live, away, day.day)
            elif one.what == "need":
                if memory.key not in live:
                    if rng.random() < HABITS.said_again:
                        again(memory.key, live, away, day.day)
                elif rng.random() < HABITS.shown:
                    shown(live, memory.key, day.day, rng.random() < HABITS.used)
                    beside(live, around, rng, HABITS.beside, day.day)
            else:
                beside(live, around, rng, HABITS.false_prime, day.day)
        swept = sweep(live.values(), activity, day.day, chosen, policy, constants)
        chosen = swept.chosen
        for fading in swept.archive:
            key = int(fading.entry.id[1:])
            away[key] = live.pop(key)
    last = year.days[-1].day
    needed = [m.key for m in year.memories if m.load_bearing and not m.wrong_since]
    noise = [m.key for m in year.memories if not m.load_bearing and activity.since(m.scope, m.born, last) > SETTLED_DAYS]
    return (
        mean([key in live for key in needed] or [1]),
        mean([key in live for key in noise] or [0]),
        mean([key in away for key in needed] or [0]),
    )


def again(key, live, away, day):
    pool = live if key in live else away
    if key in pool:
        entry = pool.pop(key)
        live[key] = replace(entry, reinforced=entry.reinforced + 1, last_reinforced=day)


def shown(live, key, day, helped):
    entry = live[key]
    live[key] = (
        replace(entry, fired=entry.fired + 1, fired_helpful=entry.fired_helpful + 1, last_helpful=day)
        if helped
        else replace(entry, fired=entry.fired + 1, ignored=entry.ignored + 1)
    )


def beside(live, around, rng, chance, day):
    if around and rng.random() < chance:
        shown(live, int(rng.choice(around).id[1:]), day, helped=False)


def main(seeds):
    years = [make_year(user, seed, entries=150) for user in USERS for seed in seeds]
    rows = []
    for base, doublings, floor, use, weak in product((14.0, 18.0, 22.0), (1.0, 1.5), (0.0, 25.0), (1.0, 2.0, 4.0), (0.5, 1.0)):
        kinds = dict.fromkeys(("convention", "preference", "warn", "decision", "abstraction"), floor)
        constants = Constants(
            base_days=base, strength_doublings=doublings, floor_days=kinds, use_weight=use, ignored_factor=weak
        )
        outcomes = [played(year, partial(by_strength, constants=constants), constants) for year in years]
        alive, noise, wrong = (mean(column) for column in zip(*outcomes, strict=True))
        breach = max(0.99 - alive, noise - 0.10, wrong - 0.005)
        rows.append((breach, noise, alive, wrong, base, doublings, floor, use, weak))
    for row in sorted(rows)[:25]:
        print("breach {:.3f} noise {:.3f} alive {:.4f} wrong {:.4f} | base {} doublings {} floor {} use {} ignored {}".format(*row))


if __name__ == "__main__":
    main(range(int(sys.argv[1]) if len(sys.argv) > 1 else 10))
