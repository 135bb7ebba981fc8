"""Plotting: the curve of each entry's retention as a picture; matplotlib is loaded only here."""

import io
import os
from collections.abc import Sequence

from ultan import housekeeping
from ultan.errors import UltanError
from ultan.library.retention import DEFAULTS, Fading, remaining

KINDS = ("png", "svg")
DAYS = 120
MOST_NAMED = 12


def plot(standing: Sequence[Fading], path: str) -> str:
    """The absolute path of a picture of how *standing* fades over the next 120 active days; PNG or SVG by its ending.

    Raises:
        UltanError: another ending, no matplotlib, or nothing to draw.
    """
    kind = os.path.splitext(path)[1].lower().removeprefix(".")
    if kind not in KINDS:
        raise UltanError(f"a picture ends in .png or .svg, not {os.path.basename(path)}")
    if not standing:
        raise UltanError("there is nothing to draw", "`ultan decay --dry-run` lists what would be drawn")
    try:
        from matplotlib.figure import Figure  # noqa: PLC0415 -- an extra, and half a second
    except ImportError:
        raise UltanError("drawing needs matplotlib", "pip install 'ultan[web]'") from None
    figure = Figure(figsize=(9, 5), layout="constrained")
    axes = figure.subplots()
    for place, one in enumerate(standing):
        curve = ahead(one, DAYS)
        axes.plot(range(DAYS + 1), curve, linewidth=1.2, label=one.entry.id if place < MOST_NAMED else "_")
    axes.axhline(DEFAULTS.archive_below, linestyle="--", linewidth=0.8, color="gray")
    axes.set(xlabel="active days from today", ylabel="retention", ylim=(0, 1.02), xlim=(0, DAYS))
    axes.legend(fontsize="x-small", loc="upper right")
    drawn = io.BytesIO()
    figure.savefig(drawn, format=kind, metadata={"Date": None} if kind == "svg" else None)
    target = os.path.abspath(path)
    housekeeping.replace(target, drawn.getvalue())
    return target


def ahead(one: Fading, days: int, every: int = 1) -> list[float]:
    """The retention of an entry today and on every *every*-th of the next *days* active days, if nobody uses it."""
    points = range(0, days + 1, every)
    if one.half_life_days <= 0:
        return [one.retention for _ in points]
    return [one.retention * remaining(one.half_life_days, day) for day in points]
