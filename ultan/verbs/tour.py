"""Tour: two sessions played through the real steps in a throw-away home; needs nothing but the package.

The hooks are the very shell lines that ``install`` writes, fed with what Claude Code would
send; curating, asking and undoing are the verbs of the command line. ``mine`` does the same
with the last sessions of the person, read-only and without a model.
"""

import glob
import json
import os
import subprocess
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from ultan import home
from ultan.clients import claude_code
from ultan.errors import UltanError
from ultan.events import PERSON, Piece, Transcript
from ultan.library.snapshot import read_library
from ultan.library.store import FileStore
from ultan.recall.index import open_index
from ultan.settings import Settings
from ultan.verbs import provision
from ultan.verbs.ask import ask
from ultan.verbs.curate import curate
from ultan.verbs.decay import decay
from ultan.verbs.desk import Desk
from ultan.verbs.throwaway import throwaway
from ultan.verbs.undo import undo
from ultan.verbs.why import why

CORRECTION = "no, use uv, never pip here"
RULE = "From now on, always write commit messages in the imperative mood."
TRANSCRIPT_BYTES = 64 << 20
HOOK_S = 20
SHOP = "shop"


@dataclass(frozen=True, slots=True)
class Step:
    """One step: what it is, what went in, what came out, and how long it took."""

    name: str
    says: str
    given: str
    came: str
    ms: int = 0


@dataclass(frozen=True, slots=True)
class Tour:
    """All steps in order."""

    steps: tuple[Step, ...]
    ends: str


@dataclass(slots=True)
class Stage:
    """A throw-away home, and a person with a project beside it."""

    folder: str
    steps: list[Step] = field(default_factory=list)

    @property
    def root(self) -> str:
        """The home."""
        return os.path.join(self.folder, "home")

    @property
    def project(self) -> str:
        """The project the sessions are in."""
        return os.path.join(self.folder, SHOP)

    @property
    def settings(self) -> Settings:
        """The defaults, whatever is chosen for the real home; no curator starts behind the tour's back."""
        return Settings().with_values(curation__wake=False)

    def hook(self, event: str, session: str, **fields: Any) -> tuple[str, int]:
        """What the installed hook of *event* answers the model, and its milliseconds."""
        payload = {
            "session_id": session, "hook_event_name": event, "cwd": self.project,
            "transcript_path": self.transcript(session), **fields,
        }  # fmt: skip
        environ = {
            "HOME": self.folder, "ULTAN_HOME": self.root, "CLAUDE_PROJECT_DIR": self.project,
            "CLAUDE_CODE_SESSION_ID": session, "PATH": os.defpath,
        }  # fmt: skip
        line = provision.here().line(claude_code.EVENTS[event][0])
        began = time.perf_counter()
        done = subprocess.run(  # noqa: S603 -- the very line that install writes
            ["/bin/sh", "-c", line], input=json.dumps(payload).encode(), capture_output=True, check=False,
            timeout=HOOK_S, env=environ, cwd=self.project,
        )  # fmt: skip
        took = round((time.perf_counter() - began) * 1000)
        answer = json.loads(done.stdout)["hookSpecificOutput"] if done.stdout.strip() else {}
        return answer.get("additionalContext") or answer.get("permissionDecisionReason") or "", took

    def transcript(self, session: str) -> str:
        """Where the client would keep the transcript of *session*."""
        return os.path.join(self.folder, "transcripts", f"{session}.jsonl")

    def record(self, session: str, lines: list[tuple[str, str]]) -> None:
        """Write a transcript as the client does: who spoke, and what."""
        rows = []
        for number, (who, text) in enumerate(lines):
            content: Any = text if who == "user" else [{"type": "text", "text": text}]
            rows.append({
                "type": who, "uuid": f"{session}-{number}", "timestamp": f"2026-01-05T09:{number:02d}:00.000Z",
                "sessionId": session, "cwd": self.project, "message": {"role": who, "content": content},
                **({"promptSource": "typed", "userType": "external"} if who == "user" else {}),
            })  # fmt: skip
        home.make_folder(os.path.dirname(self.transcript(session)))
        home.write(self.transcript(session), "".join(json.dumps(row) + "\n" for row in rows).encode())

    def tell(self, name: str, says: str, given: str, came: str, ms: int = 0) -> None:
        """Add a step."""
        self.steps.append(Step(name, says, given, came, ms))


def tour() -> Tour:
    """Both sessions, step by step.

    Raises:
        UltanError: a step did not do what it should: the installation is broken.
    """
    with throwaway("tour") as folder:
        stage = Stage(folder)
        home.make_folder(stage.project)
        home.ensure(stage.root)
        Desk(stage.root, FileStore(stage.root), stage.settings, time.time()).compile()
        for act in (_first_session, _curated, _primed, _noticed, _asked, _fading, _undone):
            act(stage)
        return Tour(tuple(stage.steps), "That was all in a throw-away home, which is gone. `ultan install` makes it yours.")


def _first_session(stage: Stage) -> None:
    stage.hook("SessionStart", "tour-1", source="startup")
    asked = "set up the project and install flask"
    stage.hook("UserPromptSubmit", "tour-1", prompt=asked, prompt_id="p1")
    stage.hook("UserPromptSubmit", "tour-1", prompt=CORRECTION, prompt_id="p2")
    _, took = stage.hook("UserPromptSubmit", "tour-1", prompt=RULE, prompt_id="p3")
    stage.record("tour-1", [
        ("user", asked), ("assistant", "I will run `pip install flask`."), ("user", CORRECTION),
        ("assistant", "Understood: `uv add flask`."), ("user", RULE), ("assistant", "I will."),
    ])  # fmt: skip
    stage.hook("Stop", "tour-1", last_assistant_message="I will.")
    stage.hook("SessionEnd", "tour-1", reason="other")
    waiting = sorted(name for name in os.listdir(os.path.join(stage.root, "queue", "new")) if name.endswith(".json"))
    if not waiting:
        raise UltanError("the hooks queued nothing", "run `ultan doctor`")
    stage.tell(
        "capture", "Session one. You correct the agent; hooks queue what was said and by whom.",
        f"you: {asked}\nagent: I will run `pip install flask`.\nyou: {CORRECTION}\nyou: {RULE}",
        f"{len(waiting)} events in queue/new", took,
    )  # fmt: skip


def _curated(stage: Stage) -> None:
    began = time.perf_counter()
    report = curate(stage.root, stage.settings, now=time.time, sleep=time.sleep, by="clerk", at_once=True)
    took = round((time.perf_counter() - began) * 1000)
    library = read_library(FileStore(stage.root))
    if not library.entries:
        raise UltanError(f"the clerk kept nothing ({report.state} {report.told})", "run `ultan doctor`")
    written = "\n\n".join(f"knowledge/{entry.path}\n{entry.raw.strip()}" for entry in library.entries.values())
    stage.tell("curate", "The clerk reads the queue by rules alone: no model, no cost.", "ultan curate --now", written, took)


def _primed(stage: Stage) -> None:
    stage.hook("SessionStart", "tour-2", source="startup")
    prompt = "please install the Python package requests for the shop"
    came, took = stage.hook("UserPromptSubmit", "tour-2", prompt=prompt, prompt_id="p4")
    stage.tell("prime", "Session two, a day later. What matters stands below your prompt.", f"you: {prompt}", came, took)
    thanks, took = stage.hook("UserPromptSubmit", "tour-2", prompt="thanks!", prompt_id="p5")
    stage.tell("prime", "A prompt that needs nothing gets nothing.", "you: thanks!", thanks, took)


def _noticed(stage: Stage) -> None:
    command = "pip install requests"
    came, took = stage.hook(
        "PreToolUse", "tour-2", tool_name="Bash", tool_input={"command": command, "description": "install"}, tool_use_id="t1"
    )
    stage.tell("notice", "The agent forgets all the same. It is told at the tool call.", f"Bash: {command}", came, took)


def _asked(stage: Stage) -> None:
    question = "which package tool do we use?"
    began = time.perf_counter()
    answer = ask(stage.root, question, stage.settings, now=time.time, project=SHOP)
    took = round((time.perf_counter() - began) * 1000)
    stage.tell("ask", "With no model, a question is answered with the entries it rests on.", question, answer.text, took)


def _fading(stage: Stage) -> None:
    desk = Desk(stage.root, FileStore(stage.root), stage.settings, time.time())
    strong = "\n".join(f"{one.entry.id}: retention {one.retention:.2f}" for one in decay(desk, dry_run=True).standing)
    stage.tell("decay", "What helps and is said again stays; the rest fades, and is archived, not deleted.",
               "ultan decay --dry-run", strong)  # fmt: skip


def _undone(stage: Stage) -> None:
    desk = Desk(stage.root, FileStore(stage.root), stage.settings, time.time())
    taken = undo(desk)
    prompt = "please install httpx as well"
    came, took = stage.hook("UserPromptSubmit", "tour-3", prompt=prompt, prompt_id="p6")
    said = "\n".join(f"taken back: {change}" for change in taken.changes)
    stage.tell("undo", "Everything can be taken back; the next prompt is met with silence.", f"ultan undo\nyou: {prompt}",
               f"{said}\n{came or '(silence)'}", took)  # fmt: skip


# --- with one's own sessions ------------------------------------------------------------------------


def mine(environ: Mapping[str, str], *, most: int, now: float) -> Tour:
    """What the clerk would keep of the person's last *most* sessions, and what their prompts would have met.

    Reads the client's transcripts and writes only into a throw-away home.

    Raises:
        UltanError: there are no sessions.
    """
    folder = environ.get("CLAUDE_CONFIG_DIR") or os.path.join(environ.get("HOME") or os.path.expanduser("~"), ".claude")
    paths = glob.glob(os.path.join(glob.escape(folder), "projects", "*", "*.jsonl"))
    if not paths:
        raise UltanError(f"there are no sessions in {folder}", "`ultan tour` plays one of its own")
    chosen = sorted(paths, key=os.path.getmtime)[-most:]
    with throwaway("tour") as folder:
        root = os.path.join(folder, "home")
        home.ensure(root)
        desk = Desk(root, FileStore(root), Settings(), now)
        steps = [step for path in chosen for step in _own(desk, path)]
    return Tour(tuple(steps), f"{len(chosen)} sessions were read, and nothing of yours was changed.")


def _own(desk: Desk, path: str) -> Iterator[Step]:
    from ultan.staff import clerk  # noqa: PLC0415 -- the real steps of curate, without its queue

    pieces, _ = claude_code.read_transcript(path, 0, TRANSCRIPT_BYTES)
    session = os.path.basename(path)[:-6]
    said = [piece for piece in pieces if piece.origin in PERSON]
    if not said:
        return
    if os.path.exists(os.path.join(desk.root, "index", "library.idx")):
        yield from _met(desk, said, session)
    project = "".join(letter if letter.isalnum() else "-" for letter in os.path.basename(os.path.dirname(path)).lower()).strip("-")
    proposal = clerk.propose(Transcript(session, project[-60:].strip("-") or "mine", pieces), desk.library)
    sources = {piece.id: piece for piece in pieces}
    receipt = desk.execute(
        [item.action for item in proposal.suggestions], by="clerk", session=session, sources=sources, why="tour"
    ) if proposal.suggestions else None  # fmt: skip
    kept = [f"{did} {name}" for did, name, _ in receipt.applied] if receipt else []
    kept += [f"refused: {refusal.reason}" for refusal in receipt.refused] if receipt else []
    words = "\n".join(_short(piece.text) for piece in said[:5])
    yield Step("curate", f"Session {session}: {len(said)} prompts of yours.", words, "\n".join(kept))


def _met(desk: Desk, said: list[Piece], session: str) -> Iterator[Step]:
    index = open_index(desk.root)
    for piece in said[:3]:
        told = why(index, piece.text, project="")
        if told.block:
            yield Step("prime", f"Session {session}: this prompt would have met", _short(piece.text), told.block)


def _short(text: str) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= 160 else flat[:159] + "…"
