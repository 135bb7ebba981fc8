"""What Claude Code keeps of past sessions: transcripts by project, and its own memory files. Read, never written."""

import os

from ultan import plainjson

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

HEAD_BYTES = 256 << 10
LONGEST_NAME = 200  # the client cuts longer folder names and adds a digest


def config_folder(environ: "Mapping[str, str]") -> str:
    """The client's own folder of this person."""
    return environ.get("CLAUDE_CONFIG_DIR") or os.path.join(environ.get("HOME") or os.path.expanduser("~"), ".claude")


def past_folder(environ: "Mapping[str, str]", project: str) -> str:
    """Where the client keeps the sessions of the project folder *project*; it may not exist."""
    name = "".join(letter if letter.isascii() and letter.isalnum() else "-" for letter in os.path.realpath(project))
    above = os.path.join(config_folder(environ), "projects")
    if len(name) > LONGEST_NAME and os.path.isdir(above):
        found = [each for each in os.listdir(above) if each.startswith(name[:LONGEST_NAME])]
        name = found[0] if len(found) == 1 else name
    return os.path.join(above, name)


def past_sessions(folder: str, project: str = "") -> "list[str]":
    """The transcripts in *folder*, oldest session first; with *project*, only those that began in that folder or below.

    The name of a client's folder is not unique (``a-b/c`` and ``a/b-c`` share one), so the
    lines decide. Transcripts of subagents are no sessions of their own.
    """
    found = []
    for name in os.listdir(folder) if os.path.isdir(folder) else ():
        path = os.path.join(folder, name)
        if not name.endswith(".jsonl") or name.startswith((".", "agent-")) or os.path.islink(path) or not os.path.isfile(path):
            continue
        began, place = _beginning(path)
        if project and place and not _is_within(place, project):
            continue
        found.append((began or "9", name, path))
    return [path for _, _, path in sorted(found)]


def memory_files(folder: str) -> "list[str]":
    """The client's own memory files beside the sessions in *folder*, by name; its index is none."""
    place = os.path.join(folder, "memory")
    names = sorted(os.listdir(place)) if os.path.isdir(place) else []
    paths = [os.path.join(place, name) for name in names if name.endswith(".md") and not name.startswith(".")]
    return [path for path in paths if os.path.isfile(path) and not os.path.islink(path) and os.path.basename(path) != "MEMORY.md"]


def _is_within(place: str, project: str) -> bool:
    inside, top = os.path.realpath(place), os.path.realpath(project)
    return inside == top or inside.startswith(top.rstrip(os.sep) + os.sep)


def _beginning(path: str) -> "tuple[str, str]":
    """When the session in *path* began, and in which folder; empty where its first lines do not say."""
    try:
        with open(path, "rb") as file:
            lines = file.read(HEAD_BYTES).split(b"\n")
    except OSError:
        return "", ""
    began = place = ""
    for line in lines:
        try:
            value = plainjson.loads(line.decode("utf-8", "replace"))
        except plainjson.NotJson:
            continue
        if not isinstance(value, dict):
            continue
        at, cwd = value.get("timestamp"), value.get("cwd")
        began = began or (at if isinstance(at, str) else "")
        place = place or (cwd if isinstance(cwd, str) else "")
        if began and place:
            break
    return began, place
