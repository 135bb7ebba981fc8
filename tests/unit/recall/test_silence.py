import pytest
from made_entries import SHOP, entry, index_of

from ultan.recall.ranking import Query, prime, rank
from ultan.recall.silence import MOST_SHIFT, habit, needs_nothing


@pytest.mark.parametrize("prompt", ["", "  ", "yes", "1", "/clear", "ok", "👍", "…", "/compact now", "y"])
def test_a_prompt_that_needs_nothing_gets_nothing(prompt: str) -> None:
    primed = prime(index_of(*SHOP), Query(prompt, "shop"), set())
    assert primed.cards == []


def test_words_without_any_trace_in_the_library_bring_nothing() -> None:
    assert prime(index_of(*SHOP), Query("what a lovely sunset over the harbour", "shop"), set()).cards == []


def test_needing_nothing_is_about_words_not_length() -> None:
    assert needs_nothing("yes")
    assert needs_nothing("42")
    assert needs_nothing("/help me")
    assert not needs_nothing("雪の日")
    assert not needs_nothing("commit")


@pytest.mark.parametrize("prompt", ["😀🚀\U0001f469\u200d\U0001f4bb", "QUJDREVGR0hJSktMTU5P" * 400, "0x" + "9f" * 600, "\u200b\u202e", "!?!?...", "\n\t\r"])
def test_what_holds_no_words_brings_nothing(prompt: str) -> None:
    assert prime(index_of(*SHOP), Query(prompt, "shop"), set()).cards == []


def test_without_a_record_nothing_moves_and_no_record_decides_alone() -> None:
    assert habit(0, 0, 1.0, MOST_SHIFT) == 0.0
    assert habit(0, 10**9, 1.0, MOST_SHIFT) == -MOST_SHIFT
    assert habit(10**9, 0, 1.0, MOST_SHIFT) == 0.0
    steps = [habit(helpful, 5, 1.0, MOST_SHIFT) for helpful in range(40)]
    assert steps == sorted(steps)


def test_what_was_ignored_again_and_again_falls_silent_unless_it_helped_as_often() -> None:
    def chance(**record: int) -> float:
        prices = entry("projects/shop/prices", title="Prices are integers in cents", **record)
        return rank(index_of(prices, *SHOP[1:]), Query("prices in cents", "shop"))[0].probability

    assert chance(fired=9, ignored=9) < chance(fired=2, ignored=2) < chance()
    assert chance(fired=9, ignored=3, fired_helpful=6) == chance() == chance(fired=4, fired_helpful=4)


def test_a_person_who_ignores_what_is_shown_is_shown_less() -> None:
    tone = entry("global/tone", title="Answer briefly", fired=60, ignored=60)
    bored, new = (rank(index_of(*SHOP[:3], one), Query("prices in cents", "shop"))[0] for one in (tone, SHOP[3]))
    assert bored.card.id == new.card.id == "projects/shop/prices"
    assert bored.probability < new.probability


def test_an_entry_without_title_and_cues_is_shown_if_its_body_covers_the_prompt() -> None:
    bare = entry("global/talk", title="", body="My sister keeps two parrots, a green one named Kiwi and a grey one named Ash.")
    index = index_of(bare, *SHOP)
    assert [card.id for card in prime(index, Query("what are the parrots of my sister named", "shop"), set()).cards] == ["global/talk"]
    assert prime(index, Query("how do parrots learn to speak in the wild, and why", "shop"), set()).cards == []


def test_the_scorer_for_silence_rises_with_shared_words() -> None:
    index = index_of(*SHOP)
    weak = rank(index, Query("prices of something else entirely unrelated to all of this", "shop"))
    strong = rank(index, Query("are prices integers in cents, never floats", "shop"))
    assert 0.0 <= weak.probability < strong.probability <= 1.0


def test_a_cue_that_names_the_situation_outright_is_met_whatever_it_is_done_to() -> None:
    rule = entry("global/uv", title="Always use uv, never pip", applies_when=("installing packages", "adds a dependency"))
    named, bare = index_of(rule), index_of(entry("global/uv", title="Always use uv, never pip", applies_when=("installing packages",)))
    assert [card.id for card in prime(named, Query("install flask"), set()).cards] == ["global/uv"]
    assert prime(bare, Query("install flask"), set()).probability < prime(named, Query("install flask"), set()).probability
    assert prime(named, Query("rename the flask"), set()).cards == []
