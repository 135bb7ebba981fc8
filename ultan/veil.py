"""Names and addresses without the credentials in them, and the files that such a name still finds.

What a session says goes through ``clients.leaf.Sieve``. What it is *called*: a path, a tool, an
entry that is shown: it goes through ``safe``: mostly nothing is to be done, and the look costs nothing.
"""

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

SIGNS = (
    "pass", "secret", "token", "key", "pwd", "credential", "auth", "://", "bearer", "phrase", "----",
    "kennwort", "clave", "senha", "wachtwoord", "adgangskode", "salasana", "heslo", "parola", "lozinka", "sandi",
)  # fmt: skip
LONG_WORD, LONGER_WORD = 12, 24
MARK = "[redacted:"


def safe(text: str) -> str:
    """*text* without credentials: a name may hold one, and so may an entry written by hand."""
    if not _may_hold(text):
        return text
    from ultan.redaction import redact  # noqa: PLC0415 -- a sixth of a bare interpreter, for few answers

    return redact(text)[0]


def _may_hold(text: str) -> bool:
    """Whether *text* has a telling word, or a long word that is more than letters of one kind; without either there is none."""
    low = text.lower()
    return not _is_plain(low) or any(sign in low for sign in SIGNS) or any(map(_is_odd, text.split()))


def _is_odd(word: str) -> bool:
    if len(word) < LONG_WORD:
        return False
    has_digit = any(map(str.isdigit, word)) and any(map(str.isalpha, word))
    return has_digit or (len(word) >= LONGER_WORD and not word.islower() and not word.isupper())


def _is_plain(text: str) -> bool:
    """Whether *text* is in letters that the telling words are in, but for the signs our own lines have."""
    return text.isascii() or text.replace("\u2605", "").replace("\u2013", "").replace("\u2026", "").isascii()


def safe_names(known: "Mapping[str, object]", names: "tuple[str, ...]") -> "dict[str, object]":
    """*known*, with what stands under *names* made safe."""
    found = dict(known)
    for name in names:
        value = found.get(name)
        if isinstance(value, str) and value:
            found[name] = safe(value)
    return found


def unveiled(path: str) -> "list[str]":
    """The files or folders that *path* may mean, if a credential in it was masked; else *path* itself. Slow side only."""
    if MARK not in path:
        return [path]
    import glob  # noqa: PLC0415 -- hardly ever

    parts = []
    rest = path
    while MARK in rest:
        before, _, rest = rest.partition(MARK)
        parts.append(glob.escape(before))
        rest = rest.partition("]")[2]
    parts.append(glob.escape(rest))
    found = set(glob.glob("*".join(parts), include_hidden=True))
    return sorted(found | {path} if os.path.exists(path) else found)
