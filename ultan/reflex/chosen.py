"""What a person chose in ``config.toml``, read by a hook that finds no index.

Only the shape that ``settings.render`` writes and people write by hand: ``[section]``, and
``name = value`` with a word, a number, a quoted text or a list of quoted texts. ``tomllib``
would cost a hook more than everything else it does. What is not understood keeps its
default, except a list of excluded folders: if that cannot be read, every folder is excluded.
"""

from ultan import home

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

EXCLUDED = "capture.excluded"
WORDS = {"true": True, "false": False}


def chosen(path: str, known: "Mapping[str, Any]") -> "dict[str, Any]":
    """The settings among *known* that the file at *path* gives, in the types of their defaults."""
    found: dict[str, Any] = {}
    try:
        lines = home.read(path, 256 * 1024).decode("utf-8", "replace").split("\n")
    except OSError:
        return {EXCLUDED: ("/**",)}
    section, at = "", 0
    while at < len(lines):
        line = lines[at].strip()
        at += 1
        if line.startswith("["):
            section = line.strip("[] \t").partition("]")[0]
            continue
        name, equals, value = line.partition("=")
        key = f"{section}.{name.strip()}"
        if not equals or line.startswith("#") or key not in known:
            continue
        while value.lstrip().startswith("[") and not _is_closed(value) and at < len(lines):
            value += " " + lines[at].strip()
            at += 1
        read = _value(value.strip(), known[key])
        if read is not None:
            found[key] = read
        elif key == EXCLUDED:
            found[key] = ("/**",)
    return found


def _is_closed(value: str) -> bool:
    """Whether a list ends in *value*, outside its texts."""
    quote = ""
    for letter in value:
        if quote:
            quote = "" if letter == quote else quote
        elif letter in "\"'":
            quote = letter
        elif letter == "]":
            return True
    return False


def _value(text: str, default: "Any") -> "Any":
    if isinstance(default, bool):
        return WORDS.get(text.partition("#")[0].strip())
    if isinstance(default, (int, float)):
        try:
            return type(default)(text.partition("#")[0].strip().replace("_", ""))
        except ValueError:
            return None
    if isinstance(default, tuple):
        return _texts(text) if text.startswith("[") else _texts(f"[{text}]")
    return next(iter(_texts(f"[{text}]") or ()), None)


def _texts(text: str) -> "tuple[str, ...] | None":
    """The quoted texts of a list, or None if something else stands in it."""
    found: list[str] = []
    rest = text[1:].lstrip(" ,")
    while rest and rest[0] in "\"'":
        end = rest.find(rest[0], 1)
        if end < 0 or "\\" in rest[:end]:
            return None
        found.append(rest[1:end])
        rest = rest[end + 1 :].lstrip(" ,")
    return tuple(found) if rest.startswith("]") else None
