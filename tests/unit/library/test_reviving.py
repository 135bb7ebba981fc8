"""What was archived comes back when a person says it again, also as the correction of something else."""

import pytest

from ultan.library.actions import Archive, Create, Revive
from ultan.library.executor import execute
from ultan.library.snapshot import read_library
from ultan.library.twin import MemoryStore

NOW, DAY = 1_760_000_000.0, 86_400.0
A, B = "global/tools/pnpm", "global/tools/npm"


def create(slug, rule, **more):
    return Create(folder="global/tools", slug=slug, title=f"About {slug}", kind="convention", rule=rule, **more)


@pytest.fixture
def store():
    """A was said, archived, and B said since."""
    made = MemoryStore()
    execute(made, [create("pnpm", "Install packages with pnpm.")], now=NOW, by="person")
    execute(made, [Archive(entry=A, reason="faded")], now=NOW + DAY, by="upkeep")
    execute(made, [create("npm", "Install packages with npm, not yarn.")], now=NOW + 2 * DAY, by="person")
    return made


def test_an_archived_entry_keeps_its_place_and_is_stale(store):
    entry = read_library(store).archived[A]
    assert (entry.path, entry.status) == (f"_archive/{A}.md", "stale")


def test_a_contradiction_of_b_that_restates_archived_a_revives_a_and_ends_b(store):
    said = create("again", "Install packages with pnpm.", salience="contradicts", supersedes=(B,))
    receipt = execute(store, [said], now=NOW + 3 * DAY, by="person")
    assert [(verb, id_) for verb, id_, _ in receipt.applied] == [("revive", A)]
    library = read_library(store)
    assert library.archived == {}
    assert (library.entries[A].status, library.entries[A].supersedes, library.entries[A].reinforced) == ("active", (B,), 1)
    assert (library.entries[B].status, library.entries[B].superseded_by) == ("deprecated", A)
    assert [entry.id for entry in library.live()] == [A]


def test_a_revival_is_idempotent_and_counts_as_said_again(store):
    execute(store, [Revive(entry=A)], now=NOW + 3 * DAY, by="person")
    assert read_library(store).entries[A].reinforced == 1
    again = execute(store, [Revive(entry=A)], now=NOW + 4 * DAY, by="person")
    assert [refusal.reason for refusal in again.refused] == ["it is not in the archive"]
    assert read_library(store).entries[A].reinforced == 1


def test_what_comes_back_counts_towards_a_full_folder(store):
    execute(store, [create(f"n{number}", f"Rule number {number} of many.") for number in range(4)], now=NOW + 3 * DAY, by="person")
    receipt = execute(store, [Revive(entry=A)], now=NOW + 4 * DAY, by="person")
    assert any("global/tools holds 6 entries" in note for note in receipt.notes)


def test_an_entry_that_comes_back_beside_a_new_one_of_its_name_gets_another(store):
    fresh = create("pnpm", "Cache the pnpm store in CI.")
    execute(store, [fresh, Revive(entry=f"_archive/{A}")], now=NOW + 3 * DAY, by="person")
    library = read_library(store)
    assert {A, f"{A}-2", B} == set(library.entries)
    assert library.archived == {}
