"""Editing config.toml line by line."""

import pytest

from ultan.errors import SettingsError
from ultan.verbs.config import change, config, is_person_only, with_line


def test_a_line_is_replaced_where_it_stands():
    text = "# mine\n[priming]\nentries = 3 # three\n\n[brief]\nenabled = true\n"
    assert with_line(text, "priming.entries", "entries = 1") == text.replace("entries = 3 # three", "entries = 1")


def test_a_new_line_goes_to_the_end_of_its_section():
    text = "[priming]\nentries = 3\n\n[brief]\nenabled = true\n"
    assert with_line(text, "priming.budget_chars", "budget_chars = 900") == (
        "[priming]\nentries = 3\nbudget_chars = 900\n\n[brief]\nenabled = true\n"
    )


def test_a_new_section_goes_to_the_end_of_the_file():
    assert with_line("[brief]\nenabled = true\n", "search.limit", "limit = 5") == (
        "[brief]\nenabled = true\n\n[search]\nlimit = 5\n"
    )


def test_an_empty_line_takes_the_setting_out():
    assert with_line("[search]\nlimit = 5\n", "search.limit", "") == "[search]\n"
    assert with_line("[search]\nlimit = 5\n", "brief.enabled", "") == "[search]\nlimit = 5\n"


def test_a_section_of_another_name_is_not_touched():
    text = "[searching]\nlimit = 5\n"
    assert with_line(text, "search.limit", "limit = 7").startswith(text)


def test_a_setting_goes_back_to_its_default(home):
    assert change(home, "priming.entries", "7") == 7
    assert change(home, "priming.entries", "") == 3
    row = next(row for row in config(home, {}, "0").settings if row.key == "priming.entries")
    assert (row.value, row.source, row.range) == (3, "default", "0 to 10")


def test_a_file_that_would_not_be_read_again_is_left_as_it_was(home):
    path = f"{home}/config.toml"
    with open(path, "w") as file:
        file.write("[priming]\nentries = [\n  3,\n]\n")
    with pytest.raises(SettingsError):
        change(home, "priming.entries", "2")
    with open(path) as file:
        assert file.read() == "[priming]\nentries = [\n  3,\n]\n"


def test_what_raises_spend_is_known_and_what_is_unknown_is_told():
    assert is_person_only("curation.by")
    assert not is_person_only("priming.entries")
    with pytest.raises(SettingsError) as caught:
        is_person_only("curation.bye")
    assert "curation.by" in caught.value.hint
