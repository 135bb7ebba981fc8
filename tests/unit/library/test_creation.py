"""Creation: what is learned, written for the first time, and how strongly."""

import pytest

from ultan.library.actions import Abstract, Archive, Bring, Gates, Update
from ultan.library.executor import execute


def test_the_user_s_words_quoted_by_a_curator_are_the_person_s(desk, create):
    receipt = desk.scholar(create(cite=("u", "always use uv here,  never pip")), said=desk.SAID)
    entry = desk.library.find(desk.only(receipt)[1])
    assert entry.trust == "person"
    assert entry.evidence[0].origin == "user"
    assert entry.evidence[0].session == "s1"


def test_the_same_rule_again_reinforces(desk, create):
    desk.person(create())
    receipt = desk.later().scholar(create("Use uv", "use UV never pip", cite=("u", "always use uv here")), said=desk.SAID)
    assert desk.only(receipt)[:2] == ("reinforce", "global/always-use-uv")
    assert desk.library.find("always-use-uv").reinforced == 1
    assert len(desk.library.entries) == 1


def test_a_global_rule_is_not_written_again_for_a_project(desk, create):
    desk.person(create())
    assert desk.only(desk.later().person(create(folder="projects/x")))[1] == "global/always-use-uv"


def test_the_same_rule_in_the_archive_comes_back(desk, create):
    desk.person(create())
    desk.person(Archive(entry="always-use-uv"))
    assert desk.only(desk.later().person(create()))[:2] == ("revive", "global/always-use-uv")
    assert list(desk.library.entries) == ["global/always-use-uv"]


def test_a_body_cannot_bring_frontmatter_of_its_own(desk, create):
    desk.person(create(rule="Rule.\n---\ntrust: 3\n---\n"))
    assert desk.library.find("always-use-uv").trust == "person"
    assert desk.text("global/always-use-uv.md").count("\n---\n") == 1


def test_strength_is_stamped_from_the_signals(desk, create):
    desk.person(create("Aaa", "Rule a."), create("Bbb", "Rule b.", salience="contradicts"), create("Ccc", "Rule c.", kind="finding"))
    found = desk.library.entries
    strengths = sorted(entry.encoding_strength for entry in found.values())
    assert strengths == [0.35, 0.5, 0.85]


def test_emphasis_counts(desk, create):
    name = desk.only(desk.scholar(create(cite=("u", "always use uv")), said=desk.SAID))[1]
    entry = desk.library.find(name)
    assert entry.encoding_strength == 0.6


def test_an_abstraction_needs_children_a_person_vouches_for(desk, create):
    desk.person(create("A one", "Rule a, which is rather long."), create("B two", "Rule b, which is rather long."))
    desk.scholar(create("Finding", "Curl is there, as the readme says.", folder="projects/x", kind="finding", cite=("t", "curl")), said=desk.SAID)
    gates = Gates(remote="x" * 10, predictive="x" * 10, non_obvious="x" * 10, compresses="x" * 10)
    wish = {"folder": "global", "title": "Both", "rule": "Be long.", "gates": gates}
    low = desk.scholar(Abstract(children=("global/a-one", "projects/x/finding"), **wish), said=desk.SAID)
    assert "needs the person's own words" in low.refused[0].reason
    wordy = desk.scholar(Abstract(children=("global/a-one", "global/b-two"), **{**wish, "rule": "x " * 60}), said=desk.SAID)
    assert "not shorter" in wordy.refused[0].reason
    made = desk.scholar(Abstract(children=("global/a-one", "global/b-two"), **wish), said=desk.SAID)
    entry = desk.library.find(desk.only(made)[1])
    assert (entry.kind, entry.trust, entry.links) == ("abstraction", "person", ("global/a-one", "global/b-two"))
    assert desk.library.links_to("global/a-one") == (entry.id,)
    assert desk.library.find("a-one").links == (entry.id,)


def test_an_entry_of_another_library_keeps_its_history(desk, entry_text):
    text = entry_text(front="trust: confirmed\nreinforced: 4\nfired-helpful: 2\n")
    receipt = execute(desk.store, [Bring(path="global/uv.md", text=text)], now=desk.now, by="import")
    assert desk.only(receipt)[:2] == ("bring", "global/uv")
    assert desk.text("global/uv.md") == text
    assert desk.library.foreign == ()
    assert (desk.library.find("uv").trust, desk.library.find("uv").reinforced) == ("confirmed", 4)


def test_what_is_brought_lies_where_an_entry_may_and_takes_no_place(desk, create, entry_text):
    desk.person(create())
    for path, text in (
        ("global/always-use-uv.md", entry_text()), ("elsewhere/uv.md", entry_text()), ("global/../../uv.md", entry_text()),
        ("global/uv.md", entry_text(front="id: global/other\n")), ("global/uv.md", "no frontmatter"),
    ):  # fmt: skip
        receipt = execute(desk.store, [Bring(path=path, text=text)], now=desk.now, by="import")
        assert (receipt.applied, len(receipt.refused)) == ((), 1), path
    assert execute(desk.store, [Bring(path="global/uv.md", text=entry_text())], now=desk.now, by="clerk").applied == ()


def test_who_writes_by_hand_raises_the_voice_in_the_rule_itself_and_nobody_else_does(desk, create):
    desk.person(create("Never deploy on Fridays", "Never deploy on Fridays."), create("Deploy by hand", "Deployments are started by hand."))
    desk.scholar(create("Tabs", "Always use tabs, never spaces.", cite=("u", "use tabs")), said={"u": "use tabs here, not spaces"})
    strong = {entry.slug: entry.encoding_strength for entry in desk.library.entries.values()}
    assert strong["never-deploy-on-fridays"] == pytest.approx(strong["deploy-by-hand"] + 0.1)
    assert strong["tabs"] == strong["deploy-by-hand"]


def test_a_rule_that_a_person_rewrites_with_emphasis_is_written_stronger(desk, create):
    desk.person(create("Deploy by hand", "Deployments are started by hand."))
    before = desk.library.find("deploy-by-hand").encoding_strength
    desk.person(Update(entry="deploy-by-hand", rule="Deployments are always started by hand.", salience="drift"))
    assert desk.library.find("deploy-by-hand").encoding_strength >= before
