"""The warm server: one Unix socket, one question at a time, models in memory.

A frame is four bytes of length, big end first, and one JSON object of at most 1 MB
(``recall/wire.py`` is the other end). Whoever connects must have our user id. A question
names its home and version; of another home or version it is refused. One process serves a
home: the lock is the kernel's, so a dead server's socket is simply taken over.
"""

import contextlib
import fcntl
import os
import resource
import selectors
import socket
import struct
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ultan import home, plainjson
from ultan.encoders import Encoder, Reranker
from ultan.errors import LibraryBusy, StorageFailed, UltanError
from ultan.recall import wire
from ultan.serving.shelf import Shelf, primed

PATH_BYTES = 104  # the smallest limit of a socket's name among the systems we know
ONE_ANSWER_S = 1.0
WAITS_S, MOST_WAITING = 600.0, 64  # how long an answer that came too late is kept, and for how many sessions
WARM_UP = "what do we use to install a package before a release"


@dataclass(frozen=True, slots=True)
class Ended:
    """Why a server ended, and what it did; ``late`` answers found nobody waiting any more."""

    why: str
    answered: int
    refused: int
    late: int


@dataclass(frozen=True, slots=True)
class Waiting:
    """An answer that came too late: when, for which project and agent, and the ids in it."""

    at: float
    place: tuple[object, object]
    ids: tuple[str, ...]


class Server:
    """A warm server of one home; ``run`` answers until it is idle too long or told to stop."""

    def __init__(
        self, root: str, encoder: Encoder, *, idle_s: float, clock: Callable[[], float] = time.monotonic,
        ready: Callable[[], None] = lambda: None, reranker: Reranker | None = None, share: float = 0.5,
    ) -> None:  # fmt: skip
        """Prepare to serve *root*; *ready* is called once questions are answered."""
        self.root, self.idle_s, self.clock, self.ready = root, idle_s, clock, ready
        self.shelf = Shelf(root, encoder, os.path.join(root, "index", "vectors"), generation, reranker, share)
        self.answered = self.refused = self.late = 0
        self._waiting: dict[str, Waiting] = {}
        self.started = self.asked = clock()
        self._stop, self._wake = os.pipe()

    def stop(self) -> None:
        """End after the answer at hand; may be called from a signal."""
        os.write(self._wake, b"x")

    def run(self) -> Ended:
        """Serve, and say why it ended.

        Raises:
            LibraryBusy: another server has this home.
            StorageFailed: the socket's path is too long or cannot be made.
        """
        path = wire.path_of(self.root)
        if len(os.fsencode(path)) > PATH_BYTES:
            raise StorageFailed(f"the path of the socket is longer than {PATH_BYTES} bytes: {path}", "choose a shorter home")
        with self._alone():
            primed(self.shelf, {"text": WARM_UP, "project": ""})  # one whole answer before anybody waits for one
            listener = self._listening(path)
            try:
                self.ready()
                why = self._answering(listener)
            finally:
                listener.close()
                home.remove(path)
        return Ended(why, self.answered, self.refused, self.late)

    @contextlib.contextmanager
    def _alone(self) -> Any:
        fd = home.lock_file(os.path.join(self.root, "serve.lock"))
        try:
            try:
                fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                raise LibraryBusy("a server of this home is running already", "`ultan doctor` shows it; it ends by itself when nobody asks, or with Ctrl-C where it runs") from None
            yield
        finally:
            os.close(fd)

    def _listening(self, path: str) -> socket.socket:
        home.remove(path)  # we hold the lock: whoever made it is gone
        listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        before = os.umask(0o177)
        try:
            listener.bind(path)
        except OSError as error:
            listener.close()
            raise StorageFailed(f"the socket {path} cannot be made: {error.strerror}") from None
        finally:
            os.umask(before)
        listener.listen(64)
        listener.setblocking(False)
        return listener

    def _answering(self, listener: socket.socket) -> str:
        with selectors.DefaultSelector() as waiting:
            waiting.register(listener, selectors.EVENT_READ)
            waiting.register(self._stop, selectors.EVENT_READ)
            while True:
                events = waiting.select(self.idle_s)
                if not events:
                    return "idle"
                if any(key.fileobj == self._stop for key, _ in events):
                    return "told to stop"
                with contextlib.suppress(BlockingIOError):
                    line, _ = listener.accept()
                    with line:
                        self._one(line)

    def _one(self, line: socket.socket) -> None:
        """Answer one connection within its deadline, or drop it."""
        end = time.monotonic() + ONE_ANSWER_S
        try:
            if not is_ours(line):
                self.refused += 1
                return
            size = int.from_bytes(wire.exactly(line, 4, end), "big")
            if not 0 < size <= wire.FRAME_BYTES:
                self.refused += 1
                return
            question = plainjson.loads(wire.exactly(line, size, end).decode("utf-8", "replace"))
            reply = self.reply(question)
            frame = plainjson.dumps({"version": wire.VERSION, "home": self.root, **reply}).encode("utf-8", "replace")
        except (OSError, ValueError, UltanError):  # an index that turns out torn is no answer: the hook has its own
            self.refused += 1
            return
        try:
            line.settimeout(max(0.01, end - time.monotonic()))
            line.sendall(len(frame).to_bytes(4, "big") + frame)
            self.answered += 1
        except OSError:
            self._came_too_late(question, reply)

    def _came_too_late(self, question: Mapping[str, Any], reply: Mapping[str, Any]) -> None:
        """Keep what the hook did not wait for; the session's next prompt may use it."""
        self.late += 1
        session = question.get("session")
        if question.get("verb") != "prime" or not isinstance(session, str) or not session or not reply["ids"]:
            return
        self._waiting.pop(session, None)
        self._waiting[session] = Waiting(self.clock(), self._place(question), tuple(reply["ids"]))
        while len(self._waiting) > MOST_WAITING:
            del self._waiting[next(iter(self._waiting))]

    def _due(self, question: Mapping[str, Any]) -> Sequence[str]:
        """What waits for this session, once, where it still stands in the same project with the same agent."""
        waiting = self._waiting.pop(str(question.get("session")), None)
        if waiting is None or waiting.place != self._place(question) or self.clock() - waiting.at > WAITS_S:
            return ()
        return waiting.ids

    @staticmethod
    def _place(question: Mapping[str, Any]) -> tuple[object, object]:
        return question.get("project"), question.get("agent")

    def reply(self, question: Any) -> Mapping[str, Any]:
        """The answer to one question of this home and version.

        Raises:
            ValueError: of another home or version, or no question of ours.
        """
        if not isinstance(question, dict) or question.get("home") != self.root or question.get("version") != wire.VERSION:
            raise ValueError("a question of another home or version")
        match question.get("verb"):
            case "prime":
                self.asked = self.clock()
                return primed(self.shelf, question, self._due(question))
            case "status":
                self.shelf.index()
                return {
                    "state": self.shelf.state, "trouble": self.shelf.trouble, "answered": self.answered,
                    "up_s": round(self.clock() - self.started, 1), "pid": os.getpid(), "text": "", "ids": [],
                    "generations": self.shelf.generations, "encoder": self.shelf.encoder.name,
                    "idle_s": round(self.clock() - self.asked, 1), "memory_mb": memory_mb(), "refused": self.refused,
                    "late": self.late,
                }  # fmt: skip
            case verb:
                raise ValueError(f"no verb of ours: {verb!r}")


def generation(path: str) -> object:
    """What changes when a new index is published in place of the old; None where there is none."""
    try:
        state = os.stat(path)
    except OSError:
        return None
    return state.st_ino, state.st_mtime_ns, state.st_size


def memory_mb() -> int:
    """Megabytes this process holds now, or at most held where the system does not say."""
    try:
        pages = int(home.read("/proc/self/statm", 200).split()[1])
    except (OSError, ValueError, IndexError):
        most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        return most >> 20 if sys.platform == "darwin" else most >> 10
    return pages * os.sysconf("SC_PAGE_SIZE") >> 20


def is_ours(line: socket.socket) -> bool:
    """Whether the process at the other end has our user id."""
    if hasattr(socket, "SO_PEERCRED"):
        raw = line.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("3i"))
        return bool(struct.unpack("3i", raw)[1] == os.getuid())
    local_peercred, xucred = 1, "=IIh"  # macOS and BSD: struct xucred begins with version, uid, group count
    raw = line.getsockopt(0, local_peercred, 128)
    return bool(struct.unpack_from(xucred, raw)[1] == os.getuid())
