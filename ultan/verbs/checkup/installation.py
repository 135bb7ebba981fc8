"""The installation: the plugin, hooks in the settings, the interpreter they start, what the original left."""

import os
from collections.abc import Iterator, Mapping

from ultan.clients import claude_code
from ultan.errors import SettingsError
from ultan.verbs import install, original, provision, units
from ultan.verbs.checkup.check import Check, span


def settings_lines(environ: Mapping[str, str], project: str) -> tuple[dict[str, str], list[Check]]:
    """The shell lines of our hooks in the settings by verb, and what of the settings cannot be read."""
    lines: dict[str, str] = {}
    faults = []
    for path in dict.fromkeys(install.place_of(environ, folder).settings for folder in ("", project)):
        try:
            found = install.commands(install.read_settings(path), install.is_ours)
        except (OSError, SettingsError) as error:
            faults.append(Check("settings", "wrong", str(error), "mend the file: the client ignores all of it"))
            continue
        for event, command in found:
            if event in claude_code.EVENTS:
                lines.setdefault(claude_code.EVENTS[event][0], command)
    return lines, faults


def hook_commands(plugin: provision.Plugin, lines: Mapping[str, str], runtime: provision.Runtime) -> dict[str, list[str]]:
    """The argv of each hook: of the plugin, of the settings, or as they would be installed."""
    found = {}
    for verb in sorted({row[0] for row in claude_code.EVENTS.values()}):
        if plugin.is_enabled and plugin.root and plugin.runtime:
            found[verb] = provision.plugin_argv(plugin, verb)
        else:
            found[verb] = [provision.SHELL, "-c", lines.get(verb) or runtime.line(verb)]
    return found


def standing(which: str, plugin: provision.Plugin, now: float) -> Check:
    """Whether hooks are installed, once."""
    if which == "both":
        return Check("install", "wrong", "the plugin and hooks in the settings: events arrive twice", "ultan uninstall")
    if which == "settings":
        return Check("install", "ok", "hooks stand in the settings")
    if which == "none":
        return Check("install", "note", "no hooks are installed", "ultan install, or install the plugin")
    if plugin.runtime and plugin.runtime.is_whole:
        return Check("install", "ok", f"the plugin, with its runtime at {plugin.runtime.python}")
    step = plugin.step or "not begun: no hook has run yet"
    since = f", for {span(now - plugin.since)}" if plugin.since else ""
    log = os.path.join(plugin.data, "runtime", "provision.log") if plugin.data else ""
    if step.startswith("failed"):
        return Check("install", "wrong", f"the plugin's runtime: {step}", f"read {log}; it is tried again in 10 minutes")
    meanwhile = "recall goes by words alone until then" if plugin.runtime else "hooks stay silent until it is there"
    return Check("install", "note", f"the plugin's runtime: {step}{since}", f"wait; {meanwhile}")


def interpreters(lines: Mapping[str, str]) -> Iterator[Check]:
    """Interpreters that hooks start and that are gone."""
    for python in sorted({_interpreter(line) for line in lines.values()} - {""}):
        if not os.access(python, os.X_OK):
            yield Check("interpreter", "wrong", f"hooks start {python}, which is gone", "ultan install")


def _interpreter(line: str) -> str:
    """The interpreter in one of our shell lines."""
    _, _, rest = line.partition("'")
    found, quote, _ = rest.partition("' -I")
    return found.replace("'\\''", "'") if quote else ""


def originals(environ: Mapping[str, str], project: str) -> Iterator[Check]:
    """Hooks and files of the original Ultan."""
    for folder in ("", project):
        path = install.place_of(environ, folder).settings
        try:
            olds = install.commands(install.read_settings(path), original.is_hook)
        except (OSError, SettingsError):
            continue
        if olds:
            says = f"{len(olds)} hooks of the original Ultan in {path}"
            yield Check("original", "wrong", says, "ultan install --remove-original")
            break
    for line in original.live(environ):
        says, _, remedy = line.partition(": ")
        yield Check("original", "note", says, remedy or "delete it")


def unit(root: str, environ: Mapping[str, str]) -> Iterator[Check]:
    """A unit file that starts an interpreter which is gone."""
    path = units.stale(root, environ)
    if path:
        yield Check("unit", "wrong", f"{path} starts an interpreter that is gone", "ultan install --serve")
