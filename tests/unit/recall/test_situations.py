import pytest

from ultan.recall.situations import (
    ACTIVITIES,
    DOING,
    LEVELS,
    MESSAGES,
    NAMED,
    VOCABULARY,
    leanings,
    level_key,
    named_situation,
    situation_keys,
    situations_of,
    situations_of_call,
)

LOG = "\n".join(["$ make", "building", "Traceback (most recent call last):", "  File x", "ValueError: no"] * 4)


@pytest.mark.parametrize(
    ("prompt", "situation"),
    [
        ("why does the cache come back empty?", "asks why"),
        ("give me the command for that", "asks for steps"),
        ("do 2 and 5", "picks by number"),
        ("Reviewer says: this function has too many parameters and should be split " * 3, "pasted review"),
        (LOG, "pasted log"),
        ("that's wrong, I told you to leave it", "complaint"),
        ("look at it but don't change anything, not yet", "holds back"),
        ("did you push it?", "asks whether done"),
        ("what do you think, should we cache this?", "asks for an opinion"),
        ("go ahead", "goes on with a plan"),
        ("another agent did the first half", "another agent"),
        ("I edited the file, read it again", "changed by hand"),
        ('change the label to "Save all"', "dictates wording"),
        ("a better name for this class", "names things"),
        ("[Image #1] the margin is off", "shows a picture"),
        ("this is overkill, make it simpler", "asks for less"),
        ("same for the other endpoints", "and the others"),
        ("почему это так долго работает", "another language"),
        ("commit this", "commits"),
        ("update the readme", "writes docs"),
        ("is there a package for it", "adds a dependency"),
        ("add flask to the project", "adds a dependency"),
        ("let's add redis to our stack", "adds a dependency"),
    ],
)
def test_a_prompt_tells_its_situation(prompt: str, situation: str) -> None:
    assert situation in situations_of(prompt)


@pytest.mark.parametrize("prompt", ["", " ", "\U0001f600\U0001f680", "數據庫遷移", "QUJD" * 4000, "\0\ud800", "a" * 1_000_000])
def test_no_prompt_breaks_the_rules(prompt: str) -> None:
    assert set(situations_of(prompt, ("",), prompt)) <= set(VOCABULARY)


@pytest.mark.parametrize("prompt", ["add a button to the project", "add tests to the project", "add logging to the project", "add types to the project", "add flask to the list"])
def test_not_everything_that_is_added_is_a_package(prompt: str) -> None:
    assert "adds a dependency" not in situations_of(prompt)


def test_an_assent_to_a_question_goes_on_with_a_plan() -> None:
    assert "goes on with a plan" in situations_of("sure", (), "Shall I start with the parser?")
    assert situations_of("sure", (), "Done.") == []


def test_a_document_in_play_is_being_written() -> None:
    assert situations_of("shorter", ("notes.md", "app.py")) == ["writes docs"]
    assert situations_of("shorter", ("app.py", "notes.md")) == []


def test_an_entry_leans_to_what_a_cue_describes_in_the_words_of_a_note() -> None:
    found = leanings(("Diagnose first", "user asks for an explanation", "the payment provider"))
    assert max(found, key=lambda name: found[name]) == "asks why"
    assert all(0.0 < leaning <= 1.0 for leaning in found.values())


def test_one_word_in_a_long_cue_is_no_leaning() -> None:
    assert leanings(("why the billing export of the northern warehouses rounds prices down",)) == {}


def test_an_entry_without_cues_is_judged_by_its_rule() -> None:
    by_rule = situation_keys("", (), "When asked why, explain the cause.")
    assert any("asks why" in key for key in by_rule)
    assert situation_keys("Prices", ("a price is stored",), "When asked why, explain the cause.") == []


def test_a_cue_or_a_trigger_names_a_situation_outright() -> None:
    named = round(NAMED * LEVELS)
    assert level_key("holds back", named) in situation_keys("x", ("Holds back.",), "")
    assert level_key("releases", named) in situation_keys("x", (), "", (("situation", "releases"),))
    assert named_situation("nothing we know") == ""


def test_at_a_prompt_an_entry_must_be_about_an_activity_and_need_only_lean_to_a_message() -> None:
    keys = situation_keys("x", ("writing a commit message", "how the team reviews long documents in May", "user asks for an explanation"), "")
    assert level_key("asks why", 4) in keys
    assert {level_key("commits", 4), level_key("commits", 4, DOING)} <= set(keys)
    assert not [key for key in keys if "writes docs" in key and not key.startswith(DOING)]
    assert not set(MESSAGES) & set(ACTIVITIES)


def test_an_entry_with_triggers_of_its_own_is_left_to_them() -> None:
    keys = situation_keys("x", ("writing a commit message",), "", (("Bash", "commit -a"),))
    assert not [key for key in keys if key.startswith(DOING)]


@pytest.mark.parametrize(
    ("tool", "given", "situations"),
    [
        ("Write", {"file_path": "/x/guide.md", "content": "# A"}, ["writes docs"]),
        ("Edit", {"file_path": "/x/app.py"}, []),
        ("Bash", {"command": "cd a && git commit -m 'npm install left-pad'"}, ["commits"]),
        ("Bash", {"command": "git push origin x"}, ["pushes"]),
        ("Bash", {"command": "pip install requests"}, ["adds a dependency"]),
        ("Bash", {"command": "npm install"}, []),
        ("Bash", {"command": "sudo rm -rf build"}, ["deletes"]),
        ("Bash", {"command": "echo git commit"}, []),
        ("Bash", {"command": 7}, []),
        ("Read", {"file_path": "a.md"}, []),
    ],
)
def test_a_tool_call_is_in_a_situation_only_where_it_is_certain(tool: str, given: dict[str, object], situations: list[str]) -> None:
    assert situations_of_call(tool, given) == situations
