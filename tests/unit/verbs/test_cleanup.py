"""What has had its time goes when a person says so."""

import json
import os

from ultan.library.snapshot import read_library
from ultan.library.store import FileStore


def aside(home, folder, name):
    with open(os.path.join(home, "queue", folder, name), "w") as file:
        file.write("{")


def test_an_entry_past_its_day_is_archived_at_once_and_comes_back_with_undo(ultan, home):
    ultan("save", "The old API key endpoint is still up", "--expires", "2026-01-03", "--folder", "api")
    ultan("save", "Freeze deploys until the audit is over", "--expires", "2026-03-01", "--folder", "ops")
    ultan("save", "Never log emails", "--folder", "logs")
    said = ultan("cleanup")
    assert said.status == 0, said.err
    assert "global/api/the-old-api-key-endpoint-is-still-up" in said.out
    library = read_library(FileStore(home))
    assert (sorted(library.archived), len(library.entries)) == (["global/api/the-old-api-key-endpoint-is-still-up"], 2)
    assert "nothing has had its time" in ultan("cleanup").out
    ultan("undo")
    assert not read_library(FileStore(home)).archived


def test_a_dry_run_changes_nothing(ultan, home):
    ultan("save", "The old API key endpoint is still up", "--expires", "2026-01-03", "--folder", "api")
    aside(home, "bad", "1.json")
    told = json.loads(ultan("cleanup", "--dry-run", "--set-aside", "--json").out)
    assert (told["expired"], told["set_aside"], told["dropped"]) == (["global/api/the-old-api-key-endpoint-is-still-up"], 1, 0)
    assert not read_library(FileStore(home)).archived
    assert os.listdir(os.path.join(home, "queue", "bad")) == ["1.json"]


def test_a_pinned_entry_stays_whatever_its_day_was(ultan, home):
    ultan("save", "The old API key endpoint is still up", "--expires", "2026-01-03", "--pin")
    ultan("cleanup")
    assert not read_library(FileStore(home)).archived


def test_events_set_aside_are_dropped_only_where_a_person_asks_for_it(ultan, home):
    ultan("save", "Never log emails")
    aside(home, "bad", "1.json")
    aside(home, "dead", "2.json")
    assert "2 events lie aside" in ultan("cleanup").out
    assert ultan("cleanup", "--set-aside", person=False).status == 1
    assert "dropped 2 events" in ultan("cleanup", "--set-aside").out
    assert os.listdir(os.path.join(home, "queue", "bad")) == os.listdir(os.path.join(home, "queue", "dead")) == []
