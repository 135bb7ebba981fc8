import pytest

from ultan.errors import InvalidEntry
from ultan.library.entry import Entry, Evidence, Trigger, parse
from ultan.library.rendering import edited, render, scalar

PLAIN = "---\ntitle: Use uv\nkind: convention\nscope: global\ncreated: 2026-05-01\nupdated: 2026-05-02\n---\n\nUse uv.\n"


def test_rendering_quotes_what_other_readers_would_take_for_something_else():
    assert [scalar(text) for text in ("yes", "1.0", "2026-01-01", "a: b", "# x", "plain text", "")] == [
        "'yes'", "'1.0'", "'2026-01-01'", "'a: b'", "'# x'", "plain text", "''",
    ]  # fmt: skip


def test_a_rendered_entry_reads_back_equal_with_everything_in_it():
    entry = Entry(
        id="projects/web/a", title="It's: a #title", kind="event", scope="project:web", created="2026-01-01",
        updated="2026-01-02", status="deprecated", tags=("a b", "yes", "x"), applies_when=("when: now", "-"),
        files=("**/*.py", "{a,b}"), triggers=(Trigger("Bash|Edit", r"a'b\s+\"c", "command", ("*.py",), ("x, y",), "block"),),
        trust="confirmed", evidence=(Evidence("s", "t", "line\nbreak “x”", "user"),), encoding_strength=0.333,
        reinforced=1, last_reinforced="2026-02-01", pinned=True, supersedes=("global/b",), superseded_by="global/c",
        expires="2027-01-01", why="w", alternatives=("one, two",), subject="s", confidence="high", source="web:x",
        when="May", participants=("Ann",), location="here", body="Text.\n\n\nMore", extra={"k": ["1", {"a": ["b"]}], "e": {}},
    )  # fmt: skip
    assert parse(render(entry), entry.path) == entry


TRICKY = [
    PLAIN,
    "---\ntitle: 'a: b'\r\nkind: finding  # a comment\n\n# between\ntags:\n- a\n- b\n---\nbody without blank line",
    "---\n\"title\": x\n'kind': finding\ndescription: >\n  folded\n  text\nother: |\n  # no comment\n  key: no key\n---\n\nB\n",
    "---\nlist: [a,\n  b,\n  c]\nmap: {a: 1,\n  b: 2}\ntitle: x\n---\n\n",
    "---\ntitle: x\nunicode-ключ: да\nempty:\n---\n\n日本語 [[global/x]]\n",
    "---\ntitle: x\n---\n---\ntrust: 3\n---\n\nnot frontmatter\n",
    "---   \ntitle: x\n---  \n\ntext\n",
    "---\ntitle: plain\n  continued here\nkind: finding\n---\n\nB\n",
]


@pytest.mark.parametrize("raw", TRICKY)
def test_an_edit_changes_the_lines_of_its_key_and_nothing_else(raw):
    after = edited(raw, {"reinforced": 3})
    before_lines, after_lines = raw.split("\n"), after.split("\n")
    added = [line for line in after_lines if line.startswith("reinforced: 3")]
    assert len(added) == 1
    after_lines.remove(added[0])
    assert after_lines == before_lines
    assert edited(after, {"reinforced": 0}) == raw


def test_an_edit_keeps_the_comment_behind_a_value():
    raw = "---\ntitle: x\nfired: 3  # since May\n---\n\nB\n"
    assert edited(raw, {"fired": 4}) == raw.replace("fired: 3", "fired: 4")


def test_an_edit_writes_to_the_alias_that_stands_there():
    raw = "---\ntitle: x\nfired_helpful: 3\napplies-when: [a]\n---\n\nB\n"
    after = edited(raw, {"fired_helpful": 4, "applies_when": ("b",)})
    assert after == "---\ntitle: x\nfired_helpful: 4\napplies-when: [b]\n---\n\nB\n"


def test_a_value_over_several_lines_is_replaced_whole():
    raw = "---\ntags:\n  - a\n  # inside\n  - b\n\n# after\ntitle: x\n---\n\nB\n"
    assert edited(raw, {"tags": ("c",)}) == "---\ntags: [c]\n\n# after\ntitle: x\n---\n\nB\n"


@pytest.mark.parametrize(
    "raw",
    [
        "---\n? title\n: x\n---\n\nB\n",
        "---\n{title: x, kind: finding}\n---\n\nB\n",
        '---\ntitle: "x\ny: z"\n---\n\nB\n',
        '---\ntitle: “x”\nquote: "abc "def""\n---\n\nB\n',
    ],
)
def test_an_edit_is_refused_where_lines_and_loader_disagree(raw):
    with pytest.raises(InvalidEntry):
        edited(raw, {"reinforced": 1})


def test_a_body_is_replaced_below_the_frontmatter_only():
    assert edited(PLAIN, {}, "New.\n") == PLAIN.replace("Use uv.\n", "New.\n")
    windows = PLAIN.replace("\n", "\r\n")
    assert edited(windows, {}, "New.\n") == windows.replace("Use uv.\r\n", "New.\r\n")
