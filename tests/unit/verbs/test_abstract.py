"""The deep scan: code finds, a model or a person judges, and what was judged is not asked again."""

import pytest

from ultan.errors import LibraryError, QuotaReached
from ultan.library.actions import UNSAID, Abstract, Create, Gates, Pin, Reinforce
from ultan.library.creation import parental, placed
from ultan.library.entry import Entry
from ultan.library.held import pending
from ultan.library.store import FileStore
from ultan.llm.scripted import by_role
from ultan.settings import Settings
from ultan.verbs import review
from ultan.verbs.abstract import abstract
from ultan.verbs.desk import Desk
from ultan.verbs.undo import undo

PY, GO, TEA = "global/python/pin", "projects/api/go/pin", "global/tone/short"
GATES = {
    "remote": "a Python lockfile and a Go module file",
    "predictive": "a Terraform provider would be pinned exactly too",
    "non_obvious": "most assistants accept floating ranges by default",
    "compresses": "each child is the rule applied to one ecosystem",
}
PARENT = {
    "verb": "abstract", "title": "Pin what is fetched", "rule": "Pin exact versions of everything fetched from outside.",
    "folder": "global/abstractions", "children": [PY, GO], "gates": GATES,
}  # fmt: skip
YES = {"verdicts": [{"number": 0, "approve": True, "reason": "all four gates hold"}]}
NO = {"verdicts": [{"number": 0, "approve": False, "reason": "vague"}]}


def wish(folder, rule, kind="convention", **more):
    return Create(folder=folder, slug=more.pop("slug", "pin"), title=rule[:40], kind=kind, rule=rule, **more)


@pytest.fixture
def desk(home, now):
    desk = Desk(home, FileStore(home), Settings({"encoder.name": "hashing"}), now)
    desk.execute(
        [
            wish("global/python", "Pin the exact version of each dependency in Python projects.", tags=("python",)),
            wish("projects/api/go", "Pin the exact version of each module, Go modules included.", tags=("go",)),
            wish("global/tone", "Keep answers short and skip the summary.", "preference", slug="short"),
        ]
    )
    return desk


def suggesting(*actions):
    return {"suggestions": [{"action": action, "reason": "one rule behind them"} for action in actions]}


def parents(desk):
    return [entry for entry in desk.library.entries.values() if entry.kind == "abstraction"]


def test_without_a_model_a_draft_waits_that_a_person_must_put_into_words(desk):
    done = abstract(desk)
    assert [group.children for group in done.groups] == [(PY, GO)]
    assert done.held == 1
    (item,) = pending(desk.store)
    assert item.action.rule.startswith(UNSAID)
    with pytest.raises(LibraryError, match="put its rule into words"):
        review.approve(desk, item.number)
    assert pending(desk.store)
    assert parents(desk) == []
    review.approve(desk, item.number, {"title": "Pin what is fetched", "rule": PARENT["rule"]})
    (parent,) = parents(desk)
    assert (parent.rule, parent.trust) == (PARENT["rule"], "person")
    assert set(parent.links) == {PY, GO}
    assert pending(desk.store) == []


def test_what_waits_was_rejected_or_has_its_parent_is_not_asked_again(desk):
    assert abstract(desk).held == 1
    assert abstract(desk).groups == ()
    review.reject(desk, pending(desk.store)[0].number)
    assert abstract(desk).groups == ()


def test_a_model_names_the_rule_and_the_scholar_rules(desk):
    model = by_role(librarian=suggesting(PARENT), scholar=YES)
    done = abstract(desk, opened=lambda: model)
    (parent,) = parents(desk)
    assert done.written == (parent.id,)
    assert parent.id == "projects/api/abstractions/pin-what-is-fetched"  # one child is the project's own
    assert parent.trust == "person"
    assert desk.library.links_to(PY) == (parent.id,)
    assert {child for child in (PY, GO) if parent.id in desk.library.entries[child].links} == {PY, GO}
    assert abstract(desk, opened=lambda: model).groups == ()
    undo(desk, done.operation)
    assert parents(desk) == []


def test_a_veto_and_a_librarian_who_sees_nothing_are_remembered_and_logged(desk):
    vetoing = by_role(librarian=suggesting(PARENT), scholar=NO)
    assert abstract(desk, opened=lambda: vetoing).vetoed == ("Pin what is fetched",)
    assert abstract(desk, opened=lambda: vetoing).groups == ()
    assert parents(desk) == []


def test_a_librarian_who_sees_no_rule_is_not_asked_again(desk):
    blind = by_role(librarian={"suggestions": []})
    assert len(abstract(desk, opened=lambda: blind).groups) == 1
    assert abstract(desk, opened=lambda: blind).groups == ()
    assert [errand.role for errand in blind.asked] == ["librarian"]
    assert any("saw no rule" in reason for operation in desk.store.operations() for _, _, reason in operation.refusals)


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ({"rule": "The user likes good clean tools."}, "non-obvious"),
        ({"rule": "Pin exact versions of it. " * 12}, "compresses"),
        ({"children": [PY, TEA]}, "not of one candidate"),
        ({"verb": "nudge"}, ""),
    ],
)
def test_what_code_can_count_goes_back_to_the_librarian(desk, change, complaint):
    model = by_role(librarian=suggesting({**PARENT, **change}), scholar=YES)
    done = abstract(desk, opened=lambda: model)
    assert done.told
    assert any(complaint in text for text in model.told)
    assert parents(desk) == []
    assert abstract(desk, dry_run=True).groups  # nobody judged it: it is asked again


def test_a_model_that_is_used_up_forgets_nothing(desk):
    assert abstract(desk, opened=lambda: by_role(librarian=QuotaReached("used up"))).told == "used up"
    assert abstract(desk).held == 1


def test_a_judged_group_is_replayed_once_its_entries_were_said_again(desk):
    model = by_role(librarian=suggesting())
    abstract(desk, opened=lambda: model)
    assert abstract(desk, dry_run=True).groups == ()
    for number in range(1, 3):
        later = Desk(desk.root, desk.store, desk.settings, desk.now + number * 86_400)
        later.execute([Reinforce(entry=PY)])
        assert bool(abstract(desk, dry_run=True).groups) is (number == 2)
    abstract(desk, opened=lambda: model)
    assert abstract(desk, dry_run=True).groups == ()


def test_what_was_said_again_is_looked_at_first(desk):
    desk.execute(
        [
            wish("global/tea", "Rinse the enamel kettle after each brew, tea included.", slug="kettle", tags=("tea",)),
            wish("global/paint", "Rinse the enamel brushes after each coat, paint included.", slug="brush", tags=("paint",)),
        ]
    )
    first = abstract(desk, dry_run=True).groups[0].children
    other = next(group.children for group in abstract(desk, dry_run=True).groups if group.children != first)
    for number in range(1, 9):
        later = Desk(desk.root, desk.store, desk.settings, desk.now + number * 86_400)
        later.execute([Reinforce(entry=other[0])])
    assert abstract(desk, dry_run=True).groups[0].children == other


def test_a_dry_run_writes_nothing(desk):
    before = desk.store.operations()
    assert abstract(desk, dry_run=True).groups
    assert desk.store.operations() == before


# --- what the executor computes ---------------------------------------------------------------------


def leaf(place, strength=0.5, reinforced=0):
    scope = "global" if place.startswith("global") else "project:" + place.split("/")[1]
    return Entry(place, place, "convention", scope, "2026-01-01", "2026-01-01", encoding_strength=strength, reinforced=reinforced)


@pytest.mark.parametrize(
    ("places", "folder"),
    [
        (("global/python/tools/a", "global/python/style/b"), "global/python"),
        (("global/python/a", "global/go/b"), "global/abstractions"),
        (("projects/p/api/x/a", "projects/p/api/y/b"), "projects/p/api"),
        (("projects/p/api/a", "projects/p/web/b"), "projects/p/abstractions"),
        (("projects/p/api/a", "global/web/b"), "projects/p/abstractions"),
        (("projects/p/api/a", "projects/q/api/b"), "global/abstractions"),
    ],
)
def test_a_parent_lies_in_the_folder_its_children_share(places, folder):
    assert placed([leaf(place) for place in places]) == folder


def test_a_parent_is_as_strong_as_its_children_weighted_by_use_and_never_beyond_fading():
    assert parental([leaf("global/a/x", 0.4), leaf("global/b/y", 0.6)]) == 0.5
    assert parental([leaf("global/a/x", 0.4), leaf("global/b/y", 0.6, reinforced=3)]) == 0.56
    assert parental([leaf("global/a/x", 1.0), leaf("global/b/y", 0.95)]) == 0.74


def test_an_abstraction_is_no_child_of_another(desk):
    action = Abstract(**{**{k: v for k, v in PARENT.items() if k != "verb"}, "children": (PY, GO), "gates": Gates(**GATES)})
    desk.execute([action], by="scholar")
    parent = parents(desk)[0].id
    higher = Abstract(title="Higher", rule="Pin all.", folder="global", children=(parent, TEA), gates=Gates(**GATES))
    refused = desk.execute([higher], by="scholar").refused
    assert "is an abstraction" in refused[0].reason


def test_a_parent_stays_when_its_children_are_archived(desk):
    model = by_role(librarian=suggesting(PARENT), scholar=YES)
    (parent,) = abstract(desk, opened=lambda: model).written
    from ultan.library.actions import Archive

    desk.execute([Archive(entry=PY), Archive(entry=GO), Pin(entry=parent)])
    library = desk.library
    assert parent in library.entries
    assert [library.resolve(target) for target in library.entries[parent].links] == [PY, GO]
