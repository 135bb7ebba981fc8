"""How a person's text is cut into statements, and what is not theirs."""

# ruff: noqa: RUF001 -- marks of other scripts
import time

import pytest

from ultan.staff.clerk import weigh
from ultan.staff.statements import own_text, statements
from ultan.staff.weights import THRESHOLD


def texts(text):
    return [statement.text for statement in statements(text)]


def test_statements_are_stretches_of_the_text():
    text = "OK... we use uv here, e.g. for tests. Never pip!  Why?\n- and `a.b. c` stays one"
    assert texts(text) == [
        "OK... we use uv here, e.g. for tests.",
        "Never pip!",
        "Why?",
        "- and `a.b. c` stays one",
    ]
    assert all(text[each.start : each.end] == each.text for each in statements(text))


def test_other_scripts_end_their_sentences_in_their_own_way():
    assert texts("总是用 uv。不要用 pip！") == ["总是用 uv。", "不要用 pip！"]
    assert texts("हमेशा uv इस्तेमाल करो। pip मत।") == ["हमेशा uv इस्तेमाल करो।", "pip मत।"]


def test_what_is_not_the_persons_own_is_blank_and_keeps_its_place():
    text = "see:\n```\nnever x\n```\n> never y\n| never | z |\nmine <private>never w</private>\n"
    own = own_text(text)
    assert len(own) == len(text)
    assert own.split() == ["see:", "mine"]


def test_a_pasted_plan_ends_the_persons_words_at_its_first_heading():
    plan = "Do this plan, always test:\n# Plan\n" + "never mind the tests\n" * 30
    assert texts(plan) == ["Do this plan, always test:"]


def test_a_short_remark_with_a_heading_stays():
    assert texts("# note\nnever use pip") == ["never use pip"]
    assert texts("# never use pip") == ["# never use pip"]


def test_comment_lines_of_a_pasted_file_are_nobodys_words():
    assert texts("this is too long. just say build\n# artifacts of the build, never\n# delete them") == [
        "this is too long.", "just say build"
    ]  # fmt: skip


def test_what_a_reviewer_wrote_weighs_less_than_the_persons_remark_below_it():
    comment = "Another agent reviewed this:\n\nThe handler must never swallow errors. It should always log them.\n\n"
    relayed, own = (
        statements(comment + "Handlers must never swallow errors.")[1],
        statements(comment + "Handlers must never swallow errors.")[-1],
    )
    assert "relayed" in relayed.marks
    assert "relayed" not in own.marks
    assert weigh(own) > weigh(relayed)


def test_the_language_is_told_statement_by_message():
    assert {each.language for each in statements("Benutze immer uv, nie pip. Das ist wichtig.")} == {"de"}
    assert {each.language for each in statements("use uv")} == {"en"}


@pytest.mark.parametrize(
    "text",
    ["No problem", "No idea", "No need to change that.", "No tests are failing", "No worries, go on", "No code yet.",
     "No errors so far", "No comment", "no hay problema con los tests", "Não há problema com os testes", "Nie ma problemu z testami", "لا مشكلة"],
)  # fmt: skip
def test_a_no_that_only_negates_what_follows_corrects_nothing(text):
    assert all("correction" not in statement.marks for statement in statements(text))


@pytest.mark.parametrize(
    "text",
    ["No, use pnpm", "No. Put it in the docs folder.", "no don't do that", "no i want a clean run every time", "No - keep it", "No; we use uv",
     "NO!", "No, usa siempre uv", "Não, usa o uv", "Nie, zawsze używaj uv", "لا، استخدم uv", "Nein, nimm uv", "Hayır, uv kullan", "Нет, используй uv"],
)  # fmt: skip
def test_a_no_that_answers_is_a_correction(text):
    assert "correction" in statements(text)[0].marks


def test_a_bare_no_makes_a_correction_of_the_sentence_after_it_and_of_no_other():
    no, put, done = statements("No. Put it in the docs folder. The rest is fine.")
    assert "correction" in no.marks & put.marks
    assert "correction" not in done.marks
    assert all("correction" not in each.marks for each in statements("No? Put it in the docs folder.")[1:])


@pytest.mark.parametrize(
    "text",
    ["Something I told you earlier is no longer up to date.", "You'll recall what I said about naming functions.", "Good to know once we optimise the code.",
     "Some of what I've told you in the past isn't current any longer.", "For the names of classes everything stays as we agreed."],
)  # fmt: skip
def test_what_only_recalls_that_something_was_said_is_no_rule(text):
    assert "recollected" in statements(text)[0].marks
    assert weigh(statements(text)[0]) < THRESHOLD


@pytest.mark.parametrize("text", ["I told you, tests go into tests/unit", "as we agreed, always use uv", "we decided on utils, not schema!"])
def test_what_recalls_a_rule_by_saying_it_stays(text):
    assert "recollected" not in statements(text)[0].marks


@pytest.mark.parametrize("text", ["Only remember that you're never done with it.", "Ask whenever something isn't clear or gives you a headache."])
def test_advice_for_life_is_no_rule_for_an_agent(text):
    assert weigh(statements(text)[0]) < THRESHOLD


@pytest.mark.parametrize("letter", ["a", "A1", "/x", "a-", "_", "x.", "='"])
def test_a_blob_without_a_blank_is_nobodys_words_and_costs_nothing(letter):
    blob = letter * 40_000
    began = time.process_time()
    assert [one.text for one in statements(f"use tabs in this project {blob}")] == ["use tabs in this project"]
    assert time.process_time() - began < 2  # without the bound it takes minutes
