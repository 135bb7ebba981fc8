"""Records: the operation log, the journal, history, what is held, the queue."""

import os
from collections.abc import Iterator

from ultan import events, home
from ultan.library import held
from ultan.library.checks.finding import Finding, Home
from ultan.library.operation import Operation, decode, digest


def log(seen: Home) -> Iterator[Finding]:
    """The operation log: torn, changed or out of order."""
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


def journal(seen: Home) -> Iterator[Finding]:
    """Commits that were begun and not finished."""
    for name in seen.names("journal"):
        if name.removesuffix(".tmp").isdigit():
            said = "a commit that was begun and not made" if name.endswith(".tmp") else "a commit that is not finished"
            yield Finding("journal", f"journal/{name}", said, "the next write finishes or drops it")


def history(seen: Home) -> Iterator[Finding]:
    """Earlier versions that are missing or not what they are named after."""
    names = set(seen.names("history"))
    for name in sorted(names):
        if name.endswith(".tmp"):
            continue
        try:
            data: bytes | None = home.read(os.path.join(seen.root, "history", name))
        except OSError:
            data = None
        if digest(data) != name:
            yield Finding("history", f"history/{name}", "its bytes are not those it is named after", "restore it from a backup, or delete it")
    purged = set(seen.lines("purged"))
    for operation in seen.store.operations():
        for change in operation.changes:
            for each in (change.before, change.after):
                if change.keep and each and each not in names and each not in purged:
                    yield Finding("history-gap", f"history/{each}", f"a version of {change.path} (operation {operation.number}) is missing", "restore it from a backup")


def pending(seen: Home) -> Iterator[Finding]:
    """Held suggestions that cannot be read."""
    readable = {item.path for item in held.pending(seen.store)}
    for path in seen.library.held:
        if path not in readable:
            yield Finding("pending", path.removeprefix("@"), "a held suggestion that cannot be read", "delete it")


def queue(seen: Home) -> Iterator[Finding]:
    """Events that cannot be read, and those set aside."""
    for name in seen.names("queue/new"):
        try:
            events.decode(home.read(os.path.join(seen.root, "queue/new", name)))
        except (OSError, ValueError):
            if name.endswith(".json"):
                yield Finding("queue", f"queue/new/{name}", "an event that cannot be read", "the next `ultan curate` sets it aside")
    for folder in ("queue/bad", "queue/dead"):
        count = len(seen.names(folder))
        if count:
            yield Finding("set-aside", folder, f"{count} event{'s' if count > 1 else ''} set aside", "look at them, then delete them or move them to queue/new")
