"""Which paths a library may hold, and what keeps a change from falling on somebody else's."""

import pytest

from ultan.errors import LibraryMoved, OutsideLibrary
from ultan.library.operation import Change, digest
from ultan.library.port import PATH_BYTES, checked_path, expect
from ultan.library.twin import MemoryStore


@pytest.mark.parametrize("path", ["global/a.md", "index.md", "projects/x y/\u00e4/b.md", "@pending/0001-a.json", "_archive/global/a.md"])
def test_a_path_within_the_library_is_taken_as_it_is(path):
    assert checked_path(path) == path


@pytest.mark.parametrize(
    "path",
    [
        "", "/etc/passwd", "../a.md", "global/../../a.md", "global//a.md", "global/./a.md", "global/.git/config", "a\\b.md", "C:/a.md",
        "global/a.md:stream", "global/a\nb.md", "global/a\x00.md", "global/a.md ", " a.md", "global/a.", "@other/a.json",
        "@pending/../a.json", "@pending/", "@pending", "g/\u202ea.md", "a" * (PATH_BYTES + 1), "\u00e4" * (PATH_BYTES // 2 + 1),
    ],
)  # fmt: skip
def test_a_path_that_leaves_the_library_hides_or_deceives_is_refused(path):
    with pytest.raises(OutsideLibrary):
        checked_path(path)


def test_a_change_is_made_only_to_the_file_it_was_planned_for():
    store = MemoryStore({"global/a.md": "a"})
    expect(store, [Change("global/a.md", digest(b"a"), b"b"), Change("global/new.md", "", b"n")])
    for change in (Change("global/a.md", "", b"b"), Change("global/a.md", digest(b"z"), None), Change("global/new.md", digest(b"n"), None)):
        with pytest.raises(LibraryMoved, match=change.path):
            expect(store, [change])
