"""Every event of hooks.json by every failure, on the plugin's own line: exit 0, in time, one JSON object or nothing.

Each cell is the shell line that the client runs, with its shim and an interpreter of the shim's
choice; as root it runs as nobody, for root may write everywhere. The clock starts with the line
and stops when both pipes are at their end, which is what the client waits for.
"""

import compileall
import contextlib
import fcntl
import json
import os
import selectors
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest
import re2

from ultan import home, homes, settings
from ultan.library.entry import Entry, Trigger
from ultan.recall.compile import build_from_entries

pytestmark = [pytest.mark.slow, pytest.mark.skipif(os.name != "posix", reason="the shim is for sh")]

ROOT = Path(__file__).parents[2]
HOOKS = {event: groups[0]["hooks"][0] for event, groups in json.loads((ROOT / "hooks" / "hooks.json").read_text())["hooks"].items()}
CALLS = {}
for _line in (ROOT / "tests" / "payloads" / "claude-code" / "hooks.jsonl").read_text().splitlines():
    CALLS.setdefault(json.loads(_line)["hook_event_name"], _line)
NOBODY = 65534
IS_ROOT = hasattr(os, "geteuid") and os.geteuid() == 0
SPEAKING = {"SessionStart", "SubagentStart", "UserPromptSubmit", "PreToolUse"}
CLOCK = """
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <time.h>
static int skewed(clockid_t which, struct timespec *at) {
    static int (*real)(clockid_t, struct timespec *);
    if (!real) real = dlsym(RTLD_NEXT, "clock_gettime");
    int done = real(which, at);
    if (which == CLOCK_REALTIME && getenv("SKEW")) at->tv_sec += atol(getenv("SKEW"));
    return done;
}
int clock_gettime(clockid_t which, struct timespec *at) { return skewed(which, at); }
"""


class World:
    """A person's machine, as far as a hook sees it: a home with an index, a project, the plugin and its runtime."""

    def __init__(self, place):
        self.place = place
        self.root, self.project, self.data = place / "home", place / "shop", place / "data"
        home.ensure(str(self.root))
        entry = Entry(
            "global/uv", "Always use uv, never pip", "convention", "global", "2026-01-01", "2026-01-01", body="Use uv, never pip.\n",
            triggers=(Trigger(tool="Bash", pattern=r"\bpip install\b", severity="block"),),
        )  # fmt: skip
        chosen = settings.Settings({"curation.wake": False, "priming.min_relevance": 0.0})
        self.index = self.root / "index" / "library.idx"
        home.write(str(self.index), bytes(build_from_entries([entry], chosen)._mapped))
        (self.root / "config.toml").write_text("[curation]\nwake = false\n")
        shutil.copytree(ROOT / "hooks", place / "plugin" / "hooks")
        shutil.copytree(ROOT / "ultan", place / "plugin" / "ultan", ignore=shutil.ignore_patterns("__pycache__"))
        compileall.compile_dir(str(place / "plugin" / "ultan"), quiet=2)  # as it is installed: the disk is slow for hooks, not for this
        (self.data / "runtime").mkdir(parents=True)
        (self.data / "runtime" / "failed").touch()  # keeps the shim from provisioning
        self.project.mkdir()
        (place / "t.jsonl").write_text("")
        self.environ = {
            "PATH": os.environ["PATH"], "HOME": str(place), "ULTAN_HOME": str(self.root), "CLAUDE_PROJECT_DIR": str(self.project),
            "CLAUDE_PLUGIN_ROOT": str(place / "plugin"), "CLAUDE_PLUGIN_DATA": str(self.data),
        }  # fmt: skip
        self.before, self.first = [], ""  # words before the shell's, and what the shell is told before the line
        self.feed = "whole"
        self.out_is_closed = False
        self.meanwhile = None

    def lend(self, python):
        purelib = os.path.dirname(os.path.dirname(re2.__file__))
        version = next(line for line in (ROOT / "hooks" / "ultan-hook").read_text().splitlines() if line.startswith("ultan_version="))
        (self.data / "runtime" / "ready").write_text(f"{python}\n{self.place / 'plugin'}:{purelib}\n{version.partition('=')[2]}\n")

    def script(self, text):
        path = self.place / "python"
        path.write_text(text)
        path.chmod(0o755)
        self.lend(path)

    def stdin(self, event):
        line = CALLS[event].replace("$PROJECT", str(self.project)).replace("$TRANSCRIPT", str(self.place / "t.jsonl")).encode()
        match self.feed:
            case "empty":
                return b""
            case "no JSON":
                return b"\x00\xff{ not JSON"
            case "1 MB":
                return json.dumps({**json.loads(line), "prompt": "x " * 500_000, "last_assistant_message": "y " * 500_000}).encode()
            case "3.9 MB":
                return json.dumps({**json.loads(line), "prompt": "some words of a log line 12345\n" * 125_000}).encode()
            case "64 MB":
                return b"[" * (64 << 20)
            case _:
                return line

    def run(self, event):
        """Exit status, stdout, stderr, and seconds until the process and until both pipes ended."""
        words = [*self.before, "/bin/sh", "-c", self.first + HOOKS[event]["command"]]
        if IS_ROOT:
            words = ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups", *words]
        start = time.monotonic()
        with subprocess.Popen(
            words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=self.environ, cwd=self.project,
            start_new_session=True,
        ) as child:  # fmt: skip
            if self.out_is_closed:
                child.stdout.close()
            if self.meanwhile:
                self.meanwhile(child)
            said = exchanged(child, self.stdin(event), closes=self.feed != "never closed", reads_out=not self.out_is_closed)
            at_end = time.monotonic() - start
            with contextlib.suppress(BrokenPipeError):
                child.stdin.close()
            status = child.wait(60)
            return status, *said, time.monotonic() - start, at_end


def exchanged(child, given, *, closes, reads_out):  # noqa: C901 -- one loop over three pipes
    """What comes out of both pipes until their end, while *given* goes in."""
    said = {"out": bytearray(), "err": bytearray()}
    with selectors.DefaultSelector() as waiting:
        if reads_out:
            waiting.register(child.stdout, selectors.EVENT_READ, "out")
        waiting.register(child.stderr, selectors.EVENT_READ, "err")
        os.set_blocking(child.stdin.fileno(), False)
        left = memoryview(given)
        if left:
            waiting.register(child.stdin, selectors.EVENT_WRITE, "in")
        elif closes:
            child.stdin.close()
        while any(key.data != "in" for key in waiting.get_map().values()):
            for key, _ in waiting.select(60):
                if key.data == "in":
                    try:
                        left = left[os.write(key.fd, left[:65536]) :]
                    except BrokenPipeError:
                        left = left[:0]
                    if not left:
                        waiting.unregister(key.fileobj)
                        if closes:
                            with contextlib.suppress(BrokenPipeError):
                                child.stdin.close()
                elif part := os.read(key.fd, 65536):
                    said[key.data] += part
                else:
                    waiting.unregister(key.fileobj)
    return bytes(said["out"]), bytes(said["err"])


# --- what fails: a function of the world; the name of the test, and whether the agent is still told things ------------


def nothing(_world):
    """The control: all is well."""


def stdin_of(kind):
    def fails(world):
        world.feed = kind

    fails.__name__ = f"stdin {kind}"
    return fails


def stdin_closed_early(world):
    world.first = "exec <&-; "


def home_missing(world):
    shutil.rmtree(world.root)


def home_deleted(world):
    homes.note_home(str(world.root), world.environ)
    shutil.rmtree(world.root)


def home_read_only(world):
    mounted(world, "mount --bind {root} {root} && mount -o remount,ro,bind {root}")


def home_forbidden(world):
    needs_root()
    os.chown(world.root, 0, 0)
    world.root.chmod(0o700)


def home_of_another(world):
    needs_root()
    for folder, folders, names in os.walk(world.root):
        for name in (*folders, *names, "."):
            os.chown(os.path.join(folder, name), 1, 1)
            os.chmod(os.path.join(folder, name), 0o777)


def disk_full(world):
    aside = str(world.root) + ".aside"
    os.rename(world.root, aside)
    world.root.mkdir()
    mounted(world, "mount -t tmpfs -o size=256k,mode=700,uid=65534,gid=65534 tmpfs {root}")
    os.system(f"cp -a {aside}/. {world.root}/; dd if=/dev/zero of={world.root}/filler bs=4096 2>/dev/null")


def settings_broken(world):
    (world.root / "config.toml").write_bytes(b"[capture\nexcluded = \xff[[[\n")


def index_torn(world):
    world.index.write_bytes(world.index.read_bytes()[: world.index.stat().st_size // 2])


def index_newer(world):
    raw = bytearray(world.index.read_bytes())
    raw[8:12] = (9999).to_bytes(4, "little")
    world.index.write_bytes(raw)


def index_absent(world):
    world.index.unlink()


def index_a_pipe(world):
    world.index.unlink()
    os.mkfifo(world.index)


def clock(days):
    def fails(world):
        if not shutil.which("cc") or not sys.platform.startswith("linux"):
            pytest.skip("a false clock needs a C compiler and a preloaded library")
        source = world.place / "clock.c"
        source.write_text(CLOCK)
        subprocess.run(["cc", "-shared", "-fPIC", "-o", str(world.place / "clock.so"), str(source), "-ldl"], check=True, capture_output=True)
        world.environ |= {"LD_PRELOAD": str(world.place / "clock.so"), "SKEW": str(days * 86400)}

    fails.__name__ = f"clock {days:+} days"
    return fails


def interpreter(text):
    def fails(world):
        world.script(text)

    fails.__name__ = f"interpreter {text!r}"
    return fails


def interpreter_gone(world):
    world.lend("/nowhere/python")


def package_gone(world):
    shutil.rmtree(world.place / "plugin" / "ultan")


def stdout_closed(world):
    world.out_is_closed = True


def stdout_no_file(world):
    world.first = "exec >&-; "


def locks_held(world):
    """Somebody who was stopped holds every lock there is."""
    places = ["counters", "curate.lock", "library.lock", "runs/lock", "projects.lock", "projects.json"]
    places += [f"sessions/{name}/lock" for name in os.listdir(world.root / "sessions")]
    held = [os.open(world.root / name, os.O_RDWR | os.O_CREAT) for name in places]
    for fd in held:
        fcntl.flock(fd, fcntl.LOCK_EX)
    world.held = held


def is_interpreter(pid):
    try:
        return Path(f"/proc/{pid}/comm").read_text().startswith("python")
    except OSError:
        return False


def terminated(after_s):
    def fails(world):
        def end(child):
            time.sleep(after_s)
            for pid in [pid for pid in below(child.pid) if is_interpreter(pid)][-1:]:  # a shell says words about its own end
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGTERM)

        world.meanwhile = end

    fails.__name__ = f"SIGTERM after {after_s * 1000:.0f} ms"
    return fails


def below(pid):
    """The descendants of *pid*."""
    try:
        names = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    except OSError:
        return []
    return [each for name in names for each in (int(name), *below(int(name)))]


def disk_slow(world):
    if not shutil.which("strace"):
        pytest.skip("a slow disk is made by strace")
    calls = "fsync,fdatasync,rename,unlink"
    world.before = ["strace", "-f", "-qq", "-o", "/dev/null", "-e", f"trace={calls}", "-e", f"inject={calls}:delay_enter=200000"]


def disk_error(error):
    def fails(world):
        if not shutil.which("strace"):
            pytest.skip("errors are injected by strace")
        calls = "fsync,fdatasync,rename,link,mkdir,unlink"
        world.before = ["strace", "-f", "-qq", "-o", "/dev/null", "-e", f"trace={calls}", "-e", f"inject={calls}:error={error}"]

    fails.__name__ = f"each change of the disk fails with {error}"
    return fails


def needs_root():
    if not IS_ROOT:
        pytest.skip("only root gives a home away")


def mounted(world, command):
    needs_root()
    own(world.place)
    if os.system(f"({command.format(root=world.root)}) 2>/dev/null"):
        pytest.skip("nothing can be mounted here")
    world.is_mounted = True


def own(place):
    if IS_ROOT:
        subprocess.run(["chown", "-R", f"{NOBODY}:{NOBODY}", str(place)], check=True)


TOLD = (nothing, home_read_only, disk_full, settings_broken, clock(-30), clock(400), clock(4400), locks_held, disk_slow)
UNTOLD = (
    *map(stdin_of, ("empty", "no JSON", "64 MB", "never closed")), stdin_closed_early, home_deleted, index_torn, index_newer, index_absent, index_a_pipe, interpreter_gone, package_gone, stdout_closed, stdout_no_file,
    interpreter("#!/bin/sh\nexit 2\n"), interpreter("#!/bin/sh\necho broken >&2\nkill -SEGV $$\n"), interpreter("no program"),
    interpreter("#!/nowhere/python\n"),
)  # fmt: skip
EITHER = (  # a new home greets; so does the person's own where the chosen one is another's
    home_missing, home_forbidden, home_of_another, stdin_of("1 MB"), stdin_of("3.9 MB"), terminated(0.03), terminated(0.06), terminated(0.12), disk_error("EIO"), disk_error("EACCES"), disk_error("EMFILE"),
)  # fmt: skip


@pytest.fixture
def world():
    with contextlib.ExitStack() as stack:
        place = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="ultan-matrix-", ignore_cleanup_errors=True)))
        place.chmod(0o755)
        made = World(place)
        made.is_mounted, made.held = False, []
        yield made
        if made.is_mounted:
            os.system(f"umount -l {made.root}")
        for fd in made.held:
            os.close(fd)
        if IS_ROOT:
            subprocess.run(["chown", "-R", "0:0", str(place)], check=False)


def interpreter_for_anybody():
    """An interpreter that the one who runs the hooks can run, and that finds re2 where the tests do; else skipped."""
    code = f"import sys; sys.path.append({os.path.dirname(os.path.dirname(re2.__file__))!r}); import re2"
    for path in (sys.executable, shutil.which(f"python3.{sys.version_info.minor}", path="/usr/local/bin:/usr/bin:/bin")):
        if not IS_ROOT:
            return path
        words = ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups", "/bin/sh", "-c", '"$1" -I -S -c "$2"', "sh"]
        if path and subprocess.run([*words, path, code], check=False, capture_output=True).returncode == 0:
            return path
    pytest.skip("no interpreter here can be run by another user")


@pytest.mark.parametrize("failure", [*TOLD, *UNTOLD, *EITHER], ids=lambda failure: failure.__name__)
def test_in_every_event_the_hook_exits_0_in_time_and_says_one_object_or_nothing(world, failure, record_property):
    world.lend(interpreter_for_anybody())
    own(world.place)
    failure(world)
    if not world.is_mounted and failure not in (home_forbidden, home_of_another):
        own(world.place)
    took = []
    for event in HOOKS:
        status, out, err, ended_s, at_end_s = world.run(event)
        assert (event, status, err) == (event, 0, b"")
        if out:
            reply = json.loads(out)
            assert set(reply) <= {"hookSpecificOutput", "suppressOutput"}, event
            assert reply["hookSpecificOutput"].get("permissionDecision", "deny") == "deny"
        if failure in TOLD:
            assert bool(out) == (event in SPEAKING), event
        elif failure in UNTOLD:
            assert not out, event
        assert at_end_s < HOOKS[event]["timeout"] - 0.5, f"{event} took {at_end_s:.1f} s"
        took.append((ended_s, at_end_s))
    waits = max(at_end - ended for ended, at_end in took)
    record_property("trials", len(took))
    slowest = max(at_end for _, at_end in took)
    sys.stderr.write(f"{failure.__name__:60} {len(took)} events, slowest {slowest:.2f} s, pipes open {max(0.0, waits) * 1000:.0f} ms after the end\n")


@pytest.mark.parametrize("text", ["some words of a log line 12345\n", "x ", "word " * 200 + "\n\n", "\u6f22\u5b57"], ids=["lines", "one line", "paragraphs", "cjk"])
def test_a_prompt_of_nearly_four_megabytes_is_queued_all_the_same(world, text):
    """Its parts were once put together in quadratic time: the kernel ended the hook, and the prompt was lost."""
    world.lend(sys.executable)
    given = {**json.loads(world.stdin("UserPromptSubmit")), "prompt": text * (3_800_000 // len(text.encode()))}
    words = ["/bin/sh", "-c", HOOKS["UserPromptSubmit"]["command"]]
    subprocess.run(words, input=json.dumps(given, ensure_ascii=False).encode(), env=world.environ, cwd=world.project, check=True, capture_output=True)
    queued = [json.loads(path.read_text()) for path in (world.root / "queue" / "new").iterdir()]
    assert "prompt" in {event["kind"] for event in queued}
    assert list((world.root / "running").iterdir()) == []


def test_every_event_of_hooks_json_has_a_recorded_call():
    assert set(HOOKS) <= set(CALLS)
