"""Days in texts: lenient dates of data sets, and the time a question speaks of ("last week", "in March").

``dateparser`` reads the single expressions, in any of its languages; this module finds the English
phrases around them and turns a moment into the stretch of days it means. Slow side only.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import TypeVar

_MONTHS = {
    name: number
    for number, names in enumerate(
        (
            "january jan", "february feb", "march mar", "april apr", "may", "june jun", "july jul", "august aug",
            "september sep sept", "october oct", "november nov", "december dec",
        ),
        1,
    )
    for name in names.split()
}  # fmt: skip
_ISO = re.compile(r"(\d{4})[-/](\d{1,2})[-/](\d{1,2})")
_DAY_FIRST = re.compile(r"(\d{1,2})(?:st|nd|rd|th)?[\s-]+([A-Za-z]{3,9})[\s,-]+(\d{4})")
_MONTH_FIRST = re.compile(r"([A-Za-z]{3,9})[\s-]+(\d{1,2})(?:st|nd|rd|th)?[\s,-]+(\d{4})")


def day_of(text: str) -> str:
    """The ISO day that a date in any usual form names, or ``""``."""
    if found := _ISO.search(text):
        return _iso(int(found[1]), int(found[2]), int(found[3]))
    if found := _DAY_FIRST.search(text):
        return _iso(int(found[3]), _MONTHS.get(found[2].lower(), 0), int(found[1]))
    if found := _MONTH_FIRST.search(text):
        return _iso(int(found[3]), _MONTHS.get(found[1].lower(), 0), int(found[2]))
    return ""


def _iso(year: int, month: int, day: int) -> str:
    return f"{year:04d}-{month:02d}-{day:02d}" if 1 <= month <= 12 and 1 <= day <= 31 else ""


# --- questions --------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Span:
    """A stretch of days, both ends included; an empty end is open. *phrase* is what said so."""

    start: str
    end: str
    phrase: str

    def holds(self, day: str) -> bool:
        """Whether an ISO day lies within; an unknown day does not."""
        return bool(day) and (not self.start or day[:10] >= self.start) and (not self.end or day[:10] <= self.end)


_NUMBER = r"(?:\d{1,3}|an?|one|two|three|four|five|six|seven|eight|nine|ten|couple of|few)"
_UNIT = r"(?:day|week|month|quarter|year)s?"
_MONTH = r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)"
_WEEKDAY = r"(?:mon|tues|wednes|thurs|fri|satur|sun)day"
_MOMENT = (
    rf"(?:today|yesterday|this morning|\d{{4}}-\d{{1,2}}-\d{{1,2}}|{_NUMBER}\s+{_UNIT}\s+ago"
    rf"|(?:last|past|previous|this)\s+(?:{_NUMBER}\s+)?(?:{_UNIT}|{_WEEKDAY}|{_MONTH}|weekend)"
    rf"|\d{{1,2}}(?:st|nd|rd|th)?\s+{_MONTH}(?:\s+\d{{4}})?|{_MONTH}\s+\d{{1,2}}(?:st|nd|rd|th)?(?:,?\s+\d{{4}})?"
    rf"|(?:(?:early|mid|late)\s+)?{_MONTH}(?:\s+\d{{4}})?|(?:on\s+)?{_WEEKDAY}|20\d\d)"
)
_PHRASE = re.compile(
    rf"\b(?:(?P<how>before|until|till|by|after|since|from|between|in|on|during|over|within|the)\s+(?:the\s+)?)?(?P<when>{_MOMENT})"
    rf"(?:\s+(?:and|to|until|till)\s+(?P<until>{_MOMENT}))?\b",
    re.IGNORECASE,
)
_BARE_MAY = re.compile(r"(?:may|mar|sun)", re.IGNORECASE)  # words of their own more often than times
_BEFORE = re.compile(r"\b(?:before|until|prior to|up to)\b", re.IGNORECASE)
_AFTER = re.compile(r"\b(?:after|since)\b", re.IGNORECASE)
_WORDS = {"a": 1, "an": 1, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9,
          "ten": 10, "couple of": 2, "few": 3}  # fmt: skip


def span_of(text: str, today: str, language: str = "en") -> Span | None:
    """The days that a question in *language* speaks of, seen from *today*; ``None`` if it names no time.

    "Before X in March" ends with March; "since last week" is open to the end.
    """
    if language != "en":
        from ultan.recall.timewords import in_english  # noqa: PLC0415 -- tables of that language

        text = in_english(text, language)
    now = date.fromisoformat(today[:10])
    for found in _PHRASE.finditer(text):
        how, when, until = (found["how"] or "").lower(), found["when"], found["until"]
        if not how and _BARE_MAY.fullmatch(when):
            continue
        days = _days(when.lower(), now)
        if days is None:
            continue
        start, end = days
        if until and (later := _days(until.lower(), now)):
            return Span(start.isoformat(), later[1].isoformat(), found[0].strip())
        ahead = text[: found.start()]
        if how in ("before", "until", "till", "by"):
            return Span("", (start - timedelta(days=1)).isoformat() if how == "before" else end.isoformat(), found[0])
        if _BEFORE.search(ahead):
            return Span("", end.isoformat(), found[0])
        if how in ("after", "since") or _AFTER.search(ahead):
            return Span((end + timedelta(days=1)).isoformat() if how == "after" else start.isoformat(), "", found[0])
        return Span(start.isoformat(), end.isoformat(), found[0].strip())
    return None


_HINTS = re.compile(
    r"\b(?:when|ago|since|before|after|until|during|last|recent(?:ly)?|lately|earlier|previous(?:ly)?|back then|those days"
    r"|day|week|weekend|fortnight|month|quarter|season|year|spring|summer|autumn|winter|christmas|easter|new year|holidays?)s?\b",
    re.IGNORECASE,
)  # fmt: skip


def hints_at_time(text: str) -> bool:
    """Whether an English question may speak of a time, readable by rules or not."""
    return bool(_HINTS.search(text))


def _days(when: str, now: date) -> tuple[date, date] | None:  # noqa: PLR0911 -- one way out a kind
    """The first and last day of one expression."""
    when = " ".join(when.replace("on ", "", 1).split() if when.startswith("on ") else when.split())
    if when in ("today", "this morning"):
        return now, now
    if when == "yesterday":
        return now - timedelta(days=1), now - timedelta(days=1)
    if found := re.fullmatch(r"(?:last|past|previous) (.+) (day|week|month|quarter|year)s?", when):
        count = _WORDS.get(found[1], int(found[1]) if found[1].isdigit() else 1)
        return _back(now, count, found[2]), now
    if found := re.fullmatch(r"(last|past|previous|this) (day|week|month|quarter|year|weekend)s?", when):
        return _unit(now, found[2], 0 if found[1] == "this" else 1)
    if re.fullmatch(r"20\d\d", when):
        return date(int(when), 1, 1), date(int(when), 12, 31)
    words = [word for word in re.split(r"[\s,]+", when) if word not in ("last", "past", "previous", "this")]
    part = words.pop(0) if words and words[0] in ("early", "mid", "late") else ""
    if words and words[0] in _MONTHS and (len(words) == 1 or re.fullmatch(r"\d{4}", words[1])):
        return _month(_MONTHS[words[0]], int(words[1]) if len(words) > 1 else 0, part, now)
    return _parsed(when, now)


def _parsed(when: str, now: date) -> tuple[date, date] | None:
    """One expression by ``dateparser``, as long as its smallest unit."""
    import dateparser  # type: ignore[import-untyped]  # noqa: PLC0415 -- 200 ms, only where a time is named

    base = datetime(now.year, now.month, now.day, 12)  # noqa: DTZ001 -- days have no zone here
    moment = dateparser.parse(when, languages=["en"], settings={"RELATIVE_BASE": base, "PREFER_DATES_FROM": "past"})
    if moment is None:
        return None
    day = moment.date()
    if found := re.search(r"(week|month|quarter|year)s? ago", when):
        return _unit(day, found[1], 0)
    return day, day


def _back(now: date, count: int, unit: str) -> date:
    return now - timedelta(days=count * {"day": 1, "week": 7, "month": 31, "quarter": 92, "year": 366}[unit])


def _unit(day: date, unit: str, back: int) -> tuple[date, date]:
    """The calendar unit that holds *day*, or the one before it."""
    if unit == "day":
        return day - timedelta(days=back), day - timedelta(days=back)
    if unit in ("week", "weekend"):
        monday = day - timedelta(days=day.weekday() + 7 * back)
        return (monday if unit == "week" else monday + timedelta(days=5)), monday + timedelta(days=6)
    if unit == "year":
        return date(day.year - back, 1, 1), date(day.year - back, 12, 31)
    size = 3 if unit == "quarter" else 1
    first = (day.year * 12 + day.month - 1) // size * size - size * back
    return date(first // 12, first % 12 + 1, 1), _end(first + size)


def _month(month: int, year: int, part: str, now: date) -> tuple[date, date]:
    """A month, the latest that has begun if no year is named; its early, middle or late part."""
    year = year or (now.year if month <= now.month else now.year - 1)
    first, last = date(year, month, 1), _end(year * 12 + month)
    return {
        "early": (first, date(year, month, 10)), "mid": (date(year, month, 11), date(year, month, 20)),
        "late": (date(year, month, 21), last),
    }.get(part, (first, last))  # fmt: skip


def _end(months: int) -> date:
    """The day before the month with this number, counted from year 0."""
    return date(months // 12, months % 12 + 1, 1) - timedelta(days=1)


T = TypeVar("T")


def within_first(items: Sequence[T], span: Span | None, days: Callable[[T], Sequence[str]]) -> list[T]:
    """*items* with those of the span first, each part in its old order; nothing is dropped."""
    if span is None:
        return list(items)
    return sorted(items, key=lambda item: not any(span.holds(day) for day in days(item)))
