"""Derived text kept true: folder READMEs, the catalog, the log, links after a move (pure)."""

import re
import time
from collections.abc import Iterable, Mapping

from ultan.library.body import WIKILINK
from ultan.library.entry import Entry
from ultan.library.snapshot import CATALOG, LOG, folders_of, key

OPENING, CLOSING = "<!-- ultan:children -->", "<!-- /ultan:children -->"
DASH = "–"  # noqa: RUF001 -- the dash between a name and what it says, as everywhere in the product
FRONT = "README.md"
FRONT_HEAD = (
    "# Library\n\nWhat was learned, one markdown file an entry: `global/` holds for every project, "
    "`projects/` for one each.\nEdit, move or remove anything; what lies between the markers is written anew.\n\n"
)
LAST_MOMENT = 253402300799.0  # the end of the year 9999: no ISO day lies after it
LOG_CHARS = 256 * 1024
LOG_HEAD = "# Log\n\nEvery write, veto and refusal, oldest first.\n\n"
WHOLE_CATALOG = 300  # with more entries the catalog names folders only; each README names its entries
MARKS = {
    "convention": "C", "preference": "P", "finding": "F", "warn": "W", "abstraction": "A",
    "decision": "D", "event": "E",
}  # fmt: skip


def is_derived(path: str) -> bool:
    """Whether the file at *path* is written by the upkeep: the log, the catalog, a listing."""
    name = key(path)
    return name in (LOG, CATALOG, key(FRONT)) or name.endswith("/readme.md")


def derived(entries: Mapping[str, Entry], texts: Mapping[str, str]) -> dict[str, str | None]:
    """What READMEs and the catalog must say; only those that say something else now.

    Args:
        entries: id → live entry, as they will be.
        texts: path → text of the READMEs and the catalog as they are.

    Returns:
        Path → new text, or ``None`` for a listing whose folder is gone and that holds no prose.
    """
    folders = folders_of(entries)
    below: dict[str, list[str]] = {}
    count: dict[str, int] = {}
    for folder in folders:
        below.setdefault(folder.rpartition("/")[0], []).append(folder)
    inside: dict[str, list[Entry]] = {}
    for entry in entries.values():
        inside.setdefault(entry.folder, []).append(entry)
    for deepest, members in inside.items():
        for folder in folders_of((f"{deepest}/",)):
            count[folder] = count.get(folder, 0) + len(members)
    existing = {key(path): path for path in texts}
    wanted: dict[str, str | None] = {}
    for folder in folders:
        path = existing.get(key(f"{folder}/readme.md"), f"{folder}/README.md")
        listing = _listing(folder, below.get(folder, ()), inside.get(folder, ()), count)
        wanted[path] = with_listing(texts.get(path, ""), folder, listing)
    for path, text in texts.items():
        folder = path.rpartition("/")[0]
        if folder and key(path).endswith("/readme.md") and folder not in folders and not path.startswith("_archive/"):
            empty = with_listing(text, folder, "")
            wanted[path] = None if not has_prose(empty, folder) else empty
    if entries or key(FRONT) in existing:
        path = existing.get(key(FRONT), FRONT)
        top = _listing("", [folder for folder in folders if "/" not in folder], (), count)
        wanted[path] = with_listing(texts.get(path) or FRONT_HEAD, "", top)
    if entries or CATALOG in existing:
        wanted[existing.get(CATALOG, CATALOG)] = with_listing(texts.get(CATALOG, ""), "", _catalog(entries, folders, count))
    return {path: text for path, text in wanted.items() if text != texts.get(path) and not (text is None and path not in texts)}


def with_listing(text: str, folder: str, listing: str) -> str:
    """*text* with *listing* between its markers; every byte outside them as it was.

    A text without markers gets them at its end; one whose markers do not pair up is left alone,
    ``check`` names it.
    """
    newline = "\r\n" if "\r\n" in text else "\n"
    block = f"{OPENING}\n{listing}{CLOSING}".replace("\n", newline)
    opened, closed = text.count(OPENING), text.count(CLOSING)
    if opened != closed or opened > 1 or (opened and text.index(CLOSING) < text.index(OPENING)):
        return text
    if opened:
        return text[: text.index(OPENING)] + block + text[text.index(CLOSING) + len(CLOSING) :]
    if not text:
        return f"# {_title(folder)}\n\n{block}\n"
    gap = "" if text.endswith(newline * 2) else newline if text.endswith("\n") else newline * 2
    return text + gap + block + newline


def has_prose(text: str, folder: str) -> bool:
    """Whether a README or the catalog holds words of its own beside the listing."""
    ours = [with_listing(start, folder, "") for start in ("", *([] if folder else [FRONT_HEAD]))]
    return bool(text) and with_listing(text, folder, "") not in ours


def _title(folder: str) -> str:
    name = folder.rpartition("/")[2] or "catalog"
    return (name[0].upper() + name[1:]).replace("-", " ")


def _listing(folder: str, below: Iterable[str], inside: Iterable[Entry], count: Mapping[str, int]) -> str:
    lines = []
    for each in sorted(below):
        name = each[len(folder) + 1 :] if folder else each
        lines.append(f"- [{name}/]({name}/README.md) {DASH} {_entries(count[each])}\n")
    lines += [_line(entry) for entry in sorted(inside, key=lambda each: each.id)]
    return "".join(lines)


def _line(entry: Entry) -> str:
    title = " ".join(entry.title.split()).replace("[[", "").replace("<!--", "")
    state = "" if entry.status == "active" and not entry.superseded_by else " (no longer holds)"
    return f"- [[{entry.id}]] {DASH} {title} [{MARKS.get(entry.kind, '?')}]{state}\n"


def _catalog(entries: Mapping[str, Entry], folders: Iterable[str], count: Mapping[str, int]) -> str:
    lines = []
    whole = len(entries) <= WHOLE_CATALOG
    for folder in folders:
        inside = [entry for entry in entries.values() if entry.folder == folder] if whole else []
        if whole and not inside:
            continue
        lines.append(f"\n## [{folder}]({folder}/README.md) {DASH} {_entries(count[folder])}\n")
        lines += [_line(entry) for entry in sorted(inside, key=lambda each: each.id)]
    return "".join(lines)


def _entries(number: int) -> str:
    return f"{number} entr{'y' if number == 1 else 'ies'}"


def relinked(text: str, moved: Mapping[str, str], resolve: Mapping[str, str]) -> str:
    """*text* with each wikilink to a moved entry pointing to its new place.

    Args:
        text: a body or a whole file.
        moved: old id → new id.
        resolve: link target as written → the id it meant before the move.
    """

    def swap(match: re.Match[str]) -> str:
        target = match[1].strip()
        new = moved.get(resolve.get(target.removesuffix(".md").strip("/"), ""), "")
        return f"[[{new}{match[2] or ''}{match[3] or ''}]]" if new else match[0]

    return WIKILINK.sub(swap, text)


def logged(text: str, lines: Iterable[str]) -> str:
    """The log with *lines* added; beyond its limit the older half goes, the operation log has it all."""
    whole = text or LOG_HEAD
    whole += ("" if whole.endswith("\n") else "\n") + "".join(f"- {line}\n" for line in lines)
    if len(whole) <= LOG_CHARS:
        return whole
    kept = whole[-LOG_CHARS // 2 :]
    return LOG_HEAD + "- (older lines: `ultan log`)\n" + kept[kept.index("\n") + 1 :]


def stamp(now: float) -> str:
    """A moment as UTC to the minute, for people."""
    return time.strftime("%Y-%m-%d %H:%M", time.gmtime(told(now)))


def day(now: float) -> str:
    """The ISO day of a moment, in UTC; the last one there is for a clock that has gone past it."""
    return time.strftime("%Y-%m-%d", time.gmtime(told(now)))


def told(now: float) -> float:
    """*now*, or the nearest moment that has an ISO day."""
    return min(max(0.0, now), LAST_MOMENT)
