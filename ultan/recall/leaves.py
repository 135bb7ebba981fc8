"""What one entry becomes in the index, whatever else the library holds: a leaf.

A leaf is a pure function of its entry, so it is made once and kept (``columns``) for as long as its
file stays the same. Everything that depends on other entries (averages, numbers, links, the rarest
trigram) belongs to ``compile``.
"""

import json
import struct
import zlib
from array import array
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

from ultan import plainjson
from ultan.library.citations import cited
from ultan.recall import index as layout
from ultan.recall.commands import subjects
from ultan.recall.lookaround import needed_literals, rewritten
from ultan.recall.orders import order_keys
from ultan.recall.situations import (
    DOING,
    LANGUAGES,
    SITUATION,
    TRIGGER_TOOL,
    file_keys,
    mentioned_files,
    named_situation,
    situation_keys,
)
from ultan.recall.text import MOST_KNOWN, MOST_TERMS, spelled, spelled_word, words
from ultan.recall.triggers import compiled, trips

if TYPE_CHECKING:
    from ultan.library.entry import Entry, Trigger

# Field → (weight, how much its length counts). Titles and cues are short and written to be found; a
# lower length weight is worth .02 of recall@10 where entries are turns, and nothing where they are rules.
FIELDS: Mapping[str, tuple[float, float]] = {
    "title": (1.3, 0.35), "cues": (1.0, 0.35), "tags": (1.0, 0.35), "body": (1.0, 0.35), "day": (1.0, 0.35),
}  # fmt: skip
MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
    "December",
)  # fmt: skip
RULE_CHARS, BODY_CHARS = 480, 420
MOST_CITED = 4  # paths, looked for when an entry is shown
STRENGTH_PRIOR, HELPFUL_PRIOR, LINK_PRIOR = 0.1, 0.3, 0.1  # bounds of what is known before anything is asked
STANDING_KINDS = ("convention", "preference", "warn")

PATTERN_CHARS, MOST_CANARIES = 512, 2
# Harmless calls: a trigger that would deny more than two of them may only advise (RELIABILITY R16).
CANARIES: Sequence[tuple[str, Mapping[str, Any]]] = (
    *(
        ("Bash", {"command": line})
        for line in (
            "ls -la", "pwd", "git status", "git diff HEAD~1", "git log --oneline -5", "cat README.md", "cd src && ls",
            "python -m pytest -q", "npm test", "make build", "grep -rn TODO src", "find . -name '*.py'", "echo done",
            "head -20 notes.txt",
        )
    ),
    ("Read", {"file_path": "src/app.py"}),
    ("Edit", {"file_path": "src/app.py", "old_string": "x = 1", "new_string": "x = 2"}),
    ("Write", {"file_path": "notes.md", "content": "# Notes\n\nNothing yet.\n"}),
    ("Glob", {"pattern": "**/*.ts"}),
    ("Grep", {"pattern": "def main"}),
    ("WebFetch", {"url": "https://example.com/", "prompt": "Summarise"}),
)  # fmt: skip


class Leaf(NamedTuple):
    """What one entry becomes.

    Attributes:
        terms: u64 keys of its terms, field by field; ``fields`` (u8) and ``counts`` (u16) beside them.
        keys: u64 keys of what it is found by beside its words.
        card: deflated JSON of the card; ``flags`` and ``prior`` (without links) as the index holds them.
        links: whom it vouches for; empty where nobody stands behind the entry.
        superseded_by: id of the entry that corrects it; ``standing`` what orders it in a briefing, ``b""``: not in one.
        situations: whether it leans to any.
        triggers: of each the JSON after its entry number, and the trigrams (u32) of each needed literal.
        off: why triggers of it cannot be used.
    """

    terms: bytes
    fields: bytes
    counts: bytes
    keys: bytes
    card: bytes
    flags: int
    prior: float
    links: tuple[str, ...]
    superseded_by: str
    standing: bytes
    situations: bool
    triggers: tuple[tuple[bytes, tuple[bytes, ...]], ...]
    off: tuple[str, ...]


def leaf_of(entry: "Entry") -> Leaf:
    """The leaf of *entry*."""
    numbers, fields, counts = array("Q"), bytearray(), array("H")
    for place, text in enumerate(field_texts(entry).values()):
        found = key_counts(text)
        numbers.extend(found)
        counts.extend(found.values())
        fields += bytes((place,)) * len(found)
    triggers, off = [], []
    for trigger in entry.triggers if entry.status == "active" and not entry.superseded_by else ():
        if trigger.tool == TRIGGER_TOOL:
            off += [] if named_situation(trigger.pattern) else [f"there is no situation {trigger.pattern!r}"]
            continue
        row, reason = trigger_row(0, entry, trigger)
        if row is None:
            off.append(reason)
        else:
            grams = tuple(array("I", grams_of(literal)).tobytes() for literal in row[7])
            triggers.append((json_bytes(row)[len("[0") :], grams))
    keys = keys_of(entry)
    return Leaf(
        numbers.tobytes(), bytes(fields), counts.tobytes(), array("Q", sorted(map(layout.term_key, keys))).tobytes(),
        zlib.compress(json_bytes(card_values(entry)), 6),
        flags_of(entry), prior_of(entry, 0), vouched_for(entry), entry.superseded_by, standing_key(entry),
        any(key.startswith((SITUATION, DOING)) for key in keys), tuple(triggers), tuple(off),
    )  # fmt: skip


_known: dict[str, tuple[int, ...]] = {}  # word → the keys of its terms


def key_counts(text: str) -> dict[int, int]:
    """The keys of the terms of *text*, each with how often it stands there, in the order of their first words."""
    known = _known
    if len(known) > MOST_KNOWN:
        known.clear()
    found: dict[int, int] = {}
    left = MOST_TERMS
    for word in words(text):
        keys = known.get(word)
        if keys is None:
            keys = known[word] = tuple(layout.term_key(term) for term, _ in spelled_word(word))
        for key in keys:
            found[key] = found.get(key, 0) + 1
        left -= len(keys)
        if left <= 0:
            break
    return found


def json_bytes(value: Any) -> bytes:
    """*value* as ``plainjson.dumps`` writes it, by the faster encoder where that writes the same."""
    try:
        return _JSON.encode(value).encode("utf-8")
    except ValueError:  # no number, or half a character: plainjson mends it
        return plainjson.dumps(value).encode("utf-8")


_JSON = json.JSONEncoder(ensure_ascii=False, allow_nan=False, check_circular=False)


# --- parts of a leaf ------------------------------------------------------------------------------


def field_texts(entry: "Entry") -> dict[str, str]:
    """The searched texts of an entry, by field."""
    return {
        "title": entry.title,
        "cues": "\n".join(entry.applies_when),
        "tags": " ".join((*entry.tags, entry.subject)),
        "body": "\n".join((entry.body, entry.why, *entry.alternatives)),
        "day": spoken_day(entry.when or entry.created),
    }


def spoken_day(day: str) -> str:
    """A day in the words of a question: "8 May 2023"; dates as words are worth .015 of recall@10."""
    parts = day[:10].split("-")
    if len(parts) != 3 or not all(part.isdigit() for part in parts) or not 1 <= int(parts[1]) <= 12:
        return ""
    return f"{int(parts[2])} {MONTHS[int(parts[1]) - 1]} {parts[0]}"


def entry_text(entry: "Entry") -> str:
    """Everything a reader would search an entry for, as one text."""
    return "\n".join(field_texts(entry).values())


def keys_of(entry: "Entry") -> set[str]:
    """What an entry is found by beside its words: files it is bound to or names, situations it leans to or names."""
    return {
        *(key for glob in entry.files for key in file_keys(glob)),
        *mentioned_files(entry_text(entry)),
        *situation_keys(
            entry.title, entry.applies_when, entry.rule, ((one.tool, one.pattern) for one in entry.triggers)
        ),
        *(() if entry.title or entry.applies_when else order_keys(entry.body)),
    }


def flags_of(entry: "Entry") -> int:
    """Kind, trust, status and marks as the bits that ``index`` documents."""
    kind = layout.KINDS.index(entry.kind) if entry.kind in layout.KINDS else 2
    trust = layout.TRUST.index(entry.trust) if entry.trust in layout.TRUST else 0
    status = layout.STATUS.index(entry.status) if entry.status in layout.STATUS else 0
    return (
        kind | trust << 4 | status << 6
        | (layout.PINNED if entry.pinned else 0)
        | (layout.SUPERSEDED if entry.superseded_by else 0)
        | (layout.HAS_FILES if entry.files else 0)
    )  # fmt: skip


def prior_of(entry: "Entry", links: int) -> float:
    """What is known of an entry before anything is asked; around 0, bounded, in standard deviations.

    Strength around the default of 0.5; helpful use against how often it was shown, by a beta prior,
    so that no data gives exactly 0; links from entries a person stands behind.
    """
    strength = STRENGTH_PRIOR * (2.0 * min(1.0, max(0.0, entry.encoding_strength)) - 1.0)
    fired, helpful = max(0, entry.fired), max(0, entry.fired_helpful)
    a, b = 1.0, 3.0
    usefulness = (min(helpful, fired) + a) / (fired + a + b) - a / (a + b)
    return strength + HELPFUL_PRIOR * usefulness + links_prior(links)


def links_prior(links: int) -> float:
    """What *links* from entries a person stands behind are worth."""
    return LINK_PRIOR * links / (links + 4.0)


def vouched_for(entry: "Entry") -> tuple[str, ...]:
    """Whom the links of *entry* speak for: nobody, unless a person stands behind it."""
    if entry.trust not in ("confirmed", "person"):
        return ()
    return tuple(dict.fromkeys(link for link in entry.links if link != entry.id))


def card_values(entry: "Entry") -> list[Any]:
    """The fields of ``index.CARD_FIELDS``, in order."""
    rule = " ".join(entry.rule.split())
    rest = " ".join(entry.body.split())
    body = rest[len(rule) :].strip() if rest.startswith(rule) else rest
    return [
        entry.id, entry.title, rule[:RULE_CHARS], entry.kind, entry.scope, entry.trust, entry.created, entry.updated,
        said_by(entry), origin_of(entry), entry.pinned, entry.status, entry.superseded_by, list(entry.links)[:4],
        entry.reinforced, entry.fired, entry.fired_helpful, round(entry.encoding_strength, 3), body[:BODY_CHARS],
        list(entry.applies_when), list(entry.files), entry.expires, entry.ignored,
        list(cited(entry)[:MOST_CITED]) if entry.project else [],
    ]  # fmt: skip


def origin_of(entry: "Entry") -> str:
    """The least trusted origin that an entry cites, or ``""``."""
    origins = [piece.origin for piece in entry.evidence if piece.origin]
    outside = [origin for origin in origins if ":" in origin]
    return (outside or origins or [""])[0]


def said_by(entry: "Entry") -> str:
    """Who says so, for a reader."""
    if entry.trust in ("person", "confirmed"):
        return "you"
    origin = origin_of(entry)
    if entry.trust == "assistant":
        return "the assistant, unconfirmed"
    return f"seen in {origin}, unconfirmed" if origin else "unconfirmed"


def standing_key(entry: "Entry") -> bytes:
    """What orders an entry among those worth saying at session start, the greatest first; ``b""``: it is none.

    Pinned, then strength of the rule, then the newest; what is equal in all this is ordered by id.
    """
    if entry.status != "active" or entry.superseded_by or entry.trust == "observed":
        return b""
    if not entry.pinned and entry.kind not in STANDING_KINDS:
        return b""
    strength = max(0.0, min(3, entry.reinforced) + 2 * entry.encoding_strength)
    return struct.pack(">Bd", entry.pinned, strength) + entry.updated.encode("utf-8", "surrogatepass")


def trigger_row(number: int, entry: "Entry", trigger: "Trigger") -> tuple[list[Any] | None, str]:
    """A trigger as the index holds it, or why it is switched off."""
    pattern, unless = rewritten(trigger.pattern)
    matchers = []
    for text in (pattern, *unless, *trigger.unless):
        if len(text) > PATTERN_CHARS:
            return None, f"its pattern is longer than {PATTERN_CHARS} characters"
        matchers.append(compiled(text))
        if matchers[-1] is None:
            return None, f"its pattern is nothing that RE2 can use: {text}"
    if matchers[0] is not None and matchers[0].search(""):
        return None, "its pattern matches everything"
    severity = trigger.severity
    row = [
        number, trigger.tool, trigger.field, pattern, list(trigger.files), list(trigger.unless), severity,
        needed_literals(pattern), exempt_places(entry), named_languages(entry.title), list(unless),
    ]  # fmt: skip
    if severity == "block" and (entry.trust not in ("person", "confirmed") or fires_on_canaries(row) > MOST_CANARIES):
        row[6] = "advise"
    return row, ""


def fires_on_canaries(row: list[Any]) -> int:
    """On how many harmless calls a trigger would fire."""
    return sum(trips(row, tool, subjects(tool, dict(tool_input))) for tool, tool_input in CANARIES)


def exempt_places(entry: "Entry") -> list[str]:
    """File names, without extension, of the one place where a rule says its matter belongs: "inside paths"."""
    text = f"{entry.title} . {entry.rule}".lower()
    if not any(word in text for word in _PLACED):
        return []
    found = []
    for before, word in pairwise(text.replace("`", " ").replace(",", " ").split()):
        name = word.rstrip(".;:").split(".")[0]
        if before in _PLACED and ("_" in name or "." in word.rstrip(".") or "-" in name):
            found.append(name)
    return found


_PLACED = ("inside", "within")
_VAGUE = frozenset(
    "text docs style config query header component script module dependency lock secret environment container diagram "  # noqa: SIM905 -- a list of words reads best as words
    "notebook shell c r".split()
)
_LANGUAGE_WORDS = frozenset(word for words in LANGUAGES.values() for word in words.split()) - _VAGUE


def named_languages(title: str) -> list[str]:
    """The languages that a title names, as words of ``situations.LANGUAGES``."""
    found = {word for _, word in spelled(title)} & _LANGUAGE_WORDS
    return sorted(found if "Go" in title else found - {"go"})


def grams_of(literal: str) -> list[int]:
    """The trigrams of a literal's bytes, ASCII letters in lower case."""
    raw = literal.encode("utf-8", "replace").lower()
    return [raw[at] << 16 | raw[at + 1] << 8 | raw[at + 2] for at in range(len(raw) - 2)]
