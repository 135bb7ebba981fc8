"""How far each project may be learned from: the person's modes, and the repository's own policy file.

A repository says in ``.ultan.toml`` what it wants:

    mode = "ask"                     # auto, ask or off; never laxer than what the person set
    exclude = ["secrets/**", "*.pem"]  # files whose contents are not read

It counts only while a person approved exactly these bytes (``ultan config --approve-policy``):
whoever can write into a repository must not decide what is remembered of it.
"""

import fnmatch
import os
import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any

from ultan import home, plainjson
from ultan.errors import UsageError
from ultan.events import ASSISTANT, PASTED, PERSON, Event, Piece
from ultan.settings import Settings

FILE = ".ultan.toml"
FILE_BYTES = 64 << 10
MODES = ("auto", "ask", "off")  # from lax to strict
KEPT_DIGESTS = 20
FILE_ORIGIN = "file:"


@dataclass(frozen=True, slots=True)
class Policy:
    """What a repository's own file asks for.

    Attributes:
        is_approved: whether a person approved exactly these bytes; only then does it count.
        fault: why it cannot be read, or empty.
    """

    project: str
    path: str
    digest: str
    mode: str = ""
    exclude: tuple[str, ...] = ()
    is_approved: bool = False
    fault: str = ""


@dataclass(frozen=True, slots=True)
class Terms:
    """How one session may be read: in which mode, and without which files."""

    mode: str
    folder: str = ""
    exclude: tuple[str, ...] = ()
    unapproved: Policy | None = None


def policy(root: str, project: str, folder: str) -> Policy | None:
    """The policy file in *folder* as it stands; ``None`` if there is none."""
    path = os.path.join(folder, FILE)
    try:
        raw = home.read(path, FILE_BYTES + 1) if folder else b""
    except OSError:
        return None
    if not raw:
        return None
    digest = blake2b(raw, digest_size=16).hexdigest()
    is_approved = digest in _strings(_record(root, "approved").get(project))
    try:
        if len(raw) > FILE_BYTES:
            raise ValueError(f"it is larger than {FILE_BYTES >> 10} KB")
        mode, exclude = _checked(tomllib.loads(raw.decode("utf-8")))
    except ValueError as error:
        return Policy(project, path, digest, is_approved=False, fault=str(error).splitlines()[0])
    return Policy(project, path, digest, mode, exclude, is_approved)


def approve(root: str, project: str, folder: str) -> Policy:
    """The policy file in *folder*, approved as it stands by the person who asks.

    Raises:
        UsageError: there is none, it cannot be read, or we stand in no project.
    """
    found = policy(root, project, folder) if project else None
    if found is None:
        raise UsageError(f"there is no {FILE} in {folder}", 'write one with mode = "ask" or exclude = ["secrets/**"]')
    if found.fault:
        raise UsageError(f"{found.path} cannot be read: {found.fault}")
    known = _record(root, "approved")
    digests = [each for each in _strings(known.get(project)) if each != found.digest]
    _keep(root, "approved", {**known, project: [*digests, found.digest][-KEPT_DIGESTS:]})
    return Policy(project, found.path, found.digest, found.mode, found.exclude, is_approved=True)


def terms(root: str, settings: Settings, project: str, folder: str) -> Terms:
    """How a session of *project* in *folder* may be read: the stricter of what person and repository say."""
    mode = modes(settings).get(project, settings["curation.mode"])
    found = policy(root, project, folder) if project else None
    if found is None or not found.is_approved:
        return Terms(mode, unapproved=found)
    return Terms(max(mode, found.mode or mode, key=MODES.index), folder, found.exclude)


def modes(settings: Settings) -> Mapping[str, str]:
    """Project → mode, as the person set them; a mode that is no word of ours holds for review."""
    pairs = (item.partition("=") for item in settings["curation.modes"])
    return {name.strip(): mode.strip() if mode.strip() in MODES else "ask" for name, _, mode in pairs}


def without_excluded(events: Iterable[Event], said: Terms) -> list[Event]:
    """*events* without the pieces that come from excluded files."""
    kept = list(events)
    for event in kept if said.exclude else ():
        event.pieces = [piece for piece in event.pieces if not is_excluded(piece, said)]
    return kept


def is_excluded(piece: Piece, said: Terms) -> bool:
    """Whether *piece* holds what stands in a file that the policy excludes.

    It does if it is from such a file, or if it is what a command, a search or another tool gave
    that names one: in the call, or at the beginning of a line, as searches do.
    """
    if not said.exclude or piece.origin in PERSON or piece.origin in (ASSISTANT, PASTED):
        return False
    if piece.origin.startswith(FILE_ORIGIN):
        return _meets(piece.origin.removeprefix(FILE_ORIGIN), said)
    if any(_meets(word, said) for word in _WORDS.split(piece.about) if word):
        return True
    heads = {line.partition(":")[0].strip() for line in piece.text.splitlines() if ":" in line}
    return any(_meets(head, said) for head in heads if head and " " not in head)


_WORDS = re.compile(r"[\s\"'`=:;|&<>(){},]+")


def _meets(path: str, said: Terms) -> bool:
    path = path.replace(os.sep, "/").removeprefix("./").rstrip("/")
    top = os.path.realpath(said.folder).replace(os.sep, "/") + "/"
    for inside in (said.folder.replace(os.sep, "/") + "/", top):
        path = path.removeprefix(inside)
    names = (path, path.rpartition("/")[2])
    return any(_matches(name, glob) for glob in said.exclude for name in names)


def _matches(name: str, glob: str) -> bool:
    """Whether *name* is what *glob* means, lies in it, or is the folder whose whole contents it means."""
    if fnmatch.fnmatchcase(name, glob) or fnmatch.fnmatchcase(name, f"{glob}/*"):
        return True
    return glob.endswith(("/*", "/**")) and name == glob.rstrip("*/")


def tell_once(root: str, found: Policy) -> str:
    """One line about a file that does not count, the first time it is met in this form; else nothing."""
    told = _record(root, "told")
    if told.get(found.project) == found.digest:
        return ""
    _keep(root, "told", {**told, found.project: found.digest})
    if found.fault:
        return f"{found.path} is ignored: {found.fault}"
    return f"{found.path} is ignored until you approve it: `ultan config --approve-policy`"


def _checked(table: Mapping[str, Any]) -> tuple[str, tuple[str, ...]]:
    unknown = sorted(set(table) - {"mode", "exclude"})
    mode, exclude = table.get("mode", ""), table.get("exclude", [])
    if unknown:
        raise ValueError(f"{unknown[0]} is neither mode nor exclude")
    if mode not in ("", *MODES):
        raise ValueError(f"mode is one of {', '.join(MODES)}")
    if not isinstance(exclude, list) or not all(isinstance(each, str) and each for each in exclude):
        raise ValueError("exclude is a list of globs")
    return mode, tuple(exclude)


def _path(root: str) -> str:
    return os.path.join(root, "policies.json")


def _all(root: str) -> dict[str, Any]:
    try:
        known = plainjson.loads(home.read(_path(root)).decode("utf-8", "replace"))
    except (OSError, plainjson.NotJson):
        return {}
    return known if isinstance(known, dict) else {}


def _record(root: str, name: str) -> dict[str, Any]:
    found = _all(root).get(name)
    return found if isinstance(found, dict) else {}


def _keep(root: str, name: str, value: Mapping[str, Any]) -> None:
    home.write(_path(root), plainjson.dumps({**_all(root), name: dict(value)}).encode())


def _strings(value: object) -> list[str]:
    return [each for each in value if isinstance(each, str)] if isinstance(value, list) else []
