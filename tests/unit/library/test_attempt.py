"""An action does all of its part or nothing."""

from ultan.library.actions import Pin, SplitFolder
from ultan.library.twin import MemoryStore


def test_an_action_that_fails_half_way_leaves_nothing(desk, create):
    desk.person(create("A one", "Rule a."), create("B two", "Rule b."))
    before = dict(desk.library.entries)
    receipt = desk.person(SplitFolder(folder="global", into={"x": ("global/a-one", "global/none")}))
    assert receipt.refused
    assert desk.library.entries == before


def test_an_entry_that_cannot_be_edited_line_by_line_is_refused_and_untouched(words):
    _, _, _, desk_of = words
    text = "---\n{title: Odd, kind: finding, scope: global}\n---\n\nOdd.\n"
    desk = desk_of(MemoryStore({"global/odd.md": text}))
    assert "line by line" in desk.person(Pin(entry="odd")).refused[0].reason
    assert desk.text("global/odd.md") == text
