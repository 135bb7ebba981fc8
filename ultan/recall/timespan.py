"""Days in texts: lenient dates of data sets; later, time expressions in questions."""

import re

_MONTHS = {
    name: number
    for number, names in enumerate(
        "january jan,february feb,march mar,april apr,may,june jun,july jul,august aug,september sep sept,"
        "october oct,november nov,december dec".split(","), 1
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
