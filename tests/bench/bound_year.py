"""What no memory can know in the made-up year: ``python tests/bench/bound_year.py [SEEDS]``.

Every year is lived without forgetting, so that every sign of use a library could ever see is seen. Of what
is needed and right, and of noise, both older than ``SETTLED_DAYS``, some give no sign at all: never said
again, never of help. Whoever wants at most a tenth of the noise must put away nearly all noise without a
sign, even if all noise with one is told apart; and from what is load-bearing without a sign it differs in
kind and emphasis at most. Hence a loss that constants cannot save; only seeing more, or bringing back what
is missed, can.
"""

import sys

from report_year import GENERATORS

from ultan.library.retention import Constants
from ultan.verbs.bench_year import BARS, ENTRIES, PACES, SETTLED_DAYS, Player, policies
from ultan.verbs.habits import Habits
from ultan.verbs.shelves import BareShelf


def counted(year):
    """(needed and right, of these settled without a sign, of these never needed again in the year, noise, noise without a sign)."""
    shelf = BareShelf(policies()["none"], Constants())
    player = Player(year, shelf, Habits())
    player.outcome()
    needed = {one.memory for day in year.days for one in day.happenings if one.what in ("need", "repeat")}
    bearing, silent, unneeded, noise, quiet = 0, 0, 0, 0, 0
    for one in year.memories:
        if one.wrong_since or one.truth not in ("load-bearing", "noise"):
            continue
        bearing += one.load_bearing
        if player.activity.since(one.scope, one.born, year.days[-1].day) <= SETTLED_DAYS:
            continue
        entry = shelf.looked_up(one.key)
        without = not entry.fired_helpful and not entry.reinforced
        noise += not one.load_bearing
        quiet += without and not one.load_bearing
        silent += without and one.load_bearing
        unneeded += one.load_bearing and one.key not in needed
    return bearing, silent, unneeded, noise, quiet


def least_loss(silent, noise_quiet, allowed=BARS["noise_live"]):
    """The share lost at least of what is load-bearing, where *silent* of it and *noise_quiet* of the noise give no sign."""
    return silent * max(0.0, 1.0 - allowed / noise_quiet)


def main(seeds):
    for name, (make, users) in GENERATORS.items():
        for pace in PACES:
            rows = [counted(make(user, seed, pace, ENTRIES)) for user in users for seed in range(seeds)]
            bearing, silent, unneeded, noise, quiet = map(sum, zip(*rows, strict=True))
            print(
                f"{name} {pace}: without a sign {silent / bearing:.4f} of what is load-bearing (never needed again in the year "
                f"{unneeded / bearing:.4f}) and {quiet / noise:.3f} of the noise: at least {least_loss(silent / bearing, quiet / noise):.4f} lost",
                flush=True,
            )


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 10)
