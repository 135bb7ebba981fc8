"""Waking the curator, what was chosen without an index, and the socket."""

import contextlib
import json
import os
import socket
import stat
import sys
import threading

import pytest

from ultan import home as place
from ultan import settings
from ultan.recall import wire
from ultan.reflex import wake
from ultan.reflex.chosen import EXCLUDED, chosen
from ultan.reflex.session import DEFAULTS

# --- waking ---------------------------------------------------------------------------------------


def test_the_end_of_a_turn_wakes_the_curator_and_a_tool_call_does_not(hook, woken, home):
    hook("prime", prompt="hello there")
    hook("capture", "PostToolUse", tool_name="Bash", tool_input={"command": "git commit"}, tool_response={"stdout": "x"})
    assert woken == []
    hook("capture")
    assert woken == [home]


def test_what_a_killed_session_left_is_taken_up_at_the_next_start(hook, woken, home):
    hook("prime", prompt="hello there")
    hook("brief")
    assert woken == [home]


def test_waking_can_be_switched_off(hook, woken, home):
    place.write(os.path.join(home, "config.toml"), b"[curation]\nwake = false\n")
    hook("capture")
    assert woken == []


def test_a_curator_is_started_at_most_once_in_half_a_minute(home, now):
    path = os.path.join(home, "runs", "woken")
    place.write(path, f"{now:.3f}".encode())
    for later in (0, 29, -29):
        assert not wake.wake(home, now + later, {})
    assert not wake.wake(home, now + 99, {"ULTAN_INSIDE": "1"})


def test_a_started_curator_gets_nothing_of_the_sessions_secrets_and_settings():
    environ = {
        "HOME": "/h", "PATH": "/bin", "LC_ALL": "C", "HTTPS_PROXY": "p", "no_proxy": "h", "NODE_EXTRA_CA_CERTS": "c", "CLAUDE_CONFIG_DIR": "d", "ANTHROPIC_API_KEY": "k", "ANTHROPIC_AUTH_TOKEN": "t",
        "CLAUDECODE": "1", "CLAUDE_PROJECT_DIR": "/p", "ULTAN_CURATION__BY": "claude", "PYTHONPATH": "/p", "LD_PRELOAD": "/p/x.so",
        "AWS_SECRET_ACCESS_KEY": "s", "ANTHROPIC_BASE_URL": "http://127.0.0.1:1",
    }  # fmt: skip
    assert set(wake.cleaned(environ)) == {"HOME", "PATH", "LC_ALL", "HTTPS_PROXY", "no_proxy", "NODE_EXTRA_CA_CERTS", "CLAUDE_CONFIG_DIR"}


def test_the_command_names_interpreter_and_home_absolutely(home):
    words = wake.command(home)
    assert words[0] == sys.executable
    assert words[1] == "-I"
    assert words[-3:] == ["curate", "--home", home]


# --- chosen ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", {}),
        ("[capture]\nenabled = false # now\n", {"capture.enabled": False}),
        ("[priming]\nbudget_chars = 1_000\nunknown = 3\n[notice]\nblocks=false", {"priming.budget_chars": 1000, "notice.blocks": False}),
        ('[capture]\nexcluded = ["/a", \'/b]c\']\n', {EXCLUDED: ("/a", "/b]c")}),
        ('[capture]\nexcluded = [\n  "/a",\n  "/b",\n]\nenabled = false\n', {EXCLUDED: ("/a", "/b"), "capture.enabled": False}),
        ("[capture]\nexcluded = [7]\n", {EXCLUDED: ("/**",)}),
        ('[capture]\nexcluded = ["/a\\\\b"]\n', {EXCLUDED: ("/**",)}),
        ("[capture]\nexcluded = []\n", {EXCLUDED: ()}),
        ('[projects]\nworktrees = "separate"\n', {"projects.worktrees": "separate"}),
        ("[priming]\nbudget_chars = many\n", {}),
        ("\x00[[[\n=\n= =", {}),
    ],
)
def test_a_hook_reads_the_little_it_needs_of_the_configuration(tmp_path, text, expected):
    path = tmp_path / "config.toml"
    path.write_text(text)
    assert chosen(str(path), DEFAULTS) == expected


def test_what_the_command_line_writes_is_read_alike(tmp_path):
    values = {"capture.excluded": ("/a b/**", "~/x"), "capture.enabled": False, "priming.budget_chars": 900}
    path = tmp_path / "config.toml"
    path.write_text(settings.render(values))
    loaded = settings.load(str(tmp_path), {})
    assert chosen(str(path), DEFAULTS) == values == {key: loaded[key] for key in values}


def test_a_configuration_that_cannot_be_read_excludes_everything(tmp_path):
    assert chosen(str(tmp_path), DEFAULTS) == {EXCLUDED: ("/**",)}


# --- wire -----------------------------------------------------------------------------------------


@pytest.fixture
def server(tmp_path):
    """Answers one question with the bytes that *reply* makes of it."""
    root = str(tmp_path)
    line = socket.socket(socket.AF_UNIX)
    line.bind(wire.path_of(root))
    line.listen(4)

    def serve(reply):
        def answer():
            conn, _ = line.accept()
            with conn:
                size = int.from_bytes(conn.recv(4), "big")
                raw = b""
                while len(raw) < size:
                    raw += conn.recv(size - len(raw))
                with contextlib.suppress(BrokenPipeError):  # who asked has long gone
                    conn.sendall(reply(json.loads(raw)))

        threading.Thread(target=answer, daemon=True).start()
        return root

    yield serve
    line.close()


def frame(value):
    raw = json.dumps(value).encode()
    return len(raw).to_bytes(4, "big") + raw


def good(question):
    return frame({"home": question["home"], "version": question["version"], "text": "block", "ids": ["a"], "rankings": ["words"], "probability": 0.8})


def test_a_warm_server_answers(server):
    warm = wire.ask(server(good), "prime", {"text": "x"}, 5.0)
    assert (warm.text, warm.ids, warm.rankings, warm.probability) == ("block", ["a"], ["words"], 0.8)


@pytest.mark.parametrize(
    "reply",
    [
        lambda q: frame({**json.loads(good(q)[4:]), "home": "/other"}),
        lambda q: frame({**json.loads(good(q)[4:]), "version": 99}),
        lambda q: frame({**json.loads(good(q)[4:]), "text": None}),
        lambda _: b"\x7f\xff\xff\xff",
        lambda _: b"\0\0\0\0",
        lambda _: b"",
        lambda _: b"\0\0\0\x05{}",
        lambda _: frame([]),
        lambda _: b"\0\0\0\x02{x",
    ],
)
def test_a_wrong_broken_or_cut_answer_is_none(server, reply):
    assert wire.ask(server(reply), "prime", {"text": "x"}, 5.0) is None


def test_a_server_that_never_answers_costs_the_deadline_and_no_more(server):
    assert wire.ask(server(lambda _: threading.Event().wait(0.5) or b""), "prime", {}, 0.05) is None


def test_no_socket_and_no_server_behind_it_are_none(tmp_path):
    assert wire.ask(str(tmp_path), "prime", {}) is None
    (tmp_path / "serve.sock").write_text("a plain file")
    assert wire.ask(str(tmp_path), "prime", {}) is None
    os.unlink(tmp_path / "serve.sock")
    dead = socket.socket(socket.AF_UNIX)
    dead.bind(str(tmp_path / "serve.sock"))
    dead.close()
    assert stat.S_ISSOCK(os.stat(tmp_path / "serve.sock").st_mode)
    assert wire.ask(str(tmp_path), "prime", {}) is None
