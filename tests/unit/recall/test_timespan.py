import pytest

from ultan.recall.timespan import Span, day_of, span_of, within_first

TODAY = "2026-03-18"  # a Wednesday


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("2023/04/10 (Mon) 14:47", "2023-04-10"), ("1:56 pm on 8 May, 2023", "2023-05-08"), ("March-15-2024", "2024-03-15"),
        ("May 3rd, 2021", "2021-05-03"), ("2026-1-2", "2026-01-02"), ("soon", ""), ("", ""), ("99 Foo 2020", ""),
    ],
)  # fmt: skip
def test_dates_of_data_sets_are_read_leniently(text: str, day: str) -> None:
    assert day_of(text) == day


@pytest.mark.parametrize(
    ("question", "start", "end"),
    [
        ("what did I decide yesterday?", "2026-03-17", "2026-03-17"),
        ("what did we learn last week", "2026-03-09", "2026-03-15"),
        ("what changed this week", "2026-03-16", "2026-03-22"),
        ("rules from the last 10 days", "2026-03-08", "2026-03-18"),
        ("what was said two weeks ago about caching", "2026-03-02", "2026-03-08"),
        ("decisions in January", "2026-01-01", "2026-01-31"),
        ("decisions in November", "2025-11-01", "2025-11-30"),
        ("notes of late February", "2026-02-21", "2026-02-28"),
        ("what did we plan in 2025", "2025-01-01", "2025-12-31"),
        ("before the migration in March", "", "2026-03-31"),
        ("before February", "", "2026-01-31"),
        ("since last month", "2026-02-01", ""),
        ("after 2026-03-01", "2026-03-02", ""),
        ("between 2026-01-05 and 2026-02-10", "2026-01-05", "2026-02-10"),
        ("on 12 May 2025 we said", "2025-05-12", "2025-05-12"),
        ("last quarter", "2025-10-01", "2025-12-31"),
        ("what happened on Monday", "2026-03-16", "2026-03-16"),
    ],
)
def test_a_question_that_names_a_time_has_its_days(question: str, start: str, end: str) -> None:
    span = span_of(question, TODAY)
    assert span is not None
    assert (span.start, span.end) == (start, end)


@pytest.mark.parametrize("question", ["how do we store prices", "may I push?", "you may mar it", "version 2.0.1", "", "the last word on tests"])
def test_a_question_that_names_no_time_has_none(question: str) -> None:
    assert span_of(question, TODAY) is None


def test_what_lies_within_comes_first_and_nothing_is_lost() -> None:
    items = ["2026-01-01", "2026-03-10", "", "2026-03-12"]
    assert within_first(items, Span("2026-03-09", "2026-03-15", "last week"), lambda day: (day,)) == ["2026-03-10", "2026-03-12", "2026-01-01", ""]
    assert within_first(items, None, lambda day: (day,)) == items
