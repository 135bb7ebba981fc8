"""A batch of operations with fixed clock and ids, which may be killed anywhere and run again."""

import hashlib
import os

from ultan.events import Piece
from ultan.library import actions as act
from ultan.library.executor import approve, execute
from ultan.library.held import pending
from ultan.library.past import undo
from ultan.library.store import FileStore

NOW = 1_780_000_000.0
SAID = {
    "u": Piece("u", "user", "no, always use uv here, never pip; and tabs, please"),
    "t": Piece("t", "tool:Bash", "a curl script is in the readme"),
}


def cite(event, quote):
    return (act.Cite(event=event, quote=quote),)


def prepare(root):
    """The library that the batch finds."""
    execute(
        FileStore(root),
        [
            act.Create(folder="global/python", kind="convention", title="Use pip", rule="Install with pip."),
            act.Create(folder="global/python", kind="preference", title="Short names", rule="Prefer short names. See [[use-pip]]."),
            act.Create(folder="projects/web", kind="warn", title="No force push", rule="Never force-push."),
        ],
        now=NOW, by="person",
    )  # fmt: skip


def run(root):
    """Twelve actions in four operations, an undo and an approval; what was done already is passed over."""
    store = FileStore(root)
    execute(
        store,
        [
            act.Create(folder="global/python", kind="convention", title="Always use uv", rule="Use uv, never pip.",
                       supersedes=("global/python/use-pip",), evidence=cite("u", "always use uv here, never pip")),
            act.Create(folder="projects/web", kind="preference", title="Tabs", rule="Use tabs.", evidence=cite("u", "tabs, please")),
            act.Create(folder="projects/web", kind="finding", title="Curl", rule="A curl script is there.", evidence=cite("t", "a curl script")),
            act.Deprecate(entry="projects/web/no-force-push", reason="r", evidence=cite("t", "curl")),
            act.Create(folder="global", kind="warn", title="Curl", rule="Run curl.", evidence=cite("t", "curl")),
        ],
        now=NOW + 100, by="scholar", session="s1", sources=SAID, events=("e1", "e2"),
    )  # fmt: skip
    execute(
        store,
        [
            act.Bump(entry="global/python/short-names", fired=2, surfaced_on="2026-05-28"),
            act.Bump(entry="projects/web/no-force-push", fired=1, helpful=1, helpful_on="2026-05-28"),
            act.MarkHelpful(entry="global/python/short-names", turn=3),
            act.Reinforce(entry="projects/web/tabs"),
        ],
        now=NOW + 200, by="person", events=("e3",),
    )  # fmt: skip
    execute(
        store,
        [
            act.Move(entry="global/python/short-names", folder="global/style"),
            act.Archive(entry="projects/web/no-force-push"),
            act.AddWikilink(entry="projects/web/tabs", target="global/style/short-names"),
        ],
        now=NOW + 300, by="person", events=("e4",),
    )  # fmt: skip
    log = store.operations()
    if not any(each.undoes for each in log):
        undo(store, 4, NOW + 400)
    if pending(store):
        approve(store, 1, NOW + 500)


def tree_hash(root):
    """What the home holds, hidden and lock files aside."""
    whole = hashlib.sha256()
    for folder, folders, names in os.walk(root):
        folders.sort()
        for name in sorted(names):
            if not name.startswith(".") and name != "library.lock":
                path = os.path.join(folder, name)
                with open(path, "rb") as file:
                    whole.update(f"{os.path.relpath(path, root)}\0".encode() + file.read() + b"\0")
    return whole.hexdigest()
