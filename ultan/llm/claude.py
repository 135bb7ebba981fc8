"""Claude through claude-agent-sdk, on the user's subscription.

The model sees no built-in tool, no settings, no plugin, no hook and no project: an empty
private folder below ``<home>/runs``, our own read tools, and one ``submit_result`` whose
schema is the result type. A result that does not fit goes back to the model as that tool's
error, with every path; an accepted one ends the run before another request is made.

Two guards keep the model's own session out of the library: ``ULTAN_INSIDE`` in its
environment, and its folder inside the home, which a hook recognises by itself.
"""

import asyncio
import os
import time
import uuid
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, Generic, NoReturn

from claude_agent_sdk import (
    AssistantMessage,
    ClaudeAgentOptions,
    ClaudeSDKClient,
    ClaudeSDKError,
    HookMatcher,
    RateLimitEvent,
    ResultError,
    ResultMessage,
    SystemMessage,
    TextBlock,
    ToolUseBlock,
)
from claude_agent_sdk._internal._mcp_compat import (  # the public builder checks the schema first and hides the paths
    build_tool_server,
)
from mcp.types import CallToolResult, TextContent
from mcp.types import Tool as WireTool

from ultan import home, housekeeping
from ultan.errors import (
    LanguageModelError,
    MalformedReply,
    ModelUnavailable,
    NotLoggedIn,
    QuotaReached,
    UltanError,
)
from ultan.llm import (
    LOGIN_WORDS,
    QUOTA_WORDS,
    Errand,
    LanguageModel,
    Reply,
    Result,
    Usage,
    apart,
    call_tool,
    judged,
    schema_of,
)
from ultan.settings import Settings

SERVER = "ultan"
SUBMIT = "submit_result"
READ_ROUNDS = 8  # requests a model may spend on reading before it must answer
FREE_SOURCES = frozenset(("", "none", "oauth"))  # what the client says when a login, not a key, pays
STATUS_QUOTA = frozenset((429, 529))
STATUS_LOGIN = frozenset((401, 403))
REMIND = f"Answer by calling the tool {SUBMIT}; text is not read."


def open_model(root: str, settings: Settings) -> LanguageModel:
    """Claude for the home *root*, at ``curation.base_url`` where the person set one."""
    url = settings["curation.base_url"]
    return Claude(root, metered=settings["curation.billing"] == "api", environ={"ANTHROPIC_BASE_URL": url} if url else None)


class Claude:
    """The bundled client, one process per errand."""

    def __init__(self, root: str, *, metered: bool = False, environ: dict[str, str] | None = None) -> None:
        """A model for the home *root*; a key is used only when *metered* billing was chosen.

        *environ* adds to the child's environment.
        """
        self._root, self._metered, self._environ = root, metered, environ or {}

    def ask(self, errand: Errand[Result]) -> Reply[Result]:
        """The reply to *errand*; runs on a thread of its own, so that it may be called from a running loop."""
        return apart(lambda: asyncio.run(self._ask(errand)))

    async def _ask(self, errand: Errand[Result]) -> Reply[Result]:
        started = time.monotonic()
        desk = _Desk(errand)
        async with _empty_room(self._root) as room:
            try:
                async with asyncio.timeout(errand.deadline_s):
                    await self._converse(desk, self._options(desk, room))
            except TimeoutError:
                if desk.accepted is None:
                    raise desk.bill(ModelUnavailable(f"no answer within {errand.deadline_s:g} s")) from None
            except ResultError as error:
                if desk.accepted is None:
                    _fail(error.api_error_status, " ".join((*error.errors, error.result or "", str(error))), desk)
            except (ClaudeSDKError, OSError) as error:
                if desk.accepted is None:
                    _fail(None, str(error), desk)
        if desk.accepted is None:
            _fail(None, desk.last_words, desk)
        return Reply(
            desk.accepted, desk.usage, desk.cost_usd, time.monotonic() - started, desk.model or errand.model,
            desk.attempts, desk.paid_by, tuple(desk.log),
        )  # fmt: skip

    def _options(self, desk: "_Desk[Result]", room: str) -> ClaudeAgentOptions:
        errand = desk.errand
        own = [tool.name for tool in errand.tools]
        environ = {
            **self._environ,
            "ULTAN_INSIDE": "1",
            "CLAUDE_CODE_MAX_RETRIES": "1",
            "CLAUDE_CODE_DISABLE_AUTO_MEMORY": "1",
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            "XDG_CACHE_HOME": os.path.join(room, "cache"),  # the client logs tool errors there, packet and all
        }
        if not self._metered:
            environ["ANTHROPIC_API_KEY"] = ""  # an empty value hides an inherited key: nobody is billed by accident
        return ClaudeAgentOptions(
            system_prompt=errand.prompt,
            model=errand.model or None,
            cwd=os.path.join(room, "work"),
            tools=[],
            mcp_servers={SERVER: {"type": "sdk", "name": SERVER, "instance": desk.server()}},
            allowed_tools=[f"mcp__{SERVER}__{name}" for name in (SUBMIT, *own)],
            strict_mcp_config=True,
            permission_mode="dontAsk",
            setting_sources=[],
            max_turns=errand.attempts + (READ_ROUNDS if own else 1),
            env=environ,
            verbatim_prompts=True,  # an @/path in somebody's words must not make the client read that file
            extra_args={"no-session-persistence": None, "restricted": None},
            hooks={"PostToolUse": [HookMatcher(matcher=f"mcp__{SERVER}__{SUBMIT}", hooks=[desk.stop_after_accept])]},
            stderr=desk.errors.append,
        )

    async def _converse(self, desk: "_Desk[Result]", options: ClaudeAgentOptions) -> None:
        async with ClaudeSDKClient(options) as client:
            for words in (desk.errand.question, REMIND):
                await client.query(words)
                async for message in client.receive_response():
                    self._hear(desk, message)
                    if desk.is_over:
                        if not isinstance(message, ResultMessage):
                            continue  # the client still tells what it cost
                        return
                if desk.is_over or desk.failed:
                    return

    def _hear(self, desk: "_Desk[Result]", message: object) -> None:
        match message:
            case SystemMessage(subtype="init", data=facts):
                source = str(facts.get("apiKeySource") or "")
                desk.paid_by = "subscription" if source in FREE_SOURCES else "api"
                if desk.paid_by == "api" and not self._metered:
                    raise NotLoggedIn(
                        f"the call would be billed through {source}, and only the subscription was chosen",
                        "log in with `claude`, or choose `ultan config curation.billing api`",
                    )
            case AssistantMessage(content=blocks, model=model):
                desk.model = model or desk.model
                for block in blocks:
                    if isinstance(block, TextBlock):
                        desk.last_words = block.text
                        desk.log.append(f"assistant: {block.text}")
                    elif isinstance(block, ToolUseBlock):
                        desk.log.append(f"assistant calls {block.name}: {block.input}")
            case RateLimitEvent(rate_limit_info=limit):
                if limit.status == "rejected":
                    desk.resets_at = float(limit.resets_at or 0)
            case ResultMessage():
                desk.settle(message)
            case _:
                return


@dataclass(slots=True)
class _Desk(Generic[Result]):
    """What lies on the table during one errand."""

    errand: Errand[Result]
    accepted: Result | None = None
    attempts: int = 0
    usage: Usage = field(default_factory=Usage)
    cost_usd: float = 0.0
    model: str = ""
    paid_by: str = "nobody"
    last_words: str = ""
    failed: bool = False
    resets_at: float = 0.0
    log: list[str] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)

    @property
    def is_over(self) -> bool:
        """Whether nothing more should be asked."""
        return self.accepted is not None or self.attempts >= self.errand.attempts

    def server(self) -> Any:
        """The in-process tool server: the errand's read tools and ``submit_result``."""
        wire = [
            WireTool.model_validate(
                {"name": tool.name, "description": tool.description, "inputSchema": schema_of(tool.arguments)}
            )
            for tool in self.errand.tools
        ]
        schema = schema_of(self.errand.result)
        submit = WireTool.model_validate(
            {"name": SUBMIT, "description": "Hand in the result. This ends the work.", "inputSchema": schema}
        )
        return build_tool_server(SERVER, "1", [*wire, submit], self.run_tool)

    async def run_tool(self, name: str, arguments: dict[str, Any]) -> CallToolResult:
        """What goes back to the model for one call."""
        if name == SUBMIT:
            return self._submit(arguments)
        try:
            answer = await asyncio.to_thread(call_tool, self.errand.tools, name, arguments)
        except (UltanError, ValueError) as error:
            return _said(str(error), wrong=True)
        self.log.append(f"{name} answered: {answer}")
        return _said(answer)

    def _submit(self, arguments: dict[str, Any]) -> CallToolResult:
        if self.is_over:
            return _said("The work has ended.", wrong=self.accepted is None)
        self.attempts += 1
        value, complaint = judged(self.errand, arguments)
        if value is not None:
            self.accepted = value
            return _said("Accepted. The work has ended; say nothing more.")
        self.log.append(f"{SUBMIT} refused: {complaint}")
        if self.is_over:  # not marked as an error, so that the hook runs and no further request is made
            return _said("The result was not acceptable, and the work has ended.")
        return _said(complaint + f"\nCorrect exactly this and call {SUBMIT} again.", wrong=True)

    async def stop_after_accept(self, _input: Any, _call: str | None, _context: Any) -> Any:
        """The hook's answer: end the run once a result is accepted, one request earlier than the model would."""
        return {"continue_": False, "stopReason": "accepted"} if self.is_over else {}

    def settle(self, message: ResultMessage) -> None:
        """Take over what the client says about cost and failure; its sums are cumulative."""
        counted = message.usage or {}
        self.usage = Usage(
            int(counted.get("input_tokens") or 0), int(counted.get("output_tokens") or 0),
            int(counted.get("cache_read_input_tokens") or 0), int(counted.get("cache_creation_input_tokens") or 0),
        )  # fmt: skip
        self.cost_usd = message.total_cost_usd or 0.0
        if self.accepted is None and message.is_error:
            self.failed = True
            _fail(message.api_error_status, " ".join((*(message.errors or ()), message.result or "")), self)
        if self.accepted is None and message.result:
            self.last_words = message.result
            if _sounds_like(LOGIN_WORDS, message.result):
                _fail(None, message.result, self)


    def bill(self, error: LanguageModelError) -> LanguageModelError:
        """*error* with what it cost, and until when it lasts."""
        error.until = self.resets_at
        spent: Reply[Any] = Reply(
            None, self.usage, self.cost_usd, 0.0, self.model, self.attempts, self.paid_by, tuple(self.log)
        )
        error.spent = spent
        return error


def _said(text: str, *, wrong: bool = False) -> CallToolResult:
    return CallToolResult.model_validate({"content": [TextContent(type="text", text=text)], "isError": wrong})


def _sounds_like(words: tuple[str, ...], text: str) -> bool:
    lowered = text.lower()
    return any(word in lowered for word in words)


def _fail(status: int | None, words: str, desk: "_Desk[Any]") -> NoReturn:
    """Raise what *status* and *words* mean.

    Words count only where the client failed or nothing was handed in: a transcript that talks
    about rate limits is no rate limit.
    """
    told = " ".join(words.split())[:300] or "the model said nothing"
    error: LanguageModelError
    if status in STATUS_LOGIN or _sounds_like(LOGIN_WORDS, words):
        error = NotLoggedIn(told)
    elif status in STATUS_QUOTA or (status is None and desk.failed and _sounds_like(QUOTA_WORDS, words)):
        error = QuotaReached(told)
    elif status is None and desk.attempts:
        error = MalformedReply(f"no acceptable result in {desk.attempts} attempts")
    elif status is None and not desk.failed and not desk.errors and desk.last_words:
        error = MalformedReply(f"text instead of a result: {told}")
    else:
        error = ModelUnavailable(told if status is None else f"{told} (status {status})")
    raise desk.bill(error)


@asynccontextmanager
async def _empty_room(root: str) -> AsyncIterator[str]:
    room = os.path.join(root, "runs", "room", uuid.uuid4().hex)
    for name in ("work", "cache"):
        home.make_folder(os.path.join(room, name))
    try:
        yield room
    finally:
        housekeeping.clear_folder(room)
