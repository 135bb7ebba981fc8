"""What hostile input meets first, each as a function of raw bytes that raises only what it may.

``test_fuzz_inputs.py`` runs them for a moment with hypothesis, ``tests/crash/fuzz.py`` for as
long as one likes with its own mutations. A target returns nothing; whatever it lets out is a fault.
"""

import os
import shutil
import signal
import socket
import tempfile
import threading

from ultan import events, home, housekeeping, plainjson, redaction, reflex, spool
from ultan.clients import claude_transcript
from ultan.errors import IndexUnreadable, InvalidEntry, UltanError
from ultan.library import upkeep
from ultan.library.body import wikilinks
from ultan.library.entry import parse
from ultan.library.operation import decode as decode_operation
from ultan.library.port import checked_path
from ultan.library.rendering import edited, render
from ultan.library.snapshot import read_library
from ultan.library.twin import MemoryStore
from ultan.recall import commands, shell, wire
from ultan.recall.compile import compile as compile_index
from ultan.recall.index import open_index, path_of
from ultan.settings import Settings

NOW = 1_780_000_000.0


def text_of(raw):
    return raw.decode("utf-8", "replace")


def plain_json(raw):
    """stdin of a hook, a queue file, a line of a transcript."""
    try:
        value = plainjson.loads(text_of(raw))
    except plainjson.NotJson:
        return
    said = plainjson.dumps(value)
    assert (
        plainjson.dumps(plainjson.loads(said)) == said
    )  # what has no JSON (infinity) became null the first time


def queue_file(raw):
    try:
        event = events.decode(raw)
    except ValueError:
        return
    assert events.decode(event.encode()).encode() == event.encode()


def entry_file(raw):
    """A file of the library: read, or refused by name; rendered and edited without loss."""
    try:
        entry = parse(text_of(raw), "projects/shop/x.md")
    except InvalidEntry:
        return
    try:
        again = parse(render(entry), entry.path)
    except InvalidEntry:
        return  # what a person may write by hand is wider than what we write
    assert (again.title, again.kind, again.trust, again.triggers) == (
        entry.title,
        entry.kind,
        entry.trust,
        entry.triggers,
    )
    try:
        assert parse(edited(entry.raw, {"fired": 7}), entry.path).fired == 7
    except InvalidEntry:
        return  # an edit that cannot be proved is refused


def links_and_markers(raw):
    body = text_of(raw)
    for target in wikilinks(body):
        assert "]]" not in target
    once = upkeep.with_listing(body.replace("\r", ""), "global", "- a\n")
    assert upkeep.with_listing(once, "global", "- a\n") == once
    upkeep.with_listing(body, "global", "- a\n")
    upkeep.relinked(body, {"global/a": "global/b"}, {"a": "global/a"})


def library_path(raw):
    """A path as a hostile curator would name it: inside, or refused."""
    try:
        path = checked_path(text_of(raw))
    except UltanError:
        return
    assert not path.startswith("/")
    assert ".." not in path.split("/")
    assert "\0" not in path


def operation_line(raw):
    try:
        decode_operation(text_of(raw))
    except (ValueError, KeyError, TypeError, UltanError):
        return


def whole_library(raw):
    """A library of files somebody else wrote: read whole, compiled, nothing let out."""
    parts = text_of(raw).split("\f")
    files = {f"global/f{number}.md": part for number, part in enumerate(parts[:6])}
    library = read_library(MemoryStore(files))
    assert len(library.entries) + len(library.archived) + len(library.unreadable) >= 0


def command_line(raw):
    line = text_of(raw)
    found = commands.of_line(line)
    assert len(found) <= 40 * shell.MOST_COMMANDS
    commands.subjects("Bash", {"command": line})


def any_redaction(raw):
    text = text_of(raw)
    once, count = redaction.redact(text)
    assert count >= 0
    assert redaction.redact(once) == (once, 0)
    kept, _ = redaction.neutral(text)
    assert redaction.neutral(kept) == (kept, 0)
    redaction.strip_private(text)
    redaction.is_sensitive_path(text)
    redaction.names_sensitive_path(text)


class Place:
    """A throw-away home for the targets that need a disk."""

    def __init__(self):
        self.folder = tempfile.mkdtemp(prefix="ultan-fuzz-")
        self.root = home.ensure(os.path.join(self.folder, "home"))
        self.project = os.path.join(self.folder, "shop")
        os.mkdir(self.project)
        settings = Settings({"curation.wake": False})
        library = read_library(
            MemoryStore(
                {
                    "global/uv.md": "---\nid: global/uv\ntitle: Use uv\nkind: convention\nscope: global\n---\nUse uv.\n"
                }
            )
        )
        compile_index(library, self.root, settings, now=NOW)
        self.good = home.read(path_of(self.root))
        self.count = 0

    def close(self):
        shutil.rmtree(self.folder, ignore_errors=True)

    def transcript(self, raw):
        path = os.path.join(self.folder, "t.jsonl")
        with open(path, "wb") as file:
            file.write(raw)
        reading = claude_transcript.read(path, 0, 1 << 20)
        assert 0 <= reading.offset <= len(raw)
        for piece in reading.pieces:
            assert piece.text
            assert len(piece.text) <= 17 * 1024

    def index_file(self, raw):
        """An index with other bytes: refused, or read to the same answers; never a crash."""
        with open(path_of(self.root), "wb") as file:
            file.write(raw)
        try:
            index = open_index(self.root)
            for number in range(min(index.size, 50)):
                index.card(number)
        except IndexUnreadable:
            pass

    def index_flip(self, raw):
        """The good index with a few bytes changed, as the input says."""
        changed = bytearray(self.good)
        for at in range(0, len(raw) - 3, 4):
            changed[int.from_bytes(raw[at : at + 3], "big") % len(changed)] ^= raw[at + 3] or 1
        self.index_file(bytes(changed))

    def hook(self, raw):
        """Anything on the stdin of any verb: exit 0, one JSON object or nothing."""
        if not os.path.exists(path_of(self.root)) or home.read(path_of(self.root)) != self.good:
            with open(path_of(self.root), "wb") as file:
                file.write(self.good)
        verb = reflex.VERBS[len(raw) % len(reflex.VERBS)]
        given, answered = os.path.join(self.folder, "in"), os.path.join(self.folder, "out")
        with open(given, "wb") as file:
            file.write(raw.replace(b"CWD", self.project.encode()))
        stdin, stdout = os.open(given, os.O_RDONLY), os.open(answered, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        try:
            environ = {"HOME": self.folder, "ULTAN_HOME": self.root}
            status = reflex.run(verb, [], stdin, stdout, environ, NOW)
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.setitimer(signal.ITIMER_PROF, 0)
            os.close(stdin)
            os.close(stdout)
        assert status == 0
        said = home.read(answered)
        if said:
            assert isinstance(plainjson.loads(said.decode()), dict)
        assert housekeeping.counters(self.root)["failed"] == 0, home.read(os.path.join(self.root, "trouble.jsonl"))
        self.count += 1
        if self.count % 200 == 0:
            spool.done(self.root, spool.backlog(self.root))

    def socket_frame(self, raw):
        """A server that answers anything: no answer, or a checked one; in time."""
        path = wire.path_of(self.root)
        if os.path.exists(path):
            os.unlink(path)
        listener = socket.socket(socket.AF_UNIX)
        listener.bind(path)
        listener.listen(1)
        listener.settimeout(2)

        def serve():
            try:
                peer, _ = listener.accept()
                with peer:
                    peer.sendall(raw)
            except OSError:
                return

        thread = threading.Thread(target=serve)
        thread.start()
        try:
            answer = wire.ask(self.root, "prime", {"text": "x"}, 0.5)
            assert answer is None or isinstance(answer.text, str)
        finally:
            thread.join()
            listener.close()


PURE = {
    "plain json": plain_json, "queue file": queue_file, "entry": entry_file, "links and markers": links_and_markers,
    "library path": library_path, "operation line": operation_line, "library": whole_library,
    "command line": command_line, "redaction": any_redaction,
}  # fmt: skip
ON_DISK = ("transcript", "index file", "index flip", "hook", "socket frame")

SEEDS = {
    "plain json": [b'{"a": [1, 2.5, null, true, "x\\ud83d"], "b": {"c": "\\u0000"}}', b"[" * 300, b'{"a":1,"a":2}', b"1" * 5000, b"\xff\xfe{}"],
    "queue file": [b'{"v":1,"id":"x","at":1e999,"kind":"prompt"}', b'{"v":1,"id":"x","at":' + b"9" * 400 + b',"kind":"prompt"}', events.Event("0190-ab", 1.0, "prompt", session="s", pieces=[events.Piece("p", "user", "hi")]).encode()],
    "entry": [
        (b"---\nid: projects/shop/x\ntitle: Use uv\nkind: convention\nscope: project:shop\ncreated: 2026-01-05\nupdated: 2026-01-05\n"
        b"tags: [a, b]\ntriggers:\n  - tool: Bash\n    pattern: 'pip install'\n    severity: block\nevidence:\n  - session: s\n    turn: p\n"
        b"    quote: 'x: y'\nencoding_strength: 0.5\n---\n\nUse uv.\n\n**Why** it is fast\n\n## Related\n- [[global/a]]\n"),
        b"\xef\xbb\xbf---\r\ntitle: x\r\n---\r\nbody", b"---\ntitle: [a\n---\n", b"---\na: &x [*x]\n---\n", b"---\n!!python/object:os.system x\n---\n",
    ],
    "links and markers": [b"see [[a]] and [[global/b|name]] `[[no]]`\n<!-- ultan:children -->\n- x\n<!-- /ultan:children -->\n", b"[[" * 200],
    "library path": [b"global/a.md", b"../x", b"projects/a/../b", b"/etc/passwd", "global/\u202e.md".encode(), b"a\x00b", b"con.md"],
    "operation line": [b'{"v":1,"number":1,"at":1.0,"by":"person","actions":[["create","global/a",""]],"changes":[],"prev":"","digest":"x"}'],
    "library": [b"---\ntitle: a\n---\nx [[global/f1]]\f---\ntitle: b\nsuperseded_by: global/f0\n---\ny", b"no frontmatter\f\f---\n"],
    "command line": [b"sudo env A=1 sh -c 'git push --force; rm -rf /' && cat <<EOF | tee x\nbody $(date)\nEOF\n# comment", b"echo \"a $(b `c`) 'd' \\\" e\" > f 2>&1 &", b"((((" * 50],
    "redaction": [b"password: hunter22abc token=abc123def456ghi789 https://u:p4ssw0rd@h/x", b"-----BEGIN RSA PRIVATE KEY-----\nAAAA\n", b"eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abc", "see https://\u2028u:p4ssw0rd1@h/x and https:// u:p4ssw0rd1@h/x".encode()],
    "transcript": [
        (b'{"type":"user","uuid":"u1","timestamp":"2026-01-05T10:00:00Z","promptSource":"typed","message":{"role":"user","content":"use uv"}}\n'
        b'{"type":"assistant","uuid":"a1","message":{"role":"assistant","content":[{"type":"text","text":"ok"},{"type":"tool_use","id":"t1","name":"Bash","input":{"command":"git push"}}]}}\n'
        b'{"type":"user","uuid":"r1","toolDenialKind":"user-rejected","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":"the user said:\\nno"}]}}\n'
        b'{"type":"system","subtype":"compact_boundary","uuid":"c"}\n'),
    ],
    "index file": [b"ULTAN", b""],
    "index flip": [b"\x00\x00\x10\xff\x00\x01\x00\x01"],
    "hook": [
        b'{"hook_event_name":"UserPromptSubmit","session_id":"s","cwd":"CWD","prompt":"use uv","prompt_id":"p"}',
        b'{"hook_event_name":"PreToolUse","session_id":"s","cwd":"CWD","tool_name":"Bash","tool_input":{"command":"pip install x"},"tool_use_id":"t"}',
        b'{"hook_event_name":"PostToolUse","session_id":"s","cwd":"CWD","tool_name":"WebFetch","tool_input":{"url":"https://x.example"},"tool_response":{"result":"x"},"tool_use_id":"t"}',
        b'{"hook_event_name":"SessionStart","session_id":"s","cwd":"CWD","source":"compact"}',
    ],
    "socket frame": [b'\x00\x00\x00\x0d{"version":1}', b"\x7f\xff\xff\xff", b"\x00\x00\x00\x02[]"],
}  # fmt: skip


def of(name, place):
    """The target called *name*; those on disk use *place*."""
    return PURE.get(name) or getattr(place, name.replace(" ", "_"))


def mutated(seed, random):
    """*seed* with a handful of changes: bytes, pieces of itself, numbers, hostile letters."""
    data = bytearray(seed)
    for _ in range(random.randint(1, 6)):
        at = random.randrange(len(data) + 1)
        match random.randrange(8):
            case 0 if data:
                data[at % len(data)] = random.randrange(256)
            case 1:
                data[at:at] = random.randbytes(random.randint(1, 8))
            case 2 if data:
                end = min(len(data), at + random.randint(1, 30))
                del data[at:end]
            case 3 if data:
                start = random.randrange(len(data))
                data[at:at] = data[start : start + random.randint(1, 60)]
            case 4:
                data[at:at] = random.choice(HOSTILE)
            case 5:
                data[at:at] = str(random.choice((0, -1, 2**63, 10**400, 1e308))).encode()[:400]
            case 6:
                data[at:at] = bytes([random.choice(b"{}[]\"':,\\\n-#|&;<>$`()*~!")]) * random.choice(
                    (1, 1, 1, 50)
                )
            case _ if data:
                data = data[: random.randrange(len(data)) + 1]
    return bytes(data[:65536])


HOSTILE = (
    b"\x00", b"\xff", b"\xed\xa0\x80", b"\\ud800", b"\xe2\x80\xae", b"\xf3\xa0\x81\x81", b"\xef\xbb\xbf", b"NaN", b"Infinity", b"---\n",
    b"\r\n", b"\r", b"\x1b]52;c;x\x07", b"&a *a", b"!!python/x ", b"<<: ", b"../", b"[[", b"]]", b"<private>", b"</", b"\xe2\x80\xa8", b"\t",
    b"'\"'", b"$((", b"<<'E'\n", b"\\\n", b"null", b"[redacted:", "\u0130".encode(), "\U0001f469\u200d\U0001f469".encode(),
)  # fmt: skip
