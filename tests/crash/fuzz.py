"""Hostile input for as long as one likes: ``python tests/crash/fuzz.py --seconds 300 --seed 1 [TARGET …]``.

Each target gets its share of the time; with ``--inputs N`` those that need no disk go on afterwards
until *N* inputs were tried in all. The report is JSON: inputs, uncaught exceptions, seed;
an input that broke something is kept (``--keep DIR``) and printed, so that it can become a seed.
"""

import argparse
import json
import random
import sys
import time
import traceback
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / "property"), str(HERE.parent.parent)]

import targets  # noqa: E402 -- found by the line above

POOLED_BYTES = 4096  # what grows beyond is tried, and nothing grows from it: inputs stay quick


def fuzz(
    name: str, seconds: float, seed: "int | str", place: "targets.Place", keep: "Path | None", least: int = 0
) -> dict:
    """What came of *seconds*, and of *least* inputs, for the target *name*."""
    grown = random.Random(f"{seed}:{name}")
    target = targets.of(name, place)
    pool = list(targets.SEEDS[name])
    inputs, broken, slowest = 0, [], 0.0
    end = time.monotonic() + seconds
    while time.monotonic() < end or inputs < least:
        raw = targets.mutated(grown.choice(pool), grown)
        inputs += 1
        start = time.process_time()
        try:
            target(raw)
        except Exception as error:  # noqa: BLE001 -- any of them is what we look for
            where = traceback.extract_tb(error.__traceback__)[-1]
            place_of = f"{Path(where.filename).name}:{where.lineno}"
            if not any(place_of in line for line in broken):
                broken.append(f"{type(error).__name__} at {place_of}: {str(error)[:120]} <- {raw[:200]!r}")
                if keep:
                    keep.mkdir(parents=True, exist_ok=True)
                    (keep / f"{name.replace(' ', '-')}-{inputs}").write_bytes(raw)
        slowest = max(slowest, time.process_time() - start)
        if len(pool) < 400 and len(raw) <= POOLED_BYTES and grown.random() < 0.02:
            pool.append(raw)
    return {
        "target": name,
        "inputs": inputs,
        "uncaught": len(broken),
        "slowest_ms": round(slowest * 1000, 1),
        "seed": seed,
        "broken": broken,
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=30, help="of all targets together")
    parser.add_argument("--inputs", type=int, default=0, help="of all targets together, at least")
    parser.add_argument("--seed", type=int, default=int(time.time()))
    parser.add_argument("--keep", type=Path)
    parser.add_argument("targets", nargs="*", default=list(targets.SEEDS))
    chosen = parser.parse_args()
    place = targets.Place()
    try:
        share = chosen.seconds / len(chosen.targets)
        rows = [fuzz(name, share, chosen.seed, place, chosen.keep) for name in chosen.targets]
        quick = [row for row in rows if row["target"] in targets.PURE]
        missing = chosen.inputs - sum(row["inputs"] for row in rows)
        for row in quick if missing > 0 else ():
            more = fuzz(row["target"], 0, f"{chosen.seed}+", place, chosen.keep, -(-missing // len(quick)))
            row["inputs"] += more["inputs"]
            row["broken"] += more["broken"]
            row["uncaught"] = len(row["broken"])
            row["slowest_ms"] = max(row["slowest_ms"], more["slowest_ms"])
    finally:
        place.close()
    sys.stdout.write(
        json.dumps(
            {"seconds": chosen.seconds, "inputs": sum(row["inputs"] for row in rows), "rows": rows}, indent=1
        )
        + "\n"
    )
    return 1 if any(row["uncaught"] for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
