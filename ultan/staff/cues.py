"""The words by which people lay down rules, one table a language, compiled on first use.

A table is a TOML file in ``cues/``: ``groups`` of phrases (what a phrase does in a sentence),
``aspects`` (what a rule says about its object) and ``things`` (what software work is about, as
concepts shared by all languages, so that a rule said again in another language is recognised).

Notation of a phrase: words in any case; ``*`` ends a stem; ``~`` stands for up to four words;
``^`` ties the phrase to the beginning of the statement. Scripts without spaces match anywhere.
"""

import functools
import os
import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "cues")
DEFAULT = "en"
_UNSPACED = ("ja", "zh", "ko")
_GAP = r"\W+(?:[\w'’/-]+\W+){0,4}?"
_LETTER = re.compile(r"[^\W\d_]")
# The script decides where one language owns it; letters decide between Russian and Ukrainian.
_SCRIPTS = (
    ("ja", re.compile(r"[\u3040-\u30ff]")),
    ("ko", re.compile(r"[\uac00-\ud7af\u1100-\u11ff]")),
    ("zh", re.compile(r"[\u3400-\u9fff]")),
    ("ar", re.compile(r"[\u0600-\u06ff]")),
    ("hi", re.compile(r"[\u0900-\u097f]")),
    ("uk", re.compile(r"[іїєґІЇЄҐ]")),
    ("ru", re.compile(r"[\u0400-\u04ff]")),
)


@dataclass(frozen=True, slots=True)
class Cues:
    """One language's table, ready to match."""

    language: str
    common: frozenset[str]
    groups: Mapping[str, re.Pattern[str]]
    aspects: Mapping[str, re.Pattern[str]]
    things: Mapping[str, re.Pattern[str]]
    lead: re.Pattern[str]

    def found(self, text: str, body: str) -> frozenset[str]:
        """Names of the groups that occur in *text*; ``^`` phrases look at *body*, the text after its lead."""
        return frozenset(
            name for name, pattern in self.groups.items() if pattern.search(text) or pattern.match(body)
        )

    def things_in(self, text: str) -> frozenset[str]:
        """Concepts of software work that *text* names."""
        return frozenset(name for name, pattern in self.things.items() if pattern.search(text))

    def aspects_in(self, text: str) -> frozenset[str]:
        """What a rule in *text* would say about its object."""
        return frozenset(name for name, pattern in self.aspects.items() if pattern.search(text))

    def body(self, text: str) -> str:
        """*text* without the words that only lead up to it."""
        found = self.lead.match(text)
        return text[found.end() :] if found else text


def languages() -> tuple[str, ...]:
    """Codes of all languages with a table."""
    return tuple(sorted(name[:-5] for name in os.listdir(FOLDER) if name.endswith(".toml")))


@functools.cache
def table(language: str) -> Cues:
    """The compiled table of *language*."""
    with open(os.path.join(FOLDER, f"{language}.toml"), "rb") as file:
        raw = tomllib.load(file)
    spaced = language not in _UNSPACED
    groups = {name: _pattern(phrases, spaced) for name, phrases in raw["groups"].items() if name != "lead"}
    return Cues(
        language=language,
        common=frozenset(raw.get("common", ())),
        groups=groups,
        aspects={name: _pattern(phrases, spaced) for name, phrases in raw.get("aspects", {}).items()},
        things={name: _pattern(phrases, spaced) for name, phrases in raw.get("things", {}).items()},
        lead=_lead(raw["groups"].get("lead", ()), spaced),
    )


def language_of(text: str) -> str:
    """The language *text* is written in, as far as script and common words tell; else English."""
    letters = len(_LETTER.findall(text)) or 1
    for language, script in _SCRIPTS:
        share = len(script.findall(text)) / letters
        if share > (0.02 if language == "uk" else 0.15):
            return language
    words = re.findall(r"[^\W\d_]+", text.lower())
    best, most = DEFAULT, 0
    for language in (DEFAULT, *(code for code in languages() if code != DEFAULT)):
        common = table(language).common
        hits = sum(word in common for word in words)
        if hits > most:
            best, most = language, hits
    return best


def _pattern(phrases: Iterable[str], spaced: bool) -> re.Pattern[str]:
    """One pattern for all phrases; those tied to the start are alternatives that only ``match`` reaches."""
    free = [_phrase(phrase, spaced) for phrase in phrases if not phrase.startswith("^")]
    tied = [r"\A" + _phrase(phrase[1:], spaced) for phrase in phrases if phrase.startswith("^")]
    return re.compile("|".join([*tied, *free]) or r"(?!)", re.IGNORECASE)


def _phrase(phrase: str, spaced: bool) -> str:
    parts = []
    for word in phrase.replace("'", "’").split():
        if word == "~":
            parts.append("~")
        else:
            stem = re.escape(word.removesuffix("*")).replace("’", "['’]")
            parts.append(stem + (r"[\w'’-]*" if word.endswith("*") and spaced else ""))
    text = r"\s+".join(parts) if spaced else r"\s*".join(parts)
    gap = _GAP if spaced else r".{0,12}?"
    text = re.sub(r"(?:\\s[+*])?~(?:\\s[+*])?", lambda _: gap, text)
    return rf"(?<!\w){text}(?!\w)" if spaced else text


def _lead(phrases: Iterable[str], spaced: bool) -> re.Pattern[str]:
    words = "|".join(sorted((_phrase(phrase, spaced) for phrase in phrases), key=len, reverse=True)) or r"(?!)"
    vocative = r"@?[A-Z][\w-]+(?=,)"
    return re.compile(rf"\s*(?:(?:{words}|(?-i:{vocative})|[-*•]|\d+[.)])[\s,.!:;…–—-]*)+", re.IGNORECASE)
