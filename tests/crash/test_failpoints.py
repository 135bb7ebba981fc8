"""The fuse: stop at every side effect of the one writing module, reopen, and compare with an uninterrupted run.

Each victim is a fork of this process, ended by SIGKILL (or by an error) at its n-th passage of a
failpoint. Afterwards the batch is run again: what was committed is not done twice, what was not
is done, and the whole tree must equal that of a run which nothing stopped.
"""

import os
import shutil
import signal
import sys

import pytest

from ultan import failpoints, home
from ultan.library.check import findings
from ultan.library.snapshot import read_library
from ultan.library.store import FileStore

sys.path.insert(0, os.path.dirname(__file__))
import batch

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="victims are forks")


def in_a_fork(what, failpoint=""):
    """How a forked child that does *what* ended: ``"done"``, ``"killed"`` or ``"failed"``; and its passages."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        status = 1
        try:
            os.close(reader)
            failpoints.passages.clear()
            os.environ["ULTAN_FAILPOINT"] = failpoint or "any@1000000:raise"
            what()
            status = 0
        except Exception:  # noqa: BLE001 -- the victim's own end
            status = 1
        finally:
            os.write(writer, str(failpoints.passages.get("any", 0)).encode())
            os._exit(status)
    os.close(writer)
    passages = os.read(reader, 100)
    os.close(reader)
    status = os.waitpid(child, 0)[1]
    if os.WIFSIGNALED(status):
        assert os.WTERMSIG(status) == signal.SIGKILL
        return "killed", 0
    return ("done" if os.WEXITSTATUS(status) == 0 else "failed"), int(passages)


@pytest.fixture(scope="module")
def start(tmp_path_factory):
    root = str(tmp_path_factory.mktemp("start") / "home")
    home.ensure(root)
    batch.prepare(root)
    return root


@pytest.fixture(scope="module")
def uninterrupted(start, tmp_path_factory):
    """The tree hash of a run that nothing stopped, and how many side effects it has."""
    root = shutil.copytree(start, str(tmp_path_factory.mktemp("whole") / "home"))
    ended, passages = in_a_fork(lambda: batch.run(root))
    assert ended == "done"
    assert findings(root, batch.NOW + 600) == []
    assert len(FileStore(root).operations()) == 6
    return batch.tree_hash(root), passages


def whole(root):
    """No entry is torn and the log is whole, whatever happened."""
    library = read_library(FileStore(root))
    assert library.unreadable == ()
    log = FileStore(root).operations()
    assert [each.number for each in log] == list(range(1, len(log) + 1))
    assert all(each.sealed() == each.digest for each in log)


def sweep(start, uninterrupted, folder, how, points):
    wanted, _ = uninterrupted
    for point in points:
        root = shutil.copytree(start, os.path.join(folder, f"{how}{point}"))
        ended, _ = in_a_fork(lambda root=root: batch.run(root), f"any@{point}:{how}")
        assert (ended == "killed") == (how == "kill"), point  # an error may be made good at once
        whole(root)
        batch.run(root)
        assert batch.tree_hash(root) == wanted, f"{how} at passage {point}"
        assert [each for each in findings(root, batch.NOW + 600) if each.code != "temporary"] == []
        shutil.rmtree(root)
    return len(points)


def recoveries(start, uninterrupted, folder, points, stride=1):
    """Kill at each of *points*, and then at every *stride*-th passage of the recovery that follows."""
    wanted, _ = uninterrupted
    tried = 0
    for point in points:
        broken = shutil.copytree(start, os.path.join(folder, f"broken{point}"))
        in_a_fork(lambda root=broken: batch.run(root), f"any@{point}:kill")
        probe = shutil.copytree(broken, os.path.join(folder, "probe"))
        _, passages = in_a_fork(lambda root=probe: FileStore(root))
        shutil.rmtree(probe)
        for second in range(1, passages + 1, stride):
            root = shutil.copytree(broken, os.path.join(folder, "victim"))
            assert in_a_fork(lambda root=root: FileStore(root), f"any@{second}:kill")[0] == "killed"
            whole(root)
            batch.run(root)
            assert batch.tree_hash(root) == wanted, f"kill at {point}, then at {second} of the recovery"
            shutil.rmtree(root)
            tried += 1
        shutil.rmtree(broken)
    return tried


@pytest.mark.parametrize("how", ["kill", "raise"])
def test_a_crash_at_some_side_effects_is_made_good(start, uninterrupted, tmp_path, how):
    points = range(3 if how == "kill" else 7, uninterrupted[1] + 1, 53)
    assert sweep(start, uninterrupted, str(tmp_path), how, points) > 4


def test_a_crash_during_recovery_is_made_good(start, uninterrupted, tmp_path):
    middle = uninterrupted[1] // 5 - 2
    assert recoveries(start, uninterrupted, str(tmp_path), [middle], stride=7) > 3


@pytest.mark.long
@pytest.mark.parametrize("how", ["kill", "raise"])
def test_a_crash_at_every_side_effect_is_made_good(start, uninterrupted, tmp_path, how, record_property):
    tried = sweep(start, uninterrupted, str(tmp_path), how, range(1, uninterrupted[1] + 1))
    record_property("points", tried)
    assert tried == uninterrupted[1]


@pytest.mark.long
def test_a_crash_during_many_recoveries_is_made_good(start, uninterrupted, tmp_path, record_property):
    stride = int(os.environ.get("ULTAN_CRASH_STRIDE", "9"))  # 1 tries every pair: an hour
    points = range(1, uninterrupted[1] + 1, stride)
    tried = recoveries(start, uninterrupted, str(tmp_path), points, stride=(stride + 1) // 2)
    record_property("points", tried)
    assert tried > len(points)
