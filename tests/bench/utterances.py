"""How many messages that hold a rule the clerk hears, and how many others: ``python tests/bench/utterances.py [FILE] [--told]``.

FILE has one message a line, ``{"text", "label": "rule" | "one-off" | "talk", "rule"}``; without it, the
development messages in ``tests/recorded/utterances``. Each message is a session of its own. Printed as
JSON: how many of each label are heard, recall over rules, precision of what is heard. ``--told`` prints
every message judged wrongly, with what was heard.
"""

import json
import sys
from collections import Counter
from pathlib import Path

from ultan.events import USER, Piece, Transcript
from ultan.staff.clerk import drafts_of

DEVELOPMENT = Path(__file__).resolve().parents[1] / "recorded" / "utterances" / "development.jsonl"


def measured(path: Path, *, told: bool = False) -> dict[str, object]:
    """Figures over the messages of *path*."""
    heard: Counter[str] = Counter()
    asked: Counter[str] = Counter()
    for line in path.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        drafts = drafts_of(Transcript("session", "project", [Piece("1", USER, row["text"])]))
        asked[row["label"]] += 1
        heard[row["label"]] += bool(drafts)
        if told and bool(drafts) != (row["label"] == "rule"):
            sys.stderr.write(f"{row['label']}: {row['text']}\n    {[draft.rule for draft in drafts]}\n")
    return {
        "heard": {label: f"{heard[label]} of {asked[label]}" for label in sorted(asked)},
        "recall": round(heard["rule"] / max(1, asked["rule"]), 3), "precision": round(heard["rule"] / max(1, heard.total()), 3),
    }  # fmt: skip


if __name__ == "__main__":
    paths = [Path(word) for word in sys.argv[1:] if word != "--told"] or [DEVELOPMENT]
    print(json.dumps({path.name: measured(path, told="--told" in sys.argv) for path in paths}, indent=1))
