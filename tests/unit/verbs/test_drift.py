"""A strong entry that goes unused is asked about once: in review, or by a model on the words it cites."""

import pytest

from ultan.errors import QuotaReached
from ultan.events import Piece
from ultan.library.actions import Bump, Cite, Create
from ultan.library.activity import note_activity
from ultan.library.executor import execute
from ultan.library.held import pending
from ultan.library.past import undo
from ultan.library.store import FileStore
from ultan.library.upkeep import day
from ultan.llm.scripted import by_role
from ultan.settings import Settings
from ultan.verbs import review
from ultan.verbs.decay import decay
from ultan.verbs.desk import Desk

DAY = 86400.0
START = 1_760_000_000.0
SAID = "Never ever deploy to production on a Friday, always wait for Monday!"
ID = "projects/p/deploy/no-friday"


def at(root, days, **values):
    return Desk(root, FileStore(root), Settings({"encoder.name": "hashing", **values}), START + days * DAY)


@pytest.fixture
def root(home):
    """A home with one strong entry, ignored often; it cites the person's words."""
    desk = at(home, 0)
    create = Create(
        folder="projects/p/deploy", slug="no-friday", title="No deploys on Friday", kind="convention", rule="Never deploy to production.",
        salience="contradicts", evidence=(Cite(event="e1", quote=SAID),),
    )  # fmt: skip
    execute(desk.store, [create], now=desk.now, by="scholar", session="s", sources={"e1": Piece("e1", "user", SAID)})
    for number in range(10):
        note_activity(home, ["p"], day(START + number * DAY))
    desk.execute([Bump(entry=ID, ignored=5, fired=5)], by="upkeep")
    return home


def entry(root):
    return at(root, 0).library.entries[ID]


def test_without_a_model_it_waits_in_review_once(root):
    decayed = decay(at(root, 5))
    assert [one.entry.id for one in decayed.drift] == [ID]
    assert decayed.asked.held == (ID,)
    desk = at(root, 5)
    (item,) = review.review(desk.store, desk.library).held
    assert (item.verb, item.title, item.rule) == ("affirm", ID, "Never deploy to production.")
    assert "still true?" in item.reason
    assert decay(at(root, 6)).asked.held == ()
    assert len(pending(desk.store)) == 1


def test_a_dry_run_asks_nobody(root):
    assert decay(at(root, 5), dry_run=True).drift
    assert pending(at(root, 5).store) == []


def test_still_true_begins_anew(root):
    decay(at(root, 5))
    desk = at(root, 5)
    review.approve(desk, pending(desk.store)[0].number)
    assert (entry(root).ignored, entry(root).updated) == (0, day(desk.now))
    assert decay(at(root, 6)).drift == ()


def test_true_in_better_words(root):
    decay(at(root, 5))
    desk = at(root, 5)
    review.approve(desk, pending(desk.store)[0].number, {"rule": "Never deploy on Fridays."})
    assert entry(root).rule == "Never deploy on Fridays."
    assert entry(root).trust == "person"


def test_a_no_puts_it_away_and_undo_brings_it_back(root):
    before = entry(root)
    decay(at(root, 5))
    desk = at(root, 5)
    number = review.reject(desk, pending(desk.store)[0].number).number
    assert (ID in at(root, 5).library.entries, at(root, 5).library.archived[ID].rule) == (False, before.rule)
    undo(desk.store, number, desk.now)
    assert entry(root) == before
    assert len(pending(desk.store)) == 1


def test_no_answer_is_not_asked_for_twice_before_it_is_used(root):
    decay(at(root, 5))
    assert decay(at(root, 7)).asked.held == ()


def test_what_a_model_left_and_nobody_uses_for_as_long_again_is_a_person_s_to_decide(root):
    model = by_role(librarian={"suggestions": []}, scholar=verdict(approve=True))
    assert decay(at(root, 5), opened=lambda: model).asked.kept == (ID,)
    worked = 400
    for number in range(10, worked):
        note_activity(root, ["p"], day(START + number * DAY))
    asked = decay(at(root, worked), opened=lambda: model).asked
    assert (asked.held, asked.kept) == ((ID,), ())
    assert decay(at(root, worked + 1), opened=lambda: model).asked.held == ()


def update(**fields):
    action = {"verb": "update", "entry": ID, "evidence": [{"event": "e1", "quote": SAID}], **fields}
    return {"suggestions": [{"action": action, "reason": "the words say Friday"}]}


def verdict(*, approve):
    return {"verdicts": [{"number": 0, "approve": approve, "reason": "the quote carries it"}]}


def test_a_model_s_update_rests_on_the_words_the_entry_cites(root):
    model = by_role(librarian=update(rule="Never deploy to production on a Friday."), scholar=verdict(approve=True))
    asked = decay(at(root, 5, **{"curation.by": "claude"}), opened=lambda: model).asked
    assert (asked.updated, asked.held, asked.kept) == ((ID,), (), ())
    assert entry(root).rule == "Never deploy to production on a Friday."
    assert entry(root).trust == "person"
    assert "one entry drifts" in model.asked[0].question
    assert [errand.role for errand in model.asked] == ["librarian", "scholar"]


@pytest.mark.parametrize("answer", [{"suggestions": []}, update(rule="Never deploy on any weekday.")])
def test_what_the_librarian_leaves_or_the_scholar_vetoes_stays_and_is_not_asked_again(root, answer):
    model = by_role(librarian=answer, scholar=verdict(approve=False))
    assert decay(at(root, 5), opened=lambda: model).asked.kept == (ID,)
    assert entry(root).rule == "Never deploy to production."
    calls = len(model.asked)
    assert decay(at(root, 6), opened=lambda: model).asked.kept == ()
    assert len(model.asked) == calls


def test_a_librarian_that_wanders_off_is_sent_back(root):
    stray = {"verb": "deprecate", "entry": ID, "reason": "old", "evidence": [{"event": "e1", "quote": SAID}]}
    model = by_role(librarian={"suggestions": [{"action": stray, "reason": "x"}]})
    asked = decay(at(root, 5), opened=lambda: model).asked
    assert asked.told
    assert any("only an update" in text for text in model.told)
    assert entry(root).status == "active"


def test_a_model_that_is_used_up_leaves_the_question_for_another_day(root):
    model = by_role(librarian=QuotaReached("used up"))
    assert decay(at(root, 5), opened=lambda: model).asked.told == "used up"
    well = by_role(librarian=update(rule="Never deploy to production on a Friday."), scholar=verdict(approve=True))
    assert decay(at(root, 6), opened=lambda: well).asked.updated == (ID,)


def test_an_opportunistic_run_leaves_it_to_the_model_that_curates(root):
    assert decay(at(root, 5, **{"curation.by": "claude"}), opportunistic=True).asked.held == ()
    assert decay(at(root, 5.5), opportunistic=True).skipped
    assert decay(at(root, 8), opportunistic=True).asked.held == (ID,)


def test_what_cites_no_words_of_the_person_is_for_the_person_even_where_a_model_curates(root):
    desk = at(root, 5)
    desk.execute([Create(folder="projects/p/deploy", slug="by-hand", title="By hand", kind="convention", rule="Never skip the smoke test.", salience="contradicts")])
    desk.execute([Bump(entry="projects/p/deploy/by-hand", ignored=5)], by="upkeep")
    model = by_role(librarian={"suggestions": []}, scholar=verdict(approve=True))
    asked = decay(at(root, 5), opened=lambda: model).asked
    assert (asked.held, asked.kept) == (("projects/p/deploy/by-hand",), (ID,))
