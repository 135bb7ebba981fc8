"""``ultan model fetch`` with small models from the disk, and without a hub."""

import io
import os

import pytest

pytest.importorskip("sentence_transformers")

from test_neural import encoder, nowhere, reranker

from ultan.cli.app import run
from ultan.cli.wiring import World
from ultan.errors import ModelUnavailable
from ultan.settings import Settings
from ultan.verbs.model import Fetched, fetch

__all__ = ["encoder", "nowhere", "reranker"]


def test_the_models_that_settings_name_are_loaded_and_asked_once(encoder, reranker) -> None:
    settings = Settings({"encoder.model": encoder.model, "encoder.device": "cpu", "rerank.model": reranker.model})
    assert fetch(settings) == [Fetched(encoder.model, "encoder"), Fetched(reranker.model, "reranker")]
    assert fetch(settings, reranker.model) == [Fetched(reranker.model, "reranker")]


@pytest.mark.usefixtures("nowhere")
def test_without_a_hub_the_command_says_one_line_and_a_remedy(tmp_path) -> None:
    with pytest.raises(ModelUnavailable, match="the hub cannot be reached"):
        fetch(Settings(), "cross-encoder/nowhere-at-all")
    environ = {"ULTAN_HOME": str(tmp_path / "home"), "HOME": str(tmp_path)}
    world = World(environ, io.StringIO(), io.StringIO(), io.StringIO(), folder=str(tmp_path), has_person=True)
    os.makedirs(tmp_path / "home", mode=0o700)
    assert run(["model", "fetch"], world) == 1
    told = world.stderr.getvalue().splitlines()
    assert len(told) == 2
    assert told[0].startswith("error: ")
    assert told[1].startswith("hint: ")
