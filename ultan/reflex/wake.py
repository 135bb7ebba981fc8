"""Start the curator or the warm server in the background, seldom, and with nothing of the session's in its hands."""

import os
import sys

from ultan import home

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

PAUSE_S = 30.0
SERVE_PAUSE_S = 60.0  # a server that cannot start costs a process a minute, not one a prompt
# The environment of a detached curator, rebuilt from a list: a project can set variables for its
# hooks, a key that is in the session's environment must not be spent (ANTHROPIC_API_KEY), and the
# person's login must not be sent where a project says (ANTHROPIC_BASE_URL; curation.base_url is the person's).
KEPT = frozenset(
    ("HOME", "USER", "LOGNAME", "SHELL", "PATH", "LANG", "LANGUAGE", "TZ", "TMPDIR", "TEMP", "TMP", "SYSTEMROOT",
     "USERPROFILE", "LOCALAPPDATA", "APPDATA", "CLAUDE_CONFIG_DIR", "CLAUDE_CODE_OAUTH_TOKEN",
     "SSL_CERT_FILE", "SSL_CERT_DIR", "REQUESTS_CA_BUNDLE", "NODE_EXTRA_CA_CERTS", "ULTAN_FAILPOINT")
)  # fmt: skip
KEPT_STARTS = ("LC_", "XDG_")
KEPT_ENDS = ("_PROXY", "_proxy")
# `sh` is the first fork; the subshell in the background is the second, which outlives the client's
# killing of a hook's process tree.
DETACH = 'cd "$1" || exit 0; shift; ("$@" </dev/null >/dev/null 2>&1 &)'


def wake(root: str, now: float, environ: "Mapping[str, str]") -> bool:
    """Start ``curate`` detached, unless one was started within half a minute; whether it was started.

    Raises:
        OSError: no process could be started.
    """
    return _started(root, now, environ, "curate", home.STARTED[0], PAUSE_S)


def serve(root: str, now: float, environ: "Mapping[str, str]") -> bool:
    """Start the warm server detached, unless that was tried within a minute; whether it was started.

    Raises:
        OSError: no process could be started.
    """
    return _started(root, now, environ, "serve", home.STARTED[1], SERVE_PAUSE_S)


def _started(root: str, now: float, environ: "Mapping[str, str]", verb: str, note: str, pause_s: float) -> bool:
    if environ.get("ULTAN_INSIDE") or not hasattr(os, "posix_spawn"):
        return False
    marker = os.path.join(root, "runs", note)
    if abs(now - _last(marker)) < pause_s:
        return False
    home.make_folder(os.path.dirname(marker))
    home.write(marker, f"{now:.3f}\n".encode(), durable=False)
    words = ["sh", "-c", DETACH, "sh", root, *command(root, verb)]
    child = os.posix_spawn("/bin/sh", words, cleaned(environ), file_actions=_closed())
    os.waitpid(child, 0)  # milliseconds: the shell ends as soon as it has put the other behind it
    return True


def _last(marker: str) -> float:
    """When it was last started; by the same clock that is asked, not by the disk's."""
    try:
        return float(home.read(marker, 100))
    except (OSError, ValueError):
        return -2 * SERVE_PAUSE_S


def command(root: str, verb: str = "curate") -> "list[str]":
    """The words that start *verb* for the home *root*, with this interpreter and these module folders."""
    boot = "import sys;sys.path+=sys.argv.pop(1).split('\\n');from ultan.__main__ import main;main()"
    own = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    folders = [own, *(place for place in sys.path if place.endswith(("site-packages", "dist-packages")))]
    return [sys.executable, "-I", "-c", boot, "\n".join(dict.fromkeys([os.path.dirname(own), *folders[1:]])), verb, "--home", root]


def cleaned(environ: "Mapping[str, str]") -> "dict[str, str]":
    """What of *environ* a detached curator may see."""
    return {
        name: value
        for name, value in environ.items()
        if name in KEPT or name.startswith(KEPT_STARTS) or name.endswith(KEPT_ENDS)
    }


def _closed() -> "list[tuple[int, int, str, int, int]]":
    """Standard streams on the null device: a child that held the hook's pipes would hold up the session."""
    return [
        (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),
        (os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0),
        (os.POSIX_SPAWN_OPEN, 2, os.devnull, os.O_WRONLY, 0),
    ]
