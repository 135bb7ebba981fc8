"""Shelving: a folder that has grown too full, divided by what its entries are about (pure).

A model proposes a split while it reads; the clerk has none to ask. Here code looks for words
that some entries of the folder share and others lack. What it finds is only proposed: a person
sees the sub-folders in ``review`` and moves the entries with one key.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence

from ultan.library.actions import SplitFolder
from ultan.library.entry import Entry

MOST = 5  # entries in a folder before it should be divided
LEAST = 2  # entries worth a sub-folder
_WORD = re.compile(r"[^\W\d_]{3,}")
_PLAIN = re.compile(r"^[a-z][a-z0-9-]{2,39}$")


def crowded(entries: Iterable[Entry]) -> dict[str, list[Entry]]:
    """Folder → its entries, for each folder that holds too many of *entries*; a project's or the global top as well."""
    folders: dict[str, list[Entry]] = {}
    for entry in sorted(entries, key=lambda entry: entry.id):
        folders.setdefault(entry.folder, []).append(entry)
    return {folder: inside for folder, inside in folders.items() if len(inside) > MOST}


def division(folder: str, entries: Sequence[Entry], terms: Callable[[str], list[str]]) -> SplitFolder | None:
    """How to divide *entries* of *folder*, or ``None`` where no words tell them apart.

    Sub-folders are named by a word that two or more, and at most two thirds, of the entries share; tags
    and subjects count before words of the rule. What fits nowhere stays.
    """
    words = {entry.id: _words(entry, terms) for entry in entries}
    names: dict[str, Counter[str]] = {}
    for found in words.values():
        for stem, (surface, _) in found.items():
            names.setdefault(stem, Counter())[surface] += 1
    left = [entry.id for entry in entries]
    into: dict[str, tuple[str, ...]] = {}
    while len(left) > MOST:
        best = _best(left, words, len(entries))
        if not best:
            break
        name = min(names[best], key=lambda word: (-names[best][word], word))
        into[name] = tuple(each for each in left if best in words[each])
        left = [each for each in left if best not in words[each]]
    return SplitFolder(folder=folder, into=into) if into else None


def _best(left: Sequence[str], words: dict[str, dict[str, tuple[str, int]]], every: int) -> str:
    """The word that makes the best sub-folder of the entries *left*."""
    shared: Counter[str] = Counter()
    weight: Counter[str] = Counter()
    for each in left:
        for stem, (_, weighs) in words[each].items():
            shared[stem] += 1
            weight[stem] += weighs
    fit = [stem for stem, count in shared.items() if LEAST <= count <= 2 * every // 3]
    return max(fit, key=lambda stem: (weight[stem], shared[stem], len(stem), stem), default="")


def _words(entry: Entry, terms: Callable[[str], list[str]]) -> dict[str, tuple[str, int]]:
    """Stem → a word with that stem that can name a folder, and how much it says about *entry*."""
    found: dict[str, tuple[str, int]] = {}
    for text, weight in (("\n".join((*entry.tags, entry.subject)), 3), (entry.title, 2), (entry.rule, 1)):
        for word in _WORD.findall(text.lower()):
            for stem in terms(word)[:1]:
                if _PLAIN.match(word):
                    found.setdefault(stem, (word, weight))
    return found
