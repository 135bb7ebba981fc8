"""Every hand-broken library is named; a clean one gives no finding."""

import os
import shlex
import shutil

import pytest

from ultan import home
from ultan.library.actions import Archive, Cite, Deprecate, TriggerSpec
from ultan.library.check import findings
from ultan.library.executor import execute, settle
from ultan.library.store import FileStore

NOW = 1_780_000_000.0
HEAD = "title: T\nkind: convention\nscope: global\ncreated: 2026-05-01\nupdated: 2026-05-01\n"


@pytest.fixture(scope="module")
def whole(tmp_path_factory, words):
    """A home with some history behind it, in which every promise holds."""
    create, _, pieces, _ = words
    root = home.ensure(str(tmp_path_factory.mktemp("whole") / "home"))
    store = FileStore(root)
    said = pieces({"u": "no, always use uv, never pip", "t": ("tool:Bash", "a curl script")})
    execute(
        store,
        [create(), create("Old way", "Use conda."), create("Gone", "Use make.", folder="global/tools"),
         create("Block", "No force push.", triggers=(TriggerSpec(pattern="push --force", severity="block"),))],
        now=NOW, by="person",
    )  # fmt: skip
    execute(store, [Deprecate(entry="old-way", reason="r", superseded_by="global/always-use-uv"), Archive(entry="gone")], now=NOW, by="person")
    wishes = [
        create("Curl", "A curl script.", folder="projects/x", kind="finding", cite=("t", "curl")),
        Deprecate(entry="block", reason="r", evidence=(Cite(event="t", quote="curl"),)),
    ]
    execute(store, wishes, now=NOW, by="scholar", session="s", sources=said)
    return root


@pytest.fixture
def made(whole, tmp_path):
    """A copy of it, to be broken."""
    return shutil.copytree(whole, str(tmp_path / "home"))


def codes(root):
    return {finding.code for finding in findings(root, NOW)}


def test_a_clean_library_gives_no_finding(made):
    assert findings(made, NOW) == []
    assert findings(made) == []


def test_an_empty_home_gives_no_finding(tmp_path):
    assert findings(home.ensure(str(tmp_path / "home")), NOW) == []


def test_a_missing_home_is_named(tmp_path):
    assert [each.code for each in findings(str(tmp_path / "none"))] == ["no-home"]


def file(path, text):
    def breaks(root):
        os.makedirs(os.path.dirname(os.path.join(root, path)), 0o700, exist_ok=True)
        with open(os.open(os.path.join(root, path), os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as out:
            out.write(text if isinstance(text, bytes) else text.encode("utf-8", "surrogatepass"))

    return breaks


def entry(front, body="Rule.\n", path="knowledge/global/always-use-uv.md"):
    return file(path, f"---\n{front}---\n\n{body}")


def swap(path, old, new):
    def breaks(root):
        with open(os.path.join(root, path)) as source:
            text = source.read()
        assert old in text, text
        file(path, text.replace(old, new, 1))(root)

    return breaks


UV, OLD, BLOCK, CURL, GONE = (
    f"knowledge/{name}.md"
    for name in ("global/always-use-uv", "global/old-way", "global/block", "projects/x/curl", "_archive/global/tools/gone")
)
LOG = "journal/operations.jsonl"


def link(path, target):
    return lambda root: os.symlink(target, os.path.join(root, path))


def some_history(root):
    return os.path.join("history", min(os.listdir(os.path.join(root, "history"))))


def foreign(root):
    entry(HEAD, path="knowledge/global/new.md")(root)
    settle(FileStore(root), ["global/new.md"], NOW)


def append_log(text):
    def breaks(root):
        with open(os.path.join(root, LOG), "ab") as out:
            out.write(text)

    return breaks


BROKEN = {
    "no frontmatter": (file(UV, "Just text.\n"), "no-frontmatter"),
    "an empty file": (file(UV, ""), "no-frontmatter"),
    "unclosed frontmatter": (file(UV, "---\ntitle: x\n"), "unclosed"),
    "no YAML": (entry('title: "abc "def""\n'), "unreadable"),
    "an alias bomb": (entry("a: &a [x]\nb: [*a, *a]\n"), "unreadable"),
    "a python tag": (entry("a: !!python/object/apply:os.system [ls]\n"), "unreadable"),
    "a duplicate key": (entry(HEAD + "title: U\n"), "duplicate-key"),
    "an unknown kind": (entry(HEAD.replace("convention", "rule")), "unknown-kind"),
    "an unknown status": (entry(HEAD + "status: gone\n"), "unknown-status"),
    "a scope that disagrees": (entry(HEAD.replace("global", "project:x")), "scope"),
    "an id that disagrees": (entry(HEAD + "id: global/other\n"), "id"),
    "a file outside the two trees": (entry(HEAD, path="knowledge/stray.md"), "misplaced"),
    "a project without a folder": (entry(HEAD, path="knowledge/projects/stray.md"), "misplaced"),
    "not UTF-8": (file(UV, b"---\ntitle: \xff\xfe\n---\n"), "not-utf8"),
    "too large": (entry(HEAD, "x" * 70000), "too-large"),
    "frontmatter too large": (entry(HEAD + "# x\n" * 3000), "too-large"),
    "a half-finished merge": (entry(HEAD, "<<<<<<< HEAD\na\n=======\nb\n>>>>>>> x\n"), "half-merged"),
    "a conflict copy": (entry(HEAD, path="knowledge/global/a.sync-conflict-20260501.md"), "conflict-copy"),
    "a symbolic link to a file": (link("knowledge/global/l.md", "/etc/passwd"), "link"),
    "a symbolic link to a folder": (link("knowledge/global/l", "/etc"), "link"),
    "a linked history": (link("history/l", "/etc/passwd"), "link"),
    "a hard link": (lambda root: os.link(os.path.join(root, UV), os.path.join(root, "knowledge/global/twin.md")), "hard-link"),
    "a named pipe": (lambda root: os.mkfifo(os.path.join(root, "knowledge/global/p.md"), 0o600), "special-file"),
    "a name with a control character": (entry(HEAD, path="knowledge/global/a\x1bb.md"), "odd-name"),
    "a dangling link": (entry(HEAD, "See [[global/none]].\n"), "dangling-link"),
    "a dangling follower": (entry(HEAD + "superseded_by: global/none\nstatus: deprecated\n"), "dangling-reference"),
    "a follower that does not know": (swap(UV, "supersedes:", "subject:"), "one-sided"),
    "a superseded entry that says active": (swap(OLD, "status: deprecated", "status: active"), "superseded-active"),
    "superseded in a circle": (swap(UV, "trust: person", "trust: person\nsuperseded_by: global/old-way"), "circle"),
    "a README that lies": (swap("knowledge/global/README.md", "always-use-uv", "never-use-uv"), "drift"),
    "a catalog that lies": (swap("knowledge/index.md", "Always use uv", "Never use uv"), "drift"),
    "a README that is gone": (lambda root: os.unlink(os.path.join(root, "knowledge/global/README.md")), "drift"),
    "markers that do not pair up": (swap("knowledge/global/README.md", "<!-- /ultan:children -->", ""), "markers"),
    "a log.md that is gone": (lambda root: os.unlink(os.path.join(root, "knowledge/log.md")), "no-log"),
    "an unfinished commit": (file("journal/00000099/operation.json", "{}"), "journal"),
    "a commit never made": (file("journal/00000099.tmp/0", "x"), "journal"),
    "a torn operation log": (append_log(b'{"v":1,'), "log-torn"),
    "a foreign line in the operation log": (append_log(b"hello\n"), "log-line"),
    "an operation changed afterwards": (swap(LOG, '"by":"person"', '"by":"nobody"'), "log-changed"),
    "an operation cut out": (
        lambda root: file(LOG, b"".join(open(os.path.join(root, LOG), "rb").readlines()[1:]))(root),  # noqa: SIM115 -- a test
        "log-chain",
    ),
    "history that was changed": (lambda root: file(some_history(root), "x")(root), "history"),
    "history that is gone": (lambda root: os.unlink(os.path.join(root, some_history(root))), "history-gap"),
    "a held suggestion that is torn": (file("pending/0002-x.json", "{"), "pending"),
    "an event that is torn": (file("queue/new/1.json", "{"), "queue"),
    "events set aside": (file("queue/dead/1.json", "{}"), "set-aside"),
    "a file of an agent's tool": (foreign, "foreign"),
    "a trigger RE2 cannot compile": (swap(BLOCK, "push --force", "(?!x)push"), "bad-trigger"),
    "a trigger without a pattern": (entry(HEAD + "triggers: [{tool: Bash}]\n"), "bad-trigger"),
    "a block that catches everything": (swap(BLOCK, "push --force", ".*"), "broad-block"),
    "a block nobody confirmed": (swap(BLOCK, "trust: person", "trust: observed"), "unvouched-block"),
    "a rule nobody confirmed": (swap(UV, "trust: person", "trust: assistant"), "unvouched-rule"),
    "a finding that never expires": (swap(CURL, "expires:", "subject:"), "no-expiry"),
    "an unknown trust": (swap(CURL, "trust: observed", "trust: admin"), "trust"),
    "a date in the future": (swap(UV, "created: 2026-05-28", "created: 2038-01-01"), "future"),
    "a date that is none": (swap(UV, "created: 2026-05-28", "created: yesterday"), "date"),
    "no date at all": (entry(HEAD.replace("created: 2026-05-01\n", "").replace("updated: 2026-05-01\n", "")), "no-date"),
    "dates an editor put in another order": (entry(HEAD.replace("created: 2026-05-01", "created: 2026-05-09")), "date-order"),
    "a counter of a million": (entry(HEAD + "reinforced: 1000000\n"), "large-counter"),
    "half of the entries deleted": (lambda root: [os.unlink(os.path.join(root, path)) for path in (UV, CURL)], "deleted"),
    "a project that is gone": (
        file("projects.json", '{"roots": {"/nowhere/x": "x"}, "identities": {}, "waiting": {}}'), "no-project",
    ),
    "a counter that is none": (entry(HEAD + "fired: many\n"), "counter"),
    "a strength out of range": (entry(HEAD + "encoding_strength: 7\n"), "strength"),
    "no title": (entry(HEAD.replace("title: T\n", "")), "no-title"),
    "two names for one thing": (entry(HEAD + "type: warn\n"), "alias"),
    "no rule": (entry(HEAD, ""), "empty"),
    "a credential": (entry(HEAD, "Use ghp_" + "aB3dE5gH7jK9" * 3 + " for it.\n"), "credential"),
    "invisible characters": (entry(HEAD, "Use \u202euv.\n"), "invisible"),
    "archived among the living": (entry(HEAD + "archived: 2026-05-01\n"), "half-archived"),
    "active in the archive": (swap(GONE, "status: stale", "status: active"), "half-revived"),
    "names that differ in case": (entry(HEAD, path="knowledge/global/Always-Use-Uv.md"), "twin"),
    "a wider mode": (lambda root: os.chmod(os.path.join(root, UV), 0o644), "mode"),
    "a folder others may enter": (lambda root: os.chmod(os.path.join(root, "knowledge"), 0o755), "mode"),
    "a write never finished": (file("knowledge/global/.uv.md.1.aa.tmp", "x"), "temporary"),
    "a broken setting": (file("config.toml", "[priming]\nentries = 'many'\n"), "settings"),
    "a torn page of counters": (file("counters", "x"), "counters"),
    "every entry gone": (
        lambda root: [os.unlink(os.path.join(root, path)) for path in (UV, OLD, BLOCK, CURL, GONE)], "lost",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_library_is_named_and_left_as_it_is(made, name):
    breaks, code = BROKEN[name]
    breaks(made)
    before = tree(made)
    found = findings(made, NOW)
    assert code in {finding.code for finding in found}, found
    assert all(finding.message and finding.remedy for finding in found)
    assert tree(made) == before


def tree(root):
    found = {}
    for folder, _, names in os.walk(root):
        for name in names:
            path = os.path.join(folder, name)
            found[path] = os.lstat(path).st_mtime_ns if not os.path.isfile(path) else open(path, "rb").read()  # noqa: SIM115 -- a test
    return found


def test_a_file_of_another_user_is_named(made):
    if os.geteuid() != 0:
        pytest.skip("only root can give a file away")
    os.chown(os.path.join(made, UV), 65534, 65534)
    assert "owner" in codes(made)


def test_many_files_that_others_may_read_are_one_line_with_a_remedy_to_paste(made):
    for path in (UV, OLD, BLOCK):
        os.chmod(os.path.join(made, path), 0o644)
    (found,) = [each for each in findings(made, NOW) if each.code == "mode"]
    assert "and 2 more" in found.message
    assert found.remedy == f"chmod -R go-rwx {shlex.quote(made)}"
