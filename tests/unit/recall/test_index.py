import os

import pytest

from ultan import failpoints, home
from ultan.errors import IndexUnreadable
from ultan.library.entry import Entry, Trigger
from ultan.library.snapshot import Library
from ultan.recall import compile as making
from ultan.recall import index as layout
from ultan.recall import mapping
from ultan.recall.index import Index, open_index
from ultan.settings import Settings


def entry(name: str, **more: object) -> Entry:
    scope = "project:" + name.split("/")[1] if name.startswith("projects/") else "global"
    given = {"title": name, "kind": "convention", "scope": scope, "created": "2026-01-01", "updated": "2026-01-01", "body": name}
    return Entry(id=name, **{**given, **more})  # type: ignore[arg-type]


ENTRIES = [
    entry("global/uv", title="Always use uv", body="Use uv, never pip.", triggers=(Trigger("Bash", r"\bpip\s+install\b"),)),
    entry("projects/shop/tests", title="Run the tests", body="Run pytest before every commit."),
    entry("projects/bank/tests", title="Run the tests", body="Run unittest before every commit."),
]


def raw_index() -> bytes:
    return making.Draft(ENTRIES).encoded(Settings().baked(), "print", 12.0)


def written(root: str, raw: bytes) -> str:
    os.makedirs(os.path.join(root, "index"), exist_ok=True)
    with open(layout.path_of(root), "wb") as file:
        file.write(raw)
    return root


def test_an_index_says_what_it_was_made_from(tmp_path) -> None:
    index = open_index(written(str(tmp_path), raw_index()))
    index.verify()
    assert (index.size, index.fingerprint, index.made_at, index.encoder) == (3, "print", 12.0, "")
    assert index.settings["priming.entries"] == 3


def test_an_entry_is_found_by_its_id() -> None:
    index = Index(raw_index())
    assert index.card(index.number("projects/bank/tests")).scope == "project:bank"
    assert index.number("global/nothing") == -1


def test_a_project_is_one_range_and_another_project_is_never_in_scope() -> None:
    index = Index(raw_index())
    scopes = {index.card(at).scope for low, high in index.ranges("shop") for at in range(low, high)}
    assert scopes == {"global", "project:shop"}
    assert {index.card(at).scope for low, high in index.ranges("nowhere") for at in range(low, high)} == {"global"}


def test_a_missing_index_is_unreadable(tmp_path) -> None:
    with pytest.raises(IndexUnreadable):
        open_index(str(tmp_path))


@pytest.mark.parametrize("keep", [0, 7, 63, 200, -1])
def test_an_index_that_is_cut_off_is_unreadable(tmp_path, keep: int) -> None:
    with pytest.raises(IndexUnreadable):
        open_index(written(str(tmp_path), raw_index()[:keep]))


def test_an_index_of_a_newer_format_is_unreadable(tmp_path) -> None:
    raw = bytearray(raw_index())
    raw[8] += 1
    with pytest.raises(IndexUnreadable, match="format"):
        open_index(written(str(tmp_path), bytes(raw)))


@pytest.mark.parametrize(("place", "value", "says"), [
    (0, b"X", "no index of ours"), (8, b"\0", "format 0"), (12, b"\2" if mapping.ORDER == 1 else b"\1", "format"),
    (16, b"\xff", "torn"), (20, b"\xff", "torn"),
])  # fmt: skip
def test_an_index_of_another_program_an_older_format_or_another_machine_is_unreadable(tmp_path, place: int, value: bytes, says: str) -> None:
    raw = bytearray(raw_index())
    raw[place : place + 1] = value
    with pytest.raises(IndexUnreadable, match=says):
        open_index(written(str(tmp_path), bytes(raw)))


def test_a_link_in_place_of_the_index_is_not_followed(tmp_path) -> None:
    elsewhere = written(str(tmp_path / "elsewhere"), raw_index())
    os.makedirs(tmp_path / "home" / "index")
    os.symlink(layout.path_of(elsewhere), layout.path_of(str(tmp_path / "home")))
    with pytest.raises(IndexUnreadable):
        open_index(str(tmp_path / "home"))


@pytest.mark.parametrize("point", ["write", "fsync", "replace"])
def test_a_compile_that_ends_midway_leaves_the_generation_before_it(tmp_path, monkeypatch, point: str) -> None:
    root, shelf = str(tmp_path), {one.id: one for one in ENTRIES}
    making.compile(Library(shelf, {}, fingerprint="one"), root, Settings())
    before = home.read(layout.path_of(root))
    monkeypatch.setattr(failpoints, "passages", {})
    monkeypatch.setenv("ULTAN_FAILPOINT", f"{point}@1:raise")
    with pytest.raises(OSError, match="failpoint"):
        making.compile(Library(dict([*shelf.items()][:1]), {}, fingerprint="two"), root, Settings())
    assert home.read(layout.path_of(root)) == before
    assert open_index(root).fingerprint == "one"
    monkeypatch.delenv("ULTAN_FAILPOINT")
    making.compile(Library(dict([*shelf.items()][:1]), {}, fingerprint="two"), root, Settings())
    assert open_index(root).fingerprint == "two"
    assert sorted(os.listdir(os.path.join(root, "index"))) == ["library.idx"], "nothing half written lies about"


def test_an_index_made_with_another_encoder_is_refused(tmp_path) -> None:
    with pytest.raises(IndexUnreadable, match="was made with"):
        open_index(written(str(tmp_path), raw_index()), encoder="other/1")


def test_every_changed_byte_is_noticed_before_it_is_used() -> None:
    good = raw_index()
    for at in range(0, len(good), 37):
        raw = bytearray(good)
        raw[at] ^= 0x55
        try:
            index = Index(bytes(raw))
            index.verify()
        except IndexUnreadable:
            continue
        assert _is_padding(good, at), at


def _is_padding(raw: bytes, at: int) -> bool:
    index = Index(raw)
    covered = [(offset, offset + size) for offset, size, _ in index._sections.places.values()]
    return not any(low <= at < high for low, high in covered) and at > mapping.HEADER.size


def test_a_query_checks_only_what_it_touches() -> None:
    many = [entry(f"global/e{at}", title=f"rule number{at}", body="filler words " * 40) for at in range(300)]
    raw = bytearray(making.Draft(many).encoded(Settings().baked(), "", 0.0))
    index = Index(bytes(raw))
    offset, size, _ = index._sections.places["card"]
    raw[offset + size // 2] ^= 1
    torn = Index(bytes(raw))
    assert torn.card(0).id == "global/e0"
    with pytest.raises(IndexUnreadable):
        [torn.card(number) for number in range(140, 160)]
    with pytest.raises(IndexUnreadable):
        torn.verify()


def test_an_empty_library_has_an_index_that_answers_nothing() -> None:
    index = Index(making.Draft([]).encoded(Settings().baked(), "", 0.0))
    index.verify()
    assert index.size == 0
    assert index.ranges("shop") == []
    assert index.number("x") == -1
