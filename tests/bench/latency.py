"""How long hooks take, as ratios to the interpreter alone: ``python tests/bench/latency.py``.

Every command is run whole, as the client runs it (``sh -c`` of the installed line), interleaved
in one run with the bare interpreter ``-I -c pass``, so that a busy machine slows both. Prints
JSON; ``--check`` exits 1 where a bound is broken, ``--out FILE`` keeps it too. The whole table, with a
hundred thousand entries (a minute or two to compile): ``--sizes 1000,10000,100000``.
`ultan bench latency` measures what is installed.
"""

import argparse
import json
import os
import sys
import tempfile

from ultan import housekeeping
from ultan.clients import claude_code
from ultan.verbs.bench_latency import BOUNDS, bench_latency, entries, measured, payloads, quantile

__all__ = ["BOUNDS", "default_argv", "entries", "measured", "payloads", "quantile"]


def default_argv(python: str) -> dict[str, list[str]]:
    """The hook lines of this checkout, each as the client starts it."""
    import re2

    import ultan

    folders = [os.path.dirname(os.path.dirname(os.path.abspath(module.__file__))) for module in (ultan, re2)]
    return {verb: ["/bin/sh", "-c", claude_code.hook_line(python, folders, verb)] for verb in BOUNDS}


def main() -> int:
    """Run, print JSON, and say by the status whether the bounds hold."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=120)
    parser.add_argument("--entries", type=int, default=10_000)
    parser.add_argument("--sizes", default="1000", help="more libraries in which prompts are primed, such as 1000,100000")
    parser.add_argument("--out", help="also write the JSON there")
    parser.add_argument("--hook-commands", help="JSON file: verb → argv, as `ultan doctor --json` prints it")
    parser.add_argument("--check", action="store_true", help="exit 1 where a bound is broken")
    words = parser.parse_args()
    argv_of, python = default_argv(sys.executable), sys.executable
    if words.hook_commands:
        with open(words.hook_commands, encoding="utf-8") as file:
            found = json.load(file)
        argv_of = found.get("hook_commands", found)
    with tempfile.TemporaryDirectory(prefix="ultan-bench-") as folder:
        project = os.path.join(folder, "proj")
        os.makedirs(project)
        result = bench_latency(
            argv_of, python, rounds=words.rounds, count=words.entries, root=os.path.join(folder, "home"), project=project,
            sizes=[int(size) for size in words.sizes.split(",") if size], save=[python, "-m", "ultan", "save"],
        )  # fmt: skip
    print(json.dumps(result, indent=1))
    if words.out:
        housekeeping.replace(words.out, (json.dumps(result, indent=1) + "\n").encode())
    return 1 if words.check and not result["kept"] else 0


if __name__ == "__main__":
    sys.exit(main())
