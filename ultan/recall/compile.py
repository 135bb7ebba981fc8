"""Library → a new index generation, then one rename.

What a hook would otherwise compute is computed here: the weights of every term in every entry
(BM25F; equal to ``rank-bm25``'s where there is one field, see ``tests/property/test_bm25.py``),
near terms from an encoder, cards, the literals that triggers need, the order of standing rules.
"""

import os
import struct
import zlib
from array import array
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from ultan import home, plainjson
from ultan.encoders import load as load_encoder
from ultan.errors import IndexUnreadable
from ultan.recall import index as layout
from ultan.recall.commands import subjects
from ultan.recall.index import Index
from ultan.recall.lookaround import needed_literals, rewritten
from ultan.recall.situations import LANGUAGES, SITUATION, TRIGGER_TOOL, file_keys, mentioned_files, situation_keys
from ultan.recall.text import spelled
from ultan.recall.triggers import compiled, trips

if TYPE_CHECKING:
    from ultan.encoders import Encoder
    from ultan.library.entry import Entry, Trigger
    from ultan.library.snapshot import Library
    from ultan.settings import Settings

K1 = 1.0
# Field → (weight, how much its length counts). Titles and cues are short and written to be found; a
# lower length weight is worth .02 of recall@10 where entries are turns, and nothing where they are rules.
FIELDS: Mapping[str, tuple[float, float]] = {
    "title": (1.3, 0.35), "cues": (1.0, 0.35), "tags": (1.0, 0.35), "body": (1.0, 0.35), "day": (1.0, 0.35),
}  # fmt: skip
MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
    "December",
)  # fmt: skip
FORWARD_FROM = 2000  # entries from which on a query is answered in two stages
RULE_CHARS, BODY_CHARS = 480, 420
KEYS = 1 << 40  # numbers of what is found by other than words begin here
ATTUNED_FROM = 12  # entries; before that half a minute of work for near terms finds nothing that words do not
STANDING = 40  # standing rules kept per scope; a briefing shows a dozen
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


@dataclass(frozen=True, slots=True)
class Generation:
    """What a compile made: where it lies, how large it is, and what it could not use."""

    path: str
    entries: int
    terms: int
    triggers: int
    size_bytes: int
    fingerprint: str
    encoder: str
    switched_off: tuple[tuple[str, str], ...]  # (entry id, why its trigger cannot be used)


def compile(  # noqa: A001 -- the word of the glossary
    library: "Library",
    root: str,
    settings: "Settings",
    encoder: "Encoder | None" = None,
    now: float = 0.0,
    progress: Callable[[str, int, int], None] | None = None,
) -> Generation:
    """The index generation made from *library* and published under the home *root*.

    Without an encoder the near terms of the generation before are carried over: a save must not
    wait for a model. ``attune`` brings them up to date in the background.
    """
    foreign = set(library.foreign)
    entries = [entry for entry in library.entries.values() if entry.path not in foreign and entry.id not in foreign]
    draft = Draft(entries, progress=progress)
    if encoder is not None:
        draft.add_near_terms(encoder, os.path.join(root, "index"))
    else:
        draft.carry_over(root)
    raw = draft.encoded(settings.baked(), library.fingerprint, now)
    path = layout.path_of(root)
    home.make_folder(os.path.dirname(path))
    home.write(path, raw)
    return Generation(
        path, len(entries), draft.term_count, len(draft.triggers), len(raw), library.fingerprint,
        draft.encoder, tuple(draft.switched_off),
    )  # fmt: skip


def attune(
    read: "Callable[[], Library]", root: str, settings: "Settings", now: float,
    progress: Callable[[str, int, int], None] | None = None,
) -> Generation | None:  # fmt: skip
    """A generation whose near terms are all of today's encoder; ``None`` if there is nothing to gain.

    Nothing is to gain where the index is already so, or the library smaller than ``ATTUNED_FROM``.

    Meant for the background: words are embedded first, which may take a minute on a fresh machine,
    then the library is read again, so that nothing saved meanwhile is lost.

    Raises:
        ModelUnavailable: the encoder or its weights are not here; the index stays as it is.
    """
    encoder = load_encoder(settings)
    library = read()
    if len(library.entries) < ATTUNED_FROM or is_attuned(root, encoder.name, library.fingerprint):
        return None
    Draft(list(library.entries.values())).add_near_terms(encoder, os.path.join(root, "index"), progress)
    library = read()
    made = compile(library, root, settings, encoder, now, progress)
    latest = read()
    return made if latest.fingerprint == library.fingerprint else compile(latest, root, settings, None, now)


def is_attuned(root: str, encoder: str, fingerprint: str) -> bool:
    """Whether the index under *root* is whole, of this library, and its near terms of this encoder."""
    try:
        index = layout.open_index(root, encoder)
    except IndexUnreadable:
        return False
    return index.fingerprint == fingerprint and bool(index.meta.get("attuned"))


def build_from_entries(
    entries: Iterable["Entry"], settings: "Settings", encoder: "Encoder | None" = None, cache: str = ""
) -> Index:
    """An index of *entries* in memory, made by the same steps; for benches and dry runs."""
    draft = Draft(list(entries))
    if encoder is not None:
        draft.add_near_terms(encoder, cache)
    return Index(draft.encoded(settings.baked(), "", 0.0))


class Draft:
    """An index in the making."""

    def __init__(
        self, entries: Sequence["Entry"], progress: Callable[[str, int, int], None] | None = None
    ) -> None:
        self.entries = sorted(entries, key=lambda entry: (entry.scope != layout.GLOBAL, entry.scope, entry.id))
        self.progress = progress
        self.number = {entry.id: at for at, entry in enumerate(self.entries)}
        self.spellings: dict[str, Counter[str]] = {}
        self.vocabulary: dict[str, int] = {}
        self.counts: list[dict[str, Counter[int]]] = []
        self.near: dict[int, list[tuple[int, float]]] = {}
        self.near_only: dict[int, int] = {}  # key of a term that only readers use → its number here
        self.keys: dict[str, int] = {}
        self.encoder = ""
        self.is_attuned = False
        self.triggers: list[list[Any]] = []
        self.switched_off: list[tuple[str, str]] = []
        self._count()
        self._find_triggers()

    # --- terms ----------------------------------------------------------------------------------

    def _count(self) -> None:
        for at, entry in enumerate(self.entries):
            fields = {name: self._terms(text) for name, text in field_texts(entry).items()}
            self.counts.append(fields)
            if self.progress and at % 500 == 0:
                self.progress("reading", at, len(self.entries))

    def _terms(self, text: str) -> Counter[int]:
        found: Counter[int] = Counter()
        vocabulary, spellings = self.vocabulary, self.spellings
        for term, spelling in spelled(text):
            number = vocabulary.get(term)
            if number is None:
                number = vocabulary[term] = len(vocabulary)
                spellings[term] = Counter()
            spellings[term][spelling] += 1
            found[number] += 1
        return found

    @property
    def term_count(self) -> int:
        """How many terms the entries hold."""
        return len(self.vocabulary)

    def weights(self) -> list[dict[int, float]]:
        """Per entry: term → weight over all fields, without idf."""
        total = max(1, len(self.entries))
        average = {name: sum(sum(fields[name].values()) for fields in self.counts) / total or 1.0 for name in FIELDS}
        rows = []
        for fields in self.counts:
            summed: dict[int, float] = {}
            for name, (weight, b) in FIELDS.items():
                counts = fields[name]
                if not counts:
                    continue
                scale = weight / (1.0 - b + b * sum(counts.values()) / average[name])
                for term, count in counts.items():
                    summed[term] = summed.get(term, 0.0) + count * scale
            rows.append({term: saturated(value) for term, value in summed.items()})
        return rows

    # --- triggers -------------------------------------------------------------------------------

    def _find_triggers(self) -> None:
        for at, entry in enumerate(self.entries):
            if entry.status != "active" or entry.superseded_by:
                continue
            for trigger in entry.triggers:
                if trigger.tool == TRIGGER_TOOL:
                    continue
                row, reason = trigger_row(at, entry, trigger)
                if row is None:
                    self.switched_off.append((entry.id, reason))
                else:
                    self.triggers.append(row)

    # --- near terms -----------------------------------------------------------------------------

    def add_near_terms(
        self, encoder: "Encoder", cache_folder: str = "", progress: Callable[[str, int, int], None] | None = None
    ) -> None:
        """Find, for every term and for common words beside, the terms of the library that mean much the same."""
        from ultan.recall.near import near_terms  # noqa: PLC0415 -- numpy, only with an encoder

        spelling = {term: counts.most_common(1)[0][0] for term, counts in self.spellings.items()}
        self.encoder = encoder.name
        self.near, readers = near_terms(self.vocabulary, spelling, encoder, cache_folder, progress or self.progress)
        self.near_only = {layout.term_key(term): number for term, number in readers.items()}
        self.is_attuned = True

    def carry_over(self, root: str) -> None:
        """Take the near terms of the generation under *root*, as far as its terms are still in use."""
        try:
            before = layout.open_index(root)
            keys = before.keys() if before.encoder else []
        except IndexUnreadable:
            return
        if not keys:
            return
        own = {layout.term_key(term): number for term, number in self.vocabulary.items()}
        numbers = [own.get(key, -1) for key in keys]
        after = len(self.vocabulary)
        for at, key in enumerate(keys):
            found = [(numbers[other], sim) for other, sim in before.near(at) if numbers[other] >= 0]
            if not found:
                continue
            number = numbers[at]
            if number < 0:
                number = self.near_only[key] = after
                after += 1
            self.near[number] = found
        self.encoder = before.encoder

    # --- writing --------------------------------------------------------------------------------

    def encoded(self, baked: Mapping[str, Any], fingerprint: str, now: float) -> bytes:
        """The bytes of the index file."""
        for at, entry in enumerate(self.entries):  # what is looked up by file stands beside the words
            for key in sorted(keys_of(entry)):
                number = self.keys.setdefault(key, KEYS + len(self.keys))
                self.counts[at].setdefault("files", Counter())[number] = 1
        sections: dict[str, bytes] = {}
        self._write_terms(sections)
        self._write_entries(sections)
        self._write_triggers(sections)
        sections["meta"] = plainjson.dumps(
            {
                "settings": {key: list(v) if isinstance(v, tuple) else v for key, v in baked.items()},
                "made_at": now, "fingerprint": fingerprint, "encoder": self.encoder, "attuned": self.is_attuned, "entries": len(self.entries),
                "situations": any(key.startswith(SITUATION) for key in self.keys),
                "scopes": self._write_standing(sections),
            }
        ).encode("utf-8")  # fmt: skip
        return assembled(sections)

    def _write_terms(self, sections: dict[str, bytes]) -> None:  # noqa: C901 -- the arrays grow side by side
        by_term: dict[int, list[tuple[int, int]]] = {}
        forward: list[list[tuple[int, int]]] = []
        for at, row in enumerate(self.weights()):
            pairs = [(term, scaled(weight)) for term, weight in row.items()]
            keys = [(term, layout.FULL_WEIGHT_OF_KEYS) for term in self.counts[at].get("files", Counter())]
            for term, weight in (*pairs, *keys):
                by_term.setdefault(term, []).append((at, weight))
            forward.append(pairs)
        keyed = [(layout.term_key(term), number) for term, number in self.vocabulary.items()]
        keyed += [(layout.term_key(key), number) for key, number in self.keys.items()]
        keyed += [(key, number) for key, number in self.near_only.items()]
        keyed.sort()
        numbered, order = array("Q"), {}
        for key, number in keyed:
            if numbered and numbered[-1] == key:
                continue  # two terms in one key, one chance in 2^64: the second is not found
            order[number] = len(numbered)
            numbered.append(key)
        numbers = {at: number for number, at in order.items()}
        offsets, docs, weights = array("I", [0]), array("I"), array("H")
        near_offsets, near_numbers, near_sims = array("I", [0]), array("I"), array("B")
        for at in range(len(numbered)):
            number = numbers[at]
            near = self.near.get(number, ())
            for doc, weight in by_term.get(number, ()):
                docs.append(doc)
                weights.append(weight)
            offsets.append(len(docs))
            for other, sim in near:
                if other in order:
                    near_numbers.append(order[other])
                    near_sims.append(min(255, round(sim * 255)))
            near_offsets.append(len(near_numbers))
        sections["tkey"], sections["tdir"] = numbered.tobytes(), directory(numbered)
        sections["toff"], sections["pdoc"] = offsets.tobytes(), docs.tobytes()
        sections["pimp"] = weights.tobytes()
        sections["noff"] = near_offsets.tobytes() if self.encoder else b""
        sections["nterm"], sections["nsim"] = near_numbers.tobytes(), near_sims.tobytes()
        starts, ids, values = array("I", [0]), array("I"), array("H")
        if len(self.entries) >= FORWARD_FROM:
            for pairs in forward:
                for term, weight in pairs:
                    ids.append(order[term])
                    values.append(weight)
                starts.append(len(ids))
        sections["foff"] = starts.tobytes() if len(starts) > 1 else b""
        sections["fterm"], sections["fimp"] = ids.tobytes(), values.tobytes()

    def _write_entries(self, sections: dict[str, bytes]) -> None:
        flags, priors, successors = array("H"), array("f"), array("i")
        offsets, cards = array("I", [0]), bytearray()
        linked = self._links()
        for entry in self.entries:
            flags.append(flags_of(entry))
            priors.append(prior_of(entry, linked.get(entry.id, 0)))
            successors.append(self.number.get(entry.superseded_by, -1) if entry.superseded_by else -1)
            cards += zlib.compress(plainjson.dumps(card_values(entry)).encode("utf-8"), 6)
            offsets.append(len(cards))
        sections["dflag"], sections["dprior"], sections["dnext"] = (
            flags.tobytes(), priors.tobytes(), successors.tobytes(),
        )  # fmt: skip
        sections["coff"], sections["card"] = offsets.tobytes(), bytes(cards)
        ids = sorted((layout.term_key(entry.id), at) for at, entry in enumerate(self.entries))
        sections["ikey"] = array("Q", (key for key, _ in ids)).tobytes()
        sections["inum"] = array("I", (at for _, at in ids)).tobytes()

    def _links(self) -> dict[str, int]:
        """How many entries a person stands behind link to each entry; untrusted links count nothing."""
        found: Counter[str] = Counter()
        for entry in self.entries:
            if entry.trust in ("confirmed", "person"):
                found.update({link for link in entry.links if link != entry.id})
        return found

    def _write_standing(self, sections: dict[str, bytes]) -> dict[str, list[int]]:
        scopes: dict[str, list[int]] = {}
        standing = array("I")
        at = 0
        while at < len(self.entries):
            scope = self.entries[at].scope
            end = at
            while end < len(self.entries) and self.entries[end].scope == scope:
                end += 1
            chosen = standing_order(self.entries[at:end], at)
            scopes[scope] = [at, end, len(standing), len(standing) + len(chosen)]
            standing.extend(chosen)
            at = end
        sections["bdoc"] = standing.tobytes()
        return scopes

    def _write_triggers(self, sections: dict[str, bytes]) -> None:
        offsets, blob = array("I", [0]), bytearray()
        frequency: Counter[int] = Counter()
        for row in self.triggers:
            for literal in row[7]:
                frequency.update(grams_of(literal))
        by_gram: dict[int, list[int]] = {}
        always = array("I")
        for number, row in enumerate(self.triggers):
            blob += plainjson.dumps(row).encode("utf-8")
            offsets.append(len(blob))
            rarest = {min(grams_of(literal), key=lambda gram: (frequency[gram], gram), default=-1) for literal in row[7]}
            if not rarest or -1 in rarest:
                always.append(number)
            else:
                for gram in rarest:
                    by_gram.setdefault(gram, []).append(number)
        keys, starts, numbers = array("I"), array("I", [0]), array("I")
        for gram in sorted(by_gram):
            keys.append(gram)
            numbers.extend(by_gram[gram])
            starts.append(len(numbers))
        sections["xoff"], sections["xtrig"] = offsets.tobytes(), bytes(blob)
        sections["gkey"], sections["goff"] = keys.tobytes(), starts.tobytes()
        sections["gtrig"], sections["galways"] = numbers.tobytes(), always.tobytes()


# --- what an entry becomes ------------------------------------------------------------------------


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
            entry.title, entry.applies_when, entry.rule, (one.pattern for one in entry.triggers if one.tool == TRIGGER_TOOL)
        ),
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
    return strength + HELPFUL_PRIOR * usefulness + LINK_PRIOR * links / (links + 4.0)


def card_values(entry: "Entry") -> list[Any]:
    """The fields of ``index.CARD_FIELDS``, in order."""
    rule = " ".join(entry.rule.split())
    rest = " ".join(entry.body.split())
    body = rest[len(rule) :].strip() if rest.startswith(rule) else rest
    return [
        entry.id, entry.title, rule[:RULE_CHARS], entry.kind, entry.scope, entry.trust, entry.created, entry.updated,
        said_by(entry), origin_of(entry), entry.pinned, entry.status, entry.superseded_by, list(entry.links)[:4],
        entry.reinforced, entry.fired, entry.fired_helpful, round(entry.encoding_strength, 3), body[:BODY_CHARS],
        list(entry.applies_when), list(entry.files), entry.expires,
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


def standing_order(entries: Sequence["Entry"], first: int) -> list[int]:
    """Entry numbers worth saying at session start: pinned, then strength of the rule, then the newest."""

    def rank(pair: tuple[int, "Entry"]) -> tuple[bool, float, str, str]:
        _, entry = pair
        return (entry.pinned, min(3, entry.reinforced) + 2 * entry.encoding_strength, entry.updated, entry.id)

    chosen = [
        (first + at, entry)
        for at, entry in enumerate(entries)
        if entry.status == "active" and not entry.superseded_by and entry.trust != "observed"
        and (entry.pinned or entry.kind in STANDING_KINDS)
    ]  # fmt: skip
    chosen.sort(key=rank, reverse=True)
    return [number for number, _ in chosen[:STANDING]]


def trigger_row(number: int, entry: "Entry", trigger: "Trigger") -> tuple[list[Any] | None, str]:
    """A trigger as the index holds it, or why it is switched off."""
    pattern, unless = rewritten(trigger.pattern)
    for text in (pattern, *unless, *trigger.unless):
        if len(text) > PATTERN_CHARS:
            return None, f"its pattern is longer than {PATTERN_CHARS} characters"
        if compiled(text) is None:
            return None, f"its pattern is nothing that RE2 can use: {text}"
    matcher = compiled(pattern)
    if matcher is not None and matcher.search(""):
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
    words = f"{entry.title} . {entry.rule}".lower().replace("`", " ").replace(",", " ").split()
    found = []
    for before, word in pairwise(words):
        name = word.rstrip(".;:").split(".")[0]
        if before in ("inside", "within") and ("_" in name or "." in word.rstrip(".") or "-" in name):
            found.append(name)
    return found


_VAGUE = frozenset(
    "text docs style config query header component script module dependency lock secret environment container diagram "  # noqa: SIM905 -- a list of words reads best as words
    "notebook shell c r".split()
)
_LANGUAGE_WORDS = frozenset(word for words in LANGUAGES.values() for word in words.split()) - _VAGUE


def named_languages(title: str) -> list[str]:
    """The languages that a title names, as words of ``situations.LANGUAGES``."""
    found = {word for _, word in spelled(title)} & _LANGUAGE_WORDS
    return sorted(found if "Go" in title else found - {"go"})


# --- numbers ----------------------------------------------------------------------------------------


def saturated(frequency: float) -> float:
    """The part of BM25 that depends on the entry: frequency that counts ever less."""
    return frequency * (K1 + 1.0) / (frequency + K1) if frequency else 0.0


def scaled(weight: float) -> int:
    """A weight as the sixteen bits stored, never 0."""
    return max(1, min(65535, round(weight * layout.FULL_WEIGHT)))


def grams_of(literal: str) -> list[int]:
    """The trigrams of a literal's bytes, ASCII letters in lower case."""
    raw = literal.encode("utf-8", "replace").lower()
    return [raw[at] << 16 | raw[at + 1] << 8 | raw[at + 2] for at in range(len(raw) - 2)]


def directory(keys: "array[int]") -> bytes:
    """Where the keys of each first byte begin."""
    starts = array("I", [0] * 257)
    for key in keys:
        starts[(key >> 56) + 1] += 1
    for at in range(1, 257):
        starts[at] += starts[at - 1]
    return starts.tobytes()


def assembled(sections: Mapping[str, bytes]) -> bytes:
    """The file: header, table, block checksums, sections."""
    size = sum(len(raw) + (-len(raw)) % 8 for raw in sections.values())
    blocks = -(-size // layout.BLOCK)
    start = layout.HEADER.size + (len(sections) + 1) * layout.ROW.size
    start += (-start) % 8
    payload = start + blocks * 4
    payload += (-payload) % 8
    body = bytearray()
    rows = []
    for name, raw in sections.items():
        rows.append((name.encode(), payload + len(body), len(raw), zlib.crc32(raw)))
        body += raw
        body += bytes((-len(raw)) % 8)
    sums = array("I", (zlib.crc32(body[at : at + layout.BLOCK]) for at in range(0, len(body), layout.BLOCK))).tobytes()
    rows.append((b"blocks", start, len(sums), zlib.crc32(sums)))
    table = b"".join(layout.ROW.pack(*row, 0) for row in rows)
    head = layout.HEADER.pack(
        layout.MAGIC, layout.FORMAT, layout.ORDER, payload + len(body), len(rows), start, zlib.crc32(table), 0
    )
    head = head[:-4] + struct.pack("=I", zlib.crc32(head[:-4]))
    front = head + table
    front += bytes(start - len(front))
    front += sums
    front += bytes(payload - len(front))
    return bytes(front) + bytes(body)
