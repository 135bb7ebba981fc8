"""Language models we call: the LanguageModel protocol and the MODELS table.

A model gets an ``Errand``: a role's prompt, a question, the type of the result and a
boundary check. It gives a ``Reply`` whose value has that type and passed that check, or
raises one of ``QuotaReached``, ``NotLoggedIn``, ``MalformedReply``, ``ModelUnavailable``.
There is no third outcome: prose is never an answer.
"""

import importlib
import json
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeVar

from pydantic import BaseModel, ValidationError

from ultan.errors import ModelUnavailable
from ultan.settings import Settings

Result = TypeVar("Result", bound=BaseModel)
Outcome = TypeVar("Outcome")

# Words that a client or a provider says instead of an answer when nobody is logged in, or the plan is used up.
LOGIN_WORDS = ("please run /login", "not logged in", "failed to authenticate", "invalid api key", "authentication_error")
QUOTA_WORDS = ("usage limit", "rate limit", "rate_limit", "hit your limit", "limit reached", "quota", "overloaded")


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of one call, as the provider counted them."""

    input_tokens: int = 0
    output_tokens: int = 0
    cache_read_tokens: int = 0
    cache_written_tokens: int = 0

    @property
    def total(self) -> int:
        """All tokens read and written."""
        return self.input_tokens + self.output_tokens + self.cache_read_tokens + self.cache_written_tokens


@dataclass(frozen=True, slots=True)
class Tool:
    """Something a model may do while thinking; it reads, it never writes.

    Attributes:
        name: what the model calls it; ``description`` what the model is told.
        arguments: the type of its input.
        run: the text that goes back to the model. An ``UltanError`` goes back as an error.
    """

    name: str
    description: str
    arguments: type[BaseModel]
    run: Callable[[Any], str]


@dataclass(frozen=True, slots=True)
class Errand(Generic[Result]):
    """One thing asked of a model.

    Attributes:
        role: librarian, scholar or advisor; for the records.
        prompt: the standing instructions of the role; ``prompt_digest`` names their version.
        question: the packet.
        result: the type to fill in.
        check: the complaints about a result that has the right type; none means accepted.
        model: the model's name in the provider's words, or a word such as ``sonnet``.
        attempts: results that may be handed in before the call is given up.
        deadline_s: seconds after which the call is given up.
        session: what it is about, for the records.
        summary: what was decided, as counts, for the records.
    """

    role: str
    prompt: str
    question: str
    result: type[Result]
    check: Callable[[Result], Sequence[str]] = lambda _value: ()
    tools: tuple[Tool, ...] = ()
    model: str = ""
    attempts: int = 4
    deadline_s: float = 240.0
    session: str = ""
    prompt_digest: str = ""
    summary: Callable[[Result], dict[str, int]] = lambda _value: {}


@dataclass(frozen=True, slots=True)
class Reply(Generic[Result]):
    """A result that has the right type and passed the check, and what it cost.

    Attributes:
        attempts: results handed in, this one included.
        paid_by: ``subscription``, ``api``, ``provider``, or ``nobody``.
        log: what was said on the way, for the transcript; not yet redacted.
    """

    value: Result
    usage: Usage = Usage()
    cost_usd: float = 0.0
    duration_s: float = 0.0
    model: str = ""
    attempts: int = 1
    paid_by: str = "nobody"
    log: tuple[str, ...] = ()


class LanguageModel(Protocol):
    """Anything that can run an errand."""

    def ask(self, errand: Errand[Result]) -> Reply[Result]:
        """The reply to *errand*.

        Raises:
            QuotaReached, NotLoggedIn, MalformedReply, ModelUnavailable: see ``errors``.
        """


MODELS = {
    "claude": "ultan.llm.claude:open_model",
    "provider": "ultan.llm.provider:open_model",
    "scripted": "ultan.llm.scripted:open_model",
}


def open_model(name: str, root: str, settings: Settings) -> LanguageModel:
    """The language model in row *name* of ``MODELS``, imported only now.

    Raises:
        ModelUnavailable: no such row, or what it needs is not installed.
    """
    place = MODELS.get(name)
    if place is None:
        raise ModelUnavailable(f"no language model is called {name}", f"choose one of {', '.join(sorted(MODELS))}")
    module, _, attribute = place.partition(":")
    try:
        opened: LanguageModel = getattr(importlib.import_module(module), attribute)(root, settings)
    except ImportError as error:
        raise ModelUnavailable(f"{name} cannot be loaded: {error}") from None
    return opened


def apart(work: Callable[[], Outcome]) -> Outcome:
    """What *work* returns or raises, done on a thread of its own: it may start a loop where one runs already."""
    with ThreadPoolExecutor(1, thread_name_prefix="ultan-model") as pool:
        return pool.submit(work).result()


def call_tool(tools: Sequence[Tool], name: str, arguments: object) -> str:
    """What the tool called *name* says.

    Raises:
        ValueError: no such tool, or its arguments do not fit.
    """
    for tool in tools:
        if tool.name == name:
            return tool.run(tool.arguments.model_validate(arguments))
    raise ValueError(f"there is no tool {name}")


ALIKE, LONG_FIELD = 3, 34  # how often, and how long, a field is before it is said in one place

WORDLESS = frozenset((
    "title", "default", "maxLength", "minLength", "maxItems", "minItems", "additionalProperties", "discriminator",
    "minProperties", "propertyNames",
))  # fmt: skip


def schema_of(result: type[BaseModel]) -> dict[str, Any]:
    """The JSON schema of *result* as a model is shown it, without generated titles, defaults and limits of length.

    Half of a schema is such, and it is paid for in every request. What it leaves out is still
    required by ``judged``, which names it to the model that broke it.
    """
    slim: dict[str, Any] = _slim(result.model_json_schema()) | {"type": "object"}
    _share(slim)
    return slim


def _share(schema: dict[str, Any]) -> None:
    """Say once, in place, what many fields of *schema* say alike."""
    shapes: dict[str, Any] = schema.setdefault("$defs", {})
    fields = [(owner["properties"], name) for owner in [schema, *shapes.values()] for name in owner.get("properties", {})]
    counts = Counter(json.dumps(properties[name]) for properties, name in fields)
    names: dict[str, str] = {}
    for properties, name in fields:
        said = json.dumps(properties[name])
        if counts[said] < ALIKE or len(said) <= LONG_FIELD:
            continue
        if said not in names:
            names[said] = name if name not in shapes else f"{name}{len(names)}"
            shapes[names[said]] = properties[name]
        properties[name] = {"$ref": f"#/$defs/{names[said]}"}
    if not shapes:
        del schema["$defs"]


def _slim(value: Any, *, is_names: bool = False) -> Any:
    if isinstance(value, list):
        return [_slim(item) for item in value]
    if not isinstance(value, dict):
        return value
    choices = value.get("anyOf")
    if isinstance(choices, list) and {"type": "null"} in choices and not is_names:  # None: left out
        rest = [choice for choice in choices if choice != {"type": "null"}]
        value = {**value, "anyOf": rest} if len(rest) > 1 else {**value, **rest[0]}
        value = {key: item for key, item in value.items() if key != "anyOf" or len(rest) > 1}
    found = {
        key: _slim(item, is_names=key in ("properties", "$defs"))
        for key, item in value.items()
        if is_names or key not in WORDLESS
    }
    if not is_names and isinstance(found.get("items"), dict):
        found["items"].pop("description", None)  # the list's own says it
    if not is_names and ("const" in found or "properties" in found):
        found.pop("type", None)
    named = found.get("properties", {}) if not is_names else {}
    tags = [name for name, item in named.items() if "const" in item and name not in found.get("required", ())]
    if tags:
        found["required"] = [*tags, *found.get("required", ())]  # a default of ours, but what a union is told apart by
    return found


def judged(errand: Errand[Result], arguments: object) -> tuple[Result | None, str]:
    """The typed and checked value of *arguments*, or ``None`` and all that is wrong, path by path."""
    try:
        value = errand.result.model_validate(arguments)
    except ValidationError as error:
        lines = [
            f"- {'.'.join(str(part) for part in item['loc']) or '(whole result)'}: {item['msg']}"
            for item in error.errors(include_url=False, include_input=False)
        ]
        return None, "The result does not have the required form:\n" + "\n".join(lines[:40])
    complaints = [f"- {line}" for line in errand.check(value)]
    if complaints:
        return None, "The result has the right form but cannot be accepted:\n" + "\n".join(complaints[:40])
    return value, ""
