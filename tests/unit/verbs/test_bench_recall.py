import json

import pytest

from ultan.encoders.hashing import HashingEncoder
from ultan.errors import UsageError
from ultan.recall import ranking
from ultan.recall.compile import build_from_entries
from ultan.settings import Settings
from ultan.verbs.bench_notice import bench_notice
from ultan.verbs.bench_recall import bench_recall, read, scores

ENTRIES = [
    {"id": "a", "title": "Prices in cents", "body": "Prices are integers in cents.", "scope": "project:shop", "kind": "convention"},
    {"id": "b", "title": "Answer briefly", "body": "Keep it short.", "scope": "global", "kind": "preference"},
    {"id": "c", "title": "Prices are decimals", "body": "Decimals.", "scope": "project:bank", "kind": "convention"},
    {
        "id": "d", "title": "No pip", "body": "Use uv.", "scope": "global", "kind": "warn",
        "block_triggers": [{"tool": "Bash", "field": "command", "regex": "\\bpip install\\s+(?!-r)"}],
    },
]  # fmt: skip
QUERIES = [
    {"id": "1", "prompt": "are prices integers in cents?", "project": "shop", "relevant": {"a": 2}, "silent": False, "date": "2026-01-02"},
    {"id": "2", "prompt": "yes", "project": "shop", "relevant": {}, "silent": True},
    {"id": "3", "prompt": "prices as decimals", "project": "bank", "relevant": {"c": 1}, "silent": False, "cwd_files": ["price.py"]},
]
CALLS = [
    {"id": "t1", "project": "shop", "tool_name": "Bash", "tool_input": {"command": "pip install x"}, "should_fire": ["d"]},
    {"id": "t2", "project": "shop", "tool_name": "Bash", "tool_input": {"command": "pip install -r all.txt"}, "should_fire": []},
    {"id": "t3", "project": "shop", "tool_name": "Bash", "tool_input": {"command": "echo 'pip install x'"}, "should_fire": ["d"]},
]


@pytest.fixture
def folder(tmp_path) -> str:
    for name, rows in (("library.jsonl", ENTRIES), ("prompts.jsonl", QUERIES), ("toolcalls.jsonl", CALLS)):
        (tmp_path / name).write_text("\n".join(map(json.dumps, rows)) + "\n")
    return str(tmp_path)


def test_a_report_has_every_figure_that_was_promised(folder: str) -> None:
    report = bench_recall(folder, encoder=HashingEncoder(), groups=["shop+bank"])
    assert (report["mode"], report["entries"], report["queries"]) == ("cold", 4, 3)
    assert {"n", "R@1", "R@3", "R@5", "R@10", "P@3", "MRR", "nDCG@3", "nDCG@10", "ci"} == set(report["overall"])
    assert report["overall"]["n"] == 2 == report["groups"]["shop+bank"]["n"]
    assert report["overall"]["R@1"] == 1.0
    assert set(report["scopes"]) == {"global", "project"}
    assert "project/convention" in report["kinds_by_scope"]
    assert {"threshold", "false_prime_rate", "hit_rate", "precision_shown", "curve"} == set(report["silence"])
    assert set(report["delivered"]) == {"grade2_prime", "grade2_prime_or_brief", "grade2_prime_shown", "grade2_prime_or_brief_shown"}
    assert report["silence"]["false_prime_rate"] == 0.0
    json.dumps(report)


def test_the_same_data_twice_give_the_same_report(folder: str) -> None:
    first, second = (bench_recall(folder, encoder=HashingEncoder(), mode="warm", baselines=True) for _ in "ab")
    assert {**first, "ms": 0} == {**second, "ms": 0}
    assert set(first["baselines"]) == {"grep", "bm25", "vectors", "rrf"}


def test_a_bench_asks_the_ranking_that_primes(folder: str) -> None:
    data = read(folder)
    index = build_from_entries(data.entries, Settings(), HashingEncoder())
    ours = [data.names[item.card.id] for item in ranking.rank(index, ranking.Query(QUERIES[0]["prompt"], "shop"), limit=10)]
    report = bench_recall(folder, encoder=HashingEncoder())
    assert ours[0] == "a"
    assert report["projects"]["shop"]["MRR"] == 1.0


def test_graded_relevance_is_discounted_by_place() -> None:
    assert scores(["a", "b"], {"a": 2, "b": 1})["nDCG@3"] == pytest.approx(1.0)
    swapped = scores(["b", "a"], {"a": 2, "b": 1})
    assert swapped["nDCG@3"] < 1.0 == swapped["R@3"]
    assert scores([], {"a": 1}) == {"R@1": 0, "R@3": 0, "R@5": 0, "R@10": 0, "P@3": 0, "MRR": 0, "nDCG@3": 0, "nDCG@10": 0}


def test_triggers_are_measured_by_call(folder: str) -> None:
    report = bench_notice(folder)
    assert report == {"precision": 1.0, "recall": 0.5, "exact": 2, "calls": 3, "wrong": ["t3"]}


def test_a_folder_without_data_is_told(tmp_path) -> None:
    with pytest.raises(UsageError):
        bench_recall(str(tmp_path), encoder=HashingEncoder())
    with pytest.raises(UsageError):
        bench_notice(str(tmp_path))


def test_broken_lines_are_told(tmp_path) -> None:
    (tmp_path / "entries.jsonl").write_text("{broken\n")
    with pytest.raises(UsageError):
        read(str(tmp_path))
