"""The plan: listings, the log and what a person is told."""

from ultan.library.actions import Move
from ultan.library.twin import MemoryStore
from ultan.library.upkeep import derived


def test_a_folder_with_many_entries_is_reported_and_not_refused(desk, create):
    receipt = desk.person(*(create(f"Title {n}", f"Rule number {n}.") for n in range(6)))
    assert len(receipt.applied) == 6
    assert "worth a split" in receipt.notes[0]


def test_vetoes_are_logged_with_their_reason(desk, create):
    from ultan.staff.proposals import Suggestion, Verdict

    wish = create(cite=("u", "always use uv"))
    desk.scholar(said=desk.SAID, rulings=[(Suggestion(action=wish), Verdict(number=0, approve=False, reason="not durable"))])
    assert "vetoed create Always use uv \N{EN DASH} not durable" in desk.text("log.md")
    assert desk.store.operations()[-1].refusals == (("veto", "create Always use uv", "not durable"),)


def test_prose_around_a_listing_stays_byte_for_byte(words):
    create, _, _, desk_of = words
    prose = "# Mine\r\n\r\nWords. \r\n<!-- ultan:children -->\r\nold\r\n<!-- /ultan:children -->\r\n\r\nMore words."
    desk = desk_of(MemoryStore({"global/README.md": prose}))
    desk.person(create())
    text = desk.text("global/README.md")
    assert text.startswith("# Mine\r\n\r\nWords. \r\n<!-- ultan:children -->\r\n")
    assert text.endswith("\r\n<!-- /ultan:children -->\r\n\r\nMore words.")
    assert "[[global/always-use-uv]]" in text


def test_markers_that_do_not_pair_up_are_left_alone(words):
    create, _, _, desk_of = words
    desk = desk_of(MemoryStore({"global/README.md": "a <!-- ultan:children --> b"}))
    desk.person(create())
    assert desk.text("global/README.md") == "a <!-- ultan:children --> b"


def test_after_any_write_nothing_derived_is_out_of_date(desk, create):
    desk.person(create(folder="global/a/b"), create("Xyz", "Xyz.", folder="projects/p"))
    desk.person(Move(entry="xyz", folder="projects/p/q"))
    found = desk.library
    assert derived(found.entries, {p: t for p, t in found.texts.items() if p != "log.md"}) == {}
