"""Times as other languages say them → the English that ``timespan`` reads.

The words are ``dateparser``'s own tables, kept by others for hundreds of locales; its search in running
text is not used, because it takes articles for dates ("die" in German) and misses "la semana pasada".
Here stands only what those tables lack: words for before and after, and the small numbers.
"""

import re
from functools import lru_cache
from importlib import import_module
from typing import Any

LANGUAGES = ("ar", "de", "es", "fr", "ga", "hi", "it", "ja", "ko", "nl", "pl", "pt", "ru", "tr", "uk", "zh")
UNSPACED = frozenset(("ja", "ko", "zh"))
SHORTEST = 4  # letters of a month or weekday in a script with many other short words
UNITS = ("day", "week", "month", "year")
_MONTHS = ("january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november", "december")
_WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
# Words before a time. Where they stand behind it (Turkish, Hindi, Japanese, Korean, Chinese) they are not read.
_AHEAD = {
    "de": ("vor bis", "nach seit"), "fr": ("avant jusqu'à", "après depuis"), "es": ("antes hasta", "después desde"),
    "it": ("prima fino", "dopo"), "pt": ("antes até", "depois desde"), "nl": ("voor tot", "na sinds"),
    "pl": ("przed do", "po od"), "ru": ("до перед", "после"), "uk": ("до перед", "після"), "ar": ("قبل", "بعد منذ"),
    "ga": ("roimh", "ó"),
}  # fmt: skip
_NUMBERS = {
    "de": "zwei drei vier fünf sechs", "fr": "deux trois quatre cinq six", "es": "dos tres cuatro cinco seis",
    "it": "due tre quattro cinque sei", "pt": "dois três quatro cinco seis", "nl": "twee drie vier vijf zes",
    "pl": "dwa trzy cztery pięć sześć", "ru": "два три четыре пять шесть", "uk": "два три чотири п'ять шість",
    "tr": "iki üç dört beş altı",  # noqa: RUF001 -- Turkish has this letter
}  # fmt: skip
_MORE_NUMBERS = {"ein": 1, "einer": 1, "einem": 1, "une": 1, "un": 1, "una": 1, "uma": 1, "um": 1, "een": 1, "bir": 1,
                 "duas": 2, "dwie": 2, "две": 2, "дві": 2}  # fmt: skip


def in_english(text: str, language: str) -> str:
    """*text* in lower case with every time that *language* names said in English; other words stay."""
    if language not in LANGUAGES:
        return text
    text = " ".join(text.lower().replace("\u2019", "'").split())
    numbers = _numbers(language)
    text = " ".join(numbers.get(word, word) for word in text.split(" "))
    for pattern, english in _table(language):
        text = pattern.sub(english, text)
    return text


def _numbers(language: str) -> dict[str, str]:
    found = {word: str(at) for at, word in enumerate(_NUMBERS.get(language, "").split(), 2)}
    return found | {word: str(number) for word, number in _MORE_NUMBERS.items()}


@lru_cache(maxsize=4)
def _table(language: str) -> tuple[tuple[re.Pattern[str], str], ...]:
    """Patterns and what they mean, the longest first: "vor 3 Tagen" before "vor"."""
    tables: dict[str, Any] = import_module(f"dateparser.data.date_translation_data.{language}").info
    is_spaced = language not in UNSPACED
    rows: list[tuple[str, str]] = []
    for unit in UNITS:
        for count, english in ((0, f"this {unit}"), (1, f"last {unit}"), (2, f"2 {unit}s ago")):
            day = {"this day": "today", "last day": "yesterday"}.get(english, english)
            rows += [(re.escape(word), day) for word in tables["relative-type"].get(f"{count} {unit} ago", ())]
        for word in tables["relative-type-regex"].get(f"\\1 {unit} ago", ()):
            number = re.sub(r"\(\\d[^)]*\)", r"(\\d{1,3})", word)
            rows.append((number, rf" \1 {unit}s ago "))
    for name in (*_MONTHS, *_WEEKDAYS):
        said = "in may" if name == "may" else name  # alone it is a word of its own in English
        rows += [(re.escape(word), said) for word in tables.get(name, ()) if len(word) >= SHORTEST or not is_spaced]
    rows.sort(key=lambda row: -len(row[0]))
    before, after = _AHEAD.get(language, ("", ""))
    rows += [(re.escape(word), "before") for word in before.split()]
    rows += [(re.escape(word), "after") for word in after.split()]
    edge = r"(?<!\w)(?:{})(?!\w)" if is_spaced else "(?:{})"
    space = "" if is_spaced else " "
    return tuple((re.compile(edge.format(word), re.IGNORECASE), space + english + space) for word, english in rows)
