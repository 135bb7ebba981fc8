"""Answers owed within milliseconds: one process per hook event, which never breaks the agent.

``run`` is one of the two doors of Ultan. Whatever happens it returns 0, prints one JSON
object or nothing, and leaves a line for ``doctor``: silence toward the agent must not be
silence toward the person.
"""

import os
import sys
import time

from ultan import clients, home, plainjson

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from types import ModuleType
    from typing import Any, NoReturn

    from ultan.recall.index import Index
    from ultan.reflex.session import Hook

VERBS = ("capture", "prime", "notice", "brief")
STDIN_BYTES = 4 << 20
STDIN_S = 2.0  # the client has written the payload before the hook starts; more waiting helps nobody
PROCESSOR_S = {"capture": 2.0, "prime": 2.0, "notice": 1.0, "brief": 2.0}
WALL_S = 9.0  # below the client's own 10; with 5, two hundred captures at once on two cores were not all done
NO_HOME_NEEDED = frozenset(("HOME", "USERPROFILE", "LOCALAPPDATA", "XDG_DATA_HOME", "XDG_STATE_HOME"))


def run(
    verb: str,
    argv: "list[str]",
    stdin_fd: int = 0,
    out_fd: int = 1,
    environ: "Mapping[str, str] | None" = None,
    now: "float | None" = None,
    new_id: str = "",
    start: "Callable[[str, float, Mapping[str, str]], bool] | None" = None,
) -> int:
    """Answer one hook call; 0 whatever happens. *start* starts a curator, where it is not to be a real one."""
    environ = os.environ if environ is None else environ
    if environ.get("ULTAN_INSIDE"):
        return 0  # a model of ours is at work: it must not be captured, primed or woken
    root = ""
    try:
        words = _words(argv)
        root = home.locate(environ, words.get("--home", ""))
        raw, fault = _read(stdin_fd)
        if fault:
            _count_if_there(root, fault)
            return 0
        reply = _answer(verb, words, root, raw, environ, time.time() if now is None else now, new_id, start)
        if reply:
            _print(out_fd, plainjson.dumps(reply))
    except BaseException as error:  # noqa: BLE001 -- a hook fails open; this is the fast side's only door
        _note(root, verb, error)
    return 0


def answer(verb: str, argv: "list[str]") -> "NoReturn":
    """Be the whole process of one hook: bounded in time, and gone without the interpreter's own goodbye."""
    set_hard_stop(verb)
    os._exit(run(verb, argv))  # nothing is buffered, and the goodbye costs 1 ms


# --- one call ---------------------------------------------------------------------------------------


def _answer(
    verb: str, words: "dict[str, str]", root: str, raw: bytes, environ: "Mapping[str, str]", now: float, new_id: str,
    start: "Callable[[str, float, Mapping[str, str]], bool] | None",
) -> "dict[str, Any] | None":  # fmt: skip
    try:
        payload = plainjson.loads(raw.decode("utf-8", "replace"))
    except plainjson.NotJson:
        payload = None
    if not isinstance(payload, dict):
        _count_if_there(root, "bad")
        return None
    client = _client(words.get("--client", clients.DEFAULT))
    call = client.read_call(payload, environ)
    if call is None or client.is_inside(call, environ, root) or client.is_inside(call, environ, os.path.realpath(root)):
        return None
    root = _allowed(root, call.project_root, environ, now, is_chosen="--home" in words)
    if not root or (not os.path.isdir(root) and _is_withdrawn(root, environ)):
        return None
    if os.path.exists(os.path.join(root, "paused")):
        from ultan.reflex.session import State  # noqa: PLC0415 -- while paused, nothing more

        State(root, call.session).skip_to_end(call.transcript, deaf=True)
        return None
    if not os.path.isdir(os.path.join(root, "queue", "new")):
        from ultan.homes import make  # noqa: PLC0415 -- once

        make(root, environ)
    note = home.begin(root, verb)  # before what costs time: on a machine that is too busy the end may come anywhere
    try:
        from ultan.reflex.session import Hook  # noqa: PLC0415 -- not for a child of ours, not while paused

        hook = Hook(root, client, call, raw, now, environ, _index(root), new_id, start)
        if is_excluded(call.project_root, hook.settings["capture.excluded"]):
            hook.state.skip_to_end(call.transcript, deaf=True)
            return None
        if hook.state.deaf:  # what was said meanwhile was not for us
            hook.state.skip_to_end(call.transcript, deaf=False)
        return _verb(verb)(hook)
    finally:
        home.end(note)


def _verb(name: str) -> "Callable[[Hook], dict[str, Any] | None]":
    """The function of a verb; each hook loads its own and no other."""
    match name:
        case "capture":
            from ultan.reflex.capture import capture  # noqa: PLC0415

            return capture
        case "prime":
            from ultan.reflex.prime import prime  # noqa: PLC0415

            return prime
        case "notice":
            from ultan.reflex.notice import notice  # noqa: PLC0415

            return notice
        case _:
            from ultan.reflex.brief import brief  # noqa: PLC0415

            return brief


def _client(name: str) -> "ModuleType":
    if name == clients.DEFAULT:
        from ultan.clients import claude_code  # noqa: PLC0415 -- the client that is calling, no other

        return claude_code
    __import__(clients.CLIENTS[name])
    return sys.modules[clients.CLIENTS[name]]


def _allowed(root: str, project: str, environ: "Mapping[str, str]", now: float, *, is_chosen: bool) -> str:
    """*root*, or the person's own home where a project tries to put one inside itself, or ``""``."""
    why = home.refusal(root, project)
    if not why:
        return root
    own = home.locate({name: value for name, value in environ.items() if name in NO_HOME_NEEDED})
    if is_chosen or own == root or home.refusal(own, project):
        _count_if_there(own, "refused_home")
        from ultan.homes import note_refusal  # noqa: PLC0415 -- turned away, it does nothing else

        note_refusal(environ, now, why)
        return ""
    if os.path.isdir(own):
        home.count(own, "refused_home")
        home.trouble(own, _line("refused", why))
    return own


def _is_withdrawn(root: str, environ: "Mapping[str, str]") -> bool:
    from ultan.homes import is_withdrawn  # noqa: PLC0415 -- only where there is no home

    return is_withdrawn(root, environ)


def _index(root: str) -> "Index | None":
    from ultan.errors import IndexUnreadable  # noqa: PLC0415 -- needed from here on
    from ultan.recall.index import open_index  # noqa: PLC0415

    try:
        return open_index(root)
    except IndexUnreadable:
        if os.path.exists(os.path.join(root, "index", "library.idx")):
            home.count(root, "index_unreadable")
        return None


def is_excluded(project: str, globs: "tuple[str, ...] | list[str]") -> bool:
    """Whether *project* lies in a folder in which Ultan is deaf and mute."""
    if not globs or not project:
        return False
    from ultan.recall.triggers import glob_matches  # noqa: PLC0415 -- few people exclude anything

    wanted = [os.path.expanduser(glob).rstrip("/") for glob in globs]
    for place in {project, os.path.realpath(project)}:
        names = place.split("/")
        above = ["/".join(names[:count]) for count in range(2, len(names) + 1)]
        if any(glob_matches(glob, folder) for glob in wanted for folder in above):
            return True
    return False


# --- the door -----------------------------------------------------------------------------------------


def _words(argv: "list[str]") -> "dict[str, str]":
    """Options by hand: a usage error would exit 2, and 2 stops the agent. What is unknown is ignored."""
    found: dict[str, str] = {}
    waiting = ""
    for word in argv:
        if waiting:
            found[waiting], waiting = word, ""
        elif word in ("--client", "--home"):
            waiting = word
        elif word.startswith(("--client=", "--home=")):
            name, _, value = word.partition("=")
            found[name] = value
    return found


def _read(fd: int) -> "tuple[bytes, str]":
    """All of stdin, or the name of the counter that says why not."""
    import select  # noqa: PLC0415 -- a guard of an own model's child ends before it

    parts: list[bytes] = []
    got = 0
    end = time.monotonic() + STDIN_S
    while True:
        try:
            ready, _, _ = select.select([fd], [], [], max(0.0, end - time.monotonic()))
        except (OSError, ValueError):  # Windows selects sockets only: read plainly there
            ready = [fd]
        if not ready:
            return b"", "late"
        part = os.read(fd, 1 << 18)
        if not part:
            return b"".join(parts), ""
        got += len(part)
        if got > STDIN_BYTES:
            return b"", "oversized"
        parts.append(part)


def _print(fd: int, text: str) -> None:
    view = memoryview(text.encode("utf-8", "replace"))
    while view:
        view = view[os.write(fd, view) :]


def set_hard_stop(verb: str) -> None:
    """Let the kernel end us: by processor time, so that a busy machine is no fault, and by the wall at last.

    The signals keep their default action, which ends even a wedged C call; the shell around us
    makes it 0.
    """
    try:
        import _signal as signals  # type: ignore[import-not-found]  # noqa: PLC0415 -- `signal` costs its enums, 2 ms
    except ImportError:
        import signal as signals  # noqa: PLC0415
    if hasattr(signals, "setitimer"):
        signals.setitimer(signals.ITIMER_PROF, PROCESSOR_S.get(verb, 2.0))
        signals.setitimer(signals.ITIMER_REAL, WALL_S)


def _count_if_there(root: str, name: str) -> None:
    if root and os.path.isdir(root):
        home.count(root, name)


def _note(root: str, verb: str, error: BaseException) -> None:
    """A line for ``doctor``: what failed and where, no text of the session."""
    if not root or not os.path.isdir(root):
        return
    if isinstance(error, OSError):
        home.count(root, "disk" if error.errno in (28, 30, 122) else "failed")
    else:
        home.count(root, "failed")
    trace = error.__traceback__
    place = ""
    while trace is not None:
        code = trace.tb_frame.f_code
        place = f"{os.path.basename(code.co_filename)}:{trace.tb_lineno} {code.co_name}"
        trace = trace.tb_next
    what = type(error).__name__
    if isinstance(error, OSError):
        what += f" {error.strerror}"
    home.trouble(root, _line("failed", f"{verb}: {what} at {place}"))


def _line(kind: str, what: str) -> str:
    return plainjson.dumps({"at": round(time.time(), 3), "kind": kind, "what": what})
