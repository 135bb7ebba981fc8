"""Doctor: where Ultan stands on this machine, one line a check, each with what to do about it.

Quick whatever the size of things: it looks at dates, counters and small notes that the
parts leave behind, and runs the hook of a prompt a few times in a home of its own. ``check``
is the verb that reads everything. Nothing a person keeps is touched.
"""

import os
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from ultan import housekeeping
from ultan.verbs import install, provision
from ultan.verbs.checkup import curating, hooks, installation, place
from ultan.verbs.checkup.check import Check


@dataclass(frozen=True, slots=True)
class Report:
    """All checks, and what measuring needs.

    Attributes:
        hook_commands: verb → the exact argv that installed hooks run, also when nothing is installed.
        interpreter: the absolute interpreter they start.
        installed: ``plugin``, ``settings``, ``both`` or ``none``.
    """

    home: str
    interpreter: str
    installed: str
    hook_commands: Mapping[str, Sequence[str]]
    checks: tuple[Check, ...]
    counters: Mapping[str, int] = field(default_factory=dict)

    @property
    def is_well(self) -> bool:
        """Whether no check is wrong."""
        return all(check.state != "wrong" for check in self.checks)

    def as_json(self) -> dict[str, Any]:
        """The report as JSON values."""
        return {**asdict(self), "is_well": self.is_well}


def doctor(root: str, environ: Mapping[str, str], now: float, project: str = "") -> Report:
    """Where the home *root* and the installation of the person in *environ* stand."""
    plugin = install.find_plugin(environ, project)
    lines, faults = installation.settings_lines(environ, project)
    commands, python = installed(environ, project)
    which = {(True, True): "both", (True, False): "plugin", (False, True): "settings"}.get(
        (plugin.is_enabled, bool(lines)), "none"
    )
    counters = housekeeping.counters(root)
    counters["timed_out"] += len(housekeeping.cut_off(root, now))  # the next curator counts them for good
    try_out = [hooks.prime_tried(root, environ, commands["prime"])] if os.path.isdir(root) else []
    checks = [
        installation.standing(which, plugin, now),
        *faults,
        *installation.interpreters(lines),
        *installation.originals(environ, project),
        *place.home_folder(root, environ, project),
        hooks.seen(root, which, now),
        *hooks.turned_away(root, environ, now),
        *try_out,
        hooks.queue(root, now),
        hooks.set_aside(root),
        *curating.curation(root, environ, now),
        curating.last_run(root, now),
        curating.index(root, now),
        *curating.languages(root),
        curating.server(root, environ),
        *installation.unit(root, environ),
        *place.counted(counters, root),
        *place.trouble(root),
        *curating.spend(root, now),
        *curating.lag(root),
        *curating.review(root),
    ]
    return Report(root, python, which, commands, tuple(checks), counters)


def installed(environ: Mapping[str, str], project: str = "") -> tuple[Mapping[str, Sequence[str]], str]:
    """The argv of each hook as it is installed (or would be), and the interpreter that they start."""
    plugin = install.find_plugin(environ, project)
    lines, _ = installation.settings_lines(environ, project)
    runtime = plugin.runtime if plugin.is_enabled and plugin.runtime else provision.here()
    return installation.hook_commands(plugin, lines, runtime), runtime.python
