import pytest

from ultan.errors import InvalidEntry
from ultan.library.entry import Evidence, Trigger, parse
from ultan.library.rendering import edited, render

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
