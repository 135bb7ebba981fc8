"""Curate: what sessions said becomes what the library knows, once, whatever happens."""

import json
import os

import pytest
from filelock import FileLock

from ultan import home, spool
from ultan.errors import MalformedReply, NotLoggedIn, QuotaReached
from ultan.events import Event, Piece
from ultan.library.actions import Archive
from ultan.library.executor import execute
from ultan.library.snapshot import read_library
from ultan.library.store import FileStore
from ultan.llm.recorded import read_spending
from ultan.llm.scripted import by_role, scripted
from ultan.recall.compile import compile as compile_index
from ultan.recall.index import open_index
from ultan.recall.ranking import Query
from ultan.recall.second_look import look
from ultan.reflex import wake
from ultan.settings import Settings
from ultan.verbs import curate as verb
from ultan.verbs.curate import curate
from ultan.verbs.reading import read_progress

NOON = 1_780_000_000.0
RULE = "From now on always use uv in this repo, never pip."


class Clock:
    """A clock that moves only when somebody sleeps."""

    def __init__(self, at=NOON):
        self.at = at
        self.naps = []

    def __call__(self):
        return self.at

    def sleep(self, seconds):
        self.naps.append(seconds)
        self.at += seconds


@pytest.fixture
def root(tmp_path):
    return home.ensure(str(tmp_path / "home"))


def queue(root, kind, *texts, session="s1", at=NOON - 100, origin="user", number=[0], project="shop", **data):  # noqa: B006
    number[0] += 1
    name = f"{int(at * 1000):012x}-{number[0]:010x}"
    pieces = [Piece(f"{name}.{place}", origin, text) for place, text in enumerate(texts)]
    spool.put(
        root,
        Event(name, at, kind, client="claude-code", session=session, project=project, pieces=pieces, data=data),
    )
    return name


def turn(root, text, **more):
    queue(root, "prompt", text, **more)
    return queue(root, "turn_end", **more)


def run(root, clock=None, model=None, settings=None, **more):
    clock = clock or Clock()
    return curate(root, settings or Settings(), now=clock, sleep=clock.sleep, model=model, **more)


def entries(root):
    return read_library(FileStore(root)).entries


def quoting(errand, **fields):
    """A librarian's answer that creates one rule from the first new piece of the packet, in session s1 or good."""
    if errand.session not in ("s1", "good"):
        return {"suggestions": []}
    name = errand.question.rpartition("New:")[2].partition('id="')[2].partition('"')[0]
    action = {
        "verb": "create", "folder": "projects/shop/tools", "kind": "convention", "title": "uv, never pip",
        "rule": RULE, "applies_when": ["installing a package"],
        "evidence": [{"event": name, "quote": "always use uv in this repo"}], **fields,
    }  # fmt: skip
    return {"suggestions": [{"action": action, "reason": "a house rule"}]}


def approving(errand):
    count = errand.question.count("## Suggestion ")
    return {"verdicts": [{"number": n, "approve": True, "reason": "the person said so"} for n in range(count)]}


CLAUDE = Settings({"curation.by": "claude"})


# --- the clerk ----------------------------------------------------------------------------------


def test_a_dictated_rule_is_in_the_library_and_in_the_index_and_leaves_the_queue(root):
    turn(root, RULE)
    report = run(root)
    assert report.state == "done"
    [entry] = entries(root).values()
    assert "uv" in entry.rule
    assert entry.trust == "person"
    assert entry.scope == "project:shop"
    assert spool.backlog(root) == []
    assert open_index(root).number(entry.id) >= 0
    assert report.operations == [1]


def test_what_was_remembered_is_announced_for_the_next_session_start(root):
    turn(root, RULE)
    run(root)
    turn(root, "Please never push to main without asking me, ever.", session="s2")
    run(root)
    assert home.read(os.path.join(root, "news")).decode().startswith("remembered 2. ")
    assert json.loads(home.read(os.path.join(root, "runs", "remembered.json")))["operations"] == [1, 2]
    home.remove(os.path.join(root, "news"))  # as the next session start does
    turn(root, "From now on always write commit messages in English.", session="s3")
    run(root)
    assert "remembered 1. `ultan log` shows what, `ultan undo 3`" in home.read(os.path.join(root, "news")).decode()


def test_the_same_session_curated_twice_changes_nothing_the_second_time(root):
    turn(root, RULE)
    run(root)
    before = {path: entry.raw for path, entry in entries(root).items()}
    queue(root, "turn_end")
    report = run(root)
    assert report.operations == []
    assert {path: entry.raw for path, entry in entries(root).items()} == before


def test_a_second_curator_leaves_at_once(root):
    from filelock import FileLock

    turn(root, RULE)
    with FileLock(os.path.join(root, "curate.lock"), fallback_to_soft=False):
        report = run(root)
    assert report.state == "busy"
    assert report.backlog == 2


def test_nothing_is_read_before_the_session_was_quiet(root):
    clock = Clock()
    turn(root, RULE, at=NOON - 10)
    report = run(root, clock)
    assert sum(clock.naps) == pytest.approx(20, abs=0.1)
    assert report.state == "done"


def test_a_person_who_asks_does_not_wait(root):
    clock = Clock()
    turn(root, RULE, at=NOON)
    assert run(root, clock, at_once=True).state == "done"
    assert clock.naps == []


def test_off_keeps_the_queue(root):
    turn(root, RULE)
    assert run(root, settings=Settings({"curation.mode": "off"})).state == "off"
    assert run(root, by="off").state == "off"
    assert len(spool.backlog(root)) == 2


def test_ask_holds_everything_for_review(root):
    turn(root, RULE)
    report = run(root, settings=Settings({"curation.mode": "ask"}))
    assert report.pending == 1
    assert entries(root) == {}
    assert spool.backlog(root) == []


def test_an_event_without_a_session_is_set_aside_once(root):
    queue(root, "prompt", RULE, session="")
    model = scripted()
    report = run(root, model=model, settings=CLAUDE)
    assert report.set_aside == 1
    assert model.asked == []
    assert len(os.listdir(os.path.join(root, "queue", "dead"))) == 1


def test_two_arrival_orders_of_different_sessions_give_the_same_entries(tmp_path):
    rules = {"s1": RULE, "s2": "Please never push to main without asking me, ever.", "s3": "I prefer tabs over spaces, always."}
    found = []
    for order in (("s1", "s2", "s3"), ("s3", "s1", "s2")):
        place = home.ensure(str(tmp_path / "-".join(order)))
        for session in order:
            name = f"{int((NOON - 100) * 1000):012x}-{order.index(session):010x}"
            pieces = [Piece(f"piece-{session}", "user", rules[session])]
            spool.put(place, Event(name, NOON - 100, "prompt", client="claude-code", session=session, project="shop", pieces=pieces))
        run(place)
        found.append({name: entry.raw for name, entry in entries(place).items()})
    assert found[0] == found[1]
    assert len(found[0]) == 3


def test_whoever_curates_next_takes_the_notice_down(root):
    turn(root, RULE)
    run(root, model=scripted(QuotaReached("weekly limit")), settings=CLAUDE)
    assert os.path.exists(os.path.join(root, "stopped"))
    run(root, by="clerk")
    assert not os.path.exists(os.path.join(root, "stopped"))
    assert len(entries(root)) == 1


def test_shown_and_opened_entries_are_counted_once(root):
    turn(root, RULE)
    run(root)
    [name] = entries(root)
    queue(root, "prompt", "go on", session="s2", at=NOON + 1)
    queue(root, "surfaced", session="s2", at=NOON + 1, ids=[name])
    queue(root, "fetched", session="s2", at=NOON + 2, ids=[name])
    run(root, Clock(NOON + 100))
    entry = entries(root)[name]
    assert (entry.fired, entry.fetched, entry.ignored) == (1, 1, 0)
    assert entry.updated == entry.created


def test_the_lag_from_the_words_to_the_index_is_kept(root):
    turn(root, RULE, at=NOON - 40)
    run(root)
    [[number, by, said, readable]] = json.loads(home.read(os.path.join(root, "runs", "lag.json")))
    assert (number, by) == (1, "clerk")
    assert readable - said == pytest.approx(40)


# --- librarian and scholar ------------------------------------------------------------------------


def test_what_the_librarian_proposes_and_the_scholar_approves_is_written(root):
    turn(root, RULE)
    model = by_role(librarian=quoting, scholar=approving)
    report = run(root, model=model, settings=CLAUDE)
    [entry] = entries(root).values()
    assert entry.id == "projects/shop/tools/uv-never-pip"
    assert entry.evidence[0].quote == "always use uv in this repo"
    assert entry.evidence[0].turn.endswith(".0")
    assert [errand.role for errand in model.asked] == ["librarian", "scholar"]
    assert report.remembered == 1


def test_a_veto_is_logged_and_nothing_is_written(root):
    turn(root, RULE)
    veto = {"verdicts": [{"number": 0, "approve": False, "reason": "any assistant would"}]}
    report = run(root, model=by_role(librarian=quoting, scholar=veto), settings=CLAUDE)
    assert entries(root) == {}
    assert report.vetoed == 1
    assert "any assistant would" in home.read(os.path.join(root, "knowledge", "log.md")).decode()
    assert spool.backlog(root) == []


def test_a_quote_that_nobody_said_goes_back_in_band(root):
    turn(root, RULE)

    def wrong(errand):
        return quoting(errand, evidence=[{"event": "e1", "quote": "always use poetry"}])

    model = scripted(wrong, quoting, approving)
    run(root, model=model, settings=CLAUDE)
    assert "its quote is not in 'e1'" in model.told[0]
    assert len(entries(root)) == 1


def test_no_model_is_asked_when_nobody_said_anything(root):
    queue(root, "session_start")
    queue(root, "tool_done", "total 48", origin="tool:Bash")
    queue(root, "session_end")
    model = scripted()
    report = run(root, model=model, settings=CLAUDE)
    assert model.asked == []
    assert report.state == "done"
    assert spool.backlog(root) == []


@pytest.mark.parametrize(
    ("error", "word"), [(QuotaReached("five hours are used up"), "quota"), (NotLoggedIn("please run /login"), "login")]
)
def test_a_failing_model_keeps_the_batch_and_is_left_alone_until_something_happens(root, error, word):
    turn(root, RULE)
    before = spool.backlog(root)
    report = run(root, model=scripted(error), settings=CLAUDE)
    assert (report.state, report.kept) == ("kept", word)
    assert spool.backlog(root) == before
    later = Clock(NOON + 3 * 86400)
    model = by_role(librarian=quoting, scholar=approving)
    assert run(root, later, model=model, settings=CLAUDE).kept == word
    assert model.asked == []
    turn(root, "and one more thing", session="s2", at=later.at - 60)
    assert run(root, later, model=model, settings=CLAUDE).state == "done"
    assert len(entries(root)) == 1
    assert spool.backlog(root) == []


def test_auth_prose_is_no_answer(root):
    turn(root, RULE)
    report = run(root, model=scripted("Invalid API key · Please run /login"), settings=CLAUDE)
    assert report.kept == "login"
    assert len(spool.backlog(root)) == 2
    assert "log in" in home.read(os.path.join(root, "stopped")).decode()
    run(root, Clock(NOON + 3600), model=by_role(librarian=quoting, scholar=approving), settings=CLAUDE, at_once=True)
    assert not os.path.exists(os.path.join(root, "stopped"))


def test_the_reset_time_of_a_limit_is_respected(root):
    limit = QuotaReached("weekly limit")
    limit.until = NOON + 5000
    turn(root, RULE)
    run(root, model=scripted(limit), settings=CLAUDE)
    turn(root, "more", session="s2", at=NOON + 100)
    model = by_role(librarian=quoting, scholar=approving)
    assert run(root, Clock(NOON + 4900), model=model, settings=CLAUDE).kept == "quota"
    assert model.asked == []
    assert run(root, Clock(NOON + 5100), model=model, settings=CLAUDE).state == "done"


def test_a_session_that_fails_again_and_again_is_split_and_then_set_aside(root):
    turn(root, RULE)
    model = scripted(otherwise="prose, and nothing but prose")
    clock = Clock()
    sizes = []
    for place in range(4):
        queue(root, "turn_end", at=clock.at - 60)
        report = run(root, clock, model=model, settings=CLAUDE)
        sizes.append(len(model.asked[-1].question))
        if place < 3:
            assert report.kept == "malformed"
            assert read_progress(root, "s1").failures == place + 1
        clock.at += 600
    assert report.set_aside == 6
    assert spool.backlog(root) == []
    assert len(os.listdir(os.path.join(root, "queue", "dead"))) == 6
    assert max(sizes) - min(sizes) < 50  # a failure never makes the prompt grow


def test_one_session_that_fails_holds_up_no_other(root):
    turn(root, "Something that makes this model stumble, as it happens.", session="bad")
    turn(root, RULE, session="good")

    def librarian(errand):
        return MalformedReply("nonsense") if errand.session == "bad" else quoting(errand)

    report = run(root, model=by_role(librarian=librarian, scholar=approving), settings=CLAUDE)
    assert len(entries(root)) == 1
    assert report.kept == "malformed"
    assert len(spool.backlog(root)) == 2


def test_fifty_calls_a_day_and_the_rest_is_kept(root):
    settings = Settings({"curation.by": "claude", "curation.calls_a_day": 5, "curation.calls_in_two_minutes": 1000})
    for place in range(9):
        turn(root, f"Remark {place} about nothing.", session=f"s{place}")
    model = by_role(librarian={"suggestions": []}, scholar=approving)
    report = run(root, model=model, settings=settings)
    assert len(model.asked) == 5
    assert report.kept == "quota"
    assert "cap of calls" in report.told
    assert len(spool.backlog(root)) == 8
    assert sum(day.calls for day in read_spending(root).days.values()) == 5
    turn(root, "Good morning.", session="s10", at=NOON + 86400)
    run(root, Clock(NOON + 86500), model=model, settings=settings)
    assert len(model.asked) == 10


@pytest.mark.slow
def test_a_thousand_sessions_and_fifty_calls_a_day_finish_some_and_keep_the_rest(root):
    for place in range(1000):
        turn(root, f"Remark {place}: from now on always use uv in this repo.", session=f"s{place:04}")
    clock = Clock()

    def librarian(errand):
        clock.at += 30
        name = errand.question.rpartition("New:")[2].partition('id="')[2].partition('"')[0]
        number = int(errand.session[1:])
        action = {
            "verb": "create", "folder": "projects/shop/tools", "kind": "convention", "title": f"Rule {number}",
            "rule": f"Rule {number} holds for part {number}.", "applies_when": [f"part {number}"],
            "evidence": [{"event": name, "quote": "always use uv in this repo"}],
        }  # fmt: skip
        return {"suggestions": [{"action": action, "reason": "a house rule"}]}

    model = by_role(librarian=librarian, scholar=approving)
    report = run(root, clock, model=model, settings=CLAUDE)
    assert len(model.asked) == 50
    assert (report.state, report.kept) == ("kept", "quota")
    assert "cap of calls" in report.told
    assert "cap of calls" in home.read(os.path.join(root, "stopped")).decode()
    finished = report.sessions
    assert finished >= 36  # each wave of three has its ruling: none is paid for and lost
    assert report.backlog == 2 * (1000 - finished)
    assert [errand.role for errand in model.asked].count("scholar") == 13
    assert report.remembered > 20
    run(root, clock, model=model, settings=CLAUDE)
    assert len(model.asked) == 50


def test_too_many_calls_in_two_minutes_open_the_breaker_and_it_closes_by_itself(root):
    settings = Settings({"curation.by": "claude", "curation.calls_in_two_minutes": 3, "curation.parallel": 1})
    for place in range(6):
        turn(root, f"Remark {place} about nothing.", session=f"s{place}")
    model = by_role(librarian={"suggestions": []})
    assert run(root, model=model, settings=settings).kept == "quota"
    assert len(model.asked) == 3
    assert read_spending(root).why == "velocity"
    turn(root, "Hello.", session="s9", at=NOON + 650)
    run(root, Clock(NOON + 700), model=model, settings=settings)
    assert len(model.asked) == 6


def test_code_sees_a_use_where_no_model_reads_and_counts_it_once(root):
    turn(root, RULE)
    run(root)
    [name] = entries(root)
    queue(root, "prompt", "add an http client", session="s2")
    queue(root, "surfaced", session="s2", ids=[name])
    added = Piece("call1", "tool:Bash", "added httpx", about="Bash: uv add httpx")
    for number in (1, 2):
        spool.put(root, Event(f"{int(NOON * 1000) + number:012x}-00000000ff", NOON, "tool_done", client="claude-code", session="s2", project="shop", pieces=[added]))
        run(root)
    entry = entries(root)[name]
    assert (entry.fired, entry.fired_helpful, entry.ignored) == (1, 1, 0)
    assert entry.last_helpful
    assert read_progress(root, "s2").helpful == [f"{name}@0"]


def test_a_helpful_use_counts_once_a_turn_and_an_ignored_one_is_noticed(root):
    turn(root, RULE)
    run(root)
    [name] = entries(root)
    queue(root, "prompt", "add httpx", session="s2", at=NOON)
    queue(root, "surfaced", session="s2", at=NOON, ids=[name])
    queue(root, "turn_end", "Added httpx with uv, as your library asks.", session="s2", at=NOON + 1, origin="assistant")

    def helpful(errand):
        cite = errand.question.rpartition("Added httpx")[0].rpartition('id="')[2].partition('"')[0]
        action = {"verb": "mark_helpful", "entry": name, "turn": 0, "evidence": [{"event": cite, "quote": "with uv"}]}
        return {"suggestions": [{"action": action}]}

    model = by_role(librarian=helpful, scholar=approving)
    run(root, Clock(NOON + 100), model=model, settings=CLAUDE)
    entry = entries(root)[name]
    assert (entry.fired, entry.fired_helpful, entry.ignored) == (1, 1, 0)
    queue(root, "turn_end", "Done: uv added it.", session="s2", at=NOON + 200, origin="assistant")

    def again(_errand):
        action = {"verb": "mark_helpful", "entry": name, "turn": 0, "evidence": [{"event": "e3", "quote": "uv added it"}]}
        return {"suggestions": [{"action": action}]}

    run(root, Clock(NOON + 300), model=by_role(librarian=again, scholar=approving), settings=CLAUDE)
    assert entries(root)[name].fired_helpful == 1


def test_what_faded_is_back_in_the_library_and_its_index_when_code_or_a_model_sees_that_it_helped(root):
    turn(root, RULE)
    run(root)
    [name] = entries(root)
    for place, by in enumerate(("code", "model")):
        session, at = f"back{place}", NOON + 1000 * (place + 1)
        execute(FileStore(root), [Archive(entry=name, reason="faded")], now=at, by="upkeep")
        compile_index(read_library(FileStore(root)), root, Settings(), now=at)
        assert look(root, Query("which tool installs python packages in this repo: uv or pip", "shop"), set(), {}).cards
        queue(root, "prompt", "add an http client", session=session, at=at)
        queue(root, "surfaced", session=session, at=at, ids=[name])
        added = Piece(f"call-{by}", "tool:Bash", "added httpx", about="Bash: uv add httpx")
        spool.put(root, Event(f"{int(at * 1000) + 9:012x}-00000000ff", at, "tool_done", client="claude-code", session=session, project="shop", pieces=[added]))

        def helpful(errand):
            action = {"verb": "mark_helpful", "entry": name, "turn": 0, "evidence": [{"event": "e2", "quote": "added httpx"}]}
            return {"suggestions": [{"action": action}] if "uv add httpx" in errand.question else []}

        queue(root, "turn_end", "The client is in.", session=session, at=at + 1, origin="assistant")
        model, settings = (by_role(librarian=helpful, scholar=approving), CLAUDE) if by == "model" else (None, None)
        run(root, Clock(at + 100), model=model, settings=settings)
        entry = entries(root)[name]
        assert (entry.status, entry.faded, entry.fired_helpful) == ("active", False, place + 1), by
        assert open_index(root).number(name) >= 0
        assert not os.path.exists(os.path.join(root, "index", "faded.idx"))


def test_a_nudge_is_left_for_the_running_session(root):
    turn(root, RULE)
    run(root)
    [name] = entries(root)
    turn(root, "now pip install flask", session="s2", at=NOON)

    def nudging(_errand):
        action = {
            "verb": "nudge", "entry": name, "text": "This repo uses uv.",
            "evidence": [{"event": "e1", "quote": "pip install flask"}],
        }  # fmt: skip
        return {"suggestions": [{"action": action}]}

    report = run(root, Clock(NOON + 100), model=by_role(librarian=nudging, scholar=approving), settings=CLAUDE)
    assert report.nudges == 1
    [path] = [name for name in os.listdir(os.path.join(root, "nudges")) if name[0].isdigit()]
    note = json.loads(home.read(os.path.join(root, "nudges", path)))
    assert (note["session"], note["entry"], note["text"]) == ("s2", name, "This repo uses uv.")


def test_at_most_one_nudge_a_turn_and_three_a_session(root):
    turn(root, RULE, at=NOON - 1000)
    run(root, at_once=True)
    [name] = entries(root)

    def insist(errand):
        piece = errand.question.rpartition("New:")[2].partition('id="')[2].partition('"')[0]
        nudge = {"verb": "nudge", "entry": name, "text": "This repo uses uv.", "evidence": [{"event": piece, "quote": "pip"}]}
        return {"suggestions": [{"action": nudge}, {"action": nudge}]}

    def agree(errand):
        return {"verdicts": [{"number": place, "approve": True, "reason": "it does"} for place in range(errand.question.count("## Suggestion "))]}

    given = []
    for number in range(6):
        at = NOON + 100 * number
        queue(root, "prompt", f"install part {number} with pip please", session="s2", at=at)
        for part in range(2):  # two readings of one turn
            queue(root, "tool_failed", f"pip failed in {number}.{part}", origin="assistant", session="s2", at=at + part)
            model = by_role(librarian=insist, scholar=agree)
            given.append(run(root, Clock(at + 50 + part), model=model, settings=Settings({"curation.by": "claude"}), at_once=True).nudges)
    assert sum(given) == 3
    assert max(given) == 1
    assert all(given[place] + given[place + 1] <= 1 for place in range(0, len(given), 2))


def test_every_call_is_written_down_and_its_transcript_is_redacted(root):
    secret = "ghp_" + "a1B2" * 9
    turn(root, f"{RULE} My token is {secret} by the way.")
    run(root, model=by_role(librarian=quoting, scholar=approving), settings=CLAUDE)
    lines = [json.loads(line) for line in home.read(os.path.join(root, "runs", "2026-05-28.jsonl")).decode().splitlines()]
    assert [(line["role"], line["parsed_ok"]) for line in lines] == [("librarian", True), ("scholar", True)]
    assert lines[0]["decisions"] == {"create": 1}
    assert lines[0]["prompt"]
    for folder, _, names in os.walk(root):
        for name in names:
            if "queue" not in folder:
                assert secret.encode() not in home.read(os.path.join(folder, name))


def test_a_person_who_asks_for_a_run_need_not_wait_for_the_one_that_waits_for_quiet(root):
    turn(root, RULE, at=NOON - 1)
    clock, asked = Clock(), []

    def sleep(seconds):
        asked.append(run(root, at_once=True).state)
        clock.sleep(seconds)

    waiting = curate(root, Settings(), now=clock, sleep=sleep)
    assert asked == ["done"]
    assert (waiting.state, waiting.backlog) == ("nothing", 0)
    assert len(entries(root)) == 1


# --- a curator that a hook has started ---------------------------------------------------------------


def woken(root, at=NOON):
    home.make_folder(os.path.join(root, "runs"))
    home.write(os.path.join(root, "runs", "woken"), f"{at:.3f}\n".encode())


def test_a_woken_curator_stays_as_long_as_no_hook_may_start_another():
    assert verb.BETWEEN_WAKES_S == wake.PAUSE_S


def test_a_woken_curator_reads_what_is_queued_while_it_stays(root):
    woken(root)
    turn(root, RULE, at=NOON - 1)
    clock = Clock()
    later = [clock.at + 10]

    def sleep(seconds):
        clock.sleep(seconds)
        if later and clock.at >= later[0]:
            later.clear()
            turn(root, "From now on never commit to main without asking me.", session="s2", at=clock.at)

    report = curate(root, Settings({"curation.quiet_s": 0}), now=clock, sleep=sleep)
    assert (report.state, report.sessions, report.backlog) == ("done", 2, 0)
    assert clock.at == pytest.approx(NOON + 30, abs=1)
    assert max(clock.naps) <= verb.LOOK_S


def test_a_curator_that_nobody_woke_ends_when_all_is_read(root):
    turn(root, RULE)
    clock = Clock()
    assert run(root, clock).state == "done"
    assert clock.naps == []


def test_a_person_who_asks_does_not_wait_for_what_hooks_may_do(root):
    woken(root)
    turn(root, RULE)
    clock = Clock()
    assert run(root, clock, at_once=True).state == "done"
    assert clock.naps == []


def test_a_woken_curator_sees_what_was_queued_while_it_read(root):
    woken(root)
    turn(root, RULE, at=NOON - 1)
    clock = Clock()
    late = ["From now on never commit to main without asking me."]

    def now():
        if late and not spool.backlog(root):  # the first is done, and nobody has looked since
            turn(root, late.pop(), session="s2", at=clock.at)
        return clock.at

    report = curate(root, Settings({"curation.quiet_s": 0}), now=now, sleep=clock.sleep)
    assert (report.sessions, report.backlog) == (2, 0)
    assert clock.naps[0] <= verb.LOOK_S


def test_a_woken_curator_that_lost_the_lock_touches_nothing_any_more(root):
    woken(root)
    turn(root, RULE, at=NOON - 1)
    clock = Clock()
    other = FileLock(os.path.join(root, "curate.lock"), timeout=0)

    def sleep(seconds):
        clock.sleep(seconds)
        other.acquire()
        home.write(os.path.join(root, "runs", "curator.json"), b'{"pid": 1, "state": "running"}')

    report = curate(root, Settings({"curation.quiet_s": 0}), now=clock, sleep=sleep)
    other.release()
    assert (report.state, report.remembered) == ("done", 1)
    assert json.loads(home.read(os.path.join(root, "runs", "curator.json")))["pid"] == 1
    assert not os.path.exists(os.path.join(root, "fading.json"))
