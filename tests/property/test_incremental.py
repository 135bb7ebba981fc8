"""A compile after any sequence of changes gives byte for byte the index that a compile from nothing gives."""

import dataclasses
import hashlib
import tempfile

import numpy as np
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ultan import home
from ultan.encoders.hashing import HashingEncoder
from ultan.library.entry import Entry, Trigger
from ultan.library.snapshot import Library
from ultan.recall import columns
from ultan.recall.arrays import distinct, places
from ultan.recall.compile import Draft, compile  # noqa: A004 -- the word of the glossary
from ultan.recall.index import open_index, path_of
from ultan.settings import Settings

WORDS = ("apple", "breadCrumb", "cider", "dough", "flour", "grapes", "honey.py", "lemons", "commit", "日本語", "[[global/n1]]")
IDS = tuple(f"global/n{at}" for at in range(4)) + tuple(f"projects/{slug}/n{at}" for slug in ("bank", "shop") for at in range(4))
PATTERNS = (r"\bpip\s+install\b", "npm", "a|b", r"(a)\1", "rm (?!build)", "git push --force")
TEXT = st.lists(st.sampled_from(WORDS), max_size=9).map(" ".join)


@st.composite
def entries(draw: st.DrawFn) -> Entry:
    name = draw(st.sampled_from(IDS))
    return Entry(
        name, draw(TEXT), draw(st.sampled_from(("convention", "finding"))), "project:" + name.split("/")[1] if name[0] == "p" else "global",
        "2026-01-01", draw(st.sampled_from(("2026-01-01", "2026-02-02"))), status=draw(st.sampled_from(("active", "active", "stale"))),
        tags=tuple(draw(TEXT).split()), applies_when=tuple(draw(TEXT).split()), files=draw(st.sampled_from(((), ("*.py",), ("a/b.md",)))),
        triggers=tuple(Trigger("Bash", pattern) for pattern in draw(st.lists(st.sampled_from(PATTERNS), max_size=2))),
        trust=draw(st.sampled_from(("person", "observed"))), encoding_strength=draw(st.sampled_from((0.0, 0.5, 0.9))),
        pinned=draw(st.booleans()), superseded_by=draw(st.sampled_from(("", "", "global/n0"))), body=draw(TEXT),
    )  # fmt: skip


# A step adds or edits an entry, or archives or deletes one; undoing is the reverse step with the old text.
STEPS = st.lists(st.one_of(entries(), st.sampled_from(IDS)), min_size=1, max_size=8)


def library_of(shelf: dict[str, Entry]) -> Library:
    digests = {entry.path: hashlib.sha256(repr(entry).encode()).hexdigest() for entry in shelf.values()}
    return Library(dict(shelf), {}, fingerprint=repr(sorted(digests.values())), digests=digests)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(entries(), max_size=6), STEPS, st.integers(0, 3))
def test_any_sequence_of_changes_ends_in_the_index_of_a_compile_from_nothing(begin, steps, spare) -> None:
    shelf = {entry.id: entry for entry in begin}
    past = [dict(shelf)]
    with tempfile.TemporaryDirectory() as root:
        made, before = Draft(list(shelf.values()), digests=library_of(shelf).digests), None
        for step in (*steps, "undo"):
            if step == "undo":
                shelf = past[len(past) // 2]
            elif isinstance(step, Entry):
                shelf = {**shelf, step.id: step}
            else:
                shelf = {name: entry for name, entry in shelf.items() if name != step}
            past.append(dict(shelf))
            if before is None or made.made > spare:
                columns.keep(root, made.columns)
            before = columns.kept(root)
            assert before is not None
            made = Draft(list(shelf.values()), digests=library_of(shelf).digests, before=before)
            anew = Draft(list(shelf.values()), digests=library_of(shelf).digests)
            assert made.columns == anew.columns
            assert made.encoded({}, "print", 1.0) == anew.encoded({}, "print", 1.0)


def many(count: int) -> dict[str, Entry]:
    return {
        f"global/e{at:04d}": Entry(
            f"global/e{at:04d}", f"Rule {at}", "convention", "global", "2026-01-01", "2026-01-01", body=f"testing tests word{at} installer"
        )
        for at in range(count)
    }


def test_only_what_changed_is_made_anew_and_near_terms_end_the_same(tmp_path) -> None:
    one, other, given_settings = str(tmp_path / "one"), str(tmp_path / "other"), Settings({"encoder.name": "hashing"})
    shelf = many(columns.KEPT_FROM)
    compile(library_of(shelf), one, given_settings, HashingEncoder())
    shelf["global/e0007"] = dataclasses.replace(shelf["global/e0007"], body="installation of tested things")
    del shelf["global/e0100"]
    shelf["projects/shop/new"] = Entry("projects/shop/new", "New", "finding", "project:shop", "", "", body="installing tests")
    compile(library_of(shelf), one, given_settings)
    carried = open_index(one)
    assert (carried.size, carried.meta["attuned"], carried.encoder) == (columns.KEPT_FROM, False, HashingEncoder.name)
    compile(library_of(shelf), one, given_settings, HashingEncoder())
    compile(library_of(shelf), other, given_settings, HashingEncoder())
    assert home.read(path_of(one)) == home.read(path_of(other))


def test_a_changed_entry_costs_its_own_leaf_alone(tmp_path) -> None:
    root, shelf = str(tmp_path), many(columns.KEPT_FROM)
    compile(library_of(shelf), root, Settings())
    shelf["global/e0003"] = dataclasses.replace(shelf["global/e0003"], title="Another")
    draft = Draft(list(shelf.values()), digests=library_of(shelf).digests, before=columns.kept(root))
    assert draft.made == 1


@settings(deadline=None)
@given(st.lists(st.integers(0, 2**64 - 1)), st.lists(st.integers(0, 40)))
def test_places_are_those_a_search_finds(large: list[int], small: list[int]) -> None:
    for values in (large, small, [*large, *small]):
        known = distinct(np.array(values, np.uint64))
        assert known.tolist() == sorted(set(values))
        asked = np.array(values, np.uint64)
        assert places(known, asked).tolist() == np.searchsorted(known, asked).tolist()
