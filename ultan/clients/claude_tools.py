"""Which results of Claude Code's tools are worth reading later, and what they are called.

A session has hundreds of tool calls and a handful that say something lasting: commits,
deploys, installs, errors, changed configuration, answers of the person. The table here
marks them; everything else (ls, cat, git status, edits of code) is noise and is not kept.
"""

import os

from ultan.events import ANSWER, SUBAGENT, Piece

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ultan.clients.leaf import Sieve

ABOUT_CHARS = 400
# Words of a shell command that make it signal: `git commit`, `npm publish`, `kubectl apply`.
SIGNAL_WORDS = {
    "git": frozenset(("commit", "merge", "rebase", "revert", "tag", "cherry-pick", "push", "init", "remote")),
    "gh": frozenset(("pr", "release", "issue")),
    "npm": frozenset(("install", "i", "add", "publish", "uninstall", "remove")),
    "pnpm": frozenset(("install", "add", "publish", "remove")),
    "yarn": frozenset(("add", "install", "remove", "publish")),
    "bun": frozenset(("add", "install", "remove", "publish")),
    "pip": frozenset(("install", "uninstall")),
    "pip3": frozenset(("install", "uninstall")),
    "uv": frozenset(("add", "remove", "sync", "lock", "publish", "pip", "tool")),
    "poetry": frozenset(("add", "remove", "install", "publish")),
    "cargo": frozenset(("add", "remove", "publish", "install")),
    "go": frozenset(("get", "install")),
    "gem": frozenset(("install",)),
    "bundle": frozenset(("add", "install")),
    "composer": frozenset(("require", "install")),
    "apt": frozenset(("install",)), "apt-get": frozenset(("install",)), "brew": frozenset(("install",)),
    "docker": frozenset(("push", "build", "compose")),
    "kubectl": frozenset(("apply", "delete", "rollout", "scale", "set")),
    "helm": frozenset(("install", "upgrade", "rollback", "uninstall")),
    "terraform": frozenset(("apply", "destroy", "import")),
    "pulumi": frozenset(("up", "destroy")),
    "fly": frozenset(("deploy",)), "flyctl": frozenset(("deploy",)), "vercel": frozenset(("deploy", "--prod")),
    "alembic": frozenset(("upgrade", "downgrade", "revision")),
    "systemctl": frozenset(("restart", "enable", "disable", "start", "stop")),
}  # fmt: skip
SIGNAL_ANYWHERE = ("deploy", "migrate", "rollback")  # `make deploy`, `./manage.py migrate`
ERRORS = (
    "Traceback (most recent call last)", "error:", "Error:", "ERROR", "fatal:", "FAILED", "panic:",
    "command not found", "Permission denied", "No such file or directory", "cannot find", "undefined reference",
)  # fmt: skip
CONFIG_NAMES = frozenset(
    ("dockerfile", "makefile", "justfile", "procfile", "gemfile", "package.json", "tsconfig.json", "go.mod",
     "claude.md", "agents.md", "contributing.md", ".editorconfig", ".gitignore", ".gitattributes", ".npmrc")
)  # fmt: skip
CONFIG_ENDS = (".toml", ".ini", ".cfg", ".conf", ".yml", ".yaml", ".tf", ".nix", ".properties")
FILE_TOOLS = frozenset(("Read", "Edit", "Write", "MultiEdit", "NotebookEdit"))
CHANGES = frozenset(("Edit", "Write", "MultiEdit", "NotebookEdit"))
AGENTS = frozenset(("Agent", "Task"))
WRAPPERS = frozenset(("sudo", "env", "time", "nohup", "command", "xargs", "exec", "nice"))


def file_of(tool_input: "dict[str, Any]") -> str:
    """The file a tool call names, or ``""``."""
    for key in ("file_path", "notebook_path", "path"):
        value = tool_input.get(key)
        if isinstance(value, str) and value:
            return value
    return ""


def is_sensitive(tool: str, tool_input: "dict[str, Any]") -> bool:
    """Whether a call touches a file whose content is never kept, not even redacted."""
    from ultan.redaction import is_sensitive_path, names_sensitive_path  # noqa: PLC0415 -- noise never gets here

    path = file_of(tool_input)
    if path and is_sensitive_path(path):
        return True
    command = tool_input.get("command")
    return tool == "Bash" and isinstance(command, str) and names_sensitive_path(command[:8000])


def has_signal(tool: str, tool_input: "dict[str, Any]", result: str) -> bool:
    """Whether the result of a tool call may hold something lasting."""
    if tool == "Bash":
        command = tool_input.get("command")
        return isinstance(command, str) and (_is_telling(command) or any(word in result for word in ERRORS))
    if tool in CHANGES:
        return is_configuration(file_of(tool_input))
    if tool in AGENTS or tool == "WebFetch":
        return True
    return tool.startswith("mcp__") and "ultan" not in tool


def _is_telling(command: str) -> bool:
    if any(word in command for word in SIGNAL_ANYWHERE):
        return True
    for mark in ("&&", "||", ";", "|", "(", ")", "$"):
        command = command.replace(mark, "\n")
    for line in command[:8000].split("\n"):
        words = line.split()
        while words and (words[0] in WRAPPERS or ("=" in words[0] and not words[0].startswith("-"))):
            words.pop(0)
        if not words:
            continue
        program = words[0].rpartition("/")[2]
        if program.startswith("python") and words[1:3] == ["-m", "pip"]:
            program, words = "pip", words[2:]
        wanted = SIGNAL_WORDS.get(program)
        if wanted and not wanted.isdisjoint(words[1:]):
            return True
    return False


def is_configuration(path: str) -> bool:
    """Whether *path* looks like a file that says how a project works."""
    name = os.path.basename(path).lower()
    return name in CONFIG_NAMES or name.endswith(CONFIG_ENDS) or "/.github/" in path or "requirements" in name


def origin_of(tool: str, tool_input: "dict[str, Any]") -> str:
    """Where the result of a tool call came from, as an origin of ``events``."""
    if tool.startswith("mcp__"):
        return "mcp:" + tool[5:].partition("__")[0]
    if tool == "WebFetch":
        url = tool_input.get("url")
        host = url.partition("://")[2].partition("/")[0].rpartition("@")[2] if isinstance(url, str) else ""
        return "web:" + host.partition(":")[0].lower()[:200]
    if tool in AGENTS:
        return SUBAGENT
    if tool in FILE_TOOLS:
        return "file:" + file_of(tool_input)
    return "tool:" + tool


def about(tool: str, tool_input: "dict[str, Any]", sieve: "Sieve") -> str:
    """What a tool call was, in one line: the command, the file, the address."""
    for key in ("command", "file_path", "notebook_path", "url", "description", "query", "prompt"):
        value = tool_input.get(key)
        if isinstance(value, str) and value.strip():
            return sieve.leaf(f"{tool}: {value.strip()}", ABOUT_CHARS)
    return sieve.leaf(tool, ABOUT_CHARS)


def result_text(tool: str, response: "Any") -> str:
    """The readable part of a result: a text, content blocks, or the fields that hold text."""
    if isinstance(response, str):
        return response
    if isinstance(response, list):
        return "\n".join(_text_of(block) for block in response[:50])
    if not isinstance(response, dict):
        return ""
    if tool in CHANGES:
        return _change_text(response)
    keys = ("stdout", "stderr", "result", "content", "text", "error", "message")
    parts = [result_text(tool, response[key]) for key in keys if key in response]
    return "\n".join(part for part in parts if part)


def _text_of(block: "Any") -> str:
    if isinstance(block, dict):
        text = block.get("text")
        return text if isinstance(text, str) else ""
    return block if isinstance(block, str) else ""


def _change_text(response: "dict[str, Any]") -> str:
    """The added and removed lines of an edit, or the content of a new file."""
    lines: list[str] = []
    patch = response.get("structuredPatch")
    for hunk in patch if isinstance(patch, list) else ():
        inner = hunk.get("lines") if isinstance(hunk, dict) else None
        lines += [line for line in inner or () if isinstance(line, str) and line[:1] in "+-"]
    if lines:
        return "\n".join(lines)
    content = response.get("content")
    return content if isinstance(content, str) else ""


def pieces_of_result(
    tool: str, tool_input: "dict[str, Any]", response: "Any", call_id: str, sieve: "Sieve", at: str = "", turn: int = -1
) -> "list[Piece]":
    """What a finished tool call leaves behind: nothing for noise, one piece, or one per answer."""
    if tool == "AskUserQuestion":
        return answers(response, call_id, sieve, at, turn)
    text = result_text(tool, response)
    if not has_signal(tool, tool_input, text):
        return []
    from ultan.redaction import is_cluster_secret  # noqa: PLC0415 -- noise never gets here

    if is_sensitive(tool, tool_input) or is_cluster_secret(text):
        sieve.sensitive += 1
        return []
    text = sieve.leaf(text)
    origin = sieve.leaf(origin_of(tool, tool_input), ABOUT_CHARS)
    return [Piece(call_id, origin, text, at, turn, about(tool, tool_input, sieve))] if text.strip() else []


def answers(response: "Any", call_id: str, sieve: "Sieve", at: str = "", turn: int = -1) -> "list[Piece]":
    """What the person chose or typed in a dialog, each with the question it answers."""
    found = response.get("answers") if isinstance(response, dict) else None
    pieces = []
    for number, (question, answer) in enumerate(found.items() if isinstance(found, dict) else ()):
        text = answer if isinstance(answer, str) else ", ".join(str(part) for part in answer) if isinstance(answer, list) else ""
        text = sieve.leaf(text)
        if text.strip():
            pieces.append(Piece(f"{call_id}.{number}", ANSWER, text, at, turn, sieve.leaf(str(question), ABOUT_CHARS)))
    return pieces
