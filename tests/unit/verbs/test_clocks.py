"""Clocks that lie archive nothing wrongly (RELIABILITY R19); ``tests/bench/clocks.py`` counts many trials."""

import os
import sys
import time
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "bench"))


@pytest.mark.slow
@pytest.mark.parametrize("seed", [101, 102])
def test_a_clock_that_jumps_a_machine_asleep_and_moving_time_zones_archive_nothing_wrongly(home, seed, monkeypatch):
    import clocks

    monkeypatch.setenv("TZ", "UTC")
    archived, wrongly, lies = clocks.trial(seed, home)
    assert archived > 0
    assert wrongly == []
    assert lies
    os.environ.pop("TZ", None)
    time.tzset()
