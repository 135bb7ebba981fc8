"""Config: every setting with its value and where it comes from; and setting one.

The file is edited line by line, so that comments and order a person wrote stay.
"""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ultan import home, settings
from ultan.errors import SettingsError


@dataclass(frozen=True, slots=True)
class Setting:
    """One setting as it stands."""

    key: str
    value: Any
    default: Any
    source: str
    range: str
    meaning: str
    person_only: bool


@dataclass(frozen=True, slots=True)
class Configuration:
    """Every setting, and what surrounds them."""

    home: str
    version: str
    settings: tuple[Setting, ...]


def config(root: str, environ: Mapping[str, str], version: str) -> Configuration:
    """Every setting of the home *root* with its source: default, file or environment."""
    values = settings.load(root, environ)
    chosen = _chosen(root)
    rows = tuple(
        Setting(
            row.key, values[row.key], row.default, _source(row.key, chosen, environ), span(row), row.meaning, row.person_only
        )
        for row in settings.TABLE
    )
    return Configuration(root, version, rows)


def change(root: str, key: str, word: str) -> Any:
    """The new value of the setting *key*, written to ``config.toml``; an empty word goes back to the default.

    Raises:
        SettingsError: unknown, of the wrong type, or out of range.
    """
    path = os.path.join(root, "config.toml")
    try:
        text = home.read(path).decode("utf-8")
    except FileNotFoundError:
        text = settings.render({})
    value = settings.checked(key, word) if word else settings.BY_KEY[key].default
    changed = with_line(text, key, settings.render({key: value}).strip().split("\n")[-1] if word else "")
    home.write(path, changed.encode())
    try:
        settings.load(root, {})
    except SettingsError:
        home.write(path, text.encode())
        raise
    return value


def is_person_only(key: str) -> bool:
    """Whether *key* raises trust or spend.

    Raises:
        SettingsError: unknown, with the closest known key.
    """
    row = settings.BY_KEY.get(key)
    if row is None:
        settings.checked(key, "")  # raises, with the closest known key
    return row is not None and row.person_only


def with_line(text: str, key: str, line: str) -> str:
    """*text* (TOML) with the line of the setting *key* replaced, added, or taken out where *line* is empty."""
    section, _, name = key.partition(".")
    lines = text.rstrip("\n").split("\n")
    start = next((at for at, row in enumerate(lines) if row.strip() == f"[{section}]"), None)
    if start is None:
        return text if not line else "\n".join((*lines, "", f"[{section}]", line)).lstrip("\n") + "\n"
    end = next((at for at in range(start + 1, len(lines)) if lines[at].lstrip().startswith("[")), len(lines))
    at = next((at for at in range(start + 1, end) if lines[at].partition("=")[0].strip() == name), None)
    if at is None:
        while end > start + 1 and not lines[end - 1].strip():
            end -= 1
        lines[end:end] = [line] if line else []
    else:
        lines[at : at + 1] = [line] if line else []
    return "\n".join(lines) + "\n"


def span(row: settings.Row) -> str:
    """The words or numbers a setting takes."""
    if row.choices:
        return " | ".join(row.choices)
    match row.default:
        case bool():
            return "yes | no"
        case int() | float():
            return f"{row.low:g} to {row.high:g}"
        case tuple():
            return "texts, comma between"
    return "a text"


def _chosen(root: str) -> frozenset[str]:
    import tomllib  # noqa: PLC0415 -- the slow side's own reader

    try:
        table = tomllib.loads(home.read(os.path.join(root, "config.toml")).decode("utf-8"))
    except OSError:
        return frozenset()
    return frozenset(f"{section}.{name}" for section, inner in table.items() for name in inner)


def _source(key: str, chosen: frozenset[str], environ: Mapping[str, str]) -> str:
    if "ULTAN_" + key.upper().replace(".", "__") in environ:
        return "environment"
    return "file" if key in chosen else "default"
