"""A prompt that nothing live fits is answered with what faded; one that something fits is not."""

import os

import pytest

from ultan import home as place
from ultan import settings, spool
from ultan.library.entry import Entry
from ultan.recall import index as layout
from ultan.recall.compile import build_from_entries

ASKED = "which compiler version for building a release with the pinned compiler"
AWAY = Entry(
    "global/compiler", "Build with the pinned compiler", "convention", "global", "2026-01-01", "2026-01-01", status="stale",
    applies_when=("building a release", "compiler version"), body="Build releases with the pinned compiler of the lock file.\n",
)  # fmt: skip


@pytest.fixture(autouse=True)
def _faded(home):
    made = build_from_entries([AWAY], settings.Settings())
    place.write(layout.path_of(home, layout.FADED), bytes(made._mapped))


def test_what_faded_is_shown_marked_and_noted_as_shown_where_nothing_live_fits(hook, index, home):
    index("Always use uv, never pip", chosen={"priming.min_relevance": 0.44})
    shown = hook("prime", prompt=ASKED)["additionalContext"]
    assert "Build with the pinned compiler" in shown
    assert "faded" in shown
    [event] = [each for each in spool.take(home, spool.backlog(home)) if each.kind == "surfaced"]
    assert event.data["ids"] == [AWAY.id]
    assert hook("prime", prompt=ASKED) is None, "once a session"


def test_where_something_live_fits_the_second_look_is_not_taken(hook, index):
    index("Build with the nightly compiler", rule="Build releases with the nightly compiler version.")
    shown = hook("prime", prompt=ASKED)["additionalContext"]
    assert "nightly" in shown
    assert "pinned" not in shown


def test_a_second_look_into_a_torn_file_is_silence(hook, index, home):
    index("Always use uv, never pip", chosen={"priming.min_relevance": 0.44})
    place.write(os.path.join(home, "index", layout.FADED), b"torn")
    assert hook("prime", prompt=ASKED) is None
