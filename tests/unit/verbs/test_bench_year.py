"""The simulated year: the same on bare entries and in the library, and counted rightly."""

import sys
from pathlib import Path

import pytest

from ultan.library.retention import Constants
from ultan.verbs.bench_year import (
    BARS,
    MEASURES,
    USERS,
    Player,
    bench_year,
    breach,
    made,
    play,
    policies,
)
from ultan.verbs.habits import JUDGES, Habits
from ultan.verbs.shelves import BareShelf
from ultan.verbs.synthetic_year import Day, Happening, Memory, Rates, Year, make_year, year_of

sys.path.insert(0, str(Path(__file__).parents[2] / "bench"))

HASTY = Constants(base_days=12, strength_doublings=0.5, floor_days={}, ignored_factor=0.75)


def year(happenings, memories, days=120):
    """A year in which each working day looks the same, apart from *happenings*: number of the day → what happens."""
    names = [f"2025-{1 + number // 28:02d}-{1 + number % 28:02d}" for number in range(days)]
    return Year("maker", 1, tuple(Day(name, ("alpha",), tuple(happenings.get(n, ()))) for n, name in enumerate(names)), tuple(memories))


def memory(key, truth, **more):
    return Memory(key, "finding", "project:alpha", (f"word{key}", "other", "third", "fourth"), "2025-01-01", truth, emphatic=False, **more)


TAUGHT = [Happening("teach", "project:alpha", key) for key in range(2)]
NEEDED = Happening("need", "project:alpha", 0)
DEAF = {"offered": 0.0, "offered_beside": 0.0}  # nobody looks into the archive


@pytest.mark.parametrize("user", USERS)
def test_bare_entries_and_the_library_itself_agree_on_every_decision(user):
    small = make_year(user, 2, Rates(), entries=40, days=150)
    bare, real = play(small, constants=HASTY), play(small, constants=HASTY, real=True)
    assert bare.decisions == real.decisions
    assert bare == real
    assert any(what == "archive" for _, what, _ in bare.decisions)


def test_they_agree_where_nothing_is_recognised_and_much_is_said_again():
    small = make_year("specialist", 3, Rates(contradicts=0.3, reinforces=0.2), entries=40, days=120)
    habits = Habits(recognised=0.5, said_again=0.9)
    assert play(small, habits=habits, constants=HASTY) == play(small, habits=habits, constants=HASTY, real=True)


def test_they_agree_where_drift_is_asked_about():
    small = make_year("specialist", 3, Rates(contradicts=0.3, reinforces=0.2), entries=40, days=150)
    hasty = Constants(base_days=5, strength_doublings=0.5, floor_days={}, strong=0.6)
    habits = Habits(thinks=False, answered=1.0, mistaken=0.3)
    bare, real = play(small, habits=habits, constants=hasty), play(small, habits=habits, constants=hasty, real=True)
    assert bare == real
    assert {"affirm", "drop"} <= {what for _, what, _ in bare.decisions}
    assert bare.asked >= len([what for _, what, _ in bare.decisions if what in ("affirm", "drop")])


def test_a_person_who_is_asked_ends_what_is_strong_and_of_no_use_and_a_model_asks_the_person_later():
    strong = Memory(1, "convention", "project:alpha", ("one", "two", "three", "four"), "2025-01-03", "noise", emphatic=True, corrects=0)
    first = Memory(0, "convention", "project:alpha", ("one", "two", "five", "six"), "2025-01-01", "noise", emphatic=False, wrong_since="2025-01-03")
    days = {0: TAUGHT[:1], 2: [Happening("correct", "project:alpha", 1)]}
    told = year(days, [first, strong], days=300)
    sure = {"recognised": 1.0, "mistaken": 0.0, "answered": 1.0}
    hasty = Constants(base_days=10, strength_doublings=0.5)
    ended = play(told, habits=Habits(thinks=False, **sure), constants=hasty)
    assert (ended.live, ended.asked, ended.noise_live) == (0, 1, 0.0)
    later = play(told, habits=Habits(thinks=True, **sure), constants=hasty)
    when = [next(day for day, what, _ in one.decisions if what == "drop") for one in (ended, later)]
    assert when[0] < when[1]
    silent = play(told, habits=Habits(thinks=False, **{**sure, "answered": 0.0}), constants=hasty)
    assert (silent.live, silent.asked, silent.noise_live) == (1, 1, 1.0)


def test_a_judge_by_code_hears_a_part_of_the_uses_and_calls_no_silence_useless():
    days = {0: TAUGHT} | {day: [NEEDED] for day in range(5, 120, 5)}
    told = year(days, [memory(0, "load-bearing"), memory(1, "noise")])
    shelf = BareShelf(policies()["none"], Constants())
    Player(told, shelf, JUDGES["code"]).outcome()
    entry = shelf.looked_up(0)
    assert 0 < entry.fired_helpful < entry.fired
    assert entry.ignored == 0


def test_what_was_put_away_and_not_needed_since_is_not_missed():
    rare = year({0: TAUGHT}, [memory(0, "load-bearing"), memory(1, "noise")])
    outcome = play(rare)
    assert (outcome.wrongly_archived, outcome.missed) == (1.0, 0.0)
    late = year({0: TAUGHT} | {day: [NEEDED] for day in range(100, 120)}, [memory(0, "load-bearing"), memory(1, "noise")])
    outcome = play(late, habits=Habits(said_again=0.0, **DEAF))
    assert (outcome.wrongly_archived, outcome.missed) == (1.0, 1.0)


def test_equal_seeds_make_equal_years_and_a_pace_changes_them():
    assert made("juggler", 5) == made("juggler", 5)
    assert made("juggler", 5, 1.5) != made("juggler", 5) != made("juggler", 6)


def test_what_is_needed_stays_and_noise_goes():
    outcome = play(year({0: TAUGHT} | {day: [NEEDED] for day in range(5, 120, 5)}, [memory(0, "load-bearing"), memory(1, "noise")]))
    assert (outcome.load_bearing_alive, outcome.noise_live, outcome.wrongly_archived) == (1.0, 0.0, 0.0)
    assert (outcome.live, outcome.archived) == (1, 1)


def test_what_was_put_away_and_is_missed_comes_back_and_counts_as_revived():
    late = year({0: TAUGHT} | {day: [NEEDED] for day in range(100, 120)}, [memory(0, "load-bearing"), memory(1, "noise")])
    outcome = play(late, habits=Habits(said_again=1.0))
    assert outcome.revived == 1
    assert (outcome.load_bearing_alive, outcome.wrongly_archived) == (1.0, 0.0)
    assert [what for _, what, key in outcome.decisions if key == 0] == ["archive", "revive"]
    forgotten = play(late, habits=Habits(said_again=0.0, **DEAF))
    assert (forgotten.load_bearing_alive, forgotten.wrongly_archived) == (0.0, 1.0)


def test_what_faded_comes_back_where_it_is_shown_again_and_of_help():
    late = year({0: TAUGHT} | {day: [NEEDED] for day in range(100, 120)}, [memory(0, "load-bearing"), memory(1, "noise")])
    habits = {"said_again": 0.0, "used": 1.0, **DEAF, "offered": 1.0}
    outcome = play(late, habits=Habits(**habits))
    assert (outcome.revived, outcome.load_bearing_alive, outcome.wrongly_archived) == (1, 1.0, 0.0)
    unused = play(late, habits=Habits(**{**habits, "used": 0.0}))
    assert (unused.revived, unused.wrongly_archived) == (0, 1.0)


def test_what_faded_and_nobody_needs_comes_up_too_and_is_misjudged_now_and_then():
    days = {0: TAUGHT} | {day: [Happening("nothing", "project:alpha")] for day in range(1, 120)}
    told = year(days, [memory(0, "load-bearing"), memory(1, "noise")])
    shown = play(told, habits=Habits(false_prime=0.0, misjudged=0.0, **{**DEAF, "offered_beside": 1.0}))
    assert (shown.revived, shown.precision) == (0, 0.0)
    fooled = {"false_prime": 0.0, "misjudged": 1.0}
    assert play(told, habits=Habits(**fooled, **{**DEAF, "offered_beside": 1.0})).revived > 0


def test_bare_entries_and_the_library_agree_where_much_comes_back_by_use():
    small = make_year("specialist", 3, Rates(contradicts=0.3, reinforces=0.2), entries=40, days=150)
    hasty = Constants(base_days=4, strength_doublings=0.5, floor_days={}, strong=0.6)
    habits = Habits(offered=0.5, offered_beside=0.5, misjudged=0.4, thinks=True, answered=1.0, said_again=0.1)
    bare, real = play(small, habits=habits, constants=hasty), play(small, habits=habits, constants=hasty, real=True)
    assert bare == real
    assert bare.revived > 3


def test_a_correction_that_found_its_entry_is_never_shown_stale_and_one_that_did_not_is():
    again = Happening("correct", "project:alpha", 1)
    told = [memory(0, "load-bearing", wrong_since="2025-01-03"), memory(1, "load-bearing", corrects=0)]
    days = {0: TAUGHT[:1], 2: [again]} | {day: [Happening("need", "project:alpha", 1)] for day in range(3, 40)}
    assert play(year(days, told), habits=Habits(recognised=1.0)).stale_shown == 0
    missed = play(year(days, told), habits=Habits(recognised=0.0, said_again=0.0))
    assert missed.stale_shown > 0.1


def test_where_nobody_judges_what_is_shown_stays_longer():
    days = {0: TAUGHT} | {day: [NEEDED] for day in range(5, 120, 5)}
    memories = [memory(0, "load-bearing"), memory(1, "noise")]
    without = Constants(unjudged_worth=0.0)
    habits = Habits(judged=False, said_again=0.0, beside=0.0, **DEAF)
    assert play(year(days, memories), habits=habits, constants=without).load_bearing_alive == 0.0
    assert play(year(days, memories), habits=habits, constants=Constants(unjudged_worth=0.5)).load_bearing_alive == 1.0


def test_a_breach_is_what_is_missed_of_the_bars():
    assert breach(BARS) == 0
    assert breach({**BARS, "load_bearing_alive": 0.97, "noise_live": 0.12}) == pytest.approx(0.04)


def test_every_policy_is_reported_with_every_measure():
    told = bench_year([100], users=["juggler"], entries=40, make=lambda user, seed, pace, entries: make_year(user, seed, Rates().scaled(pace), entries=entries, days=90))
    assert set(told["means"]) == set(policies())
    assert all(set(MEASURES) <= set(mean) for mean in told["means"].values())
    assert len(told["years"]) == len(policies())
    assert told["means"]["none"]["archived"] == 0


def test_the_second_generator_tells_consistent_years_that_can_be_played():
    import second_year

    for user in second_year.USERS:
        plain = second_year.make_year(user, 1, 1.0, 60)
        second_year.check_year(plain, 60)
        outcome = play(year_of(plain))
        assert outcome.entries == len(plain["memories"])
        assert 0 <= outcome.noise_live <= 1
