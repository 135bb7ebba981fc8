"""Claude Code: its payloads in, its replies out, its transcript by offset, its hook lines.

Facts observed with client 2.1.332; what was observed stands in ``docs/explanation``. The
transcript reader is a module of its own, since only some hooks need it.
"""

from ultan import clients, plainjson

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from ultan.events import Piece

NAME = "claude-code"

# Tools whose results may carry signal (claude_tools.py decides); for the others no hook is started.
RESULTS = (
    "^(Bash|Edit|Write|MultiEdit|NotebookEdit|WebFetch|AskUserQuestion|Agent|Task|ExitPlanMode)$|^mcp__"
)
# Their event → verb, matcher, and the timeout in seconds (not milliseconds) after which the client
# kills the hook. Ours end by themselves long before.
EVENTS = {
    "SessionStart": ("brief", "", 15),
    "UserPromptSubmit": ("prime", "", 10),
    "PreToolUse": ("notice", "", 10),
    "PostToolUse": ("capture", RESULTS, 10),
    "PostToolUseFailure": ("notice", "", 10),
    "PreCompact": ("capture", "", 10),
    "Stop": ("capture", "", 10),
    "SubagentStart": ("brief", "", 10),
    "SubagentStop": ("capture", "", 10),
    "SessionEnd": ("capture", "", 20),  # without a timeout of its own the client allows 1.5 s
}
KINDS = {
    "SessionStart": "session_start", "UserPromptSubmit": "prompt", "PreToolUse": "tool",
    "PostToolUse": "tool_done", "PostToolUseFailure": "tool_failed", "PreCompact": "compact",
    "Stop": "turn_end", "SubagentStart": "subagent_start", "SubagentStop": "subagent_end",
    "SessionEnd": "session_end",
}  # fmt: skip
LONGEST_WORD = 40
UNITS = 9_500  # the client saves a hook output above 10,000 UTF-16 units to a file and shows a stub


# --- payloads in ----------------------------------------------------------------------------------


def read_call(payload: "dict[str, Any]", environ: "Mapping[str, str]") -> "clients.Call | None":
    """The call in our words, or None for what is not ours: unknown, incomplete, or the client's own noise."""
    name, session = _text(payload, "hook_event_name"), clients.plain_id(_text(payload, "session_id"))
    if name not in KINDS or not session:
        return None
    call = clients.Call(KINDS[name], name, session)
    call.agent = clients.plain_id(_text(payload, "agent_id"))
    if name == "SubagentStop" and not _text(payload, "agent_type"):
        return None  # compaction runs a subagent of its own
    call.cwd = _name(_text(payload, "cwd"))
    call.project_root = environ.get("CLAUDE_PROJECT_DIR", "") or call.cwd
    call.transcript = _name(_text(payload, "transcript_path"))
    call.source = _word(_text(payload, "source") or _text(payload, "reason") or _text(payload, "trigger"))
    call.prompt = _text(payload, "prompt")
    call.tool, call.call_id = _text(payload, "tool_name"), _text(payload, "tool_use_id")
    if name == "UserPromptSubmit":
        call.call_id = _text(payload, "prompt_id")
    tool_input = payload.get("tool_input")
    call.tool_input = {key: _name(value) for key, value in tool_input.items()} if isinstance(tool_input, dict) else {}
    call.tool_response, call.error = payload.get("tool_response"), _text(payload, "error")
    call.last_words = _text(payload, "last_assistant_message")
    call.headless = environ.get("CLAUDE_CODE_SESSION_ATTENDED", "1") == "0"
    return call


def _text(payload: "Mapping[str, Any]", key: str) -> str:
    value = payload.get(key)
    return value if isinstance(value, str) else ""


def _word(text: str) -> str:
    """*text* if it is one of the client's own words (``prompt_input_exit``), not a text from elsewhere."""
    return text if len(text) <= LONGEST_WORD and text.isascii() and text.replace("_", "").replace("-", "").isalpha() else ""


def _name(value: "Any") -> "Any":
    """*value* as something that may name a file: the system refuses a name with a NUL by an exception of its own kind."""
    return value.replace("\0", "\ufffd") if isinstance(value, str) and "\0" in value else value


def is_typed(call: "clients.Call") -> bool:
    """Whether a person typed the prompt of *call* for the agent to read."""
    from ultan.clients.prompts import is_words  # noqa: PLC0415 -- prime alone asks

    return is_words(call.prompt) and not is_ours(call.prompt)


def is_ours(prompt: str) -> bool:
    """Whether *prompt* calls a skill of Ultan, which saves or answers by itself."""
    head = prompt.lstrip()[:40].split(None, 1)
    return bool(head) and (head[0] in ("/ultan", "/ultan-search", "/ultan-advisor") or head[0].startswith("/ultan:"))


def dictated(prompt: str) -> str:
    """What the person dictates to us with `/ultan TEXT` (or `/ultan:ultan TEXT`); ``""`` for any other prompt."""
    words = prompt.split(None, 1)  # the text may begin on a line of its own
    return words[1].strip() if len(words) > 1 and words[0] in ("/ultan", "/ultan:ultan") else ""


def is_inside(call: "clients.Call", environ: "Mapping[str, str]", home: str) -> bool:
    """Whether *call* comes from a model of ours: it works in a private folder below the home.

    The guard that holds when a child dropped ``ULTAN_INSIDE``: the folder a curator's model
    works in is part of every payload, and so is the transcript's, which is named after it.
    """
    for place in (call.cwd, environ.get("CLAUDE_PROJECT_DIR", "")):
        if place == home or place.startswith(home + "/"):
            return True
    slug = "".join(char if char.isascii() and char.isalnum() else "-" for char in home)
    return f"/{slug}-runs" in call.transcript


# --- replies out ----------------------------------------------------------------------------------


def context(call: "clients.Call", text: str) -> "dict[str, Any]":
    """The reply that puts *text* before the model as background, unseen by the user."""
    return {
        "hookSpecificOutput": {"hookEventName": call.name, "additionalContext": _plane(text)},
        "suppressOutput": True,
    }


def denial(call: "clients.Call", reason: str) -> "dict[str, Any]":
    """The reply that stops the tool call; the model reads *reason* as the tool's result."""
    return {
        "hookSpecificOutput": {
            "hookEventName": call.name,
            "permissionDecision": "deny",
            "permissionDecisionReason": _plane(reason),
        },
        "suppressOutput": True,
    }


def _plane(text: str) -> str:
    """*text* in the basic plane and below the client's cap: halves of a pair have bricked sessions."""
    if text and max(text) > "\uffff":
        text = "".join(char for char in text if char <= "\uffff")
    return text[:UNITS]


def read_transcript(path: str, offset: int, limit_bytes: int) -> "tuple[list[Piece], int]":
    """The pieces in whole lines from *offset* on, and the offset after the last whole line.

    Raises:
        OSError: there is no such file, or it cannot be read.
    """
    from ultan.clients.claude_transcript import read  # noqa: PLC0415 -- only some hooks read it

    reading = read(path, offset, limit_bytes)
    return reading.pieces, reading.offset


# --- hook lines -----------------------------------------------------------------------------------


def hook_line(python: str, paths: "tuple[str, ...] | list[str]", verb: str) -> str:
    """The shell line of a hook: exit 0 and silence whatever happens, stdin passed through.

    *python* is an absolute interpreter; *paths* are the folders that hold ``ultan`` and ``re2``,
    searched after the standard library. No ``exec``: the shell must outlive the interpreter to
    turn its end, whatever it was, into 0.
    """
    boot = f"import sys;sys.path+={plainjson.dumps(list(paths))};from ultan.__main__ import main;main()"
    return f"{{ {quoted(python)} -I -S -c {quoted(boot)} {verb} --client {NAME}; }} 2>/dev/null || true"


def quoted(text: str) -> str:
    """*text* as one word of a POSIX shell."""
    return "'" + text.replace("'", "'\\''") + "'"


def settings_hooks(line: "Callable[[str], str]") -> "dict[str, Any]":
    """The hooks object of ``settings.json`` and ``hooks.json``; *line* gives the command of a verb."""
    found: dict[str, Any] = {}
    for event, (verb, matcher, timeout_s) in EVENTS.items():
        entry: dict[str, Any] = {"matcher": matcher} if matcher else {}
        entry["hooks"] = [{"type": "command", "command": line(verb), "timeout": timeout_s}]
        found[event] = [entry]
    return found
