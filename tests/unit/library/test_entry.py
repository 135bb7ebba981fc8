import pytest

from ultan.errors import InvalidEntry
from ultan.library.entry import (
    Entry,
    Evidence,
    Trigger,
    composed,
    edited,
    front,
    parse,
    render,
    revised,
    rule_of,
    scalar,
    wikilinks,
    with_related,
)  # fmt: skip

PLAIN = "---\ntitle: Use uv\nkind: convention\nscope: global\ncreated: 2026-05-01\nupdated: 2026-05-02\n---\n\nUse uv.\n"


def with_front(lines, body="Use uv.\n"):
    return f"---\n{lines}\n---\n\n{body}"


def test_a_plain_entry_is_read_with_its_path_as_its_id():
    entry = parse(PLAIN, "global/python/uv.md")
    assert (entry.id, entry.title, entry.kind, entry.scope) == ("global/python/uv", "Use uv", "convention", "global")
    assert (entry.created, entry.updated, entry.rule, entry.trust, entry.slug) == (
        "2026-05-01", "2026-05-02", "Use uv.", "person", "uv",
    )  # fmt: skip


def test_an_entry_of_the_original_is_read_as_it_is():
    text = (
        "---\nid: projects/web/tests\ntitle: Run the tests\ntype: abstraction\nscope: project:web\ncreated: 2026-01-30\n"
        "updated: 2026-01-30\ntags: [go, lint]\napplies-when:\n  - a linter warning\nseverity: block\nblock_triggers:\n"
        "  - tool: Bash\n    field: command\n    regex: 'golangci-lint\\s+run'\n  - tool: Edit\n    pattern: x\n    severity: advise\n"
        "reinforced: 2\nfired: 7\nfired-helpful: 3\narchived: 2026-03-01\nmood: sunny\n---\n# Run the tests\n\nAlways.\n"
    )
    entry = parse(text, "projects/web/tests.md")
    assert entry.kind == "abstraction"
    assert entry.project == "web"
    assert entry.applies_when == ("a linter warning",)
    assert entry.triggers == (
        Trigger("Bash", r"golangci-lint\s+run", "command", severity="block"), Trigger("Edit", "x"),
    )  # fmt: skip
    assert (entry.reinforced, entry.fired, entry.fired_helpful, entry.archived) == (2, 7, 3, "2026-03-01")
    assert entry.extra == {"mood": "sunny"}
    assert entry.rule == "Always."
    assert parse(render(entry), entry.path) == entry


@pytest.mark.parametrize(
    ("line", "name", "value"),
    [
        ("title: no", "title", "no"),
        ("title: 1.0", "title", "1.0"),
        ("title: 0123", "title", "0123"),
        ("title: “Always use uv”", "title", "“Always use uv”"),
        ("created: 2025-10-24", "created", "2025-10-24"),
        ("created: 2025-10-24T10:00:00Z", "created", "2025-10-24"),
        ("tags: yes", "tags", ("yes",)),
        ("tags: a, b", "tags", ("a", "b")),
        ("tags:", "tags", ()),
        ("pinned: true", "pinned", True),
        ("trust: 3", "trust", "person"),
        ("trust: admin", "trust", "observed"),
        ("fired: many", "fired", 0),
        ("encoding_strength: nan", "encoding_strength", 0.5),
        ("encoding_strength: 7", "encoding_strength", 1.0),
        ("evidence: [{session: s, turn: t, quote: q}]", "evidence", (Evidence("s", "t", "q"),)),
        ("files: 'a,b'", "files", ("a", "b")),
    ],
)
def test_values_are_what_they_say_and_never_what_yaml_guesses(line, name, value):
    assert getattr(parse(with_front(line), "global/x.md"), name) == value


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("no frontmatter\n", "no frontmatter"),
        ("", "no frontmatter"),
        ("---\ntitle: x\n", "never closed"),
        ("---\ntitle: x\n" + "# padding\n" * 2000, "never closed"),
        (with_front("title: x\ntitle: y"), "stands twice"),
        (with_front("a: &x 1\nb: *x"), "anchors"),
        (with_front("a: !!python/object/apply:os.system [ls]"), "tags"),
        (with_front("a: {b: 1}\n<<: {c: 2}"), "merge keys"),
        (with_front("title: 'abc \"def\""), "cannot be read"),
        (with_front('title: "abc "def""'), "cannot be read"),
        (with_front("- a\n- b"), "no table"),
        (with_front("? [a]\n: b"), "no text"),
        (with_front("a: [[[[[[[[1]]]]]]]]"), "nested deeper"),
        (with_front("a: " + "[" * 5000), "nest"),
        (with_front("kind: rule"), "no kind"),
        (with_front("status: gone"), "no status"),
        (with_front("scope: project:web"), "disagrees"),
        (with_front("triggers: [{tool: Bash}]"), "without a pattern"),
        (with_front("triggers: [[a]]"), "a list inside"),
        (with_front("title: x", "<<<<<<< HEAD\na\n=======\nb\n>>>>>>> other\n"), "conflict markers"),
        (with_front("title: x", "a" * 70000), "larger than"),
        (with_front("title: \x01x"), "cannot be read"),
        ("---\n%YAML 1.1\n---\na: 1\n---\n", ""),
    ],
)
def test_what_is_no_entry_is_refused_by_name(text, reason):
    with pytest.raises(InvalidEntry) as caught:
        parse(text, "global/x.md")
    assert reason in str(caught.value)


def test_an_entry_outside_the_two_trees_is_refused():
    for path in ("x.md", "projects/x.md", "elsewhere/x.md", "global.md"):
        with pytest.raises(InvalidEntry):
            parse(PLAIN, path)


def test_an_archived_entry_keeps_the_id_of_its_origin():
    entry = parse(PLAIN, "_archive/global/uv.md")
    assert entry.id == "global/uv"
    assert entry.shelved
    assert entry.path == "_archive/global/uv.md"


def test_a_byte_order_mark_and_windows_line_ends_lose_nothing():
    text = "\ufeff" + PLAIN.replace("\n", "\r\n")
    entry = parse(text, "global/x.md")
    assert (entry.title, entry.rule) == ("Use uv", "Use uv.")
    after = edited(text, {"reinforced": 1})
    assert after == text.replace("updated: 2026-05-02\r\n", "updated: 2026-05-02\r\nreinforced: 1\r\n")


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


def test_frontmatter_can_be_looked_at_as_it_stands():
    assert front(PLAIN)["created"] == "2026-05-01"


def test_the_rule_is_what_stands_before_the_why():
    assert rule_of("# T\n\nUse\nuv.\n\nNever pip.\n\n**Why:** fast\n") == "Use uv.\nNever pip."
    assert rule_of("Use it.\n\n## Why\n\nx") == "Use it."
    assert rule_of("<!-- c -->\nUse it. \n**How to apply:** y") == "Use it."


def test_wikilinks_are_found_in_prose_and_not_in_code():
    body = "- I went with [[global/x]] because [[a.md|the a]], [[b#part]]\n`[[no]]`\n```\n[[no]]\n```\n[24:33.098 - 24:41.260] [[]] [[global/x]]"
    assert wikilinks(body) == ("global/x", "a", "b")


def test_a_body_is_composed_of_rule_why_how_and_related():
    assert composed("Rule.", "because", "so", ["global/x", "global/y"]) == (
        "Rule.\n\n**Why:** because\n\n**How to apply:** so\n\n## Related\n\n- [[global/x]]\n- [[global/y]]\n"
    )


def test_a_rule_cannot_open_sections_of_its_own():
    assert composed("Rule.\n\n## Related\n\n---\n**Why:** x") == "Rule.\n\\## Related\n\\---\n\\**Why:** x\n"


def test_a_body_is_revised_part_by_part():
    body = "# T\n\nOld rule.\n\n**Why:** old\n\n## Notes\n\nkept\n"
    assert revised(body, rule="New rule.") == "# T\n\nNew rule.\n\n**Why:** old\n\n## Notes\n\nkept\n"
    assert "**Why:** new\n" in revised(body, why="new")
    assert revised("Rule.\n", how="so") == "Rule.\n\n**How to apply:** so\n"
    assert "Why" not in revised(body, why="")


def test_a_related_link_joins_the_list_that_is_there():
    body = "R.\n\n## Related\n\n- [[a]]\n\n## More\n\nx\n"
    assert with_related(body, "b") == "R.\n\n## Related\n\n- [[a]]\n- [[b]]\n\n## More\n\nx\n"
