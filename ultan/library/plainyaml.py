"""The frontmatter of a file as YAML reads it, without surprises.

Read without implicit types, anchors, tags and merge keys, so that ``no`` stays ``no`` and ``0123``
stays ``0123``.
"""

from collections.abc import Iterator, Mapping
from typing import Any

import yaml  # type: ignore[import-untyped]  # no stubs are installed with it

from ultan.errors import InvalidEntry
from ultan.library.plainfront import Value

DEPTH = 6
_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # the same events, ten times faster where libyaml is


def through_yaml(block: str, path: str) -> dict[str, Value]:
    """The table in *block* as YAML reads it, whatever its shape.

    Raises:
        InvalidEntry: no table, or something that is not read (types, tags, anchors, two documents).
    """
    try:
        events = yaml.parse(block, Loader=_LOADER)
        value = _document(events, path)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        where = f" in line {mark.line + 2}" if mark is not None else ""
        problem = getattr(error, "problem", None) or getattr(error, "reason", None) or "it is no YAML"
        raise InvalidEntry(f"{path}: frontmatter cannot be read{where}: {problem}") from None
    except (UnicodeError, RecursionError, ValueError) as error:
        raise InvalidEntry(f"{path}: frontmatter cannot be read: {type(error).__name__}") from None
    if value == "":
        return {}
    if not isinstance(value, dict):
        raise InvalidEntry(f"{path}: the frontmatter is no table of keys and values")
    return value


def _document(events: Iterator[Any], path: str) -> Value:
    value: Value = ""
    seen = False
    for event in events:
        if isinstance(event, yaml.DocumentStartEvent):
            if seen or event.version or event.tags:
                raise InvalidEntry(f"{path}: more than one document in the frontmatter")
            seen = True
        elif isinstance(event, yaml.NodeEvent):
            value = _value(event, events, path, 0)
    return value


def _value(event: Any, events: Iterator[Any], path: str, depth: int) -> Value:
    """The value that begins with *event*, reading on in *events* to its end."""
    if isinstance(event, yaml.AliasEvent) or event.anchor is not None:
        raise InvalidEntry(f"{path}: anchors and aliases are not read")
    if event.tag is not None:
        raise InvalidEntry(f"{path}: tags such as {str(event.tag)[:40]!r} are not read")
    if depth > DEPTH:
        raise InvalidEntry(f"{path}: nested deeper than {DEPTH}")
    if isinstance(event, yaml.ScalarEvent):
        return str(event.value)
    if isinstance(event, yaml.SequenceStartEvent):
        return [_value(inner, events, path, depth + 1) for inner in _until(yaml.SequenceEndEvent, events)]
    table: dict[str, Any] = {}
    for inner in _until(yaml.MappingEndEvent, events):
        key = _key(_value(inner, events, path, depth + 1), table, path)
        table[key] = _value(next(events), events, path, depth + 1)
    return table


def _until(end: type, events: Iterator[Any]) -> Iterator[Any]:
    for event in events:
        if isinstance(event, end):
            return
        yield event


def _key(key: Value, table: Mapping[str, Any], path: str) -> str:
    if not isinstance(key, str):
        raise InvalidEntry(f"{path}: a key that is no text")
    if key == "<<":
        raise InvalidEntry(f"{path}: merge keys are not read")
    if key in table:
        raise InvalidEntry(f"{path}: the key {key[:40]!r} stands twice")
    return key
