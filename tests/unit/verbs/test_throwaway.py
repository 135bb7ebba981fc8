"""A folder to try things in."""

import contextlib
import os

from ultan.verbs.throwaway import throwaway


def test_a_throwaway_folder_is_private_and_gone_afterwards_whatever_happened():
    with contextlib.suppress(RuntimeError), throwaway("trial") as folder:
        assert os.stat(folder).st_mode & 0o777 == 0o700
        assert os.path.basename(folder).startswith("ultan-trial-")
        raise RuntimeError
    assert not os.path.exists(folder)
