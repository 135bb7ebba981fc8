"""Blocks and words that several renderers share: days, single lines, records, cells, markers."""

from collections.abc import Sequence
from typing import Any

from ultan.cli.screen import Block, Line, Table, jsonable

MARKS = {"convention": "[C]", "preference": "[P]", "finding": "[F]", "warn": "[W]", "abstraction": "[A]"}


def day(at: float) -> str:
    """The day and minute of *at* in UTC, for display."""
    import time  # noqa: PLC0415 -- a formatter, not a clock

    return time.strftime("%Y-%m-%d %H:%M", time.gmtime(at))


def one_line(text: str, width: int = 100) -> str:
    """*text* on one line, cut with an ellipsis."""
    flat = " ".join(text.split())
    return flat if len(flat) <= width else flat[: width - 1].rstrip() + "…"


def fields(value: Any, *, with_empty: bool = True) -> list[Block]:
    """A record as ``name: value`` lines, for results without a shape of their own."""
    found: list[Block] = []
    for name, item in jsonable(value).items():
        if not item and not with_empty:
            continue
        if isinstance(item, list) and item and isinstance(item[0], dict):
            found.append(Line(f"{name}:"))
            found.append(Table(list(item[0]), [[cell(inner) for inner in row.values()] for row in item]))
        elif isinstance(item, dict):
            found.append(Line(f"{name}:"))
            found.extend(Line(f"  {key}: {cell(inner)}") for key, inner in item.items())
        else:
            found.append(Line(f"{name}: {cell(item)}"))
    return found


def cell(value: Any) -> str:
    """*value* as the words in one cell of a table."""
    if isinstance(value, list):
        return ", ".join(cell(item) for item in value)
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "" if value is None else str(value)


def mark(kind: str) -> str:
    """The marker of a *kind* of entry, such as ``[C]``."""
    return MARKS.get(kind, f"[{kind[:1].upper()}]")


def sparkline(values: Sequence[float]) -> str:
    """*values* between 0 and 1 as a row of blocks."""
    blocks = "\u2581\u2582\u2583\u2584\u2585\u2586\u2587\u2588"
    return "".join(blocks[min(7, max(0, int(value * 8)))] for value in values)
