"""What a compile costs, by size: ``python tests/bench/compiling.py [SIZE ...]`` (1,000 and 10,000 by default).

Prints JSON: CPU seconds of a lexical compile, the index's bytes over the text's, and how many times
the seconds of the smallest size each size takes; the best of three runs, since the machine is shared.
"""

import json
import os
import sys
import tempfile
import time

import latency

from ultan import home
from ultan.recall.compile import Draft, entry_text
from ultan.recall.index import open_index, path_of
from ultan.settings import Settings


def measured(count: int) -> dict[str, float]:
    """CPU seconds of one compile of *count* entries, and the size of the index over its text."""
    library = latency.entries(count)
    text = sum(len(entry_text(entry).encode()) for entry in library)
    best = float("inf")
    for _ in range(3):
        began = time.process_time()
        raw = Draft(library).encoded(Settings().baked(), "bench", 0.0)
        best = min(best, time.process_time() - began)
    with tempfile.TemporaryDirectory() as folder:
        root = home.ensure(os.path.join(folder, "home"))
        home.write(path_of(root), raw)
        assert open_index(root).size == len(library)
    return {"entries": count, "cpu_s": round(best, 3), "index_bytes": len(raw), "index_over_text": round(len(raw) / text, 2)}


def main() -> None:
    """Measure every size and print the rows."""
    sizes = [int(word) for word in sys.argv[1:] if word.isdigit()] or [1000, 10000]
    rows = [measured(size) for size in sizes]
    for row in rows:
        row["times_the_smallest"] = round(row["cpu_s"] / rows[0]["cpu_s"], 2)
    print(json.dumps(rows, indent=2))


if __name__ == "__main__":
    main()
