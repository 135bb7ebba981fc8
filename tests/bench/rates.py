"""Event rates of the simulated year, counted from labelled session excerpts.

    python tests/bench/rates.py FOLDER > docs/benchmarks/year-rates.json

Only counts leave the data set, no text. The file was committed before any constant
of forgetting was fitted.
"""

import json
import sys
from collections import Counter
from pathlib import Path


def lines(path):
    return [json.loads(line) for line in path.read_text("utf-8").splitlines() if line.strip()]


def rates(folder):
    excerpts = lines(folder / "sessions_gold.jsonl")
    prompts = lines(folder / "prompts.jsonl")
    library = lines(folder / "library.jsonl")
    human = [turn for excerpt in excerpts for turn in excerpt["turns"] if turn["role"] == "user" and "label" in turn]
    items = [item for turn in human for item in turn["label"]["items"]]
    relevant = Counter(entry for prompt in prompts for entry in prompt["relevant"])
    kinds = {entry["id"]: entry["kind"] for entry in library}
    own = {"global"} | {f"project:{prompt['project']}" for prompt in prompts}
    signals = Counter(item["signal"] for item in items)
    shown = [prompt for prompt in prompts if not prompt["silent"]]
    return {
        "human_turns": len(human),
        "human_turns_an_excerpt": round(len(human) / len(excerpts), 2),
        "durable_share": round(sum(turn["label"]["durable"] for turn in human) / len(human), 4),
        "items_a_durable_turn": round(len(items) / max(1, sum(turn["label"]["durable"] for turn in human)), 4),
        "signal_share": {name: round(count / len(items), 4) for name, count in sorted(signals.items())},
        "kind_share": {name: round(n / len(items), 4) for name, n in sorted(Counter(i["kind"] for i in items).items())},
        "global_share": round(sum(item["scope"] == "global" for item in items) / len(items), 4),
        "silent_share": round(1 - len(shown) / len(prompts), 4),
        "relevant_a_prompt": round(sum(len(prompt["relevant"]) for prompt in shown) / len(shown), 4),
        "used_entries_share": round(len(relevant) / len(library), 4),
        "uses_of_a_used_entry": round(sum(relevant.values()) / len(relevant), 4),
        "used_share_by_kind": {
            kind: round(
                sum(kinds[entry] == kind for entry in relevant)
                / sum(e["kind"] == kind and e["scope"] in own for e in library), 4)
            for kind in sorted(set(kinds.values()))
        },
        "use_share_by_kind": {
            kind: round(sum(n for entry, n in relevant.items() if kinds[entry] == kind) / sum(relevant.values()), 4)
            for kind in sorted(set(kinds.values()))
        },
    }


if __name__ == "__main__":
    print(json.dumps(rates(Path(sys.argv[1])), indent=2))
