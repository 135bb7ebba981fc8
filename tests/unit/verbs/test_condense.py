"""Old, unused, long entries are told in fewer words; the whole text is kept, and comes back with use."""

import json
import os

import pytest

from ultan import home as place
from ultan.library import condense as words
from ultan.library.actions import AddWikilink, Bump, Create, Pin, Reinforce, Update
from ultan.library.activity import note_activity
from ultan.library.store import FileStore
from ultan.library.upkeep import day
from ultan.settings import Settings
from ultan.verbs.condense import condense
from ultan.verbs.decay import decay
from ultan.verbs.desk import Desk
from ultan.verbs.undo import undo

DAY = 86400.0
START = 1_760_000_000.0
RULE = (
    "The nightly import reads the files of the warehouse in order of their names. It was written in 2019 by two students. "
    "Never start it twice, e.g. by hand, because `import.lock` is not looked at. The machine stands in the cellar. "
    "Its fan is loud. The students have left. Somebody painted it green."
)
WHY = "Two runs at once doubled the stock of a whole week. Nobody noticed for days, and the accountants were cross."
ID = "projects/p/notes/import"


def at(root, days):
    return Desk(root, FileStore(root), Settings({"encoder.name": "hashing"}), START + days * DAY)


@pytest.fixture(scope="module")
def worked(tmp_path_factory):
    """The record of 400 days of work."""
    busy = str(tmp_path_factory.mktemp("worked"))
    place.ensure(busy)
    for number in range(1, 400):
        note_activity(busy, ["p"], day(START + number * DAY))
    return place.read(os.path.join(busy, "activity.json"))


@pytest.fixture
def root(home, worked):
    """A home with one long finding and 400 days of work."""
    place.write(os.path.join(home, "activity.json"), worked)
    make(home)
    return home


def make(home, slug="import", **more):
    wish = {"kind": "finding", "title": f"The import {slug}", "rule": RULE, "why": WHY, **more}
    at(home, 0).execute([Create(folder="projects/p/notes", slug=slug, **wish)])


def entry(root, name=ID):
    return at(root, 0).library.entries[name]


def test_full_then_key_sentences_then_one_line_and_in_full_again_with_use(root):
    full = entry(root)
    assert condense(at(root, 20)).shortened == ()
    (first,) = condense(at(root, 35)).shortened
    assert (first.id, first.level) == (ID, 1)
    key = entry(root)
    assert key.rule == RULE.partition(" It was")[0] + " Never start it twice, e.g. by hand, because `import.lock` is not looked at."
    assert "**Why:** Two runs at once doubled the stock of a whole week.\n" in key.body
    assert (key.updated, key.encoding_strength, key.trust) == (full.updated, full.encoding_strength, full.trust)
    assert condense(at(root, 36)).shortened == ()
    (second,) = condense(at(root, 70)).shortened
    assert second.level == 2
    assert entry(root).body == RULE.partition(" It was")[0] + "\n"
    at(root, 71).execute([Bump(entry=ID, fetched=1)], by="upkeep")
    (back,) = condense(at(root, 72)).restored
    assert (back.id, back.level) == (ID, 0)
    assert entry(root).body == full.body
    assert words.KEY not in entry(root).raw


@pytest.mark.parametrize("use", ["fetched", "helpful", "reinforced"])
def test_every_kind_of_use_brings_the_text_back_with_decay(root, use):
    full = entry(root)
    condense(at(root, 45))
    later = at(root, 50)
    actions = {
        "fetched": Bump(entry=ID, fetched=1), "helpful": Bump(entry=ID, helpful=1, helpful_on=day(later.now)), "reinforced": Reinforce(entry=ID),
    }  # fmt: skip
    later.execute([actions[use]], by="person" if use == "reinforced" else "upkeep")
    decay(at(root, 51))
    assert entry(root).body == full.body


def test_being_shown_is_no_use(root):
    condense(at(root, 45))
    at(root, 46).execute([Bump(entry=ID, fired=9, surfaced_on=day(START + 46 * DAY))], by="upkeep")
    assert condense(at(root, 47)).restored == ()


def test_strong_pinned_used_short_and_fresh_entries_resist(root):
    make(root, "strong", kind="convention", salience="contradicts", rule=RULE.replace("files", "boxes"))
    make(root, "pinned", rule=RULE.replace("files", "crates"))
    make(root, "used", rule=RULE.replace("files", "sheets"))
    make(root, "short", rule="The cellar is locked.", why="")
    make(root, "code", rule=RULE.replace("files", "parts"), how="```\nrun\n```")
    at(root, 0).execute([Pin(entry="projects/p/notes/pinned"), Bump(entry="projects/p/notes/used", helpful=8, helpful_on=day(START + 25 * DAY))])
    assert [one.id for one in condense(at(root, 60)).shortened] == [ID]


def test_a_dry_run_and_undo(root):
    before = entry(root).raw
    assert condense(at(root, 45), dry_run=True).shortened
    assert entry(root).raw == before
    done = condense(at(root, 45))
    assert entry(root).raw != before
    undo(at(root, 46), done.operation)
    assert entry(root).raw == before


def test_what_somebody_changed_meanwhile_is_theirs_and_new_links_stay(root):
    make(root, "other", rule="The cellar is locked.", why="")
    condense(at(root, 45))
    at(root, 46).execute([AddWikilink(entry=ID, target="projects/p/notes/other"), Bump(entry=ID, fetched=1)])
    condense(at(root, 47))
    assert entry(root).rule == RULE
    assert entry(root).links == ("projects/p/notes/other",)
    make(root, "mine", rule=RULE.replace("files", "boxes"))
    condense(at(root, 100))
    mine = "projects/p/notes/mine"
    at(root, 101).execute([Update(entry=mine, rule="It is gone."), Bump(entry=mine, fetched=1)])
    condense(at(root, 102))
    assert entry(root, mine).rule == "It is gone."


def test_a_broken_mark_or_a_lost_history_changes_nothing(root):
    condense(at(root, 45))
    path = os.path.join(root, "knowledge", ID + ".md")
    raw = place.read(path).decode()
    original = words.told(entry(root)).original
    place.write(path, raw.replace(original, "0" * len(original)).replace("fetched: 0", "").encode())
    at(root, 46).execute([Bump(entry=ID, fetched=1)], by="upkeep")
    assert condense(at(root, 47)).restored == ()
    assert condense(at(root, 47)).shortened == ()


def test_cited_paths_that_are_gone_are_told(root, tmp_path):
    (tmp_path / "shop").mkdir()
    place.write(os.path.join(root, "projects.json"), json.dumps({"v": 1, "roots": {str(tmp_path / "shop"): "p"}}).encode())
    make(root, "path", rule="The table is in `src/db/table.sql`.", why="")
    assert condense(at(root, 1), dry_run=True).unverified == (("projects/p/notes/path", "src/db/table.sql"),)


def test_the_command(ultan):
    ultan("save", "Use uv, never pip.")
    assert "nothing is old" in ultan("condense", "--dry-run").out
