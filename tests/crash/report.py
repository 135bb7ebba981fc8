"""Writes ``docs/reliability.md``: each promise with its trials, failures and seed.

``python tests/crash/report.py`` runs what the table names and then writes the page. ``--long``
adds the slow and long tests, two thousand random kills and a million fuzzed inputs. ``--junit FILE``,
``--kills FILE`` and ``--fuzz FILE`` (repeatable) take results that were made before instead.
"""

import argparse
import json
import os
import platform
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ET
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
PAGE = ROOT / "docs" / "reliability.md"

# Promise → what it says, the tests that hold it (parts of their ids), and what else is to be said.
PROMISES = {
    "R1": ("an acknowledged capture survives a kill, a durable one a power cut", ("crash/test_kills.py::test_a_capture", "crash/test_power_cut.py::test_a_durable", "unit/test_spool.py", "kills:captures", "crash/test_load.py::test_fifty", "test_hook_matrix.py::test_a_prompt_of"), ""),
    "R2": ("a torn or foreign record costs only itself", ("unit/test_spool.py::test_torn", "fuzz:queue file"), ""),
    "R3": ("no reader sees a half-written entry", ("crash/test_failpoints.py", "crash/test_syscalls.py", "crash/test_together.py", "crash/test_power_cut.py", "library/test_store.py::test_derived", "unit/test_home.py::test_what_killed"), ""),
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
    "R20": ("names are plain and unique on every disk", ("library/test_snapshot.py::test_names", "library/test_executor.py::test_folders_that", "library/test_executor.py::test_a_title", "fuzz:library path"), ""),
    "R21": ("no path leaves the library, no link is followed", ("contract/test_stores.py::test_no_path", "library/test_store.py::test_a_symbolic", "library/test_store.py::test_a_link", "library/test_store.py::test_special", "test_attacks.py::test_a11", "test_attacks.py::test_a25", "crash/test_links.py", "or_nothing[index_a_pipe]"), ""),
    "R22": ("hostile sizes and shapes are survived", ("property/test_fuzz_inputs.py", "library/test_entry.py", "reflex/test_reflex_door.py::test_broken", "reflex/test_reflex_door.py::test_too_much", "fuzz:", "or_nothing[stdin", "test_hook_matrix.py::test_a_prompt_of", "crash/test_load.py::test_a_hundred"), ""),
    "R23": ("other users are out", ("unit/test_home.py::test_everything", "unit/test_home.py::test_wide", "library/test_store.py::test_files_are", "serving/test_socket.py::test_the_socket_is_for_us", "or_nothing[home_of_another]"), ""),
    "R24": ("the server is optional", ("serving/test_socket.py", "fuzz:socket frame"), ""),
    "R25": ("the web page and MCP", ("serving/test_mcp.py", "serving/test_stub.py"), "The MCP server speaks over stdio. What HTTP needs (Host, Origin, token, CSP; attack A29) comes with the web page."),
    "R26": ("terminal output is inert", ("unit/cli/", "test_redaction.py::test_text_that_would", "test_redaction.py::test_any_text_becomes", "test_attacks.py::test_a28"), ""),
    "R27": ("many hooks at once lose nothing", ("crash/test_locks.py::test_two_hundred", "crash/test_together.py::test_ten", "crash/test_load.py::test_two_hundred", "crash/test_load.py::test_fifty", "test_hook_contract.py::test_of_200"), ""),
    "R28": ("versions", ("test_index.py::test_an_index_of_a_newer", "test_spool.py::test_torn", "serving/test_socket.py::test_a_question_of"), ""),
    "R29": ("the repository we stand in is hostile", ("test_attacks.py::test_a21", "test_attacks.py::test_a22", "test_reflex_door.py::test_a_home_inside", "test_plugin.py::test_a_hostile_project"), ""),
    "R30": ("a shared PostgreSQL", (), "Comes with PostgreSQL; nothing of it is there yet, so nothing can break it."),
    "R31": ("everything is accounted for", ("test_attacks.py::test_a24", "contract/test_stores.py::test_operations", "library/test_executor.py::test_a_file_that_an_agent", "library/test_executor.py::test_an_entry_that_an_agent"), ""),
    "R32": ("rotation loses nothing", ("unit/test_home.py::test_trouble", "library/test_upkeep.py::test_the_log"), "The queue is a directory and is never rotated; only the bounded notes are."),
}  # fmt: skip
LONG_FUZZ = ("--seconds", "600", "--inputs", "1000000")
COUNTS = ("trials", "points", "places")


class Case:
    """One test as it ran."""

    def __init__(self, node: ET.Element) -> None:
        self.id = node.get("classname", "").replace(".", "/") + ".py::" + node.get("name", "")
        tags = {child.tag for child in node}
        self.failed = bool(tags & {"failure", "error"})
        self.skipped = "skipped" in tags
        values = [item.get("value", "") for item in node.iter("property") if item.get("name") in COUNTS]
        numbers = [
            int(value.split()[0]) for value in values if value.split()[:1] and value.split()[0].isdigit()
        ]
        self.trials = max([1, *numbers])


def run_tests(*, long: bool) -> Path:
    """Run the suite; the file of its results."""
    target = Path(tempfile.mkdtemp()) / "junit.xml"
    marks = "slow or long or not slow" if long else "not slow and not long"
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-n",
        "0",
        "-m",
        marks,
        f"--junitxml={target}",
        "-o",
        "junit_family=xunit1",
    ]
    subprocess.run([*command, "tests"], cwd=ROOT, check=False, stdout=sys.stderr)
    return target


def run_script(name: str, *words: str) -> object:
    done = subprocess.run(
        [sys.executable, str(HERE / name), *words], cwd=ROOT, check=False, capture_output=True, text=True
    )
    return json.loads(done.stdout)


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


def page(cases: list[Case], kills: list[dict], fuzzed: list[dict], *, long: bool) -> tuple[str, int]:
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
        f"Machine: {platform.system()} {platform.release().split('-')[0]}, {os.cpu_count()} cores, Python {platform.python_version()}.", "",
    ]  # fmt: skip
    if broken:
        lines += ["Failed in this run:", "", *(f"- `{name}`" for name in broken), ""]
    return "\n".join(lines), sum(failures for _, _, failures in rows)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--long", action="store_true")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--junit", type=Path, action="append")
    parser.add_argument("--kills", type=Path, action="append")
    parser.add_argument("--fuzz", type=Path, action="append")
    chosen = parser.parse_args()
    files = chosen.junit or [run_tests(long=chosen.long)]
    cases = {case.id: case for path in files for case in map(Case, ET.parse(path).iter("testcase"))}
    many = ("1400", "700") if chosen.long else ("40", "10")
    seed = str(chosen.seed)
    kills = [item for path in chosen.kills or () for item in json.loads(path.read_text())] or run_script(
        "kills.py", "--captures", many[0], "--curates", many[1], "--seed", seed
    )
    fuzzed = [
        item for path in chosen.fuzz or () for item in json.loads(path.read_text())["rows"]
    ] or run_script("fuzz.py", *(LONG_FUZZ if chosen.long else ("--seconds", "20")), "--seed", seed)["rows"]
    text, failures = page(list(cases.values()), kills, fuzzed, long=chosen.long)
    PAGE.write_text(text, encoding="utf-8")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
