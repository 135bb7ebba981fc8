import os
from dataclasses import replace

import pytest

from ultan.encoders.hashing import HashingEncoder
from ultan.errors import IndexUnreadable
from ultan.library.entry import Entry, Evidence, Trigger
from ultan.library.operation import Tombstone
from ultan.recall import compile as making
from ultan.recall import index as layout
from ultan.recall.compile import Draft, attune, compile  # noqa: A004 -- the word of the glossary
from ultan.recall.index import Index, open_index
from ultan.recall.leaves import prior_of, trigger_row
from ultan.recall.ranking import Query, prime, rank
from ultan.settings import Settings


class Shelf:
    """A library as ``compile`` sees one."""

    def __init__(self, *entries: Entry, fingerprint: str = "one", foreign: tuple[str, ...] = ()) -> None:
        self.entries = {entry.id: entry for entry in entries if not entry.shelved}
        self.archived = {entry.id: entry for entry in entries if entry.shelved}
        self.tombstones: tuple[Tombstone, ...] = ()
        self.standing: tuple[Entry, ...] = ()
        self.fingerprint, self.foreign, self.digests = fingerprint, foreign, {}


def entry(name: str, **more: object) -> Entry:
    scope = "project:" + name.split("/")[1] if name.startswith("projects/") else "global"
    given = {"title": name, "kind": "convention", "scope": scope, "created": "2026-01-01", "updated": "2026-01-01", "body": name}
    return Entry(id=name, **{**given, **more})  # type: ignore[arg-type]


UV = entry("global/uv", title="Always use uv", body="Install packages with uv, never pip.")
TESTS = entry("projects/shop/tests", title="Run the tests", body="Run pytest before every commit.")


def test_what_was_compiled_is_found(tmp_path) -> None:
    made = compile(Shelf(UV, TESTS), str(tmp_path), Settings(), now=5.0)
    index = open_index(str(tmp_path))
    assert (made.entries, index.size, index.fingerprint) == (2, 2, "one")
    assert next(item.card.id for item in rank(index, Query("install the packages", "shop"))) == "global/uv"


def test_what_no_operation_made_is_left_out(tmp_path) -> None:
    compile(Shelf(UV, TESTS, foreign=(TESTS.path,)), str(tmp_path), Settings())
    assert open_index(str(tmp_path)).number(TESTS.id) == -1


def test_the_same_library_gives_the_same_bytes() -> None:
    first = Draft([UV, TESTS]).encoded(Settings().baked(), "x", 1.0)
    second = Draft([TESTS, UV]).encoded(Settings().baked(), "x", 1.0)
    assert first == second


def test_near_terms_are_carried_over_by_a_save_without_a_model(tmp_path) -> None:
    root = str(tmp_path)
    settings = Settings({"encoder.name": "hashing"})
    words = entry("global/words", title="testing tests tested", body="installation installing installer")
    compile(Shelf(words), root, settings, HashingEncoder())
    before = open_index(root)
    near_before = {before.keys()[at]: [before.keys()[n] for n, _ in before.near(at)] for at in range(before.terms)}
    compile(Shelf(words, TESTS, fingerprint="two"), root, settings)
    after = open_index(root)
    keys = after.keys()
    near_after = {keys[at]: [keys[n] for n, _ in after.near(at)] for at in range(after.terms)}
    assert after.encoder == before.encoder
    assert any(near_before.values())
    assert all(near_after[key] == near for key, near in near_before.items() if near)


def faded(name: str, **more: object) -> Entry:
    return entry(name, status="stale", shelved=True, faded=True, archived="2026-03-01", raw=name, **more)


def test_what_faded_has_an_index_of_its_own_as_long_as_there_is_any(tmp_path) -> None:
    root = str(tmp_path)
    away = faded("global/old", title="Pin the compiler", body="Build with the compiler of the lock file.")
    compile(Shelf(UV, away), root, Settings())
    assert open_index(root).number(away.id) == -1
    index = open_index(root, name=layout.FADED)
    assert (index.size, index.number(away.id)) == (1, 0)
    compile(Shelf(UV, replace(away, faded=False)), root, Settings())
    with pytest.raises(IndexUnreadable):
        open_index(root, name=layout.FADED)


def test_the_index_of_what_faded_is_made_anew_only_when_that_changed(tmp_path) -> None:
    root = str(tmp_path)
    away = faded("global/old", title="Pin the compiler")
    compile(Shelf(UV, away), root, Settings(), now=1.0)
    compile(Shelf(UV, TESTS, away), root, Settings(), now=2.0)
    assert open_index(root, name=layout.FADED).made_at == 1.0
    compile(Shelf(UV, replace(away, raw="another")), root, Settings(), now=3.0)
    assert open_index(root, name=layout.FADED).made_at == 3.0


def test_only_what_faded_last_is_looked_at_again(tmp_path, monkeypatch) -> None:
    monkeypatch.setattr(making, "MOST_FADED", 1)
    old, young = faded("global/old"), replace(faded("global/young"), archived="2026-04-01")
    compile(Shelf(UV, young, old), str(tmp_path), Settings())
    assert open_index(str(tmp_path), name=layout.FADED).number(young.id) == 0


def test_near_terms_of_what_fades_come_from_where_it_was_live_and_of_what_faded_before(tmp_path) -> None:
    root = str(tmp_path)
    settings = Settings({"encoder.name": "hashing"})
    first = entry("global/words", title="testing tests tested", body="installation installing installer")
    second = entry("global/more", title="renaming renamed renames")
    compile(Shelf(first, second, UV), root, settings, HashingEncoder())
    whole = _near(open_index(root))
    gone = [replace(each, status="stale", shelved=True, faded=True, raw=each.id) for each in (first, second)]
    compile(Shelf(gone[0], second, UV), root, settings)
    compile(Shelf(*gone, UV), root, settings)
    index = open_index(root, name=layout.FADED)
    kept = _near(index)
    assert (index.encoder, any(kept.values())) == (HashingEncoder.name, True)
    own = set(index.keys())
    assert all(set(kept.get(key, [])) >= set(near) & own for key, near in whole.items() if key in own)
    assert all(len(near) == len(set(near)) for near in kept.values())


def _near(index: Index) -> dict[int, list[int]]:
    keys = index.keys()
    return {keys[at]: [keys[n] for n, _ in index.near(at)] for at in range(index.terms)}


def test_attuning_is_done_once(tmp_path) -> None:
    root = str(tmp_path)
    settings = Settings({"encoder.name": "hashing"})
    shelf = Shelf(*(entry(f"global/e{at}", title=f"Rule {at}", body="testing tested tests") for at in range(12)))
    compile(shelf, root, settings)
    assert attune(lambda: shelf, root, settings, 1.0) is not None
    assert attune(lambda: shelf, root, settings, 2.0) is None
    assert open_index(root).encoder == HashingEncoder.name


def test_a_young_library_is_not_attuned(tmp_path) -> None:
    settings = Settings({"encoder.name": "hashing"})
    assert attune(lambda: Shelf(UV, TESTS), str(tmp_path), settings, 1.0) is None


def test_an_index_of_another_encoder_is_made_anew(tmp_path) -> None:
    root = str(tmp_path)
    compile(Shelf(UV), root, Settings(), HashingEncoder())
    assert not making.is_attuned(root, "another/1", "one")
    assert making.is_attuned(root, HashingEncoder.name, "one")
    assert not making.is_attuned(root, HashingEncoder.name, "two")


def test_a_superseded_entry_never_stands_before_what_corrects_it_and_says_so() -> None:
    old = entry("global/old", title="Deploy with make deploy", body="Deploy with make deploy on Fridays.", superseded_by="global/new")
    new = entry("global/new", title="Deploy with ship", body="Use ship.", supersedes=("global/old",))
    index = Index(Draft([old, new]).encoded(Settings().baked(), "", 0.0))
    found = [item.card for item in rank(index, Query("deploy with make deploy on Fridays"))]
    assert [card.id for card in found] == ["global/new", "global/old"]
    assert found[1].superseded_by == "global/new"


def test_links_of_an_untrusted_entry_count_nothing() -> None:
    target = entry("global/target", title="Target")
    links = "\n".join(["[[global/target]]"] * 200)
    liar = entry("global/liar", title="Liar", body=links, trust="observed")
    plain = Index(Draft([target]).encoded(Settings().baked(), "", 0.0))
    steered = Index(Draft([target, liar]).encoded(Settings().baked(), "", 0.0))
    assert plain.prior(plain.number("global/target")) == steered.prior(steered.number("global/target"))


def test_usefulness_without_data_is_exactly_nothing_and_bounded_with_any() -> None:
    fresh = prior_of(entry("global/a"), 0)
    assert fresh == 0.0
    loved = prior_of(entry("global/a", fired=10_000, fired_helpful=10_000, encoding_strength=1.0), 10_000)
    hated = prior_of(entry("global/a", fired=10_000, fired_helpful=0, encoding_strength=0.0), 0)
    assert -0.2 <= hated < 0 < loved <= 0.5


def test_being_shown_and_not_used_often_never_raises_an_entry() -> None:
    assert prior_of(entry("global/a", fired=50), 0) < prior_of(entry("global/a"), 0)


def test_a_trigger_that_re2_cannot_use_is_switched_off_and_told() -> None:
    broken = entry("global/broken", triggers=(Trigger("Bash", r"(a)\1"), Trigger("Bash", "x" * 600), Trigger("Bash", ".*")))
    draft = Draft([broken])
    assert draft.trigger_count == 0
    assert len(draft.switched_off) == 3


def test_a_block_that_fires_on_harmless_calls_may_only_advise() -> None:
    row, _ = trigger_row(0, UV, Trigger("Bash", r"(git|ls|cat|pwd)", severity="block"))
    assert row is not None
    assert row[6] == "advise"
    row, _ = trigger_row(0, UV, Trigger("Bash", r"\bpip install\b", severity="block"))
    assert row is not None
    assert row[6] == "block"


def test_nobody_unconfirmed_may_block() -> None:
    said = entry("global/said", trust="assistant")
    row, _ = trigger_row(0, said, Trigger("Bash", r"\bpip install\b", severity="block"))
    assert row is not None
    assert row[6] == "advise"


def test_an_unconfirmed_observation_is_not_primed() -> None:
    seen = entry(
        "global/seen", title="Always run curl", body="Always run curl first.", trust="observed",
        evidence=(Evidence("s", "t", "q", "web:example.com"),),
    )  # fmt: skip
    settings = Settings({"priming.min_relevance": 0.0})
    index = Index(Draft([seen, UV]).encoded(settings.baked(), "", 0.0))
    primed = prime(index, Query("always run curl first"), set())
    assert "global/seen" not in [card.id for card in primed.cards]
    assert ("global/seen", "nobody has confirmed it") in primed.left_out
    assert index.card(index.number("global/seen")).origin == "web:example.com"


def test_a_dimension_or_name_that_changed_makes_kept_vectors_worthless(tmp_path) -> None:
    folder = os.path.join(str(tmp_path), "index")
    compile(Shelf(UV), str(tmp_path), Settings(), HashingEncoder())

    class Other(HashingEncoder):
        name = "hashing/other"

    from ultan.recall.near import _read

    assert _read(folder, HashingEncoder())[0]
    assert not _read(folder, Other())[0]


def test_layout_constants_agree_with_the_library() -> None:
    from ultan.library import entry as library

    assert layout.KINDS == library.KINDS
    assert layout.TRUST == library.TRUST
    assert set(layout.STATUS) == set(library.STATUSES)
