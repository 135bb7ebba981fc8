"""The latency bench runs what it is given, whole, beside the bare interpreter."""

import sys

from ultan import home, spool
from ultan.verbs import provision
from ultan.verbs.bench_latency import BOUNDS, bench_latency, entries, summary


def test_every_hook_is_run_beside_the_bare_interpreter(tmp_path):
    runtime = provision.here()
    (tmp_path / "proj").mkdir()
    argv = {verb: ["/bin/sh", "-c", runtime.line(verb)] for verb in BOUNDS}
    root = str(tmp_path / "h")
    found = bench_latency(argv, sys.executable, rounds=2, count=30, root=root, project=str(tmp_path / "proj"))
    assert set(found["rows"]) == {"bare", "notice", "prime", "capture"}
    assert found["rows"]["bare"]["ratio"] == 1
    assert (found["rounds"], found["entries"]) == (2, 30)
    kinds = {event.kind for event in spool.take(root, spool.backlog(root))}
    assert {"prompt", "tool_done"} <= kinds, "the hooks did their work"
    assert home.counters(root)["advised"] == 5, "each delivery of the tool call, the first rounds too"


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
