"""The fixtures that every part shares; they speak the domain and are few."""

import io
from typing import NamedTuple

import pytest

NOW = 1767603600.0  # 2026-01-05 09:00 UTC, a Monday


class Said(NamedTuple):
    """What a command answered."""

    status: int
    out: str
    err: str


@pytest.fixture
def now():
    """A Monday morning."""
    return NOW


@pytest.fixture
def home(tmp_path):
    """The root of an empty home."""
    from ultan import home as place

    return place.ensure(str(tmp_path / "home"))


@pytest.fixture
def library():
    """A library made of lines such as ``global/uv: Always use uv``."""

    def made(*lines):
        from ultan.library.entry import Entry
        from ultan.library.rendering import render
        from ultan.library.snapshot import read_library
        from ultan.library.twin import MemoryStore

        files = {}
        for line in lines:
            name, _, rule = line.partition(": ")
            name = name.removesuffix(".md")
            parts = name.split("/")
            scope = f"project:{parts[1]}" if parts[0] == "projects" else "global"
            entry = Entry(name, rule[:100], "convention", scope, "2026-01-05", "2026-01-05", body=rule + "\n")
            files[entry.path] = render(entry)
        return read_library(MemoryStore(files))

    return made


@pytest.fixture
def ultan(tmp_path, home):
    """The command line in this process, on a home of its own: ``ultan("save", "…")`` → status, out, err."""
    from ultan.cli.app import run
    from ultan.cli.wiring import World

    place = tmp_path / "elsewhere"
    place.mkdir()
    clock = [NOW]

    def said(*words, person=True, stdin="", environ=None, folder=""):
        clock[0] += 60
        out, err = io.StringIO(), io.StringIO()
        environ = {"HOME": str(tmp_path), "ULTAN_HOME": home, **(environ or {})}
        world = World(
            environ=environ, stdin=io.StringIO(stdin), stdout=out, stderr=err, clock=lambda: clock[0],
            folder=folder or str(place), has_person=person,
        )  # fmt: skip
        return Said(run(words, world), out.getvalue(), err.getvalue())

    return said
