"""A folder that grew too full is divided by what its entries are about."""

from ultan.library.entry import Entry
from ultan.recall.text import terms
from ultan.staff.shelving import MOST, crowded, division


def entry(slug, title, *, tags=(), folder="projects/shop/general"):
    return Entry(
        id=f"{folder}/{slug}", title=title, kind="convention", scope="project:shop", created="2026-01-01", updated="2026-01-01",
        tags=tags, body=title + "\n",
    )  # fmt: skip


FULL = [
    entry("a", "Tests use the pg fixture"),
    entry("b", "Tests never mock the database"),
    entry("c", "Each test checks one behaviour"),
    entry("d", "Commit messages start with the ticket"),
    entry("e", "A commit holds one change"),
    entry("f", "Deploy on Tuesdays only"),
    entry("g", "Answers without a summary"),
]


def test_a_folder_of_five_is_left_alone_and_one_of_six_is_not():
    assert crowded(FULL[:MOST]) == {}
    assert list(crowded(FULL)) == ["projects/shop/general"]


def test_entries_that_share_a_word_go_together_and_the_rest_stays():
    split = division("projects/shop/general", FULL, terms)
    assert split.into == {"tests": tuple(f"projects/shop/general/{slug}" for slug in "abc")}
    assert len(FULL) - 3 <= MOST


def test_a_tag_names_the_folder_before_a_word_of_the_rule_does():
    tagged = [entry(str(place), f"Rule of number {word}", tags=("python",) if place < 3 else ()) for place, word in enumerate("abcdefg")]
    assert list(division("projects/shop/general", tagged, terms).into) == ["python"]


def test_a_word_of_all_divides_nothing():
    alike = [entry(str(place), "Always use uv") for place in range(7)]
    assert division("projects/shop/general", alike, terms) is None
