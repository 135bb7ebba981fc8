"""Names without credentials, and the files they still find."""

import pytest
from made_secrets import SPECS, Maker

from ultan import credentials
from ultan.redaction import redact
from ultan.veil import safe, safe_names, unveiled


@pytest.mark.parametrize(
    "name", ["/home/me/shop", "Bash", "mcp__tracker__get-issue", "", "-home-me-shop", "prompt_input_exit", "/srv/a b/\u00fc"]
)
def test_an_ordinary_name_stays_as_it_is(name):
    assert safe(name) == name


def test_a_credential_of_any_kind_in_a_name_is_masked():
    maker = Maker(11)
    pairs = [maker.text(kind) for kind in sorted(SPECS)]
    places = [(secret, f"/home/me/{text} shop") for secret, text in pairs]
    assert [secret for secret, place in places if secret in safe(place)] == []
    assert [place for _, place in places if safe(place) != redact(place)[0]] == []


@pytest.mark.parametrize("word", [word for word, _ in credentials.TOLD])
def test_every_word_that_announces_a_secret_is_looked_at(word):
    """The look that costs nothing must not pass over what the rules would find."""
    told = f"{word}: Xy7!kq2Lm"
    assert safe(told) == redact(told)[0]


def test_only_what_others_named_is_made_safe():
    token = Maker(1).secret("github")
    known = safe_names({"tool": f"x {token}", "ids": [token], "turn": 3}, ("tool", "touched"))
    assert known["ids"] == [token]
    assert token not in str(known["tool"])


def test_a_name_without_its_credential_still_finds_its_file(tmp_path):
    folder = tmp_path / f"a {Maker(2).secret('github')} b"
    folder.mkdir()
    file = folder / "x.jsonl"
    file.write_text("{}")
    masked = safe(str(file))
    assert masked != str(file)
    assert unveiled(masked) == [str(file)]
    assert unveiled(str(file)) == [str(file)]


def test_signs_of_a_pattern_in_a_masked_name_are_letters(tmp_path):
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "x").write_text("")
    assert unveiled(f"{tmp_path}/[a]/[redacted:token]") == []
    assert unveiled(f"{tmp_path}/a/[redacted:token]") == [str(tmp_path / "a" / "x")]


@pytest.mark.parametrize("after", ["__search", "_x", "-y", "/z", ".py", "x", ")"])
@pytest.mark.parametrize("quote", ['"', "'", "`"])
def test_a_quoted_passphrase_is_seen_whatever_follows_its_quote(quote, after):
    name = f"mcp__passphrase {quote}violet-kettle-mornings-granite{quote}{after}"
    assert "kettle" not in safe(name)
    assert safe(name).startswith("mcp__passphrase ")


def test_a_passphrase_with_its_quote_in_it_leaves_no_part_behind():
    assert "Xy7" not in safe('passphrase "ab!9"Xy7!kq2Lm"')
