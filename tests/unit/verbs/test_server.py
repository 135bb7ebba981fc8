"""What is made ready for a server that does not run now."""

import fcntl
import os

import pytest

from ultan import home
from ultan.errors import IndexUnreadable
from ultan.recall.compile import build_from_entries
from ultan.recall.index import path_of
from ultan.settings import Settings
from ultan.verbs.bench_latency import entries
from ultan.verbs.server import prepare

ON_DEMAND = Settings({"encoder.name": "hashing", "serve.on_demand": True})
PLAIN = Settings({"encoder.name": "hashing"})


@pytest.fixture
def root(tmp_path):
    made = home.ensure(str(tmp_path / "h"))
    home.write(path_of(made), bytes(build_from_entries(entries(5), PLAIN)._mapped))
    return made


def kept(root):
    return os.path.join(root, "index", "vectors", "entries.kept")


def test_entries_are_embedded_where_a_prompt_may_start_the_server(root):
    assert prepare(root, ON_DEMAND)
    assert os.path.getsize(kept(root)) > 1000
    assert prepare(root, PLAIN)  # from now on a server has been used here


def test_nothing_is_embedded_where_nobody_serves(root):
    assert not prepare(root, PLAIN)
    assert not os.path.exists(kept(root))


def test_a_server_that_runs_does_it_itself(root):
    lock = home.lock_file(os.path.join(root, "serve.lock"))
    fcntl.flock(lock, fcntl.LOCK_EX)
    assert not prepare(root, ON_DEMAND)
    os.close(lock)


def test_a_home_without_an_index_has_nothing_to_prepare(tmp_path):
    with pytest.raises(IndexUnreadable):
        prepare(home.ensure(str(tmp_path / "e")), ON_DEMAND)
