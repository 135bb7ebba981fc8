"""Files: what lies in the library beside whole entries, what is derived, and what is gone."""

import os
from collections.abc import Iterator

from ultan import projects
from ultan.library import citations, upkeep
from ultan.library.checks.finding import Finding, Home
from ultan.library.port import PENDING
from ultan.library.snapshot import LOG, key

MOST_NAMED = 5
_REASONS = (
    ("conflict markers", "half-merged", "finish the merge, then remove the marker lines"),
    ("conflict copy", "conflict-copy", "merge it into the file beside it by hand, then delete it"),
    ("stands twice", "duplicate-key", "remove one of the two lines"),
    ("disagrees with its folder", "scope", "move the file, or correct its scope"),
    ("neither in global", "misplaced", "move it below global/ or projects/<slug>/"),
    ("symbolic link", "link", "put the file itself there; links are not followed"),
    ("hard links", "hard-link", "copy the file: `cp file new && mv new file`"),
    ("no plain file", "special-file", "remove it"),
    ("no library may hold", "odd-name", "rename it without control characters, colons and leading dots"),
    ("cannot be read:", "unreadable-folder", "give yourself the permission to read it"),
    ("not UTF-8", "not-utf8", "save it as UTF-8"),
    ("larger than", "too-large", "shorten it; an entry holds one rule"),
    ("never closed", "unclosed", "add the second line of three dashes"),
    ("no frontmatter", "no-frontmatter", "add it, or move the file out of the library"),
    ("no kind is called", "unknown-kind", "use one of the seven kinds"),
    ("no status is called", "unknown-status", "use active, deprecated or stale"),
    ("without a pattern", "bad-trigger", "give the trigger a pattern"),
)  # fmt: skip


def unreadable(seen: Home) -> Iterator[Finding]:
    """Files that are no entries, each with what to do about it."""
    for path, reason in seen.library.unreadable:
        code, remedy = "unreadable", "correct the frontmatter; the file was left as it is"
        for words, its_code, its_remedy in _REASONS:
            if words in reason and not (its_code == "unreadable-folder" and "frontmatter" in reason):
                code, remedy = its_code, its_remedy
                break
        where = path if path.startswith("@") else f"knowledge/{path}"
        yield Finding(code, where.removeprefix("@"), reason, remedy)


def derived(seen: Home) -> Iterator[Finding]:
    """Listings that do not say what is there."""
    library = seen.library
    foreign = set(library.foreign)
    counted = {id_: entry for id_, entry in library.entries.items() if entry.path not in foreign}
    texts = {path: text for path, text in library.texts.items() if key(path) != LOG}
    for path, text in texts.items():
        opened, closed = text.count(upkeep.OPENING), text.count(upkeep.CLOSING)
        if opened != closed or opened > 1:
            yield Finding("markers", f"knowledge/{path}", "its listing markers do not pair up; it is left alone", "keep one opening and one closing marker")
    if library.number:  # before the first operation nothing has been derived yet
        for path in upkeep.derived(counted, texts):
            yield Finding("drift", f"knowledge/{path}", "its listing does not say what is there", "any write repairs it: `ultan curate` or `ultan save`")
        if not any(key(path) == LOG for path in library.texts):
            yield Finding("no-log", "knowledge/log.md", "the log is gone", "any write begins a new one; `ultan log` shows the operations")


def twins(seen: Home) -> Iterator[Finding]:
    """Names that some disk would take for one."""
    by_key: dict[str, str] = {}
    for path in sorted(seen.library.digests):
        parts = path.split("/")
        for depth in range(1, len(parts) + 1):
            here = "/".join(parts[:depth])
            twin = by_key.setdefault(key(here), here)
            if twin != here:
                yield Finding("twin", f"knowledge/{here}", f"differs from {twin} only in case or in the form of its letters", "rename one of them")


def foreign(seen: Home) -> Iterator[Finding]:
    """Files that no operation made, and entries that an agent's tools wrote into."""
    standing = {entry.path for entry in seen.library.standing}
    for path in seen.library.foreign:
        if path in standing:
            what, remedy = "an agent's tool changed it; what it said before counts on", f"`ultan restore {path.removesuffix('.md')}`, or `ultan adopt` if it shall stay so"
        else:
            what, remedy = "no operation made it and nobody adopted it; it counts for nothing", "`ultan adopt` if it is yours, else delete it"
        yield Finding("foreign", f"knowledge/{path}", what, remedy)


def deleted(seen: Home) -> Iterator[Finding]:
    """Files that operations made and that somebody deleted behind their back."""
    library = seen.library
    last: dict[str, str] = {}
    for operation in seen.store.operations():
        for change in operation.changes:
            if change.keep and change.path not in operation.skipped and not change.path.startswith(PENDING):
                last[change.path] = change.after
    purged = set(seen.lines("purged"))
    there = {*library.digests, *(path for path, _ in library.unreadable)}
    gone = sorted(path for path, after in last.items() if after and after not in purged and path not in there and key(path) != LOG)
    if gone and not library.entries and not library.archived and not library.unreadable:
        yield Finding("lost", "knowledge", f"the log names {len(gone)} files and none is there", "`ultan restore ENTRY`, or bring the folder back")
    elif gone:
        named = ", ".join(gone[:MOST_NAMED]) + (", …" if len(gone) > MOST_NAMED else "")
        yield Finding(
            "deleted", "knowledge", f"{len(gone)} files were deleted by hand; history keeps their text: {named}",
            "`ultan restore ENTRY` brings one back; if it was meant, nothing is to do",
        )  # fmt: skip


def unverified(seen: Home) -> Iterator[Finding]:
    """Live entries that cite a path which is gone."""
    known = citations.folders(seen.root)
    for entry in seen.library.entries.values():
        gone = citations.unverified(known, entry) if entry.status == "active" else ()
        if gone:
            yield Finding("unverified", f"knowledge/{entry.path}", f"it cites {', '.join(gone)}, which its project has not any more", "correct the path, or archive the entry")


def gone_projects(seen: Home) -> Iterator[Finding]:
    """Projects with entries whose every known folder is gone from this machine."""
    folders: dict[str, list[str]] = {}
    for folder, slug in projects.known(seen.root).items():
        folders.setdefault(slug, []).append(folder)
    for slug in sorted({entry.project for entry in seen.library.entries.values()} & folders.keys()):
        if not any(map(os.path.isdir, folders[slug])):
            yield Finding(
                "no-project", f"knowledge/projects/{slug}", "no folder of this project is there any more; its entries rest, and fade no further",
                "`ultan archive` them, or move them to global; if the project moved, the next session there finds them again",
            )  # fmt: skip
