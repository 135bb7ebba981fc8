"""What a model reads: prompts, and texts of others in fenced blocks.

Every text that somebody else wrote stands in a block whose tag carries a fresh nonce, so
that nothing inside can end it, and whose attributes, set by code, say where it came from.
Pieces get short names (``e1``, ``e2`` …) that a model copies without slips; code puts the
real ids back.
"""

import os
import re
import secrets
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256

import ultan
from ultan.errors import ModelUnavailable
from ultan.events import ASSISTANT, PERSON, Piece, Transcript
from ultan.library.entry import Entry

CHARS_A_TOKEN = 4
PACKET_CHARS = 7_000  # of pieces; about 1,750 tokens
PERSON_CHARS, ASSISTANT_CHARS, OTHER_CHARS = 6000, 900, 400
ENTRY_CHARS = 300
GAP = "\n[… cut …]\n"
ATTRIBUTE = re.compile(r"[^\w./:@ +-]")


@dataclass(frozen=True, slots=True)
class Prompt:
    """A role's standing instructions, and the digest that names their version."""

    text: str
    digest: str


def prompt(role: str) -> Prompt:
    """The prompt of *role*: from inside the package, else from beside it (an editable install).

    Raises:
        ModelUnavailable: it is nowhere.
    """
    inside = os.path.dirname(os.path.abspath(ultan.__file__))
    for folder in (os.path.join(inside, "prompts"), os.path.join(os.path.dirname(inside), "prompts")):
        try:
            with open(os.path.join(folder, role + ".md"), encoding="utf-8") as file:
                text = file.read()
        except FileNotFoundError:
            continue
        return Prompt(text, sha256(text.encode()).hexdigest()[:16])
    raise ModelUnavailable(f"the prompt of the {role} is missing", "install Ultan again")


def nonce() -> str:
    """A word that no text can know."""
    return secrets.token_hex(4)


def block(tag: str, mark: str, attributes: Mapping[str, object], text: str) -> str:
    """*text* fenced by a tag that carries the nonce *mark*."""
    shown = "".join(f' {name}="{ATTRIBUTE.sub("_", str(value))[:120]}"' for name, value in attributes.items())
    return f"<{tag}-{mark}{shown}>\n{text.replace(mark, '').strip()}\n</{tag}-{mark}>"


def cut(text: str, most: int) -> str:
    """*text*, its middle left out where it is longer than *most* characters."""
    if len(text) <= most:
        return text
    head = most * 2 // 3
    return text[:head] + GAP + text[-(most - head) :]


def shown_text(piece: Piece) -> str:
    """As much of *piece* as a packet shows: the person's words nearly whole, the rest in excerpts."""
    if piece.origin in PERSON:
        return cut(piece.text, PERSON_CHARS)
    return cut(piece.text, ASSISTANT_CHARS if piece.origin == ASSISTANT else OTHER_CHARS)


@dataclass(frozen=True, slots=True)
class Packet:
    """Some pieces of a session as one model call reads them.

    Attributes:
        context: read before; ``fresh`` new.
        names: short name → piece.
    """

    context: tuple[Piece, ...]
    fresh: tuple[Piece, ...]
    names: Mapping[str, Piece]

    @property
    def words(self) -> str:
        """What the person said in it, else all of it: what to search the library with."""
        said = [piece.text for piece in self.fresh if piece.origin in PERSON]
        return "\n".join(said or [shown_text(piece) for piece in self.fresh])

    def render(self, mark: str) -> str:
        """Its blocks."""
        known = {piece.id: name for name, piece in self.names.items()}
        parts = []
        for title, pieces in (("Read before, for context only:", self.context), ("New:", self.fresh)):
            if pieces:
                parts.append(title)
            parts += [_piece_block(known[piece.id], piece, mark) for piece in pieces]
        return "\n".join(parts)


def packets(transcript: Transcript, *, chars: int = PACKET_CHARS) -> list[Packet]:
    """*transcript* in packets of about *chars* characters; each after the first repeats the end of the one before."""
    context = transcript.pieces[: transcript.overlap]
    groups: list[list[Piece]] = [[]]
    room = chars
    for piece in transcript.pieces[transcript.overlap :]:
        size = len(shown_text(piece)) + 60
        if groups[-1] and size > room:
            groups.append([])
            room = chars
        groups[-1].append(piece)
        room -= size
    found = []
    for group in groups:
        if group:
            pieces = [*context, *group]
            names = {f"e{place}": piece for place, piece in enumerate(pieces, 1)}
            found.append(Packet(tuple(context), tuple(group), names))
            context = group[-3:]
    return found


def _piece_block(name: str, piece: Piece, mark: str) -> str:
    text = shown_text(piece)
    if piece.about:
        text = f"(about: {cut(piece.about, 300)})\n{text}"
    is_spoken = piece.origin in PERSON or piece.origin == ASSISTANT
    turn = {"turn": piece.turn} if is_spoken else {}
    return block("piece", mark, {"id": name, "origin": piece.origin, **turn}, text)


def entry_block(entry: Entry, mark: str, *, chars: int = ENTRY_CHARS) -> str:
    """*entry* as a model reads it."""
    attributes: dict[str, object] = {"id": entry.id, "kind": entry.kind, "trust": entry.trust, "updated": entry.updated}
    if entry.status != "active":
        attributes["status"] = entry.status
    if entry.reinforced or entry.fired_helpful:
        attributes |= {"reinforced": entry.reinforced, "helpful": entry.fired_helpful}
    lines = [entry.title, cut(entry.rule, chars)]
    if entry.applies_when:
        lines.append("applies when: " + "; ".join(entry.applies_when)[:200])
    return block("entry", mark, attributes, "\n".join(lines))


def entry_blocks(entries: Iterable[Entry], mark: str) -> str:
    """All *entries*, or the word none."""
    return "\n".join(entry_block(entry, mark) for entry in entries) or "(none)"


def folder_lines(folders: Sequence[str], entries: Iterable[str], project: str, most: int = 40) -> str:
    """The folders a new entry could go to, with how many entries lie in each."""
    counts: dict[str, int] = {}
    for name in entries:
        folder = name.rpartition("/")[0]
        counts[folder] = counts.get(folder, 0) + 1
    own = f"projects/{project}"
    shown = [name for name in folders if name == "global" or name.startswith(("global/", own + "/")) or name == own]
    return "\n".join(f"{name} ({counts.get(name, 0)})" for name in shown[:most]) or "(none yet)"
