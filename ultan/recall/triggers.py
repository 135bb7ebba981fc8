"""A tool call → the triggers it trips; and recall keyed by file, by error and by question.

First the bytes: a trigger names a literal that must occur, filed under its rarest trigram, so that
ten thousand triggers cost what the few candidates cost. Only then is re2 imported. Never ``re``:
patterns come from entries, and ``(a+)+$`` hangs it (RELIABILITY R15).
"""

from ultan.recall import commands
from ultan.recall import index as layout
from ultan.recall.situations import (
    CERTAIN,
    DOING,
    LANGUAGES,
    LEVELS,
    level_key,
    path_keys,
    situations_of_call,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ultan.recall.commands import Subject
    from ultan.recall.index import Card, Index
    from ultan.recall.patterns import Pattern
    from ultan.recall.signals import Scope

DOCUMENTS = frozenset(("md", "mdx", "rst", "txt", "html", "ipynb", "adoc"))
MOST_MATCHES = 50


class Notice:
    """A trigger that a tool call trips: the entry, how severe, and which trigger."""

    __slots__ = ("card", "severity", "trigger")

    def __init__(self, card: "Card", severity: str, trigger: "list[Any]") -> None:
        self.card, self.severity, self.trigger = card, severity, trigger

    def __repr__(self) -> str:
        return f"Notice({self.card.id!r}, {self.severity!r})"


def notices(index: "Index", tool: str, tool_input: "dict[str, Any]", project: "str | None" = "") -> "list[Notice]":
    """The entries that this tool call is about, blocks first, one notice an entry."""
    if not index.triggers or not isinstance(tool_input, dict):
        return []
    found = commands.subjects(tool, tool_input)
    if not found:
        return []
    raw = "\n".join(subject.text for subject in found).encode("utf-8", "replace").lower()
    ranges = index.ranges(project)
    hits: dict[int, Notice] = {}
    held = grams(raw)
    for number in sorted(index.triggers_of(held)):
        row = index.trigger(number)
        doc, literals = row[0], row[7]
        if doc in hits and hits[doc].severity == "block":
            continue
        if literals and not any(stands_in(literal, raw, held) for literal in literals):
            continue
        if not any(low <= doc < high for low, high in ranges):
            continue
        if trips(row, tool, found):
            card = index.card(doc)
            if row[8] and in_exempt_place(row[8], found):
                continue
            severity = row[6]
            if severity == "block" and (card.trust not in ("person", "confirmed") or not index.settings.get("notice.blocks", True)):
                severity = "advise"
            hits[doc] = Notice(card, severity, row)
    return sorted(hits.values(), key=lambda notice: (notice.severity != "block", notice.card.number))


def grams(raw: bytes) -> "set[int]":
    """The trigrams of *raw*."""
    return {a << 16 | b << 8 | c for a, b, c in zip(raw, raw[1:], raw[2:], strict=False)}


def stands_in(literal: str, raw: bytes, held: "set[int]") -> bool:
    """Whether *literal* stands in *raw*, whose trigrams are *held*: its last one is asked first, since searching takes longer."""
    wanted = literal.encode("utf-8", "replace").lower()
    if len(wanted) > 2 and (wanted[-3] << 16 | wanted[-2] << 8 | wanted[-1]) not in held:
        return False
    return wanted in raw


def in_exempt_place(exempt: "list[str]", found: "list[Subject]") -> bool:
    """Whether the file written is the one place where the rule allows it."""
    names = {subject.path.rsplit("/", 1)[-1].lower() for subject in found if subject.path}
    return bool(names) and all(any(name.split(".")[0] == place for place in exempt) for name in names)


def trips(row: "list[Any]", tool: str, found: "list[Subject]") -> bool:
    """Whether one of the subjects that a trigger is about matches its pattern, and no exception holds."""
    aimed = [subject for subject in found if aims_at(row, tool, subject)]
    if not aimed:
        return False
    pattern = compiled(row[3])
    if pattern is None:
        return False
    exceptions = [one for one in map(compiled, row[5]) if one is not None]
    ahead = [one for one in map(compiled, row[10]) if one is not None]
    for subject in aimed:
        if subject.kinds and sum(name in row[3] for name in subject.kinds) < 2:
            continue
        typed = subject.typed.text if subject.typed is not None else ""
        if typed and (any(one.search(typed) for one in exceptions) or any(names_an_option(one, typed) for one in ahead)):
            continue
        text = subject.text
        for count, (start, end) in enumerate(pattern.spans(text)):
            if count >= MOST_MATCHES:
                break
            if not subject.allows(start, end):
                continue
            stretch = text if subject.kind == "command" else lines_around(text, start, end)
            if not any(one.search(stretch) for one in exceptions) and not any(one.match(text, start) for one in ahead):
                return True
    return False


def names_an_option(exception: "Pattern", typed: str) -> bool:
    """Whether an exception holds for what was typed because of a certain option (``-r``), not because of any (``-``)."""
    return any(typed[start:end].rsplit(" ", maxsplit=1)[-1] not in ("", "-", "--") for start, end in exception.spans(typed))


def compiled(pattern: str) -> "Pattern | None":
    """*pattern* compiled by re2, or ``None`` if it cannot be."""
    from ultan.recall import patterns  # noqa: PLC0415 -- 2 ms that most tool calls never pay

    return patterns.compiled(pattern)


def lines_around(text: str, start: int, end: int) -> str:
    """The whole lines in which a match lies."""
    low = text.rfind("\n", 0, start) + 1
    high = text.find("\n", end)
    return text[low : high if high >= 0 else len(text)]


def aims_at(row: "list[Any]", tool: str, subject: "Subject") -> bool:  # noqa: PLR0911 -- a list of reasons why not
    """Whether a trigger is about this kind of text and this file."""
    wanted, name, globs = row[1], row[2], row[4]
    if globs and not (subject.path and any(glob_matches(glob, subject.path) for glob in globs)):
        return False
    if row[9] and subject.kind == "text" and subject.path and not speaks(row[9], subject.path):
        return False
    tools = wanted.split("|") if wanted else ["*"]
    if name in commands.TEXT_FIELDS or (not name and any(t in ("Write", "Edit", "MultiEdit", "NotebookEdit") for t in tools)):
        return subject.kind == "text"
    if subject.kind == "aside" and name != subject.name:
        return False
    if "*" in tools:
        return not name or name == subject.name
    if any(one in commands.SHELL_TOOLS for one in tools):
        return subject.kind == "command" and name in ("", "command")
    if name in ("old_string", "old_str"):
        return subject.kind == "old"
    return tool in tools and (not name or name == subject.name)


def speaks(languages: "list[str]", path: str) -> bool:
    """Whether the file at *path* is in one of *languages*; documents may quote any."""
    extension = path.rsplit("/", 1)[-1].lower().rsplit(".", 1)[-1]
    words = LANGUAGES.get(extension, "").split()
    return extension in DOCUMENTS or not words or any(language in words for language in languages)


# --- globs ------------------------------------------------------------------------------------------


def glob_matches(glob: str, path: str) -> bool:
    """Whether *path* fits *glob* (``*``, ``**``, ``?``); a glob without a slash is about the name alone."""
    path = path.replace("\\", "/")
    if "/" not in glob:
        return _fits(glob, path.rsplit("/", 1)[-1])
    glob = glob.lstrip("./") if glob.startswith("./") else glob
    return _fits_path(glob.strip("/").split("/"), path.strip("/").split("/"), anchored=glob.startswith("/"))


def _fits_path(globs: "list[str]", parts: "list[str]", *, anchored: bool) -> bool:
    """Whether the last parts of a path fit; all of them if *anchored*."""
    reach = {0} if anchored else set(range(len(parts) + 1))
    for glob in globs:
        if glob == "**":
            reach = {at for start in reach for at in range(start, len(parts) + 1)}
        else:
            reach = {at + 1 for at in reach if at < len(parts) and _fits(glob, parts[at])}
        if not reach:
            return False
    return len(parts) in reach


def _fits(glob: str, name: str) -> bool:
    reach = {0}
    for char in glob:
        if char == "*":
            reach = set(range(min(reach), len(name) + 1))
        else:
            reach = {at + 1 for at in reach if at < len(name) and char in ("?", name[at])}
        if not reach:
            return False
    return len(name) in reach


# --- recall keyed by what is at hand ----------------------------------------------------------------


def by_file(index: "Index", path: str, project: "str | None" = "", most: int = 2) -> "list[Card]":
    """Entries bound to the file at *path* by their globs, or that name it; trusted and current ones only."""
    ranges = index.ranges(project)
    found: list[tuple[int, int]] = []
    for place, key in enumerate(path_keys(path)):
        term = index.term(key)
        if term < 0:
            continue
        for start, end in index.postings(term, ranges):
            found += [(place, doc) for doc in index.docs(start, end)]
    cards: dict[int, Card] = {}
    for place, doc in sorted(found)[:200]:
        flags = index.flags(doc)
        if doc in cards or flags & layout.SUPERSEDED or flags >> 6 & 3 or not flags >> 4 & 3:
            continue
        if flags & layout.HAS_FILES:
            card = index.card(doc)
            if any(glob_matches(glob, path) for glob in card.files):
                cards[doc] = card
        elif place == 0:
            cards[doc] = index.card(doc)
        if len(cards) >= most:
            break
    return list(cards.values())


STANDING = ("convention", "preference", "warn")


def by_situation(
    index: "Index", tool: str, tool_input: "dict[str, Any]", project: "str | None" = "", most: int = 2
) -> "list[Card]":
    """Standing rules about what a tool call certainly does: a commit, a document, a package, a deleted tree.

    Those that lean to it most come first, the project's own before what holds everywhere.
    """
    if not index.meta.get("situations"):
        return []
    found: dict[int, int] = {}
    for name in situations_of_call(tool, tool_input):
        for level in range(LEVELS, round(CERTAIN * LEVELS) - 1, -1):
            number = index.term(level_key(name, level, DOING))
            for start, end in index.postings(number, index.ranges(project)) if number >= 0 else ():
                for doc in index.docs(start, end):
                    found[doc] = max(level, found.get(doc, 0))
    cards = []
    for doc in sorted(found, key=lambda doc: (-found[doc], -index.prior(doc), -doc)):
        flags = index.flags(doc)
        if layout.KINDS[flags & 15] not in STANDING or flags & layout.SUPERSEDED or flags >> 6 & 3 or not flags >> 4 & 3:
            continue
        cards.append(index.card(doc))
        if len(cards) >= most:
            break
    return cards


ERROR_LINES = (4, 12)  # of an error, its first and last lines: some languages name the fault above the trace, some below
ERROR_LINE_CHARS, ERROR_CHARS = 400, 3000
ERROR_FLOOR = 9.0  # summed weight of shared words: about two rare ones in title or cues, three elsewhere
ERROR_SHARE = 0.5  # of what the words of one line weigh
ERROR_RUN = 9.0  # weight of words that follow each other in both: the message itself, quoted


def by_error(index: "Index", text: str, project: "str | None" = "", most: int = 2) -> "list[Card]":
    """Findings and warnings that speak of this error: of most of one of its lines, or in its very words."""
    from ultan.recall.ranking import Query, rank, why_not  # noqa: PLC0415 -- failures are rare
    from ultan.recall.signals import Scope  # noqa: PLC0415
    from ultan.recall.text import terms  # noqa: PLC0415

    lines = [line for line in text.splitlines() if line.strip()]
    first, last = ERROR_LINES
    lines = [line[:ERROR_LINE_CHARS] for line in lines[:first] + lines[max(first, len(lines) - last) :]]
    ranked = rank(index, Query("\n".join(lines)[:ERROR_CHARS], project), limit=8)
    scope = Scope(index, project)
    # short numbers (lines, columns, parts of an address) say nothing of what went wrong
    spoken = [[term for term in terms(line) if not term.isdigit() or len(term) > 3] for line in lines]
    kept = []
    for item in ranked:
        card = item.card
        if card.kind not in ("finding", "warn") or item.parts["words"][0] < ERROR_FLOOR or why_not(card, set(), ""):
            continue
        known = terms(" ".join((card.title, card.rule, *card.cues)))
        if any(_shared(line, known, scope) >= ERROR_SHARE or _run(line, known, scope) >= ERROR_RUN for line in spoken):
            kept.append(card)
    return kept[:most]


def _shared(line: "list[str]", known: "list[str]", scope: "Scope") -> float:
    """How much of a line, by weight, an entry knows; nothing, where they share but one word."""
    both = set(line).intersection(known)
    return sum(map(scope.rarity, both)) / sum(map(scope.rarity, set(line))) if len(both) > 1 else 0.0


def _run(line: "list[str]", known: "list[str]", scope: "Scope") -> float:
    """The weight of the heaviest run of words, at least two, that stands in both."""
    places: dict[str, list[int]] = {}
    for place, term in enumerate(known):
        places.setdefault(term, []).append(place)
    best = 0.0
    for at, term in enumerate(line):
        for place in places.get(term, ()):
            length = 1
            while at + length < len(line) and line[at + length : at + length + 1] == known[place + length : place + length + 1]:
                length += 1
            if length > 1:
                best = max(best, sum(map(scope.rarity, line[at : at + length])))
    return best


def by_question(index: "Index", asked: "list[tuple[str, list[str]]]", project: "str | None" = "") -> "Card | None":
    """The entry a person stands behind that answers one question (with its options) of a dialog, if one surely does.

    It must speak of what the question asks, not only of an option, and name an option where these have names.
    """
    from ultan.recall.ranking import Query, rank, why_not  # noqa: PLC0415 -- dialogs are rare
    from ultan.recall.signals import EVERYDAY  # noqa: PLC0415
    from ultan.recall.text import terms  # noqa: PLC0415

    floor = float(index.settings.get("notice.answer_min_relevance", 0.85))
    if not index.settings.get("notice.answer_questions", True):
        return None
    for question, options in asked:
        ranked = rank(index, Query("\n".join((question, *options))[:QUESTION_CHARS], project), limit=5)
        for item in ranked[:1]:
            card: Card = item.card
            if item.probability < floor or card.trust not in ("person", "confirmed") or why_not(card, set(), ""):
                continue
            wanted = set(terms(question))
            named = set(terms(" ".join(options))) - wanted
            known = set(terms(" ".join((card.title, card.rule, *card.cues))))
            if known & (wanted - EVERYDAY) and (not named or known & named):
                return card
    return None


QUESTION_CHARS = 1500
