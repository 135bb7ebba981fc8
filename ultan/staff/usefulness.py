"""Whether an entry that was shown was used, judged by code: strict, so that what counts is hardly ever luck.

A use is an action of the agent, in the turn in which the entry was shown, that does what the rule
names literally: a command it asks for, a path or an identifier it gives, in a call or in added
lines. Nothing else may have told the agent: whatever the person, a file, a tool or the agent's own
words named before the action is no use, nor is a turn in which the agent also did what the rule
forbids or the person objected. A mention in the agent's words is none (DECISIONS 5).
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from ultan.events import ASSISTANT, PERSON, REJECTION, SUBAGENT, Piece
from ultan.staff.commands import COMMANDS, commands_in
from ultan.staff.cues import language_of, table
from ultan.staff.drafting import subject_of_entry
from ultan.staff.statements import statements
from ultan.staff.subjects import Subject, banned, before_reason, values_in

if TYPE_CHECKING:
    from ultan.library.entry import Entry

STANDING = frozenset(("convention", "preference", "warn"))
OBJECTING = frozenset(("correction", "protest", "annoyed"))
_SHORTEST = 3  # characters of a literal that nobody writes by chance
_CALL = re.compile(r"^(\w+): (.*)", re.DOTALL)
_SHELL = frozenset(("Bash",))
_EDITS = frozenset(("Edit", "Write", "MultiEdit", "NotebookEdit"))


def used(pieces: Sequence[Piece], surfaced: Mapping[str, Iterable[int]], entries: Mapping[str, "Entry"], *, overlap: int = 0) -> list[tuple[str, int]]:
    """(entry, turn) of each use that *pieces* prove, once a turn.

    *surfaced*: entry → the turns in which it was shown. The first *overlap* pieces were judged
    before; they only tell what the agent knew already.
    """
    fresh = {piece.turn for piece in pieces[overlap:]}
    return [
        (name, turn)
        for name in sorted(surfaced)
        if (entry := entries.get(name)) is not None and entry.kind in STANDING and (entry.status == "active" or entry.faded)
        for turn in sorted(fresh.intersection(surfaced[name]))
        if _follows(entry, pieces, turn, overlap)
    ]


def _follows(entry: "Entry", pieces: Sequence[Piece], turn: int, overlap: int) -> bool:
    subject = subject_of_entry(entry)
    wanted, forbidden = _literals(entry, subject)
    if not wanted:
        return False
    known = " ".join(_told(piece) for piece in pieces[:overlap])
    is_followed = False
    for piece in pieces[overlap:]:
        call = _CALL.match(piece.about) if piece.origin not in PERSON and piece.origin != ASSISTANT else None
        if piece.turn == turn and call and call[1] in _SHELL | _EDITS:
            deed = _deed(call[1], call[2], piece.text)
            if any(_names(deed, literal) for literal in forbidden):
                return False
            is_followed = is_followed or any(_names(deed, literal) and not _names(known, literal) for literal in wanted)
        elif piece.turn in (turn, turn + 1) and piece.origin in PERSON and _objects(piece, is_followed=is_followed):
            return False
        known += " " + _told(piece)
    return is_followed


def _literals(entry: "Entry", subject: Subject) -> tuple[frozenset[str], frozenset[str]]:
    """What the rule of *entry* asks for by name, and what it forbids by name."""
    cues = table(language_of(entry.rule))
    core = before_reason(entry.rule, cues)
    stretches = banned(core, cues)
    forbidden = {value for text in stretches for value in (*values_in(text), *commands_in(text))}
    asked = subject.values | frozenset(commands_in(core))
    named = {value for value in asked - forbidden if len(value) >= _SHORTEST or value in COMMANDS}
    return (frozenset() if subject.negative else frozenset(each for each in named if not each.isdigit())), frozenset(forbidden)


def _deed(tool: str, named: str, text: str) -> str:
    """What the agent itself wrote in a call: the command, or the path and the added lines."""
    if tool in _SHELL:
        return named
    lines = text.splitlines()
    is_patch = any(line[:1] == "+" for line in lines) and all(line[:1] in "+-" for line in lines if line)
    added = [line[1:] for line in lines if line[:1] == "+"] if is_patch else lines
    return "\n".join([named, *added])


def _told(piece: Piece) -> str:
    """What *piece* lets the agent know; its own calls and edits are its doing, not its knowledge."""
    if piece.origin in PERSON or piece.origin in (ASSISTANT, SUBAGENT):
        return f"{piece.about} {piece.text}"
    call = _CALL.match(piece.about)
    return "" if call and call[1] in _EDITS else piece.text


def _names(text: str, literal: str) -> bool:
    """Whether *literal* stands in *text* by itself; one that ends in a joint (``fn_``) begins a word, one that begins with it ends one."""
    start = "" if literal[:1] in "_./-" else r"(?<![A-Za-z0-9_])"
    end = "" if literal[-1:] in "_./-" else r"(?![A-Za-z0-9_])"
    return re.search(start + re.escape(literal) + end, text) is not None


def _objects(piece: Piece, *, is_followed: bool) -> bool:
    if piece.origin == REJECTION:
        return True
    return is_followed and any(each.marks & OBJECTING for each in statements(piece.text)[:2])
