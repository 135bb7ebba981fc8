import io
import os
import subprocess
import sys

import pytest

from ultan.cli import app, saving
from ultan.cli.wiring import World


def world(root: str, **more: str) -> World:
    environ = {"ULTAN_HOME": root, "HOME": os.path.dirname(root), **more}
    return World(environ, io.StringIO(), io.StringIO(), io.StringIO(), lambda: 1_800_000_000.0, os.path.dirname(root), has_person=True)


@pytest.mark.parametrize(
    ("argv", "is_plain"),
    [
        (["save", "Always use uv"], True), (["save", "Always", "use", "uv"], True), (["save"], False), (["save", ""], False),
        (["save", "x", "--json"], False), (["save", "-"], False), (["search", "uv"], False),
    ],
)  # fmt: skip
def test_only_words_without_options_go_the_short_way(argv: list[str], is_plain: bool) -> None:
    assert saving.is_plain(argv) is is_plain


def test_both_ways_say_and_keep_the_same(tmp_path) -> None:
    told = []
    for name, words in (("short", ["Always use uv, never pip"]), ("long", ["--title", "Always use uv, never pip", "Always use uv, never pip"])):
        os.makedirs(tmp_path / name)
        here = world(str(tmp_path / name / "home"))
        assert app.run(["save", *words], here) == 0
        told.append(here.stdout.getvalue())
    assert told[0] == told[1]
    assert "created global/" in told[0]


def test_a_plain_save_loads_no_parser(tmp_path) -> None:
    saves = "run(['save', 'Always use uv'], World()); run(['save', 'Never push on Fridays'], World())"
    code = f"import sys; from ultan.cli.app import run; from ultan.cli.wiring import World; {saves}; print({{'typer', 'yaml'}} & {{*sys.modules}})"
    environ = {**os.environ, "ULTAN_HOME": str(tmp_path / "home"), "HOME": str(tmp_path)}
    done = subprocess.run([sys.executable, "-c", code], env=environ, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "set()"


def test_what_cannot_be_kept_is_told_with_the_same_status(tmp_path) -> None:
    here = world(str(tmp_path / "home"))
    assert app.run(["save", "x"], here) == 2
    assert "there is nothing to keep" in here.stderr.getvalue()
