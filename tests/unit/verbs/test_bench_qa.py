import json

import pytest

from ultan.errors import QuotaReached, UsageError
from ultan.llm.scripted import Scripted
from ultan.verbs.bench_qa import Graded, Read, bench_qa, read_questions, scored

ENTRIES = [
    {"id": "a", "text": "Prices are integers in cents.", "pool": "shop", "date": "2026-01-02"},
    {"id": "b", "text": "Releases happen on Tuesdays.", "pool": "shop"},
    {"id": "c", "text": "Prices are decimals.", "pool": "bank"},
]
QUERIES = [
    {"id": "1", "text": "How are prices kept?", "pool": "shop", "group": "facts", "answer": "integers in cents", "relevant": {"a": 1}},
    {"id": "2", "text": "When do releases happen?", "pool": "shop", "group": "times", "rubric": ["names Tuesday", "says nothing of prices"]},
    {"id": "3", "text": "Not graded", "pool": "shop"},
]


@pytest.fixture
def folder(tmp_path) -> str:
    for name, rows in (("entries.jsonl", ENTRIES), ("queries.jsonl", QUERIES)):
        (tmp_path / name).write_text("\n".join(map(json.dumps, rows)) + "\n")
    return str(tmp_path)


def reader(errand):
    """A model that repeats the first note."""
    note = errand.question.split("<note", 1)[1].split(">", 1)[1].split("<", 1)[0].strip()
    return Read(text=note, notes=[1])


def judge(errand):
    """A model that finds a criterion met if its last word stands in the answer."""
    answer = errand.question.split("<answer", 1)[1].split("<", 1)[0]
    criteria = [line for line in errand.question.splitlines() if line[:1].isdigit()]
    return Graded(grades=[1.0 if line.split()[-1].lower() in answer.lower() else 0.0 for line in criteria])


def test_answers_come_from_what_recall_finds_and_are_graded_by_group(folder) -> None:
    asked = Scripted(otherwise=reader)
    report = bench_qa(folder, reader=asked, judge=Scripted(otherwise=judge))
    assert [row["id"] for row in report["answers"]] == ["1", "2"]
    assert report["groups"]["facts"]["grade"] == 1.0
    assert report["groups"]["times"]["grade"] == 0.5
    assert (report["overall"]["n"], report["overall"]["right"], report["overall"]["failed"]) == (2, 1, 0)
    assert "(2026-01-02) Prices are integers" in asked.asked[0].question
    assert "decimals" not in asked.asked[0].question, "another pool's entries are not seen"


def test_the_judge_sees_neither_notes_nor_relevance(folder) -> None:
    graded = Scripted(otherwise=judge)
    bench_qa(folder, reader=Scripted(otherwise=lambda _: Read(text="I do not know.")), judge=graded, most=1)
    assert len(graded.asked) == 1
    assert "<note" not in graded.asked[0].question


def test_grades_that_do_not_fit_the_rubric_are_handed_back(folder) -> None:
    graded = Scripted([Graded(grades=[0.7]), Graded(grades=[1.0, 1.0]), Graded(grades=[0.5])])
    report = bench_qa(folder, reader=Scripted(otherwise=reader), judge=graded, most=1)
    assert report["overall"]["grade"] == 0.5


def test_a_model_that_fails_leaves_the_question_unanswered(folder) -> None:
    report = bench_qa(folder, reader=Scripted(otherwise=QuotaReached("used up")), judge=Scripted(otherwise=judge))
    assert (report["overall"]["failed"], report["overall"]["grade"]) == (2, 0.0)


def test_a_set_without_answers_is_refused(folder, tmp_path) -> None:
    (tmp_path / "queries.jsonl").write_text(json.dumps(QUERIES[2]) + "\n")
    with pytest.raises(UsageError, match="rubric"):
        read_questions(folder)


def test_nothing_asked_is_no_grade() -> None:
    assert scored([])["n"] == 0
