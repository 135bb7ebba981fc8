"""The page of benchmarks is drawn from the JSON beside it, and the same each time."""

import json
from pathlib import Path

import pytest
from script import script

pytest.importorskip("matplotlib")

ROOT = Path(__file__).parent.parent.parent
MEASURES = ("R@3", "nDCG@3", "R@5", "R@10", "nDCG@10")


def page():
    return script(ROOT / "tests" / "bench" / "page.py")


def part(value: float) -> dict:
    return {"n": 9, **dict.fromkeys(MEASURES, value), "ci": {key: [value - 0.1, value + 0.1] for key in MEASURES}}


def report(value: float, **more: object) -> dict:
    return {
        "overall": part(value), "projects": {"shop": part(value)}, "groups": {"one+two": part(value)},
        "silence": {"threshold": 0.4, "false_prime_rate": 0.1, "hit_rate": 0.5, "precision_shown": 0.6, "curve": [[0.0, 1.0, 1.0], [0.5, 0.1, 0.5]]},
        "delivered": {"grade2_prime": 0.4}, **more,
    }  # fmt: skip


def written(folder: Path) -> None:
    rows = {"R@3": 0.6, "nDCG@3": 0.6, "R@10": 0.7}
    found = {
        "cold": report(0.5, baselines={"grep": part(0.2), "bm25": part(0.4)}), "warm": report(0.6), "shown_groups": ["one+two"],
        "notice": {"precision": 0.9, "recall": 0.8, "exact": 3, "calls": 4},
        "ablation": {"cold": {"all": rows, "without words": {**rows, "R@3": 0.5}, "half words": rows}},
    }  # fmt: skip
    run = {"commit": "abc1234", "machine": "a machine", "day": "2026-01-02", "results": {"primebench": found}}
    (folder / "abc1234.json").write_text(json.dumps(run))
    (folder / "old.json").write_text(json.dumps({**run, "commit": "old", "day": "2026-01-01"}))
    row = {"p50_ms": 10.0, "ratio": 1.0, "bound": None, "spread_ratio": 1.0}
    latency = {"rounds": 9, "machine": "m", "processors": 2, "python": "3", "entries": 10_000,
               "rows": {"bare": row, "prime": {**row, "p50_ms": 20.0, "ratio": 2.0}, "prime 1000": {**row, "p50_ms": 15.0, "ratio": 1.5}}}  # fmt: skip
    (folder / "latency.json").write_text(json.dumps(latency))


def test_the_page_tells_what_the_newest_run_found(tmp_path) -> None:
    written(tmp_path)
    page().main(str(tmp_path))
    text = (tmp_path / "README.md").read_text()
    assert "## Recall, at abc1234" in text
    assert "| primebench | 9 | R@3 | 0.200 [0.100, 0.300] | 0.400 [0.300, 0.500] | - | - | 0.500 [0.400, 0.600] | 0.600 [0.500, 0.700] |" in text
    assert "| without words | 0.5000 (-0.1000) |" in text
    assert "10 times the entries take 1.33 times the time of a prompt, 2.00 times what it takes above the interpreter." in text
    pictures = {name for line in text.splitlines() if line.startswith("![") for name in [line.rpartition("(")[2].rstrip(")")]}
    assert pictures == {"systems.svg", "projects.svg", "silence.svg", "ablation-cold.svg", "growth.svg"}
    assert all((tmp_path / name).read_text().lstrip().startswith("<?xml") for name in pictures)


@pytest.mark.slow
def test_the_same_figures_draw_the_same_pictures(tmp_path) -> None:
    written(tmp_path)
    page().main(str(tmp_path), "old.json")
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    page().main(str(tmp_path), "old.json")
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before


def test_an_empty_folder_has_a_page_without_figures(tmp_path) -> None:
    page().main(str(tmp_path))
    assert (tmp_path / "README.md").read_text().endswith("# Benchmarks\n")
