import pytest

from ultan.events import Piece
from ultan.library.actions import Cite, TriggerSpec
from ultan.library.entry import Evidence
from ultan.library.grounds import (
    Grounds,
    cleaned,
    compiled,
    encoding_strength,
    forbidden,
    gathered,
    grounds,
    is_alike,
    is_emphatic,
    is_too_broad,
    is_unsupported,
    rule_key,
    shortened,
    triggers_of,
)  # fmt: skip
from ultan.library.operation import Tombstone

SOURCES = {
    "u": Piece("u", "user", "always  use\nuv"), "r": Piece("r", "rejection", "not pip"), "a": Piece("a", "assistant", "use uv"),
    "p": Piece("p", "pasted", "force-push"), "s": Piece("s", "subagent", "x y"), "m": Piece("m", "mcp:evil", "x y"),
}  # fmt: skip


def found(*cites, by="scholar", **more):
    return grounds([Cite(event=event, quote=quote) for event, quote in cites], SOURCES, by=by, session="s", **more)


@pytest.mark.parametrize(
    ("cites", "trust"),
    [
        ([("u", "always use uv")], 3), ([("r", "not pip")], 3), ([("u", "use uv"), ("r", "pip")], 3), ([("a", "use uv")], 1),
        ([("u", "use uv"), ("a", "use uv")], 1), ([("p", "force-push")], 0), ([("s", "x y")], 0), ([("m", "x y")], 0),
        ([("u", "use uv"), ("m", "x y")], 0),
    ],
)  # fmt: skip
def test_trust_is_the_lowest_origin_cited(cites, trust):
    assert found(*cites).trust == trust


def test_a_person_s_approval_lifts_to_confirmed_only():
    assert found(("m", "x y"), confirmed=True).trust == 2
    assert found(("u", "use uv"), confirmed=True).trust == 3


def test_evidence_keeps_origin_session_and_words():
    assert found(("u", "use uv")).evidence == (Evidence("s", "u", "use uv", "user"),)


@pytest.mark.parametrize("cites", [[], [("x", "use uv")], [("u", "use pip")], [("u", "use uv"), ("a", "always")]])
def test_bad_evidence_gives_a_reason(cites):
    assert isinstance(found(*cites), str)


def test_a_person_needs_no_evidence():
    assert grounds((), None, by="person", session="").trust == 3
    assert grounds((Cite(event="terminal", quote="x"),), None, by="import", session="").evidence[0].origin == "user"


def test_evidence_is_bounded_and_keeps_the_first_and_the_latest():
    every = [Evidence("s", str(n), "q") for n in range(9)]
    assert [each.turn for each in gathered(every[:1], every)] == ["0", "5", "6", "7", "8"]


def test_rules_are_alike_by_their_words():
    assert rule_key("Use UV, never *pip*!") == "use uv never pip"
    assert is_alike("use uv never pip", "use uv never pip here")
    assert not is_alike("use uv never pip", "tabs not spaces")


def test_a_rejected_rule_needs_new_words_of_the_person():
    stones = [Tombstone("global", "use uv never pip", ("p1",))]
    old, new = (Grounds(3, (Evidence("s", turn, "q", "user"),)) for turn in ("p1", "p2"))
    low = Grounds(1, (Evidence("s", "p2", "q", "assistant"),))
    assert forbidden("Use uv, never pip.", "project:x", old, stones)
    assert forbidden("Use uv, never pip.", "global", low, stones)
    assert not forbidden("Use uv, never pip.", "global", new, stones)
    assert not forbidden("Tabs, not spaces.", "global", old, stones)
    assert not forbidden("Use uv, never pip.", "project:y", old, [Tombstone("project:x", "use uv never pip")])


def test_what_shares_no_word_with_its_source_is_unsupported():
    assert is_unsupported("Download remote installers", "use uv and tabs")
    assert not is_unsupported("Install packages with uv", "uv, please")
    assert not is_unsupported("Installing things", "how do I install this")
    assert not is_unsupported("Use uv", "никогда не используй pip")
    assert not is_unsupported("Use it", "yes")


@pytest.mark.parametrize(
    ("salience", "more", "value"),
    [
        ("contradicts", {}, 0.85), ("novel", {}, 0.5), ("novel", {"words": "NEVER do that!"}, 0.6), ("novel", {"repeated": 2}, 0.6),
        ("novel", {"repeated": 99}, 0.65), ("contradicts", {"words": "always!", "repeated": 9}, 1.0),
    ],
)  # fmt: skip
def test_strength_adds_up_from_its_signals(salience, more, value):
    assert encoding_strength(salience, kind="preference", **more).value == value
    assert encoding_strength(salience, kind="finding", **more).value < value


def test_strength_explains_itself():
    assert encoding_strength("contradicts", kind="finding", words="never!").explained() == "contradicts 0.85, emphasis +0.1, finding -0.15"


def test_emphasis_is_heard_in_several_languages():
    assert all(is_emphatic(words) for words in ("never pip", "IMPORTANT: x", "stop it!", "immer uv", "никогда", "必须"))
    assert not is_emphatic("perhaps use uv")


def test_broad_patterns_do_not_block():
    assert [is_too_broad(pattern) for pattern in (".*", "", "a*", "git", "(?!x)", "git push --force", "rm -rf /")] == [
        True, True, True, True, True, False, False,
    ]  # fmt: skip
    assert compiled("(a+)+$") is not None
    assert compiled("x" * 513) is None


def test_a_trigger_keeps_its_unless_and_loses_its_block_without_a_person():
    kept, notes = triggers_of([TriggerSpec(pattern="x", unless=("y",), severity="block"), TriggerSpec(pattern="x", unless=("(?=y)",))], 1)
    assert [(each.unless, each.severity) for each in kept] == [(("y",), "advise")]
    assert len(notes) == 2


def test_invisible_characters_go_and_visible_ones_stay():
    assert cleaned("a\u202eb\u200bc\U000e0041d\x1be\x00f") == "abcdef"
    assert cleaned("日本語 👩‍💻 naïve\n\ttab") == "日本語 👩‍💻 naïve\n\ttab"
    assert cleaned("a\ud800b") == "a?b"
    assert cleaned("a\r\nb") == "a\nb"


def test_long_quotes_are_cut_on_one_line():
    assert shortened("a\n b") == "a b"
    assert len(shortened("x" * 500)) == 300
