"""One suite for every row of ``MODELS``: typed, checked, bounded, and honest about failure.

``claude`` runs the real client against a Messages API on the loopback, so it is slow;
``provider`` runs where pydantic-ai is installed.
"""

import sys
from pathlib import Path

import pytest
from pydantic import BaseModel, Field

from ultan.errors import MalformedReply, NotLoggedIn, QuotaReached, UltanError
from ultan.llm import MODELS, Errand, Tool
from ultan.llm.scripted import Call, scripted

sys.path.insert(0, str(Path(__file__).parents[1] / "journey"))


class Colour(BaseModel):
    """A result."""

    name: str
    depth: int = Field(ge=1, le=9)


class Word(BaseModel):
    """Input of a tool."""

    word: str


QUOTA, LOGIN = object(), object()  # failures that each model meets in its own form


class Played:
    """A model that plays steps; ``asked`` requests of the conversation, ``told`` what went back."""

    def __init__(self, model, told, asked):
        self.model, self.told, self.asked = model, told, asked


@pytest.fixture(params=[pytest.param("claude", marks=pytest.mark.slow), "provider", "scripted"])
def play(request, tmp_path, monkeypatch):
    row = request.param
    assert row in MODELS
    closing = []

    def made(*steps):
        if row == "scripted":
            failures = {id(QUOTA): QuotaReached("limit"), id(LOGIN): NotLoggedIn("log in")}
            model = scripted(*[failures.get(id(step), step) for step in steps])
            return Played(model, lambda: "\n".join(model.told), lambda: len(model.told) + 1)
        if row == "provider":
            return _provider(steps)
        monkeypatch.setenv("HOME", str(tmp_path / "user"))
        monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-dummy")
        played, api = _claude(steps, tmp_path)
        closing.append(api)
        return played

    yield made
    for api in closing:
        api.__exit__(None, None, None)


def _claude(steps, tmp_path):
    from messages_api import MessagesApi, Refusal, calls, says

    from ultan.llm.claude import Claude

    replies = {QUOTA: Refusal(429, headers={"retry-after": "3600"}), LOGIN: Refusal(403)}
    script = []
    for step in steps:
        if isinstance(step, dict):
            script.append(calls("mcp__ultan__submit_result", **step))
        elif isinstance(step, Call):
            script.append(calls(f"mcp__ultan__{step.tool}", **step.arguments))
        else:
            script.append(says(step) if isinstance(step, str) else replies[step])
    api = MessagesApi(*script)
    api.__enter__()
    model = Claude(str(tmp_path / "home"), metered=True, environ={"ANTHROPIC_BASE_URL": api.url, "DISABLE_TELEMETRY": "1"})
    return Played(model, lambda: api.turns[-1].text, lambda: len(api.turns)), api


def _provider(steps):
    pytest.importorskip("pydantic_ai", reason="the extra `providers` is not installed")
    from pydantic_ai.exceptions import ModelHTTPError
    from pydantic_ai.messages import ModelResponse, TextPart, ToolCallPart
    from pydantic_ai.models.function import FunctionModel

    from ultan.llm.provider import Provider

    waiting, heard = list(steps), []

    def answer(messages, _info):
        heard.append(str(messages))
        step = waiting.pop(0) if waiting else "I have nothing to say."
        if step in (QUOTA, LOGIN):
            raise ModelHTTPError(429 if step is QUOTA else 401, "function")
        if isinstance(step, str):
            return ModelResponse(parts=[TextPart(step)])
        if isinstance(step, Call):
            return ModelResponse(parts=[ToolCallPart(step.tool, step.arguments)])
        return ModelResponse(parts=[ToolCallPart("submit_result", step)])

    return Played(Provider(FunctionModel(answer)), lambda: heard[-1], lambda: len(heard))


def errand(**more):
    return Errand("librarian", "You name colours.", "Which colour?", Colour, model="sonnet", deadline_s=60, **more)


GOOD = {"name": "blue", "depth": 3}


def test_a_fitting_result_comes_back_typed(play):
    played = play(GOOD)
    reply = played.model.ask(errand())
    assert reply.value == Colour(name="blue", depth=3)
    assert reply.attempts == 1
    assert reply.usage.total > 0
    assert reply.model
    assert played.asked() == 1  # nothing is asked after the result


def test_a_result_that_does_not_fit_goes_back_with_its_path_and_is_corrected(play):
    played = play({"name": "blue", "depth": 12}, GOOD)
    assert played.model.ask(errand()).value.depth == 3
    assert "depth" in played.told()
    assert "less than or equal to 9" in played.told()


def test_a_result_that_fails_the_check_goes_back_with_the_complaint(play):
    played = play({"name": "mauve", "depth": 1}, GOOD)
    reply = played.model.ask(errand(check=lambda found: [] if found.name == "blue" else [f"{found.name} is out of stock"]))
    assert reply.value.name == "blue"
    assert reply.attempts == 2
    assert "mauve is out of stock" in played.told()


def test_a_model_that_never_fits_is_given_up_after_the_allowed_attempts(play):
    played = play(*[{"name": "blue", "depth": 0}] * 9)
    with pytest.raises(MalformedReply):
        played.model.ask(errand(attempts=3))
    assert played.asked() <= 4


def test_prose_is_no_answer(play):
    played = play(*["I think it is blue."] * 9)
    with pytest.raises(MalformedReply):
        played.model.ask(errand(attempts=3))
    assert played.asked() <= 4


def test_prose_before_a_result_is_forgiven(play):
    assert play("Let me think.", GOOD).model.ask(errand()).value.name == "blue"


def test_a_limit_is_a_limit(play):
    with pytest.raises(QuotaReached):
        play(QUOTA, QUOTA, QUOTA).model.ask(errand())


def test_a_missing_login_is_a_missing_login(play):
    with pytest.raises(NotLoggedIn):
        play(LOGIN, LOGIN, LOGIN).model.ask(errand())


def test_a_read_tool_answers_and_its_error_goes_back(play):
    def look_up(asked):
        if asked.word == "secret":
            raise UltanError("no such word")
        return f"{asked.word} means sky"

    tool = Tool("look_up", "Meaning of a word.", Word, look_up)
    played = play(Call("look_up", {"word": "blue"}), GOOD)
    played.model.ask(errand(tools=(tool,)))
    assert "blue means sky" in played.told()
    played = play(Call("look_up", {"word": "secret"}), GOOD)
    assert played.model.ask(errand(tools=(tool,))).value.name == "blue"
    assert "no such word" in played.told()
