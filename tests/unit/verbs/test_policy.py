"""How far each project may be learned from: the person's modes, and a repository's own file."""

import os

import pytest

from ultan import home, spool
from ultan.errors import UsageError
from ultan.events import Event, Piece
from ultan.library.held import pending
from ultan.library.snapshot import read_library
from ultan.library.store import FileStore
from ultan.settings import Settings
from ultan.verbs.curate import curate
from ultan.verbs.policy import Terms, approve, is_excluded, modes, policy, terms

NOON = 1_780_000_000.0
RULE = "From now on always use uv in this repo, never pip."
PUSH = "Please never push to main without asking me, ever."


@pytest.fixture
def root(tmp_path):
    return home.ensure(str(tmp_path / "home"))


@pytest.fixture
def shop(tmp_path):
    folder = tmp_path / "shop"
    folder.mkdir()
    return folder


def queue(root, text, *, session, project="shop", folder="", pieces=(), at=NOON - 100):
    said = [Piece(spool.new_id(at), "user", text), *pieces]
    spool.put(root, Event(spool.new_id(at), at, "prompt", client="claude-code", session=session, project=project, root=str(folder), pieces=said))


def run(root, **chosen):
    return curate(root, Settings(chosen), now=lambda: NOON, sleep=lambda _: None)


def entries(root):
    return read_library(FileStore(root)).entries


def test_each_project_has_its_own_mode(root):
    queue(root, RULE, session="s1")
    queue(root, PUSH, session="s2", project="cook")
    queue(root, RULE, session="s3", project="closed")
    report = run(root, **{"curation.modes": ("shop=ask", "closed=off")})
    assert report.pending == 1
    assert [item.session for item in pending(FileStore(root))] == ["s1"]
    assert len(entries(root)) == 1
    assert [event.session for event in spool.take(root, spool.backlog(root))] == ["s3"]
    run(root)
    assert spool.backlog(root) == []


def test_a_mode_that_is_no_word_of_ours_holds_for_review():
    assert modes(Settings({"curation.modes": "shop=perhaps, cook = off ,bare"})) == {"shop": "ask", "cook": "off", "bare": "ask"}


def test_a_project_that_is_off_holds_up_no_other(root):
    for place in range(5):
        queue(root, RULE, session=f"s{place}", project="closed", at=NOON - 500)
    queue(root, RULE, session="open")
    report = run(root, **{"curation.modes": ("closed=off",)})
    assert (report.sessions, report.backlog) == (1, 5)


def test_a_policy_file_counts_only_while_its_bytes_are_approved_and_is_told_once(root, shop):
    (shop / ".ultan.toml").write_text('mode = "ask"\n')
    queue(root, RULE, session="s1", folder=shop)
    assert run(root).pending == 0
    assert len(entries(root)) == 1
    told = home.read(os.path.join(root, "news")).decode()
    assert told.startswith("remembered 1. ")
    assert "`ultan config --approve-policy`" in told
    home.remove(os.path.join(root, "news"))
    queue(root, "I prefer tabs over spaces, always.", session="s2", folder=shop)
    run(root)
    assert "approve" not in home.read(os.path.join(root, "news")).decode()
    approve(root, "shop", str(shop))
    queue(root, PUSH, session="s3", folder=shop)
    assert run(root).pending == 1
    (shop / ".ultan.toml").write_text('mode = "auto"\n')
    assert not policy(root, "shop", str(shop)).is_approved
    (shop / ".ultan.toml").write_text('mode = "ask"\n')
    assert policy(root, "shop", str(shop)).is_approved


@pytest.mark.parametrize(
    ("person", "repository", "both"), [("auto", "ask", "ask"), ("ask", "auto", "ask"), ("auto", "off", "off"), ("off", "auto", "off")]
)
def test_the_stricter_of_person_and_repository_holds(root, shop, person, repository, both):
    (shop / ".ultan.toml").write_text(f'mode = "{repository}"\n')
    approve(root, "shop", str(shop))
    assert terms(root, Settings({"curation.mode": person}), "shop", str(shop)).mode == both


def test_excluded_files_are_not_read(root, shop):
    (shop / ".ultan.toml").write_text('exclude = ["secrets/**", "*.pem"]\n')
    approve(root, "shop", str(shop))
    said = terms(root, Settings(), "shop", str(shop))

    def meets(path):
        return is_excluded(Piece("x", f"file:{path}", "text"), said)

    assert meets(shop / "secrets" / "a" / "b.txt")
    assert meets("secrets/key.txt")
    assert meets(shop / "deep" / "server.pem")
    assert not meets(shop / "src" / "secrets.py")
    assert not is_excluded(Piece("x", "user", "secrets/key.txt"), said)
    assert not is_excluded(Piece("x", "file:secrets/key.txt", "text"), Terms("auto"))


@pytest.mark.parametrize(
    ("origin", "about", "text", "is_out"),
    [
        ("tool:Bash", "Bash: cat secrets/key.txt", "hunter2", True),
        ("tool:Bash", "Bash: cat ./secrets/key.txt | head", "x", True),
        ("tool:Bash", "Bash: openssl x509 -in=certs/server.pem", "x", True),
        ("tool:Bash", "Bash: ls secrets", "key.txt", True),
        ("tool:Grep", "Grep: password", "src/app.py:3:x\nsecrets/key.txt:1:hunter2", True),
        ("subagent", "Task: read 'secrets/key.txt' and tell me", "it says hunter2", True),
        ("mcp:files", "mcp__files__read: secrets/deep/key.txt", "hunter2", True),
        ("web:example.com", "WebFetch: https://example.com/server.pem", "x", True),
        ("tool:Bash", "Bash: git commit -m 'no keys here'", "ok", False),
        ("tool:Bash", "Bash: make test", "src/app.py:3: failed\nerror: no", False),
        ("user", "", "look at secrets/key.txt", False),
        ("assistant", "", "secrets/key.txt: it is empty", False),
    ],
)
def test_what_a_tool_gave_of_an_excluded_file_is_not_read_either(origin, about, text, is_out):
    said = Terms("auto", "/shop", ("secrets/**", "*.pem"))
    assert is_excluded(Piece("x", origin, text, about=about), said) is is_out


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("mode = 'strict'", "mode is one of"), ("by = 'claude'", "by is neither"), ("exclude = 'x'", "list of globs"),
        ("mode =", "Invalid value"), ("#" * 70_000, "larger"),
    ],
)
def test_a_policy_that_cannot_be_read_is_never_approved(root, shop, text, fault):
    (shop / ".ultan.toml").write_text(text)
    assert fault in policy(root, "shop", str(shop)).fault
    with pytest.raises(UsageError, match="cannot be read"):
        approve(root, "shop", str(shop))


def test_nothing_is_approved_where_there_is_nothing(root, shop):
    with pytest.raises(UsageError, match="there is no"):
        approve(root, "shop", str(shop))
    (shop / ".ultan.toml").write_text('mode = "ask"\n')
    with pytest.raises(UsageError, match="there is no"):
        approve(root, "", str(shop))
