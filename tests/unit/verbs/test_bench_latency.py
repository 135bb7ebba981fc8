"""The latency bench runs what it is given, whole, beside the bare interpreter."""

import sys

import pytest

from ultan import housekeeping, spool
from ultan.recall.index import open_index
from ultan.verbs import provision
from ultan.verbs.bench_latency import BOUNDS, bench_latency, bound_of, entries, summary


@pytest.mark.slow
def test_every_hook_is_run_beside_the_bare_interpreter(tmp_path):
    runtime = provision.here()
    (tmp_path / "proj").mkdir()
    argv = {verb: ["/bin/sh", "-c", runtime.line(verb)] for verb in BOUNDS}
    root = str(tmp_path / "h")
    found = bench_latency(argv, sys.executable, rounds=6, count=30, root=root, project=str(tmp_path / "proj"), sizes=(12,),
                          save=[sys.executable, "-m", "ultan", "save"])
    assert set(found["rows"]) == {"bare", "notice", "notice 20 KB", "prime", "prime 12", "capture", "save"}
    assert open_index(str(tmp_path / "young")).size == 9, "what was saved can be primed at once"
    assert found["rows"]["bare"]["ratio"] == 1
    assert (found["rounds"], found["entries"]) == (6, 30)
    kinds = {event.kind for event in spool.take(root, spool.backlog(root))}
    assert {"prompt", "tool_done"} <= kinds, "the hooks did their work"
    assert housekeeping.counters(root)["advised"] == 7, "a session is advised once"
    assert housekeeping.counters(root)["primed"] == 9, "each prompt is answered, in a session that was primed before too"


def test_a_hook_above_its_bound_breaks_the_whole():
    even = {"bare": [1.0] * 9, "notice": [1.5] * 9, "prime": [2.0] * 9, "capture": [2.0] * 9}
    assert summary(even, 1)["kept"] is True
    slow = summary({**even, "notice": [2.5] * 9}, 1)
    assert slow["kept"] is False
    assert slow["rows"]["notice"]["kept"] is False
    uneven = summary({**even, "prime": [2.0] * 8 + [9.0]}, 1)
    assert uneven["rows"]["prime"]["kept"] is False


def test_a_synthetic_library_is_the_same_each_time():
    assert entries(20) == entries(20)
    assert len({entry.id for entry in entries(20)}) == 21


def test_each_size_has_its_own_bound_and_saving_is_only_told():
    assert [bound_of(name, 10_000) for name in ("prime 1000", "prime", "prime 100000", "prime 7", "bare")] == [2.0, 2.5, 4.0, None, None]
    assert (bound_of("prime", 1_000), bound_of("prime", 30), bound_of("notice 20 KB", 30)) == (2.0, 2.5, 8.0)
    assert summary({"bare": [1.0] * 9, "save": [50.0] * 9}, 1)["kept"] is True
