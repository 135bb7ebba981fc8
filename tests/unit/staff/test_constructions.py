"""What holds is often said without a word of dictation; the same words tell a story, too."""

import pytest

from ultan.staff import drafting
from ultan.staff.clerk import THRESHOLD, weigh
from ultan.staff.cues import table
from ultan.staff.statements import statements

# A form → what it says as a rule, and what looks like it and only tells.
FORMS = {
    "settled": (
        ["use pnpm in this repo", "use black in this repository", "use tabs in this project", "please use yarn in the whole monorepo"],
        ["use the helper in this repo", "use it in this project", "use a queue in this project", "could we use redis in this project?"],
    ),
    "chosen": (
        ["use British spelling in the docs", "use structlog for logging", "prefer dataclasses for config objects"],
        ["use that one for testing", "use the other branch for deploys", "use option 2 for this case"],
    ),
    "ours": (
        ["our line length is 100", "our commit messages follow a fixed format", "our test database runs in docker"],
        ["our build is broken", "our tests are slow today", "our goal is clean code", "our config was wrong"],
    ),
    "habit": (
        ["we use conventional commits here", "we release from the develop branch", "we ship on Tuesdays", "we pin all versions",
         "we don't do default exports", "we keep feature flags in config/flags.yml"],
        ["we use the wrong port here", "we need to fix the login first", "we could use redis here", "we ran the tests yesterday",
         "the docs say we use redis, is that true?"],
    ),
    "generic": (
        ["tests go next to the source file", "all dates are stored in UTC", "migrations are append-only", "ids are uuid v7 everywhere",
         "public functions get docstrings", "secrets live in vault, not in .env files"],
        ["the tests are in tests/", "requests go to the wrong server", "types are wrong", "all tests pass now", "users see a blank page",
         "the button is always red when I hover"],
    ),
    "nothing": (
        ["no mocks in integration tests please", "no emojis in commit messages", "no inline styles in components"],
        ["no errors in the log", "no change in this file", "no tests fail", "no idea about the config", "no output from the command"],
    ),
    "therefore": (
        ["the staging db is reset every night so don't rely on data there", "we're on python 3.11, so no match-less fallbacks"],
        ["it works on my branch so don't worry about the test", "so don't touch the parser for now"],
    ),
    "usual": (
        ["I usually want a plan before you touch code", "I normally review the diff file by file"],
        ["I usually get a 500 here", "I always forget how this test works"],
    ),
    "fragment": (
        ["tabs, not spaces", "pnpm here, not npm"],
        ["add the flag when not present in the config", "the test is green, not red", "use the query builder here, not raw strings"],
    ),
    "cease": (
        ["ok but dont add co-authored-by lines to commits", "stop reformatting imports"],
        ["stop running the tests", "don't write code yet", "don't change anything", "don't add tests for this"],
    ),
    "before": (
        ["you should run the linter before you say you're done", "you should run the type checker before you push"],
        ["show me the test before you commit this", "what do you do before you commit?"],
    ),
    "custom": (
        ["convert the columns on read, that's the convention in etl/", "errors wrapped at the boundary is how we do it in the api"],
        ["is there a convention for that api?", "the convention was broken in this commit"],
    ),
    "none": (
        ["there shouldn't be a single new scss file", "there must not be any secret in the config"],
        ["there was no file in the folder", "there shouldn't be a problem with that test, I think"],
    ),
    "plural": (
        ["use absolute imports", "prefer early returns over nested ifs in handlers"],
        ["use tests", "use these options", "use the new endpoints", "use both branches for this"],
    ),
    "tongue": (
        ["Answer me in English even if I write in German", "reply in French please"],
        ["answer in one line please, is the queue durable or not", "is the UI text in German or English?"],
    ),
    "liking": (
        ["I like small commits", "I prefer early returns"],
        ["I like this test", "I like how the config reads", "I'd like to see the logs"],
    ),
}  # fmt: skip


def heard(text):
    return any(weigh(statement) >= THRESHOLD for statement in statements(text))


@pytest.mark.parametrize("text", [text for rules, _ in FORMS.values() for text in rules])
def test_a_sentence_that_states_what_holds_is_a_rule_without_a_word_of_dictation(text):
    assert heard(text)


@pytest.mark.parametrize("text", [text for _, told in FORMS.values() for text in told])
def test_the_same_words_that_tell_complain_ask_or_order_once_are_none(text):
    assert not heard(text)


@pytest.mark.parametrize(
    "text",
    ['change "Never expire" to "Does not expire" in the token dialog', "at my last job we had a rule that nobody deploys on Fridays",
     "if we used Kafka we'd never have to worry about replays", "make that button say “Always allow”"],
)  # fmt: skip
def test_words_given_as_words_stories_and_hypotheses_rule_nothing(text):
    assert not heard(text)


@pytest.mark.parametrize("form", FORMS)
def test_each_form_is_told_from_the_others_by_its_pattern(form):
    assert any(form in statement.marks for text in FORMS[form][0] for statement in statements(text))


@pytest.mark.parametrize(
    "text",
    ["our holidays are sacred", "icebreakers are always a great way to start", "we usually meet in the kitchen", "no sugar in coffee for Maria"],
)  # fmt: skip
def test_what_holds_in_the_world_is_no_rule_of_the_work(text):
    assert not heard(text)


@pytest.mark.parametrize(
    ("said", "title"),
    [
        ("I said use pnpm, not npm!", "Use pnpm, not npm"),
        ("I told you to squash before merging.", "Squash before merging"),
        ("No mocks in integration tests please.", "No mocks in integration tests"),
        ("As I said, no emojis in commits.", "No emojis in commits"),
        ("Put tests next to the code from now on.", "Put tests next to the code"),
        ("Always use uv.", "Always use uv"),
    ],
)
def test_a_title_is_the_rule_alone(said, title):
    assert drafting.title_of(said, table("en")) == title


def test_where_a_rule_holds_is_not_what_it_is_about():
    (statement,) = statements("use pnpm in this repo")
    assert "repository" not in statement.subject.concepts
    assert not drafting.is_global(statement)


def test_the_end_of_an_answer_is_no_suffix_of_a_name_said_before():
    earlier, conduct = statements("The table names are plural. I prefer answers without a summary at the end.")
    assert drafting.left_out(conduct, [drafting.Heard("1", earlier)]) is None
