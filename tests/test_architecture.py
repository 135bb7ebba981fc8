"""The rules of the house that a machine can check: rungs, the fast-side law, names, side effects.

The rungs stand here as data. Imports are read from the syntax tree, function bodies
included, so a lazy import cannot hide a cycle.
"""

import ast
import json
import os
import subprocess
import sys
from collections import Counter
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "ultan"

# Import only from lower rungs, or from one's own room. A longer prefix goes before a shorter one.
RUNGS = {
    "ultan.errors": 0, "ultan.plainjson": 0, "ultan.failpoints": 0.1, "ultan.home": 0.2, "ultan.homes": 0.25, "ultan.housekeeping": 0.25, "ultan.settings": 0.4, "ultan.credentials": 0.3, "ultan.values": 0.32,
    "ultan.announced": 0.34, "ultan.sightings": 0.36, "ultan.redaction": 0.4, "ultan.veil": 0.45,
    "ultan.events": 1, "ultan.spool": 1.2, "ultan.projects": 1.2,
    "ultan.llm": 1.6, "ultan.encoders": 1.6, "ultan.clients": 2, "ultan.library": 2,
    "ultan.recall.text": 1.4, "ultan.recall": 3, "ultan.staff": 4, "ultan.verbs": 5, "ultan.serving": 5.5, "ultan.reflex": 6,
    "ultan.cli": 7, "ultan.__main__": 8, "ultan": -1,
}  # fmt: skip

# † standard library and google-re2 only, by law. A trailing dot means the whole package.
FAST = (
    "ultan", "ultan.__main__", "ultan.errors", "ultan.home", "ultan.homes", "ultan.failpoints", "ultan.settings", "ultan.redaction", "ultan.veil", "ultan.credentials", "ultan.values", "ultan.announced",
    "ultan.sightings", "ultan.events",
    "ultan.spool", "ultan.projects", "ultan.plainjson", "ultan.clients.", "ultan.reflex.", "ultan.recall",
    "ultan.recall.text", "ultan.recall.index", "ultan.recall.mapping", "ultan.recall.ranking", "ultan.recall.signals", "ultan.recall.silence",
    "ultan.recall.rendering", "ultan.recall.second_look", "ultan.recall.topic", "ultan.recall.triggers",
    "ultan.recall.commands", "ultan.recall.shell", "ultan.recall.briefing", "ultan.recall.situations", "ultan.recall.tongues", "ultan.recall.wire", "ultan.recall.patterns",
)  # fmt: skip
# Each costs a hook milliseconds it does not have (ARCHITECTURE.md, measured).
SLOW_STANDARD = frozenset((
    "json", "re", "typing", "dataclasses", "pathlib", "logging", "subprocess", "asyncio", "tomllib", "importlib.metadata",
    "importlib.resources", "socket", "hashlib", "inspect", "tempfile", "shutil", "urllib", "http", "email", "random", "sqlite3",
    "datetime", "argparse", "unittest", "ctypes", "threading", "multiprocessing", "concurrent", "difflib", "textwrap",
))  # fmt: skip
# Modules whose slow imports stand in functions that no hook calls (terminal paths, fallbacks).
FORBIDDEN_WORDS = frozenset(
    ("util", "utils", "helper", "helpers", "manager", "service", "handler", "processor", "common", "base", "misc", "data", "info")
)
# Not drawers: what a bench reads, and the client's own word for a plugin's folder (CLAUDE_PLUGIN_DATA).
ALLOWED_NAMES = frozenset(("DataSet", "_data_folder"))
WRITES = {"replace", "rename", "unlink", "remove", "rmdir", "mkdir", "makedirs", "symlink", "link", "truncate", "ftruncate", "chmod"}


@cache
def modules() -> dict[str, Path]:
    found = {}
    for path in sorted(PACKAGE.rglob("*.py")):
        parts = path.relative_to(ROOT).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


@cache
def tree(name: str) -> ast.Module:
    return ast.parse(modules()[name].read_text(encoding="utf-8"))


def imports(name: str) -> list[tuple[str, int]]:
    """Every module that *name* imports at run time, with the line; annotations-only imports are no dependency."""
    found = []
    hidden = {
        id(inner)
        for node in ast.walk(tree(name))
        if isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"
        for inner in ast.walk(node)
    }
    for node in ast.walk(tree(name)):
        if id(node) in hidden:
            continue
        if isinstance(node, ast.Import):
            found += [(alias.name, node.lineno) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{name}:{node.lineno} imports relatively"
            origin = node.module or ""
            inner = [f"{origin}.{alias.name}" for alias in node.names]
            found += [(path, node.lineno) for path in inner if path in modules()]
            if any(path not in modules() for path in inner):
                found.append((origin, node.lineno))
    return found


def rung(name: str) -> float:
    while name not in RUNGS:
        name = name.rpartition(".")[0]
    return RUNGS[name]


def room(name: str) -> str:
    return ".".join(name.split(".")[:2])


def is_fast(name: str) -> bool:
    return any(name == row.rstrip(".") or (row.endswith(".") and name.startswith(row)) for row in FAST)


def ours(found: list[tuple[str, int]]) -> list[tuple[str, int]]:
    return [(target, line) for target, line in found if target == "ultan" or target.startswith("ultan.")]


@pytest.mark.parametrize("name", sorted(modules()))
def test_a_module_imports_only_from_lower_rungs(name):
    for target, line in ours(imports(name)):
        assert room(target) == room(name) or rung(target) < rung(name), f"{name}:{line} imports {target}"


@pytest.mark.parametrize("name", [name for name in sorted(modules()) if is_fast(name)])
def test_the_fast_side_never_imports_the_slow_side(name):
    for target, line in imports(name):
        if target.startswith("ultan"):
            assert is_fast(target) or name == "ultan.__main__", f"{name}:{line} imports {target}"
        else:
            top = target.partition(".")[0]
            assert top in sys.stdlib_module_names or top == "re2", f"{name}:{line} imports {target}"


@pytest.mark.parametrize("name", [name for name in sorted(modules()) if is_fast(name)])
def test_the_fast_side_imports_nothing_slow_at_module_level(name):
    for node in tree(name).body:
        inner = [node] if isinstance(node, (ast.Import, ast.ImportFrom)) else []
        if isinstance(node, ast.Try):
            inner = [part for part in node.body if isinstance(part, (ast.Import, ast.ImportFrom))]
        for part in inner:
            targets = [part.module or ""] if isinstance(part, ast.ImportFrom) else [alias.name for alias in part.names]
            for target in targets:
                assert not is_slow(target), f"{name}:{part.lineno} imports {target} before it is needed"


def is_slow(name: str) -> bool:
    return any(name == slow or name.startswith(slow + ".") for slow in SLOW_STANDARD)


def test_no_import_makes_a_cycle_lazy_ones_included():
    graph = {
        name: {target for target, _ in ours(imports(name)) if target in modules() and target != name}
        for name in modules()
    }
    state: dict[str, int] = {}

    def visit(name: str, path: tuple[str, ...]) -> None:
        state[name] = 1
        for target in sorted(graph[name]):
            assert state.get(target) != 1, " → ".join((*path, name, target))
            if target not in state:
                visit(target, (*path, name))
        state[name] = 2

    for name in sorted(graph):
        if name not in state:
            visit(name, ())


def words(name: str) -> set[str]:
    parted = "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in name)
    return set(parted.replace(".", "_").split("_"))


@pytest.mark.parametrize("name", sorted(modules()))
def test_no_name_is_a_drawer(name):
    assert not words(name) & FORBIDDEN_WORDS, name
    for node in ast.walk(tree(name)):
        if isinstance(node, (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)):
            assert node.name in ALLOWED_NAMES or not words(node.name) & FORBIDDEN_WORDS, f"{name}:{node.lineno} {node.name}"


@pytest.mark.parametrize("name", [name for name in sorted(modules()) if name not in ("ultan.home", "ultan.housekeeping")])
def test_only_the_home_writes(name):
    for node in ast.walk(tree(name)):
        if not isinstance(node, ast.Call):
            continue
        place = f"{name}:{node.lineno}"
        called = node.func
        if isinstance(called, ast.Name) and called.id == "open":
            mode = node.args[1] if len(node.args) > 1 else next((k.value for k in node.keywords if k.arg == "mode"), None)
            text = mode.value if isinstance(mode, ast.Constant) else ("r" if mode is None else "?")
            assert not set(str(text)) & set("wax+?"), f"{place} opens for writing"
        if isinstance(called, ast.Attribute) and isinstance(called.value, ast.Name) and called.value.id in ("os", "shutil"):
            assert called.attr not in WRITES, f"{place} calls {called.value.id}.{called.attr}"
            assert not (called.attr == "open" and "O_WRONLY" in ast.dump(node)), f"{place} opens for writing"
            assert called.value.id != "shutil" or called.attr in ("which", "disk_usage", "get_terminal_size"), place
        if isinstance(called, ast.Attribute):
            assert called.attr not in ("write_text", "write_bytes"), f"{place} calls {called.attr}"


def test_exactly_two_doors_catch_everything():
    broad = []
    for name in modules():
        for node in ast.walk(tree(name)):
            if isinstance(node, ast.ExceptHandler):
                caught = ast.unparse(node.type) if node.type else ""
                reraises = any(isinstance(inner, ast.Raise) and inner.exc is None for inner in ast.walk(node))
                if caught in ("", "Exception", "BaseException") and not reraises:
                    broad.append(name)
    assert sorted(set(broad)) == sorted(set(broad) & {"ultan.cli.app", "ultan.reflex"}), broad
    assert broad.count("ultan.cli.app") == 1
    assert broad.count("ultan.reflex") == 1


@pytest.mark.parametrize("name", sorted(modules()))
def test_package_faces_hold_a_protocol_and_a_table_or_nothing(name):
    if modules()[name].name == "__init__.py" and name not in ("ultan.clients", "ultan.reflex", "ultan.llm", "ultan.encoders"):
        assert len(tree(name).body) <= 1 or name == "ultan", f"{name} re-exports"


def test_nothing_of_the_workshop_is_in_the_package():
    for path in (*modules().values(), ROOT / "README.md"):
        text = path.read_text(encoding="utf-8")
        for place in (f"{ROOT.parent}/", os.path.expanduser("~/")):
            assert place == "//" or place not in text, f"{path} speaks of {place}"


# --- each hook verb in a fresh interpreter ---------------------------------------------------------

PROBE = """
import sys
sys.path[:0] = {paths!r}
from ultan import reflex
status = reflex.run({verb!r}, ["--client", "claude-code"], 0, 1, {environ!r})
sys.stdout.flush()
sys.stderr.write("\\n".join(sorted(sys.modules)))
sys.stderr.flush()
import os
os._exit(status)
"""
PAYLOADS = {
    "brief": {"hook_event_name": "SessionStart", "source": "startup"},
    "prime": {"hook_event_name": "UserPromptSubmit", "prompt": "set up the python environment with pip please"},
    "notice": {"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {"command": "pip install flask"}, "tool_use_id": "t1"},
    "capture": {"hook_event_name": "PostToolUse", "tool_name": "Bash", "tool_input": {"command": "make"}, "tool_response": {"stdout": "ok", "stderr": ""}, "tool_use_id": "t2"},
}  # fmt: skip


def modules_after(verb: str, home_root: str, tmp_path: Path, session: str = "s1") -> tuple[int, str, set[str]]:
    """Status, stdout and the loaded modules of one hook, started as installed hooks are: isolated, without site."""
    import re2

    project = tmp_path / "project"
    project.mkdir(exist_ok=True)
    payload = {"session_id": session, "transcript_path": "", "cwd": str(project), **PAYLOADS[verb]}
    environ = {"HOME": str(tmp_path), "ULTAN_HOME": home_root, "CLAUDE_PROJECT_DIR": str(project), "ULTAN_CURATION__WAKE": "no"}
    paths = [str(ROOT), str(Path(re2.__file__).parent.parent if Path(re2.__file__).name == "__init__.py" else Path(re2.__file__).parent)]
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", PROBE.format(paths=paths, verb=verb, environ=environ)],
        input=json.dumps(payload).encode(), capture_output=True, check=False, timeout=30, env={**environ, "PATH": os.defpath},
    )  # fmt: skip
    return done.returncode, done.stdout.decode(), set(done.stderr.decode().split("\n"))


@pytest.fixture(scope="module")
def lived_in_home(tmp_path_factory):
    """A home with a rule, a trigger and a compiled index, so that hooks walk their whole path."""
    root = tmp_path_factory.mktemp("lived") / "home"
    environ = {"HOME": str(root.parent), "ULTAN_HOME": str(root), "PATH": os.defpath}
    subprocess.run(
        [sys.executable, "-m", "ultan", "save", "Always use uv, never pip", "--scope", "global",
         "--trigger", r"Bash:\bpip install\b", "--cue", "python environment"],
        env=environ, cwd=root.parent, check=True, capture_output=True, timeout=60,
    )  # fmt: skip
    return str(root)


@pytest.mark.parametrize("verb", sorted(PAYLOADS))
def test_a_hook_loads_only_the_fast_side(verb, lived_in_home, tmp_path):
    status, _, loaded = modules_after(verb, lived_in_home, tmp_path)
    assert status == 0
    assert "ultan.reflex" in loaded
    for name in sorted(loaded):
        top = name.partition(".")[0]
        if top == "ultan":
            assert is_fast(name), f"{verb} loads {name}"
        else:
            assert top in sys.stdlib_module_names or top in ("re2", "_re2", "__main__"), f"{verb} loads {name}"
            assert not is_slow(name) or "re2" in loaded, f"{verb} loads {name}"


def test_the_hooks_of_that_home_really_answer(lived_in_home, tmp_path):
    status, said, _ = modules_after("notice", lived_in_home, tmp_path, "s2")
    assert status == 0
    assert "uv" in json.loads(said)["hookSpecificOutput"]["additionalContext"]
    status, said, _ = modules_after("prime", lived_in_home, tmp_path, "s2")
    assert status == 0
    assert "uv" in json.loads(said)["hookSpecificOutput"]["additionalContext"]


def test_shipped_hooks_are_what_the_client_module_would_install():
    from ultan.clients import claude_code

    shipped = json.loads((ROOT / "hooks" / "hooks.json").read_text(encoding="utf-8"))["hooks"]
    assert set(shipped) == set(claude_code.EVENTS)
    for event, row in claude_code.EVENTS.items():
        text = json.dumps(shipped[event])
        assert row[0] in text, f"{event} does not run {row[0]}"


# Not parted yet; a module that is leaves this list.
TWO_IDEAS = {"ultan.staff.subjects"}


def test_a_module_holds_one_idea_in_at_most_400_lines(record_property):
    sizes = {name: len(path.read_text(encoding="utf-8").splitlines()) for name, path in modules().items()}
    record_property("largest", json.dumps(sorted(((size, name) for name, size in sizes.items()), reverse=True)[:10]))
    over = {name for name, size in sizes.items() if size > 400}
    assert over <= TWO_IDEAS, f"look for the second idea: {sorted(over - TWO_IDEAS)}"


def test_no_two_test_modules_have_one_name():
    names = Counter(path.name for path in (ROOT / "tests").rglob("test_*.py"))
    assert [name for name, times in names.items() if times > 1] == [], "pytest collects only the first of them"
