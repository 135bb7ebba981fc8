"""Install and uninstall: our hooks in the client's settings, for people without the plugin.

The settings file is the person's. It is spliced, never rewritten: uninstalling gives it
back byte for byte, from the copy kept at install if nobody touched it since, else by
cutting out exactly what was put in. What cannot be read is left alone, and said.
"""

import json
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from ultan import home, homes, housekeeping, settings
from ultan.clients import claude_code, settings_text
from ultan.errors import SettingsError
from ultan.verbs import config, original, provision, skills

MARK = "from ultan.__main__ import main"
TOOLS_RULE, PLUGIN_TOOLS_RULE = "mcp__ultan", "mcp__plugin_ultan_ultan"  # all tools of our server, as the client names it


@dataclass(frozen=True, slots=True)
class Place:
    """Where the client of one person keeps its things.

    Attributes:
        folder: ``~/.claude``, or ``CLAUDE_CONFIG_DIR``.
        project: the folder whose own settings are meant; ``""`` for the user's.
    """

    folder: str
    project: str = ""

    @property
    def settings(self) -> str:
        """The settings file that is spliced."""
        return os.path.join(self.project, ".claude", "settings.json") if self.project else self.user_settings

    @property
    def user_settings(self) -> str:
        """The user's own settings file."""
        return os.path.join(self.folder, "settings.json")


@dataclass(frozen=True, slots=True)
class Done:
    """What was done, or with a dry run would be.

    Attributes:
        did: one line each, in order.
        told: what the person should know, each with what to do about it.
        before, after: the text of the settings file.
    """

    settings: str
    did: tuple[str, ...] = ()
    told: tuple[str, ...] = ()
    before: str = ""
    after: str = ""
    is_dry_run: bool = False
    curation_by: str = ""


def place_of(environ: Mapping[str, str], project: str = "") -> Place:
    """The client's folders for the person in *environ*."""
    folder = environ.get("CLAUDE_CONFIG_DIR") or os.path.join(environ.get("HOME") or os.path.expanduser("~"), ".claude")
    return Place(os.path.abspath(folder), os.path.abspath(project) if project else "")


def install(
    root: str, environ: Mapping[str, str], *, now: float, project: str = "", by: str = "",
    runtime: provision.Runtime | None = None, is_dry_run: bool = False, removes_original: bool = False, allows_tools: bool = False,
) -> Done:  # fmt: skip
    """Put our hooks into the settings (of *project*, if given), the skills beside them, and say what was found.

    With the plugin enabled the settings stay as they are: it brings the hooks. *by* chooses
    who curates. With *removes_original* hooks of the original Ultan are taken out; with *allows_tools*
    the user's permission rules name our tools, so that recalling needs no prompt.

    Raises:
        SettingsError: the settings cannot be read, or nobody curates by that name; nothing was changed.
    """
    settings.checked("curation.by", by or "clerk")
    place, did, told = place_of(environ, project), list[str](), list[str]()
    text = read_settings(place.settings)
    changed, has_plugin = text, find_plugin(environ, project).is_enabled
    if has_plugin:
        told.append("the plugin is enabled and brings the hooks, so the settings stay as they are")
        if commands(text, is_ours):
            told.append("hooks stand in the settings as well: `ultan uninstall` takes them out")
        snippets = list[str]()
    else:
        changed, snippets = _spliced(place, text, runtime or provision.here())
        did += [f"hooks for {len(claude_code.EVENTS)} events in {place.settings}"] if changed != text else []
    rule = PLUGIN_TOOLS_RULE if has_plugin else TOOLS_RULE
    allowed = list[str]()
    if allows_tools and not project:
        changed, more = _allowing(place, changed, rule)
        snippets, allowed = snippets + more, [rule] if more else []
        did += [f"the permission rule {rule} in {place.settings}: recall, show and save run unasked"] if more else []
    elif has_plugin and not tools_are_allowed(environ):
        told.append(f"each recall of the agent asks you first: `ultan install --allow-tools` adds the permission rule {rule}")
    olds = commands(changed, original.is_hook)
    if olds and removes_original:
        changed = settings_text.cut_commands(changed, original.is_hook)
        did.append(f"{len(olds)} hooks of the original Ultan taken out of {place.settings}")
    elif olds:
        told.append(f"{len(olds)} hooks of the original Ultan would capture twice: `ultan install --remove-original`")
    told += original.live(environ)
    if not is_dry_run:
        homes.make(root, environ)
        if changed != text:
            _keep(root, place.settings, text, changed, snippets, allowed, drops_original=bool(olds) and removes_original)
            housekeeping.replace(place.settings, _encoded(changed))
        did += _taken_in(root, environ, now)
    did += skills.install(root, place.folder, is_dry_run=is_dry_run)
    chosen = by or str(settings.load(root, environ)["curation.by"])
    if by and not is_dry_run:
        config.change(root, "curation.by", by)
    told += [] if by else [f"`{chosen}` curates; `ultan config curation.by claude` lets a model do it"]
    return Done(place.settings, tuple(did), tuple(told), text, changed, is_dry_run, chosen)


def uninstall(root: str, environ: Mapping[str, str], *, project: str = "", is_dry_run: bool = False) -> Done:
    """Take our hooks and skills out again; the settings file is then what it was before.

    Raises:
        SettingsError: the settings cannot be read; nothing was changed.
    """
    place, did, told = place_of(environ, project), list[str](), list[str]()
    raw = _raw(place.settings)
    text = read_settings(place.settings)
    before = _before(root, place.settings, raw)
    noted = _record(root)["settings"].get(place.settings, {})
    if before is None and (commands(text, is_ours) or _ours_allowed(text, noted)):
        before = _encoded(_without_ours(text, noted))
    if before is not None:
        did.append(f"{'hooks and permission rule' if noted.get('allowed') else 'hooks'} taken out of {place.settings}")
    if not is_dry_run:
        _put_back(root, place.settings, before)
    did += skills.uninstall(root, place.folder, is_dry_run=is_dry_run)
    if find_plugin(environ, project).is_enabled:
        told.append("the plugin is still enabled: `claude plugin uninstall ultan@ultan` removes it")
    told.append(f"the memory itself stays at {root}; delete that folder to forget everything")
    after = text if before is None else _decoded(before, place.settings)
    return Done(place.settings, tuple(did), tuple(told), text, after, is_dry_run)


# --- what is there --------------------------------------------------------------------------------


def is_ours(command: str) -> bool:
    """Whether a hook's command line is one that ``install`` writes."""
    return MARK in command


def commands(text: str, is_wanted: Callable[[str], bool]) -> list[tuple[str, str]]:
    """The (event, command) of the hooks in a settings text that *is_wanted* picks."""
    if not text.strip("\ufeff \t\r\n"):
        return []
    return [(event, command) for event, command in settings_text.commands(text) if is_wanted(command)]


def read_settings(path: str) -> str:
    """The text of a settings file; ``""`` if there is none.

    Raises:
        SettingsError: it is no JSON object, or no text.
    """
    text = _decoded(_raw(path) or b"", path)
    if text.strip("\ufeff \t\r\n"):
        try:
            root = settings_text.scan(text)
        except ValueError as error:
            raise SettingsError(f"{path}: {error}", "mend the file; nothing was changed") from None
        if root.kind != "object":
            raise SettingsError(f"{path} holds no settings object", "mend the file; nothing was changed")
    return text


def find_plugin(environ: Mapping[str, str], project: str = "") -> provision.Plugin:
    """The plugin, as the settings of the user and the project have it."""
    place = place_of(environ)
    paths = [place.user_settings]
    for folder in {project, environ.get("CLAUDE_PROJECT_DIR", "")} - {""}:
        paths += [os.path.join(folder, ".claude", name) for name in ("settings.json", "settings.local.json")]
    return provision.find_plugin(place.folder, any(_enables(path) for path in paths), environ)


def tools_are_allowed(environ: Mapping[str, str]) -> bool:
    """Whether the user's permission rules name our tools, as ``allows_tools`` would."""
    try:
        text = read_settings(place_of(environ).user_settings)
    except (OSError, SettingsError):
        return False
    rules = settings_text.allowed(text) if text.strip("\ufeff \t\r\n") else []
    return any(rule.startswith((PLUGIN_TOOLS_RULE, TOOLS_RULE)) for rule in rules)


def _enables(path: str) -> bool:
    try:
        text = read_settings(path)
    except (OSError, SettingsError):
        return False
    listed = settings_text.scan(text).get("enabledPlugins") if text.strip("\ufeff \t\r\n") else None
    return any(
        key.startswith(provision.PLUGIN + "@") and text[value.start : value.end] == "true"
        for key, _, value in (listed.members if listed else ())
    )


# --- splicing and keeping -------------------------------------------------------------------------


def _spliced(place: Place, text: str, runtime: provision.Runtime) -> tuple[str, list[str]]:
    hooks = claude_code.settings_hooks(runtime.line)
    wanted = {group["hooks"][0]["command"] for groups in hooks.values() for group in groups}
    there = {command for _, command in commands(text, is_ours)}
    if there == wanted:
        return text, []
    if there:  # from another interpreter or version
        text = settings_text.cut_commands(text, is_ours)
    try:
        return settings_text.add_hooks(text, hooks)
    except ValueError as error:
        raise SettingsError(f"{place.settings}: {error}", "mend the file; nothing was changed") from None


def _allowing(place: Place, text: str, rule: str) -> tuple[str, list[str]]:
    try:
        return settings_text.add_allowed(text, [rule])
    except ValueError as error:
        raise SettingsError(f"{place.settings}: {error}", "mend the file; nothing was changed") from None


def _ours_allowed(text: str, noted: Mapping[str, Any]) -> list[str]:
    """The permission rules in *text* that an install put there."""
    if not noted.get("allowed") or not text.strip("\ufeff \t\r\n"):
        return []
    return [rule for rule in settings_text.allowed(text) if rule in noted["allowed"]]


def _raw(path: str) -> bytes | None:
    try:
        return home.read(os.path.realpath(path))
    except FileNotFoundError:
        return None


def _decoded(raw: bytes, path: str) -> str:
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        raise SettingsError(f"{path} is not UTF-8", "mend the file; nothing was changed") from None


def _encoded(text: str) -> bytes:
    return text.encode("utf-8")


def _record_path(root: str) -> str:
    return os.path.join(root, "install.json")


def _record(root: str) -> dict[str, Any]:
    try:
        found = json.loads(home.read(_record_path(root)))
    except (OSError, ValueError):
        found = {}
    return {"settings": {}, **(found if isinstance(found, dict) else {})}


def _write_record(root: str, record: dict[str, Any]) -> None:
    home.write(_record_path(root), (json.dumps(record, indent=2, ensure_ascii=False) + "\n").encode())


def _keep(
    root: str, path: str, before: str, after: str, snippets: list[str], allowed: list[str], *, drops_original: bool
) -> None:  # fmt: skip
    """Keep a copy of what the settings were without us, and note what they are now.

    The copy of an earlier install stays if only we changed the file since. Hooks of the
    original that the person had taken out are not in it.
    """
    record = _record(root)
    noted = record["settings"].get(path, {})
    raw = _raw(path)
    if noted.get("after") == _digest(raw):
        raw = _raw(os.path.join(root, "backups", noted["copy"])) if noted.get("copy") else None
    elif commands(before, is_ours) or _ours_allowed(before, noted):  # ours from before, in a file edited since
        raw = _encoded(_without_ours(before, noted))
    if raw and drops_original:
        raw = _encoded(settings_text.cut_commands(_decoded(raw, path), original.is_hook))
    copy = ""
    if raw is not None:
        copy = f"settings-{_digest(raw)[:16]}.json"
        home.make_folder(os.path.join(root, "backups"))
        home.write(os.path.join(root, "backups", copy), raw)
    if commands(before, is_ours) and len(commands(before, is_ours)) == len(commands(after, is_ours)):
        snippets = [*noted.get("snippets", ()), *snippets]  # the hooks stayed, a rule came
    record["settings"][path] = {
        "copy": copy, "after": _digest(_encoded(after)), "snippets": snippets,
        "allowed": sorted({*noted.get("allowed", ()), *allowed}),
    }  # fmt: skip
    _write_record(root, record)


def _without_ours(text: str, noted: Mapping[str, Any]) -> str:
    """*text* without our hooks: exactly as before where what was put in is still there as it was."""
    exact = settings_text.cut_snippets(text, noted["snippets"]) if noted.get("snippets") else None
    if exact is not None and not commands(exact, is_ours) and not _ours_allowed(exact, noted):
        return exact
    return settings_text.cut_allowed(settings_text.cut_commands(text, is_ours), noted.get("allowed", ()))


def _before(root: str, path: str, raw: bytes | None) -> bytes | None:
    """The bytes before the install, if the file is still as the install left it; ``b""`` with no copy: there was none."""
    noted = _record(root)["settings"].get(path)
    if not noted or raw is None or noted.get("after") != _digest(raw):
        return None
    if not noted.get("copy"):
        return b""
    return _raw(os.path.join(root, "backups", noted["copy"]))


def _put_back(root: str, path: str, before: bytes | None) -> None:
    record = _record(root)
    noted = record["settings"].pop(path, None)
    if before is not None:
        if before or (noted and noted.get("copy")):
            housekeeping.replace(path, before)
        else:
            home.remove(path, durable=True)
            housekeeping.remove_folder(os.path.dirname(path))
    if noted:
        _write_record(root, record)


def _digest(raw: bytes | None) -> str:
    return sha256(raw or b"").hexdigest()


def _taken_in(root: str, environ: Mapping[str, str], now: float) -> list[str]:
    record = _record(root)
    taken = original.take_in(root, environ, now, set(record.get("taken_in", ())))
    if not taken.marks:
        return []
    _write_record(root, {**record, "taken_in": sorted({*record.get("taken_in", ()), *taken.marks})})
    return list(taken.did)


def dry(done: Done) -> str:
    """A unified diff of the settings file, for ``--dry-run``."""
    import difflib  # noqa: PLC0415 -- only for a dry run

    lines = difflib.unified_diff(
        done.before.splitlines(keepends=True), done.after.splitlines(keepends=True), done.settings, done.settings
    )
    return "".join(line if line.endswith("\n") else line + "\n" for line in lines)
