"""The draft: names and places of entries."""

import pytest

from ultan.library.actions import Update
from ultan.library.twin import MemoryStore


def test_two_rules_with_one_title_become_two_files(desk, create):
    desk.person(create("Project conventions", "Tabs."), create("Project conventions", "Spaces."))
    assert list(desk.library.entries) == ["global/project-conventions", "global/project-conventions-2"]


@pytest.mark.parametrize(
    "folder",
    ["elsewhere", "projects", "..", "global/../..", "/etc", "global/Üb", "global/a b", "global/con", "global/readme",
     "../../.claude", "global/" + "a" * 64, "global/a/b/c/d/e/f", "knowledge-evil", "_archive/global", "global//x", "global/.x"],
)  # fmt: skip
def test_a_folder_that_is_no_place_is_refused(desk, create, folder):
    receipt = desk.person(create(folder=folder))
    assert receipt.refused
    assert desk.library.entries == {}


def test_folders_that_differ_in_case_only_are_refused(words):
    create, entry_text, _, desk_of = words
    desk = desk_of(MemoryStore({"global/Finance/a.md": entry_text()}))
    receipt = desk.person(create("Bbb", "Another rule.", folder="global/finance"))
    assert "case only" in receipt.refused[0].reason
    assert desk.person(create("Bbb", "Another rule.", folder="global/Finance")).applied


@pytest.mark.parametrize(
    ("title", "slug"),
    [("Über Größe", "uber-grosse"), ("日本語", "entry-"), ("README", "entry-readme-"), ("a/../../b", "a-b"), ("x" * 120, "x" * 60)],
)
def test_a_title_becomes_a_plain_name(desk, create, title, slug):
    assert desk.only(desk.person(create(title)))[1].startswith(f"global/{slug}")


def test_a_link_that_leads_nowhere_is_refused(desk, create):
    assert "no entry" in desk.person(create(related=("global/none",))).refused[0].reason
    assert "no entry" in desk.person(create(rule="See [[global/none]].")).refused[0].reason


def test_an_entry_that_is_not_there_is_refused_with_candidates(desk, create):
    desk.person(create())
    reason = desk.person(Update(entry="global/always-use-uvx", rule="Xxx.")).refused[0].reason
    assert "global/always-use-uv" in reason


def test_an_unreadable_entry_blocks_nothing_else(words):
    create, entry_text, _, desk_of = words
    desk = desk_of(MemoryStore({"global/bad.md": "---\ntitle: x", "global/good.md": entry_text("Good", "Good.")}))
    desk.person(create("Bad", "Another rule."))
    assert [path for path, _ in desk.library.unreadable] == ["global/bad.md"]
    assert set(desk.library.entries) == {"global/good", "global/bad-2"}
    assert desk.text("global/bad.md") == "---\ntitle: x"
