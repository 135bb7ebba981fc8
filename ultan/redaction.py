"""Credentials taken out of a text before anybody keeps it; text made harmless to show.

``redact`` is the first layer: it runs in hooks on every text, before anything is
written, and again before the library and before a model. It knows six families:
A tokens by their prefix, B key blocks, C values after a telling name, D credentials in
known places (addresses, headers, flags, password files), E secrets told in prose, and
F each of these under one layer of base64. ``deep`` is the second layer, for the
curator: the rules of gitleaks on re2. Neither asks anybody whether a credential is
real, and no part of a value stays behind.
"""

import os

from ultan import announced, credentials, sightings
from ultan.credentials import BASE64, HEX
from ultan.values import LONGEST, MARK, decoded, entropy, is_login, places_of, run, stands_for_another

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Found = list[tuple[int, int, str]]

_PASSES = 4
_ZERO_WIDTH = "\u200b\u200c\u200d\u2060\ufeff\u00ad\u180e"
_JOINS = ("\\\n", "\\\r\n", "\\\\\\n", "\\u")
_TO_BASE64 = bytes(code if chr(code) in BASE64 + "-_" else 32 for code in range(256))
_WRAPPED = 24  # letters of base64: no token is shorter
_LINE = 60  # and no line of a block of it, but the last
_BORDERS = " \t\r>|*#'\","  # what stands around such a line in a quotation, a table or a program


def redact(text: str) -> "tuple[str, int]":
    """*text* with every credential replaced by ``[redacted:kind]``, and how many there were.

    Redacting twice changes nothing.
    """
    count = 0
    for _ in range(_PASSES):  # what a marker uncovers is found by the next pass
        found = find_credentials(text)
        if not found:
            break
        text = _replaced(text, found)
        count += len(found)
    return text, count


def find_credentials(text: str) -> "Found":
    """Where credentials stand in *text*: disjoint spans (start, end, kind) in order."""
    view, places = _joined(text)
    found = _found(view)
    _in_base64(view, found)
    _in_lines_of_base64(view, found)
    _in_percent(view, found)
    if not found:
        return found
    found = _disjoint(found)
    if places is None:
        return found
    return [(places[start], places[end], kind) for start, end, kind in found]


def _found(view: str) -> "Found":
    found: Found = []
    if len(view) >= 6:
        low = _lowered(view)
        sightings.find_all(view, low, found)
        announced.find_all(view, low, found)
    return found


def _replaced(text: str, found: "Found") -> str:
    parts, last = [], 0
    for start, end, kind in found:
        parts.append(f"{text[last:start]}{MARK}{kind}]")
        last = end
    parts.append(text[last:])
    return "".join(parts)


def _disjoint(found: "Found") -> "Found":
    """Overlapping spans made one, named by whichever was found first (families go from sure to guessed)."""
    order = {span: number for number, span in reversed(list(enumerate(found)))}
    merged: Found = []
    best = 0
    for span in sorted(order, key=lambda one: (one[0], order[one])):
        if not merged or span[0] >= merged[-1][1]:
            merged.append(span)
            best = order[span]
            continue
        was = merged[-1]
        kind = span[2] if order[span] < best else was[2]
        best = min(best, order[span])
        merged[-1] = (was[0], max(was[1], span[1]), kind)
    return merged


def _joined(text: str) -> "tuple[str, list[int] | None]":
    """*text* as it would be read: without zero-width letters and line joins, escaped letters decoded.

    Also where each letter came from, and the end; ``None`` where nothing had to be done.
    """
    if not any(join in text for join in _JOINS) and (
        text.isascii() or not any(letter in text for letter in _ZERO_WIDTH)
    ):
        return text, None
    letters, places = [], []
    at, size = 0, len(text)
    while at < size:
        letter, after = text[at], at + 1
        if letter == "\\":
            letter, after = _escape(text, at)
        if letter and letter not in _ZERO_WIDTH:
            letters.append(letter)
            places.append(at)
        at = after
    places.append(size)
    return "".join(letters), places


def _escape(text: str, at: int) -> "tuple[str, int]":
    """The letter that the backslash at *at* stands for (none for a join of lines), and where it ends."""
    if text[at + 1 : at + 2] in ("\n", "\r"):
        end = at + (3 if text.startswith("\r\n", at + 1) else 2)
        return "", end + run(text, end, " \t")
    slashes = run(text, at, "\\", 9)
    after = at + slashes + 1
    if slashes in (3, 7) and text[after - 1 : after] == "n":  # the join, as JSON writes it
        return "", after
    code = text[after : after + 4]
    if slashes <= 3 and text[after - 1 : after] == "u" and len(code) == 4 and not code.strip(HEX):
        letter = chr(int(code, 16))
        return letter if letter >= " " else "", after + 4
    return "\\", at + 1


def _lowered(text: str) -> str:
    """*text* in lower case, every letter at its old place."""
    low = text.lower()
    if len(low) == len(text):
        return low
    return "".join(letter.lower() if len(letter.lower()) == 1 else letter for letter in text)


def _in_base64(text: str, found: "Found") -> None:
    """Add the runs of base64 that hold a credential of any other family."""
    at = 0
    for letters in text.encode("ascii", "replace").translate(_TO_BASE64).split():
        if len(letters) < _WRAPPED:
            continue
        word = letters.decode("ascii")
        at = text.find(word, at)
        if at < 0:
            return
        inside = decoded(word)
        if inside and _found(inside):
            found.append((at, at + len(word), "base64-wrapped"))
        elif (
            inside
            and is_login(word)
            and text[max(0, at - 12) : at].lower().rstrip(" \"'\\:=").endswith("auth")
        ):
            found.append((at, at + len(word), "registry-auth"))
        at += len(word)


def _in_lines_of_base64(text: str, found: "Found") -> None:
    """Add the blocks of base64 in lines of one length that hold a credential of any family."""
    if "\n" not in text or len(text) <= _LINE:
        return
    block: list[tuple[int, str]] = []
    at = 0
    for line in (*text.split("\n"), ""):
        word = line.strip(_BORDERS)
        is_wide = len(word) >= _LINE and not word.strip(BASE64 + "-_")
        if is_wide and (not block or len(word) == len(block[-1][1])):
            block.append((at + line.find(word), word))
        elif block:
            if 0 < len(word) < len(block[-1][1]) and not word.strip(BASE64 + "-_") and (len(block) * len(block[0][1]) + len(word)) % 4 == 0:
                block.append((at + line.find(word), word))
            if len(block) > 1:
                inside = decoded("".join(part for _, part in block))
                if inside and _found(inside):
                    found.append((block[0][0], block[-1][0] + len(block[-1][1]), "base64-wrapped"))
            block = [(at + line.find(word), word)] if is_wide and word != block[-1][1] else []
        at += len(line) + 1


def _in_percent(text: str, found: "Found") -> None:
    """Add the credentials that are seen only where ``%2F`` is read as the letter it stands for."""
    at = text.find("%")
    if at < 0:
        return
    letters: list[str] = []
    places: list[int] = []
    last = 0
    while at >= 0:
        code = text[at + 1 : at + 3]
        letter = chr(int(code, 16)) if len(code) == 2 and not code.strip(HEX) else ""
        if letter == "\n" or " " <= letter <= "~":
            letters.append(text[last:at] + letter)
            places += range(last, at + 1)
            last = at + 3
        at = text.find("%", max(at + 1, last))
    if not letters:
        return
    letters.append(text[last:])
    places += range(last, len(text) + 1)
    found += [(places[start], places[end], kind) for start, end, kind in _found("".join(letters))]


# --- the second layer --------------------------------------------------------------------------------

_rules: "list[Any]" = []


def deep(text: str) -> "tuple[str, int]":
    """*text* after ``redact`` and the rules of gitleaks, and how many credentials were replaced.

    For the curator, which has the time: a rule's pattern is compiled when one of its
    words occurs. A hit must have the rule's entropy and be no placeholder.
    """
    text, count = redact(text)
    import re2  # noqa: PLC0415 -- slow side only

    if not _rules:
        from ultan import plainjson  # noqa: PLC0415 -- slow side only

        with open(os.path.join(os.path.dirname(__file__), "gitleaks.json"), encoding="utf-8") as file:
            _rules.extend(plainjson.loads(file.read())["rules"])
    options = re2.Options()
    options.max_mem, options.log_errors = 8 << 20, False
    low = text.lower()
    found: Found = []
    for name, pattern, bits, group, words in _rules:
        if any(word in low for word in words):
            for match in re2.compile(pattern, options).finditer(text):
                whole = group or (1 if match.groups() and match.group(1) else 0)
                start, end = match.span(whole)
                value = text[start:end]
                if value and entropy(value) >= bits and not stands_for_another(value):
                    found.append((start, end, name))
    if not found:
        return text, count
    found = _disjoint(found)
    return _replaced(text, found), count + len(found)


# --- files that hold nothing but secrets ------------------------------------------------------------


def is_cluster_secret(text: str) -> bool:
    """Whether *text* is a Kubernetes Secret: its values are dropped, not searched for strength."""
    return sightings.is_cluster_secret(text.lower())


def is_sensitive_path(path: str) -> bool:
    """Whether the file at *path* is a place for credentials: what was read from it is dropped, not searched."""
    whole = "/" + path.strip().strip("\"'").replace("\\", "/").lower()
    name = whole.rpartition("/")[2]
    if any(folder in whole for folder in credentials.FILE_FOLDERS):
        return not name.endswith(credentials.FILE_TEMPLATES)
    if not name or name.endswith(credentials.FILE_TEMPLATES):
        return False
    if name in credentials.FILES or name.startswith(".env.") or name.endswith(credentials.FILE_ENDINGS):
        return True
    if "/.ssh/" in whole:
        return name not in ("config", "known_hosts", "authorized_keys")
    if name.endswith(credentials.SOURCES):
        return False
    stem = name.lstrip(".")
    return stem.startswith("credentials") or stem in ("id_rsa", "id_dsa", "id_ecdsa", "id_ed25519", "id_xmss")


def names_sensitive_path(command: str) -> bool:
    """Whether a shell command names such a file, so that what it printed is dropped."""
    for sign in ";|&<>()=\n`,\"'@":
        command = command.replace(sign, " ")
    return any(is_sensitive_path(word) for word in command.split())


# --- text made inert --------------------------------------------------------------------------------


def strip_private(text: str) -> "tuple[str, int]":
    """*text* without what stands between ``<private>`` and ``</private>``, and how many such spans there were.

    A span that is never closed reaches to the end: what was meant to be private stays private.
    """
    low = _lowered(text)
    parts, last, count = [], 0, 0
    at = low.find("<private>")
    while at >= 0:
        parts.append(text[last:at])
        depth, last = 1, at + 9
        while depth:
            close, inner = low.find("</private>", last), low.find("<private>", last)
            if close < 0:
                return "".join(parts), count + 1
            opens = 0 <= inner < close
            depth += 1 if opens else -1
            last = inner + 9 if opens else close + 10
        count += 1
        at = low.find("<private>", last)
    return "".join(parts) + text[last:], count


_table: "dict[int, None]" = {}
_ESCAPES = "\x1b\x90\x98\x9b\x9d\x9e\x9f"
_PARAMETERS = "".join(map(chr, range(0x20, 0x40)))


def neutral(text: str) -> "tuple[str, int]":
    """*text* that can trick neither a terminal nor a reader, and how many letters were taken out.

    Gone: control letters but newline and tab, whole escape sequences, bidirectional
    controls, tag letters, and everything that has no width.
    """
    if text.isascii() and text.isprintable():
        return text, 0
    kept = text.replace("\r\n", "\n")
    whole = len(kept)
    if any(letter in kept for letter in _ESCAPES):
        kept = _without_sequences(kept)
    kept = kept.translate(_invisible())
    return kept, whole - len(kept)


def _invisible() -> "dict[int, None]":
    """What has no width or a will of its own, as a table for ``str.translate``.

    Controls, soft hyphen, joiners, direction marks and overrides, fillers, variation
    selectors but the emoji one, tags, lone surrogates. Built when first wanted: few hooks want it.
    """
    if not _table:
        for first, last in (
            (0, 8), (11, 31), (0x7F, 0x9F), (0xAD, 0xAD), (0x34F, 0x34F), (0x61C, 0x61C), (0x115F, 0x1160),
            (0x17B4, 0x17B5), (0x180B, 0x180E), (0x200B, 0x200F), (0x2028, 0x202E), (0x2060, 0x206F),
            (0x3164, 0x3164), (0xD800, 0xDFFF), (0xFE00, 0xFE0E), (0xFEFF, 0xFEFF), (0xFFA0, 0xFFA0),
            (0xFFF0, 0xFFFB), (0xE0000, 0xE01FF),
        ):  # fmt: skip
            _table.update(dict.fromkeys(range(first, last + 1)))
    return _table


def _without_sequences(text: str) -> str:
    """*text* without CSI, OSC and the other escape sequences."""
    parts, last, size = [], 0, len(text)
    starts = sorted({place for letter in _ESCAPES for place in places_of(text, letter)})
    for at in starts:
        if at < last:
            continue
        parts.append(text[last:at])
        kind, last = text[at], at + 1
        if kind == "\x1b":
            kind, last = text[last : last + 1], last + 1
        if kind in ("[", "\x9b"):
            last += run(text, last, _PARAMETERS)
            last += "@" <= text[last : last + 1] <= "~"
        elif kind and kind in "]P^_X\x9d\x90\x98\x9e\x9f":
            last = _string_end(text, last)
        elif kind and kind in " #%()*+-./":
            last += 1
        last = min(last, size)
    parts.append(text[last:])
    return "".join(parts)


def _string_end(text: str, at: int) -> int:
    """Where a control string ends: after its terminator, or before the end of its line."""
    line = text[at : at + LONGEST].partition("\n")[0]
    for end in ("\x07", "\x1b\\", "\x9c"):
        place = line.find(end)
        if place >= 0:
            line = line[: place + len(end)]
    return at + len(line)
