"""The same sweep below Python: strace kills, or fails, one system call after the other.

A dry run under strace tells which calls touch the home, by their ordinal among calls of that
name; then one run for each of them is ended there, the batch is run again, and the tree must
equal that of a run which nothing stopped.
"""

import os
import re
import shutil
import subprocess
import sys
from collections import Counter

import pytest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
import batch  # noqa: E402 -- beside this file

from ultan import home  # noqa: E402
from ultan.library.check import findings  # noqa: E402
from ultan.library.snapshot import read_library  # noqa: E402
from ultan.library.store import FileStore  # noqa: E402

CALLS = ("openat", "write", "fsync", "close", "rename", "link", "unlink", "mkdir", "rmdir")
ERRORS = {"openat": ("EMFILE",), "write": ("ENOSPC", "EIO"), "fsync": ("EIO",), "rename": ("ENOSPC",), "link": ("EIO",), "unlink": ("EIO",), "mkdir": ("ENOSPC",)}
REPOSITORY = os.path.dirname(os.path.dirname(HERE))
VICTIM = f"import sys; sys.path[:0] = [{REPOSITORY!r}, {HERE!r}]; import batch; batch.run(sys.argv[1])"


def traced(root, *options):
    """A victim under strace: its exit status."""
    environment = {"PATH": os.environ["PATH"], "HOME": root, "PYTHONHASHSEED": "0", "PYTHONDONTWRITEBYTECODE": "1"}
    python = os.path.realpath(sys.executable) if sys.prefix == sys.base_prefix else sys.executable
    command = ["strace", "-f", "-qq", *options, python, "-c", VICTIM, root]
    return subprocess.run(command, env=environment, capture_output=True, check=False, timeout=600).returncode


@pytest.fixture(scope="module")
def start(tmp_path_factory):
    if shutil.which("strace") is None:
        pytest.skip("strace is not installed")
    root = str(tmp_path_factory.mktemp("start") / "home")
    home.ensure(root)
    batch.prepare(root)
    if traced(root, "-e", "trace=fsync", "-o", "/dev/null", "-e", "inject=fsync:error=EIO:when=1") == 0:
        pytest.skip("strace may not trace here")
    return root


@pytest.fixture(scope="module")
def points(start, tmp_path_factory):
    """(call, ordinal) of everything that touches the home, and the tree hash of the whole run."""
    folder = tmp_path_factory.mktemp("dry")
    root = shutil.copytree(start, str(folder / "home"))
    trace = str(folder / "trace")
    assert traced(root, "-y", "-e", "trace=" + ",".join(CALLS), "-o", trace) == 0
    counts = Counter()
    found = []
    with open(trace, errors="replace") as lines:
        for line in lines:
            match = re.match(r"\d+\s+(\w+)\(", line)
            if match and match[1] in CALLS:
                counts[match[1]] += 1
                if root in line or "/proc/self/fd/" in line:
                    found.append((match[1], counts[match[1]]))
    return found, batch.tree_hash(root)


def sweep(start, points, folder, injection, chosen):
    hit = 0
    for call, ordinal in chosen:
        root = shutil.copytree(start, os.path.join(folder, "victim"))
        status = traced(root, "-o", "/dev/null", "-e", f"trace={call}", "-e", f"inject={call}:{injection}:when={ordinal}")
        hit += status != 0
        assert read_library(FileStore(root)).unreadable == ()
        batch.run(root)
        assert batch.tree_hash(root) == points[1], f"{injection} at {call} number {ordinal}"
        assert [each for each in findings(root, batch.NOW + 600) if each.code != "temporary"] == []
        shutil.rmtree(root)
    return hit


@pytest.mark.slow
def test_a_kill_at_system_calls_is_made_good(start, points, tmp_path, record_property):
    stride = int(os.environ.get("ULTAN_CRASH_STRIDE", "160"))
    chosen = points[0][::stride]
    hit = sweep(start, points, str(tmp_path), "signal=KILL", chosen)
    record_property("points", f"{hit} of {len(points[0])}")
    assert hit > len(chosen) * 0.8


@pytest.mark.slow
def test_an_error_at_system_calls_is_made_good(start, points, tmp_path, record_property):
    stride = int(os.environ.get("ULTAN_CRASH_STRIDE", "160")) // 2
    tried = 0
    for call, errors in ERRORS.items():
        mine = [point for point in points[0] if point[0] == call]
        for error in errors:
            tried += len(mine[::stride])
            sweep(start, points, str(tmp_path), f"error={error}", mine[::stride])
    record_property("points", tried)
    assert tried
