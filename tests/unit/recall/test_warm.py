import numpy as np
import pytest

from ultan.encoders.hashing import HashingEncoder
from ultan.errors import ModelUnavailable
from ultan.library.entry import Entry
from ultan.recall.compile import build_from_entries
from ultan.recall.ranking import Query, rank
from ultan.recall.warm import Warm, kept_vectors
from ultan.settings import Settings


def entry(name: str, **more: object) -> Entry:
    scope = "project:" + name.split("/")[1] if name.startswith("projects/") else "global"
    given = {"title": name, "kind": "convention", "scope": scope, "created": "", "updated": "", "body": name}
    return Entry(id=name, **{**given, **more})  # type: ignore[arg-type]


class Counting(HashingEncoder):
    """Counts the texts it embeds."""

    def __init__(self) -> None:
        self.texts: list[str] = []

    def encode(self, texts, *, query: bool = False):
        self.texts += texts
        return super().encode(texts, query=query)


class Broken(HashingEncoder):
    """Gives no numbers."""

    def encode(self, texts, *, query: bool = False):  # noqa: ARG002 -- the protocol names it
        return np.full((len(texts), self.dimension), np.nan, np.float32)


ENTRIES = [
    entry("global/uv", title="Installing packages", body="Install with uv.", applies_when=("a package is installed",)),
    entry("projects/shop/tax", title="Taxes are per country", body="Never one rate."),
    entry("projects/bank/tax", title="Taxes are per account", body="Never one rate."),
]


def test_signals_are_for_entries_in_scope_only() -> None:
    index = build_from_entries(ENTRIES, Settings())
    signals = Warm(index, HashingEncoder()).signals(Query("taxes of a country", "shop"))
    allowed = {number for low, high in index.ranges("shop") for number in range(low, high)}
    assert set(signals) == {"meaning", "body", "best_cue"}
    assert all(set(scores) == allowed for scores in signals.values())


def test_a_warm_ranking_uses_the_same_code_with_more_rankings() -> None:
    index = build_from_entries(ENTRIES, Settings())
    query = Query("installation of packages", "shop")
    found = rank(index, query, Warm(index, HashingEncoder()).signals(query))
    assert found[0].card.id == "global/uv"
    assert {"words", "meaning", "body", "best_cue"} <= set(found.rankings)


def test_only_what_changed_is_embedded_again(tmp_path) -> None:
    folder = str(tmp_path)
    kept_vectors(["one text", "another text"], Counting(), folder)
    again = Counting()
    rows = kept_vectors(["another text", "a third"], again, folder)
    assert again.texts == ["a third"]
    assert np.allclose(rows[0], HashingEncoder().encode(["another text"])[0], atol=1e-3)


def test_kept_vectors_of_another_encoder_or_torn_ones_are_never_used(tmp_path) -> None:
    folder = str(tmp_path)
    kept_vectors(["one text"], Counting(), folder)

    class Other(Counting):
        name = "other/1"

    other = Other()
    kept_vectors(["one text"], other, folder)
    assert other.texts == ["one text"]
    path = tmp_path / "entries.f16"
    raw = bytearray(path.read_bytes())
    raw[-1] ^= 1
    path.write_bytes(raw)
    third = Other()
    kept_vectors(["one text"], third, folder)
    assert third.texts == ["one text"]


def test_an_encoder_that_gives_no_numbers_is_told_not_used() -> None:
    with pytest.raises(ModelUnavailable):
        Warm(build_from_entries(ENTRIES, Settings()), Broken())


def test_an_empty_library_has_no_signals() -> None:
    assert Warm(build_from_entries([], Settings()), HashingEncoder()).signals(Query("anything", "")) == {}
