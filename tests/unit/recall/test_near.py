import numpy as np

from ultan.encoders.hashing import HashingEncoder
from ultan.recall.near import FLOOR, MOST, near_terms, word_vectors

WORDS = [f"{stem}{end}" for stem in ("test", "install", "build", "deploy", "review") for end in ("", "s", "ed", "ing", "er", "able", "ation")]
VOCABULARY = {word: at for at, word in enumerate(WORDS)}


def test_near_terms_are_the_nearest_of_the_library_by_brute_force() -> None:
    encoder = HashingEncoder()
    near, readers = near_terms(VOCABULARY, {}, encoder)
    vectors = word_vectors(WORDS, encoder, "", None)
    for word, number in VOCABULARY.items():
        sims = vectors @ vectors[number]
        wanted = sorted((-float(sims[at]), at) for at in range(len(WORDS)) if sims[at] >= FLOOR and at != number)[:MOST]
        found = near.get(number, [])
        assert [other for other, _ in found] == [at for _, at in wanted], word
        assert np.allclose([sim for _, sim in found], [cosine * cosine for cosine, _ in wanted], atol=1e-3)
    assert all(number >= len(WORDS) and number in near for number in readers.values())


def test_only_words_that_are_new_are_encoded(tmp_path) -> None:
    asked: list[str] = []

    class Counting(HashingEncoder):
        def encode(self, texts, *, query=False):
            asked.extend(texts)
            return super().encode(texts, query=query)

        encode_words = encode

    near_terms(VOCABULARY, {}, Counting(), str(tmp_path))
    asked.clear()
    near_terms({**VOCABULARY, "zzgloop": len(VOCABULARY)}, {}, Counting(), str(tmp_path))
    assert asked == ["zzgloop"]


def test_a_library_without_words_has_no_near_terms() -> None:
    assert near_terms({"12": 0, "a1b2": 1}, {}, HashingEncoder()) == ({}, {})
