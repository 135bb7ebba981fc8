"""The words by which people lay down rules, one table a language, ready to match.

A table is a TOML file in ``cues/``: ``groups`` of phrases (what a phrase does in a sentence),
``aspects`` (what a rule says about its object) and ``things`` (what software work is about, as
concepts shared by all languages, so that a rule said again in another language is recognised).

Notation of a phrase: words in any case; ``*`` ends a stem; ``~`` stands for up to four words;
``^`` ties the phrase to the beginning of the statement; a comma of its own may be there or not. Scripts without spaces match anywhere.
Phrases are looked up by their first word, so that a long table costs no more than a short one.
"""

import functools
import os
import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "cues")
DEFAULT = "en"
LONGEST_GAP = 4
# Concepts whose English words developers of all languages use.
LOANED = (
    "stack", "commit", "branch", "docstring", "decorator", "test", "api", "ui", "log", "build", "review",
    "repository", "config", "import", "data",
)  # fmt: skip
_BEGINNING = 600  # characters; what is in no language by then is paid for in every table
_LIKELIER = 0.5  # words that a text without any accent is ahead by in English ("No, use pnpm" is Portuguese, too)
_PLAINLY = 2  # frequent words of English that, if no other language has as many, settle it
_UNSPACED = frozenset(("ja", "zh", "ko"))
_VERB_LAST = frozenset(("ja", "ko", "tr", "hi"))
_LETTER = re.compile(r"[^\W\d_]")
_MARKS = (
    "\u0300-\u036f\u064b-\u0655\u0900-\u0903\u093a-\u094f\u0962\u0963"  # vowel signs belong to their word
)
_WORD = re.compile(rf"[\w{_MARKS}]+(?:['’ʼ][\w{_MARKS}]+)*")  # noqa: RUF001 -- apostrophes as typed
_JOINTS = frozenset(" -/.\t'’\"`(*_~")  # noqa: RUF001 -- what may stand between two words of a phrase
_BULLET = re.compile(r"\s*(?:[-*•]|\d{1,2}[.)])\s+")
_AFTER_LEAD = ",.!:;…–—-，、。،！："  # noqa: RUF001 -- dashes as typed
# Groups of phrases that only lead up to a statement, and one of which must follow (none: anything may).
_LEADS = {"lead": "", "lead_marked": _AFTER_LEAD, "noted": ":："}  # noqa: RUF001 -- their own marks
# The script decides where one language owns it; letters decide between Russian and Ukrainian.
_SCRIPTS = (
    ("ja", re.compile(r"[\u3040-\u30ff]")),
    ("ko", re.compile(r"[\uac00-\ud7af\u1100-\u11ff]")),
    ("zh", re.compile(r"[\u3400-\u9fff]")),
    ("ar", re.compile(r"[\u0600-\u06ff]")),
    ("hi", re.compile(r"[\u0900-\u097f]")),
    ("uk", re.compile(r"[іїєґІЇЄҐ]|[а-яА-Я]['’ʼ][яюєї]")),  # noqa: RUF001 -- apostrophes as typed
    ("ru", re.compile(r"[\u0400-\u04ff]")),
)


@dataclass(frozen=True, slots=True)
class Hit:
    """A phrase found in a text: in which group, aspect or concept, and where."""

    name: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Phrase:
    """One phrase of a table as its words; a word ending in ``*`` is a stem."""

    name: str
    words: tuple[str, ...]
    tied: bool


@dataclass(frozen=True, slots=True)
class Cues:
    """One language's table. Names of aspects begin with ``:``, names of concepts with ``=``."""

    language: str
    common: frozenset[str]
    exact: Mapping[str, tuple[Phrase, ...]]
    stems: Mapping[str, tuple[Phrase, ...]]
    stem_lengths: tuple[int, ...]
    spaced: bool
    verb_last: bool

    def hits(self, text: str) -> tuple[Hit, ...]:
        """Every phrase of the table in *text*, in order."""
        return _hits(text, self.language)

    def named(self, text: str, *names: str) -> list[Hit]:
        """The hits of the groups *names* in *text*, in order."""
        return [hit for hit in self.hits(text) if hit.name in names]

    def marks(self, text: str) -> frozenset[str]:
        """Names of the groups that occur in *text*."""
        return frozenset(hit.name for hit in self.hits(text) if hit.name[0] not in ":=")

    def things(self, text: str) -> frozenset[str]:
        """Concepts of software work that *text* names."""
        return frozenset(hit.name[1:] for hit in self.hits(text) if hit.name[0] == "=")

    def aspects(self, text: str) -> frozenset[str]:
        """What a rule in *text* would say about its object."""
        return frozenset(hit.name[1:] for hit in self.hits(text) if hit.name[0] == ":")

    def body_at(self, text: str) -> int:
        """Where the statement begins after bullets, the name of the person spoken to, and words that only lead up."""
        return _body_at(text, self)


def languages() -> tuple[str, ...]:
    """Codes of all languages with a table; English first."""
    codes = sorted(name[:-5] for name in os.listdir(FOLDER) if name.endswith(".toml"))
    return tuple(sorted(codes, key=lambda code: code != DEFAULT))


@functools.cache
def table(language: str) -> Cues:
    """The table of *language*; words of the trade that everybody says in English are in all of them."""
    raw = _raw(language)
    phrases = [_phrase(name, text) for name, texts in raw["groups"].items() for text in texts]
    phrases += [_phrase(":" + name, text) for name, texts in raw.get("aspects", {}).items() for text in texts]
    phrases += [_phrase("=" + name, text) for name, texts in raw.get("things", {}).items() for text in texts]
    if language != DEFAULT:
        english, foreign = _raw(DEFAULT), frozenset(raw.get("not_loaned", ()))
        lent = [("=" + name, text) for name in LOANED for text in english["things"][name]]
        lent += [(":case", text) for text in english["aspects"]["case"]]
        phrases += [_phrase(name, text) for name, text in lent if text not in foreign]
    stems = _by_first(phrase for phrase in phrases if phrase.words[0].endswith("*"))
    return Cues(
        language=language,
        common=frozenset(raw.get("common", ())),
        exact=_by_first(phrase for phrase in phrases if not phrase.words[0].endswith("*")),
        stems=stems,
        stem_lengths=tuple(sorted({len(stem) for stem in stems})),
        spaced=language not in _UNSPACED,
        verb_last=language in _VERB_LAST,
    )


def constructions_of(language: str) -> Mapping[str, str]:
    """Patterns of the sentences by which people say in *language* what holds, by name."""
    found: dict[str, str] = _raw(language).get("constructions", {})
    return found


@functools.cache
def _raw(language: str) -> dict[str, Any]:
    with open(os.path.join(FOLDER, f"{language}.toml"), "rb") as file:
        return tomllib.load(file)


@functools.cache
def _frequent() -> tuple[tuple[str, frozenset[str]], ...]:
    return tuple((code, frozenset(_head(code).get("common", ()))) for code in languages())


def _head(language: str) -> dict[str, Any]:
    """What a file says before its first table: a twentieth of it, and enough to tell the language."""
    with open(os.path.join(FOLDER, f"{language}.toml"), encoding="utf-8") as file:
        return tomllib.loads(file.read().partition("\n[")[0])


def language_of(text: str) -> str:
    """The language *text* is written in, as far as script and common words of its beginning tell; else English."""
    text = text[:_BEGINNING]
    if not text.isascii():
        letters = len(_LETTER.findall(text)) or 1
        for language, script in _SCRIPTS:
            if len(script.findall(text)) / letters > (0.02 if language == "uk" else 0.15):
                return language
    words = {word.replace("’", "'").lower() for word in _WORD.findall(text)}  # noqa: RUF001 -- apostrophe as typed
    if text.isascii() and len(words & table(DEFAULT).common) >= max(_PLAINLY, len(words) / 2):
        return DEFAULT  # without reading the other tables
    shared = {code: len(words & frequent) for code, frequent in _frequent()}
    if shared[DEFAULT] >= _PLAINLY and shared[DEFAULT] > max(
        n for code, n in shared.items() if code != DEFAULT
    ):
        return DEFAULT
    scores = {code: n + _cue_words(text, code) / 2 for code, n in shared.items() if table(code).spaced}
    if text.isascii():
        scores[DEFAULT] += _LIKELIER
    return max(scores, key=lambda code: (scores[code], code == DEFAULT, code))


def _cue_words(text: str, language: str) -> int:
    """How many words of *text* the cues of *language* explain, its borrowed words aside."""
    return len(
        {
            hit.start
            for hit in table(language).hits(text)
            if hit.name[1:] not in LOANED and hit.name != ":case"
        }
    )


def _phrase(name: str, text: str) -> Phrase:
    tied = text.startswith("^")
    words: list[str] = []
    for word in text.lstrip("^").split():
        if word in ("~", ","):
            words.append(word)
            continue
        if word.isalpha():  # most are, and a table has thousands
            words.append(word.lower())
            continue
        parts = [part.replace("’", "'").lower() for part in _WORD.findall(word)] or [word.lower()]  # noqa: RUF001
        words += parts
        if word.endswith("*"):
            words[-1] += "*"
    return Phrase(name, tuple(words), tied)


def _by_first(phrases: Iterable[Phrase]) -> dict[str, tuple[Phrase, ...]]:
    found: dict[str, list[Phrase]] = {}
    for phrase in phrases:
        found.setdefault(phrase.words[0].removesuffix("*"), []).append(phrase)
    return {first: tuple(group) for first, group in found.items()}


Words = list[tuple[str, int, int]]


def _words(text: str) -> Words:
    return [
        (match.group().replace("’", "'").lower(), match.start(), match.end())  # noqa: RUF001 -- apostrophe as typed
        for match in _WORD.finditer(text)
    ]


@functools.lru_cache(maxsize=4096)
def _hits(text: str, language: str) -> tuple[Hit, ...]:
    cues = table(language)
    if not cues.spaced:
        return _hits_unspaced(text, cues)
    words = _words(text)
    body = cues.body_at(text)
    first = next((at for at, word in enumerate(words) if word[1] >= body), 0)
    found = [
        Hit(phrase.name, words[at][1], words[stop - 1][2])
        for at in range(len(words))
        for phrase in _starting(words[at][0], language)
        if (stop := _reach(phrase.words, words, at, text)) and (not phrase.tied or at in (0, first))
    ]
    return tuple(found)


@functools.lru_cache(maxsize=1 << 16)  # people have few words, and each is looked up in every language
def _starting(word: str, language: str) -> tuple[Phrase, ...]:
    cues = table(language)
    found = list(cues.exact.get(word, ()))
    for length in cues.stem_lengths:
        if length > len(word):
            break
        found += cues.stems.get(word[:length], ())
    return tuple(found)


def _reach(phrase: tuple[str, ...], words: Words, at: int, text: str) -> int:
    """One past the word at which *phrase*, begun at word *at*, ends; 0 if it does not hold."""
    here = at
    gap = 0
    pause = False
    for number, wanted in enumerate(phrase):
        if wanted in ("~", ","):
            gap, pause = (LONGEST_GAP, pause) if wanted == "~" else (gap, True)
            continue
        for skipped in range(gap + 1):
            if here + skipped >= len(words):
                return 0
            if _fits(wanted, words[here + skipped][0]):
                here += skipped
                break
        else:
            return 0
        if number and not gap and not _joined(text, words[here - 1][2], words[here][1], pause=pause):
            return 0
        gap, pause = 0, False
        here += 1
    return here


def _fits(wanted: str, word: str) -> bool:
    return word.startswith(wanted[:-1]) if wanted.endswith("*") else word == wanted


def _joined(text: str, end: int, start: int, *, pause: bool) -> bool:
    between = text[end:start].lstrip(",،") if pause else text[end:start]
    return len(between) <= 4 and not between.strip("".join(_JOINTS)) and ". " not in between


def _hits_unspaced(text: str, cues: Cues) -> tuple[Hit, ...]:
    low = text.lower()
    found = []
    for group in (*cues.exact.values(), *cues.stems.values()):
        for phrase in group:
            at = _find_unspaced(phrase, low)
            found += [Hit(phrase.name, start, end) for start, end in at if not phrase.tied or start <= 2]
    return tuple(sorted(found, key=lambda hit: (hit.start, hit.end, hit.name)))


def _find_unspaced(phrase: Phrase, low: str) -> list[tuple[int, int]]:
    wanted = r"\s*".join(
        {"~": ".{0,12}?", ",": "[、，]?"}.get(word) or re.escape(word.removesuffix("*"))  # noqa: RUF001
        for word in phrase.words
    )
    if "~" not in phrase.words and phrase.words[0].removesuffix("*") not in low:
        return []
    edge = r"(?<![a-z])" if phrase.words[0][0].isascii() else ""
    return [match.span() for match in re.finditer(edge + wanted, low)]


def _body_at(text: str, cues: Cues) -> int:
    at = 0
    while True:
        step = _lead_step(text, at, cues)
        if step <= at or step >= len(text):
            return at
        at = step


def _lead_step(text: str, at: int, cues: Cues) -> int:
    bullet = _BULLET.match(text, at)
    if bullet:
        return bullet.end()
    rest = text[at : at + 60]
    words = _words(rest)
    if not words or rest[: words[0][1]].strip(" @\"'*_…–—-,.!"):  # noqa: RUF001 -- dashes as typed
        return at
    best = 0
    for phrase in _starting(words[0][0], cues.language):
        if phrase.name not in _LEADS:
            continue
        stop = _reach(phrase.words, words, 0, rest)
        end = words[stop - 1][2] if stop else 0
        after = rest[end : end + 1]
        if stop and (not _LEADS[phrase.name] or after in _LEADS[phrase.name]):
            best = max(best, end)
    if not best and at == 0 and rest[words[0][1]].isupper() and rest[words[0][2] : words[0][2] + 1] == ",":
        best = words[0][2]
    if not best:
        return at
    tail = text[at + best :]
    return at + best + len(tail) - len(tail.lstrip(" \t" + _AFTER_LEAD))
