"""Files of instructions, folders, and long texts."""

from ultan import home
from ultan.library.actions import Archive
from ultan.library.snapshot import read_library
from ultan.library.store import FileStore
from ultan.settings import Settings
from ultan.verbs.desk import Desk
from ultan.verbs.import_ import Text, _creates, cut, documents, import_, rules


def said(text):
    return [rule.text for rule in rules(text, "CLAUDE.md")]


def test_list_items_and_paragraphs_are_rules_and_headings_are_their_cues():
    found = list(rules("# Shop\n\n## Style of code\n\n- Use tabs in Makefiles\n1. Write the tests first\n\nKeep functions short, please.\n", "x"))
    assert [(rule.text, rule.cues, rule.tags) for rule in found] == [
        ("Use tabs in Makefiles", ("Style of code",), ("style-of-code",)),
        ("Write the tests first", ("Style of code",), ("style-of-code",)),
        ("Keep functions short, please.", ("Style of code",), ("style-of-code",)),
    ]


def test_an_item_keeps_its_continuation_and_its_sub_items():
    assert said("- Commit often,\n  with short messages\n  - and push daily\n- Never force-push here\n") == [
        "Commit often, with short messages and push daily", "Never force-push here",
    ]  # fmt: skip


def test_code_tables_quotes_and_file_references_are_no_rules():
    text = "```sh\nrm -rf everything now\n```\n| a | b | c |\n@docs/more.md please read\n> somebody said this once\n- Use uv, never pip\n"
    assert said(text) == ["Use uv, never pip"]


def test_a_line_that_only_announces_is_no_rule():
    assert said("Follow these rules:\n\n- Use uv, never pip\n- ok\n") == ["Use uv, never pip"]


def test_a_long_text_is_cut_between_paragraphs_and_nothing_is_lost():
    text = "\n\n".join(f"Paragraph {number} " + "word " * 80 for number in range(40)).strip()
    parts = list(cut(text))
    assert all(len(rule) <= 1200 and len(how) <= 4000 for rule, how in parts)
    assert " ".join(" ".join(part).strip() for part in parts).split() == text.split()


def test_a_text_without_any_space_is_cut_all_the_same():
    parts = list(cut("x" * 20_000))
    assert sum(len(rule) + len(how) for rule, how in parts) == 20_000


def test_parts_of_a_longdocuments_are_numbered_in_their_titles():
    made = list(_creates(Text("a.md", "Handbook", ""), "word " * 4000, "global", ""))
    assert [action.title for action in made][:2] == ["Handbook", "Handbook (2)"]
    assert {action.kind for action in made} == {"convention"}


def test_adocuments_brings_its_title_tags_kind_and_folder():
    text = "---\ntitle: Indent\ntype: preference\ntags: style, python\napplies-when: [writing code]\n---\n# Indent\n\nUse four spaces.\n"
    (found,) = documents(text, "projects/shop/python/indent.md", [])
    assert (found.title, found.kind, found.tags, found.cues, found.topic) == (
        "Indent", "preference", ("style", "python"), ("writing code",), "python",
    )  # fmt: skip
    assert found.text == "Use four spaces."


def test_adocuments_that_cannot_be_read_is_named():
    skipped = []
    assert list(documents("---\ntitle: [\n---\nx\n", "bad.md", skipped)) == []
    assert skipped[0][0] == "bad.md"
    assert list(documents("# Only a title\n", "empty.md", skipped)) == []
    assert skipped[1] == ("empty.md", "it is empty")
    assert list(documents("---\nid: nope\n", "half.md", skipped)) == []
    assert skipped[2] == ("half.md", "its frontmatter is never closed")


def test_files_of_other_tools_stay_as_they_are_to_the_byte(ultan, tmp_path):
    shop = tmp_path / "shop"
    (shop / ".git").mkdir(parents=True)
    (shop / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
    texts = {
        "CLAUDE.md": "# Shop\r\n\r\n- Use uv here, never pip\r\n", "AGENTS.md": "- Write the tests first, please",
        ".cursorrules": "Keep every function short.\n",
    }  # fmt: skip
    for name, text in texts.items():
        (shop / name).write_bytes(text.encode())
        said = ultan("import", str(shop / name), folder=str(shop))
        assert said.status == 0, said.err
        assert "imported 1" in said.out
        assert (shop / name).read_bytes() == text.encode()


def test_a_library_that_was_exported_comes_back_as_it_was(ultan, home, tmp_path):
    ultan("save", "Use uv here, never pip", "--scope", "project:shop", "--why", "the lock file", "--trigger", "Bash:pip install", "--pin")
    ultan("save", "Prefer tabs in Makefiles", "--scope", "global")
    ultan("save", "Call the warehouse before shipping pallets", "--scope", "global")
    ultan("archive", "call-the-warehouse-before-shipping-pallets")
    there = tmp_path / "there.zip"
    assert ultan("export", str(there)).status == 0
    other = {"ULTAN_HOME": str(tmp_path / "other")}
    said = ultan("import", str(there), environ=other)
    assert "imported 3, 0 known already" in said.out
    mine, theirs = (read_library(FileStore(place)) for place in (str(tmp_path / "other"), home))
    assert {entry.path: entry.raw for entry in mine.entries.values()} == {entry.path: entry.raw for entry in theirs.entries.values()}
    assert {entry.path: entry.raw for entry in mine.archived.values()} == {entry.path: entry.raw for entry in theirs.archived.values()}
    assert mine.foreign == ()
    assert "imported 0, 3 known already" in ultan("import", str(there), environ=other).out
    assert ultan("check", environ=other).status == 0
    assert ultan("undo", environ=other).status == 0


def test_a_scope_that_is_asked_for_goes_before_the_place_an_entry_has(ultan, tmp_path):
    ultan("save", "Use uv here, never pip", "--scope", "project:shop")
    ultan("save", "Prefer tabs in Makefiles", "--scope", "global")
    ultan("archive", "prefer-tabs-in-makefiles")
    there = tmp_path / "there.zip"
    ultan("export", str(there))
    other = {"ULTAN_HOME": str(tmp_path / "other")}
    assert "imported 1" in ultan("import", str(there), "--scope", "global", environ=other).out
    assert [entry.scope for entry in read_library(FileStore(str(tmp_path / "other"))).entries.values()] == ["global"]


def test_an_entry_that_differs_from_the_one_at_its_place_is_left_out_and_named(ultan, tmp_path):
    ultan("save", "Prefer tabs in Makefiles", "--scope", "global", "--folder", "style")
    folder = tmp_path / "library" / "global" / "style"
    folder.mkdir(parents=True)
    text = (tmp_path / "home" / "knowledge" / "global" / "style" / "prefer-tabs-in-makefiles.md").read_text()
    (folder / "prefer-tabs-in-makefiles.md").write_text(text.replace("Prefer tabs in Makefiles", "Prefer spaces everywhere else"))
    (folder / "other.md").write_text(text.replace("prefer-tabs-in-makefiles", "other").replace("Prefer tabs in Makefiles", "Draw maps north up"))
    said = ultan("import", str(tmp_path / "library"))
    assert "imported 1" in said.out
    assert "another entry stands at global/style/prefer-tabs-in-makefiles already" in said.out


def test_a_folder_above_our_home_brings_its_notes_and_never_our_own_files(tmp_path):
    desk = Desk(home.ensure(str(tmp_path / "memory")), FileStore(str(tmp_path / "memory")), Settings({}), 1_780_000_000.0)
    (tmp_path / "notes.md").write_text("# Deploys\n\nWe deploy on Tuesdays.\n")
    import_(desk, str(tmp_path / "notes.md"), scope="global")
    desk.execute([Archive(entry=next(iter(desk.library.entries)))])
    (tmp_path / "more.md").write_text("# Tabs\n\nIndent with tabs.\n")
    brought = import_(desk, str(tmp_path), scope="global")
    assert not [name for name in brought.entries if "memory" in name]
    assert {entry.title for entry in desk.library.entries.values()} == {"Deploys", "Tabs"}


def test_parts_that_say_the_same_are_told_once_and_counted(tmp_path):
    desk = Desk(home.ensure(str(tmp_path / "memory")), FileStore(str(tmp_path / "memory")), Settings({}), 1_780_000_000.0)
    (tmp_path / "CLAUDE.md").write_text("always run the linter first\n" * 3000)
    brought = import_(desk, str(tmp_path / "CLAUDE.md"), scope="global")
    assert len(set(brought.entries)) == len(brought.entries) == len(desk.library.entries)
    assert brought.known > len(brought.entries)
