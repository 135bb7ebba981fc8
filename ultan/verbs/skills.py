"""The skills for the client's own folder, so that bare `/ultan`, `/ultan-search`, `/ultan-advisor` work.

The plugin brings the same files under its own name (`/ultan:ultan-advisor`); there is one
text, in ``hooks/skills``, found inside the package or beside it.
"""

import json
import os
import re
import shlex
import sys
from hashlib import sha256

from ultan import home, housekeeping
from ultan.errors import StorageFailed

NAMES = ("ultan", "ultan-search", "ultan-advisor")
CALL = re.compile(r"(?<=[`(])ultan (?=[a-z])")


def install(root: str, folder: str, *, is_dry_run: bool = False) -> list[str]:
    """What was written under *folder*``/skills``; a file somebody else wrote there stays."""
    noted, did = _noted(root), []
    for name in NAMES:
        path, raw = _path(folder, name), rendered(name)
        there = _read(path)
        if there == raw:
            continue
        if there is not None and _digest(there) != noted.get(path):
            did.append(f"{path} is somebody's own and stays as it is")
            continue
        did.append(f"/{name} as {path}")
        if not is_dry_run:
            home.make_folder(os.path.dirname(path))
            home.write(path, raw)
            noted[path] = _digest(raw)
            _note(root, noted)
    return did


def uninstall(root: str, folder: str, *, is_dry_run: bool = False) -> list[str]:
    """What was removed; a skill that was edited since stays."""
    noted, did = _noted(root), []
    for name in NAMES:
        path = _path(folder, name)
        there = _read(path)
        if there is None or noted.get(path) != _digest(there):
            continue
        did.append(f"/{name} removed")
        if not is_dry_run:
            home.remove(path)
            housekeeping.remove_folder(os.path.dirname(path))
            housekeeping.remove_folder(os.path.dirname(os.path.dirname(path)))
            noted.pop(path)
            _note(root, noted)
    return did


def rendered(name: str) -> bytes:
    """The skill *name* with our command by its absolute path, since it may not be on the agent's PATH."""
    text = source(name).decode("utf-8")
    command = os.path.join(os.path.dirname(os.path.abspath(sys.executable)), "ultan")
    return CALL.sub(lambda _: shlex.quote(command) + " ", text).encode("utf-8")


def source(name: str) -> bytes:
    """The skill *name* as the plugin brings it.

    Raises:
        StorageFailed: the installation is not whole.
    """
    package = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    for base in (package, os.path.dirname(package)):
        raw = _read(os.path.join(base, "hooks", "skills", name, "SKILL.md"))
        if raw is not None:
            return raw
    raise StorageFailed(f"the skill {name} is missing from the installation", "install ultan again")


def _path(folder: str, name: str) -> str:
    return os.path.join(folder, "skills", name, "SKILL.md")


def _read(path: str) -> bytes | None:
    try:
        return home.read(path)
    except OSError:
        return None


def _digest(raw: bytes) -> str:
    return sha256(raw).hexdigest()


def _noted(root: str) -> dict[str, str]:
    raw = _read(os.path.join(root, "skills.json"))
    try:
        found = json.loads(raw or b"{}")
    except ValueError:
        found = {}
    return found if isinstance(found, dict) else {}


def _note(root: str, noted: dict[str, str]) -> None:
    home.write(os.path.join(root, "skills.json"), (json.dumps(noted, indent=2) + "\n").encode())
