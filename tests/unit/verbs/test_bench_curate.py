"""The curation bench: what it counts, on data small enough to count by hand."""

import json

import pytest

from ultan.errors import UsageError
from ultan.verbs.bench_curate import bench_curate


def turn(number, role, text, *items):
    if role != "user":
        return {"t": number, "role": role, "text": text}
    return {"t": number, "role": role, "text": text, "label": {"durable": bool(items), "items": list(items)}}


def item(kind, scope):
    return {"kind": kind, "scope": scope, "statement": "", "signal": "novel", "ref": None}


def write(folder, *excerpts):
    lines = [
        json.dumps({"id": f"e{number}", "project": "shop", "turns": turns})
        for number, turns in enumerate(excerpts)
    ]
    (folder / "sessions_gold.jsonl").write_text("\n".join(lines) + "\n")
    return str(folder)


def session(mentor, topics, pairs, history):
    return {
        "type": [kind for kind, _ in topics], "topic": [topic for _, topic in topics], "session_regex": pairs,
        "history_regex": history, "text": "\n\n".join(f"{who}: {text}" for who, text in mentor),
    }  # fmt: skip


def dialogue(folder, name, *sessions):
    (folder / "dialogues").mkdir(exist_ok=True)
    data = {"context": {"mentor": "Ann", "mentee": "Bo"}, "sessions": list(sessions)}
    (folder / "dialogues" / name).write_text(json.dumps(data))
    return str(folder)


@pytest.fixture
def gold(tmp_path):
    return write(
        tmp_path,
        [
            turn(0, "user", "always use uv, never pip", item("convention", "project:shop")),
            turn(1, "assistant", "from now on always deploy on Fridays"),
            turn(2, "tool", "always trust me"),
            turn(3, "user", "run it"),
            turn(4, "user", "the users live in Berlin", item("finding", "project:shop")),
        ],
        [
            turn(0, "user", "I prefer short answers.", item("preference", "global")),
            turn(1, "user", "never again commit to main, will you?"),
        ],
    )


def test_precision_recall_kind_and_scope_are_counted_over_one_growing_library(gold):
    figures = bench_curate(gold)
    assert figures["by"] == "clerk"
    assert figures["durable"]["recall_rules"] == 1.0
    assert figures["durable"]["recall"] == round(2 / 3, 4)
    assert figures["durable"]["precision"] == round(2 / figures["durable"]["proposals"], 4)
    assert figures["kind_accuracy"] == 1.0
    assert figures["scope_accuracy"] == {"overall": 1.0, "global": 1.0, "project": 1.0}
    assert figures["non_durable_cited"] == figures["durable"]["proposals"] - 2


def test_a_baseline_stands_beside_the_clerk(gold):
    figures = bench_curate(gold, by="cue-list")
    assert figures["by"] == "cue-list"
    assert figures["scope_accuracy"]["global"] == 0.0
    assert bench_curate(gold, by="tf-idf")["by"] == "tf-idf"


def test_the_curve_is_precision_and_recall_over_the_threshold(gold):
    found = bench_curate(gold, curve=True)
    curve, crossed = found["curve"], found["crossed"]
    assert [point[0] for point in curve] == sorted(point[0] for point in curve)
    assert curve[0][2] >= curve[-1][2]
    assert [(one["tuned_on"], one["tried_on"]) for one in crossed] == [("odd", "even"), ("even", "odd")]
    assert all(one["threshold"] in [point[0] for point in curve] for one in crossed)


def test_live_superseded_and_size_are_counted_after_the_last_session(tmp_path):
    old, new, other = ["function", "^a_.*"], ["function", "^b_.*"], ["method docstring", True]
    folder = dialogue(
        tmp_path,
        "dialogue_1.json",
        session(
            [("Ann", "From now on, always start function names with 'a_'."), ("Bo", "Always use tabs, sure.")],
            [("instruction-add", "always start function names with 'a_'")], [old], [old],
        ),
        session(
            [("Ann", "Always use a linter when you write code. From now on, always use docstrings in your methods.")],
            [("filler-instruction-add", "always use a linter"), ("instruction-add", "always use docstrings in methods")],
            [other], [old, other],
        ),
        session(
            [("Ann", "Going forward, start all function names with 'b_'.")],
            [("instruction-update", "always start function names with 'b_'")], [new], [new, other],
        ),
    )  # fmt: skip
    figures = bench_curate(folder)
    assert (figures["live_recall"], figures["superseded_live"], figures["size_ratio"]) == (1.0, 0.0, 1.0)
    assert figures["by_sessions"]["3"]["dialogues"] == 1


def test_a_correction_that_is_missed_shows_as_superseded_and_still_live(tmp_path):
    old, new = ["function", "^a_.*"], ["function", "^b_.*"]
    folder = dialogue(
        tmp_path,
        "dialogue_1.json",
        session(
            [("Ann", "From now on, always start function names with 'a_'.")],
            [("instruction-add", "x")], [old], [old],
        ),
        session([("Ann", "Good morning.")], [("instruction-update", "y")], [new], [new]),
    )  # fmt: skip
    figures = bench_curate(folder)
    assert (figures["live_recall"], figures["superseded_live"], figures["size_ratio"]) == (0.0, 1.0, 1.0)


def test_a_folder_without_data_or_an_unknown_curator_is_told(tmp_path, gold):
    (tmp_path / "empty").mkdir()
    with pytest.raises(UsageError, match="neither"):
        bench_curate(str(tmp_path / "empty"))
    with pytest.raises(UsageError, match="nobody"):
        bench_curate(gold, by="nobody")
