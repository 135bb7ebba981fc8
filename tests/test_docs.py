"""The documentation says what the code does."""

import re
from pathlib import Path

import pytest
from script import script

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"


@pytest.fixture(scope="module")
def pages():
    return script(DOCS / "generate.py").PAGES


@pytest.mark.parametrize("name", ["reference/cli.md", "reference/settings.md", "reference/exit-codes.md", "reference/index-format.md", "reference/situations.md"])
def test_a_reference_page_is_what_the_code_would_write(pages, name):
    assert (DOCS / name).read_text(encoding="utf-8") == pages[name](), "run `nox -s docs`"


def markdown():
    return sorted([ROOT / "README.md", *DOCS.rglob("*.md")])


@pytest.mark.parametrize("path", markdown(), ids=lambda path: str(path.relative_to(ROOT)))
def test_every_link_inside_the_documentation_leads_somewhere(path):
    for target in re.findall(r"\]\(([^)#:\s]+)(?:#[^)]*)?\)", path.read_text(encoding="utf-8")):
        assert (path.parent / target).exists(), f"{path.name} → {target}"


def test_every_command_a_page_names_exists():
    from ultan.cli.app import commands
    from ultan.cli.wiring import World

    known = set(commands(World(environ={})).commands)
    for path in markdown():
        if path.parent.name in ("adr", "benchmarks"):
            continue
        for name in re.findall(r"`ultan ([a-z]+)", path.read_text(encoding="utf-8")):
            assert name in known, f"{path.relative_to(ROOT)} names `ultan {name}`"


def test_every_decision_record_has_the_same_parts():
    for path in sorted((DOCS / "adr").glob("[0-9]*.md")):
        text = path.read_text(encoding="utf-8")
        for part in ("## Context", "## Decision", "## Consequences", "## Alternatives", "## Evidence"):
            assert part in text, f"{path.name} lacks {part}"


def test_every_decision_record_is_listed():
    listed = (DOCS / "adr" / "README.md").read_text(encoding="utf-8")
    for path in (DOCS / "adr").glob("[0-9]*.md"):
        assert f"({path.name})" in listed, path.name


def test_changelog_fragments_say_what_kind_of_change_they_are():
    for path in (DOCS / "changelog").glob("*.md"):
        if path.name != "README.md":
            assert path.name.split(".")[-2] in ("added", "changed", "fixed", "removed"), path.name
