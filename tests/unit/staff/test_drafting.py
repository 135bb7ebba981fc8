"""What is read off a rule so that it is found when it matters."""

import pytest

from ultan.recall.situations import VOCABULARY
from ultan.staff import drafting
from ultan.staff.cues import language_of, table
from ultan.staff.subjects import subject_of


def situations(rule):
    return drafting.situations_of(subject_of(rule, table(language_of(rule))), rule)


def test_every_activity_is_one_that_recall_tells():
    assert drafting.ACTIVITIES.keys() <= VOCABULARY.keys()


@pytest.mark.parametrize(
    ("rule", "named"),
    [
        ("Run make lint before every commit", "commits"), ("Commits sind auf Englisch", "commits"),
        ("Never push to main without asking me", "pushes"), ("Rebase, do not make merge commits", "merges"),
        ("We deploy with ./scripts/deploy.sh, only from staging", "releases"), ("README stays under 100 lines", "writes docs"),
        ("Tests must pass before you go on", "runs tests"), ("Always use uv, never pip", "adds a dependency"),
    ],
)  # fmt: skip
def test_a_rule_about_an_activity_names_it_first(rule, named):
    found = [name for name in situations(rule) if name in VOCABULARY]
    assert named in found
    assert found == list(situations(rule)[: len(found)])


@pytest.mark.parametrize("rule", [
    "We committed to using Postgres", "Prices are integers in cents", "Push notifications go through FCM",
    "Unused functions, docs and tests go in the same change", "Each skill has its own directory, README and installer",
    "The old exporter broke the release once", "Test_snake_case is no name for a test",
])
def test_a_rule_that_only_speaks_of_an_activity_names_none(rule):
    assert not VOCABULARY.keys() & set(situations(rule))


def warned_of(ultan, path, tool="Edit"):
    return "nothing" not in ultan("why", "--tool", f"{tool}: {path}").out


@pytest.mark.parametrize(
    ("rule", "inside", "outside"),
    [
        ("Never edit generated files under gen/", "gen/a.py", "regen/a.py"), ("Never edit files in src/gen/ by hand.", "src/gen/deep/a.py", "src/gen.py"),
        ("Don't ever touch package-lock.json", "web/package-lock.json", "web/package.json"), ("Never change *.sql by hand", "db/a.sql", "db/a.sqlx"),
        ("Never modify files in migrations/*", "app/migrations/0001.py", "app/migration.py"),
        ("Never edit vendor/**/LICENSE.md", "vendor/a/b/LICENSE.md", "LICENSE.md"),
    ],
)
@pytest.mark.parametrize("tool", ["Edit", "Write"])
def test_a_file_that_is_not_to_be_touched_is_noticed_by_its_path(ultan, rule, inside, outside, tool):
    assert ultan("save", rule).status == 0
    assert warned_of(ultan, inside, tool)
    assert warned_of(ultan, "/home/x/shop/" + inside, tool)
    assert not warned_of(ultan, outside, tool)
