import pytest

from ultan.encoders.hashing import HashingEncoder
from ultan.library.entry import Entry
from ultan.recall.compile import build_from_entries
from ultan.recall.index import Index
from ultan.recall.orders import is_order, order_keys, share_of_orders
from ultan.recall.ranking import Query, gathered, rank
from ultan.recall.signals import Scope
from ultan.recall.topic import orders
from ultan.recall.warm import Warm
from ultan.settings import Settings

LAID_DOWN = (
    "Always give version numbers when I ask about libraries.", "From now on, cite every source.", "Please never use tabs.",
    "Gib immer die Version an, wenn ich nach Paketen frage.", "Indique toujours la version.", "Usa siempre tabuladores.",
    "Nunca use abas.", "Gebruik altijd spaties.", "Zawsze podawaj wersję.", "Всегда указывай версию.", "Завжди вказуй версію.",
    "总是给出版本号。", "常にバージョンを書いてください。", "항상 버전을 알려줘.", "हमेशा संस्करण बताओ।", "دائما اذكر الإصدار.",
    "Her zaman sürümü belirt.", "Usa sempre gli spazi.",
)  # fmt: skip


def bare(number: int, text: str) -> Entry:
    return Entry(id=f"global/{number:03}", title="", kind="finding", scope="global", created="", updated="", body=text)


def made() -> Index:
    said = [
        "The lake was quiet in the mountains", "Maps of old trains hang on the wall", "user: Always add tide tables when I ask about sailing.",
        "We sailed along the coast and the harbour with my brother", "Lunch was late", "Sailing lessons cost a fortune in the harbour",
    ]  # fmt: skip
    return build_from_entries([bare(at, text) for at, text in enumerate(said)], Settings(), HashingEncoder())


@pytest.mark.parametrize("sentence", LAID_DOWN)
def test_a_sentence_that_opens_with_a_standing_word_is_an_order(sentence: str) -> None:
    assert is_order(sentence)


@pytest.mark.parametrize(
    "sentence",
    ["I never eat meat.", "Ich gehe immer zu Fuß.", "Never mind that?", "Je prends toujours le train.", "It is always late.", ""],
)
def test_habits_and_questions_are_none(sentence: str) -> None:
    assert not is_order(sentence)


def test_the_share_counts_what_is_said_not_who_says_it() -> None:
    assert share_of_orders("user: Always cite sources.") == 1.0
    assert 0.3 < share_of_orders("Always cite sources. Then we had lunch at v1.2.") < 0.6
    assert share_of_orders("Always cite sources. " * 60) == 0.0
    assert share_of_orders("") == 0.0
    assert order_keys("Lunch was late") == []


def test_a_standing_order_comes_forward_where_its_topic_is_asked_about_and_only_there() -> None:
    index = made()
    held = orders(index, Scope(index, None).ranges)
    (number,) = held
    assert "tide tables" in index.card(number).rule
    signals, _ = gathered(Scope(index, None), Query("tide tables for sailing", None), {})
    assert set(signals["order"]) == {number}
    assert signals["order"][number] > 0
    elsewhere, _ = gathered(Scope(index, None), Query("old trains on the wall", None), {})
    assert not elsewhere["order"]


def test_a_server_finds_the_same_orders() -> None:
    index = made()
    query = Query("tide tables for sailing", None)
    cold, _ = gathered(Scope(index, None), query, {})
    warm = Warm(index, HashingEncoder()).signals(query)["order"]
    assert {number: round(value, 4) for number, value in warm.items() if value} == {number: round(value, 4) for number, value in cold["order"].items()}


def test_entries_with_titles_are_no_standing_orders_by_their_words() -> None:
    titled = Entry(id="global/t", title="Versions", kind="preference", scope="global", created="", updated="", body="Always give versions.")
    index = build_from_entries([titled], Settings(), HashingEncoder())
    assert orders(index, Scope(index, None).ranges) == {}
    assert "order" not in rank(index, Query("versions", None)).rankings
