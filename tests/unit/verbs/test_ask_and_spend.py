"""Ask answers with or without a model; spend says what models cost and may."""

import json
import os

import pytest

from ultan import spool
from ultan.errors import NotLoggedIn
from ultan.events import Event, Piece, Transcript
from ultan.library.actions import Create
from ultan.library.executor import execute
from ultan.library.store import FileStore
from ultan.llm import Errand, Usage
from ultan.llm.recorded import Recorded, drop_old_transcripts, read_spending
from ultan.llm.scripted import scripted
from ultan.settings import Settings
from ultan.staff.packet import packets
from ultan.staff.proposals import Ruling
from ultan.verbs.ask import ask
from ultan.verbs.spend import estimate, spend

NOON = 1_780_000_000.0
CLAUDE = Settings({"curation.by": "claude"})


@pytest.fixture
def taught(home):
    actions = [
        Create(folder="global/python", slug="uv", kind="preference", title="uv, never pip", rule="Use uv for Python packages, never pip."),
        Create(folder="global/git", slug="commits", kind="preference", title="Commits in English", rule="Write commit messages in English."),
    ]  # fmt: skip
    execute(FileStore(home), actions, now=NOON, by="person")
    return home


def asked(root, question, **more):
    return ask(root, question, more.pop("settings", Settings()), now=lambda: NOON, **more)


def test_without_a_model_the_entries_are_the_answer_and_it_says_so(taught):
    answer = asked(taught, "which tool installs python packages?")
    assert answer.by == "library"
    assert answer.citations[0] == "global/python/uv"
    assert "Use uv for Python packages, never pip. [[global/python/uv]] (you, 2026-05-28)" in answer.text
    assert answer.opinion == ""
    assert not os.path.exists(os.path.join(taught, "cost.json"))


def test_with_a_model_what_is_stored_and_what_it_thinks_stay_apart(taught):
    model = scripted(
        {"entries": ["global/python/uv"]},
        {"text": "uv, never pip [[global/python/uv]].", "citations": ["global/python/uv"], "opinion": "Pin versions."},
    )
    answer = asked(taught, "pip or uv?", settings=CLAUDE, model=model)
    assert (answer.by, answer.citations, answer.opinion) == ("claude", ("global/python/uv",), "Pin versions.")
    assert [excerpt.entry for excerpt in answer.excerpts] == ["global/python/uv"]
    assert read_spending(taught).total.calls == 2


def test_a_model_that_fails_leaves_the_entries_and_the_reason(taught):
    answer = asked(taught, "pip or uv for python packages?", settings=CLAUDE, model=scripted(NotLoggedIn("please run /login")))
    assert answer.by == "library"
    assert answer.note == "no model answered: please run /login"
    assert answer.citations[0] == "global/python/uv"


def test_an_empty_home_is_silent(tmp_path):
    answer = asked(str(tmp_path / "none"), "anything?")
    assert (answer.text, answer.note) == ("", "nothing is remembered yet")


def errand(**more):
    return Errand("scholar", "rule", "packet", Ruling, session="s1", **more)


def test_spend_says_what_was_spent_and_what_is_left(home):
    model = Recorded(scripted({"verdicts": []}, {"verdicts": []}), home, Settings(), lambda: NOON)
    model.ask(errand())
    model.ask(errand())
    seen = spend(home, Settings(), NOON)
    assert (seen.calls, seen.calls_left, seen.why) == (2, 48, "")
    assert [name for name, *_ in seen.by_role] == ["scholar"]
    assert seen.days[-1].calls == 2
    assert len(seen.days) == 14


def test_an_estimate_asks_nobody_and_counts_only_sessions_with_words(home):
    for place in range(4):
        pieces = [Piece(f"p{place}", "user", "words " * 50)] if place < 3 else []
        spool.put(home, Event(f"{place:012x}-{place:010x}", NOON, "prompt", session=f"s{place}", pieces=pieces))
    seen = estimate(home, Settings({"curation.calls_a_day": 3}), NOON)
    assert (seen.sessions, seen.calls, seen.is_measured, seen.fits) == (3, 4, False, False)
    assert seen.cost_usd > 0
    assert read_spending(home).total.calls == 0


@pytest.mark.parametrize("sizes", [(100,), (6000, 6000, 6000), (200,) * 90, (5000, 300, 300, 6900, 20, 1000)])
def test_an_estimate_counts_the_packets_that_will_be_read(home, sizes):
    pieces = [Piece(f"p{place}", "user", "x" * size) for place, size in enumerate(sizes)]
    spool.put(home, Event(f"{1:012x}-{1:010x}", NOON, "prompt", session="s", pieces=pieces))
    rulings = 1
    assert abs(estimate(home, Settings(), NOON).calls - rulings - len(packets(Transcript("s", "", pieces)))) <= 1


def test_whoever_chooses_a_model_is_told_the_price_before_any_call(ultan, home):
    spool.put(home, Event(f"{1:012x}-{1:010x}", NOON, "prompt", session="s", pieces=[Piece("p", "user", "always use uv")]))
    said = ultan("config", "curation.by", "claude")
    assert "the queue would take about 2 calls" in said.err + said.out
    assert "calls a day" in said.err + said.out
    assert read_spending(home).total.calls == 0
    assert "the queue" not in ultan("config", "curation.by", "clerk").err


def test_transcripts_live_seven_days_and_the_record_stays(home):
    clock = [NOON]
    model = Recorded(scripted(*[{"verdicts": []}] * 2), home, Settings(), lambda: clock[0])
    model.ask(errand())
    runs = os.path.join(home, "runs")
    assert len([name for name in os.listdir(runs) if name.endswith(".md")]) == 1
    assert drop_old_transcripts(home, NOON + 6.9 * 86400) == 0
    clock[0] += 7.1 * 86400
    model.ask(errand())
    names = os.listdir(runs)
    assert len([name for name in names if name.endswith(".md")]) == 1
    assert len([name for name in names if name.endswith(".jsonl")]) == 2
    assert drop_old_transcripts(home, NOON + 367 * 86400) == 2, "a transcript, and the first day on record"
    assert len([name for name in os.listdir(runs) if name.endswith(".jsonl")]) == 1
    assert read_spending(home).total.calls == 2


def test_a_failed_call_is_on_record_with_its_cost(home):
    error = NotLoggedIn("Failed to authenticate")
    from ultan.llm import Reply

    error.spent = Reply(None, Usage(100, 5), 0.02, paid_by="api")
    with pytest.raises(NotLoggedIn):
        Recorded(scripted(error), home, Settings(), lambda: NOON).ask(errand())
    [name] = [name for name in os.listdir(os.path.join(home, "runs")) if name.endswith(".jsonl")]
    with open(os.path.join(home, "runs", name), encoding="utf-8") as file:
        row = json.loads(file.read())
    assert (row["parsed_ok"], row["cost_usd"], row["paid_by"]) == (False, 0.02, "api")
    assert spend(home, Settings(), NOON + 1).why == "login"
