"""Citations: the paths that an entry names, and whether its project still has them."""

import os
import re
from collections.abc import Mapping, Sequence

from ultan import projects
from ultan.library.entry import Entry

_PATH = re.compile(r"`([\w.@-]+(?:/[\w.@-]+)+)`")
_GLOB = frozenset("*?[{")


def folders(root: str) -> dict[str, list[str]]:
    """Project slug → its folders that are on this machine."""
    found: dict[str, list[str]] = {}
    for folder, slug in projects.known(root).items():
        if os.path.isdir(folder):
            found.setdefault(slug, []).append(folder)
    return found


def cited(entry: Entry) -> tuple[str, ...]:
    """The paths that *entry* names, in backticks in the text or in ``files`` without a wildcard."""
    named = [*_PATH.findall(entry.body), *(path for path in entry.files if "/" in path and not _GLOB & set(path))]
    return tuple(path for path in dict.fromkeys(named) if ".." not in path.split("/"))


def unverified(known: Mapping[str, Sequence[str]], entry: Entry) -> tuple[str, ...]:
    """The paths that *entry* cites and that none of its project's *known* folders has any more.

    Nothing is said of a global entry, or where the project's folder is not on this machine.
    """
    places = known.get(entry.project, ()) if entry.project else ()
    if not places:
        return ()
    return tuple(
        path for path in cited(entry) if not any(os.path.lexists(os.path.join(place, path.lstrip("/"))) for place in places)
    )
