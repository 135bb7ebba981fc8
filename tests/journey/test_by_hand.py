"""What a person writes into the library with an editor is found by the next prompt after a curator came by."""

import os

import pytest
from stage import Stage

ENTRY = "---\nid: projects/shop/{name}\ntitle: {title}\nkind: convention\nscope: project:shop\n---\n{rule}\n"


@pytest.fixture
def stage(tmp_path):
    return Stage(tmp_path)


def saved(stage, name, title, rule):
    """Write the file as editors do: beside it, and then in its place."""
    path = os.path.join(stage.root, "knowledge", "projects", "shop", f"{name}.md")
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path + "~", "w", encoding="utf-8") as file:
        file.write(ENTRY.format(name=name, title=title, rule=rule))
    os.replace(path + "~", path)
    long_ago = stage.clock - 3600
    os.utime(path, (long_ago, long_ago))


def test_an_entry_deleted_by_hand_is_shown_no_more(stage):
    stage.types("hello there", "s0")
    saved(stage, "search", "Search with ripgrep", "Search the sources with ripgrep, never with find.")
    stage.curate()
    assert "ripgrep" in stage.types("search the sources with ripgrep for the word invoice", "s1")
    os.unlink(os.path.join(stage.root, "knowledge", "projects", "shop", "search.md"))
    stage.curate()
    assert stage.types("search the sources with ripgrep for the word invoice", "s2") == ""


def test_an_entry_edited_by_hand_is_found_by_its_new_words_and_not_by_the_old(stage):
    stage.types("hello there", "s0")
    saved(stage, "search", "Search with ripgrep", "Search the sources with ripgrep, never with find.")
    stage.clock += 60
    stage.curate()
    assert "ripgrep" in stage.types("search the sources with ripgrep for the word invoice", "s1")
    saved(stage, "search", "Postgres on 5433", "The dev database postgres listens on port 5433.")
    stage.clock += 60
    stage.curate()
    assert "5433" in stage.types("which port does the dev database postgres listen on", "s2")
    assert "ripgrep" not in stage.types("search the sources with ripgrep for the word invoice", "s3")
