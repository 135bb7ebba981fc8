"""Splices hooks into the text of a client's settings file and out again; every other byte stays.

The file is a person's: it may have comments, trailing commas, tabs, CRLF, a byte order
mark. So it is never parsed and dumped; its structure is only *read* (a tolerant JSON
scanner that gives spans) and what we add are contiguous snippets, each of which can be
cut out again exactly.
"""

from ultan import plainjson

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any

DEEPEST = 100


class Node:
    """A JSON value in a text: what it is and where.

    Attributes:
        kind: ``object``, ``array``, ``string`` or ``other``.
        start, end: the span; ``text[start:end]`` is the value.
        members: of an object, (key, start of the key, value) in order.
        items: of an array, its values in order.
    """

    __slots__ = ("end", "items", "kind", "members", "start")

    def __init__(self, kind: str, start: int) -> None:
        self.kind, self.start, self.end = kind, start, start
        self.members: list[tuple[str, int, Node]] = []
        self.items: list[Node] = []

    def get(self, key: str) -> "Node | None":
        """The value under *key*; of several the last, as JSON readers take it."""
        found = [value for name, _, value in self.members if name == key]
        return found[-1] if found else None


def scan(text: str) -> Node:
    """The value that *text* holds, comments and trailing commas allowed.

    Raises:
        ValueError: it is no JSON, with the line.
    """
    node, place = _value(text, _blank(text, 1 if text.startswith("\ufeff") else 0), 0)
    if _blank(text, place) != len(text):
        raise _wrong(text, place)
    return node


def _wrong(text: str, place: int) -> ValueError:
    return ValueError(f"line {text.count(chr(10), 0, place) + 1} is no JSON")


def _blank(text: str, place: int) -> int:
    """The place after white space and comments."""
    while place < len(text):
        if text[place] in " \t\r\n":
            place += 1
        elif text.startswith("//", place):
            end = text.find("\n", place)
            place = len(text) if end < 0 else end + 1
        elif text.startswith("/*", place):
            end = text.find("*/", place + 2)
            if end < 0:
                raise _wrong(text, place)
            place = end + 2
        else:
            break
    return place


def _value(text: str, place: int, depth: int) -> "tuple[Node, int]":
    if place >= len(text) or depth > DEEPEST:
        raise _wrong(text, min(place, len(text)))
    first = text[place]
    if first == "{":
        return _object(text, place, depth)
    if first == "[":
        return _array(text, place, depth)
    node = Node("string" if first == '"' else "other", place)
    node.end = _string_end(text, place) if first == '"' else _word_end(text, place)
    return node, node.end


def _object(text: str, place: int, depth: int) -> "tuple[Node, int]":
    node = Node("object", place)
    place = _blank(text, place + 1)
    while not text.startswith("}", place):
        if not text.startswith('"', place):
            raise _wrong(text, place)
        key_start, key_end = place, _string_end(text, place)
        place = _blank(text, key_end)
        if not text.startswith(":", place):
            raise _wrong(text, place)
        value, place = _value(text, _blank(text, place + 1), depth + 1)
        node.members.append((_decoded(text, key_start, key_end), key_start, value))
        place = _after_item(text, place, "}")
    node.end = place + 1
    return node, node.end


def _array(text: str, place: int, depth: int) -> "tuple[Node, int]":
    node = Node("array", place)
    place = _blank(text, place + 1)
    while not text.startswith("]", place):
        value, place = _value(text, place, depth + 1)
        node.items.append(value)
        place = _after_item(text, place, "]")
    node.end = place + 1
    return node, node.end


def _after_item(text: str, place: int, closing: str) -> int:
    place = _blank(text, place)
    if text.startswith(",", place):
        return _blank(text, place + 1)
    if not text.startswith(closing, place):
        raise _wrong(text, place)
    return place


def _string_end(text: str, place: int) -> int:
    end = place + 1
    while end < len(text) and text[end] != '"':
        end += 2 if text[end] == "\\" else 1
    if end >= len(text):
        raise _wrong(text, place)
    return end + 1


def _word_end(text: str, place: int) -> int:
    end = place
    while end < len(text) and text[end] not in ' \t\r\n,]}/"':
        end += 1
    if end == place:
        raise _wrong(text, place)
    return end


def _decoded(text: str, start: int, end: int) -> str:
    try:
        value = plainjson.loads(text[start:end])
    except ValueError:
        return text[start + 1 : end - 1]
    return value if isinstance(value, str) else ""


# --- in ---------------------------------------------------------------------------------------------


def add_hooks(text: str, hooks: "dict[str, list[dict[str, Any]]]") -> "tuple[str, list[str]]":
    """*text* with the groups of *hooks* before those of each event, and the snippets that were put in.

    Raises:
        ValueError: the text is no settings object, or its ``hooks`` are of another shape.
    """
    if not text.strip("\ufeff \t\r\n"):
        whole = "{}\n"
        return add_hooks(whole, hooks)[0], []
    root = scan(text)
    there = root.get("hooks")
    if root.kind != "object" or (there is not None and there.kind != "object"):
        raise ValueError("it holds no settings object with hooks")
    style = _Style(text)
    if there is None:
        whole_part = style.member("hooks", hooks, 1)
        return _insert(text, [(root.start + 1, style.fitted(whole_part, 1, is_last=not root.members))])
    snippets = []
    fresh: list[str] = []
    for event, groups in hooks.items():
        listed = there.get(event)
        if listed is None:
            fresh.append(style.member(event, groups, 2))
        elif listed.kind != "array":
            raise ValueError(f"its hooks for {event} are no list")
        else:
            parts = ("," + style.newline + style.indent * 3).join(style.dumped(group, 3) for group in groups)
            snippets.append((listed.start + 1, style.fitted(parts, 3, is_last=not listed.items)))
    if fresh:
        joined = ("," + style.newline + style.indent * 2).join(fresh)
        snippets.append((there.start + 1, style.fitted(joined, 2, is_last=not there.members)))
    return _insert(text, snippets)


def add_allowed(text: str, rules: "list[str]") -> "tuple[str, list[str]]":
    """*text* with the permission *rules* that it lacks before those it has, and the snippets that were put in.

    Raises:
        ValueError: the text is no settings object, or its ``permissions`` are of another shape.
    """
    if not text.strip("\ufeff \t\r\n"):
        return add_allowed("{}\n", rules)[0], []
    root = scan(text)
    there = root.get("permissions")
    listed = there.get("allow") if there else None
    if root.kind != "object" or (there and there.kind != "object") or (listed and listed.kind != "array"):
        raise ValueError("its permissions are no object with a list")
    missing = [rule for rule in rules if rule not in allowed(text)]
    if not missing:
        return text, []
    style = _Style(text)
    if there is None:
        part, place, depth, is_last = style.member("permissions", {"allow": missing}, 1), root, 1, not root.members
    elif listed is None:
        part, place, depth, is_last = style.member("allow", missing, 2), there, 2, not there.members
    else:
        between = "," + style.newline + style.indent * 3
        part, place, depth, is_last = between.join(style.dumped(rule, 3) for rule in missing), listed, 3, not listed.items
    return _insert(text, [(place.start + 1, style.fitted(part, depth, is_last=is_last))])


def _insert(text: str, parts: "list[tuple[int, str]]") -> "tuple[str, list[str]]":
    for place, part in sorted(parts, reverse=True):
        text = text[:place] + part + text[place:]
    return text, [part for _, part in sorted(parts)]


class _Style:
    """How a file is laid out: its line end and indent."""

    __slots__ = ("indent", "newline")

    def __init__(self, text: str) -> None:
        self.newline = "\r\n" if "\r\n" in text else "\n"
        self.indent = "  "
        for line in text.splitlines():
            bare = line.lstrip(" \t")
            if bare.startswith('"') and bare != line:
                self.indent = line[: len(line) - len(bare)]
                break

    def dumped(self, value: "Any", depth: int) -> str:
        """*value* as JSON over several lines, as if it began at *depth*."""
        import json  # noqa: PLC0415 -- only `install` comes here

        plain = json.dumps(value, indent=1, ensure_ascii=False)
        lines = []
        for number, line in enumerate(plain.split("\n")):
            bare = line.lstrip(" ")
            lines.append(self.indent * (depth + len(line) - len(bare)) + bare if number else bare)
        return self.newline.join(lines)

    def member(self, key: str, value: "Any", depth: int) -> str:
        return f'"{key}": {self.dumped(value, depth)}'

    def fitted(self, part: str, depth: int, *, is_last: bool) -> str:
        """*part* as it follows an opening bracket: on a line of its own, with what must come after."""
        after = self.newline + self.indent * (depth - 1) if is_last else ","
        return self.newline + self.indent * depth + part + after


# --- out --------------------------------------------------------------------------------------------


def cut_snippets(text: str, snippets: "list[str]") -> "str | None":
    """*text* without the snippets, or None unless each is there as often as it was put in.

    The longest goes first: a short one may repeat inside it.
    """
    for part in sorted(set(snippets), key=len, reverse=True):
        if text.count(part) != snippets.count(part):
            return None
        text = text.replace(part, "")
    return text


def commands(text: str) -> "list[tuple[str, str]]":
    """Every (event, command) of the hooks in *text*.

    Raises:
        ValueError: it is no JSON.
    """
    return [(event, _command(text, entry)) for event, _, _, entry in _entries(scan(text))]


def allowed(text: str) -> "list[str]":
    """The permission rules that *text* allows.

    Raises:
        ValueError: it is no JSON.
    """
    return [_decoded(text, item.start, item.end) for item in _allowed_in(scan(text)).items if item.kind == "string"]


def cut_allowed(text: str, rules: "Iterable[str]") -> str:
    """*text* without the permission *rules*, and without what that leaves empty.

    Raises:
        ValueError: it is no JSON.
    """
    unwanted = set(rules)
    while True:
        root = scan(text)
        listed = _allowed_in(root)
        found = [item for item in listed.items if item.kind == "string" and _decoded(text, item.start, item.end) in unwanted]
        if not found:
            return text
        there = root.get("permissions")
        assert there is not None  # the list lies in it
        if len(listed.items) > 1:
            text = _cut_item(text, listed.items, found[0])
        elif len(there.members) > 1:
            text = _cut_member(text, there, listed)
        else:
            text = _cut_member(text, root, there)


def _allowed_in(root: Node) -> Node:
    there = root.get("permissions") if root.kind == "object" else None
    listed = there.get("allow") if there and there.kind == "object" else None
    return listed if listed and listed.kind == "array" else Node("array", 0)


def cut_commands(text: str, is_wanted: "Callable[[str], bool]") -> str:
    """*text* without the hooks whose command is wanted, and without what that leaves empty.

    Raises:
        ValueError: it is no JSON.
    """
    root = scan(text)
    while wanted := [place for place in _entries(root) if is_wanted(_command(text, place[3]))]:
        _, listed, group, entry = wanted[0]
        inner = group.get("hooks")
        if inner is not None and len(inner.items) > 1:
            text = _cut_item(text, inner.items, entry)
        elif len(listed.items) > 1:
            text = _cut_item(text, listed.items, group)
        else:
            text = _cut_event(text, root, listed)
        root = scan(text)
    return text


def _entries(root: Node) -> "list[tuple[str, Node, Node, Node]]":
    hooks = root.get("hooks") if root.kind == "object" else None
    return [
        (event, listed, group, entry)
        for event, _, listed in (hooks.members if hooks else ())
        for group in listed.items
        for entry in ((group.get("hooks") or Node("other", 0)).items if group.kind == "object" else ())
    ]


def _command(text: str, entry: Node) -> str:
    command = entry.get("command")
    return _decoded(text, command.start, command.end) if command and command.kind == "string" else ""


def _cut_item(text: str, items: "list[Node]", item: Node) -> str:
    place = items.index(item)
    if place + 1 < len(items):
        return text[: item.start] + text[items[place + 1].start :]
    return text[: items[place - 1].end] + text[item.end :]


def _cut_event(text: str, root: Node, listed: Node) -> str:
    hooks = root.get("hooks")
    assert hooks is not None  # `listed` lies in it
    if len(hooks.members) > 1:
        return _cut_member(text, hooks, listed)
    return _cut_member(text, root, hooks)


def _cut_member(text: str, owner: Node, value: Node) -> str:
    place = next(place for place, member in enumerate(owner.members) if member[2] is value)
    start = owner.members[place][1]
    if place + 1 < len(owner.members):
        return text[:start] + text[owner.members[place + 1][1] :]
    if place:
        return text[: owner.members[place - 1][2].end] + text[value.end :]
    return text[: owner.start + 1] + text[owner.end - 1 :]
