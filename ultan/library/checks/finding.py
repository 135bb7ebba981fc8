"""Finding: one broken promise; and the home that the checks look at."""

import os
from dataclasses import dataclass

from ultan import home
from ultan.library.snapshot import Library
from ultan.library.store import FileStore


@dataclass(frozen=True, slots=True)
class Finding:
    """One broken promise."""

    code: str
    path: str
    message: str
    remedy: str


@dataclass(frozen=True, slots=True)
class Home:
    """What the checks look at, read once.

    Attributes:
        root: the home.
        store, library: its library.
        today: the last ISO day that does not lie in the future.
    """

    root: str
    store: FileStore
    library: Library
    today: str

    def names(self, folder: str) -> list[str]:
        """What lies in *folder*, sorted; nothing if it cannot be read."""
        try:
            return sorted(os.listdir(os.path.join(self.root, folder)))
        except OSError:
            return []

    def lines(self, name: str) -> list[str]:
        """The words in the file *name*; none if it cannot be read."""
        try:
            return home.read(os.path.join(self.root, name)).decode("ascii", "replace").split()
        except OSError:
            return []
