import functools

import numpy as np
import pytest

from ultan.encoders.hashing import HashingEncoder
from ultan.library.entry import Entry
from ultan.recall import topics
from ultan.recall.compile import build_from_entries
from ultan.recall.index import Index
from ultan.recall.ranking import Query, gathered, rank
from ultan.recall.signals import Scope
from ultan.recall.topic import WIDTH
from ultan.recall.warm import SHARED, Warm
from ultan.settings import Settings

SAID = (
    "I avoid crowded beaches and prefer quiet mountain lakes", "I never eat meat and enjoy spicy curries",
    "Sleeping in tents gives me back pain", "I like long novels about the sea", "Loud music in restaurants annoys me",
    "I collect old maps and travel by train",
)  # fmt: skip
QUESTION = Query("which mountain lakes are quiet")


def bare(number: int, text: str, project: str = "") -> Entry:
    scope, folder = (f"project:{project}", f"projects/{project}") if project else ("global", "global")
    return Entry(id=f"{folder}/{number:03}", title="", kind="preference", scope=scope, created="", updated="", body=text)


@functools.cache
def index_of(*entries: Entry) -> Index:
    return build_from_entries(entries, Settings(), HashingEncoder())


BARE = [bare(number, text) for number, text in enumerate(SAID)]
TITLED = [Entry(id=f"global/t{n}", title=text, kind="finding", scope="global", created="", updated="", body=text) for n, text in enumerate(SAID)]


def test_entries_with_titles_need_no_topics_and_pay_for_none() -> None:
    index = index_of(*TITLED)
    assert not index.meta["topics"]
    assert "topic" not in rank(index, QUESTION).rankings
    with pytest.raises(Exception, match="lacks its evec"):
        index.section("evec")


def test_where_most_entries_are_bare_each_has_a_vector_of_its_words() -> None:
    index = index_of(*BARE, TITLED[0])
    assert index.meta["topics"] == WIDTH
    rows = np.frombuffer(index.section("evec"), np.int8).reshape(index.size, WIDTH)
    assert rows.any(axis=1).all()
    assert "topic" in rank(index, QUESTION).rankings


def test_the_entry_that_shares_the_words_is_nearest_in_topic_too() -> None:
    index = index_of(*BARE)
    scores = gathered(Scope(index, None), Query("quiet mountain lakes", None), {})[0]["topic"]
    assert index.card(max(scores, key=scores.__getitem__)).body + index.card(max(scores, key=scores.__getitem__)).rule == SAID[0]


def test_a_question_without_a_known_word_is_about_nothing() -> None:
    assert not gathered(Scope(index_of(*BARE), None), Query("qwertzuiop", None), {})[0]["topic"]


def test_the_same_entries_give_the_same_topics() -> None:
    first, second = index_of(*BARE), index_of(*reversed(BARE))
    assert bytes(first.section("evec")) == bytes(second.section("evec"))
    assert bytes(first.section("tvec")) == bytes(second.section("tvec"))


def test_a_server_finds_the_topics_that_a_hook_finds() -> None:
    index = index_of(*BARE, *[bare(number, text, "shop") for number, text in enumerate(SAID[:3])])
    warm = Warm(index, HashingEncoder())
    for project in ("shop", "", None):
        expected = gathered(Scope(index, project), Query(QUESTION.text, project), {})[0]["topic"]
        found = warm.signals(Query(QUESTION.text, project), most=100)["topic"]
        assert found.keys() == expected.keys()
        assert all(found[number] == pytest.approx(expected[number], abs=1e-4) for number in expected)


def test_topics_of_a_generation_before_are_carried_over_word_by_word() -> None:
    before = index_of(*BARE)
    words = topics.carried(before)
    assert words is not None
    sections = {name: bytes(before.section(name)) for name in ("tkey", "toff", "pdoc", "pimp")}
    topics.add_to(sections, words, before.size)
    assert sections["tvec"] == bytes(before.section("tvec"))
    assert sections["evec"] == bytes(before.section("evec"))
    assert topics.carried(index_of(*TITLED)) is None


def test_no_entries_want_no_topics() -> None:
    assert not topics.are_wanted([])


def test_a_server_takes_from_a_question_what_all_bare_entries_share_and_leaves_titled_ones_alone() -> None:
    index, encoder = index_of(*BARE), HashingEncoder()
    (row,) = encoder.encode([QUESTION.text], query=True)
    bodies = encoder.encode([f"{index.card(n).rule} {index.card(n).body}".strip() for n in range(index.size)])
    found = Warm(index, encoder).signals(Query(QUESTION.text, None))["body"]
    expected = bodies @ (row - SHARED * bodies.mean(0))
    assert [found[n] for n in range(index.size)] == pytest.approx(expected.tolist(), abs=1e-2)
    titled = index_of(*TITLED)
    plain = Warm(titled, encoder).signals(Query(QUESTION.text, None))["meaning"]
    heads = encoder.encode([titled.card(n).title for n in range(titled.size)])
    assert [plain[n] for n in range(titled.size)] == pytest.approx((heads @ row).tolist(), abs=1e-2)
