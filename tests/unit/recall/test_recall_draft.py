from ultan.library.entry import Entry
from ultan.recall.draft import STANDING, Draft
from ultan.recall.index import Index
from ultan.settings import Settings


def test_of_equally_strong_rules_those_with_the_last_names_stand_first() -> None:
    entries = [
        Entry(f"global/r{at:03d}", f"rule {at}", "convention", "global", "2026-01-01", "2026-01-01", body=f"Do {at}.")
        for at in range(STANDING + 7)
    ]
    index = Index(Draft(entries[::-1]).encoded(Settings().baked(), "", 0.0))
    assert index.standing("global") == list(range(len(entries)))[: -STANDING - 1 : -1]


def test_an_empty_library_makes_an_index_that_is_whole() -> None:
    index = Index(Draft([]).encoded(Settings().baked(), "", 0.0))
    index.verify()
    assert (index.size, index.terms, index.triggers) == (0, 0, 0)
