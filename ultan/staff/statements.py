"""A person's words, cut into statements, and how plainly each lays down a rule.

A statement is a stretch of the person's own text (never a fence, a quoted line, terminal
output or a table), verbatim, so that it can be cited. ``weigh`` adds up what its cues say: a
standing word and a command weigh for a rule, a question or an order of the moment against.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from ultan.staff.commands import commands_in
from ultan.staff.constructions import OF_A_KIND, constructions
from ultan.staff.cues import Cues, language_of, table
from ultan.staff.marks import COMBINED, DICTATING, combined
from ultan.staff.subjects import FEATURES, OBJECTS, PAUSES, Subject, subject_of

LONGEST_TO_CUT = 400  # characters; longer ones are no plain rule
_AND = re.compile(
    r"[,;]?\s+(?:and|und|et|y|e|en|i|и|та|ve|و|agus)\s+(?:also\s+|then\s+|that\s+)?|;\s+", re.IGNORECASE
)
LEAST_RELAYED = 3  # statements in a message that announces and then quotes
SHORT_COMMENT = 160  # characters of a person's remark after what they relayed
LONGEST_OWN_LINES = 20  # a message of more lines is a paste from its first heading on
_FENCE = re.compile(r"(```|~~~).*?(?:\1|\Z)", re.DOTALL)
_PRIVATE = re.compile(r"<private>.*?(?:</private>|\Z)", re.DOTALL | re.IGNORECASE)
_BLOB = re.compile(r"[!-~]{200,}")  # nobody's words, and patterns take the square of its length
_IMAGE = re.compile(r"\[(?:Image|Pasted text)[^\]]*\]")
_FOREIGN_LINE = re.compile(
    r"""^[ \t]*(?:
        > | \| | \+--- | [{}\[\]"]\s*$ | "[\w.-]+"\s*: | @@ | [+-]{3}\s | diff\s--git
        | \[?\d{2,4}[-/:]\d\d | time=\d | (?:level|msg)= | (?:\$|%|➜|\u276f|PS>)\s | \w+@[\w-]+:
        | \[[^\]]+\]\s*(?:[~/$>]|\w+@) | (?:Traceback|Caused\ by|at\ \S+\(|File\ ") | \w*(?:Error|Exception):
        | (?:import|func|def|class|const|let|var|return|if|for|package|type)\s.*[{(:;=]\s*$
        | [^\w\s"'(`@#*/~.¡¿«\u201e\u201c\u201a-] | /\w+(?:\s|$)(?!\w*/)
    )""",
    re.VERBOSE,
)
_TITLED = re.compile(r"[ \t]*#{1,6}\s")  # a heading, or a comment of a file
_HEADING = re.compile(r"^#{1,6}\s", re.MULTILINE)
_BREAK = re.compile(
    r"""(?<![.])[.](?=\s|$)(?<!\be\.g\.)(?<!\bi\.e\.)(?<!\bvs\.)(?<!\betc\.)(?<!\b\d\.)(?<!\bz\.B\.)
      | [!?]+(?=\s|$) | [。！？।؟]+ | \.{3,}(?=\s+[A-Z]) | …(?=\s+[A-Z]) | \n+""",  # noqa: RUF001 -- their own marks
    re.VERBOSE,
)
_SPAN = re.compile(r"`[^`\n]+`|\"[^\"\n]{1,80}\"|“[^”\n]{1,80}”|(?<!\w)'[^'\n]{1,80}'(?![A-Za-z0-9_])")
_WORDING = re.compile(r"(?<!\w)(?:\"[^\"\n]{1,80}\"|“[^”\n]{1,80}”)")  # words given as words; nobody orders by them
_NOT_THAT = re.compile(
    r"[,;\u2013\u2014-]\s*(?:and\s+|but\s+)?(?:not|never|nicht|nie|pas|non|no|não|niet|не|ні|değil)\s+(?!just\b|only\b)\w",
    re.IGNORECASE,
)
_CAPS = re.compile(r"\b(?!(?:API|CLI|JSON|HTML|HTTP|SQL|URL|TODO|README|CLAUDE|AGENTS|DRY|CI|CD|UI|UX|DB|ID|MD)\b)[A-Z]{3,}\b")  # fmt: skip
_NOT_CAPS = re.compile(r"\b(?:NOT|NO|ALL|ANY)\b")
_CODE = re.compile(
    r"`[^`]+`|[\w./~-]+/[\w./-]+|\b\w+[._]\w[\w.]*|\b[a-z]+[A-Z]\w*|--?[a-z][\w-]+|@\w+|#\w{3,8}\b"
)
_ASKED = ("?", "？", "؟")  # noqa: RUF001 -- their own marks
_ENDS = " \t.!。！؛…\"'"  # noqa: RUF001 -- their own marks
_COMMAS = (",", "،")
_PAUSED = ",;:.!?…–—-،؛。！，、："  # noqa: RUF001 -- dashes and commas as typed
_POLITE_ENDING = 5  # letters a request may have behind its phrase where the verb comes last


@dataclass(frozen=True, slots=True)
class Statement:
    """A verbatim stretch of the person's text and what its words do."""

    text: str
    body: str
    start: int
    marks: frozenset[str]
    things: frozenset[str]
    aspects: frozenset[str]
    subject: Subject
    language: str

    @property
    def end(self) -> int:
        """Where it ends in the piece."""
        return self.start + len(self.text)


@dataclass(frozen=True, slots=True)
class Heard:
    """A statement and the piece of the transcript it stands in."""

    piece: str
    statement: Statement


def own_text(text: str) -> str:
    """*text* with everything the person did not say themselves blanked out; same length, same positions."""
    for pattern in (_PRIVATE, _FENCE, _IMAGE, _BLOB):
        text = pattern.sub(_blank, text)
    lines = text.splitlines(keepends=True)
    if len(lines) > LONGEST_OWN_LINES:
        heading = _HEADING.search(text)
        if heading:
            text = text[: heading.start()] + _blank_text(text[heading.start() :])
            lines = text.splitlines(keepends=True)
    alone = sum(bool(line.strip()) for line in lines) == 1  # a hash before all of it is a habit of typing
    return "".join(
        _blank_text(line) if _FOREIGN_LINE.match(line) or (_TITLED.match(line) and not alone) else line
        for line in lines
    )


def statements(text: str) -> list[Statement]:
    """The statements of *text* in order."""
    own = own_text(text)
    cues = table(language_of(own))
    found: list[Statement] = []
    for start, end in _stretches(own):
        found += _clauses(_read(text[start:end], start, cues), cues)
    return _with_relayed(_with_denied(found), text)


def _with_denied(found: list[Statement]) -> list[Statement]:
    """*found*, each statement after a bare *no* marked as the correction that the no announces."""
    return [
        replace(each, marks=combined(each.marks | {"correction"})) if before and _is_bare_no(before) else each
        for before, each in zip([None, *found], found, strict=False)
    ]


def _is_bare_no(statement: Statement) -> bool:
    return "correction" in statement.marks and len(statement.text.split()) == 1 and not statement.text.endswith(_ASKED)


def _with_relayed(found: list[Statement], text: str) -> list[Statement]:
    """*found*, with what follows the announcement of somebody else's words marked as relayed.

    The last paragraph is the person's own again if it is short.
    """
    announced = next((each for each in found if "relay" in each.marks), None)
    if announced is None or len(found) < LEAST_RELAYED:
        return found
    tail = text.rstrip().rfind("\n\n")
    own_from = tail if tail > announced.end and len(text) - tail < SHORT_COMMENT else len(text)
    return [
        replace(each, marks=each.marks | {"relayed"}) if announced.end <= each.start < own_from else each
        for each in found
    ]


def _clauses(statement: Statement, cues: Cues) -> list[Statement]:
    """*statement* cut where *and* joins two demands, each of which can be corrected alone."""
    if not statement.subject.slots or len(statement.text) > LONGEST_TO_CUT:
        return [statement]
    for match in _AND.finditer(_SPAN.sub(lambda span: "x" * len(span.group()), statement.text)):
        left = _read(statement.text[: match.start()], statement.start, cues)
        right = _read(statement.text[match.end() :], statement.start + match.end(), cues)
        if left.subject.is_whole and _is_demand(right) and not _same_demand(left.subject, right.subject):
            carried = left.marks & (DICTATING | {"dictating"})
            marks = right.marks | carried | {name for name, wanted, _ in COMBINED if wanted <= right.marks | carried}
            return [left, *_clauses(replace(right, marks=marks), cues)]
    return [statement]


def _is_demand(statement: Statement) -> bool:
    """Whether a clause says on its own what to do, if perhaps not to what."""
    return bool(statement.aspects or statement.subject.slots) and bool(
        statement.marks & {"order", "standing", "never"} or statement.subject.is_whole
    )


def _same_demand(one: Subject, other: Subject) -> bool:
    return {(slot.aspect, slot.target, slot.values) for slot in one.slots} == {
        (slot.aspect, slot.target, slot.values) for slot in other.slots
    }


def _stretches(own: str) -> Iterator[tuple[int, int]]:
    shielded = _SPAN.sub(lambda span: "x" * len(span.group()), own)
    start = 0
    for stop in [*(match.end() for match in _BREAK.finditer(shielded)), len(own)]:
        part = own[start:stop]
        left = len(part) - len(part.lstrip())
        stripped = part.strip()
        if len(stripped) > 1:
            yield start + left, start + left + len(stripped)
        start = stop


def _read(text: str, start: int, cues: Cues) -> Statement:
    body_at = cues.body_at(text)
    things, subject = cues.things(text), subject_of(text, cues)
    marks = (set(cues.marks(_WORDING.sub(_blank, text))) - {"entrust", "noted", "denial", "resumed", "pointing"}) | _form(text, body_at, cues)
    marks |= _specificity(subject, things, marks)
    if {"ask", "filled", "whole"} <= marks:
        marks -= {"asks", "question", "hedge"}  # a polite request for something quite definite
    if marks & {"entrust", "noted"}:
        marks.discard("mind")  # the same words
    if marks & DICTATING:
        marks.add("dictating")
    built = constructions(text[body_at:], frozenset(marks), cues)
    if built & OF_A_KIND:
        marks -= {"idle"}  # "money is always cents" rules; "the button is always red" describes
    marks |= built
    return Statement(text, text[body_at:], start, combined(marks), things, cues.aspects(text), subject, cues.language)


def _form(text: str, body_at: int, cues: Cues) -> set[str]:
    """What the outer form of a statement says: an order, a question, emphasis, length, literals."""
    stripped = text.rstrip()
    words = len(text.split()) if cues.spaced else len(text) // 2
    form = {
        "order": _is_order(text, body_at, cues),
        "practice": _is_habit(text, cues),
        "contrast": bool(_NOT_THAT.search(text)),
        "correction": _denies(text, cues),
        "anaphor": any(hit.end >= len(text.rstrip(_ENDS)) for hit in cues.named(text, "pointing")),
        "swap": _is_swap(text, body_at, cues),
        "opposed": bool(_NOT_THAT.search(text)),
        "asks": stripped.endswith(_ASKED),
        "shout": bool(_CAPS.search(text) or _NOT_CAPS.search(text)),
        "bang": stripped.endswith("!"),
        "code": bool(_CODE.search(text)),
        "command": bool(commands_in(text)),
        "quoted": bool(_SPAN.search(text)),
        "tiny": words < 4,
        "short": 4 <= words < 9,
        "long": words > 40,
    }
    return {name for name, holds in form.items() if holds} | _entrusted(text, body_at, cues)


def _denies(text: str, cues: Cues) -> bool:
    """Whether it opens with a *no* that answers; "no problem" and "no tests fail" only begin with the same word.

    A pause makes an answer of it, and so does what cannot stand behind the other no: a pronoun, an order.
    """
    resumed = {hit.start for hit in cues.named(text, "resumed")}
    for hit in cues.named(text, "denial"):
        after = text[hit.end :]
        word = hit.end + len(after) - len(after.lstrip())
        if not after.strip() or after.lstrip()[0] in _PAUSED or word in resumed:
            return True
    return False


def _entrusted(text: str, body_at: int, cues: Cues) -> set[str]:
    """Whether the person asks outright for something to be remembered.

    Before it, or behind it where the verb comes last. A comma makes an aside of it ("remember, we are
    a team"), a question mark a question; of a single word ("remember") only a colon makes a request.
    """
    bare = text.rstrip(_ENDS)
    found = set()
    for hit in cues.named(text, "entrust", "noted"):
        after = text[hit.end :].lstrip(" \t\"'*_`")[:1]
        if hit.start > body_at:
            closes = cues.verb_last and hit.end >= len(bare) - _POLITE_ENDING
            found |= {"entrust"} if closes else set()
        elif after and after in ":：":  # noqa: RUF001 -- their own marks
            found.add("noted")
        elif hit.name == "entrust" and after not in _COMMAS:
            found.add("entrust")
    return set() if text.rstrip().endswith(_ASKED) else found


def _is_order(text: str, body_at: int, cues: Cues) -> bool:
    """Whether a command opens the statement, or its main clause after a short one and a comma; or ends it, where verbs do.

    Words like *from now on* and *always* may stand before it.
    """
    if cues.verb_last:
        last = len(text.rstrip(_ENDS)) - _POLITE_ENDING
        if any(hit.end >= last for hit in cues.named(text, "verbs")):
            return True
    opening = body_at
    for hit in sorted(cues.named(text, "standing", "onward"), key=lambda hit: (hit.start, hit.end)):
        if not text[opening : hit.start].strip(" ,"):
            opening = max(opening, hit.end)
    return any(
        hit.start <= body_at
        or not text[opening : hit.start].strip(" ,")
        or text[: hit.start].rstrip().endswith((",", ":"))
        for hit in cues.named(text, "verbs")
    )


def _is_swap(text: str, body_at: int, cues: Cues) -> bool:
    """Whether one thing is forbidden and, in the next clause, another is ordered in its place."""
    if not any(hit.start <= body_at for hit in cues.named(text, "ban", "never")):
        return False
    return any(text[: hit.start].rstrip().endswith(PAUSES) for hit in cues.named(text, "verbs"))


def _is_habit(text: str, cues: Cues) -> bool:
    """Whether *we* or the like stands right before a verb."""
    verbs = {hit.start for hit in cues.named(text, "verbs")}
    return any(hit.end + 1 in verbs for hit in cues.named(text, "us"))


def _specificity(subject: Subject, things: frozenset[str], marks: set[str]) -> set[str]:
    """How precisely a statement says what it is about, from a value in a slot down to nothing of our trade."""
    found = set()
    if subject.slots:
        found.add("slot")
        if any(slot.values for slot in subject.slots):
            found.add("filled")
        if subject.is_whole:
            found.add("whole")
    if subject.values:
        found.add("value")
    if things & (OBJECTS | set(FEATURES)):
        found.add("object")
    elif things and not subject.slots and not marks & {"taste", "manner"}:
        found.add("weak")
    elif not things and not marks & {"code", "quoted", "command", "agent", "manner"}:
        found.add("offtopic")
    return found


def _blank(found: re.Match[str]) -> str:
    return _blank_text(found.group())


def _blank_text(text: str) -> str:
    return "".join(char if char == "\n" else " " for char in text)
