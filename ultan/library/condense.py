"""Fewer words for what is old, unused and long: key sentences, then one line; pure functions.

The whole text stays in history under its digest, which the entry keeps with its level; use
brings it back. Strong, pinned and used entries resist by their retention.
"""

import re
from dataclasses import dataclass
from hashlib import sha256

from ultan.library import retention
from ultan.library.body import RELATED, composed, rule_of, with_related
from ultan.library.entry import Entry
from ultan.library.retention import Fading

KEY = "condensed"
LEVELS = ("told in full again", "told in key sentences", "told in one line")
LONG_CHARS = (0, 400, 160)
"""A body must be longer than this to be told at a level."""
LEFT_BELOW = (1.0, 0.6, 0.4)
"""Retention under which an entry is told at a level; a quarter is where it may be archived."""
LEAST_IDLE = 30
KEY_SENTENCES = 2
_END = re.compile(r"(?<=[.!?])[\"')\]]*\s+|(?<=[\u3002\uff01\uff1f])")
_SHORT = re.compile(r"(?:\b(?:e\.g|i\.e|etc|vs|cf|bzw|z\.\s?B|ca|Nr|[A-Zzdu])\.)$")
_PART = re.compile(r"^\*\*(why|how to apply):?\*\*:?\s*(.*?)(?=^\s*(?:\*\*(?:why|how to apply)|#{1,6}\s)|\Z)", re.IGNORECASE | re.MULTILINE | re.DOTALL)
_WEIGHTY = re.compile(r"(?i)`|\b(never|always|must|not|only|unless|except|nie|immer|nur|kein\w*|außer)\b")


@dataclass(frozen=True, slots=True)
class Condensed:
    """How an entry is told now.

    Attributes:
        level: 1 key sentences, 2 one line.
        day: since when.
        fetched: how often it had been opened then; more is use.
        original: digest of the file that says it in full.
        said: digest of the text that took its place; another text is somebody's, and stays.
    """

    level: int
    day: str
    fetched: int
    original: str
    said: str

    def written(self) -> str:
        """As it stands in the frontmatter."""
        return f"{self.level} {self.day} {self.fetched} {self.original} {self.said}"


def told(entry: Entry) -> Condensed | None:
    """How *entry* is told; ``None`` if in full, in words that somebody changed since, or if the field is no good."""
    parts = str(entry.extra.get(KEY, "")).split()
    if len(parts) != 5 or not (parts[0] in "12" and parts[2].isdigit()) or parts[4] != said(entry.body):
        return None
    return Condensed(int(parts[0]), parts[1], int(parts[2]), parts[3], parts[4])


def said(body: str) -> str:
    """A digest of what *body* says, apart from its links to other entries."""
    return sha256(" ".join(body.partition(RELATED)[0].split()).encode("utf-8", "replace")).hexdigest()[:16]


def is_used(entry: Entry, since: Condensed) -> bool:
    """Whether *entry* was opened, relied on or said again since it was condensed."""
    return entry.fetched > since.fetched or max(entry.last_helpful, entry.last_reinforced) >= since.day


def due(fading: Fading) -> int:
    """The level at which the entry should be told now; 0: leave it as it is."""
    entry = fading.entry
    resists = entry.pinned or entry.encoding_strength >= retention.DEFAULTS.strong or entry.kind in ("abstraction", "event")
    if resists or fading.verdict == "expired" or fading.idle_days < LEAST_IDLE or "```" in entry.body:
        return 0
    now = told(entry)
    level = (now.level if now else 0) + 1
    if level > 2 or fading.retention >= LEFT_BELOW[level] or len(entry.body) <= LONG_CHARS[level]:
        return 0
    return level


def shorter(body: str, level: int) -> str:
    """*body* at *level*: the weightiest sentences of the rule with reason and use, or one line; links stay."""
    rule = sentences(rule_of(body))
    if level == 2:
        text = composed(rule[0] if rule else body.strip())
    else:
        parts = {match[1].casefold(): sentences(" ".join(match[2].split())) for match in _PART.finditer(body)}
        why, how = ("".join(parts.get(name, [])[:1]) for name in ("why", "how to apply"))
        text = composed(" ".join(_weightiest(rule)), why, how)
    for target in re.findall(r"^- \[\[([^\]|#\n]+)\]\]\s*$", body.partition(RELATED)[2], re.MULTILINE):
        text = with_related(text, target)
    return text


def sentences(text: str) -> list[str]:
    """The sentences of *text*; an abbreviation ends none."""
    found: list[str] = []
    for piece in _END.split(text):
        if found and _SHORT.search(found[-1]):
            found[-1] += " " + piece
        elif piece.strip():
            found.append(piece.strip())
    return found


def _weightiest(rule: list[str]) -> list[str]:
    """The first sentence and the heaviest of the others, in their order."""
    others = sorted(range(1, len(rule)), key=lambda place: (-len(_WEIGHTY.findall(rule[place])), place))
    return [rule[place] for place in sorted([0, *others[: KEY_SENTENCES - 1]])] if rule else []
