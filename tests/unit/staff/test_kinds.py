"""What sort of memory a statement is."""

import os
import subprocess
import sys

import pytest

from ultan.events import ANSWER
from ultan.staff.kinds import GUARD, KINDS, SIGNS, kind_of, signs_of
from ultan.staff.statements import statements


def kind(text, origin="user"):
    return kind_of(statements(text)[-1], origin)


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("never delete the migrations folder", "warn"),
        ("don't touch production data", "warn"),
        ("I prefer short answers", "preference"),
        ("I hate it when comments explain every line", "preference"),
        ("ask me before you install anything", "preference"),
        ("always put new helpers next to the module that uses them", "convention"),
        ("I told you, tests belong in tests/unit", "convention"),
        ("every new endpoint must have an integration test", "convention"),
        ("the importer is called once a day", "finding"),
        ("we don't need a cache because the list is short", "finding"),
        ('the table is called "ledger"', "finding"),
        ("the parser is exposed as an API to the editor", "warn"),
        ("the counters are only for the sync command", "finding"),
        ("uh, we decided on modules, not classes, for the helper functions", "convention"),
        ("no, I don't like that", "finding"),
    ],
)
def test_a_kind_answers_one_of_four_questions(text, wanted):
    assert kind(text) == wanted


def test_an_answer_to_a_dialog_is_a_decision():
    assert kind("SQLite", ANSWER) == "decision"


def test_a_danger_that_nobody_forbids_is_no_warning():
    assert GUARD in signs_of(statements("never overwrite the lock file")[0])
    assert GUARD not in signs_of(statements("the job can overwrite the lock file")[0])


def test_every_number_belongs_to_a_sign():
    known = {*SIGNS, GUARD, ""}
    assert all(set(row) <= known for row in KINDS.values())


@pytest.mark.slow
def test_weights_and_kinds_do_not_depend_on_the_order_of_sets():
    """Sets of words are walked in another order in each process; sums must not see it."""
    program = (
        "from ultan.staff.clerk import weigh\nfrom ultan.staff.kinds import kind_of\nfrom ultan.staff.statements import statements\n"
        "for text in ('never touch the config, we decided that', 'I hate long answers in every repo', 'no, use uv because pip is slow'):\n"
        "    for each in statements(text): print(repr(weigh(each)), kind_of(each, 'user'))\n"
    )
    told = {
        subprocess.run([sys.executable, "-c", program], env={**os.environ, "PYTHONHASHSEED": seed}, capture_output=True, text=True, check=True).stdout
        for seed in ("0", "1", "2", "3")
    }
    assert len(told) == 1
