"""What fades, when and why."""

import math
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ultan.library import retention
from ultan.library.entry import Entry
from ultan.library.retention import (
    DEFAULTS,
    Activity,
    Constants,
    by_strength,
    fading,
    half_life_days,
    lifetime_days,
    sweep,
    uses,
)

BORN = "2025-01-01"


def entry(name="a", **changes):
    made = Entry(
        id=f"projects/p/{name}", title=name, kind="finding", scope="project:p", created=BORN, updated=BORN,
        encoding_strength=0.25,
    )  # fmt: skip
    return replace(made, **changes)


def worked(count, scope="p", month=2):
    days = tuple(f"2025-{month + number // 28:02d}-{number % 28 + 1:02d}" for number in range(count))
    return Activity({scope: days, "global": days})


def test_a_holiday_fades_nothing():
    assert fading(entry(), Activity({"p": (BORN,)}), "2025-12-31").retention == 1.0


PLAIN = Constants(base_days=14.0, strength_doublings=4.0, use_weight=1.0, ignored_factor=0.5, ignored_often=3, floor_days={"convention": 60.0})


def test_a_trace_halves_in_its_half_life_of_active_days():
    assert half_life_days(entry(), PLAIN) == 28.0
    assert by_strength(entry(), worked(28), "2025-12-31", PLAIN).retention == pytest.approx(0.5)
    assert lifetime_days(entry(), PLAIN) == pytest.approx(56)


def test_what_was_never_used_lasts_two_months_of_work_and_a_strong_trace_longer():
    lifetimes = [lifetime_days(entry(encoding_strength=strength)) for strength in (0.4, 0.55, 0.7)]
    assert lifetimes == sorted(lifetimes)
    assert 55 < lifetimes[0] < 65


def test_uses_that_come_back_later_count_and_those_of_the_first_days_do_not():
    later = replace(entry(fired_helpful=7), last_helpful="2025-04-01")
    crowded = replace(later, last_helpful="2025-01-03")
    assert uses(later) == 7
    assert uses(crowded) == pytest.approx(2 / 7)
    assert uses(replace(later, last_helpful=BORN)) == 0
    assert uses(replace(later, last_helpful="")) == uses(replace(later, created="")) == 7  # days unknown
    assert uses(replace(later, last_helpful="2024-01-01")) == 0  # put in another order by an editor


def test_where_nobody_judged_being_shown_counts_a_little_and_where_somebody_did_not_at_all():
    shown = entry(fired=20, last_surfaced="2025-12-01")
    assert 0 < uses(shown) < 20
    assert uses(replace(shown, ignored=20)) == 0


def test_only_days_of_the_own_scope_count_and_a_global_entry_counts_all():
    activity = Activity({"other": ("2025-02-01", "2025-02-02"), "global": ("2025-02-01", "2025-02-02")})
    assert fading(entry(), activity, "2025-03-01").idle_days == 0
    assert fading(entry(scope="global"), activity, "2025-03-01").idle_days == 2


def test_being_shown_renews_nothing_and_being_used_does():
    activity, today = worked(60), "2025-12-31"
    shown = entry(last_surfaced="2025-12-30", fired=100, ignored=2)
    assert fading(shown, activity, today) == replace(fading(entry(), activity, today), entry=shown)
    unjudged = replace(shown, ignored=0)
    assert fading(unjudged, activity, today).idle_days == fading(shown, activity, today).idle_days
    assert fading(entry(last_helpful="2025-12-30"), activity, today).retention == 1.0


def test_shown_and_ignored_again_and_again_shortens_the_half_life_of_a_weak_entry_and_asks_about_a_strong_one_at_three():
    assert half_life_days(entry(ignored=3), PLAIN) == 14.0
    assert half_life_days(entry(ignored=DEFAULTS.ignored_often)) < half_life_days(entry(ignored=3)) == half_life_days(entry())
    strong = entry(encoding_strength=0.9, ignored=5)
    assert fading(strong, worked(1), "2025-12-31").verdict == "drift"


def test_a_strong_entry_is_never_archived_by_fading():
    strong = entry(encoding_strength=0.75)
    later = Activity({"p": tuple(f"{year}-{m:02d}-{d:02d}" for year in range(2026, 2031) for m in range(1, 13) for d in range(1, 29))})
    assert fading(strong, later, "2031-01-01").verdict == "drift"


def test_a_pin_keeps_and_an_expiry_ends():
    later = worked(300)
    assert fading(entry(pinned=True), later, "2026-12-31").verdict == "keep"
    assert fading(entry(expires="2025-06-01"), Activity({}), "2025-06-02").verdict == "expired"
    assert fading(entry(expires="2025-06-01", pinned=True), Activity({}), "2025-06-02").verdict == "keep"


def test_a_rule_that_a_person_stated_has_a_floor_and_a_machines_has_none():
    rule = entry(kind="convention", encoding_strength=0.0)
    assert half_life_days(rule, PLAIN) == 60.0
    assert half_life_days(replace(rule, trust="observed"), PLAIN) == 14.0
    ignored = entry(kind="finding", encoding_strength=0.05, ignored=12)
    assert half_life_days(ignored) < half_life_days(replace(ignored, kind="warn", ignored=0)) == DEFAULTS.floor_days["warn"]


@given(st.floats(-5, 5), st.integers(-10, 10**7), st.integers(-10, 10**7), st.integers(-10, 10**7))
def test_counters_of_a_million_and_nonsense_keep_the_half_life_finite_and_positive(strength, again, helped, opened):
    days = half_life_days(entry(encoding_strength=strength, reinforced=again, fired_helpful=helped, fetched=opened))
    assert 0 < days < 1e5


@pytest.mark.parametrize("day", ["", "yesterday", "2025-13-01", "2099-01-01", "20250101"])
def test_a_day_that_is_missing_odd_or_in_the_future_is_an_unknown_age_and_fades_nothing(day):
    odd = entry(created=day, updated=day)
    assert by_strength(odd, worked(300), "2025-12-31").idle_days == 0


def test_one_run_archives_nothing_and_the_second_on_another_day_only_the_weakest_five():
    entries = [entry(f"e{number}") for number in range(30)] + [entry("kept", pinned=True)]
    first = sweep(entries, worked(100), "2025-12-01", {})
    assert first.archive == ()
    assert len(first.waiting) == 30
    again = sweep(entries, worked(100), "2025-12-01", first.chosen)
    assert again.archive == ()
    second = sweep(entries, worked(100), "2025-12-02", first.chosen)
    assert len(second.archive) == 5
    assert set(second.chosen.values()) == {"2025-12-01"}


def test_a_clock_that_jumps_ahead_and_back_archives_nothing():
    entries = [entry(f"e{number}", updated="2025-02-10") for number in range(30)]
    activity = worked(10)
    jumped = sweep(entries, activity.with_day("p", "2038-01-19"), "2038-01-19", {})
    assert jumped.archive == jumped.waiting == ()
    back = sweep(entries, activity.with_day("p", "2038-01-19"), "2025-02-11", jumped.chosen)
    assert back.archive == back.waiting == ()


def test_the_other_policies_keep_the_figures_of_their_authors():
    today = "2025-03-03"
    assert retention.by_window(entry(), Activity({}), today).verdict == "fade"
    assert retention.by_window(entry(reinforced=2), Activity({}), today).verdict == "keep"
    assert retention.by_window(entry(last_surfaced="2025-03-01"), Activity({}), today).verdict == "keep"
    assert retention.by_hebb(entry(), Activity({}), "2025-01-31").retention == pytest.approx(0.95)
    assert retention.by_hebb(entry(fired=10), Activity({}), "2025-01-31").retention == pytest.approx(0.99)
    assert retention.by_hebb(entry(), Activity({}), "2125-01-31").retention == 0.05
    assert retention.by_nothing(entry(), Activity({}), "2125-01-31").half_life_days == math.inf
