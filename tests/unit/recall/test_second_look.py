"""A second look: what faded is offered where nothing live fits, marked, and never twice."""

from dataclasses import replace

import pytest
from made_entries import entry

from ultan.library.snapshot import Library
from ultan.recall import index as layout
from ultan.recall import rendering
from ultan.recall.compile import compile as compile_index
from ultan.recall.ranking import Query
from ultan.recall.second_look import look
from ultan.settings import Settings

AWAY = entry(
    "projects/shop/compiler", title="Build with the pinned compiler", body="Build releases with the pinned compiler of the lock file.",
    applies_when=("building a release", "compiler version"), status="stale", shelved=True, faded=True, archived="2026-03-01", raw="a",
)  # fmt: skip
ASKED = Query("which compiler version for building a release with the pinned compiler", "shop", day="2026-05-01")
DEFAULTS = Settings().baked()


@pytest.fixture(name="root")
def _root(tmp_path):
    compile_index(Library({}, {AWAY.id: AWAY}), str(tmp_path), Settings())
    return str(tmp_path)


def test_what_fits_strongly_is_offered_and_says_that_it_faded(root):
    found = look(root, ASKED, set(), DEFAULTS)
    assert [card.id for card in found.cards] == [AWAY.id]
    assert "faded: unused for long" in rendering.render(found.cards, today="2026-05-01")


def test_what_fits_little_or_was_shown_or_belongs_elsewhere_is_not(root):
    assert look(root, Query("rename the header of the report", "shop"), set(), DEFAULTS).cards == []
    assert look(root, ASKED, {AWAY.id}, DEFAULTS).cards == []
    assert look(root, Query(ASKED.text, "bank"), set(), DEFAULTS).cards == []


@pytest.mark.parametrize("text", ["yes", "/compact", ""])
def test_a_prompt_that_needs_nothing_gets_nothing(root, text):
    assert look(root, Query(text, "shop"), set(), DEFAULTS).cards == []


def test_who_wants_nothing_shown_is_shown_nothing(root):
    assert look(root, ASKED, set(), {**DEFAULTS, "priming.entries": 0}).cards == []


def test_where_something_live_fits_and_was_shown_already_there_is_no_gap(root):
    assert look(root, ASKED, set(), {**DEFAULTS, "priming.min_relevance": 0.44}, 0.43).cards
    assert look(root, ASKED, set(), {**DEFAULTS, "priming.min_relevance": 0.44}, 0.44).cards == []


def test_what_expired_or_was_never_confirmed_is_not_offered(tmp_path):
    for changed in ({"expires": "2026-04-01"}, {"trust": "observed"}):
        compile_index(Library({}, {AWAY.id: replace(AWAY, raw=str(changed), **changed)}), str(tmp_path), Settings())
        assert look(str(tmp_path), ASKED, set(), DEFAULTS).cards == []


def test_a_home_where_nothing_faded_and_a_torn_file_offer_nothing(root, tmp_path):
    assert look(str(tmp_path / "other"), ASKED, set(), DEFAULTS).cards == []
    with open(layout.path_of(root, layout.FADED), "wb") as file:
        file.write(b"torn")
    assert look(root, ASKED, set(), DEFAULTS).cards == []
