"""The tool calls in a transcript of Claude Code, those of its subagents too, and when they ran. Slow side only."""

import glob
import os

from ultan import plainjson

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

LINE_BYTES = 8 << 20
OPEN_S = 3600.0  # a call without a result is over after this: its session was killed
# Tools that write no file, or whose hook names the file they write.
HARMLESS = frozenset(
    ("Read", "Grep", "Glob", "LS", "WebFetch", "WebSearch", "TodoWrite", "AskUserQuestion", "EnterPlanMode", "ExitPlanMode",
     "BashOutput", "TaskOutput", "ToolSearch", "Edit", "Write", "MultiEdit", "NotebookEdit")
)  # fmt: skip


def tool_calls(path: str) -> "Iterator[tuple[str, str, dict[str, Any]]]":
    """(id, tool, input) of each call in the session at *path*, in order; a file that cannot be read gives none."""
    beside = os.path.join(glob.escape(path.removesuffix(".jsonl")), "subagents", "agent-*.jsonl")
    for each in (path, *sorted(glob.glob(beside))):
        yield from _calls(each)


def _calls(path: str) -> "Iterator[tuple[str, str, dict[str, Any]]]":
    try:
        with open(path, "rb") as file:
            for line in file:
                if b'"tool_use"' in line and len(line) <= LINE_BYTES:
                    yield from _in_line(line)
    except OSError:
        return


def _in_line(line: bytes) -> "Iterator[tuple[str, str, dict[str, Any]]]":
    try:
        value = plainjson.loads(line.decode("utf-8", "replace"))
    except plainjson.NotJson:
        return
    message = value.get("message") if isinstance(value, dict) and value.get("type") == "assistant" else None
    content = message.get("content") if isinstance(message, dict) else None
    for block in content if isinstance(content, list) else ():
        if isinstance(block, dict) and block.get("type") == "tool_use":
            name, tool, given = block.get("id"), block.get("name"), block.get("input")
            if isinstance(tool, str) and isinstance(given, dict):
                yield str(name), tool, given


def busy_times(path: str) -> "list[tuple[float, float]]":
    """When tools ran in the session at *path* that may write any file: from, to, in seconds since the epoch.

    What runs in the background is taken to run as long as the session. Nothing is parsed but the
    calls; of results only which call they end, and when.
    """
    open_calls: dict[bytes, tuple[float, bool]] = {}
    found = []
    last = 0.0
    try:
        with open(path, "rb") as file:
            for line in file:
                if b'"tool_result"' in line:
                    last = _stamp(line) or last
                    for call in _called(line):
                        began, stays = open_calls.get(call, (0.0, True))
                        if not stays:
                            found.append((began, last))
                            del open_calls[call]
                elif b'"tool_use"' in line and len(line) <= LINE_BYTES:
                    last = _stamp(line) or last
                    for name, tool, given in _in_line(line):
                        if tool not in HARMLESS:
                            open_calls[name.encode()] = (last, given.get("run_in_background") is True)
    except OSError:
        return found
    return found + [(began, max(last, began if stays else began + OPEN_S)) for began, stays in open_calls.values()]


def _called(line: bytes) -> "Iterator[bytes]":
    """The ids of the calls that a line of results ends."""
    for part in line.split(b'"tool_use_id"')[1:]:
        yield part[:200].partition(b'"')[2].partition(b'"')[0]


def _stamp(line: bytes) -> float:
    """When a line was written; 0 where it does not say."""
    from datetime import datetime  # noqa: PLC0415 -- slow for a hook, and no hook asks

    text = line.rpartition(b'"timestamp"')[2][:60].partition(b'"')[2].partition(b'"')[0]
    try:
        return datetime.fromisoformat(text.decode("ascii", "replace")).timestamp()
    except ValueError:
        return 0.0
