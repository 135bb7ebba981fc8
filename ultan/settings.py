"""``config.toml`` and ``ULTAN_*`` → one immutable Settings, read once at a door.

Every setting stands in ``TABLE`` with its default, range, unit and meaning;
``docs/reference/settings.md`` is generated from it. Hooks never come here: what a hook
needs (rows marked ``baked``) is written into the index by ``compile`` and read from it.
"""

import os

from ultan import home
from ultan.errors import SettingsError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any


class Row:
    """One setting.

    Attributes:
        key: dotted name, as in ``config.toml`` (section, then name) and ``ultan config KEY VALUE``.
        default: its value where nothing is said; its type is the setting's type.
        low, high: range of a number, both inclusive.
        choices: the allowed words of a text, or empty.
        baked: a hook needs it, so ``compile`` writes it into the index.
        person_only: raises trust or spend, so only a person at a terminal may set it.
        meaning: one sentence, with the unit.
    """

    __slots__ = ("baked", "choices", "default", "high", "key", "low", "meaning", "person_only")

    def __init__(
        self, key: str, default: "Any", meaning: str, *, low: float = 0, high: float = 0,
        choices: "tuple[str, ...]" = (), baked: bool = False, person_only: bool = False,
    ) -> None:  # fmt: skip
        self.key, self.default, self.meaning, self.low, self.high = key, default, meaning, low, high
        self.choices, self.baked, self.person_only = choices, baked, person_only


TABLE = (
    Row("capture.enabled", True, "Whether hooks queue what happens.", baked=True, person_only=True),
    Row("capture.excluded", (), "Globs of project folders in which Ultan is deaf and mute.", baked=True, person_only=True),
    Row("capture.tool_results", True, "Whether signal-bearing tool results are queued.", baked=True),
    Row("priming.enabled", True, "Whether prompts are primed.", baked=True),
    Row("priming.entries", 3, "Entries shown at a prompt, at most.", low=0, high=10, baked=True),
    Row("priming.budget_chars", 1500, "Characters of a priming block, at most.", low=200, high=8000, baked=True),
    Row("priming.min_relevance", 0.44, "Probability below which nothing is shown.", low=0, high=1, baked=True),
    Row("brief.enabled", True, "Whether a session starts with its standing rules.", baked=True),
    Row("brief.budget_chars", 1200, "Characters of the briefing, at most.", low=200, high=8000, baked=True),
    Row("notice.enabled", True, "Whether tool calls are checked against triggers.", baked=True, person_only=True),
    Row("notice.blocks", True, "Whether a confirmed trigger may deny a tool call; if not, it advises.", baked=True, person_only=True),
    Row("notice.answer_questions", True, "Whether a dialog is denied once where an entry answers it.", baked=True),
    Row("notice.answer_min_relevance", 0.85, "Probability an entry needs to answer a dialog.", low=0, high=1, baked=True),
    Row("curation.by", "clerk", "Who curates: the clerk is free and uses no model.", choices=("clerk", "claude", "provider", "off"), person_only=True),
    Row("curation.mode", "auto", "auto writes, ask holds everything for review, off keeps the queue.", choices=("auto", "ask", "off"), person_only=True),
    Row("curation.modes", (), "Modes of single projects, such as shop=ask.", person_only=True),
    Row("curation.billing", "subscription", "Who pays for `claude`: metered billing must be chosen.", choices=("subscription", "api"), person_only=True),
    Row("curation.librarian_model", "sonnet", "Model that proposes.", person_only=True),
    Row("curation.scholar_model", "opus", "Model that rules.", person_only=True),
    Row("curation.quiet_s", 30, "Seconds of quiet before a session is read.", low=0, high=3600, baked=True),
    Row("curation.packets", 3, "Packets that end the waiting.", low=1, high=100),
    Row("curation.longest_wait_s", 60, "Seconds after which waiting ends.", low=0, high=3600),
    Row("curation.parallel", 2, "Sessions read at once by a model.", low=1, high=8),
    Row("curation.overlap_turns", 2, "Turns repeated before the new ones, for context.", low=0, high=20),
    Row("curation.calls_a_day", 50, "Model calls a day, at most.", low=0, high=10000, person_only=True),
    Row("curation.tokens_a_day", 2000000, "Tokens a day, at most.", low=0, high=10**9, person_only=True),
    Row("curation.calls_in_two_minutes", 10, "Velocity breaker: more calls than this open it.", low=1, high=1000, person_only=True),
    Row("curation.wake", True, "Whether hooks start `curate` in the background.", baked=True),
    Row("curation.provider", "", "Provider and model for `provider`, such as openai:gpt-5-mini.", person_only=True),
    Row("curation.base_url", "", "URL of the server that `claude` or an OpenAI-compatible provider is asked at.", person_only=True),
    Row("projects.worktrees", "shared", "Whether worktrees of a repository share one project.", choices=("shared", "separate"), baked=True),
    Row("retention.policy", "strength", "How entries fade.", choices=("strength", "window", "hebbian", "none")),
    Row("retention.archive_below", 0.25, "Retention under which an entry may be archived.", low=0, high=1),
    Row("retention.window_days", 30, "Days of the fixed window policy.", low=1, high=3650),
    Row("retention.cooldown_h", 24, "Hours between opportunistic decay runs.", low=1, high=720),
    Row("encoder.name", "packaged", "Row of the ENCODERS table; hashing needs nothing.", choices=("packaged", "hashing", "transformer")),
    Row("encoder.model", "nomic-ai/nomic-embed-text-v1.5", "Model of the transformer encoder.", person_only=True),
    Row("encoder.device", "auto", "Where the transformer runs.", choices=("auto", "cpu", "cuda", "mps")),
    Row("encoder.dimensions", 256, "Length to which Matryoshka vectors are cut.", low=32, high=4096),
    Row("rerank.enabled", False, "Whether the warm server reranks with a cross-encoder."),
    Row("rerank.model", "cross-encoder/ms-marco-MiniLM-L-12-v2", "Model of the reranker.", person_only=True),
    Row("rerank.weight", 0.5, "Weight of the reranker against the fused order.", low=0, high=1),
    Row("recall.temporal_model", "", "Model that reads times in a question which no rule can, as row:name, such as claude:haiku; empty: none.", person_only=True),
    Row("search.limit", 10, "Results of a search.", low=1, high=200),
    Row("serve.on_demand", False, "Whether a hook may start the server.", baked=True),
    Row("serve.idle_min", 120, "Minutes without a question after which the server ends.", low=1, high=100000),
    Row("library.max_entries_a_folder", 5, "Entries in a folder before a split is proposed.", low=2, high=100),
)  # fmt: skip
BY_KEY = {row.key: row for row in TABLE}


class Settings:
    """All settings at one moment; ``settings["priming.entries"]``. Immutable."""

    __slots__ = ("_values",)

    def __init__(self, values: "Mapping[str, Any] | None" = None) -> None:
        """Defaults, with *values* (checked) over them.

        Raises:
            SettingsError: an unknown key, a wrong type, or out of range.
        """
        merged = {row.key: row.default for row in TABLE}
        for key, value in (values or {}).items():
            merged[key] = checked(key, value)
        self._values = merged

    def __getitem__(self, key: str) -> "Any":
        return self._values[key]

    def baked(self) -> "dict[str, Any]":
        """What a hook needs, for the index."""
        return {row.key: self._values[row.key] for row in TABLE if row.baked}

    def with_values(self, **values: "Any") -> "Settings":
        """A copy with some values changed; dots are written as double underscores."""
        changed = {key.replace("__", "."): value for key, value in values.items()}
        return Settings({**self._values, **changed})


def checked(key: str, value: "Any") -> "Any":
    """*value* in the type of the setting *key*; words are converted.

    Raises:
        SettingsError: with the closest known key, or the allowed range.
    """
    row = BY_KEY.get(key)
    if row is None:
        import difflib  # noqa: PLC0415 -- only for the suggestion

        close = difflib.get_close_matches(key, BY_KEY, 1)
        raise SettingsError(f"no setting is called {key}", f"did you mean {close[0]}?" if close else "")
    kind = type(row.default)
    if kind is bool:
        words = {"true": True, "yes": True, "on": True, "1": True, "false": False, "no": False, "off": False, "0": False}
        value = value if isinstance(value, bool) else words.get(str(value).lower())
        if value is None:
            raise SettingsError(f"{key} is yes or no")
        return value
    if kind is tuple:
        parts = value.split(",") if isinstance(value, str) else value
        if not isinstance(parts, (list, tuple)):
            raise SettingsError(f"{key} is a list of texts")
        return tuple(str(part).strip() for part in parts if str(part).strip())
    if kind in (int, float):
        try:
            number: float = kind(value)
        except (TypeError, ValueError):
            raise SettingsError(f"{key} is a number: {row.meaning}") from None
        if isinstance(value, bool) or not row.low <= number <= row.high:
            raise SettingsError(f"{key} lies between {row.low:g} and {row.high:g}: {row.meaning}")
        return number
    text = str(value)
    if row.choices and text not in row.choices:
        raise SettingsError(f"{key} is one of {', '.join(row.choices)}")
    return text


def load(root: str, environ: "Mapping[str, str]") -> Settings:
    """The settings of the home *root*: defaults, then ``config.toml``, then ``ULTAN_SECTION__NAME``.

    Raises:
        SettingsError: the file is no TOML, or a row does not fit.
    """
    import tomllib  # noqa: PLC0415 -- never in a hook: measured 10.7 ms

    values: dict[str, Any] = {}
    path = os.path.join(root, "config.toml")
    try:
        with open(path, "rb", opener=lambda path, flags: os.open(path, flags | home.NONBLOCK)) as file:
            table = tomllib.load(file)
    except FileNotFoundError:
        table = {}
    except (OSError, tomllib.TOMLDecodeError) as error:
        raise SettingsError(f"{path} cannot be read: {error}", "mend that line, or move the file away: without it every setting has its default") from None
    for section, inner in table.items():
        if not isinstance(inner, dict):
            raise SettingsError(f"{path}: {section} stands outside a [section]")
        values.update({f"{section}.{name}": value for name, value in inner.items()})
    for row in TABLE:
        name = "ULTAN_" + row.key.upper().replace(".", "__")
        if name in environ:
            values[row.key] = environ[name]
    return Settings(values)


def render(values: "Mapping[str, Any]") -> str:
    """``config.toml`` with *values*, each under its meaning; only what was chosen is written."""
    lines = ["# Ultan's settings. `ultan config` lists all of them with units and ranges.", ""]
    quoted: Callable[[Any], str] = _toml
    section = ""
    for row in TABLE:
        if row.key not in values:
            continue
        head, _, name = row.key.partition(".")
        if head != section:
            lines += [f"[{head}]"]
            section = head
        lines += [f"# {row.meaning}", f"{name} = {quoted(values[row.key])}"]
    return "\n".join(lines) + "\n"


def _toml(value: "Any") -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, float)):
        return repr(value)
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(_toml(item) for item in value) + "]"
    text = str(value).replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{text}"'
