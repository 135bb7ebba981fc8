"""Entries as text: a new file, and careful edits of one that is there.

An edit replaces the lines of the changed top-level keys in the raw text and nothing else; where
the lines of a file and its loader do not tell the same story, the edit is refused and the file
stays as it is.
"""

import re
from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from ultan.errors import InvalidEntry
from ultan.library.entry import FORMS, Entry, Form, Trigger
from ultan.library.yamlfront import BOM, front, lines_of, load, split

_ALWAYS = ("id", "title", "kind", "scope", "created", "updated", "trust", "encoding_strength")
_DEFAULTS: dict[str, Any] = {
    each.name: each.default for each in fields(Entry) if each.name in FORMS and each.name not in _ALWAYS
}
_ESCAPES = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\t": "\\t", "\r": "\\r"}
_PLAIN = re.compile(r"[^\W_](?:[\w ./()+=;@~^$%\u2013\u2019\u2026-]|[,!?*&'\"](?=[\w ])|:(?=\w))*(?<! )")
_AMBIGUOUS = re.compile(
    r"(?i)true|false|yes|no|on|off|null|y|n|\.?[\d_,:.]+([e][+-]?\d+)?|0[xob][\da-f_]+|\d{4}-\d{1,2}-\d{1,2}.*"
)
_FLOW_WORD = re.compile(r"(?!(?i:true|false|yes|no|on|off|null|y|n)$)[A-Za-z][\w./-]*")
_PLAIN_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")
_KEY = re.compile(r"""(?:"((?:[^"\\]|\\.)*)"|'((?:[^']|'')*)'|([^\s"'#&*!|>%@`\[\]{},?:-][^:]*?|-\w[^:]*?))\s*:(?=\s|$)""")


def render(entry: Entry) -> str:
    """The text of a new file for *entry*; ``parse(render(entry), entry.path) == entry``."""
    lines = []
    for name in FORMS:
        value = getattr(entry, name)
        if name in _ALWAYS or value != _DEFAULTS[name]:
            lines += _written(FORMS[name][1][0], FORMS[name][0], value)
    for key, value in entry.extra.items():
        lines += _free(key, value)
    return "---\n" + "".join(line + "\n" for line in lines) + "---\n\n" + entry.body


def _written(key: str, form: Form, value: Any) -> list[str]:  # noqa: PLR0911 -- one return a form
    if form == Form.WORDS:
        return _free(key, list(value))
    if form == Form.TRIGGERS:
        return _free(key, [_spec(each) for each in value])
    if form == Form.EVIDENCE:
        rows = [{"session": e.session, "turn": e.turn, "quote": e.quote, "origin": e.origin} for e in value]
        return _free(key, [{name: text for name, text in row.items() if text or name == "quote"} for row in rows])
    if form == Form.FLAG:
        return [f"{key}: {'true' if value else 'false'}"]
    if form == Form.COUNT:
        return [f"{key}: {value}"]
    if form == Form.RATIO:
        return [f"{key}: {value!r}"]
    if form == Form.DAY and _PLAIN_DAY.fullmatch(str(value)):
        return [f"{key}: {value}"]
    return _free(key, str(value))


def _spec(trigger: Trigger) -> dict[str, Any]:
    row: dict[str, Any] = {"tool": trigger.tool, "pattern": trigger.pattern}
    if trigger.field:
        row["field"] = trigger.field
    if trigger.files:
        row["files"] = list(trigger.files)
    if trigger.unless:
        row["unless"] = list(trigger.unless)
    row["severity"] = trigger.severity
    return row


def _free(key: str, value: Any) -> list[str]:
    """Lines of a top-level key with any loaded value."""
    name = scalar(key)
    if isinstance(value, (str, int, float)):
        return [f"{name}: {scalar(str(value))}".rstrip()]
    if isinstance(value, list) and all(isinstance(item, str) and _FLOW_WORD.fullmatch(item) for item in value):
        line = f"{name}: [{', '.join(value)}]"
        if len(line) <= 100:
            return [line]
    if not value:
        return [f"{name}: {'{}' if isinstance(value, dict) else '[]'}"]
    return [f"{name}:", *("  " + line for line in _block(value))]


def _block(value: Any) -> list[str]:
    lines: list[str] = []
    items: list[tuple[str, Any]] = (
        [(f"{scalar(str(key))}:", inner) for key, inner in value.items()]
        if isinstance(value, dict)
        else [("-", inner) for inner in value]
    )
    for head, inner in items:
        if not isinstance(inner, (list, dict)):
            lines.append(f"{head} {scalar(str(inner))}".rstrip())
        elif not inner:
            lines.append(f"{head} {'{}' if isinstance(inner, dict) else '[]'}")
        elif head == "-":
            nested = _block(inner)
            lines += [f"- {nested[0]}", *("  " + line for line in nested[1:])]
        else:
            lines += [head, *("  " + line for line in _block(inner))]
    return lines


def scalar(text: str) -> str:
    """*text* as a YAML scalar on one line that every loader reads as this very text."""
    if _PLAIN.fullmatch(text) and not _AMBIGUOUS.fullmatch(text) and text.isprintable():
        return text
    if text.isprintable():
        return "'" + text.replace("'", "''") + "'"
    return '"' + "".join(_escaped(char) for char in text) + '"'


def _escaped(char: str) -> str:
    if char in _ESCAPES:
        return _ESCAPES[char]
    if char.isprintable():
        return char
    code = ord(char)
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


# --- editing --------------------------------------------------------------------------------------


def edited(raw: str, changes: Mapping[str, Any], body: str | None = None) -> str:
    """*raw* with some fields changed and perhaps another *body*; all other bytes as they were.

    *changes* maps names of ``Entry`` fields to new values; a value equal to the field's default
    removes its lines. Keys of unknown name may be changed too, to texts, lists or ``None``.

    Raises:
        InvalidEntry: the file's lines and its loader disagree about the keys, or the result
            would not read back as intended; nothing is lost then, the caller keeps *raw*.
    """
    parts = split(raw, "the entry")
    before = load(parts.block, "the entry")
    lines = lines_of(parts.block)
    spans = _spans(lines)
    if changes and list(spans) != list(before):
        raise InvalidEntry("the frontmatter is written in a way that cannot be edited line by line")
    replaced: dict[str, list[str]] = {}
    for name, value in changes.items():
        form, names = FORMS.get(name, (None, (name,)))
        key = next((each for each in names if each in before), names[0])
        empty = name not in _ALWAYS and value == _DEFAULTS.get(name)
        replaced[key] = [] if empty else _free(key, value) if form is None else _written(key, form, value)
    out: list[str] = []
    position = 0
    for key, (start, end) in spans.items():
        if key in replaced:
            out += lines[position:start]
            out += _kept_comment(lines[start:end], replaced[key], parts.newline)
            position = end
    out += lines[position:]
    if out and not out[-1].endswith("\n"):
        out[-1] += parts.newline
    for key, new in replaced.items():
        if key not in spans:
            out += [line + parts.newline for line in new]
    block = "".join(out)
    rest = parts.rest if body is None else parts.newline + body.replace("\r\n", "\n").replace("\n", parts.newline)
    text = parts.opening + block + _ended(parts.closing, parts.newline, rest) + rest
    _proved(before, text, replaced)
    return text


def _ended(closing: str, newline: str, rest: str) -> str:
    return closing if closing.endswith("\n") or not rest else closing + newline


def _proved(before: Mapping[str, Any], text: str, replaced: Mapping[str, list[str]]) -> None:
    """Read the edited *text* again: what was not to change must be unchanged."""
    after = front(text, "the edited entry")
    wanted = [key for key in before if key not in replaced or replaced[key]]
    wanted += [key for key in replaced if replaced[key] and key not in before]
    same = all(after.get(key) == before[key] for key in before if key not in replaced)
    if list(after) != wanted or not same:
        raise InvalidEntry("an edit would have changed more than it should; the file stays as it is")


def _spans(lines: list[str]) -> dict[str, tuple[int, int]]:
    """Each top-level key with the lines it takes; blank lines and comments after it are nobody's."""
    spans: dict[str, tuple[int, int]] = {}
    key, start, end = "", 0, 0
    for number, line in enumerate(lines):
        match = _KEY.match(line.removeprefix(BOM))
        if match:
            if key:
                spans[key] = (start, end)
            key = next(part for part in match.groups() if part is not None).replace("''", "'")
            start, end = number, number + 1
        elif line.strip() and (line[0] in " \t-]}") and key:
            end = number + 1
    if key:
        spans[key] = (start, end)
    return spans


def _kept_comment(old: list[str], new: list[str], newline: str) -> list[str]:
    """The *new* lines with the comment that stood behind a plain value on one line."""
    comment = re.search(r"""^[\w-]+:[ \t]+[^\s"'#\[{|>&*!][^"'#]*?([ \t]+#.*?)\r?\n?$""", old[0]) if len(old) == 1 else None
    lines = list(new)
    if comment and len(lines) == 1:
        lines[0] += comment[1]
    return [line + newline for line in lines]
