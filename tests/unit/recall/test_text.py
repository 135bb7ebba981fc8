from ultan.recall.text import terms


def test_words_are_lower_cased_stemmed_and_stop_words_dropped() -> None:
    assert terms("The migrations were running") == ["migrat", "run"]


def test_camel_case_gives_its_parts_and_the_whole() -> None:
    assert terms("useStateValue") == ["usestatevalue", "state", "valu"]
    assert terms("HTTPServer") == ["httpserver", "http", "server"]


def test_accents_are_folded_and_apostrophes_vanish() -> None:
    assert terms("Café d’été") == terms("cafe dete")  # noqa: RUF001 -- the ambiguous letter is the point
    assert terms("don't") == []


def test_scripts_without_spaces_become_bigrams() -> None:
    assert terms("東京都") == ["東京", "京都"]
    assert terms("雪") == ["雪"]
    assert terms("pipで更新") == ["pip", "で更", "更新"]


def test_other_scripts_keep_their_words() -> None:
    assert terms("Привет мир") == ["привет", "мир"]


def test_what_holds_no_words_has_no_terms() -> None:
    assert terms("") == terms("👍🏽 👩‍👩‍👧 …") == []


def test_hashes_and_base64_are_no_words() -> None:
    assert terms("a" * 100) == []


def test_a_megabyte_is_read_to_a_limit() -> None:
    assert len(terms("word%d " * 10 + "alpha beta " * 100_000)) <= 4001
