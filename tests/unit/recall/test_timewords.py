import pytest

from ultan.recall.timespan import span_of
from ultan.recall.timewords import LANGUAGES, in_english

TODAY = "2026-06-17"  # a Wednesday
LAST_WEEK = ("2026-06-08", "2026-06-14")


@pytest.mark.parametrize(
    ("language", "question", "start", "end"),
    [
        ("de", "was haben wir letzte Woche über Preise entschieden?", *LAST_WEEK),
        ("de", "vor drei Tagen", "2026-06-14", "2026-06-14"),
        ("de", "vor der Migration im März", "", "2026-03-31"),
        ("es", "qué decidimos la semana pasada", *LAST_WEEK),
        ("es", "antes de la migración de marzo", "", "2026-03-31"),
        ("es", "en mayo", "2026-05-01", "2026-05-31"),
        ("fr", "il y a deux semaines", "2026-06-01", "2026-06-07"),
        ("fr", "qu\u2019avons-nous décidé la semaine dernière", *LAST_WEEK),
        ("it", "cosa abbiamo deciso ieri", "2026-06-16", "2026-06-16"),
        ("pt", "o que decidimos na semana passada", *LAST_WEEK),
        ("nl", "wat hebben we vorige week besloten", *LAST_WEEK),
        ("pl", "co ustaliliśmy w zeszłym tygodniu", *LAST_WEEK),
        ("ru", "что мы решили на прошлой неделе", *LAST_WEEK),
        ("uk", "що ми вирішили минулого тижня", *LAST_WEEK),
        ("tr", "geçen hafta ne karar verdik", *LAST_WEEK),
        ("ar", "ماذا قررنا الأسبوع الماضي", *LAST_WEEK),
        ("hi", "पिछला सप्ताह", *LAST_WEEK),
        ("ga", "cad a shocraíomar inné", "2026-06-16", "2026-06-16"),
        ("ja", "先週何を決めた", *LAST_WEEK),
        ("ko", "지난주에 무엇을 결정했나", *LAST_WEEK),
        ("zh", "昨天我们决定了什么", "2026-06-16", "2026-06-16"),
        ("zh", "3天前", "2026-06-14", "2026-06-14"),
    ],
)
def test_a_time_is_understood_in_its_language(language: str, question: str, start: str, end: str) -> None:
    span = span_of(question, TODAY, language)
    assert span is not None
    assert (span.start, span.end) == (start, end)


@pytest.mark.parametrize(("language", "question"), [("de", "wie heißt die Funktion, die Preise rundet"), ("de", "gibt es 3 oder 5?"), ("fr", "quel est le nom du mois"), ("es", "mar y sol")])
def test_a_question_without_a_time_has_none(language: str, question: str) -> None:
    assert span_of(question, TODAY, language) is None


def test_every_language_has_its_tables_and_any_text_passes() -> None:
    for language in LANGUAGES:
        assert isinstance(in_english("\U0001f600 (x] \\1 " * 50, language), str)
    assert in_english("Letzte Woche", "xx") == "Letzte Woche"
