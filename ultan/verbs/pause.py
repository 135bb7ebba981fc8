"""Pause: hooks neither listen nor speak until told otherwise; one marker file, so that it costs a hook one look."""

import os
from dataclasses import dataclass

from ultan import home

MARKER = "paused"


@dataclass(frozen=True, slots=True)
class Pause:
    """Whether hooks are silent now."""

    is_paused: bool
    marker: str


def pause(root: str, *, resume: bool = False) -> Pause:
    """The state after pausing the home *root*, or after ending its pause."""
    marker = os.path.join(root, MARKER)
    if resume:
        home.remove(marker, durable=True)
    else:
        home.claim(marker)
    return Pause(os.path.exists(marker), marker)
