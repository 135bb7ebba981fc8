"""Text → the terms that are indexed and looked up; the same on both sides.

Lower case, accents folded, camelCase split, English stemmed by Snowball's algorithm (equal to
``snowballstemmer``, see ``tests/property/test_stemmer.py``), scripts without spaces cut into
bigrams, stop words dropped. Measured before the first line of code: stop words and stemming are
worth 10 points of recall@10, more than anything that was ever built on top of them.

Pure Python without ``re``: a hook tokenises one prompt in well under a millisecond.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

# Function words: they occur in every prompt and in every entry, and say nothing about either.
STOP = frozenset(
    """a about above after again against all also am an and any are aren as at be because been before being below
    between both but by can cannot cant could couldn couldnt did didn didnt do does doesn doesnt doing don dont down
    during each few for from further get got had hadn hadnt has hasn hasnt have haven havent having he her here hers
    herself him himself his how however i id if ill im in into is isn isnt it its itself ive just let lets like me
    might more most much must my myself need no nor not now of off on once only or other ought our ours ourselves out
    over own per please really same shall she should shouldn shouldnt so some such than that thats the their theirs
    them themselves then there theres these they theyre this those through to too under until up us use used using
    very was wasn wasnt we well were weren werent weve what whats when where which while who whom why will with wont
    would wouldn wouldnt yes yet you youd youll your youre yours yourself yourselves youve""".split()  # noqa: SIM905 -- a list of words reads best as words
)
LONGEST = 64  # longer runs of letters and digits are hashes, keys, base64: no word
MOST_TERMS = 4000  # a pasted megabyte is read this far

# --- words ------------------------------------------------------------------------------------

_ASCII_WORDS = {
    code: None if chr(code) == "'" else " " for code in range(128) if not chr(code).isalnum()
}  # an apostrophe vanishes: don't → dont, user's → users
_QUOTES = {0x2019: "'", 0x2018: "'", 0x02BC: "'"}


def words(text: str) -> "Iterator[str]":
    """The words of *text* in order, case kept, accents folded, unspaced scripts as runs."""
    if not text.isascii():
        text = _folded(text)
        if not text.isascii():
            yield from _mixed(text)
            return
    yield from text.translate(_ASCII_WORDS).split()


def _folded(text: str) -> str:
    """*text* without accents; letters of other scripts stay."""
    import unicodedata  # noqa: PLC0415 -- as above

    normal = unicodedata.normalize("NFKD", text.translate(_QUOTES))
    bare = "".join(char for char in normal if not "\u0300" <= char <= "\u036f")
    return unicodedata.normalize("NFC", bare)


def _mixed(text: str) -> "Iterator[str]":
    import unicodedata  # noqa: PLC0415 -- as above

    run: list[str] = []
    was_unspaced = False
    for char in text:
        if char == "'":
            continue
        if not char.isalnum() and unicodedata.category(char)[0] != "M":
            if run:
                yield "".join(run)
                run = []
            continue
        unspaced = is_unspaced(char)
        if run and unspaced != was_unspaced:
            yield "".join(run)
            run = []
        was_unspaced = unspaced
        run.append(char)
    if run:
        yield "".join(run)


def is_unspaced(char: str) -> bool:
    """Whether *char* belongs to a script that writes no spaces between words."""
    code = ord(char)
    return code >= 0x0E00 and (
        0x3040 <= code <= 0x30FF  # kana
        or 0x3400 <= code <= 0x4DBF
        or 0x4E00 <= code <= 0x9FFF
        or 0xF900 <= code <= 0xFAFF
        or 0x20000 <= code <= 0x3FFFF  # Han
        or 0x0E00 <= code <= 0x0EFF  # Thai, Lao
        or 0x1000 <= code <= 0x109F  # Myanmar
        or 0x1780 <= code <= 0x17FF  # Khmer
    )


def parts(word: str) -> "list[str]":
    """The parts of a camelCase or PascalCase word, lower case; one part for any other word."""
    if word.islower() or word.isupper() or not word.isascii() or word.isdigit():
        return [word.lower()]
    cut = [0]
    for at in range(1, len(word)):
        here, before = word[at], word[at - 1]
        if here.isupper() and (
            before.islower() or (before.isupper() and at + 1 < len(word) and word[at + 1].islower())
        ):
            cut.append(at)
    if len(cut) == 1 or (len(cut) == 2 and cut[1] == 1):
        return [word.lower()]
    cut.append(len(word))
    return [word[start:end].lower() for start, end in zip(cut, cut[1:], strict=False)]  # noqa: RUF007 -- itertools costs a hook more


def terms(text: str) -> "list[str]":
    """The terms of *text*, in order, repeats kept."""
    return [term for term, _ in spelled(text)]


def spelled(text: str) -> "Iterator[tuple[str, str]]":
    """Each term of *text* with the lower-case word it came from."""
    left = MOST_TERMS
    for word in words(text):
        found = spelled_word(word)
        yield from found
        left -= len(found)
        if left <= 0:
            return


def spelled_word(word: str) -> "tuple[tuple[str, str], ...]":
    """The terms of one word of ``words``, each with the lower-case part it came from."""
    found = _known.get(word)
    if found is None:
        if len(_known) > MOST_KNOWN:
            _known.clear()  # a compile of a huge library may not grow without end
        found = _known[word] = _terms_of(word)
    return found


MOST_KNOWN = 200_000
_known: "dict[str, tuple[tuple[str, str], ...]]" = {}


def _terms_of(word: str) -> "tuple[tuple[str, str], ...]":
    if len(word) > LONGEST:
        return ()
    if is_unspaced(word[0]):
        return tuple((gram, gram) for gram in [word[at : at + 2] for at in range(len(word) - 1)] or [word])
    pieces = parts(word)
    found = [(stem(piece), piece) for piece in pieces if piece not in STOP and (len(piece) > 1 or piece.isdigit())]
    if len(pieces) > 1:
        found.insert(0, (word.lower(), word.lower()))
    return tuple(found)


# --- Snowball's English stemmer -----------------------------------------------------------------

_VOWELS = frozenset("aeiouy")
_VOWELS_WXY = frozenset("aeiouywxY")
_KNOWN = {
    "andes": "andes", "atlas": "atlas", "bias": "bias", "cosmos": "cosmos", "early": "earli", "gently": "gentl",
    "howe": "howe", "idly": "idl", "news": "news", "only": "onli", "singly": "singl", "skies": "sky", "skis": "ski",
    "sky": "sky", "ugly": "ugli",
}  # fmt: skip
_REGIONS = ("arsen", "commun", "emerg", "gener", "inter", "later", "organ", "past", "univers")
_STEP2 = {
    "anci": "ance", "enci": "ence", "abli": "able", "alli": "al", "fulli": "ful", "lessli": "less", "ousli": "ous",
    "entli": "ent", "aliti": "al", "biliti": "ble", "iviti": "ive", "tional": "tion", "ational": "ate", "alism": "al",
    "ation": "ate", "ization": "ize", "izer": "ize", "ator": "ate", "iveness": "ive", "fulness": "ful",
    "ousness": "ous", "ogist": "og", "bli": "ble", "ogi": "og", "li": "",
}  # fmt: skip
_STEP3 = {
    "icate": "ic", "ative": "", "alize": "al", "iciti": "ic", "ical": "ic", "tional": "tion", "ational": "ate",
    "ful": "", "ness": "",
}  # fmt: skip
_STEP4 = frozenset(
    "ic ance ence able ible ate ive ize iti al ism ion er ous ant ent ment ement".split()  # noqa: SIM905 -- a list of words reads best as words
)
_DOUBLES = frozenset("bb dd ff gg mm nn pp rr tt".split())  # noqa: SIM905 -- a list of words reads best as words
_VALID_LI = frozenset("cdeghkmnrt")


def stem(word: str) -> str:
    """The stem of a lower-case word, as Snowball's English stemmer gives it."""
    return _stemmed(word) if len(word) > 2 and word.isascii() else word


def _stemmed(word: str) -> str:
    known = _KNOWN.get(word)
    if known is not None:
        return known
    had_y = "y" in word
    if had_y:
        word = _consonant_y(word)
    p1, p2 = _regions(word)
    word = _step_1a(word)
    word = _step_1b(word, p1)
    if len(word) > 2 and word[-1] in "yY" and word[-2] not in _VOWELS:
        word = word[:-1] + "i"
    tail = _longest(word, _STEP2, 7, 2)
    start = len(word) - len(tail)
    if (
        tail
        and p1 <= start
        and (tail != "ogi" or word[start - 1 : start] == "l")
        and (tail != "li" or (start and word[start - 1] in _VALID_LI))
    ):
        word = word[:start] + _STEP2[tail]
    tail = _longest(word, _STEP3, 7, 3)
    start = len(word) - len(tail)
    if tail and p1 <= start and (tail != "ative" or p2 <= start):
        word = word[:start] + _STEP3[tail]
    tail = _longest(word, _STEP4, 5, 2)
    start = len(word) - len(tail)
    if tail and p2 <= start and (tail != "ion" or (start and word[start - 1] in "st")):
        word = word[:start]
    start = len(word) - 1
    if word.endswith("e"):
        if p2 <= start or (p1 <= start and not _is_short(word[:-1])):
            word = word[:-1]
    elif word.endswith("ll") and p2 <= start:
        word = word[:-1]
    return word.replace("Y", "y") if had_y else word


def _consonant_y(word: str) -> str:
    letters = list(word)
    if letters[0] == "y":
        letters[0] = "Y"
    for at in range(1, len(letters)):
        if letters[at] == "y" and letters[at - 1] in _VOWELS:
            letters[at] = "Y"
    return "".join(letters)


def _regions(word: str) -> "tuple[int, int]":
    """Where R1 and R2 begin; the length of the word where there is none."""
    size = len(word)
    for head in _REGIONS:
        if word.startswith(head):
            p1 = len(head)
            break
    else:
        p1 = _after_vowel_and_consonant(word, 0)
    return p1, _after_vowel_and_consonant(word, p1) if p1 < size else size


def _after_vowel_and_consonant(word: str, at: int) -> int:
    size = len(word)
    while at < size and word[at] not in _VOWELS:
        at += 1
    while at < size and word[at] in _VOWELS:
        at += 1
    return min(at + 1, size) if at < size else size


def _longest(word: str, table: "frozenset[str] | dict[str, str]", high: int, low: int) -> str:
    for size in range(min(high, len(word)), low - 1, -1):
        tail = word[-size:]
        if tail in table:
            return tail
    return ""


def _has_vowel(text: str) -> bool:
    return any(letter in _VOWELS for letter in text)


def _is_short(word: str) -> bool:
    """Whether *word* ends in a short syllable."""
    if len(word) >= 3 and word[-1] not in _VOWELS_WXY and word[-2] in _VOWELS and word[-3] not in _VOWELS:
        return True
    if len(word) == 2 and word[1] not in _VOWELS and word[0] in _VOWELS:
        return True
    return word.endswith("past")


def _step_1a(word: str) -> str:
    if word.endswith("sses"):
        return word[:-2]
    if word.endswith(("ied", "ies")):
        return word[:-2] if len(word) > 4 else word[:-1]
    if word.endswith("s") and not word.endswith(("ss", "us")) and _has_vowel(word[:-2]):
        return word[:-1]
    return word


def _step_1b(word: str, p1: int) -> str:  # noqa: C901, PLR0911 -- the algorithm's own cases
    for tail in ("eedly", "eed"):
        if word.endswith(tail):
            head = word[: -len(tail)]
            return head + "ee" if p1 <= len(head) and head not in ("succ", "proc", "exc") else word
    for tail in ("ingly", "edly", "ing", "ed"):
        if word.endswith(tail):
            head = word[: -len(tail)]
            break
    else:
        return word
    if tail == "ing":
        if len(head) == 2 and head[1] == "y" and head[0] not in _VOWELS:
            return head[0] + "ie"
        if head in ("even", "cann", "inn", "earr", "herr", "out"):
            return word
    if not _has_vowel(head):
        return word
    if head.endswith(("at", "bl", "iz")):
        return head + "e"
    if head[-2:] in _DOUBLES:
        return head if len(head) == 3 and head[0] in "aeo" else head[:-1]
    return head + "e" if len(head) == p1 and _is_short(head) else head
