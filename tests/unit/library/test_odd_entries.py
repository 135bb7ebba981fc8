"""Entries that an editor, a clock or a hand made odd: they fade by what is known, are explained, and nothing is lost."""

import os

import pytest

from ultan import home
from ultan.library.actions import Create
from ultan.library.activity import note_activity
from ultan.library.check import findings
from ultan.library.past import restore
from ultan.library.store import FileStore
from ultan.library.upkeep import day
from ultan.settings import Settings
from ultan.verbs.decay import decay
from ultan.verbs.desk import Desk

DAY, START = 86_400.0, 1_760_000_000.0
WORKED = 150
WORDS = ("alpha", "beta", "gamma", "delta")


@pytest.fixture
def root(tmp_path):
    """Four findings in a project that was worked in for 150 days since, long enough for all to fade."""
    made = home.ensure(str(tmp_path / "home"))
    rule = "The {} build is slow when cold."
    desk(made, 0).execute([Create(folder="projects/p/notes", title=f"Finding {word}", kind="finding", rule=rule.format(word)) for word in WORDS])
    for number in range(1, WORKED + 1):
        note_activity(made, ["p"], day(START + number * DAY))
    return made


def desk(root, days):
    return Desk(root, FileStore(root), Settings({"encoder.name": "hashing"}), START + days * DAY)


def path_of(root, word):
    return os.path.join(root, "knowledge", "projects", "p", "notes", f"finding-{word}.md")


def edit(root, word, old, new):
    text = home.read(path_of(root, word)).decode()
    assert old in text
    with open(path_of(root, word), "w", encoding="utf-8") as stream:
        stream.write(text.replace(old, new))


def faded_after(root):
    """Slugs of what two runs on two days put away."""
    decay(desk(root, WORKED + 1))
    return {one.entry.slug.removeprefix("finding-") for one in decay(desk(root, WORKED + 2)).archived}


BORN = day(START)
ODD = {
    "a date in the future": (f"updated: {BORN}", "updated: 2099-01-01", False),
    "no dates": (f"created: {BORN}\nupdated: {BORN}\n", "", True),
    "dates in another order": (f"created: {BORN}\nupdated: {BORN}\n", f"created: {day(START + 140 * DAY)}\nupdated: {BORN}\n", True),
    "a counter of a million": (f"updated: {BORN}\n", f"updated: {BORN}\nreinforced: 1000000\n", True),
    "a counter below zero": (f"updated: {BORN}\n", f"updated: {BORN}\nreinforced: -7\nfired: -1\n", False),
}


@pytest.mark.parametrize("name", ODD)
def test_an_odd_entry_fades_by_what_is_known_of_it_and_is_explained(root, name):
    old, new, stays = ODD[name]
    edit(root, "alpha", old, new)
    faded = faded_after(root)
    assert faded == set(WORDS) - ({"alpha"} if stays else set())
    told = [each for each in findings(root, START + (WORKED + 3) * DAY) if "alpha" in each.path]
    assert told
    assert all(each.message and each.remedy for each in told)
    library = desk(root, WORKED + 3).library
    assert {entry.slug for entry in (*library.entries.values(), *library.archived.values())} == {f"finding-{word}" for word in WORDS}


def test_an_entry_whose_project_is_gone_rests_and_is_explained(root):
    home.write(os.path.join(root, "activity.json"), b'{"other": ["%s"]}' % day(START + 10 * DAY).encode())
    home.write(os.path.join(root, "projects.json"), b'{"roots": {"/nowhere/p": "p"}, "identities": {}, "waiting": {}}')
    assert faded_after(root) == set()
    assert "no-project" in {each.code for each in findings(root, START + WORKED * DAY)}


def test_a_library_halved_by_hand_is_explained_and_each_half_comes_back(root):
    before = home.read(path_of(root, "alpha"))
    for word in ("alpha", "beta"):
        os.unlink(path_of(root, word))
    told = [each for each in findings(root, START + DAY) if each.code == "deleted"]
    assert len(told) == 1
    assert "2 files" in told[0].message
    assert "finding-alpha" in told[0].message
    assert faded_after(root) == {"gamma", "delta"}
    restore(FileStore(root), "projects/p/notes/finding-alpha", None, START + 200 * DAY)
    assert home.read(path_of(root, "alpha")) == before
