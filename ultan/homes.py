"""Homes: which there have been, and which a hook was refused, noted where it is found without any home.

A hook loads this only where its home is missing or refused.
"""

import os
import sys

from ultan import home

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

REFUSAL_S = 60.0  # a note of a refusal is written at most as often
REFUSAL_BYTES = 8192


def state_folder(environ: "Mapping[str, str]", platform: str = sys.platform) -> str:
    """The user state folder, where the homes ever made are noted (``homes``, one path a line)."""
    return home.user_folder(environ, platform, "XDG_STATE_HOME", "state")


def make(root: str, environ: "Mapping[str, str]") -> str:
    """Make the home where it is missing, note it, and return *root*."""
    home.ensure(root)
    note_home(root, environ)
    return root


def is_withdrawn(root: str, environ: "Mapping[str, str]") -> bool:
    """Whether *root* was a home once and was deleted by its owner: then hooks stay silent."""
    if os.path.isdir(root):
        return False
    noted = os.path.join(state_folder(environ), "homes")
    try:
        return root in home.read(noted).decode("utf-8", "replace").splitlines()
    except OSError:
        return False


def note_home(root: str, environ: "Mapping[str, str]") -> None:
    """Remember in the state folder that *root* is a home, so that its deletion is respected.

    Never raises: a home chosen elsewhere serves where the state folder cannot be written.
    """
    folder = state_folder(environ)
    noted = os.path.join(folder, "homes")
    try:
        known = home.read(noted).decode("utf-8", "replace").splitlines()
    except OSError:
        known = []
    if root in known or not os.path.isabs(folder):
        return
    try:
        home.make_folder(folder)
        home.append(noted, (root + "\n").encode("utf-8", "surrogateescape"))
    except OSError:
        return


def note_refusal(environ: "Mapping[str, str]", now: float, why: str) -> None:
    """Remember in the state folder that a hook was turned away, for there may be no home to note it in; never raises."""
    noted = os.path.join(state_folder(environ), "refused")
    last = refused(environ)
    if (last and last[1] == why and 0 <= now - last[0] < REFUSAL_S) or not os.path.isabs(noted):
        return  # a relative state folder would lie in the project
    try:
        home.make_folder(os.path.dirname(noted))
        home.write(noted, f"{now:.0f} {why}".encode("utf-8", "surrogateescape"), durable=False)
    except OSError:
        return


def refused(environ: "Mapping[str, str]") -> "tuple[float, str] | None":
    """When a hook was last turned away, and why."""
    try:
        raw = home.read(os.path.join(state_folder(environ), "refused"), REFUSAL_BYTES)
    except OSError:
        return None
    at, _, why = raw.decode("utf-8", "replace").partition(" ")
    return (float(at), why) if at.isdecimal() and why else None
