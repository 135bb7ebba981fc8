"""Remote leaves with one predicate are candidates; what is vague, near or said already is not a parent."""

import pytest

from ultan.library.actions import Abstract, Gates
from ultan.library.entry import Entry
from ultan.recall.text import terms
from ultan.staff.abstraction import candidates, failed_gates, is_remote


def leaf(place, rule, *, kind="convention", tags=(), trust="person"):
    scope = "global" if place.startswith("global") else "project:" + place.split("/")[1]
    return Entry(
        id=place, title=place.rpartition("/")[2], kind=kind, scope=scope, created="2026-01-01", updated="2026-01-01",
        tags=tags, trust=trust, body=rule + "\n",
    )  # fmt: skip


PY = leaf("global/python/pin", "Pin the exact version of each dependency in Python projects.", tags=("python",))
GO = leaf("projects/api/go/pin", "Pin the exact version of each module, Go modules included.", tags=("go",))
DOCKER = leaf("projects/web/docker/base", "Pin the exact digest of the base image, never a floating version.", tags=("docker",))
TEA = leaf("global/tone/short", "Keep answers short and skip the summary.", kind="preference", tags=("tone",))
GATES = {
    "remote": "a Python lockfile, a Go module file and a container image",
    "predictive": "a Terraform provider would be pinned exactly too",
    "non_obvious": "most assistants accept floating ranges by default",
    "compresses": "each child is the rule applied to one ecosystem",
}


def parent(rule="Pin exact versions of everything fetched from outside.", children=(PY, GO), **gates):
    return Abstract(
        title="Pin what is fetched", rule=rule, folder="global/abstractions", children=tuple(c.id for c in children),
        gates=Gates(**{**GATES, **gates}),
    )  # fmt: skip


def library(*entries):
    return {entry.id: entry for entry in entries}


def test_remote_leaves_with_one_predicate_are_found_and_an_unrelated_one_is_not_among_them():
    found = candidates([PY, GO, DOCKER, TEA], terms)
    assert found
    assert {child.id for child in found[0].children} == {PY.id, GO.id, DOCKER.id}
    assert "pin" in found[0].shared


def test_a_group_that_was_judged_before_is_not_proposed_again():
    (first, *_) = candidates([PY, GO, DOCKER, TEA], terms)
    again = candidates([PY, GO, DOCKER, TEA], terms, frozenset([frozenset(c.id for c in first.children)]))
    assert first.children not in [one.children for one in again]


def test_a_leaf_that_no_person_stated_makes_no_candidate():
    seen = leaf("projects/web/docker/base", DOCKER.body, trust="observed")
    assert all(seen not in one.children for one in candidates([PY, GO, seen], terms))


def test_two_entries_of_one_folder_or_one_tag_are_not_remote():
    assert is_remote(PY, GO, terms)
    assert not is_remote(PY, leaf("global/python/lint", "Run the linter before each commit."), terms)
    assert not is_remote(GO, leaf("projects/web/x/y", "Format with gofmt.", tags=("go",)), terms)


def test_a_good_parent_passes_all_gates():
    assert failed_gates(parent(), library(PY, GO, TEA), terms) == []


@pytest.mark.parametrize(
    ("action", "entries", "gate"),
    [
        (parent(children=(PY, leaf("global/python/lock", "Commit the lockfile."))), (PY, leaf("global/python/lock", "Commit the lockfile.")), "remote"),
        (parent(rule="Pin exact versions. " * 12), (PY, GO), "compresses"),
        (parent(rule="The user likes good clean tools."), (PY, GO), "non-obvious"),
        (parent(), (PY, GO, leaf("global/x/y", "Pin exact versions of everything fetched from outside!")), "says it already"),
        (parent(predictive="pin exact version of each dependency"), (PY, GO), "predictive"),
        (parent(), (PY,), "children"),
    ],
)  # fmt: skip
def test_a_gate_that_code_can_hold_is_held(action, entries, gate):
    assert any(gate in failure for failure in failed_gates(action, library(*entries), terms))
