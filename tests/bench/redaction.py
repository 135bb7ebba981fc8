"""Figures of the redaction, printed as JSON: kinds found, contexts, false redactions, cost.

    python tests/bench/redaction.py [--docs DIR ...]

The documents are the READMEs, metadata and docs inside the installed wheels; every
false redaction is named. The independent list of secrets is used where it lies beside
the checkout (``ULTAN_SHARED``), and said to be missing where it does not.
"""

import argparse
import json
import os
import subprocess
import sys
import sysconfig
from pathlib import Path
from time import process_time

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path[:0] = [str(HERE.parent / "unit"), str(ROOT)]
sys.dont_write_bytecode = True

from made_secrets import CONTEXTS, SPECS, Maker  # noqa: E402 -- found by the line above
from test_redaction import dressed  # noqa: E402

from ultan import redaction  # noqa: E402

DOCS = (".md", ".rst", ".txt")
NAMES = ("metadata", "readme", "license", "changelog", "history", "news")
LEAF = 16 * 1024


def own_kinds(seed: int, rounds: int) -> dict:
    """Our own generator: kinds in plain context and in every context."""
    maker = Maker(seed)
    missed: dict[str, list[str]] = {}
    tried = 0
    for _ in range(rounds):
        for context in CONTEXTS:
            for kind in SPECS:
                secret, text = dressed(context, kind, maker)
                tried += 1
                if secret in redaction.redact(text)[0]:
                    missed.setdefault(context, []).append(kind)
    count = sum(map(len, missed.values()))
    return {"kinds": len(SPECS), "contexts": len(CONTEXTS), "tried": tried, "missed": count,
            "found": round(1 - count / tried, 4), "missed_by_context": missed}  # fmt: skip


def independent_kinds(shared: Path) -> dict | str:
    """The list of another author, if it is there."""
    if not (shared / "tools" / "fake_secrets.py").exists():
        return f"missing: {shared}"
    sys.path.insert(0, str(shared / "tools"))
    import fake_secrets

    kinds = fake_secrets.all_kinds()
    plain = [
        kind for kind, (secret, form) in kinds.items() if secret in redaction.redact(form.format(secret))[0]
    ]
    tried, missed = 0, []
    for kind, (secret, form) in kinds.items():
        whole = form.format(secret)
        forms = [(secret, form.format(secret + sign)) for sign in (".", ",", ")", "&", ":", "\u4e16\u754c")]
        forms += [(secret, f"`{whole}`"), (secret, f"- **x**: {whole}\n- y"), (secret, f"({whole})")]
        forms.append((secret, f"2026-10-02 INFO [{whole}] done"))
        once, twice = json.dumps(secret)[1:-1], json.dumps(json.dumps(secret)[1:-1])[1:-1]
        forms += [(once, json.dumps({"out": whole})), (twice, json.dumps(json.dumps({"out": whole})))]
        for hidden, text in forms:
            tried += 1
            if hidden in redaction.redact(text)[0]:
                missed.append([kind, text[:60]])
    kept = fake_secrets.must_keep()
    changed = [name for name, text in kept.items() if redaction.redact(text)[1] or redaction.deep(text)[1]]
    return {"kinds": len(kinds), "missed_plain": plain, "tried_in_contexts": tried, "missed_in_contexts": missed,
            "found_in_contexts": round(1 - len(missed) / tried, 4), "must_keep": len(kept), "changed": changed}  # fmt: skip


def false_redactions(folders: list[str], layer: str) -> dict:
    """What is redacted in the documents of the installed wheels, named."""
    files, size, hits = 0, 0, []
    for folder in folders:
        for here, _, names in os.walk(folder):
            for name in sorted(names):
                if not (name.lower().endswith(DOCS) or name.lower().split(".")[0] in NAMES):
                    continue
                try:
                    text = Path(here, name).read_text(encoding="utf-8")
                except (UnicodeDecodeError, OSError):
                    continue
                files, size = files + 1, size + len(text.encode())
                for at in range(0, len(text), LEAF):
                    piece = text[at : at + LEAF]
                    count = (redaction.redact if layer == "first" else redaction.deep)(piece)[1]
                    if count:
                        kinds = [
                            (kind, piece[max(0, start - 30) : start])
                            for start, _, kind in redaction.find_credentials(piece)
                        ]
                        hits.append([os.path.relpath(Path(here, name), folder), count, kinds])
    total = sum(count for _, count, _ in hits)
    return {"layer": layer, "files": files, "mb": round(size / 1e6, 2), "redactions": total,
            "per_mb": round(total / max(size / 1e6, 1e-9), 2), "named": hits}  # fmt: skip


def cost() -> dict:
    """CPU milliseconds for 24 KB of source, and of a bare interpreter and the import, in the same run."""
    text = (ROOT / "ultan" / "home.py").read_text(encoding="utf-8") * 3
    redaction.redact(text[:24576])
    times = []
    for _ in range(21):
        start = process_time()
        redaction.redact(text[:24576])
        times.append((process_time() - start) * 1000)

    def child(code: str, runs: int = 40) -> float:
        before = os.times()  # it counts in hundredths of a second: so many runs, divided
        for _ in range(runs):
            subprocess.run([sys.executable, "-I", "-S", "-c", code], check=True)
        after = os.times()
        spent = after.children_user + after.children_system - before.children_user - before.children_system
        return spent * 1000 / runs

    bare = child("import os")
    loaded = child(f"import os, sys; sys.path.insert(0, {str(ROOT)!r}); import ultan.redaction")
    return {
        "redact_24k_ms": round(sorted(times)[10], 2),
        "bare_ms": round(bare, 1),
        "import_ms": round(loaded - bare, 1),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--docs", nargs="*", default=[sysconfig.get_paths()["purelib"]])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=5)
    chosen = parser.parse_args()
    shared = Path(os.environ.get("ULTAN_SHARED", ROOT.parent / "shared"))
    report = {
        "own": own_kinds(chosen.seed, chosen.rounds),
        "independent": independent_kinds(shared),
        "documents": [false_redactions(chosen.docs, layer) for layer in ("first", "second")],
        "cost": cost(),
    }
    sys.stdout.write(json.dumps(report, indent=1, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()
