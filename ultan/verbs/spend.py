"""Spend: what models have cost, what may still be spent, and what the backlog would cost."""

import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import timedelta
from statistics import median
from typing import Any

from ultan import home, plainjson, spool
from ultan.events import PERSON, Piece
from ultan.llm import governor as rules
from ultan.llm.recorded import read_spending
from ultan.settings import Settings
from ultan.staff.packet import PACKET_CHARS, shown_text
from ultan.verbs.waiting import by_session

DAYS = 14
PACKET_TOKENS = 7000  # a librarian's call: prompt and schema, a packet, and the answer; used until real calls are on record
WRAPPED_CHARS = 60  # of the tags around a piece
RULING_TOKENS = 6000
USD_A_TOKEN = {"librarian": 4e-6, "scholar": 8e-6}  # list prices, a first guess; replaced by what was really paid
READ_BYTES = 4 << 20


@dataclass(frozen=True, slots=True)
class DaySpent:
    """One day, with calls, tokens and list price."""

    day: str
    calls: int
    tokens: int
    cost_usd: float


@dataclass(frozen=True, slots=True)
class Spending:
    """What models have cost and what they may.

    Attributes:
        days: the last ones, oldest first, days without calls included.
        by_role, by_payer: of all kept days, as (name, calls, tokens, cost).
        calls_left, tokens_left: today, by the caps.
        why: why no call is made now, or empty; ``until`` seconds since the epoch, 0 if open;
            ``told`` what to do.
    """

    calls: int
    tokens: int
    cost_usd: float
    days: tuple[DaySpent, ...]
    by_role: tuple[tuple[str, int, int, float], ...]
    by_payer: tuple[tuple[str, int, int, float], ...]
    calls_left: int
    tokens_left: int
    why: str
    until: float
    told: str


@dataclass(frozen=True, slots=True)
class Estimate:
    """What reading a backlog would take.

    Attributes:
        sessions: with something said in them; calls, tokens and list price that they would take.
        is_measured: whether the price of a token is this home's own record, not a guess.
        fits: whether today's caps allow it at once.
    """

    sessions: int
    calls: int
    tokens: int
    cost_usd: float
    is_measured: bool
    fits: bool


@dataclass(frozen=True, slots=True)
class CallMade:
    """One call of a model, as ``runs/<day>.jsonl`` has it; *decided* what came of it, *error* why nothing did."""

    at: float
    role: str
    model: str
    paid_by: str
    tokens: int
    cost_usd: float
    duration_s: float
    decided: str
    error: str


@dataclass(frozen=True, slots=True)
class Costs:
    """Spending, with the last calls, newest first."""

    spending: Spending
    calls: tuple[CallMade, ...]


def costs(root: str, settings: Settings, now: float, limit: int = 20) -> Costs:
    """What models have cost, and the last *limit* calls."""
    rows = sorted((row for row in _rows(root)), key=lambda row: _number(row.get("at")), reverse=True)
    return Costs(spend(root, settings, now), tuple(_call(row) for row in rows[:limit]))


def spend(root: str, settings: Settings, now: float) -> Spending:
    """What models have cost in the home *root*, and what they may still."""
    record = read_spending(root)
    today = record.days.get(rules.day_of(now), rules.Day())
    why, until = rules.closed(record, settings, now)
    first = now - (DAYS - 1) * timedelta(days=1).total_seconds()
    names = [rules.day_of(first + place * rules.DAY_S) for place in range(DAYS)]
    days = [(name, record.days.get(name, rules.Day())) for name in names]
    return Spending(
        record.total.calls, record.total.tokens, record.total.cost_usd,
        tuple(DaySpent(name, day.calls, day.tokens, day.cost_usd) for name, day in days),
        _summed([day.by_role for day in record.days.values()]), _summed([day.by_payer for day in record.days.values()]),
        max(0, settings["curation.calls_a_day"] - today.calls), max(0, settings["curation.tokens_a_day"] - today.tokens),
        why, until if why else 0.0, (record.told or rules.REMEDIES.get(why, "")) if why else "",
    )  # fmt: skip


def estimate(root: str, settings: Settings, now: float, sizes: Sequence[int] | None = None) -> Estimate:
    """What reading sessions with a model would take; asks nobody.

    *sizes* are what their packets would hold, in characters (``shown_chars``); without them it is
    about the whole queue.
    """
    if sizes is None:
        waiting = by_session(spool.take(root, spool.backlog(root))).values()
        pieces = [[piece for event in group for piece in event.pieces] for group in waiting]
        sizes = [shown_chars(each) for each in pieces if any(piece.origin in PERSON for piece in each)]
    measured = _measured(root)
    packets = sum(max(1, -(-size // PACKET_CHARS)) for size in sizes)
    rulings = -(-len(sizes) // settings["curation.packets"])
    tokens_each = {"librarian": PACKET_TOKENS, "scholar": RULING_TOKENS, **{name: row[0] for name, row in measured.items()}}
    price_each = {
        name: measured[name][1] if name in measured else tokens_each[name] * USD_A_TOKEN[name] for name in USD_A_TOKEN
    }
    calls = {"librarian": packets, "scholar": rulings}
    tokens = sum(int(calls[name] * tokens_each[name]) for name in calls)
    left = spend(root, settings, now)
    return Estimate(
        len(sizes), sum(calls.values()), tokens, round(sum(calls[name] * price_each[name] for name in calls), 4),
        set(measured) >= set(calls), sum(calls.values()) <= left.calls_left and tokens <= left.tokens_left,
    )  # fmt: skip


def shown_chars(pieces: Iterable[Piece]) -> int:
    """How much of a packet *pieces* take, in characters."""
    return sum(len(shown_text(piece)) + WRAPPED_CHARS for piece in pieces)


def _summed(days: Sequence[dict[str, rules.Sum]]) -> tuple[tuple[str, int, int, float], ...]:
    totals: dict[str, rules.Sum] = {}
    for day in days:
        for name, part in day.items():
            totals[name] = totals.get(name, rules.Sum()).plus(part.calls, part.tokens, part.cost_usd)
    return tuple((name, part.calls, part.tokens, part.cost_usd) for name, part in sorted(totals.items()))


def _measured(root: str) -> dict[str, tuple[float, float]]:
    """Role → median tokens and list price of the calls on record in the last days."""
    rows: dict[str, list[tuple[float, float]]] = {}
    for row in _rows(root):
        if row.get("parsed_ok") and row.get("role") in USD_A_TOKEN:
            rows.setdefault(str(row["role"]), []).append((_tokens(row), _number(row.get("cost_usd"))))
    return {role: (median(row[0] for row in found), median(row[1] for row in found)) for role, found in rows.items()}


def _rows(root: str) -> Iterator[dict[str, Any]]:
    """Every call on record in the last days, oldest first."""
    folder = os.path.join(root, "runs")
    names = sorted(name for name in os.listdir(folder) if name.endswith(".jsonl")) if os.path.isdir(folder) else []
    for name in names[-DAYS:]:
        for line in home.read(os.path.join(folder, name), READ_BYTES).decode("utf-8", "replace").splitlines():
            try:
                row = plainjson.loads(line)
            except plainjson.NotJson:
                continue
            if isinstance(row, dict):
                yield row


def _call(row: dict[str, Any]) -> CallMade:
    decisions = row.get("decisions")
    decided = ", ".join(f"{count} {name}" for name, count in decisions.items()) if isinstance(decisions, dict) else ""
    return CallMade(
        _number(row.get("at")), str(row.get("role", "")), str(row.get("model", "")), str(row.get("paid_by", "")),
        int(_tokens(row)), _number(row.get("cost_usd")), _number(row.get("duration_s")), decided, str(row.get("error") or ""),
    )  # fmt: skip


def _tokens(row: dict[str, Any]) -> float:
    return _number(row.get("input_tokens")) + _number(row.get("output_tokens"))


def _number(value: object) -> float:
    return float(value) if isinstance(value, (int, float)) else 0.0
