"""Words that many commands share."""

import pytest


@pytest.mark.parametrize(
    "words",
    [("curate", "--by", "cluade"), ("ask", "which?", "--by", "cluade"), ("install", "--dry-run", "--by", "cluade"), ("import", "--sessions", "--by", "cluade")],
)  # fmt: skip
def test_a_name_that_nobody_has_is_told_who_there_is(ultan, words):
    ultan("save", "Always use uv, never pip")
    said = ultan(*words)
    assert said.status == 2
    assert "cluade" in said.err
    assert "provider" in said.err
