"""The warm server: the same answer as a hook's own, or none; never a wrong one."""

import dataclasses
import fcntl
import os
import shutil
import socket
import stat
import subprocess
import tempfile
import threading

import numpy as np
import pytest

from ultan import home, plainjson
from ultan.encoders.hashing import HashingEncoder
from ultan.errors import LibraryBusy, StorageFailed
from ultan.library.actions import Archive, Create
from ultan.library.entry import Entry
from ultan.library.store import FileStore
from ultan.recall import wire
from ultan.recall.compile import build_from_entries
from ultan.recall.index import Index, path_of
from ultan.recall.mapping import BLOCK
from ultan.recall.ranking import Query
from ultan.serving.shelf import Shelf, primed
from ultan.serving.socket import MOST_WAITING, WAITS_S, Server, generation
from ultan.settings import Settings
from ultan.verbs.desk import Desk
from ultan.verbs.server import IDLE_S, Standing, standing

NOW = 1_780_000_000.0
RULES = (
    ("Use uv for packages", "Install Python packages with uv, never with pip.", ("installing a package",)),
    ("Ask before pushing", "Never push to main without asking first.", ("git push",)),
    ("Tabs in makefiles", "Indent Makefiles with tabs.", ("editing a Makefile",)),
)
QUESTION = {
    "text": "please install a package for http requests", "project": "shop", "files": [], "tail": "", "day": "2026-05-28",
    "agent": "", "already": [], "nonce": "n",
}  # fmt: skip


def save(root, *rules):
    actions = [
        Create(folder="global/tools", title=title, kind="convention", rule=rule, applies_when=cues)
        for title, rule, cues in rules
    ]
    Desk(root, FileStore(root), Settings({"encoder.name": "hashing"}), NOW).execute(actions)


@pytest.fixture
def root(tmp_path):
    made = home.ensure(str(tmp_path / "h"))
    save(made, *RULES)
    return made


@pytest.fixture
def server(root):
    ready = threading.Event()
    made = Server(root, HashingEncoder(), idle_s=20, ready=ready.set)
    ended = []
    worker = threading.Thread(target=lambda: ended.append(made.run()))
    worker.start()
    assert ready.wait(120)
    made.shelf.finish()
    yield made
    made.stop()
    worker.join(20)
    assert ended[0].why == "told to stop"
    assert not os.path.exists(wire.path_of(root))


def asked(root, **changes):
    return wire.ask(root, "prime", {**QUESTION, **changes}, 5.0)


def raw(root, data):
    with socket.socket(socket.AF_UNIX) as line:
        line.settimeout(5)
        line.connect(wire.path_of(root))
        line.sendall(data)
        return line.recv(100)


@pytest.mark.usefixtures("server")
def test_a_hook_gets_the_entry_the_ids_and_the_rankings_used(root):
    answer = asked(root)
    assert answer is not None
    assert "uv" in answer.text
    assert answer.ids == ["global/tools/use-uv-for-packages"]
    assert "meaning" in answer.rankings


@pytest.mark.usefixtures("server")
def test_what_was_shown_already_and_prompts_that_need_nothing_get_silence(root):
    assert asked(root, already=["global/tools/use-uv-for-packages"]).ids == []
    assert asked(root, text="yes").text == ""


@pytest.mark.usefixtures("server")
def test_what_faded_is_shown_where_nothing_live_fits(root):
    save(root, ("Build with the pinned compiler", "Build releases with the pinned compiler.", ("building a release", "compiler version")))
    name, question = "global/tools/build-with-the-pinned-compiler", "which compiler version for building a release with the pinned compiler"
    desk = Desk(root, FileStore(root), Settings({"encoder.name": "hashing"}), NOW)
    desk.execute([Archive(entry=name)], by="upkeep")
    answer = asked(root, text=question)
    assert answer.ids == [name]
    assert "faded" in answer.text
    assert asked(root, text=question, already=[name]).ids == []


def left(root, **changes):
    """Ask, and hang up before the answer."""
    frame = plainjson.dumps({"version": wire.VERSION, "home": root, "verb": "prime", **QUESTION, **changes}).encode()
    with socket.socket(socket.AF_UNIX) as line:
        line.connect(wire.path_of(root))
        line.shutdown(socket.SHUT_RD)
        line.sendall(len(frame).to_bytes(4, "big") + frame)


UV = "global/tools/use-uv-for-packages"
OTHER = "what colour shall the header of the page have"


def test_an_answer_that_nobody_waited_for_comes_with_the_sessions_next_prompt_once(root, server):
    left(root, session="s1")
    assert asked(root, session="s2", text=OTHER).ids == []
    answer = asked(root, session="s1", text=OTHER)
    assert answer.ids == [UV]
    assert "Use uv for packages" in answer.text
    assert asked(root, session="s1", text=OTHER).ids == []
    assert (standing(root).late, server.late) == (1, 1)


@pytest.mark.usefixtures("server")
@pytest.mark.parametrize("changes", [{"already": [UV]}, {"project": "bank"}, {"agent": "a1"}])
def test_a_late_answer_is_not_shown_twice_nor_elsewhere(root, changes):
    left(root, session="s1")
    assert asked(root, session="s1", text=OTHER, **changes).ids == []


def test_a_late_answer_is_kept_for_minutes_and_for_a_bounded_number_of_sessions(root, server):
    left(root, session="s1")
    assert asked(root, session="-", text=OTHER) is not None
    server._waiting["s1"] = dataclasses.replace(server._waiting["s1"], at=server.clock() - WAITS_S - 1)
    assert asked(root, session="s1", text=OTHER).ids == []
    for number in range(MOST_WAITING + 3):
        left(root, session=f"n{number}")
        assert asked(root, session="-", text=OTHER) is not None  # by then the one before is done with
    assert len(server._waiting) == MOST_WAITING


def test_a_late_answer_that_was_corrected_or_archived_meanwhile_is_gone(root, server):
    left(root, session="s1")
    asked(root, session="-", text=OTHER)
    server._waiting["s1"] = dataclasses.replace(server._waiting["s1"], ids=("global/tools/gone", UV))
    assert asked(root, session="s1", text=OTHER).ids == [UV]


@pytest.mark.usefixtures("server")
def test_an_index_that_turns_out_torn_costs_an_answer_not_the_server(root):
    whole = home.read(path_of(root))
    rules = [(f"Package {number}", "Install the package " + os.urandom(200).hex(), ("install",)) for number in range(60)]
    entries = [
        Entry(id=f"global/{title}", title=title, kind="finding", scope="global", created="", updated="", body=rule, applies_when=cues)
        for title, rule, cues in rules
    ]
    torn = bytearray(build_from_entries(entries, Settings())._mapped)
    start, size, _ = Index(bytes(torn))._sections.places["card"]
    assert size > 4 * BLOCK
    torn[start + BLOCK : start + size - BLOCK] = bytes(size - 2 * BLOCK)
    home.write(path_of(root), bytes(torn))
    assert asked(root) is None
    home.write(path_of(root), whole)
    assert asked(root).ids == [UV]


class Failing(HashingEncoder):
    """Gives what an encoder must not, from the given call on."""

    def __init__(self, gives, after):
        self.gives, self.after = gives, after

    def encode(self, texts, *, query=False):
        self.after -= 1
        rows = super().encode(texts, query=query)
        return rows if self.after >= 0 else self.gives(rows)


@pytest.mark.parametrize("after", [2, 3], ids=["entries", "the question"])  # two go to the probe
@pytest.mark.parametrize("gives", [lambda rows: rows * np.nan, lambda rows: rows[:-1], lambda rows: rows[:, :9]], ids=["NaN", "count", "width"])
def test_an_encoder_that_gives_no_vectors_costs_the_meaning_not_the_answer(root, gives, after):
    shelf = Shelf(root, Failing(gives, after), "", generation)
    shelf.index()
    shelf.finish()
    answer = primed(shelf, QUESTION)
    assert answer["ids"] == [UV]
    assert "meaning" not in answer["rankings"]
    assert "the encoder gave" in shelf.trouble


def test_an_encoder_whose_vectors_say_nothing_is_left_out_and_said_so(root):
    shelf = Shelf(root, Failing(lambda rows: rows * 0 + rows[:1] * 0 + 1, 1), "", generation)
    shelf.index()
    shelf.finish()
    assert primed(shelf, QUESTION)["ids"] == [UV]
    assert "does not tell" in shelf.trouble


class Slow:
    """A reranker that takes a given time by a given clock, and prefers what it is told to."""

    name = "slow/1"

    def __init__(self, seconds, favourite=""):
        self.seconds, self.favourite, self.now, self.asked = seconds, favourite, 0.0, 0

    def clock(self):
        return self.now

    def score(self, question, texts):  # noqa: ARG002 -- the protocol names it
        self.now += self.seconds
        self.asked += 1
        return [1.0 if self.favourite and self.favourite in text else 0.0 for text in texts]


def shelved(root, reranker):
    shelf = Shelf(root, HashingEncoder(), "", generation, reranker, clock=reranker.clock)
    shelf.index()
    shelf.finish()
    return shelf


def test_a_reranker_that_a_hook_can_wait_for_takes_part(root):
    reranker = Slow(0.01, "push")
    shelf = shelved(root, reranker)
    assert shelf.state == "warm"
    assert not shelf.trouble
    signals = shelf.signals(Query("install a package", "shop"))
    assert "rerank" in signals
    assert "rerank" in primed(shelf, QUESTION)["rankings"]


def test_a_reranker_too_slow_for_hooks_is_left_out_and_said_so(root):
    shelf = shelved(root, Slow(0.2))
    assert shelf.state == "warm"
    assert "200 ms for 20 entries" in shelf.trouble
    assert "rerank" not in shelf.signals(Query("install a package", "shop"))


@pytest.mark.usefixtures("server")
def test_a_new_generation_is_followed_without_a_restart(root):
    assert asked(root, text="deploy on tuesdays").ids == []
    save(root, ("Deploy on Tuesdays", "We deploy on Tuesdays only.", ("deploy",)))
    assert asked(root, text="shall we deploy on tuesdays").ids == ["global/tools/deploy-on-tuesdays"]


@pytest.mark.usefixtures("server")
def test_the_socket_is_for_us_alone(root):
    assert stat.S_IMODE(os.stat(wire.path_of(root)).st_mode) == 0o600
    assert stat.S_IMODE(os.stat(root).st_mode) == 0o700


@pytest.mark.parametrize(
    "data",
    [
        (2 << 30).to_bytes(4, "big"),
        (0).to_bytes(4, "big"),
        (5).to_bytes(4, "big") + b"nope!",
        (2).to_bytes(4, "big") + b"[]",
        (2).to_bytes(4, "big") + b"{}",
    ],
)
@pytest.mark.usefixtures("server")
def test_a_frame_that_is_none_of_ours_is_hung_up_on_and_the_next_is_answered(root, data):
    assert raw(root, data) == b""
    assert asked(root) is not None


def test_a_question_of_another_home_or_version_is_refused(root, server):
    with pytest.raises(ValueError, match="another home"):
        server.reply({"home": "/elsewhere", "version": wire.VERSION, "verb": "prime"})
    with pytest.raises(ValueError, match="another home"):
        server.reply({"home": root, "version": wire.VERSION + 1, "verb": "prime"})


@pytest.mark.usefixtures("server")
def test_another_user_is_kept_out_by_the_folder_and_behind_it_by_the_server():
    python = shutil.which("python3", path="/usr/bin:/bin:/usr/local/bin")
    nobody = ["setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups"]
    if os.geteuid() != 0 or not shutil.which("setpriv") or not python:
        pytest.skip("needs root, setpriv and an interpreter that everybody may start")
    code = (
        "import socket,sys\ns=socket.socket(socket.AF_UNIX)\n"
        "try: s.connect(sys.argv[1])\nexcept PermissionError: sys.exit(13)\n"
        "s.settimeout(20)\ntry: s.sendall((2).to_bytes(4,'big')+b'{}'); got=s.recv(9)\nexcept OSError: got=b''\n"
        "sys.exit(0 if got else 7)"
    )
    with tempfile.TemporaryDirectory() as folder:  # where others may go; the tests' own folders are closed to them
        os.chmod(folder, 0o755)
        made = home.ensure(os.path.join(folder, "h"))
        save(made, *RULES)
        ready = threading.Event()
        server = Server(made, HashingEncoder(), idle_s=20, ready=ready.set)
        worker = threading.Thread(target=server.run)
        worker.start()
        try:
            assert ready.wait(120)
            argv = [*nobody, python, "-I", "-c", code, wire.path_of(made)]
            assert subprocess.run(argv, check=False).returncode == 13
            assert server.refused == 0
            os.chmod(made, 0o755)
            os.chmod(wire.path_of(made), 0o666)  # as a careless person might
            assert subprocess.run(argv, check=False).returncode == 7
            assert server.refused == 1
        finally:
            server.stop()
            worker.join(20)


def test_the_server_says_how_it_stands(root, server):
    asked(root)
    found = standing(root)
    assert (found.state, found.encoder, found.answered, found.pid) == ("warm", server.shelf.encoder.name, 1, os.getpid())
    assert found.memory_mb > 0


def test_a_home_without_a_server_and_one_whose_server_died_say_so(root):
    assert standing(root) == Standing("absent")
    with socket.socket(socket.AF_UNIX) as dead:
        dead.bind(wire.path_of(root))
    assert standing(root) == Standing("dead")


def test_a_server_that_nobody_asks_any_more_is_idle(root, server):
    asked(root)
    server.asked -= IDLE_S
    assert standing(root).state == "idle"


def test_a_server_that_loads_its_models_is_starting(root):
    lock = home.lock_file(os.path.join(root, "serve.lock"))
    fcntl.flock(lock, fcntl.LOCK_EX)
    assert standing(root) == Standing("starting")
    os.close(lock)


@pytest.mark.usefixtures("server")
def test_a_second_server_of_the_home_is_told_so(root):
    with pytest.raises(LibraryBusy):
        Server(root, HashingEncoder(), idle_s=1).run()
    assert asked(root) is not None


def test_a_server_that_nobody_asks_ends_itself_and_a_dead_ones_socket_is_taken_over(root):
    dead = socket.socket(socket.AF_UNIX)
    dead.bind(wire.path_of(root))
    dead.close()
    assert Server(root, HashingEncoder(), idle_s=0.01).run().why == "idle"


def test_an_empty_home_answers_with_silence(tmp_path):
    empty = home.ensure(str(tmp_path / "e"))
    server = Server(empty, HashingEncoder(), idle_s=0.01)
    assert server.run().why == "idle"
    assert server.reply({"home": empty, "version": wire.VERSION, "verb": "prime", "text": "install"})["ids"] == []


def test_a_home_too_deep_for_a_socket_says_so(tmp_path):
    deep = home.ensure(str(tmp_path / ("d" * 90)))
    with pytest.raises(StorageFailed, match="longer than"):
        Server(deep, HashingEncoder(), idle_s=0.01).run()
