"""What counts as use, and how often."""

from dataclasses import replace

from ultan.events import Piece, Transcript
from ultan.library.actions import Create, MarkHelpful
from ultan.library.entry import Entry
from ultan.library.rendering import render
from ultan.library.snapshot import read_library
from ultan.library.twin import MemoryStore
from ultan.verbs.counting import bumps, counts
from ultan.verbs.reading import Progress, Reading

UV = Entry("global/uv", "uv, never pip", "convention", "global", "2026-01-05", "2026-01-05", body="Always use uv, never pip.\n")
LIBRARY = read_library(MemoryStore({UV.path: render(UV)}))


def reading(*pieces, progress=None, shown=1):
    said = Transcript("s1", "shop", list(pieces), surfaced={UV.id: [0]}, day="2026-02-01")
    return Reading("s1", "shop", ("e1",), said, progress or Progress(session="s1", surfaced={UV.id: [0]}), {UV.id: shown} if shown else {})


DEED = (Piece("p", "user", "add a client", turn=0), Piece("c", "tool:Bash", "done", turn=0, about="Bash: uv add httpx"))


def test_without_a_model_code_judges_and_silence_is_held_against_nobody():
    [bump] = bumps(reading(*DEED), LIBRARY, [], judged=False)
    assert (bump.fired, bump.helpful, bump.ignored, bump.helpful_on) == (1, 1, 0, "2026-02-01")
    [bump] = bumps(reading(DEED[0]), LIBRARY, [], judged=False)
    assert (bump.helpful, bump.ignored, bump.helpful_on) == (0, 0, "")


def test_where_a_model_judged_code_does_not():
    [bump] = bumps(reading(*DEED), LIBRARY, [], judged=True)
    assert (bump.helpful, bump.ignored) == (0, 1)


def test_a_use_counts_once_for_session_entry_and_turn():
    progress = Progress(session="s1", surfaced={UV.id: [0]})
    assert bumps(reading(*DEED, progress=progress), LIBRARY, [], judged=False)[0].helpful == 1
    assert bumps(reading(*DEED, progress=progress, shown=0), LIBRARY, [], judged=False) == []
    assert not counts(progress, MarkHelpful(entry=UV.id, turn=0))
    assert counts(progress, MarkHelpful(entry=UV.id, turn=1))


def test_what_was_never_shown_cannot_have_helped_and_other_actions_always_count():
    assert not counts(Progress(session="s1"), MarkHelpful(entry=UV.id, turn=0))
    assert counts(Progress(session="s1"), Create(folder="global", kind="finding", title="A title", rule="A rule that holds."))


def test_what_faded_and_was_shown_again_is_counted_and_its_use_is_seen():
    away = replace(UV, status="stale", shelved=True, faded=True, archived="2026-01-20")
    library = read_library(MemoryStore({away.path: render(away)}))
    [bump] = bumps(reading(*DEED), library, [], judged=False)
    assert (bump.entry, bump.fired, bump.helpful) == (UV.id, 1, 1)
    put_away = replace(away, faded=False)
    assert bumps(reading(*DEED), read_library(MemoryStore({away.path: render(put_away)})), [], judged=False) == []
