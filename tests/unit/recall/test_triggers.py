import pytest

from ultan.library.entry import Entry, Trigger
from ultan.recall.compile import Draft
from ultan.recall.index import Index
from ultan.recall.lookaround import needed_literals, rewritten
from ultan.recall.triggers import (
    by_error,
    by_file,
    by_question,
    by_situation,
    glob_matches,
    grams,
    notices,
    stands_in,
)
from ultan.settings import Settings


def entry(name: str, *triggers: Trigger, **more: object) -> Entry:
    scope = "project:" + name.split("/")[1] if name.startswith("projects/") else "global"
    given = {"title": name, "kind": "convention", "scope": scope, "created": "2026-01-01", "updated": "2026-01-01", "body": name}
    return Entry(id=name, triggers=triggers, **{**given, **more})  # type: ignore[arg-type]


def index_of(*entries: Entry, **settings: object) -> Index:
    return Index(Draft(list(entries)).encoded(Settings({k.replace("__", "."): v for k, v in settings.items()}).baked(), "", 0.0))


def fired(index: Index, tool: str, project: str = "", **given: object) -> list[tuple[str, str]]:
    return [(notice.card.id, notice.severity) for notice in notices(index, tool, dict(given), project)]


PIP = entry("global/pip", Trigger("Bash", r"\bpip3?\s+install\b", unless=(r"--dry",)))
FORCE = entry("projects/shop/force", Trigger("Bash", r"\bgit\s+push\b.*\s--force(?!-with-lease)\b", severity="block"))
PRINT = entry("global/print", Trigger("Edit", r"\bprint\(", "new_string", files=("*.py",)), title="No print in Python")


def test_a_call_that_breaks_a_rule_is_noticed() -> None:
    index = index_of(PIP, FORCE, PRINT)
    assert fired(index, "Bash", command="cd x && sudo pip install foo") == [("global/pip", "advise")]
    assert fired(index, "Bash", "shop", command="git push --force origin main") == [("projects/shop/force", "block")]


def test_a_call_that_breaks_no_rule_is_silent() -> None:
    index = index_of(PIP, FORCE, PRINT)
    assert fired(index, "Bash", "shop", command="git push --force-with-lease origin main") == []
    assert fired(index, "Bash", command="pip list") == []
    assert fired(index, "Read", file_path="pip install") == []
    assert fired(index, "Bash", command="") == [] == fired(index, "Bash", command=7)


def test_another_projects_trigger_does_not_fire() -> None:
    assert fired(index_of(FORCE), "Bash", "bank", command="git push --force") == []


def test_an_exception_holds_where_its_pattern_does() -> None:
    assert fired(index_of(PIP), "Bash", command="pip install --dry foo") == []


def test_a_trigger_on_new_text_fires_for_every_tool_that_writes_and_only_in_its_files() -> None:
    index = index_of(PRINT)
    assert fired(index, "Edit", file_path="a.py", old_string="x", new_string="print(1)") == [("global/print", "advise")]
    assert fired(index, "Write", file_path="src/b.py", content="print(1)") == [("global/print", "advise")]
    assert fired(index, "Bash", command="cat > c.py <<E\nprint(1)\nE") == [("global/print", "advise")]
    assert fired(index, "Edit", file_path="a.js", old_string="", new_string="print(1)") == []
    assert fired(index, "Edit", file_path="a.py", old_string="print(1)", new_string="log(1)") == []


def test_what_a_comment_says_is_not_code() -> None:
    assert fired(index_of(PRINT), "Edit", file_path="a.py", old_string="", new_string="# never print( here") == []


def test_a_block_only_advises_where_blocks_are_off() -> None:
    assert fired(index_of(FORCE, notice__blocks=False), "Bash", "shop", command="git push --force x") == [("projects/shop/force", "advise")]


def test_ten_thousand_triggers_cost_only_the_few_that_could_match() -> None:
    many = [entry(f"global/t{at}", Trigger("Bash", rf"\bdeploy{at}\s+now\b")) for at in range(10_000)]
    index = index_of(*many)
    asked = []
    real = Index.trigger

    class Counting(Index):
        __slots__ = ()

        def trigger(self, number: int) -> list[object]:
            asked.append(number)
            return real(self, number)

    counting = Counting(bytes(index._mapped))
    assert [notice.card.id for notice in notices(counting, "Bash", {"command": "deploy77 now"}, "")] == ["global/t77"]
    assert len(asked) < 60


def test_a_catastrophic_pattern_does_not_hang() -> None:
    index = index_of(entry("global/evil", Trigger("Bash", r"(a+)+$")))
    assert fired(index, "Bash", command="a" * 60_000 + "!") == []


@pytest.mark.parametrize("text", ["\ud800pip install x", "pip install \x00", "pip install " + "é" * 70_000])
def test_no_text_breaks_the_matching(text: str) -> None:
    assert [id for id, _ in fired(index_of(PIP), "Bash", command=text)] in ([], ["global/pip"])  # noqa: A001 -- the word of the glossary


# --- patterns ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        (r"git push (?!origin)\S+", (r"git push \S+", (r"git push (?:origin)",))),
        (r"rm (~|/(?!tmp/)|\$)", (r"rm (~|/|\$)", (r"rm /(?:tmp/)",))),
        (r"a|b(?!c)d", (r"a|bd", (r"b(?:c)",))),
        (r"plain", (r"plain", ())),
        (r"[(?!]x", (r"[(?!]x", ())),
        (r"\(?!x", (r"\(?!x", ())),
    ],
)
def test_a_negative_lookahead_becomes_an_exception(pattern: str, expected: tuple[str, tuple[str, ...]]) -> None:
    assert rewritten(pattern) == expected


@pytest.mark.parametrize(
    ("pattern", "literals"),
    [
        (r"\bgit\s+commit\b", ["commit"]), (r"(npm|pnpm)\s+install", ["install"]), (r"(foo|bar)", ["bar", "foo"]), (r"a?b*c+", ["c"]),
        (r".*", []), (r"(?i)Secret", ["Secret"]), (r"colou?r", ["colo"]), (r"x{0,3}y", ["y"]), (r"[abc]\d", []), (r"foo|", []),
    ],
)  # fmt: skip
def test_the_literals_a_pattern_needs_are_known(pattern: str, literals: list[str]) -> None:
    assert needed_literals(pattern) == literals


# --- globs and keyed recall -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("glob", "path", "fits"),
    [
        ("*.py", "/a/b/c.py", True), ("*.py", "/a/c.pyc", False), ("src/**/*.ts", "/p/src/a/b.ts", True), ("src/*.ts", "/p/src/a/b.ts", False),
        ("docs/**", "/p/docs/x/y.md", True), ("Makefile", "/p/Makefile", True), ("a?c.go", "/abc.go", True), ("/etc/*", "/etc/passwd", True),
        ("/etc/*", "/x/etc/passwd", False), ("**/test_*.py", "tests/test_a.py", True),
    ],
)  # fmt: skip
def test_globs_fit_the_end_of_a_path(glob: str, path: str, fits: bool) -> None:
    assert glob_matches(glob, path) is fits


def test_a_file_brings_the_entries_bound_to_it_or_naming_it() -> None:
    bound = entry("global/bound", files=("src/**/*.sql",), title="Queries are parametrised")
    named = entry("global/named", title="Keep ledger.go pure", body="No writes in ledger.go.")
    other = entry("global/other", title="Something else")
    index = index_of(bound, named, other)
    assert [card.id for card in by_file(index, "/x/src/db/q.sql")] == ["global/bound"]
    assert [card.id for card in by_file(index, "/x/pkg/ledger.go")] == ["global/named"]
    assert by_file(index, "/x/none.txt") == by_file(index, "") == []


def test_an_error_brings_the_finding_that_speaks_of_it() -> None:
    known = entry("global/known", kind="finding", title="sqlite locked: busy_timeout pragma missing", body="OperationalError database is locked comes from a missing busy_timeout.")
    style = entry("global/style", title="database style")
    index = index_of(known, style)
    assert [card.id for card in by_error(index, "Traceback\nsqlite3.OperationalError: database is locked")] == ["global/known"]
    assert by_error(index, "ls: cannot access 'x': No such file or directory") == []
    assert by_error(index, "") == []


def test_a_question_is_answered_only_by_a_sure_entry_a_person_stands_behind() -> None:
    rule = entry("global/db", title="The database for new services is PostgreSQL", body="Use PostgreSQL as the database for every new service.")
    hearsay = entry("global/db", title=rule.title, body=rule.body, trust="assistant")
    question = [("Which database should the new service use?", ["PostgreSQL", "MySQL"])]
    sure = by_question(index_of(rule, notice__answer_min_relevance=0.3), question)
    assert sure is not None
    assert sure.id == "global/db"
    assert by_question(index_of(hearsay, notice__answer_min_relevance=0.3), question) is None
    assert by_question(index_of(rule, notice__answer_questions=False, notice__answer_min_relevance=0.0), question) is None
    assert by_question(index_of(rule), [("Shall we have lunch?", [])]) is None


def test_a_question_is_answered_by_what_decides_between_its_options_not_by_what_names_one() -> None:
    asked = [("Where do we put the logs?", ["stdout", "a file"]), ("Which database should the new service use?", ["Postgres (Recommended)", "MySQL"])]
    rule = entry("global/db", title="Use Postgres, never MySQL, for new services", body="Use Postgres, never MySQL, for new services.")
    container = entry("global/port", title="The Postgres container of the tests listens on 5433, MySQL on 3307")
    found = by_question(index_of(rule), asked)
    assert found is not None
    assert found.id == "global/db"
    assert by_question(index_of(container), asked) is None
    tabs = entry("global/tabs", title="Indent with tabs in a Makefile")
    yes_or_no = by_question(index_of(tabs), [("Shall I indent with tabs in the Makefile?", ["Yes", "No"])])
    assert yes_or_no is not None
    assert by_question(index_of(rule), [("Which region does the new service run in?", ["Postgres", "Frankfurt"])]) is None


@pytest.mark.parametrize(
    ("title", "error"),
    [
        ("ECONNREFUSED 5433 means the dev database is down: run make db", "Error: connect ECONNREFUSED 127.0.0.1:5433\n    at TCPConnectWrap.afterConnect [as oncomplete] (node:net:1187:16)"),
        ("Multiple head revisions are present: run alembic merge heads", "INFO  Context impl PostgresqlImpl.\nERROR [alembic.util.messaging] Multiple head revisions are present for given argument 'head'; please specify a specific target revision"),
        ("test_upload_resume fails when /tmp is full", "FAILED tests/test_upload.py::test_upload_resume - OSError: [Errno 28] No space left on device\n=== 1 failed, 212 passed in 33.21s ==="),
    ],
)  # fmt: skip
def test_an_error_is_known_by_one_of_its_lines_or_by_its_very_words(title: str, error: str) -> None:
    index = index_of(entry("global/known", kind="finding", title=title), entry("global/style", kind="warn", title="Never edit the database by hand"))
    assert [card.id for card in by_error(index, error)] == ["global/known"]
    assert by_error(index, "error: the server at 127.0.0.1 port 16 is down") == []


def test_what_a_call_certainly_does_brings_the_rules_about_it() -> None:
    index = index_of(
        entry("global/heads", title="Blank line after headings", applies_when=("writing a markdown document",)),
        entry("global/deps", title="Ask first", applies_when=("adding a dependency",)),
        entry("global/fact", kind="finding", applies_when=("adding a dependency",)),
        entry("global/named", Trigger("situation", "commits"), title="Say what changed"),
        entry("projects/bank/docs", title="Bank documents", applies_when=("writing documentation",)),
    )
    found = {
        name: [card.id for card in by_situation(index, tool, given, "shop")]
        for name, tool, given in (
            ("docs", "Write", {"file_path": "/x/a.md"}), ("code", "Write", {"file_path": "/x/a.py"}),
            ("deps", "Bash", {"command": "npm install left-pad"}), ("commit", "Bash", {"command": "git commit -m x"}),
            ("look", "Bash", {"command": "git status"}),
        )
    }  # fmt: skip
    assert found == {"docs": ["global/heads"], "code": [], "deps": ["global/deps"], "commit": ["global/named"], "look": []}


def test_a_trigger_that_names_no_situation_is_switched_off() -> None:
    draft = Draft([entry("global/x", Trigger("situation", "sings"))])
    assert [reason for _, reason in draft.switched_off] == ["there is no situation 'sings'"]


def test_a_literal_is_found_wherever_it_stands_and_only_there() -> None:
    raw = "cd api && pip install réquests".encode()
    held = grams(raw)
    assert all(stands_in(literal, raw, held) for literal in ("", "p", "&&", "pip", "PIP install", "réquests", "cd"))
    assert not any(stands_in(literal, raw, held) for literal in ("pip3", "npm install", "uv", "pip  install", "install pip"))
