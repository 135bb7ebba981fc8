"""A draft begins with everything the library holds, and touches nothing of it."""

from ultan.library.request import Request, drafted
from ultan.library.snapshot import read_library
from ultan.library.twin import MemoryStore

ENTRY = "---\nid: global/{0}\ntitle: {0}\nkind: convention\nscope: global\ncreated: 2026-01-01\nupdated: 2026-01-01\n---\nUse {0}.\n"


def test_a_draft_is_asked_for_on_the_day_of_the_request_and_leaves_the_library_alone():
    library = read_library(MemoryStore({"global/uv.md": ENTRY.format("uv")}))
    draft = drafted(library, Request(now=1_780_000_000.0, by="clerk", session="s1"))
    assert (draft.asked.by, draft.asked.today, draft.asked.session, draft.asked.confirmed) == ("clerk", "2026-05-28", "s1", False)
    assert draft.entries == library.entries
    draft.entries.clear()
    draft.archived.clear()
    assert set(library.entries) == {"global/uv"}
