"""What ``ultan decay`` costs beyond start-up: ``python tests/bench/decaying.py [ENTRIES]`` (10,000 by default).

Prints JSON: processor seconds of the whole command in a real home with so many files, half of which have
faded by their age, less those of ``ultan --version``: the first run, which reads every file, and the runs
after it, which read what was kept. The least of some runs each, since the machine is shared.
"""

import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import latency

from ultan import home
from ultan.library.activity import note_activity
from ultan.library.rendering import render
from ultan.library.tree import UNSETTLED_NS

RUNS = 4
WORKED = 300


def filled(folder, count):
    """A home with *count* entries, written over the last *WORKED* days, all of them days of work."""
    root = home.ensure(os.path.join(folder, "home"))
    today = datetime.now(UTC).date()
    days = [(today - timedelta(days=back)).isoformat() for back in range(WORKED)]
    for day in days:
        note_activity(root, ["proj"], day)
    for number, entry in enumerate(latency.entries(count)):
        path = os.path.join(root, "knowledge", entry.path)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        born = days[number % WORKED]
        with open(path, "w", encoding="utf-8") as file:
            file.write(render(replace(entry, created=born, updated=born)))
    return root


def spent(root, *argv):
    """Processor seconds of one command, and what it said."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    environ = {**os.environ, "ULTAN_HOME": root}
    said = subprocess.run([sys.executable, "-m", "ultan", *argv], env=environ, stdout=subprocess.PIPE, check=True, text=True).stdout
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, said


def main(count):
    with tempfile.TemporaryDirectory() as folder:
        root = filled(folder, count)
        time.sleep(2 * UNSETTLED_NS / 1e9)  # files at rest, as a library's are
        start = min(spent(root, "--version")[0] for _ in range(RUNS))
        first, said = spent(root, "decay", "--json")
        later = min(spent(root, "decay")[0] for _ in range(RUNS))
        dry = min(spent(root, "decay", "--dry-run")[0] for _ in range(RUNS))
        told = json.loads(said)
        print(
            json.dumps(
                {
                    "entries": count, "start_up_s": round(start, 2), "first_s": round(first - start, 2),
                    "later_s": round(later - start, 2), "dry_run_s": round(dry - start, 2), "waiting": len(told["waiting"]),
                },
                indent=1,
            )
        )  # fmt: skip


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 10_000)
