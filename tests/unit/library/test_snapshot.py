import pytest

from ultan.errors import NoSuchEntry
from ultan.library.operation import Operation, Tombstone, seal
from ultan.library.snapshot import Ledger, is_conflict_copy, key, read_library
from ultan.library.twin import MemoryStore


@pytest.fixture
def read(words):
    entry_text = words[1]

    def reader(**files):
        texts = {}
        for path, what in files.items():
            title, rule, *more = what
            scope = "global" if path.startswith("global") or "_archive/global" in path else "project:" + path.split("/")[1]
            texts[path + ".md"] = entry_text(title, rule, scope=scope, front="".join(f"{line}\n" for line in more))
        return read_library(MemoryStore(texts))

    return lambda files: reader(**files)


def test_an_entry_is_found_by_id_by_name_and_by_title(read):
    library = read({"global/python/uv": ("Always use uv", "Use uv."), "projects/web/tabs": ("Tabs", "Tabs.")})
    for name in ("global/python/uv", "global/python/uv.md", "uv", "UV", "[[uv]]", "always use uv", "knowledge/global/python/uv.md"):
        assert library.find(name).id == "global/python/uv"


def test_an_unclear_or_unknown_name_names_candidates(read):
    library = read({"global/a/uv": ("One", "One."), "global/b/uv": ("Two", "Two.")})
    with pytest.raises(NoSuchEntry, match="global/a/uv, global/b/uv"):
        library.find("uv")
    with pytest.raises(NoSuchEntry, match="close: global/"):
        library.find("uvv")
    assert library.resolve("uv") == ""


def test_a_live_entry_goes_before_an_archived_one(read):
    library = read({"global/uv": ("Uv", "Use uv."), "_archive/global/old/uv": ("Uv", "Use old uv.")})
    assert library.find("uv").id == "global/uv"
    assert library.find("_archive/global/old/uv").shelved


def test_links_lead_both_ways(read):
    library = read({"global/a": ("A", "See [[b]] and [[global/c|c]]."), "global/b": ("B", "B."), "global/c": ("C", "See [[b]].")})
    assert library.links_to("global/b") == ("global/a", "global/c")
    around = library.neighbourhood("global/c")
    assert around.links == ("global/b",)
    assert around.links_back == ("global/a",)
    assert [each.id for each in around.siblings] == ["global/a", "global/b"]


def test_what_counts_is_active_of_this_project_and_not_superseded_or_expired(read):
    library = read({
        "global/a": ("A", "A."), "global/b": ("B", "B.", "status: deprecated"), "global/c": ("C", "C.", "superseded_by: global/a"),
        "global/d": ("D", "D.", "expires: 2026-01-01"), "projects/web/e": ("E", "E."), "projects/api/f": ("F", "F."),
    })  # fmt: skip
    assert [each.id for each in library.live("web", "2026-05-01")] == ["global/a", "projects/web/e"]
    assert [each.id for each in library.live(None, "2026-05-01")] == ["global/a"]
    assert "global/d" in {each.id for each in library.live(None)}


def test_the_fingerprint_names_exactly_these_entries(read):
    one, two = read({"global/a": ("A", "A.")}), read({"global/a": ("A", "A!")})
    assert one.fingerprint == read({"global/a": ("A", "A.")}).fingerprint
    assert len({one.fingerprint, two.fingerprint, read({"global/b": ("A", "A.")}).fingerprint}) == 3


def test_folders_are_those_that_hold_entries(read):
    assert read({"global/a/b/c": ("C", "C.")}).folders() == ("global", "global/a", "global/a/b")


def test_conflict_copies_are_never_entries(words):
    entry_text = words[1]
    names = ("a.conflict-20260501-host.md", "a.sync-conflict-20260501-123.md", "a (conflicted copy 2026).md")
    library = read_library(MemoryStore({f"global/{name}": entry_text() for name in names}))
    assert library.entries == {}
    assert len(library.unreadable) == 3
    assert not is_conflict_copy("global/conflict-resolution.md")


def test_names_that_some_disk_would_take_for_one_have_one_key():
    assert key("Größe/Ä") == key("größe/ä") == key("gro\u0308ße/a\u0308")
    assert key("a") != key("b")


def operation(number, before, **more):
    return seal(Operation(number=number, by="person", prev=before.digest if before else "", **more))


def test_a_ledger_that_goes_on_reads_only_what_is_new_and_says_the_same():
    first = operation(1, None, events=("a",), adopted={"global/x.md": "1"}, tombstones=(Tombstone("global", "no tabs"),))
    second = operation(2, first, events=("b",), foreign={"global/y.md": "2"}, lifted=(Tombstone("global", "no tabs"),))
    earlier = Ledger.reading([first])
    later = Ledger.reading([first, second], earlier)
    whole = Ledger([first, second])
    for name in ("number", "known", "marked", "events", "tombstones"):
        assert getattr(later, name) == getattr(whole, name)
    assert (earlier.events, len(earlier.tombstones)) == ({"a"}, 1)
    assert Ledger.reading([first], earlier) is earlier


def test_a_ledger_of_another_history_is_not_gone_on_from():
    first, other = operation(1, None, events=("a",)), operation(1, None, events=("b",))
    assert Ledger.reading([other], Ledger.reading([first])).events == {"b"}
    assert Ledger.reading([], Ledger.reading([first])).events == set()


def test_an_edited_file_of_the_twin_is_read_again_and_an_untouched_one_is_not_parsed_anew(words):
    store = MemoryStore({"global/a.md": words[1]("A", "say a"), "global/b.md": words[1]("B", "say b")})
    before = read_library(store)
    store.edit("global/b.md", words[1]("B", "say it otherwise"))
    after = read_library(store, before)
    assert after.entries["global/a"] is before.entries["global/a"]
    assert after.entries["global/b"].rule == "say it otherwise"
