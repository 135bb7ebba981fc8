"""What an action may rest on: its quotes checked, its trust computed, its strength, its triggers (pure).

The trust of an action is the lowest origin it cites, never what a model says about it.
"""

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import re2

from ultan.events import PERSON, Piece, trust_of
from ultan.library.actions import Cite, TriggerSpec
from ultan.library.entry import TRUST, Evidence, Trigger
from ultan.library.operation import Tombstone

OBSERVED, ASSISTANT, CONFIRMED, PERSONAL = range(4)
QUOTE_CHARS = 300  # of a quote kept in an entry; the operation's session has the rest
EVIDENCE_KEPT = 5
FINDING_DAYS = 30
ALIKE = 0.6  # share of words at which a rule counts as the one that a person rejected
BROAD = 2  # of the canaries below that a blocking pattern may match (RELIABILITY R16)
CANARIES = (
    "ls -la", "cd src", "cat README.md", "git status", "git diff HEAD~1", "git log --oneline -5", "pwd",
    "grep -rn TODO .", "python --version", "make test", "npm run build", "echo done", "mkdir -p out", "which node",
    "pytest tests/unit", "head -20 setup.cfg", "cp a.txt b.txt", "find . -name '*.md'", "cargo check", "go vet ./...",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Grounds:
    """What an action rests on: *trust* rank, checked evidence, the person's own words among it."""

    trust: int
    evidence: tuple[Evidence, ...] = ()
    words: str = ""

    @property
    def name(self) -> str:
        """The trust as an entry carries it."""
        return TRUST[self.trust]


def grounds(
    cites: Sequence[Cite], sources: Mapping[str, Piece] | None, *, by: str, session: str, confirmed: bool = False
) -> Grounds | str:
    """What *cites* give an action, or why they give nothing.

    A person at a terminal and an import need no evidence. Everybody else must quote a piece of
    *sources* word for word (white space aside); *confirmed* lifts low trust to a person's approval.
    """
    personal = by in ("person", "import")
    evidence = []
    trust = PERSONAL
    words = []
    for cite in cites:
        if sources is None and personal:
            evidence.append(Evidence(session, cite.event, shortened(cite.quote), "user"))
            continue
        piece = (sources or {}).get(cite.event)
        if piece is None:
            return f"its evidence names {cite.event[:40]!r}, which is no piece of this session"
        if squeezed(cite.quote) not in squeezed(piece.text):
            return f"its quote is not in {cite.event[:40]!r}: {shortened(cite.quote, 60)!r}"
        trust = min(trust, trust_of(piece.origin))
        if piece.origin in PERSON:
            words.append(cite.quote)
        evidence.append(Evidence(session, cite.event, shortened(cite.quote), piece.origin))
    if not cites and not personal:
        return "it quotes no evidence"
    if personal:
        trust = PERSONAL
    elif confirmed:
        trust = max(trust, CONFIRMED)
    return Grounds(trust, tuple(evidence), " ".join(words))


def squeezed(text: str) -> str:
    """*text* with every run of white space as one space."""
    return " ".join(text.split())


def shortened(text: str, chars: int = QUOTE_CHARS) -> str:
    """*text* on one line, cut at *chars* with an ellipsis."""
    line = squeezed(text)
    return line if len(line) <= chars else line[: chars - 1].rstrip() + "…"


def gathered(old: Iterable[Evidence], new: Iterable[Evidence]) -> tuple[Evidence, ...]:
    """Old and new evidence, each once: the first, and the latest of the others."""
    every = tuple(dict.fromkeys((*old, *new)))
    return every if len(every) <= EVIDENCE_KEPT else (every[0], *every[-(EVIDENCE_KEPT - 1) :])


# --- rules -------------------------------------------------------------------------------------------


def rule_key(text: str) -> str:
    """What two rules share that say the same in the same words."""
    return " ".join(_WORD.findall(text.casefold()))


def is_alike(one: str, other: str) -> bool:
    """Whether two rule keys share most of their words."""
    a, b = set(one.split()), set(other.split())
    return bool(a and b) and len(a & b) / len(a | b) >= ALIKE


def forbidden(rule: str, scope: str, found: Grounds, tombstones: Iterable[Tombstone]) -> str:
    """Why *rule* must not be learned again, or ``""``: a person rejected it and said nothing new since."""
    pieces = {each.turn for each in found.evidence}
    for stone in tombstones:
        if stone.scope in (scope, "global") and is_alike(stone.rule, rule_key(rule)):
            anew = found.trust == PERSONAL and bool(pieces - set(stone.pieces))
            if not anew:
                return "the person rejected or undid this before and has said nothing new about it"
    return ""


def is_unsupported(said: str, cited: str) -> bool:
    """Whether *said* shares no word with the text it rests on: then a person should look at it.

    Words are compared by their first four letters, without the most frequent ones. Where one
    side has no such word, or they are written in different scripts, nothing is judged.
    """
    mine, theirs = _stems(said), _stems(cited)
    return bool(mine and theirs) and mine.isdisjoint(theirs) and said.isascii() == cited.isascii()


def _stems(text: str) -> set[str]:
    return {word[:4] for word in _WORD.findall(text.casefold()) if len(word) > 1 and word not in _FREQUENT}


_FREQUENT = frozenset(
    "the an and or to for of in on at is are be it its this that with not no use using do does don we you me my our "  # noqa: SIM905 -- as a list of strings nobody reads it
    "your always never please should must when where what if as by from all any every can will run make get go now "
    "then here there so just also but".split()
)
_WORD = re.compile(r"[^\W_]+")


# --- strength ----------------------------------------------------------------------------------------

UNLIKE, CLOSE, DISTANCE = 0.1, 0.5, 0.05
LEAST_KNOWN = 5  # entries; among fewer everything is unlike the rest
SALIENCE = {"contradicts": 0.85, "novel": 0.5, "reinforces": 0.6, "drift": 0.55}
EMPHASIS, REPETITION, MOST_REPETITION, FINDING, DISCOUNT = 0.1, 0.05, 0.15, -0.15, 0.3


@dataclass(frozen=True, slots=True)
class Strength:
    """How surprising an entry was when written, in [0, 1], and the parts it is made of."""

    value: float
    parts: tuple[tuple[str, float], ...]

    def explained(self) -> str:
        """The parts in words: ``contradicts 0.85, emphasis +0.1``."""
        first, *others = self.parts
        return ", ".join([f"{first[0]} {first[1]:g}", *(f"{name} {by:+g}" for name, by in others)])


def encoding_strength(
    salience: str, *, kind: str, words: str = "", repeated: int = 0, likeness: float | None = None
) -> Strength:
    """The strength of an entry that is written now.

    Args:
        salience: why it is written.
        kind: findings are weaker; they are about the world, not about the person's will.
        words: what the person said; emphasis counts.
        repeated: how often it was said before.
        likeness: to the nearest entry known; what is new and unlike all others stands out (von Restorff
            1933), what nearly everybody knew does not. ``None`` where too little is known to tell.
    """
    parts = [(salience, SALIENCE[salience])]
    if salience == "novel" and likeness is not None and likeness < UNLIKE:
        parts.append(("unlike all that is known", DISTANCE))
    elif salience == "novel" and likeness is not None and likeness >= CLOSE:
        parts.append(("close to what is known", -DISTANCE))
    if is_emphatic(words):
        parts.append(("emphasis", EMPHASIS))
    if repeated:
        parts.append(("repetition", min(MOST_REPETITION, REPETITION * repeated)))
    if kind == "finding":
        parts.append(("finding", FINDING))
    return Strength(round(min(1.0, max(0.05, math.fsum(by for _, by in parts))), 3), tuple(parts))


def stems(text: str) -> frozenset[str]:
    """What *text* is compared by: its words, cut, without the most frequent ones."""
    return frozenset(_stems(text))


def likeness(mine: frozenset[str], known: Iterable[frozenset[str]]) -> float | None:
    """How like the nearest of *known* something is, in [0, 1]; ``None`` if fewer than five are known."""
    nearest, count = 0.0, 0
    for theirs in known:
        count += 1
        common = len(mine & theirs)
        if common:
            nearest = max(nearest, common / (len(mine) + len(theirs) - common))
    return nearest if count >= LEAST_KNOWN else None


def is_emphatic(words: str) -> bool:
    """Whether somebody raised their voice: never, always, an exclamation mark, capitals."""
    return bool(_EMPHASIS.search(words) or _CAPITALS.search(words))


_EMPHASIS = re.compile(
    r"(?i)\b(never|always|must|important|remember|niemals|immer|unbedingt|jamais|toujours|nunca|siempre|sempre|mai"
    r"|никогда|всегда|обязательно)\b|!|绝不|必须|总是|絶対|必ず"
)
_CAPITALS = re.compile(r"\b(?:NOT|NEVER|ALWAYS|DO NOT|DON'T|STOP|NO)\b")


# --- triggers ----------------------------------------------------------------------------------------


def triggers_of(specs: Iterable[TriggerSpec], trust: int) -> tuple[tuple[Trigger, ...], tuple[str, ...]]:
    """The triggers that may be written, and a note for each that was changed or left out.

    A pattern that RE2 cannot compile is left out. A block needs a person, and a pattern that is
    not so broad that it would catch harmless calls; otherwise it advises.
    """
    kept = []
    notes = []
    for spec in specs:
        broken = next((each for each in (spec.pattern, *spec.unless) if compiled(each) is None), "")
        if broken:
            notes.append(f"trigger left out, RE2 cannot compile {broken[:60]!r}")
            continue
        severity: str = spec.severity
        if severity == "block" and trust < CONFIRMED:
            notes.append("block became advice: only a person's word blocks")
            severity = "advise"
        elif severity == "block" and is_too_broad(spec.pattern):
            notes.append(f"block became advice: {spec.pattern[:60]!r} would catch harmless calls")
            severity = "advise"
        kept.append(Trigger(spec.tool, spec.pattern, spec.field, spec.files, spec.unless, severity))
    return tuple(kept), tuple(notes)


def compiled(pattern: str) -> "re2.Regexp | None":
    """*pattern* compiled by RE2 with its limits, or ``None``."""
    if not pattern or len(pattern) > 512:
        return None
    options = re2.Options()
    options.log_errors = False
    options.max_mem = 8 << 20
    try:
        return re2.compile(pattern.encode("utf-8", "replace").decode(), options)
    except re2.error:
        return None


def is_too_broad(pattern: str) -> bool:
    """Whether *pattern* matches the empty text or more than two harmless commands."""
    regex = compiled(pattern)
    return regex is None or bool(regex.search("")) or sum(bool(regex.search(each)) for each in CANARIES) > BROAD


# --- texts that go into an entry ------------------------------------------------------------------------


def cleaned(text: str) -> str:
    """*text* without what a reader cannot see: controls, bidi overrides, tags, invisible spaces."""
    if text.isascii() and text.isprintable():
        return text
    return _UNSEEN.sub("", text.replace("\r\n", "\n").replace("\r", "\n")).encode("utf-8", "replace").decode()


_UNSEEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb"
    "\U000e0000-\U000e007f]"
)
