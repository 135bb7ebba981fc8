"""Every promise the home keeps, looked at without changing anything; what is broken is named.

A finding has a code, a path relative to the home, a message in words and a remedy. A library
in which everything is as it should be gives none.
"""

import os
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from ultan import events, home, projects, settings
from ultan.errors import SettingsError
from ultan.library import citations, grounds, retention, upkeep
from ultan.library.bar import RULE_KINDS
from ultan.library.entry import COUNTERS, Entry
from ultan.library.grounds import CONFIRMED
from ultan.library.held import pending
from ultan.library.operation import Operation, decode, digest
from ultan.library.port import PENDING
from ultan.library.snapshot import LOG, NOTHING, Library, key, read_library
from ultan.library.store import FileStore
from ultan.library.yamlfront import Value, front
from ultan.redaction import redact

DAYS = ("created", "updated", "last_reinforced", "last_surfaced", "last_helpful", "expires", "archived")
MOST_NAMED = 5
PAST_DAYS = tuple(name for name in DAYS if name != "expires")


@dataclass(frozen=True, slots=True)
class Finding:
    """One broken promise."""

    code: str
    path: str
    message: str
    remedy: str


@dataclass(frozen=True, slots=True)
class _Home:
    """What the checks look at, read once."""

    root: str
    store: FileStore
    library: Library
    today: str


def findings(root: str, now: float | None = None) -> list[Finding]:
    """Everything under the home *root* that breaks a promise, in the order of paths; changes nothing.

    *now* tells which dates lie in the future; without it the newest file does.
    """
    if not os.path.isdir(root):
        return [Finding("no-home", root, "there is no such folder", "run `ultan install` or `ultan save`")]
    store = FileStore(root, recover=False)
    today = upkeep.day((now if now is not None else _newest(root)) + 86400)
    seen = _Home(store.root, store, read_library(store, NOTHING), today)
    found = [finding for check in _CHECKS for finding in check(seen)]
    return sorted(set(found), key=lambda each: (each.path, each.code, each.message))


def _newest(root: str) -> float:
    times = [0.0]
    for folder, _, names in os.walk(root):
        times += [os.lstat(os.path.join(folder, name)).st_mtime for name in names]
    return max(times)


# --- files that are no entries -----------------------------------------------------------------------

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


def _unreadable(seen: _Home) -> Iterator[Finding]:
    for path, reason in seen.library.unreadable:
        code, remedy = "unreadable", "correct the frontmatter; the file was left as it is"
        for words, its_code, its_remedy in _REASONS:
            if words in reason and not (its_code == "unreadable-folder" and "frontmatter" in reason):
                code, remedy = its_code, its_remedy
                break
        where = path if path.startswith("@") else f"knowledge/{path}"
        yield Finding(code, where.removeprefix("@"), reason, remedy)


# --- entries --------------------------------------------------------------------------------------------


def _entries(seen: _Home) -> Iterator[Finding]:
    for pool in (seen.library.entries, seen.library.archived):
        for entry in pool.values():
            table = front(entry.raw)
            for check in (_identity, _numbers, _days, _trust, _text, _triggers, _place, _references):
                for code, message, remedy in check(entry, table, seen):
                    yield Finding(code, f"knowledge/{entry.path}", message, remedy)


_Told = Iterator[tuple[str, str, str]]
_Table = dict[str, Value]


def _identity(entry: Entry, table: _Table, _seen: _Home) -> _Told:
    said = table.get("id")
    if said and str(said).removesuffix(".md") != entry.id:
        yield "id", f"it says its id is {said}; its place says {entry.id}", f"write `id: {entry.id}`"
    if not table.get("title"):
        yield "no-title", "it has no title", "add one"
    for one, other in (("kind", "type"), ("applies_when", "applies-when"), ("triggers", "block_triggers"), ("fired-helpful", "fired_helpful")):
        if one in table and other in table:
            yield "alias", f"{one} and {other} say the same thing twice; {one} counts", f"remove {other}"


def _numbers(_entry: Entry, table: _Table, _seen: _Home) -> _Told:
    for name in (*COUNTERS, "fired-helpful"):
        value = table.get(name)
        if value is not None and not re.fullmatch(r"\d{1,9}", str(value)):
            yield "counter", f"{name} is {str(value)[:40]!r}, no count; it is read as 0", f"write `{name}: 0`"
        elif value is not None and int(str(value)) > retention.MOST_COUNTED:
            yield "large-counter", f"{name} is {value}; {retention.MOST_COUNTED:,} is the most that counts", "correct it if nobody counted that"
    value = table.get("encoding_strength")
    if value is not None and not re.fullmatch(r"0(\.\d+)?|1(\.0+)?|\.\d+|\d(\.\d+)?e-\d+", str(value)):
        yield "strength", f"encoding_strength is {str(value)[:40]!r}; it lies between 0 and 1", "write a number such as 0.5"


def _days(entry: Entry, _table: _Table, seen: _Home) -> _Told:
    for name in DAYS:
        value = getattr(entry, name)
        if value and not re.fullmatch(r"\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])", value):
            yield "date", f"{name} is {value[:40]!r}, no ISO day", "write it as 2026-05-01"
        elif value > seen.today and name in PAST_DAYS:
            yield "future", f"{name} is {value}, which lies in the future; until then nothing fades by it", "correct the date, or the clock"
    if not entry.created:
        yield "no-date", "it does not say when it was made; while no other date is known it does not fade", "add `created:` and a day"
    for name in ("updated", "last_reinforced", "last_helpful", "last_surfaced"):
        if retention.is_day(getattr(entry, name)) and retention.is_day(entry.created) and getattr(entry, name) < entry.created:
            yield "date-order", f"{name} is before created; the latest day counts", "put the dates in order"


def _trust(entry: Entry, table: _Table, _seen: _Home) -> _Told:
    said = table.get("trust", "person")
    if entry.trust != said and said not in ("0", "1", "2", "3"):
        yield "trust", f"no trust is called {str(said)[:40]!r}; it counts as observed", "`ultan review` confirms it"
    if entry.trust_rank >= CONFIRMED or entry.shelved:
        return
    if entry.kind in RULE_KINDS:
        yield "unvouched-rule", f"a {entry.kind} that no person said or confirmed", "`ultan review`: confirm or archive it"
    if entry.scope == "global":
        yield "unvouched-global", "a global entry that no person said or confirmed", "`ultan review`: confirm or archive it"
    if entry.triggers or entry.pinned:
        yield "unvouched-power", "triggers or a pin on what no person confirmed", "`ultan review`: confirm or archive it"
    if not entry.expires:
        yield "no-expiry", "what no person confirmed must expire", "`ultan review`: confirm it, or add `expires`"


def _text(entry: Entry, _table: _Table, _seen: _Home) -> _Told:
    found = redact(entry.raw)[1]
    if found:
        yield "credential", f"{found} credential{'s' if found > 1 else ''} in its text", "`ultan purge` removes it everywhere; then change the credential"
    if grounds.cleaned(entry.raw.removeprefix("\ufeff")) != entry.raw.removeprefix("\ufeff").replace("\r\n", "\n"):
        yield "invisible", "invisible or direction-changing characters in its text", "`ultan edit` and remove them"
    if not entry.rule:
        yield "empty", "it says nothing", "write the rule, or archive it"


def _triggers(entry: Entry, _table: _Table, _seen: _Home) -> _Told:
    for trigger in entry.triggers:
        for pattern in (trigger.pattern, *trigger.unless):
            if grounds.compiled(pattern) is None:
                yield "bad-trigger", f"RE2 cannot compile {pattern[:60]!r}; the trigger is off", "write it without lookaround, or use `unless`"
        if trigger.severity == "block":
            if entry.trust_rank < CONFIRMED:
                yield "unvouched-block", "a block that no person confirmed only advises", "`ultan review` confirms the entry"
            if grounds.compiled(trigger.pattern) is not None and grounds.is_too_broad(trigger.pattern):
                yield "broad-block", f"{trigger.pattern[:60]!r} would block harmless calls; it only advises", "make the pattern narrower"


def _place(entry: Entry, _table: _Table, _seen: _Home) -> _Told:
    if entry.archived and not entry.shelved:
        yield "half-archived", "it says archived but lies among the live entries", "`ultan archive` it, or remove the line"
    if entry.shelved and entry.status == "active":
        yield "half-revived", "it says active but lies in the archive", f"`ultan restore {entry.id}`"


def _references(entry: Entry, _table: _Table, seen: _Home) -> _Told:
    library = seen.library
    for target in entry.links:
        if not library.resolve(target):
            yield "dangling-link", f"it links to {target!r}, which is no entry", "correct or remove the link"
    for target in (*entry.supersedes, *([entry.superseded_by] if entry.superseded_by else [])):
        if not library.resolve(target):
            yield "dangling-reference", f"it names {target!r} as its follower or forerunner, which is no entry", "correct or remove the line"
    if entry.superseded_by:
        follower = library.entries.get(library.resolve(entry.superseded_by))
        if follower is not None and entry.id not in follower.supersedes:
            yield "one-sided", f"{follower.id} does not name it in `supersedes`", f"add it to {follower.id}"
        if entry.status == "active" and not entry.shelved:
            yield "superseded-active", "it is superseded and says active", "write `status: deprecated`"
    chain = [entry.id]
    while (now := library.entries.get(chain[-1])) is not None and now.superseded_by:
        chain.append(library.resolve(now.superseded_by))
        if chain[-1] in chain[:-1]:
            yield "circle", f"superseded in a circle: {' → '.join(chain)}", "remove one `superseded_by`"
            break


# --- what is derived, and files beside each other ---------------------------------------------------------


def _derived(seen: _Home) -> Iterator[Finding]:
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


def _twins(seen: _Home) -> Iterator[Finding]:
    by_key: dict[str, str] = {}
    for path in sorted(seen.library.digests):
        parts = path.split("/")
        for depth in range(1, len(parts) + 1):
            here = "/".join(parts[:depth])
            twin = by_key.setdefault(key(here), here)
            if twin != here:
                yield Finding("twin", f"knowledge/{here}", f"differs from {twin} only in case or in the form of its letters", "rename one of them")


def _foreign(seen: _Home) -> Iterator[Finding]:
    for path in seen.library.foreign:
        yield Finding("foreign", f"knowledge/{path}", "no operation made it and nobody adopted it; it counts for nothing", "`ultan adopt` if it is yours, else delete it")


# --- the log, the journal, history, review -------------------------------------------------------------------


def _log(seen: _Home) -> Iterator[Finding]:
    where = "journal/operations.jsonl"
    try:
        raw = home.read(os.path.join(seen.root, where))
    except FileNotFoundError:
        return
    except OSError as error:
        yield Finding("log-unreadable", where, f"cannot be read: {error.strerror}", "look at its permissions")
        return
    if raw and not raw.endswith(b"\n"):
        yield Finding("log-torn", where, "its last line is torn", "any write repairs it")
    previous = Operation()
    for number, line in enumerate(raw.decode("utf-8", "replace").split("\n"), 1):
        if not line:
            continue
        try:
            operation = decode(line)
        except ValueError:
            yield Finding("log-line", where, f"line {number} is no operation", "restore the file from a backup")
            continue
        if operation.sealed() != operation.digest:
            yield Finding("log-changed", where, f"operation {operation.number} was changed after it was written", "restore the file from a backup")
        if operation.prev != previous.digest or operation.number != previous.number + 1:
            yield Finding("log-chain", where, f"operation {operation.number} does not follow operation {previous.number}", "restore the file from a backup")
        previous = operation


def _journal(seen: _Home) -> Iterator[Finding]:
    for name in _names(seen, "journal"):
        if name.removesuffix(".tmp").isdigit():
            said = "a commit that was begun and not made" if name.endswith(".tmp") else "a commit that is not finished"
            yield Finding("journal", f"journal/{name}", said, "the next write finishes or drops it")


def _history(seen: _Home) -> Iterator[Finding]:
    names = set(_names(seen, "history"))
    for name in sorted(names):
        if name.endswith(".tmp"):
            continue
        try:
            data: bytes | None = home.read(os.path.join(seen.root, "history", name))
        except OSError:
            data = None
        if digest(data) != name:
            yield Finding("history", f"history/{name}", "its bytes are not those it is named after", "restore it from a backup, or delete it")
    purged = set(_lines(seen, "purged"))
    for operation in seen.store.operations():
        for change in operation.changes:
            for each in (change.before, change.after):
                if change.keep and each and each not in names and each not in purged:
                    yield Finding("history-gap", f"history/{each}", f"a version of {change.path} (operation {operation.number}) is missing", "restore it from a backup")


def _pending(seen: _Home) -> Iterator[Finding]:
    readable = {item.path for item in pending(seen.store)}
    for path in seen.library.held:
        if path not in readable:
            yield Finding("pending", path.removeprefix("@"), "a held suggestion that cannot be read", "delete it")


def _queue(seen: _Home) -> Iterator[Finding]:
    for name in _names(seen, "queue/new"):
        try:
            events.decode(home.read(os.path.join(seen.root, "queue/new", name)))
        except (OSError, ValueError):
            if name.endswith(".json"):
                yield Finding("queue", f"queue/new/{name}", "an event that cannot be read", "the next `ultan curate` sets it aside")
    for folder in ("queue/bad", "queue/dead"):
        count = len(_names(seen, folder))
        if count:
            yield Finding("set-aside", folder, f"{count} event{'s' if count > 1 else ''} set aside", "look at them, then delete them or move them to queue/new")


def _lines(seen: _Home, name: str) -> list[str]:
    try:
        return home.read(os.path.join(seen.root, name)).decode("ascii", "replace").split()
    except OSError:
        return []


def _names(seen: _Home, folder: str) -> list[str]:
    try:
        return sorted(os.listdir(os.path.join(seen.root, folder)))
    except OSError:
        return []


# --- the disk ----------------------------------------------------------------------------------------------------


def _disk(seen: _Home) -> Iterator[Finding]:
    uid = os.getuid() if hasattr(os, "getuid") else -1
    for folder, folders, names in os.walk(seen.root):
        if os.path.relpath(folder, seen.root) == "knowledge":
            folders[:] = [name for name in folders if name != ".git"]
        for name in [*([""] if folder == seen.root else []), *folders, *names]:
            path = os.path.join(folder, name) if name else folder
            where = os.path.relpath(path, seen.root)
            state = os.lstat(path)
            if os.path.islink(path):
                if not where.startswith("knowledge/"):
                    yield Finding("link", where, "a symbolic link; links are not followed", "put the file itself there")
                continue
            if uid >= 0 and state.st_uid != uid:
                yield Finding("owner", where, "it belongs to another user", "chown it to you, or keep the home elsewhere")
            if os.name == "posix" and state.st_mode & 0o077:
                yield Finding("mode", where, f"others may read or write it ({state.st_mode & 0o777:o})", "chmod go-rwx")
            if name.startswith(".") and name.endswith(".tmp") and not where.startswith("queue"):
                yield Finding("temporary", where, "a write that was never finished", "delete it")
    page = os.path.join(seen.root, "counters")
    if os.path.isfile(page) and os.path.getsize(page) != home.COUNTERS_BYTES:
        yield Finding("counters", "counters", "the page of counters has another size", "delete it; it is made again")


def _settings(seen: _Home) -> Iterator[Finding]:
    try:
        settings.load(seen.root, {})
    except SettingsError as error:
        yield Finding("settings", "config.toml", str(error), error.hint)


def _lost(seen: _Home) -> Iterator[Finding]:
    """Files that operations made and that somebody deleted behind their back."""
    library = seen.library
    last: dict[str, str] = {}
    for operation in seen.store.operations():
        for change in operation.changes:
            if change.keep and change.path not in operation.skipped and not change.path.startswith(PENDING):
                last[change.path] = change.after
    purged = set(_lines(seen, "purged"))
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


def _unverified(seen: _Home) -> Iterator[Finding]:
    """Live entries that cite a path which is gone."""
    known = citations.folders(seen.root)
    for entry in seen.library.entries.values():
        gone = citations.unverified(known, entry) if entry.status == "active" else ()
        if gone:
            yield Finding("unverified", f"knowledge/{entry.path}", f"it cites {', '.join(gone)}, which its project has not any more", "correct the path, or archive the entry")


def _gone_projects(seen: _Home) -> Iterator[Finding]:
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


_CHECKS: tuple[Callable[[_Home], Iterator[Finding]], ...] = (
    _unreadable, _entries, _derived, _twins, _foreign, _log, _journal, _history, _pending, _queue, _disk, _settings, _lost,
    _gone_projects, _unverified,
)  # fmt: skip
