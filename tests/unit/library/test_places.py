"""Places: moves, the archive and links."""

from ultan.library.actions import AddWikilink, Archive, Deprecate, Move, Pin, Revive, SplitFolder
from ultan.library.executor import execute


def test_archiving_moves_and_marks_and_reviving_brings_back(desk, create):
    desk.person(create(folder="global/python"))
    desk.person(Archive(entry="always-use-uv", reason="old"))
    text = desk.text("_archive/global/python/always-use-uv.md")
    assert "status: stale" in text
    assert "archived: 2026-05-28" in text
    assert desk.store.read("global/python/always-use-uv.md") is None
    assert desk.store.read("global/python/README.md") is None
    desk.later().person(Revive(entry="always-use-uv"))
    entry = desk.library.find("always-use-uv")
    assert (entry.status, entry.archived, entry.shelved) == ("active", "", False)


def test_what_is_pinned_is_not_archived_by_the_upkeep(desk, create):
    desk.person(create(pinned=True))
    receipt = execute(desk.store, [Archive(entry="always-use-uv")], now=desk.now, by="upkeep")
    assert "pinned" in receipt.refused[0].reason
    desk.person(Pin(entry="always-use-uv", pinned=False))
    assert execute(desk.store, [Archive(entry="always-use-uv")], now=desk.now, by="upkeep").applied


def test_a_move_takes_every_link_along_in_one_operation(desk, create):
    desk.person(create(), create("Other", "See [[global/always-use-uv|this]] and [[always-use-uv]]."), create("Old", "Old rule."))
    desk.person(Deprecate(entry="old", reason="r", superseded_by="global/always-use-uv"))
    before = len(desk.store.operations())
    desk.scholar(Move(entry="global/always-use-uv", folder="global/python/tools"), said=desk.SAID)
    found = desk.library
    new = "global/python/tools/always-use-uv"
    assert new in found.entries
    assert found.find("other").body.startswith(f"See [[{new}|this]] and [[{new}]].")
    assert found.find("old").superseded_by == new
    assert len(desk.store.operations()) == before + 1
    assert "projects/x/always-use-uv" in desk.person(Move(entry=new, folder="projects/x")).applied[0][1]
    assert found.find("always-use-uv").scope == "global"
    assert desk.library.find("always-use-uv").scope == "project:x"


def test_a_curator_moves_nothing_into_another_scope(desk, create):
    desk.person(create())
    assert desk.scholar(Move(entry="always-use-uv", folder="projects/x"), said=desk.SAID).pending


def test_a_folder_is_split(desk, create):
    desk.person(*(create(f"Title {n}", f"Rule number {n}.") for n in range(6)))
    receipt = desk.scholar(
        SplitFolder(folder="global", into={"low": ("global/title-0", "global/title-1"), "high": ("global/title-5",)}), said=desk.SAID
    )
    assert receipt.applied
    assert {"global/low/title-0", "global/low/title-1", "global/high/title-5"} <= set(desk.library.entries)
    assert "[low/](low/README.md) \N{EN DASH} 2 entries" in desk.text("global/README.md")


def test_links_join_entries_but_never_lead_down_in_trust(desk, create):
    desk.person(create("A one", "Rule a."), create("B two", "Rule b."))
    desk.scholar(create("Curl", "A curl script exists.", folder="projects/x", kind="finding", cite=("t", "curl")), said=desk.SAID)
    receipt = desk.scholar(
        AddWikilink(entry="a-one", target="b-two"), AddWikilink(entry="a-one", target="projects/x/curl"),
        AddWikilink(entry="a-one", target="a-one"), said=desk.SAID,
    )  # fmt: skip
    assert [each[:2] for each in receipt.applied] == [("add_wikilink", "global/a-one")]
    assert len(receipt.refused) == 2
    assert desk.library.links_to("global/b-two") == ("global/a-one",)
