"""Every other provider, through pydantic-ai (extra ``providers``).

OpenAI, Gemini, Mistral, Ollama, or any server that speaks OpenAI's protocol at ``curation.base_url``.

The same contract as Claude's: the result is a tool call, its schema the result type, and
what does not fit goes back in-band.
"""

import asyncio
import json
import os
import time
from typing import Any

from pydantic_ai import Agent, ModelRetry, Tool, ToolOutput
from pydantic_ai.exceptions import (
    ModelAPIError,
    ModelHTTPError,
    UnexpectedModelBehavior,
    UsageLimitExceeded,
    UserError,
)
from pydantic_ai.models import Model, infer_model
from pydantic_ai.usage import RunUsage, UsageLimits

from ultan.errors import (
    LanguageModelError,
    MalformedReply,
    ModelUnavailable,
    NotLoggedIn,
    QuotaReached,
    UltanError,
)
from ultan.llm import LOGIN_WORDS, Errand, LanguageModel, Reply, Result, Usage, apart, call_tool
from ultan.llm import Tool as ReadTool
from ultan.settings import Settings

SUBMIT = "submit_result"
READ_ROUNDS = 8
STATUS_LOGIN, STATUS_QUOTA = frozenset((401, 403)), frozenset((402, 429, 529))


def open_model(_root: str, settings: Settings) -> LanguageModel:
    """The model of ``curation.provider``.

    Raises:
        ModelUnavailable: none is chosen, or its name or its key is missing.
    """
    name, url = settings["curation.provider"], settings["curation.base_url"]
    if not name:
        raise ModelUnavailable("no provider is chosen", "ultan config curation.provider openai:gpt-5-mini")
    try:
        return Provider(_at(url, name) if url else infer_model(name))
    except (UserError, ImportError, ValueError) as error:
        raise ModelUnavailable(f"{name} cannot be used: {error}") from None


def _at(url: str, name: str) -> Model:
    from pydantic_ai.models.openai import OpenAIChatModel  # noqa: PLC0415 -- one provider of many
    from pydantic_ai.providers.openai import OpenAIProvider  # noqa: PLC0415

    key = os.environ.get("OPENAI_API_KEY") or "none"  # a local server asks for none, its client insists on one
    return OpenAIChatModel(name.partition(":")[2] or name, provider=OpenAIProvider(base_url=url, api_key=key))


class Provider:
    """One model of pydantic-ai."""

    def __init__(self, model: Model) -> None:
        """Ask *model*."""
        self._model = model

    def ask(self, errand: Errand[Result]) -> Reply[Result]:
        """The reply to *errand*; runs on a thread of its own, so that it may be called from a running loop."""
        return apart(lambda: asyncio.run(self._ask(errand)))

    async def _ask(self, errand: Errand[Result]) -> Reply[Result]:
        started = time.monotonic()
        handed_in = 0
        log: list[str] = []
        usage = RunUsage()
        agent: Agent[None, Result] = Agent(
            self._model, instructions=errand.prompt, output_type=ToolOutput(errand.result, name=SUBMIT),
            tools=[_wire(tool, log) for tool in errand.tools], retries=errand.attempts - 1,
        )  # fmt: skip

        def check(value: Result) -> Result:
            nonlocal handed_in
            handed_in += 1
            complaints = errand.check(value)
            if complaints:
                told = "The result cannot be accepted:\n" + "\n".join(f"- {line}" for line in complaints)
                log.append(told)
                raise ModelRetry(told)
            return value

        agent.output_validator(check)
        limits = UsageLimits(request_limit=errand.attempts + (READ_ROUNDS if errand.tools else 1))
        try:
            async with asyncio.timeout(errand.deadline_s):
                result = await agent.run(errand.question, usage=usage, usage_limits=limits)
        except TimeoutError:
            raise _billed(ModelUnavailable(f"no answer within {errand.deadline_s:g} s"), usage, log) from None
        except (UnexpectedModelBehavior, UsageLimitExceeded) as error:
            raise _billed(_no_result(str(error)), usage, log) from None
        except ModelHTTPError as error:
            raise _billed(_refused(error.status_code, str(error)), usage, log) from None
        except (ModelAPIError, UserError, OSError) as error:
            raise _billed(ModelUnavailable(str(error)[:300]), usage, log) from None
        log += [str(message) for message in result.new_messages()]
        return Reply(
            result.output, _counted(usage), 0.0, time.monotonic() - started, self._model.model_name,
            max(handed_in, 1), "provider", tuple(log),
        )  # fmt: skip


def _wire(tool: ReadTool, log: list[str]) -> Tool[None]:
    def run(**arguments: Any) -> str:
        try:
            answer = call_tool((tool,), tool.name, arguments)
        except (UltanError, ValueError) as error:
            raise ModelRetry(str(error)) from None
        log.append(f"{tool.name} {json.dumps(arguments)}: {answer}")
        return answer

    return Tool.from_schema(run, tool.name, tool.description, tool.arguments.model_json_schema())


def _no_result(words: str) -> LanguageModelError:
    if any(word in words.lower() for word in LOGIN_WORDS):
        return NotLoggedIn(words[:300])
    return MalformedReply(f"no acceptable result: {words[:300]}")


def _refused(status: int, words: str) -> LanguageModelError:
    if status in STATUS_LOGIN:
        return NotLoggedIn(words[:300], "set the provider's key in the environment of the curator")
    if status in STATUS_QUOTA:
        return QuotaReached(words[:300])
    return ModelUnavailable(words[:300])


def _counted(usage: RunUsage) -> Usage:
    return Usage(usage.input_tokens, usage.output_tokens, usage.cache_read_tokens, usage.cache_write_tokens)


def _billed(error: LanguageModelError, usage: RunUsage, log: list[str]) -> LanguageModelError:
    spent: Reply[Any] = Reply(None, _counted(usage), attempts=0, paid_by="provider", log=tuple(log))
    error.spent = spent
    return error
