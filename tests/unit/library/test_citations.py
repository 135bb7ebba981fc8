"""Paths that entries cite and that are gone: told by show, list and check."""

import os

from ultan import home as place
from ultan.library import citations
from ultan.library.actions import Create
from ultan.library.check import findings
from ultan.library.store import FileStore
from ultan.settings import Settings
from ultan.verbs.desk import Desk
from ultan.verbs.list_ import list_
from ultan.verbs.search import Wish

NOW = 1_760_000_000.0


def test_a_path_that_is_gone_is_told_by_list_and_check_until_it_is_there_again(home, tmp_path):
    project = tmp_path / "proj"
    project.mkdir()
    place.write(os.path.join(home, "projects.json"), f'{{"roots": {{"{project}": "p"}}, "identities": {{}}, "waiting": {{}}}}'.encode())
    desk = Desk(home, FileStore(home), Settings({"encoder.name": "hashing"}), NOW)
    rule = "The tables stand in `src/db/tables.sql`."
    desk.execute([Create(folder="projects/p/notes", slug="tables", title="Where tables stand", kind="finding", rule=rule)])
    library = desk.library
    assert citations.folders(home) == {"p": [str(project)]}
    assert [row.unverified for row in list_(library, Wish("", "", (), False), home).rows] == [("src/db/tables.sql",)]
    assert "unverified" in {each.code for each in findings(home, NOW)}
    (project / "src" / "db").mkdir(parents=True)
    (project / "src" / "db" / "tables.sql").write_text("")
    assert [row.unverified for row in list_(library, Wish("", "", (), False), home).rows] == [()]
    assert "unverified" not in {each.code for each in findings(home, NOW)}


def test_the_listing_says_so(ultan):
    assert "unverified" not in ultan("list").out
