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


@pytest.mark.parametrize("rule", ["We committed to using Postgres", "Prices are integers in cents", "Push notifications go through FCM"])
def test_a_rule_about_something_else_names_none(rule):
    assert not VOCABULARY.keys() & set(situations(rule))
