from ultan.encoders.hashing import HashingEncoder
from ultan.library.entry import Entry
from ultan.verbs.bench_plain import plain_answers
from ultan.verbs.bench_recall import Asked, DataSet


def entry(name: str, text: str, scope: str = "global") -> Entry:
    return Entry(id=name, title=text, kind="finding", scope=scope, created="", updated="", body="")


ENTRIES = (
    entry("global/a", "Prices are integers in cents"), entry("global/b", "Deploys wait for a green pipeline"),
    entry("projects/x/c", "Prices of shop X are floats", "project:x"),
)  # fmt: skip
QUESTIONS = (Asked("1", "which prices", "y", "all", {"a": 1.0}, None), Asked("2", "the green pipeline", "x", "all", {"b": 1.0}, None))
DATA = DataSet(ENTRIES, QUESTIONS, {"global/a": "a", "global/b": "b", "projects/x/c": "c"})


def test_every_system_answers_every_question_and_never_from_another_pool() -> None:
    found = plain_answers(DATA, HashingEncoder())
    assert set(found) == {"grep", "bm25", "vectors", "rrf"}
    for lists in found.values():
        assert [len(names) > 0 for names in lists] == [True, True]
        assert "c" not in lists[0]


def test_words_that_stand_in_an_entry_bring_it_first() -> None:
    for lists in plain_answers(DATA, None).values():
        assert [names[0] for names in lists] == ["a", "b"]
