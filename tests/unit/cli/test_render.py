"""Values → blocks."""

from ultan.cli.render import decayed, logged
from ultan.library.entry import Entry
from ultan.library.retention import Fading
from ultan.verbs.decay import Decayed
from ultan.verbs.undo import Logged


def test_a_dry_run_shows_the_weakest_and_how_many_more_there_are():
    standing = tuple(
        Fading(Entry(f"global/e{n}", "x", "finding", "global", "2026-01-01", "2026-01-01"), n / 10, 9.0, 3, "keep", "")
        for n in range(5)
    )  # fmt: skip
    _, table, more = decayed(Decayed(standing=standing), is_dry_run=True, most=2)
    assert [row[0] for row in table.rows] == ["global/e0", "global/e1"]
    assert "3 that stand stronger" in more.text
    assert len(decayed(Decayed(standing=standing), is_dry_run=True)[1].rows) == 5


def test_suggestions_that_were_held_are_counted_not_named_by_their_files():
    row = Logged(6, 0.0, "clerk", "said", "s1", 0, (), ("@pending/0001-a.json", "@pending/0002-b.json"), ())
    assert [line.text for line in logged([row])][1:] == ["    held for you: 2; `ultan review`"]
