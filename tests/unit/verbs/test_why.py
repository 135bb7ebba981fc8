"""Why shows every stage of priming and of noticing, and what was left out."""

import io
import json

import pytest

from ultan.cli import render
from ultan.cli.screen import Screen, jsonable
from ultan.errors import UsageError
from ultan.library.entry import Entry, Trigger
from ultan.recall.compile import build_from_entries
from ultan.settings import Settings
from ultan.verbs.why import why, why_tool


def entry(name, **more):
    scope = "project:" + name.split("/")[1] if name.startswith("projects/") else "global"
    given = {"title": name, "kind": "convention", "scope": scope, "created": "2026-01-01", "updated": "2026-01-01", "body": name}
    return Entry(id=name, **{**given, **more})


ENTRIES = (
    entry("projects/shop/prices", title="Prices are integers in cents", applies_when=("code that touches prices",)),
    entry("projects/shop/old", title="Prices in cents once were floats", applies_when=("prices in cents",), superseded_by="projects/shop/prices"),
    entry("projects/bank/prices", title="Prices in cents are decimals"),
    entry("global/why", title="Diagnose first", applies_when=("user asks for an explanation",), fired=9, ignored=9),
    entry("global/docs", title="Blank line after headings", applies_when=("writing a markdown document",)),
    entry("global/pip", title="No pip", triggers=(Trigger("Bash", r"\bpip install\b"),)),
)


@pytest.fixture
def index():
    return build_from_entries(ENTRIES, Settings())


def test_every_stage_has_its_figures_and_its_places(index):
    told = why(index, "prices in cents", project="shop")
    first = told.candidates[0]
    assert (first.id, first.verdict) == ("projects/shop/prices", "shown")
    assert first.parts["words"].place in (1, 2)
    assert first.parts["words"].score > 0
    assert first.features["head"] > 0
    assert told.shown == ("projects/shop/prices",)
    assert told.block


def test_what_was_left_out_has_its_reason(index):
    verdicts = {item.id: item.verdict for item in why(index, "prices in cents", project="shop", already=("projects/shop/prices",)).candidates}
    assert verdicts["projects/shop/prices"] == "shown before in this session"
    assert verdicts["projects/shop/old"] == "superseded by projects/shop/prices"


def test_a_faint_echo_is_under_the_threshold_and_what_was_ignored_counts(index):
    told = why(index, "why are headings so far from prices?", project="shop")
    assert "asks why" in told.situations
    bored = next(item for item in told.candidates if item.id == "global/why")
    assert bored.habit < 0
    assert "is below" in bored.verdict


def test_what_the_scope_excludes_is_named(index):
    assert why(index, "prices in cents", project="shop").out_of_scope == (("projects/bank/prices", "bank"),)


@pytest.mark.parametrize(("prompt", "reason"), [("/clear", "the prompt needs nothing"), ("\U0001f600", "the prompt needs nothing")])
def test_a_prompt_that_needs_nothing_says_so(index, prompt, reason):
    assert why(index, prompt, project="shop").left_out == (("", reason),)


def test_an_empty_library_says_so():
    assert why(build_from_entries((), Settings()), "prices", project="").left_out == (("", "the library is empty here"),)


def test_a_tool_call_meets_triggers_files_and_rules_about_what_it_does(index):
    assert why_tool(index, "Bash: pip install x", project="").fired == (("global/pip", "No pip", "advise"),)
    written = why_tool(index, "Write: notes/a.md", project="")
    assert written.situations == ("writes docs",)
    assert written.about_the_situation == (("global/docs", "Blank line after headings"),)


def test_it_is_a_tree_for_people_and_json_for_programs(index):
    told = why(index, "prices in cents", project="shop")
    out = io.StringIO()
    Screen(out, io.StringIO(), {}).show(told, render.why(told))
    assert "projects/shop/prices: Prices are integers in cents: shown\n  signals\n    words: " in out.getvalue()
    assert "out of scope: projects/bank/prices (project bank)" in out.getvalue()
    plain = json.loads(json.dumps(jsonable(told)))
    assert set(plain["candidates"][0]["parts"]["words"]) == {"score", "deviations", "place"}


def test_a_dialog_is_tried_with_its_options():
    index = build_from_entries((entry("global/db", title="Use Postgres, never MySQL, for new services"),), Settings())
    told = why_tool(index, "AskUserQuestion: Which database should the new service use? | Postgres | MySQL", project="")
    assert told.answers == ("global/db", "Use Postgres, never MySQL, for new services")
    assert why_tool(index, "AskUserQuestion: Where shall we eat? | here | there", project="").answers == ()


@pytest.mark.parametrize("call", ["Bash", "Bash:", ": make", "pip install flask"])
def test_what_is_no_tool_call_is_said_to_be_none(index, call):
    with pytest.raises(UsageError, match="no tool call"):
        why_tool(index, call, project="")


def test_a_candidate_that_cites_a_path_which_is_gone_is_told_as_unverified(tmp_path):
    shop = tmp_path / "shop"
    (shop / "src").mkdir(parents=True)
    (tmp_path / "projects.json").write_text(json.dumps({"v": 1, "roots": {str(shop): "shop"}}))
    index = build_from_entries((entry("projects/shop/prices", title="Prices are integers in cents", body="Rounding stands in `src/gone.py`."),), Settings())
    told = why(index, "prices in cents", project="shop", root=str(tmp_path))
    assert told.candidates[0].unverified == "src/gone.py"
    out = io.StringIO()
    Screen(out, io.StringIO(), {}).show(told, render.why(told))
    assert "unverified: src/gone.py is gone" in out.getvalue()
    (shop / "src" / "gone.py").touch()
    assert why(index, "prices in cents", project="shop", root=str(tmp_path)).candidates[0].unverified == ""
