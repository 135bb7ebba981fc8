"""JSON for hooks: the C scanner and string encoder without the ``json`` package around them.

Measured on CPython 3.11: ``import json`` costs 5 ms of a hook that has 15; the
scanner behind it costs nothing. Where the private module is missing, the public
package answers; both give the same values (``tests/unit/test_plainjson.py``).
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    _quote: Callable[[str], str]
    _make_scanner: Callable[[object], Callable[[str, int], tuple[Any, int]]] | None

try:
    from _json import encode_basestring as _quote
    from _json import make_scanner as _make_scanner  # type: ignore[assignment]
except ImportError:  # another interpreter: slower, same answers
    _make_scanner = None

WHITE = " \t\n\r"
DEEPEST = 200


class NotJson(ValueError):
    """The text is not exactly one JSON value that we accept."""


class _Context:
    """What the C scanner reads off its context."""

    strict = False
    object_hook = None
    object_pairs_hook = None
    parse_float = float
    parse_int = int
    parse_constant = staticmethod(lambda _name: None)  # NaN and Infinity are no JSON: unknown
    memo: "dict[str, str]" = {}  # noqa: RUF012 -- the scanner clears it itself


_scan: "Any" = _make_scanner(_Context) if _make_scanner is not None else None


def loads(text: str) -> "Any":
    """The value of one JSON text; lone surrogates become U+FFFD.

    Raises:
        NotJson: anything else, however deep, long or broken.
    """
    text = text.strip(WHITE + "\ufeff")
    if not text:
        raise NotJson("empty")
    try:
        if _make_scanner is None:
            import json  # noqa: PLC0415 -- only where the C scanner is missing

            value = json.loads(text, strict=False, parse_constant=lambda _name: None)
        else:
            value, end = _scan(text, 0)
            if text[end:].strip(WHITE):
                raise NotJson("more than one value")
    except NotJson:
        raise
    except (ValueError, StopIteration, RecursionError, MemoryError, SystemError) as error:
        raise NotJson(str(error)[:100] or type(error).__name__) from None
    if "\\ud" in text or "\\uD" in text or not text.isascii():
        value = _mended(value, 0)
    return value


def _mended(value: "Any", depth: int) -> "Any":
    """*value* with every lone surrogate replaced; what is nested too deeply is dropped."""
    if isinstance(value, str):
        return clean(value)
    if depth > DEEPEST:
        return None
    if isinstance(value, list):
        return [_mended(item, depth + 1) for item in value]
    if isinstance(value, dict):
        return {clean(key): _mended(item, depth + 1) for key, item in value.items()}
    return value


def clean(text: str) -> str:
    """*text* with lone surrogates replaced, so that it can be encoded and matched."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text


def dumps(value: "Any") -> str:
    """One JSON text for None, bool, int, float, str, list, tuple and dict."""
    if _make_scanner is None:
        import json  # noqa: PLC0415 -- only where the C encoder is missing

        return json.dumps(value, ensure_ascii=False)
    parts: list[str] = []
    _write(value, parts)
    return "".join(parts)


def _write(value: "Any", parts: "list[str]") -> None:
    if value is None:
        parts.append("null")
    elif value is True or value is False:
        parts.append("true" if value else "false")
    elif isinstance(value, str):
        parts.append(_quote(clean(value)))
    elif isinstance(value, int):
        parts.append(int.__repr__(value))
    elif isinstance(value, float):
        finite = value == value and value not in (float("inf"), float("-inf"))  # noqa: PLR0124 -- NaN
        parts.append(float.__repr__(value) if finite else "null")
    elif isinstance(value, dict):
        between = "{"
        for key, item in value.items():
            parts.append(between + _quote(clean(str(key))) + ": ")
            _write(item, parts)
            between = ", "
        parts.append("}" if value else "{}")
    else:
        between = "["
        for item in value:
            parts.append(between)
            _write(item, parts)
            between = ", "
        parts.append("]" if between == ", " else "[]")
