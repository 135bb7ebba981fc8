"""Many processes that are all there before the first begins, and what became of each."""

import contextlib
import os
import struct
import time
from typing import NamedTuple

STAMP = struct.Struct("<Id")


class Ended(NamedTuple):
    """How one of them ended.

    Attributes:
        status: the exit code, or minus the signal.
        began, ended: seconds after the gate was opened.
    """

    number: int
    status: int
    began: float
    ended: float


def at_once(argv, stdins, environ):
    """Run *argv* once for each file of *stdins*, all let go by one gate; a list of ``Ended`` by number."""
    gate_out, gate_in = os.pipe()
    stamps_out, stamps_in = os.pipe()
    numbers, group = {}, 0
    for number, path in enumerate(stdins):
        child = os.fork()
        if child == 0:
            try:
                os.setpgid(0, group)
                os.close(gate_in)
                os.dup2(os.open(path, os.O_RDONLY), 0)
                os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
                os.read(gate_out, 1)  # the end of it: the parent, and everybody here, has closed the other side
                os.write(stamps_in, STAMP.pack(number, time.monotonic()))
                os.execve(argv[0], argv, environ)
            finally:
                os._exit(127)
        group = group or child
        with contextlib.suppress(OSError):
            os.setpgid(child, group)
        numbers[child] = number
    os.close(gate_out)
    opened = time.monotonic()
    os.close(gate_in)
    ended = {}
    while len(ended) < len(numbers):
        child, status = os.waitpid(-group, 0)
        ended[numbers[child]] = (os.waitstatus_to_exitcode(status), time.monotonic() - opened)
    os.close(stamps_in)
    with open(stamps_out, "rb") as pipe:
        began = {number: at - opened for number, at in STAMP.iter_unpack(pipe.read())}
    return [Ended(number, status, began[number], after) for number, (status, after) in sorted(ended.items())]
