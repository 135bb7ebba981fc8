"""Chooses the concrete parts: which home, store, settings, clock and terminal a command works with.

A command asks its ``Door`` for what it needs; nothing else reads the environment or the
clock. Parts are built when first asked for, so that ``--help`` and ``config`` start quickly.
"""

import io
import os
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, TextIO

from ultan import home, homes
from ultan.errors import HomeRefused, LibraryError, UltanError

if TYPE_CHECKING:
    from ultan.library.snapshot import Library
    from ultan.library.store import FileStore
    from ultan.recall.index import Index
    from ultan.settings import Settings
    from ultan.verbs.desk import Desk

AGENT_MARKS = ("CLAUDECODE", "CLAUDE_CODE_SESSION_ID", "AI_AGENT")
ONLY_A_PERSON = "this needs a person at a terminal: an agent may not raise trust, spend, or delete"


def _here() -> str:
    try:
        return os.getcwd()
    except OSError:  # the folder was deleted under us
        return os.sep


@dataclass(frozen=True, slots=True)
class World:
    """What surrounds the process: passed in, so that a test can pass another.

    Attributes:
        has_person: whether somebody sits at the terminal; None asks the streams.
    """

    environ: Mapping[str, str] = field(default_factory=lambda: dict(os.environ))
    stdin: TextIO = field(default_factory=lambda: sys.stdin or io.StringIO())  # None: it was closed before we began
    stdout: TextIO = field(default_factory=lambda: sys.stdout or io.StringIO())
    stderr: TextIO = field(default_factory=lambda: sys.stderr or io.StringIO())
    clock: Callable[[], float] = time.time
    folder: str = field(default_factory=_here)
    has_person: bool | None = None


class Door:
    """Everything one command works with."""

    def __init__(self, world: World, chosen_home: str = "", as_json: bool = False) -> None:
        """Look at *world*; a home given on the command line goes before every other.

        Raises:
            HomeRefused: the home lies in the project we stand in, or is somebody else's.
        """
        self.world = world
        self.as_json = as_json
        self.root = home.locate(world.environ, chosen_home)
        why_not = home.refusal(self.root, self.watched_folder)
        if why_not:
            raise HomeRefused(why_not)

    @property
    def now(self) -> float:
        """Seconds since the epoch."""
        return self.world.clock()

    @property
    def session(self) -> str:
        """The id of the agent session this process runs in, or ``""``."""
        return self.world.environ.get("CLAUDE_CODE_SESSION_ID", "")

    @property
    def is_inside_agent(self) -> bool:
        """Whether an agent, not a person, started this command."""
        return any(self.world.environ.get(name) for name in AGENT_MARKS)

    @property
    def has_person(self) -> bool:
        """Whether a person sits at the terminal: never inside an agent, and both streams are one."""
        if self.world.has_person is not None:
            return self.world.has_person
        return not self.is_inside_agent and _is_terminal(self.world.stdin) and _is_terminal(self.world.stderr)

    def need_person(self) -> None:
        """Return only if a person sits at the terminal.

        Raises:
            UltanError: an agent, a script or a pipe asks.
        """
        if not self.has_person:
            raise UltanError(ONLY_A_PERSON, "run it yourself in a terminal, outside the agent")

    @property
    def project_folder(self) -> str:
        """The folder that identifies the project: the client's own, else where we stand."""
        return self.world.environ.get("CLAUDE_PROJECT_DIR", "") or self.world.folder

    @property
    def watched_folder(self) -> str:
        """The project's folder where there is one: a person may stand anywhere else, above the home too."""
        is_project = self.is_inside_agent or _is_in_repository(self.project_folder)
        return self.project_folder if is_project else ""

    @cached_property
    def project(self) -> str:
        """The slug of the project we stand in; ``""`` outside any."""
        from ultan import projects  # noqa: PLC0415 -- only some commands ask

        if not os.path.isdir(self.root):
            return ""
        if self.watched_folder:
            return projects.identify(self.watched_folder, self.root, self.settings["projects.worktrees"])[1]
        return projects.known(self.root).get(os.path.realpath(self.project_folder), "")

    def enrol_project(self) -> str:
        """The slug of the project we stand in, now noted as its own: a command that writes calls this."""
        from ultan import projects  # noqa: PLC0415 -- only some commands ask

        if not self.watched_folder:
            return self.project
        return projects.enrol(self.watched_folder, self.root, self.session, self.settings["projects.worktrees"]).slug

    @cached_property
    def settings(self) -> "Settings":
        """The settings of this home."""
        from ultan import settings  # noqa: PLC0415 -- tomllib costs 10 ms

        environ = dict(self.world.environ)
        if self.is_inside_agent:  # a project's settings, or the agent, may set variables: they raise no trust, no spend
            for row in settings.TABLE:
                if row.person_only:
                    environ.pop("ULTAN_" + row.key.upper().replace(".", "__"), None)
        return settings.load(self.root, environ)

    def has_chosen(self, key: str) -> bool:
        """Whether the person ever set *key* in ``config.toml``; a file that cannot be read counts as a choice."""
        import tomllib  # noqa: PLC0415 -- see settings

        section, _, name = key.partition(".")
        try:
            with open(os.path.join(self.root, "config.toml"), "rb") as file:
                return name in tomllib.load(file).get(section, {})
        except FileNotFoundError:
            return False
        except (OSError, tomllib.TOMLDecodeError):
            return True

    @cached_property
    def store(self) -> "FileStore":
        """The library's bytes; a crashed commit is finished on opening.

        Raises:
            LibraryError: there is no library yet.
        """
        from ultan.library.store import FileStore  # noqa: PLC0415 -- yaml and pydantic cost 150 ms

        if not os.path.isdir(os.path.join(self.root, "knowledge")):
            raise LibraryError(f"there is no library at {self.root}", "`ultan save TEXT` starts one")
        return FileStore(self.root)

    def make_home(self) -> None:
        """Make the home where it is missing; a command that writes calls this first."""
        homes.make(self.root, self.world.environ)

    @property
    def desk(self) -> "Desk":
        """Where changes by hand are made, now."""
        from ultan.verbs.desk import Desk  # noqa: PLC0415 -- see store

        return Desk(self.root, self.store, self.settings, self.now)

    def bake(self) -> None:
        """Write the settings hooks need into a new index generation, if there is a library."""
        if os.path.isdir(os.path.join(self.root, "knowledge")):
            self.__dict__.pop("settings", None)
            self.desk.compile()

    @property
    def library(self) -> "Library":
        """The library as it is now."""
        from ultan.library.snapshot import read_library  # noqa: PLC0415 -- see store

        return read_library(self.store)

    @cached_property
    def index(self) -> "Index":
        """The compiled index.

        Raises:
            IndexUnreadable: missing, torn, or of another version.
        """
        from ultan.recall.index import open_index  # noqa: PLC0415 -- only some commands ask

        return open_index(self.root)


def _is_in_repository(folder: str) -> bool:
    """Whether *folder* lies in a repository."""
    here = os.path.realpath(folder)
    while not os.path.exists(os.path.join(here, ".git")):
        if os.path.dirname(here) == here:
            return False
        here = os.path.dirname(here)
    return True


def _is_terminal(stream: TextIO) -> bool:
    try:
        return stream.isatty()
    except (AttributeError, ValueError):
        return False
