from collections import Counter

import pytest

from ultan import plainjson
from ultan.library.entry import Entry
from ultan.recall.index import term_key
from ultan.recall.leaves import exempt_places, json_bytes, key_counts
from ultan.recall.text import MOST_TERMS, terms


@pytest.mark.parametrize("value", [["é", 1, 0.5, None, True, {"a": ["b"]}], [float("nan")], ["half \ud800 a character"], [], {}])
def test_json_is_what_the_plain_writer_writes(value: object) -> None:
    assert json_bytes(value) == plainjson.dumps(value).encode()


@pytest.mark.parametrize("text", ["", "readFile, reads readers' files; read", "日本語 mixed IN camelCase", "word " * (MOST_TERMS + 50)])
def test_keys_are_counted_as_the_terms_are(text: str) -> None:
    assert key_counts(text) == Counter(map(term_key, terms(text)))


def test_only_a_place_that_is_named_is_exempt() -> None:
    def rule(text: str) -> Entry:
        return Entry("global/a", "t", "warn", "global", "2026-01-01", "2026-01-01", body=text)

    assert exempt_places(rule("Open files only inside `paths_here`, never elsewhere.")) == ["paths_here"]
    assert exempt_places(rule("Open files never.")) == []
