"""Entry: one memory, a markdown file with frontmatter; parsing, rendering, and careful edits.

Frontmatter is read as YAML without implicit types, anchors, tags and merge keys, so that
``no`` stays ``no`` and ``0123`` stays ``0123``. An edit replaces the lines of the changed
top-level keys in the raw text and nothing else; where the lines of a file and its loader
do not tell the same story, the edit is refused and the file stays as it is.
"""

import itertools
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, fields
from typing import Any

import yaml  # type: ignore[import-untyped]  # no stubs are installed with it

from ultan.errors import InvalidEntry
from ultan.library.plainfront import read_plain

KINDS = ("convention", "preference", "finding", "warn", "abstraction", "decision", "event")
TRUST = ("observed", "assistant", "confirmed", "person")
STATUSES = ("active", "deprecated", "stale")
ENTRY_BYTES = 64 * 1024
FRONT_BYTES = 8 * 1024
DEPTH = 6
ARCHIVE = "_archive/"
BOM = "\ufeff"

# What a value may be after loading: texts, lists and tables of them.
Value = str | list[Any] | dict[str, Any]
_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # the same events, ten times faster where libyaml is


@dataclass(frozen=True, slots=True)
class Trigger:
    """A tool call that an entry is about: RE2 *pattern* searched in *field* of *tool*'s input."""

    tool: str
    pattern: str
    field: str = ""
    files: tuple[str, ...] = ()
    unless: tuple[str, ...] = ()
    severity: str = "advise"


@dataclass(frozen=True, slots=True)
class Evidence:
    """Where an entry comes from: the words of a piece (*turn* is its id) of a session."""

    session: str
    turn: str
    quote: str
    origin: str = ""


@dataclass(frozen=True, slots=True)
class Entry:
    """One memory.

    Days are ISO texts; counters count; ``encoding_strength`` lies in [0, 1]. ``shelved`` says
    that the file lies under ``_archive/``; ``id`` is then still its place of origin. ``raw`` is
    the whole text as read, ``extra`` the unknown keys; neither takes part in comparison of
    meaning except ``extra``.
    """

    id: str
    title: str
    kind: str
    scope: str
    created: str
    updated: str
    status: str = "active"
    tags: tuple[str, ...] = ()
    applies_when: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    triggers: tuple[Trigger, ...] = ()
    trust: str = "person"
    evidence: tuple[Evidence, ...] = ()
    encoding_strength: float = 0.5
    reinforced: int = 0
    last_reinforced: str = ""
    fired: int = 0
    fired_helpful: int = 0
    ignored: int = 0
    fetched: int = 0
    last_surfaced: str = ""
    last_helpful: str = ""
    pinned: bool = False
    supersedes: tuple[str, ...] = ()
    superseded_by: str = ""
    expires: str = ""
    why: str = ""
    alternatives: tuple[str, ...] = ()
    subject: str = ""
    confidence: str = ""
    source: str = ""
    when: str = ""
    participants: tuple[str, ...] = ()
    location: str = ""
    archived: str = ""
    body: str = ""
    shelved: bool = False
    raw: str = field(default="", compare=False, repr=False)
    extra: Mapping[str, Any] = field(default_factory=dict, hash=False)

    @property
    def path(self) -> str:
        """Where the file lies, relative to the library."""
        return f"{ARCHIVE if self.shelved else ''}{self.id}.md"

    @property
    def slug(self) -> str:
        """The last part of the id."""
        return self.id.rpartition("/")[2]

    @property
    def folder(self) -> str:
        """The id without its last part."""
        return self.id.rpartition("/")[0]

    @property
    def project(self) -> str:
        """Slug of the project it belongs to, or ``""`` for a global one."""
        return self.scope.partition(":")[2]

    @property
    def rule(self) -> str:
        """What the entry says: the text before **Why**, without headings, on one line a paragraph."""
        return rule_of(self.body)

    @property
    def links(self) -> tuple[str, ...]:
        """Targets of the wikilinks in the body, in order, without repetition; code is not searched."""
        return wikilinks(self.body)

    @property
    def trust_rank(self) -> int:
        """0 observed, 1 assistant, 2 confirmed, 3 person."""
        return TRUST.index(self.trust)


_TEXT, _WORDS, _COUNT, _RATIO, _FLAG, _DAY, _TRIGGERS, _EVIDENCE = range(8)
# Field → (form, names on disk; the first is written where none stands yet).
_FORMS: dict[str, tuple[int, tuple[str, ...]]] = {
    "id": (_TEXT, ("id",)),
    "title": (_TEXT, ("title",)),
    "kind": (_TEXT, ("kind", "type")),
    "scope": (_TEXT, ("scope",)),
    "created": (_DAY, ("created",)),
    "updated": (_DAY, ("updated",)),
    "status": (_TEXT, ("status",)),
    "tags": (_WORDS, ("tags",)),
    "applies_when": (_WORDS, ("applies_when", "applies-when")),
    "files": (_WORDS, ("files",)),
    "triggers": (_TRIGGERS, ("triggers", "block_triggers")),
    "trust": (_TEXT, ("trust",)),
    "evidence": (_EVIDENCE, ("evidence",)),
    "encoding_strength": (_RATIO, ("encoding_strength",)),
    "reinforced": (_COUNT, ("reinforced",)),
    "last_reinforced": (_DAY, ("last_reinforced",)),
    "fired": (_COUNT, ("fired",)),
    "fired_helpful": (_COUNT, ("fired-helpful", "fired_helpful")),
    "ignored": (_COUNT, ("ignored",)),
    "fetched": (_COUNT, ("fetched",)),
    "last_surfaced": (_DAY, ("last_surfaced",)),
    "last_helpful": (_DAY, ("last_helpful",)),
    "pinned": (_FLAG, ("pinned",)),
    "supersedes": (_WORDS, ("supersedes",)),
    "superseded_by": (_TEXT, ("superseded_by",)),
    "expires": (_DAY, ("expires",)),
    "why": (_TEXT, ("why",)),
    "alternatives": (_WORDS, ("alternatives",)),
    "subject": (_TEXT, ("subject",)),
    "confidence": (_TEXT, ("confidence",)),
    "source": (_TEXT, ("source",)),
    "when": (_TEXT, ("when",)),
    "participants": (_WORDS, ("participants",)),
    "location": (_TEXT, ("location",)),
    "archived": (_DAY, ("archived",)),
}
COUNTERS = tuple(name for name, (form, _) in _FORMS.items() if form == _COUNT)
_ALWAYS = ("id", "title", "kind", "scope", "created", "updated", "trust", "encoding_strength")
_DEFAULTS: dict[str, Any] = {
    each.name: each.default for each in fields(Entry) if each.name in _FORMS and each.name not in _ALWAYS
}


# --- reading --------------------------------------------------------------------------------------


def parse(text: str, path: str) -> Entry:
    """The entry in *text*, which lies at *path* (relative to the library).

    The path is the truth about the id; a scope that disagrees with it is refused.

    Raises:
        InvalidEntry: no frontmatter, an unclosed one, YAML that says more than plain values,
            a kind, status or scope that does not exist, a half-finished merge, or too large.
    """
    id_, shelved = _placed(path)
    if len(text.encode("utf-8", "surrogatepass")) > ENTRY_BYTES:
        raise InvalidEntry(f"{path}: larger than {ENTRY_BYTES // 1024} KB")
    if _CONFLICT.search(text):
        raise InvalidEntry(f"{path}: a merge was left half finished (conflict markers)")
    parts = _split(text, path)
    table = _load(parts.block, path)
    body = parts.body
    known: dict[str, Any] = {}
    used = set()
    for name, (form, names) in _FORMS.items():
        key = next((each for each in names if each in table), "")
        if key and name != "id":
            used.add(key)
            known[name] = _read_value(form, table[key], table, f"{path}: {key}")
    if used & {"triggers", "block_triggers"}:
        used.add("severity")
    scope = scope_of(id_)
    if _same_scope(known.get("scope") or scope) != scope:
        raise InvalidEntry(f"{path}: its scope {known['scope']} disagrees with its folder, which is {scope}")
    known["scope"] = scope
    known["kind"] = known.get("kind") or "finding"
    known["title"] = known.get("title") or _heading(body) or id_.rpartition("/")[2].replace("-", " ")
    known["status"] = known.get("status") or "active"
    known["trust"] = _trust(known.get("trust", "person"))
    for name, allowed in (("kind", KINDS), ("status", (*STATUSES, "archived", "superseded"))):
        if known[name] not in allowed:
            raise InvalidEntry(f"{path}: no {name} is called {known[name][:40]!r}")
    known.setdefault("created", "")
    known.setdefault("updated", known["created"])
    extra = {key: value for key, value in table.items() if key not in used and key != "id"}
    return Entry(id=id_, body=body, raw=text, shelved=shelved, extra=extra, **known)


def front(text: str, path: str = "") -> dict[str, Value]:
    """The frontmatter of *text* as it stands there, names on disk and nothing converted.

    Raises:
        InvalidEntry: as ``parse``.
    """
    return _load(_split(text, path).block, path)


def scope_of(id_: str) -> str:
    """``global`` or ``project:<slug>``, from the place of an entry.

    Raises:
        InvalidEntry: the place is neither.
    """
    parts = id_.split("/")
    if parts[0] == "global" and len(parts) > 1:
        return "global"
    if parts[0] == "projects" and len(parts) > 2:
        return f"project:{parts[1]}"
    raise InvalidEntry(f"{id_}.md lies neither in global/ nor in projects/<slug>/")


def rule_of(body: str) -> str:
    """The text of *body* before **Why** or a section, without headings and comments."""
    kept = []
    for line in body.replace("\r\n", "\n").split("\n"):
        if _AFTER_RULE.match(line):
            break
        if not _HEADING.match(line):
            kept.append(line.strip())
    paragraphs = re.split(r"\n{2,}", _COMMENT.sub("", "\n".join(kept)).strip())
    return "\n".join(" ".join(part.split()) for part in paragraphs)


def wikilinks(body: str) -> tuple[str, ...]:
    """Targets of the ``[[wikilinks]]`` outside code, each once, without ``.md`` and anchors."""
    if "[[" not in body:
        return ()
    found: dict[str, None] = {}
    for match in WIKILINK.finditer(_CODE.sub("", body)):
        target = match[1].strip().removesuffix(".md").strip("/")
        if target:
            found.setdefault(target)
    return tuple(found)


WIKILINK = re.compile(r"\[\[([^\[\]|#\n]+)(#[^\[\]|\n]*)?(\|[^\[\]\n]*)?\]\]")
_CODE = re.compile(r"^(```|~~~).*?^\1[ \t]*$|`[^`\n]+`", re.MULTILINE | re.DOTALL)
_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_HEADING = re.compile(r"#{1,6}\s")
_AFTER_RULE = re.compile(r"\s*(\*\*(why|how to apply)\b|#{2,6}\s+(why|how to apply|related)\b)", re.IGNORECASE)
_CONFLICT = re.compile(r"^(<{7} |>{7} )", re.MULTILINE)
_DAY_TIME = re.compile(r"(\d{4}-\d{2}-\d{2})[T ]")


@dataclass(frozen=True, slots=True)
class _Parts:
    opening: str
    block: str
    closing: str
    rest: str

    @property
    def newline(self) -> str:
        return "\r\n" if self.opening.endswith("\r\n") else "\n"

    @property
    def body(self) -> str:
        """The rest without the one blank line that rendering puts before it."""
        return self.rest.removeprefix("\r\n") if self.rest.startswith("\r\n") else self.rest.removeprefix("\n")


def _split(text: str, path: str) -> _Parts:
    lines = _lines(text)
    if not lines or lines[0].removeprefix(BOM).rstrip() != "---":
        raise InvalidEntry(f"{path}: no frontmatter (a first line of three dashes)")
    size = 0
    for number, line in enumerate(lines[1:], 1):
        if line.rstrip() == "---":
            return _Parts(lines[0], "".join(lines[1:number]), line, "".join(lines[number + 1 :]))
        size += len(line.encode("utf-8", "surrogatepass"))
        if size > FRONT_BYTES:
            raise InvalidEntry(f"{path}: frontmatter larger than {FRONT_BYTES // 1024} KB, or never closed")
    raise InvalidEntry(f"{path}: the frontmatter is never closed (a second line of three dashes)")


def _lines(text: str) -> list[str]:
    """Lines with their ends; only the line feed ends a line, as in YAML files people write."""
    parts = text.split("\n")
    return [part + "\n" for part in parts[:-1]] + ([parts[-1]] if parts[-1] else [])


def _placed(path: str) -> tuple[str, bool]:
    shelved = path.startswith(ARCHIVE)
    return path.removeprefix(ARCHIVE).removesuffix(".md"), shelved


def _heading(body: str) -> str:
    match = re.search(r"^#\s+(.+?)\s*$", body, re.MULTILINE)
    return match[1][:120] if match else ""


def _same_scope(said: str) -> str:
    return "project:" + said.removeprefix("projects/") if said.startswith("projects/") else said


def _trust(said: str) -> str:
    if said in TRUST:
        return said
    return TRUST[int(said)] if said in ("0", "1", "2", "3") else "observed"


# --- YAML without surprises -----------------------------------------------------------------------


def _load(block: str, path: str) -> dict[str, Value]:
    plain = read_plain(block)
    return through_yaml(block, path) if plain is None else dict(plain)


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


def _read_value(  # noqa: PLR0911 -- one return a form
    form: int, value: Value, table: Mapping[str, Any], where: str
) -> Any:
    if form == _WORDS:
        return tuple(_words(value))
    if form == _TRIGGERS:
        return tuple(_trigger(each, table, where) for each in _tables(value, where))
    if form == _EVIDENCE:
        return tuple(
            Evidence(*(_text(each.get(key, "")) for key in ("session", "turn", "quote", "origin")))
            for each in _tables(value, where)
        )
    text = _text(value)
    if form == _COUNT:
        return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else 0
    if form == _RATIO:
        return _ratio(text)
    if form == _FLAG:
        return text.lower() in ("true", "yes", "on", "1")
    if form == _DAY:
        match = _DAY_TIME.match(text)
        return match[1] if match else text
    return text


def _text(value: Value) -> str:
    if isinstance(value, str):
        return value
    return json.dumps(value, ensure_ascii=False)


def _words(value: Value) -> list[str]:
    if isinstance(value, list):
        return [_text(item) for item in value]
    text = _text(value)
    return [part.strip() for part in text.split(",") if part.strip()]


def _tables(value: Value, where: str) -> list[dict[str, Any]]:
    items = value if isinstance(value, list) else [value] if value else []
    found = []
    for item in items:
        if isinstance(item, str):
            found.append({"pattern": item, "quote": item})
        elif isinstance(item, dict):
            found.append(item)
        else:
            raise InvalidEntry(f"{where}: a list inside the list")
    return found


def _trigger(value: Mapping[str, Any], table: Mapping[str, Any], where: str) -> Trigger:
    pattern = _text(value.get("pattern", value.get("regex", "")))
    if not pattern:
        raise InvalidEntry(f"{where}: a trigger without a pattern")
    severity = _text(value.get("severity", table.get("severity", "advise")))
    return Trigger(
        tool=_text(value.get("tool", "Bash")) or "Bash",
        pattern=pattern,
        field=_text(value.get("field", "")),
        files=tuple(_listed(value.get("files", []))),
        unless=tuple(_listed(value.get("unless", []))),
        severity="block" if severity == "block" else "advise",
    )


def _listed(value: Value) -> list[str]:
    """As ``_words``, but a text is one item: a pattern may hold a comma."""
    return [value] if isinstance(value, str) and value else _words(value)


def _ratio(text: str) -> float:
    try:
        number = float(text)
    except ValueError:
        return 0.5
    return min(1.0, max(0.0, number)) if number == number else 0.5  # noqa: PLR0124 -- only NaN differs from itself


# --- rendering ------------------------------------------------------------------------------------


def render(entry: Entry) -> str:
    """The text of a new file for *entry*; ``parse(render(entry), entry.path) == entry``."""
    lines = []
    for name in _FORMS:
        value = getattr(entry, name)
        if name in _ALWAYS or value != _DEFAULTS[name]:
            lines += _lines_of(_FORMS[name][1][0], _FORMS[name][0], value)
    for key, value in entry.extra.items():
        lines += _free(key, value)
    return "---\n" + "".join(line + "\n" for line in lines) + "---\n\n" + entry.body


def _lines_of(key: str, form: int, value: Any) -> list[str]:  # noqa: PLR0911 -- one return a form
    if form == _WORDS:
        return _free(key, list(value))
    if form == _TRIGGERS:
        return _free(key, [_spec(each) for each in value])
    if form == _EVIDENCE:
        rows = [{"session": e.session, "turn": e.turn, "quote": e.quote, "origin": e.origin} for e in value]
        return _free(key, [{name: text for name, text in row.items() if text or name == "quote"} for row in rows])
    if form == _FLAG:
        return [f"{key}: {'true' if value else 'false'}"]
    if form == _COUNT:
        return [f"{key}: {value}"]
    if form == _RATIO:
        return [f"{key}: {value!r}"]
    if form == _DAY and _PLAIN_DAY.fullmatch(str(value)):
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


_ESCAPES = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\t": "\\t", "\r": "\\r"}
_PLAIN = re.compile(r"[^\W_](?:[\w ./()+=;@~^$%\u2013\u2019\u2026-]|[,!?*&'\"](?=[\w ])|:(?=\w))*(?<! )")
_AMBIGUOUS = re.compile(
    r"(?i)true|false|yes|no|on|off|null|y|n|\.?[\d_,:.]+([e][+-]?\d+)?|0[xob][\da-f_]+|\d{4}-\d{1,2}-\d{1,2}.*"
)
_FLOW_WORD = re.compile(r"(?!(?i:true|false|yes|no|on|off|null|y|n)$)[A-Za-z][\w./-]*")
_PLAIN_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")


# --- editing --------------------------------------------------------------------------------------


def edited(raw: str, changes: Mapping[str, Any], body: str | None = None) -> str:
    """*raw* with some fields changed and perhaps another *body*; all other bytes as they were.

    *changes* maps names of ``Entry`` fields to new values; a value equal to the field's default
    removes its lines. Keys of unknown name may be changed too, to texts, lists or ``None``.

    Raises:
        InvalidEntry: the file's lines and its loader disagree about the keys, or the result
            would not read back as intended; nothing is lost then, the caller keeps *raw*.
    """
    parts = _split(raw, "the entry")
    before = _load(parts.block, "the entry")
    lines = _lines(parts.block)
    spans = _spans(lines)
    if changes and list(spans) != list(before):
        raise InvalidEntry("the frontmatter is written in a way that cannot be edited line by line")
    replaced: dict[str, list[str]] = {}
    for name, value in changes.items():
        form, names = _FORMS.get(name, (-1, (name,)))
        key = next((each for each in names if each in before), names[0])
        empty = name not in _ALWAYS and value == _DEFAULTS.get(name)
        replaced[key] = [] if empty else _free(key, value) if form < 0 else _lines_of(key, form, value)
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


_KEY = re.compile(r"""(?:"((?:[^"\\]|\\.)*)"|'((?:[^']|'')*)'|([^\s"'#&*!|>%@`\[\]{},?:-][^:]*?|-\w[^:]*?))\s*:(?=\s|$)""")


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


# --- bodies -----------------------------------------------------------------------------------------

RELATED = "## Related"


def composed(rule: str, why: str = "", how: str = "", related: Iterable[str] = ()) -> str:
    """The body of a new entry: the rule, **Why**, **How to apply**, and the related entries."""
    parts = [_paragraph(rule)]
    if why.strip():
        parts.append(f"**Why:** {_paragraph(why)}")
    if how.strip():
        parts.append(f"**How to apply:** {_paragraph(how)}")
    body = "\n\n".join(parts) + "\n"
    for target in related:
        body = with_related(body, target)
    return body


def revised(body: str, *, rule: str | None = None, why: str | None = None, how: str | None = None) -> str:
    """*body* with some of its parts said anew; headings and other sections stay."""
    lines = body.replace("\r\n", "\n").split("\n")
    starts = [number for number, line in enumerate(lines) if _SECTION.match(line)] or [len(lines)]
    lead, sections = lines[: starts[0]], ["\n".join(lines[a:b]) for a, b in itertools.pairwise([*starts, len(lines)])]
    if rule is not None:
        lead = [*itertools.takewhile(lambda line: _HEADING.match(line) or not line.strip(), lead), _paragraph(rule), ""]
    for title, text in (("How to apply", how), ("Why", why)):
        if text is None:
            continue
        said = [f"**{title}:** {_paragraph(text)}\n"] if text.strip() else []
        at = next((n for n, each in enumerate(sections) if _is_about(each, title)), -1)
        if at >= 0:
            sections[at : at + 1] = said
        else:
            after = [n for n, each in enumerate(sections) if title != "Why" and _is_about(each, "Why")]
            place = after[-1] + 1 if after else 0
            sections[place:place] = said
    return "\n".join([*lead, *sections]).rstrip("\n") + "\n"


def with_related(body: str, target: str) -> str:
    """*body* with a wikilink to *target* under ``## Related``."""
    line = f"- [[{target}]]"
    text = body.rstrip("\n")
    match = re.search(r"^## Related[ \t]*$", text, re.MULTILINE)
    if not match:
        return f"{text}\n\n{RELATED}\n\n{line}\n"
    following = re.search(r"^#{1,6}\s", text[match.end() :], re.MULTILINE)
    end = match.end() + following.start() if following else len(text)
    section = text[:end].rstrip("\n")
    gap = "\n" if section.rsplit("\n", 1)[-1].startswith("- ") else "\n\n"
    rest = "\n\n" + text[end:].lstrip("\n") if following else ""
    return f"{section}{gap}{line}{rest}\n"


_SECTION = re.compile(r"\s*\*\*(why|how to apply)\b|#{2,6}\s", re.IGNORECASE)


def _is_about(section: str, title: str) -> bool:
    return section.lstrip(" *#").casefold().startswith(title.casefold())


def _paragraph(text: str) -> str:
    """*text* without blank lines and without line starts that would open a section of their own."""
    lines = [line.strip() for line in text.strip().splitlines() if line.strip()]
    return "\n".join(f"\\{line}" if _OPENS.match(line) else line for line in lines)


_OPENS = re.compile(r"#{1,6}\s|---+$|\*\*(why|how to apply)\b", re.IGNORECASE)
