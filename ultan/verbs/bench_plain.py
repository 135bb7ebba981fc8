"""Plain systems to stand beside ours on the same data: grep, BM25 by rank-bm25, vectors alone, reciprocal rank fusion."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from ultan.recall.text import terms

if TYPE_CHECKING:
    from ultan.encoders import Encoder
    from ultan.verbs.bench_recall import DataSet


def plain_answers(data: "DataSet", encoder: "Encoder | None") -> dict[str, list[list[str]]]:
    """By system, the opaque ids it gives for each query, best first; the last two only with an *encoder*."""
    ranked = {"grep": _by_pool(data, _grep), "bm25": _by_pool(data, _bm25)}
    if encoder is not None:
        vectors = encoder

        def meaning(texts: Sequence[str], queries: Sequence[str]) -> list[list[int]]:
            from ultan.recall.warm import kept_vectors  # noqa: PLC0415 -- numpy, only with an encoder

            rows = kept_vectors(texts, vectors, "")
            asked = vectors.encode([query[:1500] or " " for query in queries], query=True)
            return [sorted(range(len(texts)), key=lambda at: (-row[at], at)) for row in (asked @ rows.T).tolist()]

        ranked["vectors"] = _by_pool(data, meaning)
        ranked["rrf"] = [_fused_ranks([a, b]) for a, b in zip(ranked["bm25"], ranked["vectors"], strict=True)]
    return ranked


def _by_pool(data: "DataSet", system: Callable[[Sequence[str], Sequence[str]], list[list[int]]]) -> list[list[str]]:
    result: list[list[str]] = [[] for _ in data.queries]
    for pool in sorted({asked.pool for asked in data.queries}):
        admitted = [e for e in data.entries if not pool or e.scope in ("global", f"project:{pool}")]
        texts = ["\n".join((e.title, *e.applies_when, " ".join(e.tags), e.body)) for e in admitted]
        places = [at for at, asked in enumerate(data.queries) if asked.pool == pool]
        orders = system(texts, [data.queries[at].text for at in places])
        for at, order in zip(places, orders, strict=True):
            result[at] = [data.names[admitted[number].id] for number in order[:50]]
    return result


def _grep(texts: Sequence[str], queries: Sequence[str]) -> list[list[int]]:
    """As somebody with grep would look: how many of the query's longer words stand in the text."""
    lowered = [text.lower() for text in texts]
    orders = []
    for query in queries:
        wanted = {word for word in query.lower().split() if len(word) > 3}
        counts = [sum(word in text for word in wanted) for text in lowered]
        orders.append(sorted((at for at in range(len(texts)) if counts[at]), key=lambda at: (-counts[at], at)))
    return orders


def _bm25(texts: Sequence[str], queries: Sequence[str]) -> list[list[int]]:
    from rank_bm25 import BM25Okapi  # noqa: PLC0415 -- only for the comparison

    corpus = [terms(text) or ["-"] for text in texts]
    oracle = BM25Okapi(corpus)
    orders = []
    for query in queries:
        values = oracle.get_scores(terms(query)).tolist()
        orders.append(sorted(range(len(texts)), key=lambda at: (-values[at], at)))
    return orders


def _fused_ranks(lists: Sequence[Sequence[str]]) -> list[str]:
    totals: dict[str, float] = {}
    for order in lists:
        for place, name in enumerate(order):
            totals[name] = totals.get(name, 0.0) + 1.0 / (60 + place + 1)
    return sorted(totals, key=lambda name: (-totals[name], name))
