"""What a model may do while thinking: search, show and grep the library; never write."""

from collections.abc import Callable, Sequence

import re2
from pydantic import BaseModel, Field

from ultan.library.entry import Entry
from ultan.library.snapshot import Library
from ultan.llm import Tool
from ultan.staff.packet import cut, entry_block, entry_blocks, nonce

Nearest = Callable[[str, int], Sequence[Entry]]

HITS = 8
SHOWN_CHARS = 3000
GREP_HITS = 20
PATTERN_BYTES = 8 << 20


class SearchWords(BaseModel):
    """Input of ``search``."""

    query: str = Field(min_length=1, max_length=400, description="words that the entry or its situation would use")


class EntryName(BaseModel):
    """Input of ``show``."""

    entry: str = Field(min_length=1, max_length=200, description="entry id, or the last part of one")


class Pattern(BaseModel):
    """Input of ``grep``."""

    pattern: str = Field(min_length=1, max_length=200, description="RE2, case-insensitive, searched in whole entries")


def library_tools(library: Library, nearest: Nearest, project: str) -> tuple[Tool, ...]:
    """The read tools over one snapshot, for what counts in *project*."""
    live = library.live(project)

    def search(words: SearchWords) -> str:
        return entry_blocks(nearest(words.query, HITS), nonce())

    def show(name: EntryName) -> str:
        around = library.neighbourhood(library.find(name.entry).id)
        entry = around.entry
        mark = nonce()
        lines = [
            entry_block(entry, mark, chars=SHOWN_CHARS),
            "body:\n" + cut(entry.body.replace(mark, ""), SHOWN_CHARS),
            "siblings: " + (", ".join(each.id for each in around.siblings) or "none"),
            "subfolders: " + (", ".join(around.subfolders) or "none"),
            "links: " + (", ".join(around.links) or "none"),
            "linked from: " + (", ".join(around.links_back) or "none"),
        ]
        return "\n".join(lines)

    def grep(wanted: Pattern) -> str:
        options = re2.Options()
        options.case_sensitive, options.log_errors, options.max_mem = False, False, PATTERN_BYTES
        try:
            compiled = re2.compile(wanted.pattern, options)
        except re2.error as error:
            raise ValueError(f"the pattern is no RE2: {error}") from None
        found = []
        for entry in live:
            for line in entry.raw.splitlines():
                if compiled.search(line):
                    found.append(f"{entry.id}: {cut(line.strip(), 200)}")
                    break
            if len(found) >= GREP_HITS:
                break
        return "\n".join(found) or "nothing"

    return (
        Tool("search", "The entries nearest to some words, best first.", SearchWords, search),
        Tool("show", "One entry whole, with its siblings and links both ways.", EntryName, show),
        Tool("grep", "The entries in which a pattern occurs, a line each.", Pattern, grep),
    )
