"""Which project a folder belongs to, the same for every reader and writer.

A project is known by its git remote, normalised, or by its root; worktrees of one
repository share it. ``<home>/projects.json`` keeps which root has which slug, so a slug
never changes once given and no repository can take another's by naming itself alike: a
new root that claims a known remote is told so once, sees nothing of it in that session,
and shares from the next one, unless refused.
"""

import os

from ultan import home, plainjson
from ultan.veil import MARK, safe

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

VERSION = 1
CONFIG_BYTES = 256 * 1024
LONGEST_SLUG = 63
LOCK_WAIT_S = 3.0  # two hundred hooks at once stand in line for less
RESERVED = frozenset(("con", "nul", "aux", "prn", "readme", "index", "log", "global", "projects"))


class Standing:
    """Where a folder stands.

    Attributes:
        identity: ``github.com/owner/name``, or ``path:`` and the root.
        slug: the name of its folder in the library, for what is captured; ``recall`` for what is shown
            (``""``: global entries only).
        root: the top folder of the project on this machine; ``news`` what to tell about it, mostly ``""``.
    """

    __slots__ = ("identity", "news", "recall", "root", "slug")

    def __init__(self, identity: str, slug: str, root: str) -> None:
        self.identity, self.slug, self.recall, self.root, self.news = identity, slug, slug, root, ""


def identify(place: str, root: str, worktrees: str = "shared") -> "tuple[str, str]":
    """Identity and slug of the project that *place* lies in, by the registry of the home *root*; writes nothing."""
    if not place:
        return "", ""
    identity, key = _identity(place, worktrees)
    registry = _registry(root)
    return identity, registry["roots"].get(key) or _slug_for(identity, key, registry)


def enrol(place: str, root: str, session: str, worktrees: str = "shared") -> Standing:
    """The standing of *place*, noted in the registry of the home *root*.

    Raises:
        OSError: the registry cannot be written.
    """
    if not place:
        return Standing("", "", "")
    identity, key = _identity(place, worktrees)
    standing = Standing(identity, "", key)
    registry = _registry(root)
    if key in registry["roots"] and key not in registry["waiting"]:
        standing.slug = standing.recall = registry["roots"][key]
        return standing
    with _Lock(root):
        registry = _registry(root)
        _settle(standing, key, session, registry)
        home.write(os.path.join(root, "projects.json"), (plainjson.dumps(registry) + "\n").encode("utf-8", "replace"))
    return standing


def refuse(place: str, root: str) -> str:
    """Keep the folder *place* apart from the project whose remote it claims; its own slug from now on.

    Raises:
        OSError: the registry cannot be written.
    """
    identity, key = _identity(place, "shared")
    with _Lock(root):
        registry = _registry(root)
        registry["waiting"].pop(key, None)
        registry["roots"].pop(key, None)
        slug = registry["roots"][key] = _free(_name_of(key), "path:" + key, registry)
        if registry["identities"].get(identity) == slug:
            registry["identities"].pop(identity)
        home.write(os.path.join(root, "projects.json"), (plainjson.dumps(registry) + "\n").encode("utf-8", "replace"))
    return slug


def known(root: str) -> "dict[str, str]":
    """Every known root with its slug."""
    return dict(_registry(root)["roots"])


# --- the registry ---------------------------------------------------------------------------------


def _registry(root: str) -> "dict[str, dict[str, Any]]":
    """``roots`` root → slug, ``identities`` identity → slug, ``waiting`` root → the session that was told."""
    try:
        found = plainjson.loads(home.read(os.path.join(root, "projects.json")).decode("utf-8", "replace"))
    except (OSError, plainjson.NotJson):
        found = None
    value: dict[str, Any] = {"v": VERSION}
    for part in ("roots", "identities", "waiting"):
        inner = found.get(part) if isinstance(found, dict) else None
        value[part] = {str(name): str(slug) for name, slug in inner.items()} if isinstance(inner, dict) else {}
    return value


def _settle(standing: Standing, key: str, session: str, registry: "dict[str, dict[str, Any]]") -> None:
    """Give *standing* its slug and write what follows from it into *registry*."""
    roots, waiting = registry["roots"], registry["waiting"]
    if key in roots:
        standing.slug = standing.recall = roots[key]
        if key in waiting:
            if waiting[key] == session:
                standing.recall = ""
            else:
                del waiting[key]
        return
    claimed = registry["identities"].get(standing.identity)
    standing.slug = standing.recall = roots[key] = claimed or _slug_for(standing.identity, key, registry)
    if claimed and not standing.identity.startswith("path:"):
        waiting[key] = session
        standing.recall = ""
        standing.news = (
            f"Ultan: this folder names the remote {standing.identity}, known from another folder; from the next "
            f"session it shares the entries of project {claimed}."
        )
    registry["identities"].setdefault(standing.identity, standing.slug)


def _slug_for(identity: str, key: str, registry: "dict[str, dict[str, Any]]") -> str:
    taken = registry["identities"].get(identity)
    if taken:
        return str(taken)
    return _free(_name_of(key if identity.startswith("path:") else identity), identity, registry)


def _name_of(identity: str) -> str:
    return identity.replace("\\", "/").rstrip("/").rpartition("/")[2]


def _free(name: str, identity: str, registry: "dict[str, dict[str, Any]]") -> str:
    """A slug that no other identity has: the name where it is plain and free, else with a checksum."""
    plain = slug_of(name)
    used = set(registry["identities"].values()) | set(registry["roots"].values())
    if plain == name and plain not in used and plain not in RESERVED:
        return plain
    import zlib  # noqa: PLC0415 -- once a project

    mark, turn = zlib.crc32(identity.encode("utf-8", "replace")), 0
    while True:
        slug = f"{plain[: LONGEST_SLUG - 9].rstrip('-')}-{(mark + turn) & 0xFFFFFFFF:08x}"
        if slug not in used:
            return slug
        turn += 1


def slug_of(name: str) -> str:
    """*name* in lower case letters, digits and single hyphens, at most 63; ``project`` if nothing is left."""
    low = "".join(char if (char.isascii() and char.isalnum()) else " " for char in name.lower())
    return "-".join(low.split())[:LONGEST_SLUG].strip("-") or "project"


class _Lock:
    """Holds the registry for the moment of one change; where locks do not work, or whoever has it is stuck, none is held."""

    __slots__ = ("_fd", "_root")

    def __init__(self, root: str) -> None:
        self._root, self._fd = root, -1

    def __enter__(self) -> None:
        self._fd = home.lock_file(os.path.join(self._root, "projects.lock"))
        home.hold(self._fd, LOCK_WAIT_S)

    def __exit__(self, *_: object) -> None:
        os.close(self._fd)


# --- git, read from its files -----------------------------------------------------------------------


def _identity(place: str, worktrees: str) -> "tuple[str, str]":
    """The identity of the project around *place*, and the folder that stands for it in the registry, without credentials."""
    identity, key = _found(place, worktrees)
    masked = safe(key.replace(":/", "://"))  # a path has lost one stroke of an address
    if MARK in masked:
        key = masked
        identity = f"path:{key}" if identity.startswith("path:") else identity
    return safe(identity), key


def _found(place: str, worktrees: str) -> "tuple[str, str]":
    here = os.path.realpath(place)
    top, shared = _repository(here)
    if not shared:
        return "path:" + top, top
    main = os.path.dirname(shared) if os.path.basename(shared) == ".git" else shared
    is_linked = worktrees == "separate" and top != main
    key = top if is_linked else main
    remote = _remote(os.path.join(shared, "config"))
    if not remote:
        return "path:" + key, key
    return (f"{remote}#{_name_of(top)}" if is_linked else remote), key


def _repository(here: str) -> "tuple[str, str]":
    """The top folder of the working tree around *here*, and its shared git folder (``""``: no repository)."""
    stop = os.path.realpath(os.path.expanduser("~"))
    place = here
    while True:
        git = os.path.join(place, ".git")
        if os.path.isdir(git):
            return place, os.path.realpath(git)
        if os.path.isfile(git):
            return place, _shared_of(place, git)
        if _is_bare(place):
            return place, place
        parent = os.path.dirname(place)
        if parent in (place, stop) or parent == os.sep:
            return here, ""  # a repository made of the home folder or the root makes no project of all below it
        place = parent


def _is_bare(place: str) -> bool:
    return all(os.path.exists(os.path.join(place, name)) for name in ("HEAD", "objects", "refs", "config"))


def _shared_of(place: str, git: str) -> str:
    """The shared git folder behind a ``.git`` file: the main one for worktrees, its own for submodules.

    Only if that folder knows of *place* too: an unpacked archive may say anything in such a file.
    """
    text = _first_line(git)
    if not text.startswith("gitdir:"):
        return ""
    own = os.path.realpath(os.path.join(place, text[7:].strip()))
    common = _first_line(os.path.join(own, "commondir"))
    if common:
        back = os.path.realpath(os.path.join(own, _first_line(os.path.join(own, "gitdir"))))
        return os.path.realpath(os.path.join(own, common)) if back == os.path.realpath(git) else ""
    worktree = _setting(os.path.join(own, "config"), "core", "worktree").get("core", "")
    return own if worktree and os.path.realpath(os.path.join(own, worktree)) == place else ""


def _first_line(path: str) -> str:
    try:
        raw = home.read(path, 4096).replace(b"\0", b"?")  # anybody may have written it, and no name holds a NUL
        return raw.decode("utf-8", "surrogateescape").partition("\n")[0].strip()
    except (OSError, ValueError):
        return ""


def _remote(config: str) -> str:
    """The normalised address of ``origin``, or of the first remote, or ``""``."""
    found = _setting(config, "remote ", "url")
    return normal_remote(found.get('remote "origin"') or next(iter(found.values()), ""))


def _setting(config: str, section: str, name: str) -> "dict[str, str]":
    """Section → value of *name*, for the sections of a git configuration that begin with *section*."""
    try:
        text = home.read(config, CONFIG_BYTES).replace(b"\0", b"?").decode("utf-8", "replace")
    except OSError:
        return {}
    found: dict[str, str] = {}
    here = ""
    for line in text.split("\n"):
        bare = line.strip()
        if bare.startswith("["):
            here = bare[1:].partition("]")[0].strip()
        elif here.lower().startswith(section):
            key, equals, value = bare.partition("=")
            if equals and key.strip().lower() == name:
                found.setdefault(here, value.strip().strip('"'))
    return found


def normal_remote(url: str) -> str:
    """``host/owner/name`` of a remote address without user, port, scheme and ``.git``; ``""`` for a local path."""
    rest = url.strip()
    if "://" in rest:
        scheme, _, rest = rest.partition("://")
        if scheme.lower() == "file":
            return ""
        host, slash, path = rest.partition("/")
    elif ":" in rest.partition("/")[0] and rest.find(":") > 1:  # scp form; one letter is a Windows drive
        host, slash, path = rest.partition(":")
    else:
        return ""
    host = host.rpartition("@")[2].partition(":")[0].lower()
    path = "/".join(part for part in path.split("/") if part)
    path = path[:-4] if path.lower().endswith(".git") else path
    if not (host and slash and path):
        return ""
    return f"{host}/{path.lower() if host in ('github.com', 'gitlab.com', 'bitbucket.org') else path}"
