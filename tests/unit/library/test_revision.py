"""Revision: what an entry says, changed or ended."""

from ultan.library.actions import Cite, Contradict, Deprecate, Merge, Reinforce, Rewrite, Update


def test_a_correction_ends_the_old_entry_and_both_know(desk, create):
    desk.person(create("Use pip", "Install with pip."))
    desk.person(Reinforce(entry="use-pip"))
    desk.later().scholar(create(supersedes=("global/use-pip",), cite=("u", "always use uv")), said=desk.SAID)
    old, new = desk.library.find("use-pip"), desk.library.find("always-use-uv")
    assert (old.status, old.superseded_by, old.reinforced) == ("deprecated", new.id, 0)
    assert old.encoding_strength < 0.2
    assert old.rule == "Install with pip."
    assert new.supersedes == (old.id,)
    assert new.encoding_strength >= 0.85
    assert old not in desk.library.live()


def test_an_entry_deprecated_beside_its_follower_names_it(desk, create):
    desk.person(create("Use pip", "Install with pip."))
    desk.scholar(
        Deprecate(entry="global/use-pip", reason="r", superseded_by="global/always-use-uv", evidence=(Cite(event="u", quote="never pip"),)),
        create(cite=("u", "always use uv")), said=desk.SAID,
    )  # fmt: skip
    assert desk.library.find("use-pip").superseded_by == "global/always-use-uv"
    assert desk.library.find("always-use-uv").supersedes == ("global/use-pip",)


def test_a_contradiction_discounts_strength_whatever_was_reinforced(desk, create):
    desk.person(create())
    for _ in range(3):
        desk.later().person(Reinforce(entry="always-use-uv"))
    desk.person(Contradict(entry="always-use-uv", reason="wrong"))
    entry = desk.library.find("always-use-uv")
    assert (entry.status, entry.reinforced) == ("deprecated", 0)
    assert entry.encoding_strength < 0.25


def test_an_update_says_some_parts_anew_and_leaves_the_others(desk, create):
    desk.person(create(why="fast", tags=("a",)))
    desk.later().person(Update(entry="always-use-uv", rule="Use uv for all.", tags=("b",)))
    entry = desk.library.find("always-use-uv")
    assert (entry.rule, entry.tags, entry.updated, entry.created) == ("Use uv for all.", ("b",), "2026-05-29", "2026-05-28")
    assert "**Why:** fast" in entry.body


def test_an_update_that_changes_nothing_is_refused(desk, create):
    desk.person(create())
    assert "changes nothing" in desk.person(Update(entry="always-use-uv")).refused[0].reason


def test_a_person_rewrites_a_whole_file_and_nobody_else(desk, create):
    desk.person(create())
    text = desk.text("global/always-use-uv.md").replace("never pip", "never conda")
    assert "only a person" in desk.scholar(Rewrite(entry="always-use-uv", text=text), said=desk.SAID).refused[0].reason
    desk.person(Rewrite(entry="always-use-uv", text=text))
    assert desk.text("global/always-use-uv.md") == text
    assert "no frontmatter" in desk.person(Rewrite(entry="always-use-uv", text="x")).refused[0].reason
    renamed = text.replace("id: global/always-use-uv", "id: global/other")
    assert "its id is global/other" in desk.person(Rewrite(entry="always-use-uv", text=renamed)).refused[0].reason


def test_merging_keeps_the_first_and_archives_the_others(desk, create):
    desk.person(create("A one", "Rule a.", tags=("x",)), create("B two", "Rule b.", tags=("y",)), create("C three", "See [[global/b-two]]."))
    receipt = desk.person(Merge(into="global/a-one", entries=("global/b-two",), title="A and b", rule="Rule a and b."))
    assert desk.only(receipt)[1] == "global/a-one"
    found = desk.library
    assert found.entries["global/a-one"].tags == ("x", "y")
    assert found.entries["global/a-one"].supersedes == ("global/b-two",)
    assert found.archived["global/b-two"].superseded_by == "global/a-one"
    assert "[[global/a-one]]" in found.entries["global/c-three"].body
