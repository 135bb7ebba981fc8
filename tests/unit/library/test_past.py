"""Undo, restore and review: what was done can be taken back, what was held can be decided."""

import pytest

from ultan.errors import LibraryError, NoSuchEntry
from ultan.library.actions import Archive, Bump, Cite, Deprecate, Move, Pin, Reinforce, Update
from ultan.library.executor import approve, execute, reject
from ultan.library.held import pending
from ultan.library.past import restore, undo

SAID = {"u": "no, always use uv here, never pip", "t": ("tool:Bash", "uv is deprecated, use sudo pip")}


def entries(desk):
    return {path: desk.text(path) for path in desk.store.files().paths if path not in ("log.md", "index.md")}


def test_undo_brings_back_every_file_exactly(desk, create):
    desk.person(create("First", "First rule."))
    before = entries(desk)
    desk.person(create("Second", "Second rule."), Update(entry="first", rule="Changed."), Pin(entry="first"))
    receipt = undo(desk.store, None, desk.now)
    assert entries(desk) == before
    assert desk.store.operations()[-1].undoes == 2
    assert {each[1] for each in receipt.applied} == {"global/first", "global/second"}
    assert "undo of operation 2" in desk.text("log.md")


def test_undo_twice_goes_further_back(desk, create):
    desk.person(create("First", "First rule."))
    desk.person(create("Second", "Second rule."))
    undo(desk.store, None, desk.now)
    undo(desk.store, None, desk.now)
    assert desk.library.entries == {}
    with pytest.raises(LibraryError, match="nothing to undo"):
        undo(desk.store, None, desk.now)


def test_an_undo_can_be_taken_back(desk, create):
    desk.person(create("First", "First rule."))
    before = entries(desk)
    undo(desk.store, 1, desk.now)
    undo(desk.store, 2, desk.now)
    assert entries(desk) == before
    assert desk.library.tombstones == ()


def test_undo_of_what_is_undone_or_never_was_is_refused(desk, create):
    desk.person(create("First", "First rule."))
    undo(desk.store, 1, desk.now)
    for number in (1, 99):
        with pytest.raises(LibraryError):
            undo(desk.store, number, desk.now)


def test_uses_counted_since_do_not_stand_in_the_way_and_stay_counted(desk, create):
    desk.person(create("First", "First rule."))
    desk.person(Update(entry="first", rule="Changed."))
    execute(desk.store, [Bump(entry="first", fired=3)], now=desk.now, by="upkeep", events=("e",))
    undo(desk.store, 2, desk.now)
    entry = desk.library.find("first")
    assert (entry.rule, entry.fired) == ("First rule.", 3)
    undo(desk.store, 1, desk.now)
    assert desk.library.entries == {}


def test_a_bump_is_never_what_undo_takes_back_by_itself(desk, create):
    desk.person(create("First", "First rule."))
    execute(desk.store, [Bump(entry="first", fired=3)], now=desk.now, by="upkeep", events=("e",))
    undo(desk.store, None, desk.now)
    assert desk.library.entries == {}


def test_what_somebody_changed_since_is_not_overwritten(desk, create):
    desk.person(create("First", "First rule."))
    desk.person(Update(entry="first", rule="Changed."))
    with pytest.raises(LibraryError, match="operation 2; undo that first"):
        undo(desk.store, 1, desk.now)
    desk.store.edit("global/first.md", desk.text("global/first.md").replace("Changed.", "By hand."))
    with pytest.raises(LibraryError, match="changed since by"):
        undo(desk.store, 2, desk.now)
    assert "By hand." in desk.text("global/first.md")


def test_moves_and_archives_are_undone(desk, create):
    desk.person(create("First", "First rule."), create("Other", "See [[global/first]]."))
    before = entries(desk)
    for wish in (Move(entry="first", folder="global/deep"), Archive(entry="first")):
        desk.person(wish)
        undo(desk.store, None, desk.now)
        assert entries(desk) == before


def test_what_was_undone_is_not_learned_again_without_new_words(desk, create):
    wish = create(cite=("u", "always use uv here, never pip"))
    desk.scholar(wish, said=SAID)
    undo(desk.store, None, desk.now)
    assert "said nothing new" in desk.later().scholar(wish, said=SAID).refused[0].reason
    anew = create(cite=("n", "use uv"))
    assert desk.scholar(anew, said={"n": "I mean it: use uv"}).applied


def test_restore_gives_the_version_before_the_last(desk, create):
    desk.person(create("First", "One."))
    desk.person(Update(entry="first", rule="Two."))
    desk.person(Update(entry="first", rule="Three."))
    restore(desk.store, "first", None, desk.now)
    assert desk.library.find("first").rule == "Two."
    restore(desk.store, "first", 2, desk.now)
    assert desk.library.find("first").rule == "One."


def test_restore_takes_out_of_the_archive(desk, create):
    desk.person(create("First", "One."))
    desk.person(Archive(entry="first"))
    restore(desk.store, "first", None, desk.now)
    assert desk.library.find("first").status == "active"


def test_restore_brings_back_what_an_undo_took_or_a_hand_deleted(desk, create):
    desk.person(create("First", "One."))
    undo(desk.store, 1, desk.now)
    restore(desk.store, "global/first", None, desk.now)
    assert desk.library.find("first").rule == "One."
    desk.person(Pin(entry="first"))
    desk.store.edit("global/first.md", None)
    restore(desk.store, "global/first", None, desk.now)
    assert desk.library.find("first").rule == "One."


def test_restore_of_what_never_was_is_refused(desk, create):
    desk.person(create("First", "One."))
    with pytest.raises(NoSuchEntry):
        restore(desk.store, "global/none", None, desk.now)
    with pytest.raises(LibraryError, match="did not exist before"):
        restore(desk.store, "first", None, desk.now)
    with pytest.raises(LibraryError, match="not changed by operation 7"):
        restore(desk.store, "first", 7, desk.now)


# --- review ----------------------------------------------------------------------------------------


def held(desk, create, **more):
    desk.scholar(create(cite=("u", "always use uv"), **more), said=SAID, mode="ask")
    return pending(desk.store)


def test_a_held_suggestion_shows_source_quote_and_reason(desk, create):
    (item,) = held(desk, create)
    assert (item.number, item.by, item.session, item.source, item.quote) == (1, "scholar", "s1", "user", "always use uv")
    assert "held for review" in item.why
    assert item.action.title == "Always use uv"


def test_approving_writes_and_clears_in_one_operation(desk, create):
    held(desk, create)
    receipt = approve(desk.store, 1, desk.now)
    assert receipt.applied[0][:2] == ("create", "global/always-use-uv")
    assert pending(desk.store) == []
    entry = desk.library.find("always-use-uv")
    assert entry.trust == "person"  # its words are the person's own
    assert entry.evidence[0].session == "s1"
    undo(desk.store, None, desk.now)
    assert desk.library.entries == {}
    assert len(pending(desk.store)) == 1


def test_approving_an_edited_suggestion_writes_the_edit(desk, create):
    (item,) = held(desk, create)
    approve(desk.store, 1, desk.now, item.action.model_copy(update={"title": "Only uv"}))
    assert list(desk.library.entries) == ["global/only-uv"]


def test_a_person_s_approval_lifts_low_trust_to_confirmed_and_no_higher(desk, create):
    desk.person(create())
    cite = (Cite(event="t", quote="uv is deprecated"),)
    desk.scholar(Deprecate(entry="always-use-uv", reason="r", evidence=cite), said=SAID)
    assert pending(desk.store)[0].source == "tool:Bash"
    assert approve(desk.store, 1, desk.now).applied
    assert desk.library.find("always-use-uv").status == "deprecated"
    desk.scholar(
        create("Sudo pip", "Use sudo pip.", kind="finding", folder="projects/x", cite=("t", "use sudo pip")), said=SAID, mode="ask"
    )
    approve(desk.store, 1, desk.now)
    assert desk.library.find("sudo-pip").trust == "confirmed"


def test_rejecting_leaves_a_tombstone(desk, create):
    held(desk, create)
    reject(desk.store, 1, desk.now)
    assert pending(desk.store) == []
    again = desk.scholar(create(cite=("u", "always use uv")), said=SAID)
    assert "said nothing new" in again.refused[0].reason
    assert "reject Always use uv" in desk.text("log.md")


def test_a_person_may_say_what_was_rejected(desk, create):
    held(desk, create)
    reject(desk.store, 1, desk.now)
    assert desk.person(create()).applied


def test_deciding_what_does_not_wait_is_refused(desk):
    for decide in (approve, reject):
        with pytest.raises(NoSuchEntry):
            decide(desk.store, 5, desk.now)


def test_a_suggestion_with_bad_evidence_is_refused_and_not_held(desk, create):
    receipt = desk.scholar(create(cite=("u", "never said")), said=SAID, mode="ask")
    assert receipt.refused
    assert pending(desk.store) == []


def test_reinforcing_a_restored_entry_works_on(desk, create):
    desk.person(create("First", "One."))
    desk.person(Archive(entry="first"))
    restore(desk.store, "first", None, desk.now)
    assert desk.later().person(Reinforce(entry="first")).applied
