"""Writes ``docs/reliability.md``: each promise with its trials, failures and seed.

``python tests/crash/report.py`` runs what the table names and then writes the page. ``--long`` runs
the slow and long tests and two thousand random kills as well, and beside them two fuzzers for five
minutes a target and a million inputs in all: about an hour on two cores. Each part says on stderr
how long it took, and leaves its results in ``--keep DIR``.

``--junit FILE``, ``--kills FILE`` and ``--fuzz FILE`` (repeatable) take results that were made before
instead; of a test, a kind of kill or a target in two files the later counts. So a part can be run again
and the page be made anew; ``--note TEXT`` (repeatable) then says on the page which part is of which state.
"""

import argparse
import json
import os
import platform
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree as ET
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
PAGE = ROOT / "docs" / "reliability.md"

# Promise → what it says, the tests that hold it (parts of their ids), and what else is to be said.
PROMISES = {
    "R1": ("an acknowledged capture survives a kill, a durable one a power cut", ("crash/test_kills.py::test_a_capture", "crash/test_power_cut.py::test_a_durable", "unit/test_spool.py", "kills:captures", "crash/test_load.py::test_fifty", "test_hook_matrix.py::test_a_prompt_of"), ""),
    "R2": ("a torn or foreign record costs only itself", ("unit/test_spool.py::test_torn", "fuzz:queue file"), ""),
    "R3": ("no reader sees a half-written entry", ("crash/test_failpoints.py", "crash/test_syscalls.py", "crash/test_together.py", "crash/test_power_cut.py", "library/test_store.py::test_derived", "unit/test_housekeeping.py::test_what_killed"), ""),
    "R4": ("a crashed curator is resumed: nothing lost, nothing twice", ("crash/test_curate_killed.py", "crash/test_kills.py::test_a_curator", "crash/test_power_cut.py::test_a_curation", "kills:curators", "crash/test_power_cut.py::test_many_curations", "crash/test_links.py::test_what_lies"), ""),
    "R5": ("two curators never run at once", ("crash/test_locks.py::test_of_many", "crash/test_locks.py::test_a_lock_file", "verbs/test_curate.py::test_a_second_curator"), ""),
    "R6": ("a dead or stuck holder wedges nothing", ("crash/test_locks.py::test_a_stopped", "journey/test_provisioning.py::test_the_lock_of_a_dead", "test_hook_matrix.py::test_in_every_event_the_hook_exits_0_in_time_and_says_one_object_or_nothing[locks_held]", "unit/test_home.py::test_a_lock_that"), ""),
    "R7": ("Ultan never triggers itself, never spends without bound", ("reflex/test_reflex_door.py::test_our_own", "reflex/test_reflex_door.py::test_a_child_of_ours", "llm/test_governor.py", "verbs/test_curate.py::test_too_many", "verbs/test_curate.py::test_fifty"), ""),
    "R8": ("indexes are disposable, checked, never trusted", ("recall/test_index.py", "fuzz:index file", "fuzz:index flip"), ""),
    "R9": ("hooks never break the agent", ("reflex/test_reflex_door.py", "journey/test_plugin.py::test_whatever_breaks", "journey/test_plugin.py::test_every_cut", "fuzz:hook", "journey/test_hook_matrix.py", "journey/test_broken_installation.py", "unit/test_hook_contract.py"), ""),
    "R10": ("nothing is destroyed by the machine", ("property/test_library.py", "library/test_past.py"), ""),
    "R11": ("`check` finds any broken promise", ("library/test_check.py",), ""),
    "R12": ("people's edits win", ("crash/test_together.py::test_an_editor", "library/test_store.py::test_an_edit", "library/test_executor.py::test_somebody", "library/test_upkeep.py"), ""),
    "R13": ("secrets reach no disk, index, log or model", ("unit/test_redaction.py", "journey/test_secrets_everywhere.py", "fuzz:redaction"), ""),
    "R14": ("text of others never becomes an instruction without a person", ("journey/test_attacks.py", "verbs/test_hostile_models.py", "library/test_grounds.py", "staff/test_boundary.py"), ""),
    "R15": ("triggers cannot hang", ("recall/test_patterns.py", "test_attacks.py::test_a18", "fuzz:command line"), ""),
    "R16": ("a block cannot brick the agent", ("test_attacks.py::test_a17", "test_reflex_verbs.py::test_after_five", "test_reflex_verbs.py::test_an_entry_that_no_person", "test_grounds.py::test_broad"), ""),
    "R17": ("a full disk tears nothing", ("crash/test_together.py::test_a_full_disk", "crash/test_syscalls.py::test_an_error", "unit/test_home.py::test_a_failed_replace", "or_nothing[disk_full]", "or_nothing[each change of the disk"), ""),
    "R18": ("read-only, no permission, no home", ("crash/test_together.py::test_a_read_only", "crash/test_syscalls.py::test_an_error", "library/test_store.py::test_a_disk_that", "or_nothing[home_read_only]", "or_nothing[home_forbidden]", "or_nothing[home_missing]", "or_nothing[home_deleted]", "or_nothing[each change of the disk", "or_nothing[stdout_", "test_broken_installation.py::test_a_broken_home"), ""),
    "R19": ("clocks lie", ("unit/test_retention.py", "unit/test_decay.py", "llm/test_governor.py::test_a_clock", "or_nothing[clock"), ""),
    "R20": ("names are plain and unique on every disk", ("library/test_snapshot.py::test_names", "library/test_draft.py::test_folders_that", "library/test_draft.py::test_a_title", "fuzz:library path"), ""),
    "R21": ("no path leaves the library, no link is followed", ("contract/test_stores.py::test_no_path", "library/test_tree.py::test_a_symbolic", "library/test_tree.py::test_a_link", "library/test_tree.py::test_special", "test_attacks.py::test_a11", "test_attacks.py::test_a25", "crash/test_links.py", "or_nothing[index_a_pipe]"), ""),
    "R22": ("hostile sizes and shapes are survived", ("property/test_fuzz_inputs.py", "library/test_entry.py", "reflex/test_reflex_door.py::test_broken", "reflex/test_reflex_door.py::test_too_much", "fuzz:", "or_nothing[stdin", "test_hook_matrix.py::test_a_prompt_of", "crash/test_load.py::test_a_hundred"), ""),
    "R23": ("other users are out", ("unit/test_home.py::test_everything", "library/test_store.py::test_files_are", "serving/test_socket.py::test_the_socket_is_for_us", "or_nothing[home_of_another]"), ""),
    "R24": ("the server is optional", ("serving/test_socket.py", "fuzz:socket frame"), ""),
    "R25": ("the web page and MCP", ("serving/test_mcp.py", "serving/test_stub.py"), "The MCP server speaks over stdio. What HTTP needs (Host, Origin, token, CSP; attack A29) comes with the web page."),
    "R26": ("terminal output is inert", ("unit/cli/", "test_redaction.py::test_text_that_would", "test_redaction.py::test_any_text_becomes", "test_attacks.py::test_a28"), ""),
    "R27": ("many hooks at once lose nothing", ("crash/test_locks.py::test_two_hundred", "crash/test_together.py::test_ten", "crash/test_load.py::test_two_hundred", "crash/test_load.py::test_fifty", "test_hook_contract.py::test_of_200"), ""),
    "R28": ("versions", ("test_index.py::test_an_index_of_a_newer", "test_spool.py::test_torn", "serving/test_socket.py::test_a_question_of"), ""),
    "R29": ("the repository we stand in is hostile", ("test_attacks.py::test_a21", "test_attacks.py::test_a22", "test_reflex_door.py::test_a_home_inside", "test_plugin.py::test_a_hostile_project"), ""),
    "R30": ("a shared PostgreSQL", (), "Comes with PostgreSQL. Nothing of it is there yet: no module imports a driver, and pyproject.toml names none (reviewed by search)."),
    "R31": ("everything is accounted for", ("test_attacks.py::test_a24", "contract/test_stores.py::test_operations", "library/test_executor.py::test_a_file_that_an_agent", "library/test_executor.py::test_an_entry_that_an_agent"), ""),
    "R32": ("rotation loses nothing", ("unit/test_home.py::test_trouble", "library/test_upkeep.py::test_the_log"), "The queue is a directory and is never rotated; only the bounded notes are."),
}  # fmt: skip
MINUTES_EACH, INPUTS, FUZZERS = 5, 1_000_000, 2
KILLS = {True: ("1400", "700"), False: ("40", "10")}  # captures and curations of the long and the short run
COUNTS = ("trials", "points", "places")


class Case:
    """One test as it ran."""

    def __init__(self, node: ET.Element) -> None:
        self.id = node.get("classname", "").replace(".", "/") + ".py::" + node.get("name", "")
        tags = {child.tag for child in node}
        self.failed = bool(tags & {"failure", "error"})
        self.skipped = "skipped" in tags
        self.figures = [item.get("value", "") for item in node.iter("property") if item.get("name") == "figure"]
        values = [item.get("value", "") for item in node.iter("property") if item.get("name") in COUNTS]
        numbers = [
            int(value.split()[0]) for value in values if value.split()[:1] and value.split()[0].isdigit()
        ]
        self.trials = max([1, *numbers])


def run_tests(keep: Path, *, long: bool) -> Path:
    """Run the suite; the file of its results."""
    target = keep / "junit.xml"
    marks = "slow or long or not slow" if long else "not slow and not long"
    words = ["-q", "-n", "0", "-m", marks, "--durations=25", f"--junitxml={target}", "-o", "junit_family=xunit1"]
    subprocess.run([sys.executable, "-m", "pytest", *words, "tests"], cwd=ROOT, check=False, stdout=sys.stderr)
    return target


def run_kills(keep: Path, seed: int, *, long: bool) -> Path:
    """Kill captures and curators; the file of what came of it."""
    target = keep / "kills.json"
    captures, curates = KILLS[long]
    with open(target, "wb") as out:
        command = [sys.executable, str(HERE / "kills.py"), "--captures", captures, "--curates", curates, "--seed", str(seed)]
        subprocess.run(command, cwd=ROOT, check=False, stdout=out)
    return target


def start_fuzzers(keep: Path, seed: int, *, long: bool) -> list[tuple[subprocess.Popen[bytes], Path]]:
    """Fuzzers that share the targets among them, at the lowest priority; each with the file it writes."""
    sys.path.insert(0, str(ROOT / "tests" / "property"))
    import targets

    started = []
    for number in range(FUZZERS):
        names = list(targets.SEEDS)[number::FUZZERS]
        seconds = MINUTES_EACH * 60 * len(names) if long else 10
        words = ["--seconds", str(seconds), "--inputs", str(INPUTS // FUZZERS if long else 0), "--seed", str(seed), "--keep", str(keep), *names]
        target = keep / f"fuzz-{number}.json"
        with open(target, "wb") as out:
            command = [sys.executable, str(HERE / "fuzz.py"), *words]
            child = subprocess.Popen(command, cwd=ROOT, stdout=out)
        os.setpriority(os.PRIO_PROCESS, child.pid, 15)  # the tests go first
        started.append((child, target))
    return started


def _told(what: str, since: float) -> None:
    sys.stderr.write(f"{what}: {time.monotonic() - since:.0f} s\n")


def run_all(chosen: argparse.Namespace) -> None:
    """Run what no file was given for, and note where the results are."""
    if chosen.junit and chosen.kills and chosen.fuzz:
        return
    keep = chosen.keep or Path(tempfile.mkdtemp(prefix="ultan-crash-"))
    keep.mkdir(parents=True, exist_ok=True)
    begun = time.monotonic()
    fuzzers = [] if chosen.fuzz else start_fuzzers(keep, chosen.seed, long=chosen.long)
    try:
        if not chosen.junit:
            chosen.junit = [run_tests(keep, long=chosen.long)]
            _told("tests", begun)
        since = time.monotonic()
        if not chosen.kills:
            chosen.kills = [run_kills(keep, chosen.seed, long=chosen.long)]
            _told("kills", since)
        for child, _ in fuzzers:
            child.wait()
            _told("a fuzzer", begun)
    finally:
        for child, _ in fuzzers:
            child.kill()
            child.wait()
    chosen.fuzz = chosen.fuzz or [path for _, path in fuzzers]
    _told(f"all, kept in {keep}", begun)


def row(name: str, cases: list[Case], kills: list[dict], fuzzed: list[dict]) -> tuple[str, int, int]:
    """The row of promise *name*, its trials and its failures."""
    says, parts, note = PROMISES[name]
    found = {case.id: case for case in cases for part in parts if part in case.id and not case.skipped}
    trials = sum(case.trials for case in found.values())
    failures = sum(case.failed for case in found.values())
    seeds = set()
    for part in parts:
        for item in kills:
            if part == f"kills:{item['what']}":
                trials, failures = trials + item["trials"], failures + item["failures"]
                seeds.add(item["seed"])
        for item in fuzzed:
            if part.startswith("fuzz:") and part.removeprefix("fuzz:") in ("", item["target"]):
                trials, failures = trials + item["inputs"], failures + item["uncaught"]
                seeds.add(item["seed"])
    tests = f"{len(found)} tests" if found else ""
    seed = ", ".join(str(seed) for seed in sorted(seeds)) or "\u2013"
    if not parts:
        return f"| {name} | {says} | \u2013 | \u2013 | \u2013 | {note} |", 0, 0
    return (
        f"| {name} | {says} | {trials:,} | {failures} | {seed} | {'. '.join(part for part in (tests, note) if part)} |",
        trials,
        failures,
    )


def page(cases: list[Case], kills: list[dict], fuzzed: list[dict], notes: list[str], *, long: bool) -> tuple[str, int]:
    rows = [row(name, cases, kills, fuzzed) for name in PROMISES]
    inputs = sum(item["inputs"] for item in fuzzed)
    trials = sum(item["trials"] for item in kills)
    killed = sum(item["killed"] for item in kills)
    run = [case for case in cases if not case.skipped]
    broken = sorted(case.id for case in run if case.failed)
    lines = [
        "<!-- made by tests/crash/report.py; run `nox -s crash -- --long` instead of editing -->", "", "# Reliability", "",
        "Each promise with what tried it. A promise without a figure counts as unkept.",
        "Trials are test cases, or what a test counted itself (kill points, captures), plus random kills and fuzzed inputs.", "",
        "| promise | says | trials | failures | seed | |", "|---|---|---|---|---|---|", *(line for line, _, _ in rows), "",
        f"Tests: {len(run):,} run, {len(broken)} failed, {len(cases) - len(run)} skipped ({'with' if long else 'without'} the slow ones).",
        f"Random kills: {trials:,} trials, {killed:,} processes killed, {sum(item['failures'] for item in kills)} with loss, tear or difference.",
        f"Fuzzing: {inputs:,} inputs, {sum(item['uncaught'] for item in fuzzed)} uncaught.",
        f"Machine: {platform.system()} {platform.release().split('-')[0]}, {os.cpu_count()} cores, Python {platform.python_version()}.", *notes, "",
    ]  # fmt: skip
    figures = [figure for case in cases for figure in case.figures]
    if figures:
        lines += ["## Under load", "", *(f"- {figure}." for figure in figures), ""]
    if broken:
        lines += ["Failed in this run:", "", *(f"- `{name}`" for name in broken), ""]
    return "\n".join(lines), sum(failures for _, _, failures in rows)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--long", action="store_true")
    parser.add_argument("--seed", type=int, default=20261201)
    parser.add_argument("--keep", type=Path)
    parser.add_argument("--junit", type=Path, action="append")
    parser.add_argument("--kills", type=Path, action="append")
    parser.add_argument("--fuzz", type=Path, action="append")
    parser.add_argument("--note", action="append", default=[])
    chosen = parser.parse_args()
    run_all(chosen)
    cases = {case.id: case for path in chosen.junit for case in map(Case, ET.parse(path).iter("testcase"))}
    kills = list({item["what"]: item for path in chosen.kills for item in json.loads(path.read_text())}.values())
    fuzzed = list({item["target"]: item for path in chosen.fuzz for item in json.loads(path.read_text())["rows"]}.values())
    text, failures = page(list(cases.values()), kills, fuzzed, chosen.note, long=chosen.long)
    PAGE.write_text(text, encoding="utf-8")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
