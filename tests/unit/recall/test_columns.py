import pytest

from ultan.library.entry import Entry, Trigger
from ultan.recall import columns
from ultan.recall.columns import columns_of, kept


def entry(name: str, **more: object) -> Entry:
    given = {"title": name, "kind": "convention", "scope": "global", "created": "2026-01-01", "updated": "2026-01-01", "body": name}
    return Entry(id=name, **{**given, **more})  # type: ignore[arg-type]


ENTRIES = [
    entry("global/a", triggers=(Trigger("Bash", r"\bpip\s+install\b"), Trigger("Bash", "(a)\\1"))),
    entry("global/b", superseded_by="global/c", body="See [[global/a]]."),
    entry("global/c", applies_when=("a commit",), files=("*.py",)),
]
DIGESTS = {one.path: one.id.rpartition("/")[2] * 3 for one in ENTRIES}


def test_kept_columns_come_back_as_they_were(tmp_path) -> None:
    made, _ = columns_of(ENTRIES, DIGESTS, None)
    columns.keep(str(tmp_path), made)
    assert kept(str(tmp_path)) == made


def test_an_entry_whose_digest_is_another_is_made_anew() -> None:
    before, made = columns_of(ENTRIES, DIGESTS, None)
    assert made == len(ENTRIES)
    after, made = columns_of(ENTRIES, {**DIGESTS, ENTRIES[1].path: "new"}, before)
    assert made == 1
    assert after._replace(digests=before.digests) == before


def test_an_entry_without_a_digest_is_never_taken_over() -> None:
    before, _ = columns_of(ENTRIES, {}, None)
    assert columns_of(ENTRIES, {}, before)[1] == len(ENTRIES)


def test_what_is_gone_leaves_nothing_behind() -> None:
    before, _ = columns_of(ENTRIES, DIGESTS, None)
    after, made = columns_of(ENTRIES[2:], DIGESTS, before)
    assert made == 0
    assert after == columns_of(ENTRIES[2:], DIGESTS, None)[0]
    assert (after.links, after.superseded, after.off) == ({}, {}, {})


@pytest.mark.parametrize("keep", [0, 10, 24, 60, -1])
def test_a_torn_file_is_as_good_as_missing(tmp_path, keep: int) -> None:
    root = str(tmp_path)
    columns.keep(root, columns_of(ENTRIES, DIGESTS, None)[0])
    with open(columns.path_of(root), "rb+") as file:
        whole = file.read()
        file.seek(0)
        file.truncate()
        file.write(whole[:keep])
    assert kept(root) is None


def test_leaves_of_other_rules_are_not_used(tmp_path) -> None:
    root = str(tmp_path)
    columns.keep(root, columns_of(ENTRIES, DIGESTS, None)[0])
    with open(columns.path_of(root), "rb+") as file:
        line = file.readline()
        file.seek(len(line) - 3)
        file.write(b"zz")
    assert kept(root) is None


def test_what_is_forgotten_is_gone(tmp_path) -> None:
    root = str(tmp_path)
    columns.keep(root, columns_of(ENTRIES, DIGESTS, None)[0])
    columns.forget(root)
    assert kept(root) is None
    columns.forget(root)
