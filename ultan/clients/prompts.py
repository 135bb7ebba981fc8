"""A prompt as pieces: what was typed and what was pasted; only the first is the person's word.

Pasted are fenced blocks, quoted lines, unbroken blocks of more than 20 lines, all but the
opening of a prompt of more than 40, and paragraphs that repeat what a tool said before.
"""

import os

from ultan import plainjson
from ultan.events import PASTED, USER, Piece

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ultan.clients.leaf import Sieve

NOT_WORDS = (
    "<task-notification>", "<command-name>", "<local-command-", "[Request interrupted by user", "<system-reminder>",
    "<bash-input>", "<bash-stdout>", "<bash-stderr>", "Caveat: The messages below",
)  # fmt: skip
LONG_PASTE_LINES = 20
LONG_PASTE_CHARS = 8000  # in one line: ten minutes of dictation are less
LONG_PROMPT_LINES = 40
OPENING_LINES = 3
GRAM = 8
ECHO_SHARE = 0.5
ECHO_BYTES = 512 * 1024  # of the transcript before the prompt
TELLING = 5  # letters of a word that tells something when it is absent


def is_words(text: str) -> bool:
    """Whether *text* is a prompt, not one of the client's own messages."""
    text = text.lstrip()
    return bool(text) and not text.startswith(NOT_WORDS)


def mark_of(pieces: "list[Piece]") -> str:
    """A short mark of a prompt's cleaned text, by which the hook's copy and the transcript's are known as one."""
    import zlib  # noqa: PLC0415 -- a few hooks only

    raw = " ".join(" ".join(piece.text for piece in pieces).split()).encode("utf-8", "replace")
    return f"{zlib.crc32(raw):08x}{zlib.adler32(raw):08x}"


def prompt_pieces(
    text: str, name: str, at: str, turn: int, sieve: "Sieve", heard: "Heard | None" = None, before: int = -1
) -> "list[Piece]":
    """A prompt as pieces: what was typed is the person's, what was pasted is not.

    What repeats a tool's words that were *heard* in the transcript, as far as it goes *before* an
    offset (-1: its end), is pasted too.
    """
    from ultan.redaction import strip_private  # noqa: PLC0415 -- prompts only

    parts = split_pasted(strip_private(text)[0])
    if heard is not None and any(origin == USER and len(part.split()) >= GRAM for origin, part in parts):
        parts = without_echoes(parts, heard, before)
    pieces = []
    for number, (origin, part) in enumerate(parts):
        kept = sieve.leaf(part)
        if kept.replace("[private]", "").strip():
            pieces.append(Piece(f"{name}.{number}" if number else name, origin, kept, at, turn))
    return pieces


def split_pasted(text: str) -> "list[tuple[str, str]]":
    """*text* in order as (origin, part): fences, quotes and long blocks are pasted, the rest is typed."""
    marked: list[tuple[str, str]] = []
    fence = ""
    for line in text.split("\n"):
        bare = line.strip()
        if fence:
            marked.append((PASTED, line))
            fence = "" if bare.startswith(fence) and not bare.strip(fence[0]) else fence
        elif bare.startswith(("```", "~~~")):
            fence = bare[:3]
            marked.append((PASTED, line))
        else:
            marked.append((PASTED if bare.startswith(">") or len(bare) > LONG_PASTE_CHARS else USER, line))
    if len(marked) > LONG_PASTE_LINES:
        marked = _without_long_blocks(marked)
    parts: list[tuple[str, list[str]]] = []
    for origin, line in marked:
        if parts and (parts[-1][0] == origin or not line.strip()):
            parts[-1][1].append(line)
        else:
            parts.append((origin, [line]))
    joined = [(origin, "\n".join(lines)) for origin, lines in parts]
    return [(origin, part.strip("\n")) for origin, part in joined if part.strip()]


def _without_long_blocks(marked: "list[tuple[str, str]]") -> "list[tuple[str, str]]":
    """The same with unbroken blocks of more than 20 lines, and all but the opening of a very long prompt, pasted."""
    blocks: list[list[int]] = [[]]
    for at, (origin, line) in enumerate(marked):
        if origin == USER and line.strip():
            blocks[-1].append(at)
        elif blocks[-1]:
            blocks.append([])
    typed = sum(len(block) for block in blocks)
    pasted = set()
    for number, block in enumerate(blocks):
        opening = number == 0 and len(block) <= OPENING_LINES
        if len(block) > LONG_PASTE_LINES or (typed > LONG_PROMPT_LINES and not opening):
            pasted.update(block)
    return [(PASTED if at in pasted else origin, line) for at, (origin, line) in enumerate(marked)]


# --- what a prompt repeats ---------------------------------------------------------------------------


class Heard:
    """What tools said in a transcript, in the half megabyte before an offset.

    Asked with rising offsets, as a transcript is read, it reads and parses each line once, and
    keeps no more than that half megabyte.
    """

    __slots__ = ("_most", "_path", "_raw", "_said", "_start")

    def __init__(self, path: str, most: int = ECHO_BYTES) -> None:
        self._path, self._most = path, most
        self._start, self._raw = 0, b""  # whole lines, and where in the file the first of them begins
        self._said: dict[int, str] = {}  # where a line begins → what tools said in it

    def read(self, before: int = -1) -> bytes:
        """The lines before the offset *before* (-1: the file's end), as they stand in the file.

        Raises:
            OSError: there is no such file.
        """
        fd = os.open(self._path, os.O_RDONLY | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NONBLOCK", 0))
        try:
            end = os.fstat(fd).st_size if before < 0 else before
            first = max(0, end - self._most)
            known = self._start + len(self._raw)
            if first >= known or end < known:
                self._start, self._raw, known = first, b"", first
                self._said = {}
            os.lseek(fd, known, 0)
            raw = self._raw + os.read(fd, end - known)
        finally:
            os.close(fd)
        cut = first - self._start if first > self._start else 0
        if first and (cut or not self._raw):
            cut = raw.find(b"\n", cut) + 1 or len(raw)  # the line that the window begins in is none
        self._start, self._raw = self._start + cut, raw[cut:]
        self._said = {at: said for at, said in self._said.items() if at >= self._start}
        return self._raw

    def words(self) -> str:
        """What tools said in the lines last read, in lower case, one space between words."""
        at = self._start
        said = []
        for line in self._raw.split(b"\n"):
            if b'"tool_result"' in line:
                if at not in self._said:
                    self._said[at] = _plain(_tool_words(line))
                said.append(self._said[at])
            at += len(line) + 1
        return f" {' '.join(said)} "


def without_echoes(parts: "list[tuple[str, str]]", heard: Heard, before: int) -> "list[tuple[str, str]]":
    """*parts* with typed paragraphs that repeat what a tool said marked as pasted."""
    try:
        raw = heard.read(before)
    except OSError:
        return parts
    words = ""
    found: list[tuple[str, list[str]]] = []
    for origin, part in parts:
        for paragraph in part.split("\n\n") if origin == USER else (part,):
            judged = origin
            if origin == USER and _may_echo(paragraph, raw):
                words = words or heard.words()
                judged = PASTED if is_echo(paragraph, words) else USER
            if found and found[-1][0] == judged:
                found[-1][1].append(paragraph)
            else:
                found.append((judged, [paragraph]))
    return [(origin, "\n\n".join(paragraphs)) for origin, paragraphs in found]


def _may_echo(paragraph: str, raw: bytes) -> bool:
    """Whether enough of a paragraph's words stand in *raw* at all; asked first, since it costs next to nothing."""
    words = paragraph.split()
    if len(words) < GRAM:
        return False
    telling = {word for word in words if len(word) >= TELLING and word.isascii() and word.isalnum()}
    missing = 0
    for word in telling:
        missing += word.encode() not in raw
        if missing > len(telling) * ECHO_SHARE:
            return False
    return True


def _tool_words(line: bytes) -> str:
    """What tools said in one line of a transcript."""
    from ultan.clients.claude_tools import result_text  # noqa: PLC0415 -- hardly a prompt repeats a tool

    try:
        value = plainjson.loads(line.decode("utf-8", "replace"))
    except plainjson.NotJson:
        return ""
    message = value.get("message") if isinstance(value, dict) else None
    content = message.get("content") if isinstance(message, dict) else None
    blocks = [block for block in content if isinstance(block, dict)] if isinstance(content, list) else []
    return " ".join(result_text("", block.get("content")) for block in blocks if block.get("type") == "tool_result")


def _plain(text: str) -> str:
    return " ".join(text.lower().split())


def is_echo(paragraph: str, heard: str) -> bool:
    """Whether half of a paragraph's runs of eight words occur in *heard*."""
    words = _plain(paragraph).split()
    grams = [" ".join(words[at : at + GRAM]) for at in range(len(words) - GRAM + 1)]
    spare = len(grams) - ECHO_SHARE * len(grams)
    for gram in grams:
        spare -= gram not in heard
        if spare < 0:
            return False
    return bool(grams)
