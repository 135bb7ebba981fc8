"""One line of the log: what was written is what is read, and a seal that holds for nothing else."""

import json
from dataclasses import replace

import pytest

from ultan.errors import LibraryMoved
from ultan.library.operation import Change, Changed, Operation, Tombstone, decode, digest, numbered, seal

FULL = seal(
    Operation(
        number=3, at=1_780_000_000.5, by="clerk", why="said so", session="s1",
        changes=(Changed("global/a.md", "", digest(b"a")), Changed("index.md", digest(b"x"), "", keep=False)),
        actions=(("create", "global/a", "novel"),), refusals=(("create", "Zwei", "known"),), events=("e1", "e2"),
        adopted={"global/b.md": "d1"}, foreign={"global/c.md": "d2"}, tombstones=(Tombstone("global", "Use tabs", ("p1",)),),
        lifted=(Tombstone("project:x", "Gr\u00fc\u00dfe"),), undoes=2, skipped=("global/d.md",), prev="before",
    )
)  # fmt: skip


def test_an_operation_comes_back_as_it_was_written():
    assert decode(FULL.encode()) == FULL
    assert "\n" not in FULL.encode()
    assert decode(FULL.encode()).sealed() == FULL.digest


@pytest.mark.parametrize("name", ["number", "at", "by", "why", "session", "events", "undoes", "prev", "skipped"])
def test_a_seal_holds_for_no_other_operation(name):
    other = {str: "other", int: 77, float: 1.5, tuple: ("other",)}[type(getattr(FULL, name))]
    assert replace(FULL, **{name: other}).sealed() != FULL.digest


@pytest.mark.parametrize(
    "line",
    ["", "[]", "{}", '{"v": 2}', FULL.encode()[:-1], json.dumps({**json.loads(FULL.encode()), "more": 1}), json.dumps({**json.loads(FULL.encode()), "changes": [["only a path"]]})],
)
def test_a_line_that_is_torn_foreign_or_newer_is_no_operation(line):
    with pytest.raises(ValueError):
        decode(line)


def test_operations_are_numbered_one_after_the_other_and_name_the_one_before():
    first = seal(numbered(Operation(), (), None))
    second = seal(numbered(Operation(), (Change("global/a.md", "", b"a"), Change("global/b.md", "was", None)), first))
    assert (first.number, first.prev) == (1, "")
    assert (second.number, second.prev) == (2, first.digest)
    assert second.id.startswith("000002-")
    assert [change.after for change in second.changes] == [digest(b"a"), ""]


def test_an_operation_planned_for_another_number_has_to_be_planned_again():
    first = seal(numbered(Operation(), (), None))
    with pytest.raises(LibraryMoved):
        numbered(Operation(number=1), (), first)
    assert numbered(Operation(number=2), (), first).number == 2
