"""Show says how strong an entry is and why, and keeps a chain of corrections readable."""

import json
import os

import pytest

from ultan import home as place
from ultan.library.activity import note_activity
from ultan.library.entry import Entry
from ultan.library.rendering import render
from ultan.library.snapshot import read_library
from ultan.library.store import FileStore
from ultan.library.twin import MemoryStore
from ultan.settings import Settings
from ultan.verbs.show import Today, show
from ultan.verbs.standing import chain, standing, unverified

NOW = 1767603600.0  # the clock of the shared fixtures


def entry(name="global/tools/uv", **more):
    scope = f"project:{name.split('/')[1]}" if name.startswith("projects") else "global"
    fields = {"kind": "convention", "created": "2026-01-01", "updated": "2026-01-01", "body": f"The rule of {name}.\n", **more}
    return Entry(id=name, title=name, scope=scope, **fields)


def library(*entries):
    return read_library(MemoryStore({each.path: render(each) for each in entries}))


def test_a_correction_of_a_correction_shows_the_whole_chain_from_each_of_its_links():
    first = entry("global/a", status="deprecated", superseded_by="global/b")
    second = entry("global/b", created="2026-02-01", supersedes=("global/a",), status="deprecated", superseded_by="global/c")
    third = entry("global/c", created="2026-03-01", supersedes=("global/b",))
    known = library(first, second, third)
    for name in ("global/a", "global/b", "global/c"):
        links = chain(known, known.find(name))
        assert [link.id for link in links] == ["global/a", "global/b", "global/c"]
        assert [link.state for link in links] == ["corrected by global/b", "corrected by global/c", "holds"]


def test_a_chain_is_whole_where_only_one_side_says_so_and_ends_in_a_circle():
    known = library(entry("global/a"), entry("global/b", supersedes=("global/a",)), entry("global/c", supersedes=("global/b", "global/gone")))
    assert [link.id for link in chain(known, known.find("global/a"))] == ["global/a", "global/b", "global/c"]
    assert ("global/gone", "gone") in [(link.id, link.state) for link in chain(known, known.find("global/c"))]
    circle = library(entry("global/a", supersedes=("global/b",)), entry("global/b", supersedes=("global/a",)))
    assert {link.id for link in chain(circle, circle.find("global/a"))} == {"global/a", "global/b"}
    assert chain(library(entry()), entry()) == ()


def test_strength_and_retention_are_explained(ultan):
    assert ultan("save", "Never push to main!", "--folder", "git").status == 0
    said = ultan("show", "never-push-to-main").out
    assert "strength: 0.6, fair (novel 0.5, emphasis +0.1)" in said
    assert "retention: 100% left after 0 active days" in said
    assert ": kept" in said
    shown = json.loads(ultan("show", "never-push-to-main", "--json").out)
    assert shown["standing"]["left"] == 1.0
    assert shown["standing"]["strength"].partition(",")[0] == str(shown["entry"]["encoding_strength"])


def test_history_shows_operations_and_corrections_only_when_asked(ultan):
    ultan("save", "Always use tabs.", "--folder", "style")
    assert "corrections" not in ultan("show", "always-use-tabs", "--history").out
    assert " op" not in ultan("show", "always-use-tabs").out


@pytest.fixture(scope="module")
def busy(tmp_path_factory):
    """A home whose project was worked on for six hundred days."""
    home = place.ensure(str(tmp_path_factory.mktemp("busy") / "home"))
    for number in range(1, 600):
        note_activity(home, ["p"], _day(NOW + number * 86400))
    return home


@pytest.mark.parametrize("verdict", ["drift", "fade", "archived", "expired"])
def test_what_becomes_of_an_entry_today_is_said(busy, now, verdict):
    made = {
        "drift": entry("projects/p/x", encoding_strength=0.9, kind="finding", ignored=5),
        "fade": entry("projects/p/x", kind="finding", encoding_strength=0.1, trust="observed"),
        "archived": entry("projects/p/x", shelved=True, archived="2026-01-02"),
        "expired": entry("projects/p/x", expires="2026-01-09"),
    }[verdict]
    words = {"drift": "goes to review", "fade": "may archive it", "archived": "archived on 2026-01-02", "expired": "expired on 2026-01-09"}
    assert words[verdict] in standing(busy, Settings(), now + 590 * 86400, made).retention


def _day(at):
    from ultan.library.upkeep import day

    return day(at)


def test_a_path_that_is_gone_is_unverified_and_one_on_another_machine_is_not(home, tmp_path):
    folder = tmp_path / "shop"
    os.makedirs(folder / "src/db")
    (folder / "src/db/pool.py").write_text("")
    place.write(os.path.join(home, "projects.json"), json.dumps({"v": 1, "roots": {str(folder): "shop"}}).encode())
    cites = entry("projects/shop/x", body="Use `src/db/pool.py`, not `src/db/old.py`.\n", files=("src/gone/a.py", "src/**/*.py"))
    assert unverified(home, cites) == ("src/db/old.py", "src/gone/a.py")
    assert unverified(home, entry("projects/other/x", body=cites.body)) == ()
    assert unverified(home, entry("global/x", body=cites.body)) == ()
    os.rename(folder, tmp_path / "moved")
    assert unverified(home, cites) == ()


def test_today_needs_a_home_and_nothing_else(ultan, home, now):
    ultan("save", "Use uv, never pip.", "--folder", "python")
    store = FileStore(home)
    shown = show(read_library(store), "use-uv-never-pip", today=Today(home, Settings(), now))
    assert shown.standing is not None
    assert shown.history == ()
