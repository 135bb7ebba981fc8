"""``spend`` and ``log --cost``: calls by day as bars, sums by role and by who paid, the last calls."""

from typing import TYPE_CHECKING

from ultan.cli.blocks import day, one_line
from ultan.cli.screen import Block, Line, Table

if TYPE_CHECKING:
    from ultan.verbs.spend import Costs, Estimate, Spending

WIDTH = 30
FULL, HALF = "█", "▌"


def spent(value: "Spending") -> list[Block]:
    """What models have cost, with a bar for each day, and what they may still."""
    left = Line(f"today: {value.calls_left} calls and {value.tokens_left} tokens are left")
    stopped = [Line(f"stopped: {value.told}", "yellow")] if value.why else []
    if not value.calls:
        return [Line("no model was ever asked: the clerk is free"), left, *stopped]
    most = max((each.calls for each in value.days), default=0)
    return [
        Line(f"{value.calls} calls, {value.tokens} tokens, {value.cost_usd:.2f} USD at list prices in all", "bold"),
        Table(
            ("day", "calls", "tokens", "USD", ""),
            [(each.day, str(each.calls), str(each.tokens), f"{each.cost_usd:.2f}", bar(each.calls, most)) for each in value.days],
        ),
        Line(""),
        Table(
            ("by", "calls", "tokens", "USD"),
            [(name, str(calls), str(tokens), f"{usd:.2f}") for name, calls, tokens, usd in (*value.by_role, *value.by_payer)],
        ),
        left, *stopped,
    ]  # fmt: skip


def estimated(value: "Estimate") -> list[Block]:
    """What reading the queue with a model would take."""
    if not value.sessions:
        return [Line("nothing waits that a model would read")]
    basis = "by this home's own record" if value.is_measured else "a guess from list prices"
    rows: list[Block] = [
        Line(f"{value.sessions} sessions wait: about {value.calls} calls, {value.tokens} tokens, {value.cost_usd:.2f} USD ({basis})")
    ]
    if not value.fits:
        rows.append(Line("more than today's caps allow: what is over waits for another day", "yellow"))
    return rows


def costs(value: "Costs") -> list[Block]:
    """What models have cost, then the last calls."""
    rows = spent(value.spending)
    if value.calls:
        rows += [
            Line(""),
            Table(
                ("at", "role", "model", "paid by", "tokens", "USD", "s", "came of it"),
                [
                    (
                        day(each.at), each.role, each.model, each.paid_by, str(each.tokens), f"{each.cost_usd:.4f}",
                        f"{each.duration_s:.1f}", one_line(each.error or each.decided, 60),
                    )
                    for each in value.calls
                ],
            ),
        ]  # fmt: skip
    return rows


def bar(count: int, most: int) -> str:
    """A bar of *count* on the scale of *most*; what is not nothing shows."""
    if count <= 0 or most <= 0:
        return ""
    halves = max(1, round(2 * WIDTH * count / most))
    return FULL * (halves // 2) + HALF * (halves % 2)
