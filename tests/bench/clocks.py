"""Lying clocks: how many entries ``decay`` archives wrongly in homes whose clock jumps (RELIABILITY R19).

    python tests/bench/clocks.py 60 [FIRST SEED]

In each trial somebody works on some days with a library of made-up findings, uses a few, and ``decay``
runs every working day. Meanwhile the clock is set back by a month, ahead by four hundred days or to
2038, drifts across midnight by a time zone or by daylight saving, or the machine sleeps for eight
months. An entry is archived wrongly if it had not really been idle for its lifetime of working days.
"""

import os
import random
import sys
import tempfile
import time

from ultan import home
from ultan.library import retention, upkeep
from ultan.library.actions import Bump, Create
from ultan.library.activity import note_activity, set_back_s
from ultan.library.store import FileStore
from ultan.settings import Settings
from ultan.verbs.decay import decay
from ultan.verbs.desk import Desk

DAY, HOUR = 86_400.0, 3_600.0
START = 1_760_000_000.0
ASLEEP = 240
ZONES = ("UTC", "Europe/Berlin", "America/Los_Angeles", "Pacific/Kiritimati", "Asia/Kolkata")
LIES = {
    "none": 0.0, "a month back": -30 * DAY, "four hundred days ahead": 400 * DAY, "2038": 2_147_483_000.0 - START,
    "east": 14 * HOUR, "west": -12 * HOUR, "daylight saving": HOUR,
}  # fmt: skip
WORDS = ("alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta", "iota", "kappa")


def trial(seed, root, working_days=90):
    """(how many entries were archived, ids of those that should not have been, the lies told) in one home."""
    rng = random.Random(seed)
    told = []
    now, lie = START, "none"
    settings = Settings({"encoder.name": "hashing"})

    def desk():
        return Desk(root, FileStore(root), settings, now + LIES[lie])

    rule = "The {} build is slow when its cache is cold."
    desk().execute([Create(folder="projects/p/notes", title=f"Finding {word}", kind="finding", rule=rule.format(word)) for word in WORDS])
    renewed = dict.fromkeys(desk().library.entries, 0)
    archived, wrongly = set(), []
    for worked in range(1, working_days + 1):
        if rng.random() < 0.15:
            lie = rng.choice(tuple(LIES))
            told.append(lie)
        os.environ["TZ"] = rng.choice(ZONES)
        time.tzset()
        if rng.random() < 0.02:
            now += ASLEEP * DAY
            told.append("asleep")
        now += DAY * rng.choice((1, 1, 1, 1, 3))
        note_activity(root, ["p"], upkeep.day(now + LIES[lie]))
        live = desk().library.entries
        if live and rng.random() < 0.2:
            used = rng.choice(sorted(live)[:3])
            said = now + LIES[lie]
            said += set_back_s(root, said)  # as curate does
            desk().execute([Bump(entry=used, fired=1, helpful=1, helpful_on=upkeep.day(said))], by="upkeep")
            renewed[used] = worked
        live = desk().library.entries
        for one in decay(desk()).archived:
            archived.add(one.entry.id)
            if worked - renewed[one.entry.id] < retention.lifetime_days(live[one.entry.id]):
                wrongly.append(one.entry.id)
    return len(archived), wrongly, told


def main(trials, first=0):
    total, lies, wrong = 0, 0, []
    for seed in range(first, first + trials):
        with tempfile.TemporaryDirectory() as folder:
            count, wrongly, told = trial(seed, home.ensure(folder + "/home"))
        total, lies = total + count, lies + len(told)
        wrong += wrongly
    print(f"trials {trials}, lies of the clock {lies}, archived {total}, of these wrongly {len(wrong)}")


if __name__ == "__main__":
    main(*(map(int, sys.argv[1:]) if len(sys.argv) > 1 else (60,)))
