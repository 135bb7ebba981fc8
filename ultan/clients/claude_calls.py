"""The tool calls in a transcript of Claude Code, those of its subagents too. Slow side only."""

import glob
import os

from ultan import plainjson

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

LINE_BYTES = 8 << 20


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
