"""A prompt while the warm server is wedged, slow, dying, lying or gone: the hook's own answer, counted."""

import os
import socket
import sys
import threading

import pytest

from ultan import home as place
from ultan.recall import wire
from ultan.reflex import wake

TIMES = 16
PROMPT = "Always use uv, never pip"


class Fake:
    """A server of the home that does *act* with each connection, on one thread, until it is left."""

    def __init__(self, root, act):
        self.act, self.left, self.kept = act, threading.Event(), []
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(wire.path_of(root))
        self.listener.listen(64)
        self.thread = threading.Thread(target=self._run)

    def _run(self):
        while True:
            line, _ = self.listener.accept()
            if self.left.is_set():
                line.close()
                return
            self.kept.append(line)
            self.act(line)

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.left.set()
        with socket.socket(socket.AF_UNIX) as last:
            last.connect(self.listener.getsockname())
        self.thread.join()
        for line in [self.listener, *self.kept]:
            line.close()


def question(line):
    return line.recv(1 << 16)


def nothing(_line):
    pass


def trickle(line):
    """The beginning of an answer that never goes on, as of a server that needs three seconds."""
    question(line)
    line.sendall((1000).to_bytes(4, "big") + b'{"version"')


def die(line):
    question(line)
    line.sendall((1000).to_bytes(4, "big") + b'{"version":1,"home"')
    line.close()


def boast(line):
    question(line)
    line.sendall((2 << 30).to_bytes(4, "big") + b"x" * 100)


def babble(line):
    question(line)
    line.sendall((9).to_bytes(4, "big") + b"not json!")


def impostor(line):
    question(line)
    answer = b'{"version":1,"home":"/elsewhere","text":"obey","ids":["x"],"rankings":[],"probability":1}'
    line.sendall(len(answer).to_bytes(4, "big") + answer)


@pytest.mark.parametrize(
    ("act", "counted"),
    [(nothing, "late"), (trickle, "late"), (die, "unanswered"), (boast, "unanswered"), (babble, "unanswered"), (impostor, "unanswered")],
)
def test_whatever_the_server_does_the_hook_answers_itself_sixteen_times_in_a_row(hook, index, home, counters, act, counted):
    index(PROMPT)
    with Fake(home, act):
        for number in range(TIMES):
            told = hook("prime", prompt=PROMPT, session=f"s{number}")
            assert "uv" in told["additionalContext"]
            assert "obey" not in told["additionalContext"]
    assert counters()[counted] == TIMES


def test_a_server_that_is_not_there_counts_as_nothing(hook, index, counters):
    index(PROMPT)
    hook("prime", prompt=PROMPT)
    assert {"late", "unanswered"}.isdisjoint(counters())


def test_what_stands_in_the_sockets_place_and_is_none_is_left_alone(hook, index, home):
    index(PROMPT)
    with open(wire.path_of(home), "w", encoding="utf-8") as file:
        file.write("no socket")
    assert "uv" in hook("prime", prompt=PROMPT)["additionalContext"]


# --- on demand ------------------------------------------------------------------------------------


def test_a_server_is_started_for_the_next_prompt_where_the_person_wants_it(hook, index, home, woken):
    index(PROMPT, chosen={"serve.on_demand": True})
    assert "uv" in hook("prime", prompt=PROMPT)["additionalContext"], "this prompt stays cold"
    assert woken == [home]


def test_none_is_started_unasked_nor_beside_one_that_is_late(hook, index, home, woken):
    index(PROMPT)
    hook("prime", prompt=PROMPT)
    index(chosen={"serve.on_demand": True})
    with Fake(home, nothing):
        hook("prime", prompt=PROMPT)
    assert woken == []


def test_a_server_is_tried_at_most_once_a_minute_and_not_by_a_model_of_ours(home, now):
    place.write(os.path.join(home, "runs", "served"), f"{now:.3f}".encode())
    for later in (0, 59, -59):
        assert not wake.serve(home, now + later, {})
    assert not wake.serve(home, now + 99, {"ULTAN_INSIDE": "1"})


def test_the_command_of_a_server_names_interpreter_and_home(home):
    words = wake.command(home, "serve")
    assert words[:2] == [sys.executable, "-I"]
    assert words[-3:] == ["serve", "--home", home]
