"""Hooks played in this process: ``hook("prime", prompt="…")`` → what was printed, and the queue."""

import json
import os

import pytest

from ultan import events, housekeeping, reflex, settings, spool
from ultan import home as place
from ultan.library.entry import Entry, Trigger
from ultan.recall.compile import build_from_entries

NAMES = {
    "prime": "UserPromptSubmit", "notice": "PreToolUse", "capture": "Stop", "brief": "SessionStart",
}  # fmt: skip


@pytest.fixture
def index(home):
    """Writes the index of a few entries: ``index("Always use uv, never pip", trigger=r"\\bpip install\\b")``."""
    kept = []

    def write(title="", *, rule="", trigger="", severity="advise", name="global/uv", chosen=None, trust="person", **parts):
        if title:
            triggers = (Trigger(tool="Bash", pattern=trigger, severity=severity),) if trigger else ()
            kept.append(
                Entry(name, title, "convention", parts.pop("scope", "global"), "2026-01-01", "2026-01-01", trust=trust,
                      triggers=triggers, body=(rule or title) + "\n", **parts)
            )  # fmt: skip
        filler = [
            Entry(f"global/filler/f{n}", f"Topic number {n} about gardens", "finding", "global", "2026-01-01", "2026-01-01", body=f"Tulip {n}.\n")
            for n in range(12)
        ]
        made = build_from_entries([*kept, *filler], settings.Settings({"curation.wake": False, "priming.min_relevance": 0.05, **(chosen or {})}))
        place.write(os.path.join(home, "index", "library.idx"), bytes(made._mapped))

    return write


@pytest.fixture
def project(tmp_path):
    folder = tmp_path / "proj"
    folder.mkdir()
    return str(folder)


@pytest.fixture
def woken():
    """The homes for which a curator would have been started."""
    return []


@pytest.fixture
def hook(home, project, now, tmp_path, woken):
    clock = [now]

    def start(root, _now, _environ):
        woken.append(root)
        return True

    def call(verb, name="", *, raw=None, environ=None, argv=(), later=5.0, session="s1", **fields):
        clock[0] += later
        payload = {
            "session_id": session, "transcript_path": "", "cwd": project, "hook_event_name": name or NAMES[verb],
            "serial": clock[0], **fields,
        }  # fmt: skip
        sent = tmp_path / "stdin"
        sent.write_bytes(json.dumps(payload).encode() if raw is None else raw)
        got = tmp_path / "stdout"
        stdin, stdout = os.open(sent, os.O_RDONLY), os.open(got, os.O_RDWR | os.O_CREAT | os.O_TRUNC)
        world = {"ULTAN_HOME": home, "HOME": str(tmp_path), "CLAUDE_PROJECT_DIR": project, **(environ or {})}
        try:
            assert reflex.run(verb, list(argv), stdin, stdout, world, clock[0], start=start) == 0
        finally:
            os.close(stdin)
            os.close(stdout)
        said = got.read_text()
        return json.loads(said)["hookSpecificOutput"] if said else None

    return call


@pytest.fixture
def queue(home):
    def events_of(*kinds):
        found = [events.decode(place.read(os.path.join(home, "queue", "new", f"{name}.json"))) for name in spool.backlog(home)]
        return [event for event in found if not kinds or event.kind in kinds]

    return events_of


@pytest.fixture
def counters(home):
    return lambda: {name: count for name, count in housekeeping.counters(home).items() if count}
