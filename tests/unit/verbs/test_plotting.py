"""The curve of retention as a sparkline, and as a picture where matplotlib is installed."""

import builtins
import importlib.util

import pytest

from ultan.cli.blocks import sparkline
from ultan.errors import UltanError
from ultan.library.entry import Entry
from ultan.library.retention import Fading
from ultan.verbs.plotting import ahead, plot

needs_matplotlib = pytest.mark.skipif(importlib.util.find_spec("matplotlib") is None, reason="matplotlib (the extra web) is not installed")


def fading(left=0.8, half_life=14.0):
    entry = Entry("global/a/x", "X", "convention", "global", "2026-01-05", "2026-01-05")
    return Fading(entry, left, half_life, 3, "keep", "")


def test_a_curve_begins_today_and_halves_with_every_half_life():
    assert ahead(fading(), 28)[::14] == pytest.approx([0.8, 0.4, 0.2])
    assert ahead(fading(1.0, float("inf")), 3) == [1.0] * 4
    assert ahead(fading(0.0, 0.0), 2) == [0.0] * 3


def test_a_sparkline_has_a_block_a_value():
    assert sparkline([1.0, 0.5, 0.0]) == "\u2588\u2585\u2581"


def test_decay_shows_a_sparkline_for_each_entry(ultan):
    ultan("save", "Use uv, never pip.")
    assert "\u2588\u2588\u2587" in ultan("decay", "--dry-run").out


@needs_matplotlib
@pytest.mark.parametrize(("name", "starts"), [("a.png", b"\x89PNG"), ("b.SVG", b"<?xml")])
def test_a_picture_is_drawn(tmp_path, name, starts):
    path = plot([fading(), fading(0.3, 60.0)], str(tmp_path / name))
    with open(path, "rb") as file:
        assert file.read().startswith(starts)


def test_another_ending_and_nothing_to_draw_are_told(tmp_path):
    with pytest.raises(UltanError, match=r"\.png or \.svg"):
        plot([fading()], str(tmp_path / "a.pdf"))
    with pytest.raises(UltanError, match="nothing to draw"):
        plot([], str(tmp_path / "a.png"))


def test_without_matplotlib_one_line_says_what_to_install(tmp_path, monkeypatch):
    def importing(name, *more):
        if name.startswith("matplotlib"):
            raise ImportError(name)
        return real(name, *more)

    real = builtins.__import__
    monkeypatch.setattr(builtins, "__import__", importing)
    with pytest.raises(UltanError, match="needs matplotlib"):
        plot([fading()], str(tmp_path / "a.png"))
