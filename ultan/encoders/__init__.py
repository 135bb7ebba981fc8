"""Models that embed and rerank: the Encoder and Reranker protocols and the ENCODERS table."""

from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

    from ultan.settings import Settings


class Encoder(Protocol):
    """Texts → vectors: one unit row per text, in order, of the declared dimension."""

    name: str  # model and revision, dimension and prefixes: two encoders whose vectors may mix share it
    dimension: int

    def encode(self, texts: "Sequence[str]", *, query: bool = False) -> "NDArray[np.float32]":
        """float32 (texts, dimension), unit rows; *query* chooses the query prefix where a model has one."""


class Reranker(Protocol):
    """Pairs of question and text → how well each text answers."""

    name: str

    def score(self, question: str, texts: "Sequence[str]") -> "list[float]":
        """One finite number per text, in order; higher is better."""


PROBE = ("which package installer do we use", "Install packages with uv.", "The cafeteria opens at noon.")
ENCODERS = {
    "packaged": "ultan.encoders.packaged:PackagedEncoder",
    "hashing": "ultan.encoders.hashing:HashingEncoder",
    "transformer": "ultan.encoders.transformer:TransformerEncoder",
}
RERANKER = "ultan.encoders.transformer:TransformerReranker"


def load(settings: "Settings") -> "Encoder":
    """The encoder that *settings* name; its weights are loaded at first use.

    Raises:
        ModelUnavailable: its package or its weights are not here.
    """
    encoder: Encoder = _named(ENCODERS[settings["encoder.name"]]).from_settings(settings)
    return encoder


def probed(encoder: Encoder) -> Encoder:
    """*encoder*, which has told an answer from a sentence about lunch; for whoever relies on it unwatched.

    Raises:
        ModelUnavailable: its vectors say nothing, or its weights are not here.
    """
    from ultan.errors import ModelUnavailable  # noqa: PLC0415 -- the table imports nothing heavy

    asked = encoder.encode(PROBE[:1], query=True)
    right, wrong = (encoder.encode(PROBE[1:]) @ asked[0]).tolist() if asked.shape == (1, encoder.dimension) else (0.0, 0.0)
    if not right > wrong:
        raise ModelUnavailable(f"{encoder.name} does not tell an answer from a sentence about lunch: not used")
    return encoder


def load_reranker(settings: "Settings") -> "Reranker | None":
    """The reranker that *settings* name, or None where they switch it off; its weights are loaded at first use."""
    if not settings["rerank.enabled"]:
        return None
    reranker: Reranker = _named(RERANKER).from_settings(settings)
    return reranker


def _named(path: str) -> Any:
    from importlib import import_module  # noqa: PLC0415 -- the tables import nothing heavy

    module, _, attribute = path.partition(":")
    return getattr(import_module(module), attribute)
