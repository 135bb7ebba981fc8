
from made_entries import SHOP, entry, index_of

from ultan.recall.briefing import brief


def test_a_briefing_names_pinned_rules_first_and_keeps_its_budget() -> None:
    rules = [entry(f"projects/shop/r{at}", title=f"Shop rule {at} " + "x" * 50, encoding_strength=at / 40) for at in range(30)]
    pinned = entry("projects/shop/pinned", title="The pinned one", pinned=True, encoding_strength=0.0)
    text, ids = brief(index_of(*rules, pinned, *SHOP), "shop", 1200, "2026-03-01")
    assert len(text) <= 1200
    assert ids[0] == "projects/shop/pinned"
    assert "global/tone" in ids
    assert not any(id.startswith("projects/bank") for id in ids)  # noqa: A001 -- the word of the glossary


def test_a_briefing_leaves_out_what_is_unconfirmed_superseded_or_expired() -> None:
    entries = [
        entry("global/seen", trust="observed"), entry("global/was", superseded_by="global/is"), entry("global/is"),
        entry("global/gone", expires="2026-01-02"), entry("global/dead", status="deprecated"),
    ]  # fmt: skip
    assert brief(index_of(*entries), "", 1200, "2026-03-01")[1] == ["global/is"]


def test_an_empty_library_has_no_briefing() -> None:
    assert brief(index_of(), "shop", 1200, "") == ("", [])
