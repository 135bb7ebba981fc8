"""Secrets that a name or a sentence announces: ``DB_PASSWORD=…``, "the password is …", in many languages.

Families C and E of ``redaction``. What is announced is judged by ``values.is_secret``;
the announcement alone never redacts, or every text about passwords would suffer.
"""

from ultan import credentials
from ultan.credentials import DIGITS, URLSAFE
from ultan.values import (
    GRAPHIC,
    MARK,
    NAME,
    QUOTES,
    classes,
    is_login,
    is_secret,
    is_wordy,
    places_of,
    run,
    run_back,
    stands_for_another,
    unrest,
    word_at,
)  # fmt: skip

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    Found = list[tuple[int, int, str]]

_SESSIONS = ("sessionid", "session_id", "phpsessid", "jsessionid")
_SIGNS = (":=", "=>", "==", "->", "%3D", "%3d", "%3A", "%3a", "=", ":", "\uff1a", "\uff1d")
_MARKUP = "\"'`*_()[]{}<>~\\"
_LINK_LETTERS = "\uff1a\u662f\u4e3a\u70ba\u306f\u2014\uff1d"
_SENTENCE = 160  # letters read after an announcing word
_WORDS = 8


def find_all(text: str, low: str, found: "Found") -> None:
    """Add every announced secret in *text*; *low* is the same text in lower case."""
    _named(text, low, found)
    _told(text, low, found)


# --- C: values after a telling name ---------------------------------------------------------------


def _named(text: str, low: str, found: "Found") -> None:
    seen = set()
    for stem, kind in credentials.STEMS:
        at = low.find(stem)
        while at >= 0:
            start = at - run_back(text, at, NAME, 64)
            end = at + run(text, at, NAME, 64)
            if start and text[start - 1] == "\\" and text[start] in "nrtbf":
                start += 1
            if start not in seen and not _is_marker(low, start):
                _after_name(text, start, at + len(text[at:end].rstrip(".-")), kind, found)
            seen.add(start)
            at = low.find(stem, max(end, at + 1))


def _is_marker(low: str, at: int) -> bool:
    """Whether the word at *at* is the kind in one of our own markers."""
    return low.startswith("redacted:", max(0, at - 9))


def _holds_secret(name: str) -> bool:
    """Whether a variable, field, flag or header called *name* holds a secret."""
    squeezed = name.lower().replace("_", "").replace("-", "").replace(".", "").rstrip(DIGITS)
    if squeezed.endswith(credentials.EXCEPT):
        return False
    if squeezed.endswith(credentials.NAMES) or squeezed in ("auth", "pat", "pass", "pw"):
        return True
    for word in credentials.WHICH:
        if squeezed.endswith(word) and squeezed[: -len(word)].endswith(credentials.NAMES):
            return True
    if name.endswith("Pass") or name.lower().endswith(
        ("_pass", "-pass", ".pass", "_pat", "-pat", "_pw", "-pw")
    ):
        return True
    if name.upper() == name and len(name) > 4 and not squeezed.endswith(credentials.HARMLESS):
        return any(word in name for word in ("_KEY", "PASS", "SECRET", "TOKEN", "CREDENTIAL"))
    return False


def _after_name(text: str, start: int, end: int, kind: str, found: "Found") -> None:
    """Judge what stands after the name between *start* and *end*."""
    low = text[start:end].lower()
    before = text[start - 1 : start]
    if low.endswith(("x-amz-signature", "x-goog-signature")) or (
        low in ("sig", "signature") and before in ("?", "&")
    ):
        place = end + run(text, end, "=" + QUOTES, 3)
        size = run(text, place, URLSAFE + "%.+/=")
        if size >= 20:
            found.append((place, place + size, "signature"))
        return
    place = _value_place(text, start, end)
    if place < 0:
        return
    if low.endswith("authorization"):
        _after_authorization(text, place, found)
    elif low in _SESSIONS:
        if before in ("?", "&", ";", " ") and text[end] == "=":
            _assigned(text, place, "cookie", found)
    elif _holds_secret(text[start:end]):
        if low.endswith("authtoken"):
            kind = "secret"  # of a package registry; some are UUIDs
        if low.endswith("auth"):
            _after_authorization(text, place, found)
        _assigned(text, place, kind, found)


def _assigned(text: str, place: int, kind: str, found: "Found") -> None:
    """Judge the value at *place*, and the default after it where it is a type (``password: str = …``)."""
    for _ in range(2):
        start, end, quoted = word_at(text, place)
        value = text[start:end]
        if is_secret(value, kind, quoted=quoted, least=6 if kind == "password" else 8):
            if " " not in value or (kind == "password" and classes(value)[2]):
                found.append((start, end, kind))
            return
        rest = text[end : end + 4].lstrip(" \t")
        if quoted or rest[:1] != "=" or rest.startswith("=="):
            return
        place = text.index("=", end) + 1


def _value_place(text: str, start: int, end: int) -> int:
    """Where the value of a name begins, or -1 where none is assigned."""
    closing = run(text, end, "\\\"'`]*", 8)
    closed = any(quote in text[end : end + closing] for quote in QUOTES)
    at = end + closing
    spaces = run(text, at, " \t", 24)
    at += spaces
    for sign in _SIGNS:
        if text.startswith(sign, at):
            return at + len(sign)
    after = text[at : at + 1]
    if (closed and after == ",") or (after == ">" and text[start - 1 : start] == "<"):
        return at + 1
    return at if spaces and text[start] == "-" else -1


def _after_authorization(text: str, at: int, found: "Found") -> None:
    """Judge the value of a header, after the name of its scheme if there is one."""
    start, end, quoted = word_at(text, at)
    value = text[start:end]
    if not quoted and value.isalpha() and len(value) < 12 and text[end : end + 1] == " ":
        start, end, _ = word_at(text, end)
        value = text[start:end]
    scheme, space, rest = value.partition(" ")
    if space:
        start, value = start + len(scheme) + 1, rest
    if is_login(value) or is_secret(value, "token", quoted=quoted, least=16):
        found.append((start, start + len(value), "authorization"))


# --- E: secrets told in prose -------------------------------------------------------------------------


def _told(text: str, low: str, found: "Found") -> None:
    for stem, kind in credentials.TOLD:
        for at in places_of(low, stem):
            end = at + len(stem)
            if text[end : end + 1] not in ("_", "-") and not _is_marker(low, at):
                _after_word(text, end, kind, found)


def _after_word(text: str, at: int, kind: str, found: "Found") -> None:
    """Judge the words that follow an announcing word within its sentence."""
    while text[at : at + 1].isalpha() and "\x7f" < text[at] < "\u3000":
        at += 1  # the ending that the word has in its language
    sentence = text[at : at + _SENTENCE].partition("\n")[0].partition("\\n")[0]
    if not any(digit in sentence for digit in DIGITS) and "-" not in sentence and len(sentence) < 24:
        return
    linked, since, place = False, 0, 0
    for number, word in enumerate(sentence.replace("\u3000", " ").split(None, _WORDS)[:_WORDS]):
        place = sentence.find(word, place)
        skipped, link = _head(word, first=number == 0)
        linked = linked or link
        start = place + skipped
        whole = sentence[start : start + run(word, skipped, GRAPHIC)]
        quote = word[skipped - 1] if skipped > 0 and word[skipped - 1] in QUOTES else ""
        for value in _values(whole, quote):
            if _is_told(value, kind, linked=linked and since < 3, direct=number == 0, quoted=bool(quote)):
                found.append((at + start, at + start + len(value), kind))
                return
        since = since + 1 if linked else 0
        if word.lower() in credentials.LINKS or word.endswith((":", "=", "\uff1a")):
            linked, since = True, 0
        elif word.endswith((".", ";", "!", "?", "\u3002")) or (linked and word.endswith(",")):
            return
        place += len(word)


def _values(whole: str, quote: str) -> "Iterator[str]":
    """What may be meant where *whole* stands: all of it, then what the *quote* before it closes (``"…"__name``)."""
    parts = (whole, whole[: whole.rfind(quote)]) if quote and quote in whole else (whole,)
    for part in parts:
        value = part.rstrip(".,:;!?&" + _MARKUP)
        if value:
            yield value


def _head(word: str, *, first: bool) -> "tuple[int, bool]":
    """How many letters of *word* stand before what may be a value, and whether they link to it."""
    skipped, linked = run(word, 0, _MARKUP), False
    while skipped < len(word) and not word[skipped].isascii():
        linked = linked or word[skipped] in _LINK_LETTERS
        skipped += 1
        skipped += run(word, skipped, _MARKUP)
    if first and word[skipped : skipped + 1] in (":", "="):
        linked = True
        skipped += 1
        skipped += run(word, skipped, _MARKUP)
    return skipped, linked


def _is_told(value: str, kind: str, *, linked: bool, direct: bool, quoted: bool) -> bool:
    if value.startswith(("-", "http")) or MARK in value or "redacted:" in value or "=" in value[1:-2]:
        return False
    password = kind == "password"
    if quoted and direct and password and len(value) >= 16 and value.count("-") >= 2 and "_" not in value:
        return not stands_for_another(value)
    near = linked or (direct and (quoted or len(value) >= 8))
    if not near or not is_secret(value, kind, quoted=False, least=6 if password else 16):
        return False
    lower, upper, digit, other = classes(value)
    if not linked and not quoted:
        plain = password and value.isalnum() and not value[0].isdigit()  # "password hunter22"
        return digit and (plain or ((upper or other) and unrest(value) > 0.3 and not is_wordy(value)))
    if digit:
        return not is_wordy(value) or (password and unrest(value) > 0.1)
    return len(value) >= 20 and lower and upper
