"""Disk: who may read the home, what a crash left in it, and its settings."""

import os
import shlex
from collections.abc import Iterator

from ultan import home, settings
from ultan.errors import SettingsError
from ultan.library.checks.finding import Finding, Home


def modes(seen: Home) -> Iterator[Finding]:
    """Links, owners, modes and leftovers anywhere in the home."""
    uid = os.getuid() if hasattr(os, "getuid") else -1
    wide: list[str] = []
    for folder, folders, names in os.walk(seen.root):
        if os.path.relpath(folder, seen.root) == "knowledge":
            folders[:] = [name for name in folders if name != ".git"]
        for name in [*([""] if folder == seen.root else []), *folders, *names]:
            path = os.path.join(folder, name) if name else folder
            where = os.path.relpath(path, seen.root)
            state = os.lstat(path)
            if os.path.islink(path):
                if not where.startswith("knowledge/"):
                    yield Finding("link", where, "a symbolic link; links are not followed", "put the file itself there")
                continue
            if uid >= 0 and state.st_uid != uid:
                yield Finding("owner", where, "it belongs to another user", "chown it to you, or keep the home elsewhere")
            if os.name == "posix" and state.st_mode & 0o077:
                wide.append(where)
            if name.startswith(".") and name.endswith(".tmp") and not where.startswith("queue"):
                yield Finding("temporary", where, "a write that was never finished", "delete it")
    yield from _open_to_others(seen.root, wide)
    page = os.path.join(seen.root, "counters")
    if os.path.isfile(page) and os.path.getsize(page) != home.COUNTERS_BYTES:
        yield Finding("counters", "counters", "the page of counters has another size", "delete it; it is made again")


def _open_to_others(root: str, wide: list[str]) -> Iterator[Finding]:
    """One line for all of them: an editor or git writes every file so."""
    if wide:
        more = f", and {len(wide) - 1} more files and folders" if len(wide) > 1 else ""
        yield Finding("mode", wide[0], f"others may read or write it{more}", f"chmod -R go-rwx {shlex.quote(root)}")


def configuration(seen: Home) -> Iterator[Finding]:
    """A config.toml that cannot be used."""
    try:
        settings.load(seen.root, {})
    except SettingsError as error:
        yield Finding("settings", "config.toml", str(error), error.hint)
