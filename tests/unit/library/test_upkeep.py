from ultan.library.entry import parse
from ultan.library.upkeep import (
    CLOSING,
    LOG_CHARS,
    OPENING,
    day,
    derived,
    has_prose,
    logged,
    relinked,
    stamp,
    with_listing,
)


def entries(words, *ids):
    found = {}
    for id_ in ids:
        scope = "global" if id_.startswith("global") else "project:" + id_.split("/")[1]
        found[id_] = parse(words[1](id_.rpartition("/")[2].title(), "Rule.", scope=scope), id_ + ".md")
    return found


def test_every_folder_gets_a_readme_with_folders_before_entries(words):
    texts = derived(entries(words, "global/z", "global/a/b", "projects/web/c"), {})
    assert set(texts) == {"README.md", "global/README.md", "global/a/README.md", "projects/README.md", "projects/web/README.md", "index.md"}
    assert texts["global/README.md"] == (
        f"# Global\n\n{OPENING}\n- [a/](a/README.md) \N{EN DASH} 1 entry\n- [[global/z]] \N{EN DASH} Z [C]\n{CLOSING}\n"
    )


def test_the_library_has_a_front_page_that_keeps_the_persons_words(words):
    front = derived(entries(words, "global/z", "projects/web/c"), {})["README.md"]
    assert front.startswith("# Library\n")
    assert f"{OPENING}\n- [global/](global/README.md) \N{EN DASH} 1 entry\n- [projects/](projects/README.md)" in front
    assert derived(entries(words, "global/z"), {"README.md": "Mine.\n"})["README.md"].startswith("Mine.\n\n")


def test_what_is_true_already_is_not_written_again(words):
    texts = derived(entries(words, "global/z"), {})
    assert derived(entries(words, "global/z"), texts) == {}


def test_a_listing_without_prose_goes_with_its_folder_and_prose_stays(words):
    texts = derived(entries(words, "global/a/b", "global/z"), {})
    after = derived(entries(words, "global/z"), {**texts, "global/c/README.md": "Mine.\n"})
    assert after["global/a/README.md"] is None
    assert after["global/c/README.md"] == f"Mine.\n\n{OPENING}\n{CLOSING}\n"
    assert has_prose(after["global/c/README.md"], "global/c")
    assert not has_prose(texts["global/a/README.md"], "global/a")


def test_a_readme_of_another_spelling_is_the_readme(words):
    texts = {"global/Readme.md": "Mine.\n"}
    assert "global/Readme.md" in derived(entries(words, "global/z"), texts)
    assert "global/README.md" not in derived(entries(words, "global/z"), texts)


def test_a_large_catalog_names_folders_only(words):
    many = entries(words, *(f"global/t{n // 4}/e{n}" for n in range(301)))
    text = derived(many, {})["index.md"]
    assert "[[" not in text
    assert "[global/t7](global/t7/README.md) \N{EN DASH} 4 entries" in text


def test_listings_are_appended_to_prose_without_markers():
    assert with_listing("Prose.", "global", "- x\n") == f"Prose.\n\n{OPENING}\n- x\n{CLOSING}\n"
    assert with_listing("Prose.\r\n", "global", "- x\n") == f"Prose.\r\n\r\n{OPENING}\r\n- x\r\n{CLOSING}\r\n"


def test_markers_in_the_wrong_order_or_number_are_left_alone():
    for text in (f"{CLOSING}{OPENING}", f"{OPENING}{CLOSING}{OPENING}{CLOSING}", OPENING, CLOSING):
        assert with_listing(text, "global", "- x\n") == text


def test_links_to_what_moved_lead_to_its_new_place():
    meant = {"a": "global/a", "global/a": "global/a", "b": "global/b"}
    text = "[[a]] [[global/a.md#part|name]] [[b]] [[unknown]]"
    assert relinked(text, {"global/a": "global/x/a"}, meant) == "[[global/x/a]] [[global/x/a#part|name]] [[b]] [[unknown]]"


def test_the_log_stays_within_its_limit():
    text = ""
    for number in range(3000):
        text = logged(text, [f"line {number} " + "x" * 100])
    assert len(text) <= LOG_CHARS
    assert text.startswith("# Log\n")
    assert text.endswith("line 2999 " + "x" * 100 + "\n")
    assert "older lines: `ultan log`" in text


def test_moments_are_told_in_utc():
    assert stamp(1_780_000_000.0) == "2026-05-28 20:26"
    assert day(-5.0) == "1970-01-01"
