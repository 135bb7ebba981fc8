from ultan.library.yamlfront import front


def test_frontmatter_can_be_looked_at_as_it_stands():
    assert front("---\ncreated: 2026-05-01\n---\n\nUse uv.\n")["created"] == "2026-05-01"
