"""A strong entry fits no more: shown where none of its words is said, or a newer entry is at odds with it."""

from dataclasses import replace

import pytest

from ultan.library.entry import Entry
from ultan.library.retention import DEFAULTS, Activity, fading
from ultan.library.tension import MISPLACED_FROM, are_at_odds, fits, tensions

TODAY = "2025-06-30"


def entry(name, body, **changes):
    made = Entry(
        id=f"projects/p/{name}", title=name, kind="convention", scope="project:p", created="2025-01-01", updated="2025-01-01",
        encoding_strength=0.9, body=body,
    )  # fmt: skip
    return replace(made, **changes)


OLD = entry("tests", "Always run the whole test suite before you push a branch.")
NEWER = entry("push", "Do not run the whole test suite before you push a draft branch.", created="2025-06-20", updated="2025-06-20")


def found(*entries, misplaced=None):
    standing = [fading(each, Activity({}), TODAY) for each in entries]
    return [(one.entry.id, one.cause) for one in tensions(standing, TODAY, misplaced or {}, DEFAULTS)]


@pytest.mark.parametrize(
    ("one", "other", "odds"),
    [
        (OLD.rule, NEWER.rule, True),
        (OLD.rule, "Always run the whole test suite before you merge a branch.", False),
        ("Wait 30 seconds for the warehouse import.", "Wait 90 seconds for the warehouse import.", True),
        ("Wait 30 seconds for the warehouse import.", "Wait for the warehouse import.", False),
        ("Use tabs in makefiles.", "Never deploy on a Friday.", False),
        ("Benutze niemals den globalen Cache im Testlauf.", "Benutze den globalen Cache im Testlauf.", True),
    ],
)
def test_two_rules_about_one_matter_are_at_odds_where_a_negation_or_a_number_differs(one, other, odds):
    assert are_at_odds(one, other) is odds
    assert are_at_odds(other, one) is odds


def test_a_strong_entry_that_a_newer_one_contradicts_in_part_drifts_and_names_it():
    assert found(OLD, NEWER) == [(OLD.id, NEWER.id)]


@pytest.mark.parametrize(
    "newer",
    [
        replace(NEWER, supersedes=(OLD.id,)),  # then it is a correction, and settled
        replace(NEWER, created="2024-12-01"),  # the old one was said after it
        replace(NEWER, scope="project:q"),
        replace(NEWER, trust="observed"),
        replace(NEWER, created="2025-03-01"),  # long enough ago to have been asked
        replace(NEWER, body="Deploy on a Monday."),
    ],
)
def test_what_is_no_partial_contradiction_raises_no_question(newer):
    assert found(OLD, newer) == []


def test_a_weak_or_pinned_entry_is_not_asked_about():
    assert found(replace(OLD, encoding_strength=0.5), NEWER) == []
    assert found(replace(OLD, pinned=True), NEWER) == []


def test_an_entry_shown_where_none_of_its_words_is_said_drifts_until_it_helps_again():
    often = {OLD.id: (MISPLACED_FROM, "2025-06-01")}
    assert found(OLD, misplaced=often) == [(OLD.id, "misplaced")]
    assert found(OLD, misplaced={OLD.id: (MISPLACED_FROM - 1, "2025-06-01")}) == []
    assert found(replace(OLD, last_helpful="2025-06-10"), misplaced=often) == []


def test_a_prompt_fits_by_any_word_of_the_entry_or_of_its_situations():
    assert fits(OLD, "please push it")
    assert not fits(OLD, "what is the weather")
    assert fits(replace(OLD, applies_when=("a release is near",)), "we release tomorrow")
