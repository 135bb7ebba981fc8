"""Saving by hand: what does not fit is said in words of the person; nothing is cut off in silence."""

from pathlib import Path

import pytest

from ultan import home, spool
from ultan.errors import UsageError
from ultan.events import Event, Piece
from ultan.library.snapshot import read_library
from ultan.library.store import FileStore
from ultan.redaction import redact
from ultan.settings import Settings
from ultan.verbs import review, save
from ultan.verbs.desk import Desk

NOON = 1_780_000_000.0
RULE = "Always use uv, never pip."


@pytest.fixture
def desk(tmp_path):
    root = home.ensure(str(tmp_path / "home"))
    return Desk(root, FileStore(root), Settings({}), NOON)


@pytest.mark.parametrize(
    ("part", "value"),
    [
        ("title", "uv"), ("title", "x" * 121), ("tags", ("x" * 201,)), ("cues", ("x" * 201,)), ("files", ("x" * 201,)),
        ("folder", "x" * 200), ("tags", tuple(f"tag{n}" for n in range(13))),
    ],
)  # fmt: skip
def test_a_part_that_does_not_fit_is_named_in_one_line(desk, part, value):
    with pytest.raises(UsageError) as refused:
        save.save(desk, RULE, save.Given(**{part: value}), project="")
    assert str(refused.value).startswith({"cues": "applies when"}.get(part, part) + ": ")
    assert not [strange for strange in ("\n", "pydantic", "xxxx") if strange in str(refused.value)]
    assert not desk.library.entries


@pytest.mark.parametrize("more", [{"supersedes": ("-",)}, {"expires": "x" * 201}, {"why": "x" * 4001}, {"subject": "x" * 201}])
def test_a_field_that_does_not_fit_is_named_too(desk, more):
    with pytest.raises(UsageError, match=f"^{next(iter(more))}: "):
        save.save(desk, RULE, save.Given(more=more), project="")


@pytest.mark.parametrize("word", ["", "   ", "Bash:", "Bash:  ", "x" * 513])
def test_a_trigger_without_a_pattern_or_with_too_long_a_one_is_refused(word):
    with pytest.raises(UsageError, match="pattern"):
        save.triggers([word])


@pytest.mark.parametrize("text", ["x" * 100, "x" * 1200, "日本" * 500, "/" * 90, "a_" * 500])
def test_a_text_without_spaces_has_a_title(desk, text):
    saved = save.save(desk, text, save.Given(), project="")
    assert len(saved.title) >= 3
    assert text in desk.library.find(saved.entry).body


def test_a_long_text_is_kept_whole(desk):
    text = "Deploy in this order. " + "\n\n".join(f"Step {n}: wait for machine {n} to answer before the next." for n in range(60))
    saved = save.save(desk, text, save.Given(kind="convention"), project="")
    kept = desk.library.find(saved.entry).body
    assert len(text) > 1200
    assert [n for n in range(60) if f"machine {n} to answer" not in kept] == []


@pytest.mark.parametrize("text", ["word " * 2000, "x" * 10**6, "日本" * 10**5])
def test_more_than_an_entry_holds_is_refused_at_once_and_nothing_is_cut_off(desk, text):
    with pytest.raises(UsageError, match="characters are more than one entry holds"):
        save.save(desk, text, save.Given(), project="")
    assert not desk.library.entries


def test_a_long_text_beside_an_own_how_is_refused_rather_than_overwriting_it(desk):
    with pytest.raises(UsageError, match="more than one entry holds"):
        save.save(desk, "word " * 400, save.Given(more={"how": "with care"}), project="")


def test_an_edit_in_review_that_does_not_fit_is_named_in_the_same_words(desk):
    with pytest.raises(UsageError) as said:
        save.save(desk, RULE, save.Given(title="ab"), project="")
    assert str(said.value) == "title: string should have at least 3 characters"
    assert review.unfit is save.unfit


@pytest.mark.parametrize(
    ("said", "prompt"),
    [
        ("Run make lint before every commit", "commit this"), ("We deploy with ./deploy.sh, only from staging", "ship it to production"),
        ("Never push to main without asking me", "push it"), ("Always use uv, never pip", "install requests please"),
    ],
)  # fmt: skip
def test_what_is_kept_by_hand_is_found_when_it_matters_whether_or_not_the_clerk_would_keep_it(ultan, said, prompt):
    assert ultan("save", said).status == 0
    assert ultan("save", "Prices are stored as integer cents").status == 0
    answer = ultan("why", prompt)
    assert not answer.out.startswith("silence"), answer.out
    assert said in answer.out


@pytest.mark.parametrize(
    ("said", "project", "kind"),
    [
        ("Run make lint before every commit", "shop", "convention"), ("Check the staging logs after a deploy", "shop", "convention"),
        ("All times are UTC in the database; convert at the edge", "shop", "convention"), ("Ribbons everywhere", "", "preference"),
        ("I prefer short answers", "shop", "preference"),
    ],
)  # fmt: skip
def test_what_is_kept_by_hand_is_meant_to_last(desk, said, project, kind):
    saved = save.save(desk, said, save.Given(), project=project)
    assert read_library(desk.store).find(saved.entry).kind == kind


def written(root):
    return b"".join(path.read_bytes() + str(path).encode() for path in Path(root).rglob("*") if path.is_file())


@pytest.mark.parametrize("kind", ["convention", "finding"])
@pytest.mark.parametrize("origin", ["", "assistant", "user"])
@pytest.mark.parametrize(
    ("secret", "told"),
    [
        ("gh" + "p_" + "Zq3vT8kLw1" * 4, "Always push with {} as the token"),
        ("foyHUdGckPO3cjDH6SZqxGY/Lyf/47pT1ynrD/2T", "Remember: aws_secret_access_key = {}"),
        ("Tr0ub4dor&6580", "the staging password is {} , always use it"),
        ("the salary is 12345 gold", "Always use uv <private>{}</private> here"),
    ],
)
def test_no_credential_and_nothing_private_of_a_saved_text_is_kept(desk, kind, origin, secret, told):
    """Neither in an entry nor in what is read off it, what waits for review, or the log."""
    text = told.format(secret)
    heard = Piece("p1", origin, f"so, {text}!") if origin else None
    save.save(desk, text, save.Given(kind=kind), project="shop", heard=heard, session="s1")
    assert secret.encode() not in written(desk.root)


def test_typed_words_are_known_again_where_a_credential_in_them_was_masked(desk):
    token = "gh" + "p_" + "Zq3vT8kLw1" * 4
    typed = Piece("p1", "user", redact(f"always push with {token}")[0])
    spool.put(desk.root, Event(spool.new_id(NOON), NOON, "prompt", session="s1", pieces=[typed]))
    assert save.heard(desk.root, "s1", f"Always push with {token}", {}).origin == "user"
    assert token not in save.heard(desk.root, "s1", f"Never push with {token}", {}).text
