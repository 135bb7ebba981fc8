"""What faded comes back by use; what somebody put away does not."""

import pytest

from ultan.library.actions import Archive, Bump, Contradict, Create, MarkHelpful
from ultan.library.executor import execute
from ultan.library.faded import faded_entries
from ultan.library.grounds import rule_key
from ultan.library.operation import Tombstone
from ultan.library.snapshot import read_library
from ultan.library.twin import MemoryStore

NOW, DAY = 1_760_000_000.0, 86_400.0
A = "global/tools/pnpm"
SAID = Create(folder="global/tools", slug="pnpm", title="About pnpm", kind="convention", rule="Install packages with pnpm.")


def shelved(by="upkeep", **more):
    made = MemoryStore()
    execute(made, [SAID.model_copy(update=more)], now=NOW, by="person")
    execute(made, [Archive(entry=A, reason="r")], now=NOW + DAY, by=by)
    return made


@pytest.mark.parametrize(
    ("wish", "by"), [(Bump(entry=A, fired=1, helpful=1, helpful_on="2025-10-12"), "upkeep"), (MarkHelpful(entry=A, turn=3), "scholar")]
)
def test_what_faded_and_was_of_help_when_shown_again_is_back(wish, by):
    store = shelved()
    receipt = execute(store, [wish], now=NOW + 3 * DAY, by=by, session="s")
    assert [(verb, id_) for verb, id_, _ in receipt.applied] == [("revive", A)]
    entry = read_library(store).entries[A]
    assert (entry.status, entry.archived, entry.faded, entry.fired_helpful, entry.last_helpful) == ("active", "", False, 1, "2025-10-12")
    assert "faded" not in entry.raw


def test_being_shown_alone_brings_nothing_back():
    store = shelved()
    execute(store, [Bump(entry=A, fired=2, ignored=1, surfaced_on="2025-10-12")], now=NOW + 3 * DAY, by="upkeep")
    entry = read_library(store).archived[A]
    assert (entry.fired, entry.ignored, entry.faded) == (2, 1, True)


def test_what_a_person_put_away_is_neither_offered_nor_brought_back_by_a_use():
    store = shelved(by="person")
    assert faded_entries(read_library(store)) == ()
    execute(store, [Bump(entry=A, helpful=1, helpful_on="2025-10-12")], now=NOW + 3 * DAY, by="upkeep")
    receipt = execute(store, [MarkHelpful(entry=A, turn=3)], now=NOW + 3 * DAY, by="scholar", session="s")
    assert "in the archive" in receipt.refused[0].reason
    assert A in read_library(store).archived


def test_what_was_called_wrong_or_passed_its_day_or_was_rejected_since_is_no_longer_offered():
    assert [entry.id for entry in faded_entries(read_library(shelved()))] == [A]
    assert faded_entries(read_library(shelved(expires="2025-10-10")), None, "2025-10-12") == ()
    wrong = shelved()
    execute(wrong, [Contradict(entry=A)], now=NOW + 2 * DAY, by="person")
    assert faded_entries(read_library(wrong)) == ()
    library = read_library(shelved())
    stone = Tombstone("global", rule_key(library.archived[A].rule))
    assert faded_entries(type(library)(library.entries, library.archived, tombstones=(stone,))) == ()


def test_only_what_holds_where_somebody_works_is_offered():
    library = read_library(shelved())
    assert len(faded_entries(library, "web")) == 1
    entry = library.archived[A]
    foreign = type(library)({}, {A: entry}, foreign=(entry.path,))
    assert faded_entries(foreign) == ()
    taken = type(library)({A: entry}, {A: entry})
    assert faded_entries(taken) == ()
