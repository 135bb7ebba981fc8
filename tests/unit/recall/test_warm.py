import random
import zlib

import numpy as np
import pytest

from ultan.encoders.hashing import HashingEncoder
from ultan.encoders.packaged import Parts, unit
from ultan.errors import ModelUnavailable
from ultan.library.entry import Entry
from ultan.recall import ranking, signals
from ultan.recall.compile import build_from_entries
from ultan.recall.ranking import Query, rank
from ultan.recall.warm import LATE_DEPTH, Warm, blended, kept_vectors
from ultan.settings import Settings

WORDS = "install packages uv release deploy server tests typo branch review tax country account rate build cache index model".split()  # noqa: SIM905 -- a list of words
chance = random.Random(5)


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
    assert {"words", "meaning", "body", "best_cue"} <= set(signals)
    assert all(set(scores) <= allowed for scores in signals.values())
    assert all(set(signals[name]) == allowed for name in ("meaning", "body", "best_cue"))


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
    path = tmp_path / "entries.kept"
    raw = bytearray(path.read_bytes())
    raw[-1] ^= 1
    path.write_bytes(raw)
    third = Other()
    rows = kept_vectors(["one text"], third, folder)
    assert third.texts == ["one text"]
    assert np.array_equal(rows, kept_vectors(["one text"], Other(), folder))


def test_an_encoder_that_gives_no_numbers_is_told_not_used() -> None:
    with pytest.raises(ModelUnavailable):
        Warm(build_from_entries(ENTRIES, Settings()), Broken())


LIBRARY = [
    entry(
        f"{folder}/{number}", title=f"rule {chance.choice(WORDS)} {chance.choice(WORDS)}", body=" ".join(chance.choices(WORDS, k=12)),
        applies_when=tuple(" ".join(chance.choices(WORDS, k=3)) for _ in range(number % 3)),
    )
    for number in range(90)
    for folder in ("global", "projects/shop", "projects/bank")
]  # fmt: skip


def close(found: dict[int, float], expected: dict[int, float]) -> bool:
    return all(abs(found.get(number, 0.0) - expected.get(number, 0.0)) < 1e-6 for number in found.keys() | expected.keys())


@pytest.mark.parametrize("project", ["shop", "bank", "", None])
def test_arrays_score_every_entry_as_a_hook_would(project: str | None) -> None:
    index = build_from_entries(LIBRARY, Settings(), HashingEncoder())
    warm = Warm(index, HashingEncoder())
    for text in ("uv packages before a release", "deploy the deploy server, please", "nothing known here: qwerty"):
        query = Query(text, project, files=("src/release.py",), tail="shall I deploy the server")
        scope = signals.Scope(index, project)
        expected, spreads = ranking.gathered(scope, query, {})
        found = warm.signals(query, most=10_000)
        for name in expected:
            assert close(found[name], dict(expected[name])), name
            assert found.spreads[name] == pytest.approx(spreads[name], abs=1e-6) or name == "situation"


def test_the_best_candidates_alone_give_the_order_that_all_entries_give() -> None:
    index = build_from_entries(LIBRARY, Settings(), HashingEncoder())
    warm = Warm(index, HashingEncoder())
    for text in ("install packages before the release", "server tests", "typo"):
        query = Query(text, "shop")
        every = [item.number for item in rank(index, query, warm.signals(query, most=10_000), limit=20)]
        assert [item.number for item in rank(index, query, warm.signals(query, most=60), limit=20)] == every
        assert [item.number for item in rank(index, query, warm.signals(query, most=60), limit=20)] == every


class Telling(Counting):
    """Tells its tokens as well: a unit row by chance for each word."""

    late_name, late_width, late_pieces = "1", 16, 1000

    def encode_parts(self, texts, *, query: bool = False):
        self.texts += texts
        found = []
        for text in texts:
            ids = np.array([zlib.crc32(word.encode()) % 1000 for word in text.lower().split()], np.uint16)
            codes = unit(np.stack([np.random.default_rng(number).standard_normal(16, np.float32) for number in ids]))
            found.append(Parts(HashingEncoder.encode(self, [text], query=query)[0], ids, codes))
        return found


def test_words_of_a_question_are_matched_with_words_of_the_best_entries() -> None:
    index = build_from_entries(LIBRARY, Settings())
    card = index.card(7)
    query = Query(". ".join((card.title, card.rule, *card.cues)), None)
    signals = Warm(index, Telling()).signals(query)
    assert len(signals["late"]) == LATE_DEPTH
    assert signals["late"][7] > sorted(signals["late"].values())[LATE_DEPTH // 2]
    own = Warm(index, Telling()).signals(Query(f"{card.title}. {card.rule}", None), most=10_000)
    assert own["late"].get(7, 1.0) == pytest.approx(1.0, abs=0.03)
    assert "late" in rank(index, query, signals).rankings


def test_a_long_question_counts_less_in_late_interaction() -> None:
    warm = Warm(build_from_entries(LIBRARY, Settings()), Telling())
    short, long = (warm.signals(Query(" ".join(WORDS[:many]), None)) for many in (3, len(WORDS)))
    assert long.spreads["late"][1] / np.std(list(long["late"].values())) == pytest.approx(len(WORDS) / 8)
    assert short.spreads["late"][1] == pytest.approx(np.std(list(short["late"].values())))


def test_tokens_of_what_changed_alone_are_embedded_again(tmp_path) -> None:
    Warm(build_from_entries(LIBRARY[:9], Settings()), Telling(), str(tmp_path))
    again = Telling()
    warm = Warm(build_from_entries(LIBRARY[:10], Settings()), again, str(tmp_path))
    assert sum(LIBRARY[9].body.split()[0] in text for text in again.texts) >= 1
    assert len(again.texts) <= 4
    fresh = Warm(build_from_entries(LIBRARY[:10], Settings()), Telling())
    query = Query("packages of the server", "shop")
    assert warm.signals(query)["late"] == fresh.signals(query)["late"]


def test_an_entry_without_words_is_no_evidence() -> None:
    blank = [entry(f"global/b{number}", title="", body="") for number in range(3)]
    index = build_from_entries([*LIBRARY[:6], *blank], Settings())
    encoder = Telling()
    encoder.encode_parts = lambda texts, query=False: [  # type: ignore[method-assign]
        one if text.strip() else Parts(one.row, one.ids[:0], one.codes[:0])
        for text, one in zip(texts, Telling.encode_parts(encoder, [text or "x" for text in texts], query=query), strict=True)
    ]
    signals = Warm(index, encoder).signals(Query("release server", None))
    assert all(np.isfinite(value) for value in signals["late"].values())


class Judge:
    """A reranker with a favourite."""

    name = "judge/1"

    def __init__(self, favourite: str) -> None:
        self.favourite = favourite

    def score(self, question, texts):  # noqa: ARG002 -- the protocol names it
        return [float(self.favourite in text) for text in texts]


def test_a_reranker_moves_what_it_favours_up_and_buries_nothing_sure() -> None:
    totals = [9.0, 5.0, 4.5, 4.0, 3.5, 3.0, 2.5, 2.0, 1.5, 1.0, 0.5, 0.0]
    for favourite in range(1, len(totals)):
        moves = blended(totals, [float(at == favourite) for at in range(len(totals))], 0.5)
        after = [total + move for total, move in zip(totals, moves, strict=True)]
        order = sorted(range(len(totals)), key=lambda at: -after[at])
        assert order[0] == 0 or favourite in order[:1]
        assert order.index(0) <= 1
        assert order.index(favourite) <= favourite
    assert blended(totals, [0.5] * 12, 0.5) == [0.0] * 12
    assert blended([1.0, 1.0], [0.0, 1.0], 0.5) == [0.0, 0.0]
    assert blended(totals, totals[::-1], 0.0) == [0.0] * 12


def test_a_reranker_is_one_more_signal_of_the_leading_entries() -> None:
    index = build_from_entries(LIBRARY, Settings())
    query = Query("install packages before the release", "shop")
    plain = rank(index, query, Warm(index, HashingEncoder()).signals(query))
    third = plain[2].card.title
    found = rank(index, query, Warm(index, HashingEncoder(), "", Judge(third)).signals(query))
    assert "rerank" in found.rankings
    places = [item.card.id for item in found]
    assert places.index(plain[2].card.id) <= 2
    assert places.index(plain[0].card.id) <= 3


def test_a_question_that_the_encoder_fails_on_raises() -> None:
    warm = Warm(build_from_entries(ENTRIES, Settings()), HashingEncoder())
    warm.encoder = Broken()
    with pytest.raises(ModelUnavailable):
        warm.signals(Query("taxes", "shop"))


def test_an_empty_library_has_no_signals() -> None:
    assert Warm(build_from_entries([], Settings()), HashingEncoder()).signals(Query("anything", "")) == {}
