"""Clocks that lie archive nothing wrongly (RELIABILITY R19); ``tests/bench/clocks.py`` counts many trials."""

import os
import sys
import time
from pathlib import Path

import pytest

from ultan.library import upkeep
from ultan.library.actions import Create
from ultan.library.store import FileStore
from ultan.settings import Settings
from ultan.verbs.decay import decay
from ultan.verbs.desk import Desk

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


@pytest.mark.parametrize("now", [253_402_300_800.0, 1e12, 1e18, -1.0])
def test_a_clock_past_the_year_9999_or_before_the_first_day_archives_nothing_and_fails_nothing(home, now):
    desk = Desk(home, FileStore(home), Settings(), 1_780_000_000.0)
    desk.execute([Create(folder="global", kind="finding", title="A fact", rule="The port is 8080.")])
    lying = Desk(home, desk.store, desk.settings, now)
    assert [one.verdict for one in decay(lying, dry_run=True).standing] == ["keep"]
    assert decay(lying).archived == ()
    assert upkeep.day(now) in ("9999-12-31", "1970-01-01")
