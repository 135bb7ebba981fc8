from ultan.library.body import composed, revised, rule_of, wikilinks, with_related


def test_the_rule_is_what_stands_before_the_why():
    assert rule_of("# T\n\nUse\nuv.\n\nNever pip.\n\n**Why:** fast\n") == "Use uv.\nNever pip."
    assert rule_of("Use it.\n\n## Why\n\nx") == "Use it."
    assert rule_of("<!-- c -->\nUse it. \n**How to apply:** y") == "Use it."


def test_wikilinks_are_found_in_prose_and_not_in_code():
    body = "- I went with [[global/x]] because [[a.md|the a]], [[b#part]]\n`[[no]]`\n```\n[[no]]\n```\n[24:33.098 - 24:41.260] [[]] [[global/x]]"
    assert wikilinks(body) == ("global/x", "a", "b")


def test_a_body_is_composed_of_rule_why_how_and_related():
    assert composed("Rule.", "because", "so", ["global/x", "global/y"]) == (
        "Rule.\n\n**Why:** because\n\n**How to apply:** so\n\n## Related\n\n- [[global/x]]\n- [[global/y]]\n"
    )


def test_a_rule_cannot_open_sections_of_its_own():
    assert composed("Rule.\n\n## Related\n\n---\n**Why:** x") == "Rule.\n\\## Related\n\\---\n\\**Why:** x\n"


def test_a_body_is_revised_part_by_part():
    body = "# T\n\nOld rule.\n\n**Why:** old\n\n## Notes\n\nkept\n"
    assert revised(body, rule="New rule.") == "# T\n\nNew rule.\n\n**Why:** old\n\n## Notes\n\nkept\n"
    assert "**Why:** new\n" in revised(body, why="new")
    assert revised("Rule.\n", how="so") == "Rule.\n\n**How to apply:** so\n"
    assert "Why" not in revised(body, why="")


def test_a_related_link_joins_the_list_that_is_there():
    body = "R.\n\n## Related\n\n- [[a]]\n\n## More\n\nx\n"
    assert with_related(body, "b") == "R.\n\n## Related\n\n- [[a]]\n- [[b]]\n\n## More\n\nx\n"
