"""Where strong entries were shown, and how often in a row that did not fit."""

import pytest

from ultan import home as place
from ultan.events import Piece, Transcript
from ultan.library.actions import Create
from ultan.library.store import FileStore
from ultan.settings import Settings
from ultan.verbs.contexts import misplaced, note_contexts
from ultan.verbs.decay import decay
from ultan.verbs.desk import Desk
from ultan.verbs.reading import Progress, Reading

ID = "projects/p/deploy/no-friday"
NOW = 1_760_000_000.0


@pytest.fixture
def desk(home):
    made = Desk(home, FileStore(home), Settings({"encoder.name": "hashing"}), NOW)
    rule = "Never deploy to production on a Friday!"
    made.execute([Create(folder="projects/p/deploy", slug="no-friday", title="No deploys on Friday", kind="convention", rule=rule, salience="contradicts")])
    return made


def reading(*prompts, day="2025-10-08"):
    """A session in which the entry was shown to each of *prompts*."""
    pieces = [Piece(f"p{turn}", "user", text, f"{day}T10:00:00Z", turn) for turn, text in enumerate(prompts)]
    turns = list(range(len(prompts)))
    transcript = Transcript("s", "p", pieces, surfaced={ID: turns}, day=day)
    return Reading("s", "p", ("e",), transcript, Progress(session="s"), shown={ID: len(turns)})


def test_showings_that_do_not_fit_are_counted_in_a_row_and_a_fit_wipes_the_slate(desk):
    note_contexts(desk.root, [reading("what is the weather", "paint it green")], desk.library)
    assert misplaced(desk.root) == {ID: (2, "2025-10-08")}
    note_contexts(desk.root, [reading("and the roof?", day="2025-10-09")], desk.library)
    assert misplaced(desk.root) == {ID: (3, "2025-10-08")}
    note_contexts(desk.root, [reading("may I deploy now?")], desk.library)
    assert misplaced(desk.root) == {}


def test_weak_entries_and_broken_files_count_for_nothing(desk):
    place.write(f"{desk.root}/contexts.json", b"[")
    assert misplaced(desk.root) == {}
    weak = [Create(folder="projects/p/deploy", slug="weak", title="Weak", kind="finding", rule="The lift is slow.")]
    desk.execute(weak)
    shown = reading("paint it green")
    shown.transcript.surfaced = {"projects/p/deploy/weak": [0]}
    note_contexts(desk.root, [shown], desk.library)
    assert misplaced(desk.root) == {}


def test_decay_asks_about_what_keeps_coming_up_where_it_does_not_fit(desk):
    note_contexts(desk.root, [reading("weather", "paint", "roof", "lamp", "chair")], desk.library)
    (one,) = decay(desk).drift
    assert (one.entry.id, one.cause) == (ID, "misplaced")
    assert "5 times" in one.reason
    assert decay(desk).asked.held == ()  # it waits in review already


def test_decay_asks_about_a_strong_entry_that_is_contradicted_in_part(desk):
    later = Desk(desk.root, desk.store, desk.settings, NOW + 5 * 86_400)
    rule = "Deploy to production on a Friday, if it is a hotfix."
    later.execute([Create(folder="projects/p/deploy", slug="hotfix", title="Hotfixes", kind="convention", rule=rule)])
    found = decay(later)
    assert [(one.entry.id, one.cause) for one in found.drift] == [(ID, "projects/p/deploy/hotfix")]
    assert found.asked.held == (ID,)
