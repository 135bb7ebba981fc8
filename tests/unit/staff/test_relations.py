"""How two rules stand to each other: one and the same, the later in the place of the earlier, or neither."""

import pytest

from ultan.staff import clerk, drafting, relations, subjects
from ultan.staff.cues import table
from ultan.staff.statements import statements

REPLACED = (
    ("Use black for formatting.", "actually, use ruff format from now on"),
    ("Use black for formatting.", "From now on use yapf."),
    ("Always indent with tabs.", "From now on indent with spaces."),
    ("Use single quotes in Python.", "From now on use double quotes."),
    ("Use print for debugging.", "from now on use logging for debugging"),
    ("Always use npm.", "No, use pnpm here."),
    ("Always use moment for dates.", "Actually, use dayjs for dates from now on."),
    ("Always answer me in German.", "From now on answer me in English."),
    ("Never mock the database in tests.", "From now on mock the database in tests."),
    ("Use tabs for indentation.", "Use spaces for indentation, not tabs."),
    ("We deploy on Tuesdays.", "From now on we deploy on Thursdays."),
    ("Verwende immer black für die Formatierung.", "Verwende ab jetzt ruff für die Formatierung."),
    ("Utilise toujours black pour le formatage.", "Désormais utilise ruff pour le formatage."),
    ("Usa siempre black para formatear.", "A partir de ahora usa ruff para formatear."),
    ("フォーマットには常に black を使って。", "これからはフォーマットには ruff を使って。"),
    ("格式化总是用 black。", "从现在起格式化用 ruff。"),
    ("Verwende immer black für die Formatierung.", "actually, use ruff from now on"),
)
BESIDE = (
    ("Use black for formatting Python.", "From now on use mypy for type checking."),
    ("Use black for formatting.", "From now on use ruff for linting Python."),
    ("Use double quotes in Python.", "From now on use type hints in Python."),
    ("Use pytest fixtures in tests.", "From now on use pytest parametrize in tests."),
    ("Use docker for the database.", "From now on use podman for the tests."),
    ("Never push to main without asking.", "Never push to main without tests."),
    ("Always use uv.", "From now on use structlog for logging."),
    ("Put a comment in go.mod about the other places that need the version.", "No comment is needed about what another agent does."),
    ("Just change the schema directly, the tool is still in development, no migration.", "Read, write and shell aren't change types, they are tool types."),
)
ONE = (
    ("Use uv and never pip", "Always use uv, never pip, please"),
    ("Always use uv, never pip", "Use uv and never pip please"),
    ("Always run the tests before you commit.", "As I said, run the tests before committing."),
    ("Never commit directly to main.", "never commit straight to the main branch"),
    ("No, use uv, never pip.", "From now on use uv, never pip."),
    ("Use black for formatting.", "Always use black for formatting!"),
    ("Always use uv, never pip.", "Benutze immer uv, nie pip."),
    ("Never commit to main.", "Committe nie auf main."),
    ("Always write tests for new functions.", "Écris toujours des tests pour les nouvelles fonctions."),
    ("Siempre usa uv, nunca pip.", "Use sempre uv, nunca pip, tá?"),
)


def told(old, new):
    """How the rule *new*, said after *old*, stands to it."""
    first, second = (statements(text)[0] for text in (old, new))
    mine, theirs = (
        subjects.subject_of(drafting.rule_text([each]), table(each.language)) for each in (second, first)
    )
    if relations.replaces(mine, theirs, amends=bool(second.marks & clerk.AMENDING)):
        return "replaces"
    return "same" if relations.same(mine, theirs) else "beside"


@pytest.mark.parametrize(("old", "new"), REPLACED)
def test_another_thing_for_the_same_work_takes_its_place(old, new):
    assert told(old, new) == "replaces"


@pytest.mark.parametrize(("old", "new"), BESIDE)
def test_a_rule_about_other_work_stands_beside(old, new):
    assert told(old, new) == "beside"


@pytest.mark.parametrize(("old", "new"), ONE)
def test_the_same_in_other_words_or_another_language_is_the_same(old, new):
    assert told(old, new) == "same"


def test_without_words_that_amend_only_a_rival_takes_a_place():
    dates, days = subjects.subject_of("Use moment for dates."), subjects.subject_of("Use dayjs for dates.")
    assert not relations.replaces(days, dates)
    assert relations.replaces(days, dates, amends=True)
    assert not relations.same(days, dates)
    assert relations.replaces(subjects.subject_of("Use bun."), subjects.subject_of("Use npm."))
