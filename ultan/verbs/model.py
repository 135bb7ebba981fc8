"""Model: the weights of the extra ``neural`` brought to this machine, so that nothing waits for a hub later."""

from dataclasses import dataclass

from ultan.encoders import PROBE
from ultan.encoders.transformer import TransformerEncoder, TransformerReranker
from ultan.settings import Settings

RERANKERS = ("cross-encoder/",)  # heads of names that are no encoder


@dataclass(frozen=True, slots=True)
class Fetched:
    """A model that is on this machine now, and has answered once.

    Attributes:
        role: encoder or reranker.
    """

    model: str
    role: str


def fetch(settings: Settings, name: str = "") -> list[Fetched]:
    """The models that *settings* name for the extra ``neural``, or the one called *name*, each loaded and asked once.

    Loaded, not only copied: a model's own code lies elsewhere than its weights, and both are wanted.

    Raises:
        ModelUnavailable: the extra is not installed, the hub cannot be reached, or the model says nothing.
    """
    wanted = [name] if name else [settings["encoder.model"], settings["rerank.model"]]
    return [_asked(settings, model) for model in wanted]


def _asked(settings: Settings, model: str) -> Fetched:
    device = settings["encoder.device"]
    if model == settings["rerank.model"] or model.startswith(RERANKERS):
        TransformerReranker(model, device).score(PROBE[0], PROBE[1:])
        return Fetched(model, "reranker")
    TransformerEncoder(model, settings["encoder.dimensions"], device).encode(PROBE[:1], query=True)
    return Fetched(model, "encoder")
