"""The runtime that hooks run in: its interpreter, its module folders, and where the plugin's stands.

Building the plugin's runtime is the work of ``hooks/provision.sh``, since it must run before
there is anything of ours to run; here it is only looked at.
"""

import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.util import find_spec

from ultan import home
from ultan.clients import claude_code

SHELL = "/bin/sh"
PLUGIN = "ultan"


@dataclass(frozen=True, slots=True)
class Runtime:
    """An absolute interpreter and the folders that hold ``ultan`` and ``re2``; not whole while what runs models is missing."""

    python: str
    folders: tuple[str, ...]
    is_whole: bool = True

    def line(self, verb: str) -> str:
        """The shell line of a hook that is installed without the plugin."""
        return claude_code.hook_line(self.python, self.folders, verb)


@dataclass(frozen=True, slots=True)
class Plugin:
    """The plugin as the client has it.

    Attributes:
        is_enabled: a settings file of the user or the project switches it on.
        data: its data folder, or ``""``.
        root: its folder as far as it is known, or ``""``.
        step: what provisioning does or did last; ``""`` before the first hook ran.
        since: seconds since the epoch at which that step began; 0 unknown.
        runtime: what its hooks run in, once it is ready.
    """

    is_enabled: bool
    data: str = ""
    root: str = ""
    step: str = ""
    since: float = 0.0
    runtime: Runtime | None = None


def here() -> Runtime:
    """The runtime of this very process."""
    folders = []
    for name in ("ultan", "re2"):
        spec = find_spec(name)
        if spec is None or not spec.origin:
            continue
        folder = os.path.dirname(spec.origin)
        folder = os.path.dirname(folder) if spec.submodule_search_locations else folder
        if folder not in folders:
            folders.append(folder)
    return Runtime(os.path.abspath(sys.executable), tuple(folders))


def plugin_line(verb: str) -> str:
    """The shell line of a hook of the plugin; the client sets both variables."""
    return f'( set -- {verb} --client {claude_code.NAME}; . "$CLAUDE_PLUGIN_ROOT/hooks/ultan-hook" ) 2>/dev/null || true'


def plugin_argv(plugin: Plugin, verb: str) -> list[str]:
    """What the client runs for a hook of the plugin, its variables written out."""
    named = {"CLAUDE_PLUGIN_ROOT": plugin.root, "CLAUDE_PLUGIN_DATA": plugin.data}
    words = " ".join(f"{name}={claude_code.quoted(value)}" for name, value in named.items())
    return [SHELL, "-c", f"{words}; {plugin_line(verb)}"]


def find_plugin(config_folder: str, is_enabled: bool, environ: Mapping[str, str]) -> Plugin:
    """The plugin under the client's *config_folder*, and how far its runtime is."""
    data = environ.get("CLAUDE_PLUGIN_DATA", "") or _data_folder(config_folder)
    runtime = os.path.join(data, "runtime") if data else ""
    step, since = _state(runtime)
    return Plugin(
        is_enabled, data, environ.get("CLAUDE_PLUGIN_ROOT", ""), step, since, read_ready(runtime) if runtime else None
    )


def read_ready(runtime: str) -> Runtime | None:
    """What ``ready`` names, or None while there is none or its interpreter is gone."""
    lines = _lines(os.path.join(runtime, "ready"))
    if len(lines) < 2 or not os.access(lines[0], os.X_OK):
        return None
    return Runtime(lines[0], tuple(lines[1].split(":")), is_whole=lines[3:4] != ["base"])


def _data_folder(config_folder: str) -> str:
    folder = os.path.join(config_folder, "plugins", "data")
    try:
        names = sorted(os.listdir(folder), key=lambda name: (name != f"{PLUGIN}-{PLUGIN}", name))
    except OSError:
        return ""
    return next((os.path.join(folder, name) for name in names if name.startswith(f"{PLUGIN}-")), "")


def _state(runtime: str) -> tuple[str, float]:
    lines = _lines(os.path.join(runtime, "state")) if runtime else []
    since = lines[1] if len(lines) > 1 else ""
    return (lines[0] if lines else "", float(since) if since.isdigit() else 0.0)


def _lines(path: str) -> list[str]:
    try:
        return home.read(path, 65536).decode("utf-8", "replace").splitlines()
    except OSError:
        return []
