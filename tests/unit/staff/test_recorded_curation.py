"""What a capable model answered to the real prompts, blind: it still answers today's prompts, and reaches the bars.

The answers stand in ``tests/recorded/curation``; the sessions they are about do not, so what needs
them is skipped where the data set is missing.
"""

import json
import os
import statistics
from pathlib import Path

import pytest
from script import script

from ultan.llm import schema_of
from ultan.staff.packet import CHARS_A_TOKEN, prompt

HERE = Path(__file__).parents[2] / "recorded" / "curation"
USUAL = Path(__file__).parents[4] / "shared" / "data"
PRECISION, RECALL, LABELS = 0.75, 0.30, 0.80
KINDS_NOW = 0.79
KINDS_UNSEEN, GLOBAL_UNSEEN = 0.73, 0.80
TOKENS = 6000
curation = script(HERE / "curation.py")
kinds = script(HERE / "kinds.py")


@pytest.fixture(scope="module")
def data():
    folder = Path(os.environ.get("ULTAN_BENCH_DATA") or USUAL) / "primebench"
    if not (folder / "sessions_gold.jsonl").is_file():
        pytest.skip(f"no sessions_gold.jsonl in {folder}")
    return folder


def _compact(contract):
    return json.dumps(schema_of(contract), separators=(",", ":"))


def rows(role, *, others=False):
    found = [json.loads(path.read_text(encoding="utf-8")) for path in sorted(curation.home_of(role, others=others).glob("*.json"))]
    if not found:
        pytest.skip(f"no answers of the {role} are recorded")
    return found


@pytest.mark.parametrize("others", [False, True])
@pytest.mark.parametrize("role", ["librarian", "scholar"])
def test_the_answers_were_given_to_the_prompt_as_it_is(role, others):
    stale = [row["session"] for row in rows(role, others=others) if row["prompt"] != prompt(role).digest]
    assert stale == [], f"prompts/{role}.md changed since: record its answers anew"


@pytest.mark.parametrize("others", [False, True])
@pytest.mark.parametrize("role", ["librarian", "scholar"])
def test_the_answers_were_given_to_the_questions_as_they_are(role, others, data):
    known = {row["question"] for row in rows(role, others=others)}
    asked = list(curation.errands(role, data, others=others))
    missing = [errand.session for errand in asked if curation.digest(errand.question) not in known]
    assert missing == [], "the questions changed since: record the answers anew"


def test_no_question_shows_a_label(data):
    for excerpt, errand in zip(curation.chosen(data), curation.errands("librarian", data), strict=False):
        assert '"durable"' not in errand.question
        assert excerpt.pieces


def test_twenty_excerpts_of_every_project_are_chosen_empty_ones_among_them(data):
    chosen = curation.chosen(data)
    assert len(chosen) == curation.CHOSEN
    assert len({excerpt.project for excerpt in chosen}) > 1
    assert any(not any(excerpt.items.values()) for excerpt in chosen)


def test_a_librarians_call_has_six_thousand_tokens_at_the_median(data):
    sizes = []
    for errand in curation.errands("librarian", data):
        contracts = [errand.result, *(tool.arguments for tool in errand.tools)]
        sizes.append(len(errand.prompt) + len(errand.question) + sum(len(_compact(each)) for each in contracts))
    assert statistics.median(sizes) / CHARS_A_TOKEN <= TOKENS


@pytest.mark.parametrize("others", [False, True])
def test_librarian_and_scholar_reach_the_bars(data, others):
    rows("librarian", others=others), rows("scholar", others=others)
    found = curation.figures(data, others=others)
    ruled = found["librarian_and_scholar"]
    assert found["failed"] == 0
    assert ruled["durable"]["precision"] >= PRECISION
    assert ruled["durable"]["recall_rules"] >= RECALL
    assert ruled["scope_accuracy"]["project"] >= LABELS
    assert others or ruled["scope_accuracy"]["global"] >= LABELS
    assert found["vetoed"] > 0


def test_kind_stays_where_it_is_which_is_a_hair_below_the_bar(data):
    """31 of 39 kinds are as labelled; 32 are wanted."""
    rows("librarian"), rows("scholar")
    assert curation.figures(data)["librarian_and_scholar"]["kind_accuracy"] >= KINDS_NOW


@pytest.mark.parametrize("others", [False, True])
def test_the_clerks_table_does_not_set_the_kinds_of_a_model_better_on_both_sets(data, others):
    """What ADR 82 rests on: right as said, and by the way that the twenty chose; a better table asks for a new look."""
    rows("librarian", others=others), rows("scholar", others=others)
    found = kinds.figures(data, others=others)
    share = curation.figures(data, others=others)["librarian_and_scholar"]["kind_accuracy"]
    assert found["as_said"] / found["hits"] == pytest.approx(share, abs=1e-4)
    by_table = found["by_table"]["quotes, leading by 0"]
    assert by_table - found["as_said"] == found["mended"] - found["broken"]
    assert not others or by_table < found["as_said"]


def test_kinds_of_sessions_unseen_while_prompts_were_written_stay_where_they_are_which_is_below_the_bar(data):
    """28 of 38 kinds are as labelled."""
    rows("librarian", others=True), rows("scholar", others=True)
    ruled = curation.figures(data, others=True)["librarian_and_scholar"]
    assert ruled["kind_accuracy"] >= KINDS_UNSEEN
    assert ruled["scope_accuracy"]["global"] >= GLOBAL_UNSEEN
