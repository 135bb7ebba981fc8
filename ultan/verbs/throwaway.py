"""A folder for one run: a home to try things in, gone afterwards."""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager

from ultan import home, housekeeping


@contextmanager
def throwaway(purpose: str) -> Iterator[str]:
    """A private folder, named after its *purpose*, that is gone afterwards."""
    folder = os.path.join(os.path.realpath(tempfile.gettempdir()), f"ultan-{purpose}-{os.urandom(6).hex()}")
    home.make_folder(folder)
    try:
        yield folder
    finally:
        housekeeping.clear_folder(folder)
