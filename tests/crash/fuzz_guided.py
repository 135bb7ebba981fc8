"""One target with inputs that grow toward new code: ``python tests/crash/fuzz_guided.py TARGET --seconds 60``.

Needs atheris (3.0.0 for Python 3.11); without it nothing is done, and that is said. The report is
JSON as that of ``fuzz.py``; ``--corpus DIR`` keeps what found new code, to begin with it next time.
"""

import argparse
import json
import os
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / "property"), str(HERE.parent.parent)]

try:
    import atheris
except ImportError:
    sys.stderr.write("atheris is not installed: nothing was fuzzed\n")
    sys.exit(0)

with atheris.instrument_imports(include=["ultan", "targets"], enable_loader_override=False):
    import targets


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--corpus", type=Path)
    parser.add_argument("target", choices=sorted(targets.PURE))
    chosen = parser.parse_args()
    corpus = chosen.corpus or Path(tempfile.mkdtemp(prefix="ultan-corpus-"))
    corpus.mkdir(parents=True, exist_ok=True)
    for number, seed in enumerate(targets.SEEDS[chosen.target]):
        (corpus / f"seed-{number}").write_bytes(seed)
    target, count = targets.PURE[chosen.target], 0
    end = time.monotonic() + chosen.seconds

    def tried(raw: bytes) -> None:
        nonlocal count
        count += 1
        target(raw)
        if time.monotonic() >= end:  # libFuzzer's own end takes the process with it, and the count too
            row = {"target": chosen.target, "inputs": count, "uncaught": 0, "seed": chosen.seed, "corpus": len(os.listdir(corpus))}
            sys.stdout.write(json.dumps({"seconds": chosen.seconds, "inputs": count, "rows": [row]}, indent=1) + "\n")
            sys.stdout.flush()
            os._exit(0)

    atheris.Setup([sys.argv[0], f"-seed={chosen.seed}", "-max_len=65536", "-timeout=20", str(corpus)], tried)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
