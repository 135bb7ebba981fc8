"""Hostile input for a moment; ``tests/crash/fuzz.py`` does the same for as long as one likes."""

import random

import pytest
import targets
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st


@pytest.fixture(scope="module")
def place():
    made = targets.Place()
    yield made
    made.close()


@pytest.mark.parametrize("name", targets.SEEDS)
def test_a_seed_and_what_grows_from_it_let_nothing_out(name, place):
    target = targets.of(name, place)
    grown = random.Random(name)
    rounds = 40 if name in targets.ON_DISK else 400
    for seed in targets.SEEDS[name]:
        target(seed)
    for _ in range(rounds):
        target(targets.mutated(grown.choice(targets.SEEDS[name]), grown))


@pytest.mark.parametrize("name", targets.PURE)
def test_any_bytes_at_all_let_nothing_out(name):
    @settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck), database=None)
    @given(
        st.binary(max_size=300)
        | st.text(max_size=200).map(lambda text: text.encode("utf-8", "surrogatepass"))
    )
    def hold(raw):
        targets.PURE[name](raw)

    hold()
