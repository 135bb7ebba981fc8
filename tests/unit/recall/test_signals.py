import random

import pytest

from ultan.recall.signals import LEAST_TRUST, best_of, trust, yielding

WEIGHED = [(1, 4.0, []), (2, 3.0, []), (3, 1.0, [])]


def test_words_count_in_full_where_the_best_entry_holds_half_of_the_prompt() -> None:
    assert trust(WEIGHED, 4.0) == 1.0
    assert trust(WEIGHED, 8.0) == 1.0


def test_words_yield_the_more_the_less_of_the_prompt_any_entry_holds() -> None:
    assert trust(WEIGHED, 2.0) == pytest.approx(0.25)
    assert trust(WEIGHED, 1.0) < trust(WEIGHED, 2.0)
    assert trust(WEIGHED, 0.0) == pytest.approx(LEAST_TRUST**2)


def test_of_a_long_prompt_only_the_rarest_words_are_asked_for() -> None:
    long = WEIGHED + [(number, 0.5, []) for number in range(4, 60)]
    assert trust(long, 5.25) == 1.0


def test_without_a_known_word_nothing_yields() -> None:
    assert trust([], 0.0) == 1.0


def test_words_yield_to_topics_and_topics_to_words() -> None:
    spreads = {"words": (1.0, 2.0), "near": (0.5, 1.0), "files": (0.1, 3.0), "topic": (0.0, 1.0)}
    assert yielding(spreads, 0.5) == {"words": (1.0, 4.0), "near": (0.5, 2.0), "files": (0.1, 3.0), "topic": (0.0, 1.0 / 0.75)}
    assert yielding(spreads, 1.0) == {**spreads, "topic": (0.0, 2.0)}


@pytest.mark.parametrize("size", [0, 3, 39, 40, 41, 500])
def test_the_best_are_those_of_a_full_sort_with_equal_ones_in_order(size: int) -> None:
    rng = random.Random(size)
    scores = {doc: rng.choice([0.0, 0.5, 1.5, rng.random()]) for doc in rng.sample(range(10_000), size)}
    assert best_of(scores, 20) == sorted(scores, key=lambda doc: (-scores[doc], doc))[:20]
