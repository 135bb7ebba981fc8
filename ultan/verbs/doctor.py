"""Doctor: where Ultan stands on this machine, one line a check, each with what to do about it.

Quick whatever the size of things: it looks at dates, counters and small notes that the
parts leave behind, and runs the hook of a prompt a few times in a home of its own. ``check``
is the verb that reads everything. Nothing a person keeps is touched.
"""

import json
import os
import statistics
import subprocess
import time
import uuid
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from typing import Any, Literal

from ultan import home, homes, housekeeping, settings, spool
from ultan.clients import claude_code
from ultan.errors import IndexUnreadable, SettingsError
from ultan.recall.index import open_index, path_of
from ultan.verbs import install, original, provision, units
from ultan.verbs.server import standing

State = Literal["ok", "note", "wrong"]

FREE_BYTES = 64 << 20
OLD_QUEUE_S = 3600.0
STUCK_S = 1800.0
REFUSALS_TOLD_S = 7 * 86400.0
TROUBLE_SHOWN = 3
TRIED, TRIED_S = 7, 10.0
# Counters that mean that something was lost or nearly so; the others are told as they are.
LOSSES = ("dropped", "bad", "timed_out", "oversized", "late", "index_unreadable", "disk", "failed", "refused_home")


@dataclass(frozen=True, slots=True)
class Check:
    """One thing looked at: what it says, and what to do unless all is well."""

    name: str
    state: State
    says: str
    remedy: str = ""


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
    lines, faults = _installed_lines(environ, project)
    commands, python = installed(environ, project)
    which = {(True, True): "both", (True, False): "plugin", (False, True): "settings"}.get(
        (plugin.is_enabled, bool(lines)), "none"
    )
    counters = housekeeping.counters(root)
    counters["timed_out"] += len(housekeeping.cut_off(root, now))  # the next curator counts them for good
    try_out = [_prime_tried(root, environ, commands["prime"])] if os.path.isdir(root) else []
    checks = [
        _installation(which, plugin, now),
        *faults,
        *_interpreters(lines),
        *_originals(environ, project),
        *_home(root, environ, project),
        _hooks_seen(root, which, now),
        *_turned_away(root, environ, now),
        *try_out,
        _queue(root, now),
        _set_aside(root),
        *_curation(root, environ, now),
        _last_run(root, now),
        _index(root, now),
        _server(root, environ),
        *_unit(root, environ),
        *_counters(counters),
        *_trouble(root),
        *_spend(root, now),
        *_lag(root),
        *_pending(root),
    ]
    return Report(root, python, which, commands, tuple(checks), counters)


def installed(environ: Mapping[str, str], project: str = "") -> tuple[Mapping[str, Sequence[str]], str]:
    """The argv of each hook as it is installed (or would be), and the interpreter that they start."""
    plugin = install.find_plugin(environ, project)
    lines, _ = _installed_lines(environ, project)
    runtime = plugin.runtime if plugin.is_enabled and plugin.runtime else provision.here()
    return _hook_commands(plugin, lines, runtime), runtime.python


# --- the installation -----------------------------------------------------------------------------


def _installed_lines(environ: Mapping[str, str], project: str) -> tuple[dict[str, str], list[Check]]:
    """The shell lines of our hooks in the settings by verb, and what of the settings cannot be read."""
    lines: dict[str, str] = {}
    faults = []
    for folder in ("", project):
        path = install.place_of(environ, folder).settings
        try:
            found = install.commands(install.read_settings(path), install.is_ours)
        except (OSError, SettingsError) as error:
            faults.append(Check("settings", "wrong", str(error), "mend the file: the client ignores all of it"))
            continue
        for event, command in found:
            if event in claude_code.EVENTS:
                lines.setdefault(claude_code.EVENTS[event][0], command)
    return lines, faults


def _hook_commands(plugin: provision.Plugin, lines: Mapping[str, str], runtime: provision.Runtime) -> dict[str, list[str]]:
    found = {}
    for verb in sorted({row[0] for row in claude_code.EVENTS.values()}):
        if plugin.is_enabled and plugin.root and plugin.runtime:
            found[verb] = provision.plugin_argv(plugin, verb)
        else:
            found[verb] = [provision.SHELL, "-c", lines.get(verb) or runtime.line(verb)]
    return found


def _installation(which: str, plugin: provision.Plugin, now: float) -> Check:
    if which == "both":
        return Check("install", "wrong", "the plugin and hooks in the settings: events arrive twice", "ultan uninstall")
    if which == "settings":
        return Check("install", "ok", "hooks stand in the settings")
    if which == "none":
        return Check("install", "note", "no hooks are installed", "ultan install, or install the plugin")
    if plugin.runtime and plugin.runtime.is_whole:
        return Check("install", "ok", f"the plugin, with its runtime at {plugin.runtime.python}")
    step = plugin.step or "not begun: no hook has run yet"
    since = f", for {_span(now - plugin.since)}" if plugin.since else ""
    log = os.path.join(plugin.data, "runtime", "provision.log") if plugin.data else ""
    if step.startswith("failed"):
        return Check("install", "wrong", f"the plugin's runtime: {step}", f"read {log}; it is tried again in 10 minutes")
    meanwhile = "recall goes by words alone until then" if plugin.runtime else "hooks stay silent until it is there"
    return Check("install", "note", f"the plugin's runtime: {step}{since}", f"wait; {meanwhile}")


def _interpreters(lines: Mapping[str, str]) -> Iterator[Check]:
    for python in sorted({_interpreter(line) for line in lines.values()} - {""}):
        if not os.access(python, os.X_OK):
            yield Check("interpreter", "wrong", f"hooks start {python}, which is gone", "ultan install")


def _interpreter(line: str) -> str:
    """The interpreter in one of our shell lines."""
    _, _, rest = line.partition("'")
    found, quote, _ = rest.partition("' -I")
    return found.replace("'\\''", "'") if quote else ""


def _originals(environ: Mapping[str, str], project: str) -> Iterator[Check]:
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


# --- the home -------------------------------------------------------------------------------------


def _home(root: str, environ: Mapping[str, str], project: str) -> Iterator[Check]:
    why = home.refusal(root, environ.get("CLAUDE_PROJECT_DIR", "") or project)
    if why:
        yield Check("home", "wrong", why, "choose another with ULTAN_HOME, outside the project")
    elif homes.is_withdrawn(root, environ):
        yield Check("home", "note", f"{root} was deleted, so hooks stay silent", "ultan install or ultan save makes it anew")
    elif not os.path.isdir(root):
        yield Check("home", "note", f"{root} does not exist yet", "the first hook or `ultan save` makes it")
    else:
        yield from _home_state(root)


def _home_state(root: str) -> Iterator[Check]:
    state = os.stat(root)
    if state.st_mode & 0o077:
        yield Check("home", "wrong", f"others may look into {root}", f"chmod -R go-rwx {root}")
    elif not os.access(root, os.W_OK):
        yield Check("home", "wrong", f"{root} cannot be written", "give yourself the right to write there")
    else:
        yield Check("home", "ok", root)
    free = os.statvfs(root).f_bavail * os.statvfs(root).f_frsize if hasattr(os, "statvfs") else FREE_BYTES
    if free < FREE_BYTES:
        yield Check("disk", "wrong", f"{free >> 20} MiB free: nothing is curated below 64", "free some space")
    if os.path.exists(os.path.join(root, "paused")):
        yield Check("paused", "note", "hooks are deaf and mute", "ultan pause --resume")


def _last_hook(root: str) -> float:
    return max((_changed(os.path.join(root, "sessions", name)) for name in _names(root, "sessions")), default=0.0)


def _turned_away(root: str, environ: Mapping[str, str], now: float) -> Iterator[Check]:
    """Hooks that may not use the home, because the agent works above it: they remember nothing and say nothing."""
    at, why = homes.refused(environ) or (0.0, "")
    if why and now - at < REFUSALS_TOLD_S:
        state: State = "wrong" if at > _last_hook(root) else "note"
        remedy = "start the agent in the folder of a project, or keep the home outside (ULTAN_HOME)"
        yield Check("turned away", state, f"hooks, {_ago(now, at)}: {why}", remedy)


def _hooks_seen(root: str, which: str, now: float) -> Check:
    newest = _last_hook(root)
    if newest:
        return Check("hooks", "ok", f"last seen {_ago(now, newest)}")
    remedy = "" if which == "none" else "start a session; if nothing changes, run /reload-plugins or /hooks in the client"
    return Check("hooks", "note", "never seen", remedy)


def _prime_tried(root: str, environ: Mapping[str, str], argv: Sequence[str]) -> Check:
    """The hook of a prompt, run as the client runs it, in a home of its own with a copy of the index."""
    own = os.path.join(root, "runs", f"tried-{uuid.uuid4().hex[:12]}")
    kept = {name: environ[name] for name in ("HOME", "PATH", "LANG", "TMPDIR") if name in environ}
    took = []
    try:
        home.ensure(own)
        if os.path.exists(path_of(root)):
            home.write(path_of(own), home.read(path_of(root)), durable=False)
        for turn in range(TRIED):
            payload = {
                "hook_event_name": "UserPromptSubmit", "session_id": f"doctor-{turn}", "prompt_id": f"doctor-{turn}",
                "cwd": os.sep, "prompt": "how do we install a package and commit the change?",
            }  # fmt: skip
            began = time.perf_counter()
            subprocess.run(  # noqa: S603 -- our own hook line
                list(argv), input=json.dumps(payload).encode(), env={**kept, "ULTAN_HOME": own}, cwd=os.sep,
                capture_output=True, timeout=TRIED_S, check=False,
            )  # fmt: skip
            took.append((time.perf_counter() - began) * 1000)
        works = bool(spool.backlog(own))
    except (OSError, subprocess.TimeoutExpired) as error:
        return Check("prime", "wrong", f"the hook of a prompt cannot be tried: {error}", "ultan install")
    finally:
        housekeeping.clear_folder(own)
    if not works:
        remedy = "ultan install, or wait for the plugin's runtime"
        return Check("prime", "wrong", "the hook of a prompt runs and does nothing", remedy)
    return Check("prime", "ok", f"{statistics.median(took):.0f} ms in the middle, {max(took):.0f} at worst, of {TRIED} tries")


def _queue(root: str, now: float) -> Check:
    waiting = spool.backlog(root)
    if not waiting:
        return Check("queue", "ok", "empty")
    age = now - _time_of(waiting[0], now)
    says = f"{len(waiting)} events, the oldest {_span(age)} old"
    return Check("queue", "note", says, "ultan curate --now") if age > OLD_QUEUE_S else Check("queue", "ok", says)


def _set_aside(root: str) -> Check:
    bad, dead = (len([name for name in _names(root, "queue", kind) if name.endswith(".json")]) for kind in ("bad", "dead"))
    if not bad + dead:
        return Check("set aside", "ok", "no events")
    says = f"{bad} unreadable events, {dead} given up on"
    return Check("set aside", "note", says, f"they lie in {os.path.join(root, 'queue')}, bad and dead; ultan cleanup --set-aside")


# --- curation -------------------------------------------------------------------------------------


def _curation(root: str, environ: Mapping[str, str], now: float) -> Iterator[Check]:
    try:
        chosen = settings.load(root, environ)
    except SettingsError as error:
        yield Check("settings", "wrong", str(error), error.hint)
        return
    by = chosen["curation.by"]
    off = by == "off" or chosen["curation.mode"] == "off"
    words = {"clerk": "the clerk, by rules, for free", "claude": f"claude, on {chosen['curation.billing']} billing"}
    if off:
        yield Check("curator", "note", "nobody: the queue is kept", "ultan config curation.by clerk")
    else:
        yield Check("curator", "ok", words.get(by, by) + (", held for review" if chosen["curation.mode"] == "ask" else ""))
    stopped = _note(root, "runs", "stopped.json")
    if stopped:
        until = stopped.get("until")
        when = f" until {_clock(until)}" if isinstance(until, (int, float)) and until > now else ""
        says = f"stopped{when}: {stopped.get('told', stopped.get('why', ''))}"
        yield Check("curator", "wrong", says, "the queue is kept; ultan curate --now tries again")


def _last_run(root: str, now: float) -> Check:
    note = _note(root, "runs", "curator.json")
    at = note.get("at")
    if not isinstance(at, (int, float)):
        return Check("last curate", "note", "never", "it runs by itself after a session, or: ultan curate --now")
    if note.get("state") == "running" and _lives(note.get("pid")):
        says = f"running for {_span(now - at)}, process {note.get('pid')}"
        state: State = "wrong" if now - at > STUCK_S else "ok"
        return Check("last curate", state, says, f"kill {note.get('pid')}: the queue is kept" if state == "wrong" else "")
    told = note.get("told") or note.get("last") or ""
    return Check("last curate", "ok", f"{_ago(now, at)} by {note.get('by')}: {told}, {note.get('events', 0)} events")


def _index(root: str, now: float) -> Check:
    written = _changed(os.path.join(root, "knowledge", "log.md"))
    try:
        index = open_index(root)
    except IndexUnreadable as error:
        if not written:
            return Check("index", "note", "none yet: nothing is remembered", "ultan save 'Always use uv, never pip'")
        return Check("index", "wrong", str(error), "ultan rebuild")
    near = "complete" if index.meta.get("attuned") else "of an earlier generation" if index.encoder else "not yet"
    says = f"{index.size} entries, made {_ago(now, index.made_at)}, encoder {index.encoder or 'none'}, near terms {near}"
    if written > index.made_at + 60:
        return Check("index", "note", says + ", older than the library", "ultan rebuild")
    return Check("index", "ok", says)


def _unit(root: str, environ: Mapping[str, str]) -> Iterator[Check]:
    path = units.stale(root, environ)
    if path:
        yield Check("unit", "wrong", f"{path} starts an interpreter that is gone", "ultan install --serve")


def _server(root: str, environ: Mapping[str, str]) -> Check:
    found = standing(root)
    if found.state == "absent":
        try:
            on_demand = settings.load(root, environ)["serve.on_demand"]
        except SettingsError:
            on_demand = False
        remedy = "" if on_demand else "optional: `ultan serve`, ultan install --serve, or ultan config serve.on_demand yes"
        return Check("server", "ok", "absent: hooks answer by themselves" + (", the next prompt starts it" * on_demand), remedy)
    if found.state == "starting":
        return Check("server", "ok", "starting: it loads its models")
    if found.state == "dead":
        return Check("server", "ok", "absent: one that ended left its socket, which the next takes over")
    if found.state == "silent":
        return Check("server", "wrong", "it runs and does not answer; hooks answer by themselves", "end `ultan serve` and start it anew")
    says = f"{found.state}, encoder {found.encoder}, {found.memory_mb} MB, {found.answered} answers in {_span(found.up_s)}"
    says += f", {found.late} too late" if found.late else ""
    says += f", last asked {_span(found.idle_s)} ago" if found.state == "idle" else ""
    if found.trouble:
        return Check("server", "note", f"{says}; {found.trouble}", "hooks get lexical answers; ultan rebuild")
    return Check("server", "ok", says)


# --- counts ---------------------------------------------------------------------------------------


def _counters(counters: Mapping[str, int]) -> Iterator[Check]:
    lost = [f"{counters[name]} {name.replace('_', ' ')}" for name in LOSSES if counters.get(name)]
    told = [f"{value} {name.replace('_', ' ')}" for name, value in counters.items() if value and name not in LOSSES]
    yield Check("losses", "note", ", ".join(lost), "see trouble below") if lost else Check("losses", "ok", "none")
    if told:
        yield Check("counts", "ok", ", ".join(told))


def _trouble(root: str) -> Iterator[Check]:
    try:
        raw = home.read(os.path.join(root, "trouble.jsonl"))
    except OSError:
        return
    lines = [line for line in raw.decode("utf-8", "replace").splitlines() if line.strip()]
    for line in lines[-TROUBLE_SHOWN:]:
        yield Check("trouble", "note", _told(line), f"{len(lines)} lines in {os.path.join(root, 'trouble.jsonl')}")


def _told(line: str) -> str:
    try:
        value = json.loads(line)
    except ValueError:
        return line[:200]
    if not isinstance(value, dict):
        return line[:200]
    at = value.pop("at", None)
    words = " ".join(str(part) for part in value.values())[:200]
    return f"{_clock(at)} {words}" if isinstance(at, (int, float)) else words


def _spend(root: str, now: float) -> Iterator[Check]:
    cost = _note(root, "", "cost.json")
    if not cost:
        return
    today = cost.get("days", {}).get(datetime.fromtimestamp(now, UTC).date().isoformat(), {})
    total = cost.get("total", {})
    says = (
        f"today {today.get('calls', 0)} calls, {today.get('tokens', 0)} tokens, ${today.get('cost_usd', 0):.2f};"
        f" ever {total.get('calls', 0)} calls, ${total.get('cost_usd', 0):.2f}"
    )
    until = cost.get("closed_until", 0)
    if isinstance(until, (int, float)) and until > now:
        yield Check("spend", "wrong", f"{says}; closed until {_clock(until)}: {cost.get('told') or cost.get('why')}", "wait")
    else:
        yield Check("spend", "ok", says)


def _lag(root: str) -> Iterator[Check]:
    """How long words took to become primable, by who curated."""
    lags: dict[str, list[float]] = {}
    try:
        for _, who, said, primable in json.loads(home.read(os.path.join(root, "runs", "lag.json"))):
            lags.setdefault(str(who), []).append(primable - said)
    except (OSError, ValueError, TypeError):
        return
    for who, own in sorted(lags.items()):
        p95 = statistics.quantiles(own, n=20, method="inclusive")[-1] if len(own) > 1 else own[0]
        yield Check(
            "lag", "ok",
            f"{_span(statistics.median(own))} from your words to an entry, in the middle of {len(own)}, with {who};"
            f" 95 % within {_span(p95)}",
        )  # fmt: skip


def _pending(root: str) -> Iterator[Check]:
    count = len([name for name in _names(root, "pending") if name.endswith(".json")])
    if count:
        yield Check("review", "note", f"{count} suggestions wait for you", "ultan review")


# --- small things ---------------------------------------------------------------------------------


def _names(root: str, *parts: str) -> list[str]:
    try:
        return os.listdir(os.path.join(root, *parts))
    except OSError:
        return []


def _changed(path: str) -> float:
    try:
        return os.stat(path).st_mtime
    except OSError:
        return 0.0


def _note(root: str, *parts: str) -> dict[str, Any]:
    try:
        found = json.loads(home.read(os.path.join(root, *parts)))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def _lives(pid: object) -> bool:
    if not isinstance(pid, int) or pid <= 0:
        return False
    try:
        os.kill(pid, 0)
    except PermissionError:
        return True
    except OSError:
        return False
    return True


def _time_of(event: str, default: float) -> float:
    head = event.partition("-")[0]
    try:
        return int(head, 16) / 1000
    except ValueError:
        return default


def _span(seconds: float) -> str:
    seconds = max(0.0, seconds)
    for size, word in ((86400.0, "d"), (3600.0, "h"), (60.0, "min")):
        if seconds >= 2 * size:
            return f"{seconds / size:.0f} {word}"
    return f"{seconds:.0f} s"


def _ago(now: float, at: float) -> str:
    return f"{_span(now - at)} ago"


def _clock(at: float) -> str:
    return datetime.fromtimestamp(at, UTC).strftime("%Y-%m-%d %H:%M UTC")
