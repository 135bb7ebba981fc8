"""The lock under which one curator at a time works, and how it waits without holding it."""

import os
from collections.abc import Callable

from filelock import FileLock, Timeout

from ultan import home
from ultan.errors import StorageFailed

FREE_BYTES = 64 << 20


def taken(root: str) -> FileLock | None:
    """The curator's lock of *root*, taken; ``None`` while another curator has it.

    Raises:
        StorageFailed: no room, or a file system without locks.
    """
    home.ensure(root)
    _need_room(root)
    lock = FileLock(os.path.join(root, "curate.lock"), timeout=0, mode=0o600, fallback_to_soft=False)
    try:
        lock.acquire()
    except Timeout:
        return None
    except (NotImplementedError, OSError) as error:
        raise StorageFailed(f"the home {root} cannot be locked: {error}", "choose a home on a local disk") from None
    return lock


def napping(root: str, lock: FileLock, sleep: Callable[[float], None]) -> Callable[[float], bool]:
    """What waits some seconds with *lock* let go and says whether it is ours again, and the home still there."""

    def nap(seconds: float) -> bool:
        lock.release()
        sleep(seconds)
        if not os.path.isdir(root):
            return False  # its owner deleted it meanwhile
        try:
            lock.acquire()
        except Timeout:
            return False
        return True

    return nap


def _need_room(root: str) -> None:
    free = os.statvfs(root)
    if free.f_bavail * free.f_frsize < FREE_BYTES:
        raise StorageFailed(f"less than {FREE_BYTES >> 20} MB are free for {root}", "make room; the queue is kept")
