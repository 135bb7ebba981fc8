"""RE2 patterns without the Python half of the ``re2`` package.

``import re2`` costs a hook a quarter of a bare interpreter, nearly all of it for ``functools``,
``collections`` and a cache that a process of one question never uses; the engine itself costs a
fifth of that. So the engine is loaded alone where it can be found, and through the public
package where it cannot; both give the same answers (``tests/unit/recall/test_patterns.py``).
"""

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

LONGEST = 4096  # characters of a pattern
MAX_MEMORY = 8 << 20
NOWHERE = (-1, -1)


class Pattern:
    """A compiled pattern; places in a text are counted in characters."""

    __slots__ = ("_engine", "_free", "_here", "_regexp")

    def __init__(self, engine: "Any", regexp: "Any") -> None:
        self._engine, self._regexp = engine, regexp
        anchor = engine.RE2.Anchor
        self._free, self._here = anchor.UNANCHORED, anchor.ANCHOR_START

    def search(self, text: str) -> bool:
        """Whether the pattern occurs in *text*."""
        raw = text.encode("utf-8", "replace")
        return bool(self._regexp.Match(self._free, raw, 0, len(raw))[0] != NOWHERE)

    def match(self, text: str, start: int = 0) -> bool:
        """Whether the pattern matches at *start* of *text*."""
        raw = text.encode("utf-8", "replace")
        at = start if text.isascii() else len(text[:start].encode("utf-8", "replace"))
        return bool(self._regexp.Match(self._here, raw, at, len(raw))[0] != NOWHERE)

    def spans(self, text: str) -> "Iterator[tuple[int, int]]":
        """Where the pattern occurs, from left to right, without overlap."""
        raw = text.encode("utf-8", "replace")
        plain = len(raw) == len(text)
        at = 0
        while at <= len(raw):
            start, end = self._regexp.Match(self._free, raw, at, len(raw))[0]
            if start < 0:
                return
            yield (start, end) if plain else (_chars(raw[:start]), _chars(raw[:end]))
            at = end
            if end == start:
                at += 1
                while at < len(raw) and raw[at] & 0xC0 == 0x80:  # not inside a character
                    at += 1


def _chars(raw: bytes) -> int:
    return len(raw.decode("utf-8", "replace"))


def compiled(pattern: str) -> "Pattern | None":
    """*pattern* as RE2 reads it, or None if it cannot: look-around, back-references, too large."""
    if len(pattern) > LONGEST:
        return None
    engine = _engine()
    options = engine.RE2.Options()
    options.log_errors = False
    options.max_mem = MAX_MEMORY
    try:
        regexp = engine.RE2(pattern.encode("utf-8", "replace"), options)
    except engine.Error:
        return None
    return Pattern(engine, regexp) if regexp.ok() else None


def _engine() -> "Any":
    """The compiled half of ``re2``."""
    loaded = sys.modules.get("re2._re2")
    if loaded is not None:
        return loaded
    if "re2" not in sys.modules:
        for folder in sys.path:
            place = os.path.join(folder, "re2")
            if os.path.isfile(os.path.join(place, "__init__.py")):
                found = _alone(place)
                if found is not None:
                    return found
                break
    from re2 import _re2  # noqa: PLC0415 -- another layout than the one we know

    return _re2


def _alone(place: str) -> "Any":
    """The engine from the package folder *place*, under its own name, without running the package."""
    package = type(sys)("re2")
    package.__path__ = [place]
    sys.modules["re2"] = package
    try:
        import re2._re2 as engine  # noqa: PLC0415
    except ImportError:
        return None
    finally:
        sys.modules.pop("re2", None)
    return engine
