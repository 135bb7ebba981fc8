"""What is read without YAML reads the same with it."""

from hypothesis import example, given, settings
from hypothesis import strategies as st

from ultan.library.entry import Entry, Evidence, Trigger
from ultan.library.plainfront import read_plain
from ultan.library.plainyaml import through_yaml
from ultan.library.rendering import render

KEYS = st.sampled_from(["id", "title", "tags", "applies_when", "evidence", "session", "quote", "x-y", "a_1"])
SCALARS = st.one_of(
    st.text(st.sampled_from("ab1 .,:;!?*&'\"-#[]{}|>%@`~^$()+=/\\_\t\xa0"), max_size=14),
    st.sampled_from(["no", "2025-10-24", "1.0", "'it''s'", '"a"', "a: b", "a #b", "a:b", "- a", "[a, b]", "[]", "{}", "|", ">-", "null", "~", "&a", "*a", "!x", "? a", "a, b", "a,b", "a 'b'", "true", "0x1f", "1_000", "<<"]),
)
LINES = st.one_of(
    st.builds("{}: {}\n".format, KEYS, SCALARS),
    st.builds("{}:\n".format, KEYS),
    st.builds("  - {}\n".format, SCALARS),
    st.builds("  - {}: {}\n".format, KEYS, SCALARS),
    st.builds("    {}: {}\n".format, KEYS, SCALARS),
    st.builds("{}: [{}]\n".format, KEYS, st.lists(SCALARS, max_size=3).map(", ".join)),
    st.sampled_from(["\n", "# remark\n", "...\n", "  more\n"]),
)


@settings(max_examples=400)
@given(st.lists(LINES, max_size=7).map("".join))
@example("a: b:c\n")
@example("tags: [a, b]\nevidence:\n  - session: s\n    turn: t\n  - session: x\n")
def test_what_is_not_declined_reads_the_same_with_yaml(block):
    plain = read_plain(block)
    if plain is not None:
        assert plain == through_yaml(block, "global/x.md")


def test_what_we_write_ourselves_is_seldom_declined():
    written = render(
        Entry(
            id="projects/p/t/x", title="Use uv, never pip", kind="convention", scope="project:p", created="2026-01-02",
            updated="2026-01-02", tags=("uv", "pip"), applies_when=("installing a package", "it's a new machine"),
            triggers=(Trigger("Bash", r"\bpip3?\s+install\b"),), evidence=(Evidence("s", "t", "no, use uv: always", "user"),),
            encoding_strength=0.95, reinforced=3, body="Use uv.\n",
        )
    )  # fmt: skip
    block = written.split("---\n")[1]
    assert read_plain(block) == through_yaml(block, "projects/p/t/x.md")
