"""Settings are read once, checked against one table, and say what is wrong."""

import pytest

from ultan import settings
from ultan.errors import SettingsError


def test_environment_wins_over_the_file_and_the_file_over_the_default(tmp_path):
    (tmp_path / "config.toml").write_text('[priming]\nentries = 2\nmin_relevance = 0.25\n[curation]\nby = "claude"\n')
    loaded = settings.load(str(tmp_path), {"ULTAN_PRIMING__ENTRIES": "1"})
    assert (loaded["priming.entries"], loaded["priming.min_relevance"], loaded["curation.by"]) == (1, 0.25, "claude")
    assert loaded["brief.budget_chars"] == 1200


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("[priming]\nentires = 2\n", "priming.entires"),
        ("[priming]\nentries = 99\n", "between 0 and 10"),
        ('[priming]\nenabled = "perhaps"\n', "yes or no"),
        ('[curation]\nby = "ghost"\n', "one of clerk"),
        ("entries = 2\n", "outside a"),
        ("not toml", "cannot be read"),
    ],
)
def test_a_wrong_row_is_named_in_one_line(tmp_path, text, says):
    (tmp_path / "config.toml").write_text(text)
    with pytest.raises(SettingsError, match=says):
        settings.load(str(tmp_path), {})


def test_an_unknown_key_suggests_the_closest():
    with pytest.raises(SettingsError) as caught:
        settings.checked("priming.entrys", 2)
    assert "priming.entries" in caught.value.hint


def test_what_is_rendered_reads_back(tmp_path):
    values = {"priming.entries": 2, "capture.excluded": ("a*", 'b"c'), "curation.by": "clerk", "notice.enabled": False}
    (tmp_path / "config.toml").write_text(settings.render(values))
    loaded = settings.load(str(tmp_path), {})
    assert {key: loaded[key] for key in values} == values


def test_every_row_has_a_meaning_and_a_default_inside_its_range():
    for row in settings.TABLE:
        assert row.meaning.endswith("."), row.key
        assert settings.checked(row.key, row.default) == row.default
