"""Entry: one memory, a markdown file with frontmatter, and how it is read."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

from ultan.errors import InvalidEntry, UsageError
from ultan.library.body import rule_of, wikilinks
from ultan.library.plainfront import Value
from ultan.library.yamlfront import load, split

KINDS = ("convention", "preference", "finding", "warn", "abstraction", "decision", "event")
TRUST = ("observed", "assistant", "confirmed", "person")
STATUSES = ("active", "deprecated", "stale")
ENTRY_BYTES = 64 * 1024
ARCHIVE = "_archive/"


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
    that the file lies under ``_archive/``; ``id`` is then still its place of origin. ``faded`` says
    that want of use put it there, and nobody's word. ``raw`` is
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
    faded: bool = False
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


class Form(Enum):
    """How a field is written in frontmatter."""

    TEXT, WORDS, COUNT, RATIO, FLAG, DAY, TRIGGERS, EVIDENCE = range(8)


# Field → (form, names on disk; the first is written where none stands yet).
FORMS: dict[str, tuple[Form, tuple[str, ...]]] = {
    "id": (Form.TEXT, ("id",)),
    "title": (Form.TEXT, ("title",)),
    "kind": (Form.TEXT, ("kind", "type")),
    "scope": (Form.TEXT, ("scope",)),
    "created": (Form.DAY, ("created",)),
    "updated": (Form.DAY, ("updated",)),
    "status": (Form.TEXT, ("status",)),
    "tags": (Form.WORDS, ("tags",)),
    "applies_when": (Form.WORDS, ("applies_when", "applies-when")),
    "files": (Form.WORDS, ("files",)),
    "triggers": (Form.TRIGGERS, ("triggers", "block_triggers")),
    "trust": (Form.TEXT, ("trust",)),
    "evidence": (Form.EVIDENCE, ("evidence",)),
    "encoding_strength": (Form.RATIO, ("encoding_strength",)),
    "reinforced": (Form.COUNT, ("reinforced",)),
    "last_reinforced": (Form.DAY, ("last_reinforced",)),
    "fired": (Form.COUNT, ("fired",)),
    "fired_helpful": (Form.COUNT, ("fired-helpful", "fired_helpful")),
    "ignored": (Form.COUNT, ("ignored",)),
    "fetched": (Form.COUNT, ("fetched",)),
    "last_surfaced": (Form.DAY, ("last_surfaced",)),
    "last_helpful": (Form.DAY, ("last_helpful",)),
    "pinned": (Form.FLAG, ("pinned",)),
    "supersedes": (Form.WORDS, ("supersedes",)),
    "superseded_by": (Form.TEXT, ("superseded_by",)),
    "expires": (Form.DAY, ("expires",)),
    "why": (Form.TEXT, ("why",)),
    "alternatives": (Form.WORDS, ("alternatives",)),
    "subject": (Form.TEXT, ("subject",)),
    "confidence": (Form.TEXT, ("confidence",)),
    "source": (Form.TEXT, ("source",)),
    "when": (Form.TEXT, ("when",)),
    "participants": (Form.WORDS, ("participants",)),
    "location": (Form.TEXT, ("location",)),
    "archived": (Form.DAY, ("archived",)),
    "faded": (Form.FLAG, ("faded",)),
}
COUNTERS = tuple(name for name, (form, _) in FORMS.items() if form == Form.COUNT)
# Name on disk → field, and how early it stands among the field's names; the path says the id.
_NAMED = {key: (name, rank) for name, (_, names) in FORMS.items() if name != "id" for rank, key in enumerate(names)}


# --- reading --------------------------------------------------------------------------------------


def parse(text: str, path: str) -> Entry:
    """The entry in *text*, which lies at *path* (relative to the library).

    The path is the truth about the id; a scope that disagrees with it is refused.

    Raises:
        InvalidEntry: no frontmatter, an unclosed one, YAML that says more than plain values,
            a kind, status or scope that does not exist, a half-finished merge, or too large.
    """
    id_, shelved = _placed(path)
    if 4 * len(text) > ENTRY_BYTES and len(text.encode("utf-8", "surrogatepass")) > ENTRY_BYTES:
        raise InvalidEntry(f"{path}: larger than {ENTRY_BYTES // 1024} KB")
    if _CONFLICT.search(text):
        raise InvalidEntry(f"{path}: a merge was left half finished (conflict markers)")
    parts = split(text, path)
    table = load(parts.block, path)
    body = parts.body
    known: dict[str, Any] = {}
    used = set()
    chosen: dict[str, tuple[int, str]] = {}
    for key in table:
        field_of = _NAMED.get(key)
        if field_of is not None:
            name, rank = field_of
            chosen[name] = min(chosen.get(name, (rank, key)), (rank, key))
    for name, (_, key) in chosen.items():
        used.add(key)
        known[name] = _read_value(FORMS[name][0], table[key], table, f"{path}: {key}")
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


def check_kind(kind: str) -> None:
    """Refuse a *kind* that does not exist; ``""`` stands for any.

    Raises:
        UsageError: with the kinds there are.
    """
    if kind and kind not in KINDS:
        raise UsageError(f"no kind is called {kind}", "one of " + ", ".join(KINDS))


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


_CONFLICT = re.compile(r"^(<{7} |>{7} )", re.MULTILINE)
_DAY_TIME = re.compile(r"(\d{4}-\d{2}-\d{2})[T ]")


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


def _read_value(  # noqa: PLR0911 -- one return a form
    form: Form, value: Value, table: Mapping[str, Any], where: str
) -> Any:
    if form == Form.WORDS:
        return tuple(_words(value))
    if form == Form.TRIGGERS:
        return tuple(_trigger(each, table, where) for each in _tables(value, where))
    if form == Form.EVIDENCE:
        return tuple(
            Evidence(*(_text(each.get(key, "")) for key in ("session", "turn", "quote", "origin")))
            for each in _tables(value, where)
        )
    text = _text(value)
    if form == Form.COUNT:
        return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else 0
    if form == Form.RATIO:
        return _ratio(text)
    if form == Form.FLAG:
        return text.lower() in ("true", "yes", "on", "1")
    if form == Form.DAY:
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
