"""Encoders and rerankers of sentence-transformers (extra ``neural``); imported and loaded at first use.

The hub is asked only on first use of a model that is not here yet, and then only if it answers at
all: the libraries would try for most of a minute. ``HF_HOME`` and
``HF_HUB_OFFLINE`` are honoured by the libraries themselves. Code that comes with a model runs for
one name alone.
"""

import contextlib
import http.client
import math
import os
import ssl
import urllib.error
import urllib.request
from collections.abc import Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any

import numpy as np

from ultan.encoders import PROBE
from ultan.errors import ModelUnavailable

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ultan.settings import Settings

NEEDS_ITS_CODE = "nomic-ai/nomic-embed-text-v1.5"
# Model family → what stands before an entry, and before a question.
PREFIXES = {"nomic-ai/": ("search_document: ", "search_query: "), "intfloat/e5": ("passage: ", "query: ")}
BATCH = 16
HUB_WAIT_S = 3.0


class TransformerEncoder:
    """A sentence-transformers model, its vectors cut to the first dimensions where it was trained for that."""

    def __init__(self, model: str, dimension: int = 256, device: str = "auto") -> None:
        """Nothing is loaded yet; *model* is a name on the hub or a folder."""
        self.model, self.dimension, self.device = model, dimension, device
        self.prefixes = next((pair for head, pair in PREFIXES.items() if model.startswith(head)), ("", ""))
        self.name = f"{model}/{dimension}"
        self._loaded: Any = None

    @classmethod
    def from_settings(cls, settings: "Settings") -> "TransformerEncoder":
        """The encoder that ``encoder.model``, ``encoder.dimensions`` and ``encoder.device`` name."""
        return cls(settings["encoder.model"], settings["encoder.dimensions"], settings["encoder.device"])

    def encode(self, texts: Sequence[str], *, query: bool = False) -> "NDArray[np.float32]":
        """Unit rows, cut to the declared dimension and scaled again.

        Raises:
            ModelUnavailable: the extra is not installed, the weights are nowhere, or what comes back is no vectors.
        """
        prefix = self.prefixes[1 if query else 0]
        if not texts:
            return np.zeros((0, self.dimension), np.float32)
        rows = self._model().encode([prefix + text for text in texts], batch_size=BATCH, show_progress_bar=False)
        rows = np.asarray(rows, np.float32)
        if rows.ndim != 2 or len(rows) != len(texts) or rows.shape[1] < self.dimension or not np.isfinite(rows).all():
            raise ModelUnavailable(
                f"{self.model} gave {rows.shape} for {len(texts)} texts of {self.dimension} dimensions",
                "set `encoder.dimensions` to no more than the model has",
            )
        rows = rows[:, : self.dimension]
        lengths = np.linalg.norm(rows, axis=1, keepdims=True)
        scaled: NDArray[np.float32] = (rows / np.maximum(lengths, 1e-9)).astype(np.float32)
        return scaled

    def _model(self) -> Any:
        if self._loaded is None:
            library = _library()
            self._loaded = _reached(
                self.model,
                lambda **how: library.SentenceTransformer(
                    self.model, device=_device(self.device), trust_remote_code=self.model == NEEDS_ITS_CODE, **how
                ),
            )
        return self._loaded


class TransformerReranker:
    """A cross-encoder of sentence-transformers."""

    def __init__(self, model: str, device: str = "auto") -> None:
        """Nothing is loaded yet."""
        self.model = self.name = model
        self.device = device
        self._loaded: Any = None

    @classmethod
    def from_settings(cls, settings: "Settings") -> "TransformerReranker":
        """The reranker that ``rerank.model`` names."""
        return cls(settings["rerank.model"], settings["encoder.device"])

    def score(self, question: str, texts: Sequence[str]) -> list[float]:
        """One number per text, in order; higher is better.

        Raises:
            ModelUnavailable: the model is not here, or gives one answer for everything.
        """
        if self._loaded is None:
            library = _library()
            self._loaded = _reached(
                self.model, lambda **how: library.CrossEncoder(self.model, device=_device(self.device), **how)
            )
            asked, right, wrong = PROBE
            probe = self._scores(asked, (right, wrong))
            if not probe[0] > probe[1]:
                self._loaded = None
                raise ModelUnavailable(f"{self.model} does not tell an answer from a sentence about lunch: not used")
        return self._scores(question, texts)

    def _scores(self, question: str, texts: Sequence[str]) -> list[float]:
        if not texts:
            return []
        values = [float(value) for value in np.ravel(self._loaded.predict([(question, text) for text in texts]))]
        if len(values) != len(texts) or not all(math.isfinite(value) for value in values):
            raise ModelUnavailable(f"{self.model} gave {len(values)} scores for {len(texts)} texts, or no numbers")
        return values


def _library() -> Any:
    try:
        import sentence_transformers  # noqa: PLC0415 -- five seconds; only with the extra, only when used
    except ImportError:
        raise ModelUnavailable(
            "sentence-transformers is not installed", "pip install 'ultan[neural]', or set `encoder.name` to packaged"
        ) from None
    # On a busy machine threads that wait for each other at every step turn milliseconds into seconds.
    import_module("torch").set_num_threads(max(1, (os.cpu_count() or 2) // 2))
    return sentence_transformers


def _device(wanted: str) -> str | None:
    return None if wanted == "auto" else wanted


def _reached(model: str, load: Any) -> Any:
    """What *load* gives: from this disk, or once from the hub; whatever stops it is said in one line."""
    try:
        if os.path.isdir(model):
            return load()
        with contextlib.suppress(OSError, ValueError):  # not here yet
            return load(local_files_only=True)
        if not _hub_answers():
            raise OSError("it is not on this machine, and the hub cannot be reached")
        return load()
    except (OSError, ValueError, RuntimeError, ImportError, KeyError, TypeError, AttributeError) as error:
        line = " ".join(str(error).split())[:160]
        raise ModelUnavailable(
            f"{model} cannot be loaded: {line or type(error).__name__}",
            "load it once where there is a network, or copy its cache (HF_HOME) from such a machine",
        ) from None


def _hub_answers() -> bool:
    """Whether the hub answers one request in time, through whatever proxy the environment names."""
    constants: Any = import_module("huggingface_hub.constants")
    if constants.HF_HUB_OFFLINE:
        return False
    request = urllib.request.Request(constants.ENDPOINT, method="HEAD")  # noqa: S310 -- the address of the hub, as its library has it
    try:
        urllib.request.urlopen(request, timeout=HUB_WAIT_S).close()  # noqa: S310 -- see above
    except urllib.error.HTTPError:
        return True  # an answer, whichever
    except urllib.error.URLError as error:
        return isinstance(error.reason, ssl.SSLError)  # somebody is there; the library has its own certificates
    except (OSError, ValueError, http.client.HTTPException):
        return False
    return True
