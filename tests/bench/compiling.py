"""What a compile costs, by size: ``python tests/bench/compiling.py [SIZE ...]`` (1,000 and 10,000 by default).

Prints JSON: CPU seconds of a lexical compile of everything and of one after a single entry changed (the
best of some runs each, since the machine is shared), what part of the former the latter is, the
index's bytes over the text's, and how many times the seconds of the smallest size each size takes;
beside them, what reading the files of the library takes, all of them and by the snapshot that was kept.
The home is a real one in a temporary folder: what is kept between compiles is read and written as always.
``--neighbours SIZE`` measures instead, by the product's own ``ultan rebuild`` on files, what near terms
add: wall and CPU seconds of a first run, which embeds every word, and of one that finds their vectors kept.
Every compile of everything runs in a process of its own, as a command does: tables of words that an
earlier one filled would flatter it, and the smaller library more.
"""

import dataclasses
import hashlib
import json
import os
import resource
import subprocess
import sys
import tempfile
import time

import latency

from ultan import home
from ultan.library import memo
from ultan.library.entry import Entry
from ultan.library.rendering import render
from ultan.library.snapshot import Library, read_library
from ultan.library.store import FileStore
from ultan.library.tree import UNSETTLED_NS
from ultan.recall import leaves
from ultan.recall.compile import compile as compile_index
from ultan.recall.index import open_index
from ultan.settings import Settings

PROCESSES, CHANGED_RUNS = 3, 7


def library_of(entries: list[Entry]) -> Library:
    """A snapshot of *entries* as they would lie on disk."""
    digests = {entry.path: hashlib.sha256(repr(entry).encode()).hexdigest() for entry in entries}
    return Library({entry.id: entry for entry in entries}, {}, fingerprint="bench", digests=digests)


def measured(count: int) -> dict[str, float]:
    """CPU seconds of compiles of *count* entries, and the size of the index over its text; once, in this process."""
    entries = latency.entries(count)
    text = sum(len(leaves.entry_text(entry).encode()) for entry in entries)
    settings = Settings()
    with tempfile.TemporaryDirectory() as folder:
        root = home.ensure(os.path.join(folder, "home"))
        changed = float("inf")
        began = time.process_time()
        made = compile_index(library_of(entries), root, settings)
        full = time.process_time() - began
        for run in range(CHANGED_RUNS):
            at = run * len(entries) // CHANGED_RUNS
            entries[at] = dataclasses.replace(entries[at], body=f"{entries[at].body} once more {run}")
            one = library_of(entries)
            began = time.process_time()
            made = compile_index(one, root, settings)
            changed = min(changed, time.process_time() - began)
        assert open_index(root).size == len(entries)
    return {
        "entries": count, "cpu_s": full, "one_changed_cpu_s": changed, "index_bytes": made.size_bytes,
        "index_over_text": round(made.size_bytes / text, 2),
    }  # fmt: skip


def best(count: int) -> dict[str, float]:
    """The least that some processes needed, each of which measured once."""
    argv = [sys.executable, os.path.abspath(__file__), "--once", str(count)]
    rows = [json.loads(subprocess.run(argv, stdout=subprocess.PIPE, check=True).stdout) for _ in range(PROCESSES)]
    full, changed = (min(row[name] for row in rows) for name in ("cpu_s", "one_changed_cpu_s"))
    return {
        **rows[0], "cpu_s": round(full, 3), "one_changed_cpu_s": round(changed, 3), "one_changed_part": round(changed / full, 4)
    }  # fmt: skip


def reading(count: int) -> dict[str, float]:
    """CPU seconds of reading *count* files, all of them and when nobody touched them since they were last read."""

    def later() -> int:
        return time.time_ns() + 10 * UNSETTLED_NS

    with tempfile.TemporaryDirectory() as folder:
        root = on_disk(folder, count)
        took = []
        for _ in range(3):
            store = FileStore(root, clock=later)
            began = time.process_time()
            library = read_library(store)
            took.append(time.process_time() - began)
            memo.keep(root, library)
        return {"read_all_cpu_s": round(took[0], 3), "read_kept_cpu_s": round(min(took[1:]), 3)}


def on_disk(folder: str, count: int) -> str:
    """A home in *folder* with *count* entries as files."""
    root = home.ensure(os.path.join(folder, "home"))
    for entry in latency.entries(count):
        path = os.path.join(root, "knowledge", entry.path)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(render(entry))
    return root


def neighbours(count: int) -> dict[str, object]:
    """What `ultan rebuild` takes with near terms, words embedded and words known."""
    with tempfile.TemporaryDirectory() as folder:
        root = on_disk(folder, count)
        row: dict[str, object] = {"entries": count}
        for name in ("words_new", "words_kept"):
            before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
            argv = [sys.executable, "-m", "ultan", "rebuild", "--json"]
            done = subprocess.run(argv, env={**os.environ, "ULTAN_HOME": root, "HOME": folder}, stdout=subprocess.PIPE, check=True)
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            row[name + "_wall_s"] = round(time.perf_counter() - began, 1)
            row[name + "_cpu_s"] = round(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, 1)
            row["encoder"] = json.loads(done.stdout)["encoder"]
        return {**row, "terms": open_index(root).terms}


def main() -> None:
    """Measure every size and print the rows."""
    if "--neighbours" in sys.argv:
        print(json.dumps(neighbours(int(sys.argv[-1])), indent=2))
        return
    if "--once" in sys.argv:
        print(json.dumps(measured(int(sys.argv[-1]))))
        return
    sizes = [int(word) for word in sys.argv[1:] if word.isdigit()] or [1000, 10000]
    rows = [{**best(size), **reading(size)} for size in sizes]
    for row in rows:
        row["times_the_smallest"] = round(row["cpu_s"] / rows[0]["cpu_s"], 2)
    print(json.dumps(rows, indent=2))


if __name__ == "__main__":
    main()
