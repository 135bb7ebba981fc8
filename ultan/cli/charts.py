"""``log --cost``: calls by day as bars, sums by role and by who paid, the last calls."""

from typing import TYPE_CHECKING

from ultan.cli.blocks import day, one_line
from ultan.cli.screen import Block, Line, Table

if TYPE_CHECKING:
    from ultan.verbs.spend import Costs

WIDTH = 30
FULL, HALF = "█", "▌"


def costs(value: "Costs") -> list[Block]:
    """What models have cost, with a bar for each day."""
    spent = value.spending
    if not spent.calls:
        return [Line("no model was ever asked: the clerk is free")]
    most = max((each.calls for each in spent.days), default=0)
    rows: list[Block] = [
        Line(f"{spent.calls} calls, {spent.tokens} tokens, {spent.cost_usd:.2f} USD at list prices in all", "bold"),
        Table(
            ("day", "calls", "tokens", "USD", ""),
            [(each.day, str(each.calls), str(each.tokens), f"{each.cost_usd:.2f}", bar(each.calls, most)) for each in spent.days],
        ),
        Line(""),
        Table(
            ("by", "calls", "tokens", "USD"),
            [(name, str(calls), str(tokens), f"{usd:.2f}") for name, calls, tokens, usd in (*spent.by_role, *spent.by_payer)],
        ),
        Line(f"today: {spent.calls_left} calls and {spent.tokens_left} tokens are left"),
    ]
    if spent.why:
        rows.append(Line(f"stopped: {spent.told}", "yellow"))
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
