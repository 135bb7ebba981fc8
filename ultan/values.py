"""Values inside a text: where one begins and ends, and whether it is a secret.

Ground for ``sightings`` and ``announced``. Everything here is linear in what it looks
at and works on ``str`` methods alone: a hook that meets a telling word need not
compile a single pattern (24 of them cost it 19 ms).
"""

from ultan import credentials
from ultan.credentials import DIGITS, HEX, LOWER, UPPER, WORD

LONGEST = 4096  # letters looked at for one value
MARK = "[redacted:"
NAME = WORD + "_-."
GRAPHIC = "".join(map(chr, range(33, 127)))
BARE = "".join(
    letter for letter in GRAPHIC if letter not in "\"'`\\<>,;|"
)  # what an unquoted value is made of
QUOTES = "\"'`"


def run(text: str, start: int, alphabet: str, most: int = LONGEST) -> int:
    """How many letters of *alphabet* stand at *start*."""
    piece = text[start : start + most]
    return len(piece) - len(piece.lstrip(alphabet))


def run_back(text: str, end: int, alphabet: str, most: int = 128) -> int:
    """How many letters of *alphabet* stand before *end*."""
    piece = text[max(0, end - most) : end]
    return len(piece) - len(piece.rstrip(alphabet))


def places_of(text: str, literal: str) -> "list[int]":
    """Every place where *literal* begins."""
    places = []
    at = text.find(literal)
    while at >= 0:
        places.append(at)
        at = text.find(literal, at + 1)
    return places


def line_at(text: str, at: int, most: int) -> str:
    """The rest of the line from *at* on, at most *most* letters of it."""
    return text[at : at + most].partition("\n")[0]


def at_boundary(text: str, at: int, *, timid: bool = False) -> bool:
    """Whether a token can begin at *at*: after no letter, or after an escape that ends in one."""
    before = text[at - 1] if at else " "
    if before in "_-":
        return not timid
    if before not in WORD:
        return True
    escaped = before in "nrtbf" and text[at - 2 : at - 1] == "\\"
    encoded = text[at - 3 : at - 2] == "%" and before in HEX
    coloured = before == "m" and "\x1b[" in text[max(0, at - 9) : at]
    return escaped or encoded or coloured or text[at - 6 : at - 4] == "\\u"


def word_at(text: str, at: int) -> "tuple[int, int, bool]":
    """The value that begins at or shortly after *at*: its start, its end, and whether it was quoted."""
    start = at + run(text, at, " \t", 24)
    mark = start
    if text[mark : mark + 1] in ("b", "r", "f", "u", "@") and text[mark + 1 : mark + 2] in ('"', "'"):
        mark += 1
    mark += run(text, mark, "\\", 8)
    quote = text[mark : mark + 1]
    if quote and quote in QUOTES:
        start = mark + run(text, mark, quote, 3)
        line = line_at(text, start, LONGEST)
        end = line.find(quote)
        if end > 0:
            return start, start + len(line[:end].rstrip("\\")), True
        return start, start + run(text, start, BARE), False
    body = text[start : start + run(text, start, BARE)]
    amper = body.find("&")
    if amper > 0 and "=" in body[amper:]:
        body = body[:amper]
    return start, start + len(body.rstrip("." if body.startswith("$") else ".:!?)]}*_&")), False


def decoded(value: str) -> str:
    """The printable ASCII text that *value* is the base64 of, or ``""``."""
    from binascii import Error, a2b_base64  # noqa: PLC0415 -- a C module, and few texts need it

    body = value.replace("-", "+").replace("_", "/").rstrip("=")
    try:
        raw = a2b_base64(body + "=" * (-len(body) % 4))
    except (Error, ValueError):
        return ""
    if raw.translate(None, b"\t\n\r" + bytes(range(32, 127))):
        return ""
    return raw.decode("ascii")


def is_login(value: str) -> bool:
    """Whether *value* is the base64 of ``user:password``."""
    user, colon, word = decoded(value).partition(":")
    return bool(colon and user and word) and " " not in user


# --- what makes a value a secret ------------------------------------------------------------------


def classes(value: str) -> "tuple[bool, bool, bool, bool]":
    """Whether *value* has lower case, upper case, digits, and anything else."""
    kinds = set(map(_class, value))
    return 0 in kinds, 1 in kinds, 2 in kinds, 3 in kinds


def _class(letter: str) -> int:
    if letter in LOWER:
        return 0
    if letter in UPPER:
        return 1
    return 2 if letter in DIGITS else 3


def unrest(value: str) -> float:
    """How often the class of letter changes from one letter to the next, in [0, 1].

    Letters and digits drawn at random: above 0.4; names in camel or snake case: below 0.3.
    """
    kinds = [kind for kind in map(_class, value) if kind < 3]
    changes = sum(one != two for one, two in zip(kinds, kinds[1:], strict=False))  # noqa: RUF007 -- itertools: 1 ms
    return changes / (len(kinds) - 1) if len(kinds) > 1 else 0.0


def entropy(value: str) -> float:
    """Bits a letter."""
    from math import log2  # noqa: PLC0415 -- only where a value is long and has no digit

    size = len(value)
    return -sum(n / size * log2(n / size) for n in (value.count(letter) for letter in set(value)))


def stands_for_another(value: str) -> bool:
    """Whether *value* is a placeholder, a marker or a reference rather than a value."""
    if len(set(value)) < 4:
        return True
    low = value.lower()
    if any(word in low for word in credentials.PLACEHOLDERS):
        return True
    if value[0] in "$<{%@[(&*" and not value.startswith("$2"):
        return True
    return "${" in value or "{{" in value or MARK in value


def is_wordy(value: str, limit: float = 0.3) -> bool:
    """Whether *value* reads like names: words in snake, kebab or camel case, digits only at their ends."""
    if any(letter in "!@#$%^&*=+~" for letter in value):
        return False
    parts = "".join(letter if letter in WORD else " " for letter in value).split()
    if any(part.strip(DIGITS) and any(letter in DIGITS for letter in part[:-2]) for part in parts):
        return False
    return unrest(value) < limit


def is_secret(value: str, kind: str, *, quoted: bool, least: int) -> bool:
    """Whether a *value* that a name or a sentence announced as *kind* passes the test of strength.

    Strong is: letters and digits, or long and of high entropy; and not a placeholder,
    a path, a number with its unit, a word of the trade, a UUID, or (unquoted) code.
    """
    if len(value) < least or stands_for_another(value) or _is_path(value) or (not quoted and _is_code(value)):
        return False
    if _is_uuid(value):
        return kind in ("password", "secret", "key")
    if (len(value) < 16 and _is_measure(value)) or _is_jargon(value):
        return False
    lower, upper, digit, other = classes(value)
    if (lower or upper) and digit:
        return kind == "password" or not is_wordy(value)
    return _is_strong_without_digits(value, kind, quoted=quoted, odd=other)


def _is_strong_without_digits(value: str, kind: str, *, quoted: bool, odd: bool) -> bool:
    size = len(value)
    if kind == "password" and quoted and odd and size >= 10 and " " not in value:
        return any(letter not in NAME + "/" for letter in value) and not is_wordy(value)
    if size < 20 or " " in value:
        return False
    if kind == "password" and value.isalpha():
        return entropy(value) > 3.2  # a pass phrase in one word
    return not is_wordy(value, 0.3 if quoted else 0.42) and entropy(value) > 3.5


def is_address_password(word: str) -> bool:
    """Whether *word* is a password between ``:`` and ``@`` of an address."""
    if len(word) < 6 or stands_for_another(word) or word[0] == "/":
        return False
    low = word.lower()
    if (word.isalpha() and low.startswith(("pass", "secret", "pw"))) or low in (
        "postgres",
        "tiger",
        "guest",
        "admin",
    ):
        return False
    lower, upper, digit, other = classes(word)
    if digit:
        return lower or upper or (other and len(word) > 10)
    return (lower and upper) or len(word) >= 12


def _is_uuid(value: str) -> bool:
    return [len(part) for part in value.split("-")] == [8, 4, 4, 4, 12] and not value.strip(HEX + "-")


def _is_code(value: str) -> bool:
    """Whether an unquoted *value* is a call, an index or an attribute."""
    for bracket in "([":
        head, found, _ = value.partition(bracket)
        if found and not head.strip(NAME) and head[:1] not in tuple(DIGITS) and unrest(head) < 0.5:
            return True
    if "." in value and not value.strip(NAME):
        return all(part and part[0] not in DIGITS and unrest(part) < 0.5 for part in value.split("."))
    return value.startswith(("::", "=>", "!"))


def _is_path(value: str) -> bool:
    if "://" in value:
        return unrest(value) < 0.4 or value.count("/") > 3
    if value.startswith(("/", "~/", "./", "../", "\\\\")) or value[1:3] in (":\\", ":/"):
        return unrest(value) < 0.4
    return value.count("/") >= 1 and is_wordy(value)


def _is_measure(value: str) -> bool:
    """Whether *value* is a number with its unit, a version or a date."""
    rest = value.lstrip("v~^=<>").lstrip(DIGITS + ".:-/+_")
    return not rest or (len(rest) < len(value) and len(rest) < 7 and rest.isalpha())


def _is_jargon(value: str) -> bool:
    low = value.lower()
    parts = [low, *low.replace("-", " ").replace("_", " ").replace("/", " ").split()]
    return (
        len(value) < 24
        and any(part.startswith(credentials.JARGON) for part in parts)
        and unrest(value) < 0.45
    )
