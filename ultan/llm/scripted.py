"""Answers from a script: for tests, demos, and to see what a hostile model could do.

A script is a list of steps, or one function of the errand. A step is what a model would
hand in (JSON values or a pydantic value), a text (prose, as models sometimes say instead of
a result), a ``Call`` of a read tool, or an error to raise. Results run through the same
boundary as those of a real model: what does not fit costs an attempt and goes back.
"""

import json
import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from pydantic import BaseModel

from ultan.errors import LanguageModelError, MalformedReply, NotLoggedIn, UltanError
from ultan.llm import LOGIN_WORDS, Errand, LanguageModel, Reply, Result, Usage, call_tool, judged
from ultan.settings import Settings

CHARS_A_TOKEN = 4
PATIENCE = 50  # steps of one errand: a script that never hands in anything ends


@dataclass(frozen=True, slots=True)
class Call:
    """A step that uses a read tool."""

    tool: str
    arguments: dict[str, Any]


Step = Any  # BaseModel | dict | str | Call | LanguageModelError | Callable[[Errand], Step]


@dataclass(slots=True)
class Scripted:
    """A model that says what it was told to say.

    Attributes:
        steps: played in order over all errands; afterwards ``otherwise`` answers.
        otherwise: a step, or a function of the errand.
        asked: every errand so far, in order; ``told``: every text that went back to the model.
    """

    steps: list[Step] = field(default_factory=list)
    otherwise: Step = "I have nothing to say."
    asked: list[Errand[Any]] = field(default_factory=list)
    told: list[str] = field(default_factory=list)

    def ask(self, errand: Errand[Result]) -> Reply[Result]:
        """The first result of the script that fits *errand*.

        Raises:
            LanguageModelError: the script says so, or nothing fits within the attempts.
        """
        self.asked.append(errand)
        log: list[str] = []
        attempts = 0
        for _ in range(PATIENCE):
            step = self._next(errand)
            if isinstance(step, LanguageModelError):
                raise step
            if isinstance(step, Call):
                self._tell(log, self._used(errand, step))
                continue
            log.append(f"assistant: {step}")
            if isinstance(step, str):
                if any(word in step.lower() for word in LOGIN_WORDS):
                    raise NotLoggedIn(step)
                complaint = "text is not read"
            else:
                plain = step.model_dump(mode="json") if isinstance(step, BaseModel) else step
                value, complaint = judged(errand, plain)
                if value is not None:
                    usage = Usage(
                        (len(errand.prompt) + len(errand.question)) // CHARS_A_TOKEN, len(str(plain)) // CHARS_A_TOKEN
                    )
                    return Reply(value, usage, model="scripted", attempts=attempts + 1, log=tuple(log))
            attempts += 1
            self._tell(log, complaint)
            if attempts >= errand.attempts:
                break
        raise MalformedReply(f"no acceptable result in {attempts} attempts")

    def _next(self, errand: Errand[Any]) -> Step:
        step = self.steps.pop(0) if self.steps else self.otherwise
        while callable(step) and not isinstance(step, type):
            step = step(errand)
        return step

    def _tell(self, log: list[str], text: str) -> None:
        self.told.append(text)
        log.append(f"told: {text}")

    @staticmethod
    def _used(errand: Errand[Any], step: Call) -> str:
        try:
            return call_tool(errand.tools, step.tool, step.arguments)
        except (UltanError, ValueError) as error:
            return str(error)


def scripted(*steps: Step, otherwise: Step = "I have nothing to say.") -> Scripted:
    """A model that plays *steps*, then *otherwise*."""
    return Scripted(list(steps), otherwise)


def by_role(**answers: Callable[[Errand[Any]], Step] | Step) -> Scripted:
    """A model that answers each role in its own way, however often it is asked."""
    return Scripted([], lambda errand: answers.get(errand.role, "I have nothing to say."))


def open_model(root: str, _settings: Settings) -> LanguageModel:
    """A model that plays ``<home>/script.json``: a list of results, texts and tool calls."""
    with open(os.path.join(root, "script.json"), encoding="utf-8") as file:
        steps: Iterable[Any] = json.load(file)
    return Scripted(list(steps))
