"""What holds for any entry, any edit, any sequence of actions."""

import string

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ultan.errors import InvalidEntry, LibraryError
from ultan.library import actions as act
from ultan.library.entry import KINDS, TRUST, Entry, Evidence, Trigger, parse
from ultan.library.executor import execute
from ultan.library.operation import digest
from ultan.library.past import undo
from ultan.library.rendering import edited, render
from ultan.library.snapshot import read_library
from ultan.library.twin import MemoryStore
from ultan.library.upkeep import CLOSING, OPENING, derived, with_listing
from ultan.library.yamlfront import front

QUICK = settings(max_examples=50, deadline=None, suppress_health_check=list(HealthCheck))
text = st.text(st.characters(exclude_categories=["Cs"]), max_size=40)
title = text.filter(bool)
words = st.lists(text, max_size=4).map(tuple)
day = st.dates().map(lambda each: each.isoformat())
counts = st.integers(0, 10**8)
patterns = st.text(min_size=1, max_size=20).filter(lambda each: each.encode("utf-8", "ignore").decode() == each)
keys = st.text(string.ascii_letters + "-_", min_size=1, max_size=8).filter(lambda each: not each.startswith("-"))
free = st.recursive(text, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(title, inner, max_size=3), max_leaves=5)
triggers = st.builds(Trigger, title, patterns, text, words.map(lambda each: tuple(filter(None, each))), words, st.sampled_from(["advise", "block"]))
known = {
    "status", "archived", "kind", "type", "id", "title", "scope", "created", "updated", "severity", "trust", "pinned", "tags",
    "why", "when", "files", "fired", "source", "expires", "subject", "ignored", "fetched", "triggers", "evidence",
}  # fmt: skip
entries = st.builds(
    Entry, id=st.just("global/x"), title=title, kind=st.sampled_from(KINDS), scope=st.just("global"), created=day, updated=day,
    status=st.sampled_from(["active", "deprecated", "stale"]), tags=words, applies_when=words, files=words,
    triggers=st.lists(triggers, max_size=2).map(tuple), trust=st.sampled_from(TRUST),
    evidence=st.lists(st.builds(Evidence, text, text, text, text), max_size=2).map(tuple),
    encoding_strength=st.floats(0, 1), reinforced=counts, last_reinforced=st.just("") | day, fired=counts, fired_helpful=counts,
    pinned=st.booleans(), supersedes=words, superseded_by=text, why=text, alternatives=words, subject=text, confidence=text,
    source=text, when=text, participants=words, location=text, body=st.text(st.characters(exclude_categories=["Cs"]), max_size=200),
    extra=st.dictionaries(keys.filter(lambda each: each.lower() not in known), free, max_size=3),
)  # fmt: skip


@QUICK
@given(entries)
def test_parsing_what_was_rendered_gives_the_same_entry(entry):
    try:
        raw = render(entry)
        again = parse(raw, entry.path)
    except InvalidEntry as error:
        assert any(word in str(error) for word in ("larger", "nested", "conflict markers"))  # noqa: PT017 -- a limit, not a loss
        return
    assert again == entry


@QUICK
@given(entries, st.dictionaries(st.sampled_from(["reinforced", "fired", "fired_helpful"]), counts, min_size=1), words)
def test_an_edit_changes_what_was_asked_and_nothing_else(entry, changes, tags):
    raw = render(entry)
    try:
        parse(raw, entry.path)
        after = edited(raw, {**changes, "tags": tags})
    except InvalidEntry:
        return
    new = parse(after, entry.path)
    for name, value in {**changes, "tags": tags}.items():
        assert getattr(new, name) == value
    untouched = {key: value for key, value in front(raw).items() if key not in ("tags", "reinforced", "fired", "fired-helpful")}
    assert {key: front(after).get(key) for key in untouched} == untouched
    assert new.body == entry.body


@QUICK
@given(st.text(max_size=300))
def test_any_text_is_an_entry_or_is_refused_by_name(raw):
    for candidate in (raw, f"---\n{raw}\n---\n\nbody"):
        try:
            entry = parse(candidate, "global/x.md")
        except InvalidEntry:
            continue
        assert entry.raw == candidate
        try:
            assert parse(edited(candidate, {"reinforced": 7}), "global/x.md").reinforced == 7
        except InvalidEntry:
            continue


@QUICK
@given(st.text(max_size=200), st.text(max_size=100), st.text("ab\n", max_size=20))
def test_bytes_outside_the_markers_never_change(before, after, listing):
    prose = f"{before}{OPENING}\nold\n{CLOSING}{after}"
    if prose.count(OPENING) == prose.count(CLOSING) == 1:
        new = with_listing(prose, "global", listing)
        assert new.startswith(before + OPENING)
        assert new.endswith(CLOSING + after)
        assert with_listing(new, "global", listing) == new


titles = st.sampled_from(["Alpha", "Beta", "Gamma", "Delta thing"])
names = st.sampled_from(["alpha", "beta", "gamma", "delta-thing", "alpha-2", "missing"])
folders = st.sampled_from(["global", "global/a", "global/a/b", "projects/x", "projects/x/a"])
rules = st.sampled_from(["Use one thing.", "Use two things.", "See [[alpha]].", "Do three things.", "Do four."])
wishes = st.one_of(
    st.builds(act.Create, folder=folders, kind=st.sampled_from(["convention", "finding"]), title=titles, rule=rules),
    st.builds(act.Update, entry=names, rule=rules, tags=st.just(("t",))),
    st.builds(act.Reinforce, entry=names),
    st.builds(act.Deprecate, entry=names, reason=st.just("r"), superseded_by=names | st.just("")),
    st.builds(act.Merge, into=names, entries=st.tuples(names), title=titles, rule=rules),
    st.builds(act.Move, entry=names, folder=folders),
    st.builds(act.AddWikilink, entry=names, target=names),
    st.builds(act.Archive, entry=names),
    st.builds(act.Revive, entry=names),
    st.builds(act.Pin, entry=names),
    st.builds(act.Bump, entry=names, fired=st.integers(0, 3)),
    st.builds(act.SplitFolder, folder=st.just("global"), into=st.fixed_dictionaries({"s": st.tuples(names)})),
    st.just("undo"),
)


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.lists(wishes, min_size=1, max_size=12))
def test_any_plan_leaves_a_valid_library_and_nothing_is_ever_lost(plan):
    store = MemoryStore()
    seen = {}
    for step, wish in enumerate(plan):
        now = 1.78e9 + step * 86400
        if wish == "undo":
            try:
                undo(store, None, now)
            except LibraryError:
                continue
        else:
            execute(store, [wish], now=now, by="person")
        library = read_library(store)
        assert library.unreadable == ()
        assert library.foreign == ()
        texts = {path: each for path, each in library.texts.items() if path != "log.md"}
        assert derived(library.entries, texts) == {}
        for entry in (*library.entries.values(), *library.archived.values()):
            assert front(entry.raw)["id"] == entry.id
            seen[digest(entry.raw.encode())] = entry.raw
        for mark, raw in seen.items():
            assert store.past(mark).decode() == raw
    log = store.operations()
    assert [each.number for each in log] == list(range(1, len(log) + 1))
    assert all(each.sealed() == each.digest for each in log)


@settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.lists(wishes.filter(lambda wish: wish != "undo" and not isinstance(wish, act.Bump)), min_size=1, max_size=8))
def test_undoing_everything_leads_back_to_the_beginning(plan):
    store = MemoryStore()
    for step, wish in enumerate(plan):
        execute(store, [wish], now=1.78e9 + step * 86400, by="person")
    while True:
        try:
            undo(store, None, 1.79e9)
        except LibraryError as error:
            assert "nothing to undo" in str(error)  # noqa: PT017 -- the loop's own end
            break
    assert [path for path in store.files().paths if path not in ("log.md", "index.md", "README.md")] == []
