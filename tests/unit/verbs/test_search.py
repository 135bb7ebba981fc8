"""Search and ask heed the time that a question names."""

import pytest

from ultan.errors import IndexUnreadable
from ultan.library.actions import Archive, Create
from ultan.library.executor import execute
from ultan.library.snapshot import read_library
from ultan.library.store import FileStore
from ultan.recall.compile import build_from_entries
from ultan.settings import Settings
from ultan.verbs.ask import ask
from ultan.verbs.search import Wish, search

MARCH, MAY = 1_773_000_000.0, 1_779_000_000.0  # 8 March and 17 May 2026
TODAY = "2026-06-17"


@pytest.fixture
def library(home):
    for now, slug, title in ((MARCH, "old", "Prices in cents"), (MAY, "new", "Prices in cents and prices in euros")):
        made = Create(folder="global", slug=slug, kind="preference", title=title, rule=f"{title}.")
        execute(FileStore(home), [made], now=now, by="person")
    return read_library(FileStore(home))


def found(library, question, index=None):
    index = index or build_from_entries(library.entries.values(), Settings())
    return [hit.id for hit in search(library, index, question, project="", limit=5, wish=Wish(), today=TODAY).hits]


@pytest.mark.parametrize("question", ["prices before the migration in March", "prices in march 2026", "was galt für prices im März", "prices vor der Migration im März"])
def test_entries_of_the_time_asked_for_come_first(library, question):
    assert found(library, question) == ["global/old", "global/new"]
    assert found(library, question, IndexUnreadable("none"))[0] == "global/old"


def test_without_a_time_the_ranking_decides(library):
    assert found(library, "prices in euros") == ["global/new", "global/old"]
    assert found(library, "prices in euros last month") == ["global/new", "global/old"]


@pytest.mark.parametrize(("question", "ids"), [("last month", ["global/new"]), ("2026-03-08", ["global/old"]), ("in 2019", [])])
def test_a_time_alone_brings_what_is_of_that_time(library, question, ids):
    assert found(library, question)[:1] == ids


@pytest.mark.usefixtures("library")
def test_ask_heeds_the_time_too(home):
    def asked(question):
        return ask(home, question, Settings(), now=lambda: MAY + 30 * 86_400).citations

    assert asked("prices in euros") == ("global/new", "global/old")
    assert asked("prices in euros before April") == ("global/old", "global/new")


@pytest.fixture
def away(home, library):
    """One entry that faded, and one that a person put away."""
    store = FileStore(home)
    for by, slug, rule in (("upkeep", "lint", "Run the linter before each release."), ("person", "gone", "Run the formatter before each release.")):
        execute(store, [Create(folder="global", slug=slug, kind="convention", title=rule[:-1], rule=rule)], now=MAY, by="person")
        execute(store, [Archive(entry=f"global/{slug}", reason="r")], now=MAY + 86400, by=by)
    return read_library(store, library)


def test_what_faded_and_fits_strongly_comes_last_and_says_so(away):
    index = build_from_entries(away.entries.values(), Settings())
    hits = search(away, index, "linter before a release", project="", limit=5, wish=Wish(), today=TODAY).hits
    assert [(hit.id, hit.status) for hit in hits][-1:] == [("global/lint", "faded")]
    assert found(away, "prices in euros") == ["global/new", "global/old"]


def test_ask_tells_what_faded_as_faded(home, away):
    assert away.archived
    answer = ask(home, "linter before a release", Settings(), now=lambda: MAY, by="clerk")
    assert "Run the linter before each release. [[global/lint]] (you, faded, " in answer.text
    assert "formatter" not in answer.text
