"""With one field, the weights baked into an index are those of rank-bm25: Okapi's, with the idf of its BM25L."""

from hypothesis import given, settings
from hypothesis import strategies as st
from rank_bm25 import BM25L, BM25Okapi

from ultan.library.entry import Entry
from ultan.recall import draft as making
from ultan.recall.index import Index
from ultan.recall.signals import USUAL_SIZE, Scope, lexical, weighed_terms
from ultan.recall.text import terms
from ultan.settings import Settings

WORDS = ("apple", "bread", "cider", "dough", "flour", "grape", "honey", "lemon", "mango", "olive")
TEXTS = st.lists(st.lists(st.sampled_from(WORDS), min_size=1, max_size=12), min_size=1, max_size=9)
FILLER = "zucchini"


@settings(max_examples=150, deadline=None)
@given(TEXTS, st.lists(st.sampled_from(WORDS), min_size=1, max_size=4, unique=True))
def test_an_entry_has_the_score_that_rank_bm25_gives_it(texts: list[list[str]], asked: list[str]) -> None:
    bodies = [" ".join(text) for text in texts] + [FILLER] * (USUAL_SIZE - len(texts))  # as large as is usual
    entries = [Entry(f"global/e{at:03d}", "", "finding", "global", "", "", body=body) for at, body in enumerate(bodies)]
    index = Index(making.Draft(entries).encoded(Settings().baked(), "", 0.0))
    scope = Scope(index, None)
    ours = lexical(scope, weighed_terms(scope, terms(" ".join(asked))))
    _, b = making.FIELDS["body"]
    corpus = [terms(body) for body in bodies]
    oracle = BM25Okapi(corpus, k1=making.K1, b=b)
    oracle.idf = BM25L(corpus).idf  # never negative, unlike Okapi's
    theirs = oracle.get_scores(terms(" ".join(asked)))
    for at in range(len(bodies)):
        assert abs(ours.get(at, 0.0) - theirs[at]) < 2e-3, (at, ours.get(at), theirs[at])


@settings(max_examples=30, deadline=None)
@given(TEXTS.filter(lambda texts: len(texts) > 1), st.integers(0, 40), st.lists(st.sampled_from(WORDS), min_size=1, max_size=3, unique=True))
def test_where_texts_are_long_their_length_counts_as_in_plain_bm25(texts: list[list[str]], longer: int, asked: list[str]) -> None:
    most = int(making.LONG_TEXT) + 10
    bodies = [" ".join([*text, *[FILLER] * (most + longer * at)]) for at, text in enumerate(texts)]
    bodies += [" ".join([FILLER] * most)] * (USUAL_SIZE - len(texts))
    entries = [Entry(f"global/e{at:03d}", "", "finding", "global", "", "", body=body) for at, body in enumerate(bodies)]
    scope = Scope(Index(making.Draft(entries).encoded(Settings().baked(), "", 0.0)), None)
    ours = lexical(scope, weighed_terms(scope, terms(" ".join(asked))))
    corpus = [terms(body) for body in bodies]
    oracle = BM25Okapi(corpus, k1=making.K1, b=making.LONG_B)
    oracle.idf = BM25L(corpus).idf
    theirs = oracle.get_scores(terms(" ".join(asked)))
    for at in range(len(bodies)):
        assert abs(ours.get(at, 0.0) - theirs[at]) < 2e-3, (at, ours.get(at), theirs[at])
