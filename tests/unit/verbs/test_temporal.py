import os

import pytest

from ultan.errors import QuotaReached
from ultan.llm.scripted import Scripted
from ultan.recall.timespan import Span, hints_at_time
from ultan.settings import Settings
from ultan.verbs.search import span_asked
from ultan.verbs.temporal import Days, resolver

TODAY = "2026-03-18"
SET = Settings({"recall.temporal_model": "scripted:small"})
QUESTION = "what did we decide around easter two winters back?"


def resolve(root, model):
    os.makedirs(os.path.join(root, "runs"), exist_ok=True)
    found = resolver(str(root), SET, lambda: 1_780_000_000.0, model)
    assert found is not None
    return found


def test_without_the_setting_no_model_is_asked(tmp_path):
    assert resolver(str(tmp_path), Settings(), lambda: 0.0, Scripted()) is None


def test_a_time_no_rule_can_read_is_asked_of_the_model_and_checked(tmp_path):
    model = Scripted([Days(start="2024-04-01", end="2024-03-01"), Days(start="31.3.2024"), Days(start="2024-03-24", end="2024-04-07")])
    assert span_asked(QUESTION, TODAY, resolve(tmp_path, model)) == Span("2024-03-24", "2024-04-07", QUESTION)
    assert [errand.model for errand in model.asked] == ["small"]
    assert TODAY in model.asked[0].question
    assert len(model.told) == 2, "what is no day, and what ends before it begins, goes back"


@pytest.mark.parametrize("question", ["what did I decide yesterday?", "how do I install packages?"])
def test_a_time_that_rules_read_and_a_question_without_one_cost_no_call(tmp_path, question):
    model = Scripted([Days(start="2020-01-01")])
    span_asked(question, TODAY, resolve(tmp_path, model))
    assert model.asked == []


@pytest.mark.parametrize("step", [Days(), QuotaReached("used up"), "I think it was spring."])
def test_a_model_that_knows_no_time_leaves_the_question_without_one(tmp_path, step):
    assert span_asked(QUESTION, TODAY, resolve(tmp_path, Scripted(otherwise=step))) is None


def test_what_may_speak_of_a_time():
    assert hints_at_time("what was the plan back then?")
    assert hints_at_time("rules from the holidays")
    assert not hints_at_time("which linter runs here?")
