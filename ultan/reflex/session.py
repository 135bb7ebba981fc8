"""What a session has been shown, and where its transcript was read up to.

``<home>/sessions/<session>/`` holds small files that several hooks may touch at once, so
each is either replaced whole or only appended to:

    state     JSON: project, transcript and its offset, turn, last words of the assistant
    seen      agent TAB entry id, one line each
    queued    ids and marks of prompts and tool results that hooks queued since the last reading
    files     files touched, oldest first
    notices   seconds since the epoch TAB denied or advised TAB whom and what
    claims/   one empty file per delivery, so that a hook fired twice acts once
"""

import os

from ultan import home, plainjson
from ultan.veil import safe, safe_names

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from types import ModuleType
    from typing import Any

    from ultan import events
    from ultan.clients import Call
    from ultan.recall.index import Index

CLAIM_S = 2.0  # the same payload within this time is the same happening delivered twice
LINES_BYTES = 64 * 1024  # of an append-only file, what is read back: the newest
FILES_SHOWN = 20
NAMES = ("tool", "transcript", "touched")  # of what an event knows, what others called so

# What a hook does where no index says otherwise: defaults of settings.TABLE (a test compares).
DEFAULTS: "dict[str, Any]" = {
    "capture.enabled": True, "capture.excluded": (), "capture.tool_results": True, "priming.enabled": True,
    "priming.budget_chars": 1500, "brief.enabled": True, "brief.budget_chars": 1200, "notice.enabled": True,
    "notice.blocks": True, "notice.answer_questions": True, "curation.wake": True, "projects.worktrees": "shared",
}  # fmt: skip


def folder_of(root: str, session: str) -> str:
    """The folder of *session* below the home; an id that is no plain name gets one made from it."""
    plain = session.replace("-", "").replace("_", "").replace(".", "")
    if not (plain.isascii() and plain.isalnum() and len(session) <= 100 and session[0] != "."):
        import zlib  # noqa: PLC0415 -- no client has sent such an id yet

        raw = session.encode("utf-8", "replace")
        session = f"id-{zlib.crc32(raw):08x}{zlib.adler32(raw):08x}"
    return os.path.join(root, "sessions", session)


class Seen:
    """Which entries each agent of a session has been shown."""

    __slots__ = ("_folder", "_path")

    def __init__(self, root: str, session: str) -> None:
        self._folder = folder_of(root, session)
        self._path = os.path.join(self._folder, "seen")

    def already(self, agent: str = "") -> "set[str]":
        """The ids shown to *agent* (``""`` is the main one)."""
        head = agent + "\t"
        return {line[len(head) :] for line in _lines(self._path, -1) if line.startswith(head)}

    def add(self, agent: str, ids: "Iterable[str]") -> None:
        """Note that *ids* are being shown to *agent*."""
        _append(self._path, [f"{agent}\t{name}" for name in ids])

    def reset(self) -> None:
        """Forget all of it: the conversation no longer holds what was shown."""
        home.remove(self._path)


class State:
    """The small facts of a session, one JSON file, replaced whole.

    Attributes:
        project: slug that events carry; ``recall`` slug whose entries may be shown (``""`` in the first
            session of a folder that claims another's remote); ``root`` the project's folder.
        transcript, offset, turn: the client's file, how far it was read, number of the last prompt seen there;
            ``asked`` number of the last prompt a hook was told.
        tail: the assistant's last words.
        deaf: whether the last hook of the session was not to listen (paused, excluded).
    """

    __slots__ = ("_path", "asked", "deaf", "offset", "project", "recall", "root", "tail", "transcript", "turn")

    def __init__(self, root: str, session: str) -> None:
        self._path = os.path.join(folder_of(root, session), "state")
        found: Any = None
        try:
            found = plainjson.loads(home.read(self._path, 1 << 20).decode("utf-8", "replace"))
        except (OSError, plainjson.NotJson):
            found = None
        got: dict[str, Any] = found if isinstance(found, dict) else {}
        self.project, self.recall = _text(got, "project"), _text(got, "recall")
        self.root, self.transcript, self.tail = _text(got, "root"), _text(got, "transcript"), _text(got, "tail")
        self.offset, self.turn = _number(got, "offset", 0), _number(got, "turn", -1)
        self.asked, self.deaf = _number(got, "asked", -1), got.get("deaf") is True

    def save(self) -> None:
        """Write it; a reader sees the old state or the new."""
        value = {
            "project": self.project, "recall": self.recall, "root": self.root, "transcript": safe(self.transcript),
            "offset": self.offset, "turn": self.turn, "asked": self.asked, "tail": self.tail,
            "deaf": self.deaf,
        }  # fmt: skip
        home.make_folder(os.path.dirname(self._path))
        home.write(self._path, plainjson.dumps(value).encode("utf-8", "replace"), durable=False)


    def skip_to_end(self, transcript: str, *, deaf: bool) -> None:
        """Pass over what the transcript holds by now, unread; *deaf* says whether to go on so.

        Raises:
            OSError: the disk said no.
        """
        self.transcript, self.deaf = transcript or self.transcript, deaf
        if self.transcript and os.path.exists(self.transcript):
            self.offset = os.stat(self.transcript).st_size
        self.save()


def _text(found: "Mapping[str, Any]", key: str) -> str:
    value = found.get(key)
    return value if isinstance(value, str) else ""


def _number(found: "Mapping[str, Any]", key: str, default: int) -> int:
    value = found.get(key)
    return value if isinstance(value, int) and not isinstance(value, bool) else default


class Hook:
    """One hook call with all it needs: passed inward, so that no verb looks around for itself.

    Attributes:
        root: the home; ``client`` the module of the calling agent; ``call`` what it said.
        raw: the payload as it came, by which a second delivery is known.
        now: seconds since the epoch; ``environ`` the environment.
        index: the compiled index, or None; ``settings`` what it says hooks may do.
        state, seen: of the session; ``start`` what starts a process in the background, where not ``wake`` does.
    """

    __slots__ = ("_made", "call", "client", "environ", "index", "new_id", "now", "raw", "root", "seen", "settings", "start", "state")

    def __init__(
        self, root: str, client: "ModuleType", call: "Call", raw: bytes, now: float, environ: "Mapping[str, str]",
        index: "Index | None", new_id: str = "", start: "Callable[[str, float, Mapping[str, str]], bool] | None" = None,
    ) -> None:  # fmt: skip
        self.root, self.client, self.call, self.raw, self.now, self.environ = root, client, call, raw, now, environ
        self.index = index
        self.new_id, self.start, self._made = new_id, start, 0
        self.settings: dict[str, Any] = {**DEFAULTS, **(index.settings if index is not None else _chosen(root))}
        self.state, self.seen = State(root, call.session), Seen(root, call.session)

    @property
    def folder(self) -> str:
        """The session's folder."""
        return folder_of(self.root, self.call.session)

    def is_first_delivery(self) -> bool:
        """Claim this payload; False if another process has it, because two installs fire the same hook."""
        import zlib  # noqa: PLC0415 -- the index has loaded it already, where there is one

        name = f"{zlib.crc32(self.raw):08x}{zlib.adler32(self.raw):08x}{len(self.raw):x}"
        slot = int(self.now / CLAIM_S)
        claims = os.path.join(self.folder, "claims")
        home.make_folder(claims)
        if not home.claim(os.path.join(claims, f"{name}.{slot}")) or os.path.exists(
            os.path.join(claims, f"{name}.{slot - 1}")
        ):
            home.count(self.root, "duplicate")
            return False
        return True

    def sweep_claims(self) -> None:
        """Drop the claims of deliveries long past."""
        claims = os.path.join(self.folder, "claims")
        oldest = int(self.now / CLAIM_S) - 5
        for name in os.listdir(claims) if os.path.isdir(claims) else ():
            slot = name.rpartition(".")[2]
            if slot.isdigit() and int(slot) < oldest:
                home.remove(os.path.join(claims, name))

    def event(self, kind: str, pieces: "Iterable[events.Piece]" = (), **known: "Any") -> None:
        """Queue an event of this session.

        Raises:
            OSError: the disk said no.
        """
        from ultan import events, spool  # noqa: PLC0415 -- a notice that says nothing queues nothing

        call = self.call
        made = events.Event(
            self.new_id or spool.new_id(self.now + self._made / 1000), self.now, kind, client=self.client.NAME, session=call.session,
            agent=call.agent, project=self.state.project, root=self.state.root, pieces=pieces, data=safe_names(known, NAMES),
        )  # fmt: skip
        self.new_id = ""
        self._made += 1  # a millisecond apart, so that what one hook queues keeps its order
        spool.put(self.root, made)

    def wake(self) -> None:
        """Start a curator, if hooks may and none was started a moment ago.

        Raises:
            OSError: no process could be started.
        """
        if not self.settings["curation.wake"]:
            return
        if self.start is None:
            from ultan.reflex.wake import wake  # noqa: PLC0415 -- only where a turn ends

            self.start = wake
        self.start(self.root, self.now, self.environ)

    def wake_server(self) -> None:
        """Start the warm server for the prompts to come, if hooks may and that was not tried a moment ago.

        Raises:
            OSError: no process could be started.
        """
        if not self.settings.get("serve.on_demand"):
            return
        from ultan.reflex.wake import serve  # noqa: PLC0415 -- only where a person wants it

        (self.start or serve)(self.root, self.now, self.environ)

    def note_queued(self, marks: "Iterable[str]") -> None:
        """Remember that pieces with these ids or marks are queued, so that the transcript does not repeat them."""
        _append(os.path.join(self.folder, "queued"), list(marks))

    def note_file(self, path: str) -> None:
        """Remember that the agent touched *path*."""
        _append(os.path.join(self.folder, "files"), [path])

    def files(self) -> "tuple[str, ...]":
        """The files the agent touched last, newest first, each once."""
        return tuple(dict.fromkeys(reversed(_lines(os.path.join(self.folder, "files")))))[:FILES_SHOWN]

    def lines(self, name: str) -> "list[str]":
        """The newest lines of one of the session's append-only files."""
        return _lines(os.path.join(self.folder, name))

    def add_line(self, name: str, line: str) -> None:
        """Append *line* to one of the session's append-only files."""
        _append(os.path.join(self.folder, name), [line])

    def enrol(self) -> str:
        """Settle which project this session belongs to; the line to tell about it, mostly ``""``."""
        if self.state.root:
            return ""
        from ultan import projects  # noqa: PLC0415 -- once a session

        place = self.call.project_root
        standing = projects.enrol(place, self.root, self.call.session, self.settings["projects.worktrees"])
        self.state.project, self.state.recall, self.state.root = standing.slug, standing.recall, standing.root
        self.state.transcript = self.state.transcript or self.call.transcript  # tells who wrote a file, from the first turn on
        self.state.save()
        return standing.news


def _chosen(root: str) -> "dict[str, Any]":
    """What the person chose, where no index says it yet."""
    path = os.path.join(root, "config.toml")
    if not os.path.exists(path):
        return {}
    from ultan.reflex.chosen import chosen  # noqa: PLC0415 -- before the first compile, and while an index is torn

    return chosen(path, DEFAULTS)


def queued_marks(root: str, session: str) -> "set[str]":
    """Ids and marks of what hooks queued for *session* since its transcript was last read."""
    return set(_lines(os.path.join(folder_of(root, session), "queued"), -1))


def stamp(now: float) -> str:
    """RFC 3339 in UTC of seconds since the epoch."""
    import time  # noqa: PLC0415 -- built in

    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(max(0.0, now)))


def _append(path: str, lines: "list[str]") -> None:
    if not lines:
        return
    home.make_folder(os.path.dirname(path))
    text = "".join(line.replace("\n", " ") + "\n" for line in lines)
    home.append(path, text.encode("utf-8", "replace"))


def _lines(path: str, newest_bytes: int = LINES_BYTES) -> "list[str]":
    """The whole lines of an append-only file, or of its newest part."""
    try:
        raw = home.read(path)
    except OSError:
        return []
    if 0 <= newest_bytes < len(raw):
        raw = raw[-newest_bytes:].partition(b"\n")[2]
    return raw.decode("utf-8", "replace").split("\n")[:-1]
