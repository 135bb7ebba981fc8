"""Frontmatter in the few shapes that we write ourselves, read without a YAML parser.

A library of ten thousand entries is read before every change, and YAML events cost a
millisecond a file. Nearly all frontmatter consists of plain lines; those are read here,
and whatever is not plainly one of these shapes is declined and goes to YAML. A property
test holds that what is not declined reads the same there.
"""

import re
from typing import Any

# What a value may be after loading: texts, lists and tables of them.
Value = str | list[Any] | dict[str, Any]

_PLAIN = r"[^\W_](?:[\w ./()+=;@~^$%-]|[,!?*&'\"](?=[\w ])|:(?=\w))*(?<! )"
_SINGLE = r"'(?:[^'\n\t\x00-\x1f\x7f-\x9f]|'')*'"
_SCALAR = rf"(?:{_PLAIN}|{_SINGLE})"
_WORD = r"[A-Za-z][\w./-]*"
_KEY = r"[A-Za-z][\w-]*"
_LINE = re.compile(
    rf"(?P<key>{_KEY}):(?: (?:(?P<scalar>{_SCALAR})|\[(?P<flow>{_WORD}(?:, {_WORD})*)\]))?\n"
    rf"|  - (?:(?P<item_key>{_KEY}): (?P<item_value>{_SCALAR})|(?P<item>{_SCALAR}))\n"
    rf"|    (?P<more_key>{_KEY}): (?P<more_value>{_SCALAR})\n",
    re.ASCII,
)


def read_plain(block: str) -> dict[str, Any] | None:
    """The table in *block* (whole lines), or None where a line is not of the plain shapes."""
    if not block.isascii():
        return None
    table: dict[str, Any] = {}
    items: list[Any] | None = None
    at = 0
    while at < len(block):
        match = _LINE.match(block, at)
        if match is None:
            return None
        at = match.end()
        if match["key"] is not None:
            if items is not None and not items:
                return None  # a key without a value: YAML decides what that is
            key, items = match["key"], None
            if key in table:
                return None
            if match["scalar"] is not None:
                table[key] = _text(match["scalar"])
            elif match["flow"] is not None:
                table[key] = match["flow"].split(", ")
            else:
                items = table[key] = []
        elif items is None or not _added(items, match):
            return None
    return None if items is not None and not items else table


def _added(rows: list[Any], match: re.Match[str]) -> bool:
    """Whether the line of *match* continues the list *rows*, all of whose items have one shape."""
    if match["item"] is not None:
        if rows and isinstance(rows[0], dict):
            return False
        rows.append(_text(match["item"]))
        return True
    if match["item_key"] is not None:
        if rows and isinstance(rows[0], str):
            return False
        rows.append({match["item_key"]: _text(match["item_value"])})
        return True
    last = rows[-1] if rows else ""
    if not isinstance(last, dict) or match["more_key"] in last:
        return False
    last[match["more_key"]] = _text(match["more_value"])
    return True


def _text(scalar: str) -> str:
    return scalar[1:-1].replace("''", "'") if scalar.startswith("'") else scalar
