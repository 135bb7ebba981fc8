"""One curator at a time, and waiting without keeping others out."""

import shutil

from ultan import home
from ultan.verbs.curator_lock import napping, taken


def test_whoever_comes_second_gets_nothing(tmp_path):
    root = home.ensure(str(tmp_path / "home"))
    lock = taken(root)
    assert lock is not None
    assert taken(root) is None
    lock.release()
    again = taken(root)
    assert again is not None
    again.release()


def test_a_nap_lets_others_in_and_says_whether_the_lock_is_ours_again(tmp_path):
    root = home.ensure(str(tmp_path / "home"))
    lock = taken(root)
    assert lock is not None
    others = []

    def meanwhile(_seconds):
        others.append(taken(root))

    assert not napping(root, lock, meanwhile)(1.0)
    assert others[0] is not None
    others[0].release()
    assert napping(root, lock, lambda _seconds: None)(1.0)
    assert not napping(root, lock, lambda _seconds: shutil.rmtree(root))(1.0)
