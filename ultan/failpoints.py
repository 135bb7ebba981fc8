"""Failpoints: ``ULTAN_FAILPOINT=name@n:kill`` (or ``:raise``) ends the process at the *n*-th passage of a named point.

So the crash suite can stop at every side effect.
"""

import os
import time

passages: "dict[str, int]" = {}


def passed(name: str) -> None:
    """End the process here if ``ULTAN_FAILPOINT`` names this passage."""
    wanted = os.environ.get("ULTAN_FAILPOINT", "")
    place, _, how = wanted.partition(":")
    point, _, ordinal = place.partition("@")
    if point not in (name, "any"):
        return
    passages[point] = passages.get(point, 0) + 1
    if passages[point] != int(ordinal or 1):
        return
    if how == "kill":
        os.kill(os.getpid(), 9)
        time.sleep(5)
    raise OSError(5, f"failpoint {name}")
