"""Power cuts: an ext4 file system in a file is copied while it is in use; the copy is what a cut leaves behind.

Needs root, a loop device and ``mkfs.ext4``; elsewhere it is skipped, and said to be.
"""

import os
import random
import shutil
import signal
import subprocess
import time

import kills
import pytest

from ultan import home, spool
from ultan.library.snapshot import read_library
from ultan.library.store import FileStore
from ultan.settings import Settings

MEGABYTES = 128  # a curator wants 64 free; the file is sparse

SLOW = pytest.mark.slow


class Disk:
    """A file system that can lose its power."""

    def __init__(self, place):
        self.place = place
        self.mounted = []

    def make(self, name):
        image = self.place / f"{name}.img"
        with open(image, "wb") as file:
            file.truncate(MEGABYTES << 20)
        subprocess.run(["mkfs.ext4", "-q", "-F", str(image)], check=True, capture_output=True)
        return self.mount(image)

    def mount(self, image):
        folder = self.place / f"at-{len(self.mounted)}"
        folder.mkdir()
        done = subprocess.run(
            ["mount", "-o", "loop", str(image), str(folder)], check=False, capture_output=True
        )
        if done.returncode:
            pytest.skip(f"no loop device can be mounted here: {done.stderr.decode().strip()}")
        self.mounted.append(folder)
        return folder

    def cut(self, name, copy):
        """What the disk called *name* would hold if the power went now, mounted anew.

        Copied until the disk equals the copy afterwards: a copy into which the kernel wrote at
        the back what it had not yet written at the front is a state that no power cut leaves.
        """
        source, target = self.place / f"{name}.img", self.place / f"{copy}.img"
        while True:
            subprocess.run(["cp", "--sparse=always", str(source), str(target)], check=True)
            if subprocess.run(["cmp", "-s", str(source), str(target)], check=False).returncode == 0:
                return self.mount(target)

    def unmount(self, folder):
        subprocess.run(["umount", "-l", str(folder)], check=False, capture_output=True)
        self.mounted = [each for each in self.mounted if each != folder] + [None]


@pytest.fixture
def disk(tmp_path):
    if (
        not hasattr(os, "geteuid")
        or os.geteuid() != 0
        or not shutil.which("mkfs.ext4")
        or not os.path.exists("/dev/loop-control")
    ):
        pytest.skip("a power cut needs root, mkfs.ext4 and loop devices")
    made = Disk(tmp_path)
    yield made
    for folder in [each for each in made.mounted if each]:
        made.unmount(folder)


def numbers(root):
    """Which captures a home holds."""
    events = spool.take(root, spool.backlog(root))
    return {
        int(piece.text.split(":")[0].split()[1])
        for event in events
        for piece in event.pieces
        if piece.text.startswith("call ")
    }


@SLOW
def test_a_durable_capture_that_was_acknowledged_survives_a_power_cut(disk, record_property):
    chance = random.Random(4)
    folder = disk.make("disk")
    root = home.ensure(str(folder / "home"))
    kills.compile_index(read_library(FileStore(root)), root, Settings(kills.QUIET), now=kills.NOON)
    os.sync()
    acknowledged = set()
    lost, torn = [], 0
    for number in range(12):
        for _ in range(chance.randint(1, 3)):
            call = len(acknowledged) + 1
            done, _ = kills._capture(root, str(folder), call, kills._Never(), 1.0)
            assert done
            acknowledged.add(call)
        after = disk.cut("disk", f"cut-{number}")
        left = str(after / "home")
        lost += sorted(acknowledged - numbers(left))
        torn += len(os.listdir(os.path.join(left, "queue", "bad")))
        disk.unmount(after)
    record_property("trials", len(acknowledged))
    assert lost == []
    assert torn == 0


def curations_cut_off(disk, seed, trials):
    """Which of *trials* curations, each cut off by power, ended elsewhere than an uninterrupted one, and in what."""
    chance = random.Random(seed)
    folder = disk.make("disk")
    template = kills.prepared(str(folder / "template"))
    whole = str(folder / "whole")
    shutil.copytree(template, whole, symlinks=True)
    start = time.monotonic()
    kills._run(whole)
    typical_s = time.monotonic() - start
    wanted = kills.state(whole)
    differ = []
    for number in range(trials):
        root = str(folder / f"trial-{number}")
        shutil.copytree(template, root, symlinks=True)
        os.sync()
        child = os.fork()
        if child == 0:
            try:
                kills._run(root)
            finally:
                os._exit(0)
        delay_s = chance.uniform(0.0, 1.1 * typical_s)
        time.sleep(delay_s)
        os.kill(child, signal.SIGSTOP)
        after = disk.cut("disk", f"cut-{number}")
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        left = str(after / f"trial-{number}")
        kills._run(left)
        found = kills.differences(kills.state(left), wanted)
        if found:
            differ.append(f"trial {number} at {delay_s:.3f} of {typical_s:.3f} s: {', '.join(found)}")
        disk.unmount(after)
        shutil.rmtree(root)
    return differ


@SLOW
def test_a_curation_cut_off_by_power_ends_where_an_uninterrupted_one_ends(disk, record_property):
    record_property("trials", 10)
    assert curations_cut_off(disk, 5, 10) == []


@pytest.mark.long
@pytest.mark.parametrize("seed", [5, 6, 7])
def test_many_curations_cut_off_by_power_end_where_an_uninterrupted_one_ends(disk, seed, record_property):
    """Before derived text was journalled on disk, three of forty ended with a log or a README of before."""
    record_property("trials", 30)
    assert curations_cut_off(disk, seed, 30) == []
