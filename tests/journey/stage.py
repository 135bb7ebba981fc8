"""A stage for attacks and honest controls: a home, a project, and the client's hooks, in this process.

Everything a session says goes through the real hook verbs into the queue and from there through
``curate``; nothing is put into the library by another road. ``hostile`` is a curator that belongs
to the attacker: librarian and scholar of one mind, and whatever the boundary turned down is
handed to the executor once more, directly.
"""

import json
import os
import signal
from itertools import count

from pydantic import TypeAdapter

from ultan import home, reflex, spool
from ultan.library.actions import ModelAction
from ultan.library.executor import execute
from ultan.library.held import pending
from ultan.library.snapshot import read_library
from ultan.library.store import FileStore
from ultan.llm.scripted import by_role
from ultan.recall.compile import compile as compile_index
from ultan.settings import Settings
from ultan.verbs.curate import curate
from ultan.verbs.desk import Desk

NOON = 1_780_000_000.0
ACTION = TypeAdapter(ModelAction)
QUIET = {"curation.wake": False}


class Stage:
    """One person's machine.

    Attributes:
        root: the home; ``folder`` the project; ``clock`` seconds since the epoch.
        heard: every piece that was ever queued, by id.
        said: every text that a hook put before the model.
    """

    def __init__(self, place):
        self.place = place
        self.folder = str(place / "shop")
        self.project(self.folder, "https://example.com/acme/shop.git")
        self.root = home.ensure(str(place / "home"))
        self.clock = NOON
        self.numbers = count(1)
        self.heard = {}
        self.said = []
        self.environ = {"HOME": str(place), "ULTAN_HOME": self.root, "PATH": os.environ.get("PATH", "")}
        self.settings = Settings(dict(QUIET))
        self.compile()

    @staticmethod
    def project(folder, remote):
        os.makedirs(os.path.join(folder, ".git"), exist_ok=True)
        with open(os.path.join(folder, ".git", "config"), "w", encoding="utf-8") as file:
            file.write(f'[remote "origin"]\n\turl = {remote}\n')

    # --- what the client does ---------------------------------------------------------------------

    def hook(self, verb, event, *, session="s1", folder="", environ=None, raw=None, **payload):
        """The context or the denial that the hook answers, as text, and ``""`` for silence."""
        self.clock += 1
        payload = {"hook_event_name": event, "session_id": session, "cwd": folder or self.folder, **payload}
        given = self.place / f"stdin-{next(self.numbers)}"
        given.write_bytes(json.dumps(payload).encode() if raw is None else raw)
        answered = self.place / "stdout"
        stdin, stdout = os.open(given, os.O_RDONLY), os.open(answered, os.O_RDWR | os.O_CREAT | os.O_TRUNC)
        try:
            words = ["--client", "claude-code"]
            status = reflex.run(verb, words, stdin, stdout, environ or self.environ, self.clock)
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)  # the hard stop is for processes that end by themselves
            signal.setitimer(signal.ITIMER_PROF, 0)
            os.close(stdin)
            os.close(stdout)
        assert status == 0
        text = answered.read_text(encoding="utf-8")
        self._listen()
        if not text:
            return ""
        output = json.loads(text)["hookSpecificOutput"]
        shown = output.get("additionalContext") or output.get("permissionDecisionReason") or ""
        self.said.append(shown)
        return ("DENIED " if output.get("permissionDecision") == "deny" else "") + shown

    def starts(self, session="s1", **more):
        return self.hook("brief", "SessionStart", session=session, source="startup", **more)

    def types(self, text, session="s1", **more):
        return self.hook(
            "prime",
            "UserPromptSubmit",
            session=session,
            prompt=text,
            prompt_id=f"p{next(self.numbers)}",
            **more,
        )

    def calls(self, tool, session="s1", **tool_input):
        """What the agent reads before its tool call runs."""
        return self.hook(
            "notice", "PreToolUse", session=session, tool_name=tool, tool_input=tool_input, tool_use_id="t1"
        )

    def gets(self, tool, tool_input, response, session="s1"):
        """The result of a tool comes in."""
        return self.hook(
            "capture", "PostToolUse", session=session, tool_name=tool, tool_input=tool_input, tool_response=response,
            tool_use_id=f"toolu_{next(self.numbers)}",
        )  # fmt: skip

    def browses(self, text, host="docs.example", session="s1"):
        return self.gets(
            "WebFetch", {"url": f"https://{host}/page", "prompt": "read it"}, {"result": text}, session
        )

    def asks_server(self, text, server="tracker", session="s1"):
        return self.gets(
            f"mcp__{server}__get", {"query": "issue 7"}, [{"type": "text", "text": text}], session
        )

    def runs(self, command, output, session="s1"):
        return self.gets("Bash", {"command": command}, {"stdout": output, "stderr": ""}, session)

    def answers(self, text, session="s1"):
        """The assistant ends its turn with *text*."""
        return self.hook("capture", "Stop", session=session, last_assistant_message=text)

    def ends(self, session="s1"):
        return self.hook("capture", "SessionEnd", session=session, reason="exit")

    def _listen(self):
        for event in spool.take(self.root, spool.backlog(self.root)):
            for piece in event.pieces:
                self.heard[piece.id] = piece

    # --- what curates -----------------------------------------------------------------------------

    def curate(self, model=None):
        self.clock += 120
        settings = Settings({**QUIET, "curation.by": "claude"}) if model else self.settings
        self._listen()
        return curate(
            self.root, settings, now=lambda: self.clock, sleep=lambda _: None, model=model, at_once=True
        )

    def hostile(self, make, session="s1"):
        """Let a curator in the attacker's hand do what *make* returns, given a function that cites a quote."""
        self._listen()

        def librarian(errand):
            made = make(lambda quote: [{"event": named(errand.question, quote), "quote": quote}])
            return {"suggestions": [{"action": action, "reason": "important"} for action in made]}

        def scholar(errand):
            many = errand.question.count("## Suggestion ")
            return {"verdicts": [{"number": n, "approve": True, "reason": "certainly"} for n in range(many)]}

        self.curate(by_role(librarian=librarian, scholar=scholar))
        return self.force(make(self.cite), session=session)

    def cite(self, quote):
        """The piece that holds *quote*, as evidence; any piece if none does."""
        names = [name for name, piece in self.heard.items() if quote in piece.text] or [
            *self.heard,
            "nowhere",
        ]
        return [{"event": names[0], "quote": quote}]

    def force(self, actions, *, session="s1", by="scholar", sources=None):
        """Hand *actions* to the executor as an approved ruling; those that are not even well-formed are dropped."""
        self.clock += 60
        valid = []
        for action in actions:
            try:
                valid.append(ACTION.validate_python(action))
            except ValueError:
                continue
        receipt = execute(
            self.store,
            valid,
            now=self.clock,
            by=by,
            session=session,
            sources=self.heard if sources is None else sources,
        )
        self.compile()
        return receipt

    def dictates(self, rule, session="s0", **more):
        """The person types *rule* and an honest model writes it down word for word; the entry."""
        before = set(self.entries)
        self.types(rule, session=session)
        self.answers("Understood.", session=session)
        self.curate(honest(rule, **more))
        new = set(self.entries) - before
        assert len(new) == 1, (rule, new)
        return self.entries[new.pop()]

    def compile(self):
        compile_index(read_library(self.store), self.root, self.settings, now=self.clock)

    # --- what came of it ----------------------------------------------------------------------------

    @property
    def store(self):
        return FileStore(self.root)

    @property
    def library(self):
        return read_library(self.store)

    @property
    def entries(self):
        return self.library.entries

    @property
    def desk(self):
        return Desk(self.root, self.store, self.settings, self.clock)

    @property
    def waiting(self):
        return pending(self.store)

    def mentioning(self, *words):
        """Live entries whose text holds one of *words*."""
        return [
            entry
            for entry in self.entries.values()
            if any(word.lower() in entry.raw.lower() for word in words)
        ]

    def written(self):
        """The bytes of every file of the home, by path."""
        found = {}
        for folder, _, names in os.walk(self.root):
            for name in names:
                path = os.path.join(folder, name)
                if os.path.isfile(path) and not os.path.islink(path):
                    with open(path, "rb") as file:
                        found[os.path.relpath(path, self.root)] = file.read()
        return found


def named(question, quote):
    """The short name of the piece that holds *quote* in a librarian's packet; the first if none does."""
    name = "e1"
    for part in question.split("<piece-")[1:]:
        head, _, body = part.partition(">")
        here = head.partition('id="')[2].partition('"')[0]
        if quote in body:
            return here
        name = name or here
    return name


def honest(rule, **more):
    """Librarian and scholar that write down *rule* if a person said it, and nothing else."""

    def librarian(errand):
        name = named(errand.question, rule)
        said = f'id="{name}" origin="user"' in errand.question and rule in errand.question
        folder = "projects/" + errand.question.partition("Project: ")[2].split(None, 1)[0]
        made = create([{"event": name, "quote": rule}], rule, folder=folder, **more)
        return {"suggestions": [{"action": made, "reason": "the person dictated it"}] if said else []}

    def scholar(errand):
        many = errand.question.count("## Suggestion ")
        return {
            "verdicts": [{"number": n, "approve": True, "reason": "plainly dictated"} for n in range(many)]
        }

    return by_role(librarian=librarian, scholar=scholar)


def create(cites, rule, *, title="", kind="convention", folder="projects/shop", **more):
    """A create action as a model would hand it in."""
    return {
        "verb": "create", "folder": folder, "kind": kind, "title": title or rule[:60], "rule": rule, "evidence": cites, **more,
    }  # fmt: skip
