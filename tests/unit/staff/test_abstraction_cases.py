"""Twelve constructed groups of entries: a model that reads the prompts alone tells insight from coincidence.

The answers in ``tests/recorded/abstraction/answers`` were given blind: by a model that saw a
prompt and a question, never the right answer. A prompt that changed since makes them void.
"""

import json
from pathlib import Path

import pytest
from script import script

from ultan.library.actions import Abstract
from ultan.recall.text import terms
from ultan.staff import scholar
from ultan.staff.abstraction import failed_gates
from ultan.staff.packet import prompt
from ultan.staff.proposals import Proposal, Ruling
from ultan.staff.scan import complaints

HERE = Path(__file__).parents[2] / "recorded" / "abstraction"
CASES = sorted(HERE.glob("case-*.json"))
EXPECTED = json.loads((HERE / "expected.json").read_text(encoding="utf-8"))
LEAST_RIGHT = 11
render = script(HERE / "render.py")


def read(path):
    return json.loads(path.read_text(encoding="utf-8"))


def answers(role):
    """Case → the answer of *role*, with the skip that says why there are none."""
    found = {}
    for path in CASES:
        place = HERE / "answers" / path.name
        if place.exists() and role in read(place):
            found[path.stem.removeprefix("case-")] = read(place)[role]
    if len(found) < len(CASES):
        pytest.skip(f"{len(found)} of {len(CASES)} answers of the {role} are recorded")
    return found


def test_there_are_six_of_each_and_no_case_says_which_it_is():
    assert sorted(EXPECTED) == [path.stem.removeprefix("case-") for path in CASES]
    assert [row["approve"] for row in EXPECTED.values()].count(True) == 6
    assert len(EXPECTED) == 12
    for path in CASES:
        assert sorted(read(path)) == ["candidate", "case", "entries", "librarian", "scholar", "suggestion"]


@pytest.mark.parametrize("path", CASES, ids=lambda path: path.stem)
def test_a_question_is_what_the_code_asks_today(path):
    case = read(path)
    assert (case["librarian"], case["scholar"]) == render.questions(case), "run tests/recorded/abstraction/render.py"


@pytest.mark.parametrize("path", CASES, ids=lambda path: path.stem)
def test_no_case_is_decided_by_the_gates_that_code_holds(path):
    case = read(path)
    action = Abstract.model_validate(case["suggestion"]["action"], strict=False)
    assert failed_gates(action, render.library_of(case).entries, terms) == []


@pytest.mark.parametrize(("role", "name"), [("librarian", "abstraction"), ("scholar", "scholar")])
def test_the_answers_were_given_to_the_prompt_as_it_is(role, name):
    stale = [case for case, answer in answers(role).items() if answer["prompt"] != prompt(name).digest]
    assert stale == [], f"prompts/{name}.md changed since: record its answers anew"


def test_the_scholar_tells_insight_from_coincidence():
    right = []
    for case, answer in answers("scholar").items():
        ruling = Ruling.model_validate(answer["result"], strict=False)
        assert scholar.complaints(ruling, 1) == []
        right.append(ruling.verdicts[0].approve == EXPECTED[case]["approve"])
    assert sum(right) >= LEAST_RIGHT


def test_the_librarian_names_a_rule_where_there_is_one_and_what_it_says_passes_the_boundary():
    right = []
    for case, answer in answers("librarian").items():
        proposal = Proposal.model_validate(answer["result"], strict=False)
        plain = read(HERE / f"case-{case}.json")
        library = render.library_of(plain)
        sound = [item for item in proposal.suggestions if not complaints(item, [set(plain["candidate"])], library)]
        right.append(bool(sound) == EXPECTED[case]["approve"])
    assert sum(right) >= LEAST_RIGHT
