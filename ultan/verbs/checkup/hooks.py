"""The hooks: whether they run, what they left in the queue, and how long one takes."""

import json
import os
import statistics
import subprocess
import time
import uuid
from collections.abc import Iterator, Mapping, Sequence

from ultan import home, homes, housekeeping, spool
from ultan.recall.index import path_of
from ultan.verbs.checkup.check import Check, State, ago, changed, names, span

OLD_QUEUE_S = 3600.0
REFUSALS_TOLD_S = 7 * 86400.0
TRIED, TRIED_S = 7, 10.0


def _last_hook(root: str) -> float:
    return max((changed(os.path.join(root, "sessions", name)) for name in names(root, "sessions")), default=0.0)


def turned_away(root: str, environ: Mapping[str, str], now: float) -> Iterator[Check]:
    """Hooks that may not use the home, because the agent works above it: they remember nothing and say nothing."""
    at, why = homes.refused(environ) or (0.0, "")
    if why and now - at < REFUSALS_TOLD_S:
        state: State = "wrong" if at > _last_hook(root) else "note"
        remedy = "start the agent in the folder of a project, or keep the home outside (ULTAN_HOME)"
        yield Check("turned away", state, f"hooks, {ago(now, at)}: {why}", remedy)


def seen(root: str, which: str, now: float) -> Check:
    """When a hook last ran."""
    newest = _last_hook(root)
    if newest:
        return Check("hooks", "ok", f"last seen {ago(now, newest)}")
    remedy = "" if which == "none" else "start a session; if nothing changes, run /reload-plugins or /hooks in the client"
    return Check("hooks", "note", "never seen", remedy)


def prime_tried(root: str, environ: Mapping[str, str], argv: Sequence[str]) -> Check:
    """The hook of a prompt, run as the client runs it, in a home of its own with a copy of the index."""
    own = os.path.join(root, "runs", f"tried-{uuid.uuid4().hex[:12]}")
    kept = {name: environ[name] for name in ("HOME", "PATH", "LANG", "TMPDIR") if name in environ}
    took = []
    try:
        home.ensure(own)
        if os.path.exists(path_of(root)):
            home.write(path_of(own), home.read(path_of(root)), durable=False)
        for turn in range(TRIED):
            for note in home.STARTED:  # nobody is to be started for a home that is gone in a moment
                home.write(os.path.join(own, "runs", note), f"{time.time():.3f}".encode(), durable=False)
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


def queue(root: str, now: float) -> Check:
    """How much waits to be curated, and how long."""
    waiting = spool.backlog(root)
    if not waiting:
        return Check("queue", "ok", "empty")
    age = now - _time_of(waiting[0], now)
    says = f"{len(waiting)} events, the oldest {span(age)} old"
    return Check("queue", "note", says, "ultan curate --now") if age > OLD_QUEUE_S else Check("queue", "ok", says)


def set_aside(root: str) -> Check:
    """Events that could not be read, and those given up on."""
    bad, dead = (len([name for name in names(root, "queue", kind) if name.endswith(".json")]) for kind in ("bad", "dead"))
    if not bad + dead:
        return Check("set aside", "ok", "no events")
    says = f"{bad} unreadable events, {dead} given up on"
    return Check("set aside", "note", says, f"they lie in {os.path.join(root, 'queue')}, bad and dead; ultan cleanup --set-aside")


def _time_of(event: str, default: float) -> float:
    head = event.partition("-")[0]
    try:
        return int(head, 16) / 1000
    except ValueError:
        return default
