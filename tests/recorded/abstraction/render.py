"""Fills each case with the questions that librarian and scholar are asked about it, by the code that asks them.

A case holds entries, which of them are the candidate, and a suggestion for the scholar. What the
right answer is stands in ``expected.json`` and in no case. Run it after changing a question.
"""

import json
import re
import sys
from pathlib import Path

from ultan.library.entry import Entry
from ultan.library.rendering import render
from ultan.library.snapshot import Library, read_library
from ultan.library.twin import MemoryStore
from ultan.recall.text import terms
from ultan.staff import scan, scholar
from ultan.staff.abstraction import Candidate, subject_terms
from ultan.staff.librarian import Suggested
from ultan.staff.proposals import Suggestion

HERE = Path(__file__).parent
NONCE = re.compile(r"-[0-9a-f]{8}\b")


def library_of(case: dict) -> Library:
    """The library that *case* describes."""
    files = {}
    for row in case["entries"]:
        scope = "global" if row["id"].startswith("global") else "project:" + row["id"].split("/")[1]
        entry = Entry(
            id=row["id"], title=row["title"], kind=row["kind"], scope=scope, created="2026-01-05", updated="2026-01-05",
            tags=tuple(row.get("tags", ())), trust="person", body=row["rule"] + "\n",
        )  # fmt: skip
        files[entry.path] = render(entry)
    return read_library(MemoryStore(files))


def candidate_of(case: dict, library: Library) -> Candidate:
    """The group of *case* with the words that its entries share."""
    children = tuple(library.entries[name] for name in sorted(case["candidate"]))
    words = [set(terms(child.rule)) - subject_terms(child, terms) for child in children]
    return Candidate(children, tuple(sorted({word for own in words for word in own if sum(word in other for other in words) > 1})), 1.0)


def questions(case: dict) -> tuple[str, str]:
    """What the librarian and the scholar are asked, without the nonce."""
    library = library_of(case)
    nearest = scan.by_words(library)
    suggested = Suggested(Suggestion.model_validate(case["suggestion"], strict=False), scan.NO_PACKET)
    asked = scan.question([candidate_of(case, library)], nearest), scholar.question([suggested], library, nearest=nearest)
    first, second = (NONCE.sub("-0a1b2c3d", text) for text in asked)
    return first, second


def main() -> None:
    """Fill every case."""
    for path in sorted(HERE.glob("case-*.json")):
        case = json.loads(path.read_text(encoding="utf-8"))
        case["librarian"], case["scholar"] = questions(case)
        path.write_text(json.dumps(case, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
        sys.stdout.write(f"{path.name}\n")


if __name__ == "__main__":
    main()
