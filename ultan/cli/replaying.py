"""How a replay of past tool calls is shown."""

from typing import TYPE_CHECKING

from ultan.cli.screen import Block, Line

if TYPE_CHECKING:
    from ultan.verbs.replay import Replayed


def replayed(value: "Replayed") -> list[Block]:
    """Each trigger with its share of the calls, and those that fire too often."""
    rows: list[Block] = [
        Line(f"{value.met} of {value.calls} tool calls in {value.sessions} sessions would have met a trigger", "bold")
    ]
    for fired in value.fired:
        rows.append(Line(f"{fired.severity}: {fired.entry}: {fired.title}"))
        rows.append(Line(f"  {fired.calls} calls, {fired.share:.1%}, /{fired.pattern}/", "dim"))
        rows.extend(Line(f"    {example}", "dim") for example in fired.examples)
        if fired.is_broad:
            rows.append(Line("  fires on more than one call in twenty: narrow its pattern, or say when not with `unless`", "yellow"))
    return rows
