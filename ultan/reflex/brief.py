"""A session or subagent starts → its standing rules, at most one line about Ultan itself, and a clean slate."""

import os

from ultan import home
from ultan.errors import IndexUnreadable
from ultan.reflex.session import Hook, stamp
from ultan.veil import safe

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

AFRESH = frozenset(("startup", "clear", "compact", "fork"))  # the conversation no longer holds what was shown
SCAN_BYTES = 8 << 20
LINE_CHARS = 300
WELCOME = (
    "Ultan is on: it notes what you dictate and brings it back. Its clerk curates by rules alone, free and without a "
    "model; `ultan config curation.by claude` in a terminal chooses a model instead."
)


def brief(hook: Hook) -> "dict[str, Any] | None":
    """The reply with the briefing; None where there is nothing to say."""
    call = hook.call
    is_session = call.event == "session_start"
    lines: list[str] = []
    still_there = False
    try:
        if not hook.is_first_delivery():
            return None
        if is_session and (call.source in AFRESH or _was_compacted(hook)):
            hook.seen.reset()
        elif call.source == "resume" and hook.state.root:
            still_there = True  # the conversation goes on with the briefing it was given
        lines.append(hook.enrol())
        if is_session:
            hook.event("session_start", source=call.source, transcript=call.transcript)
            hook.sweep_claims()
            lines.append(health(hook))
    except OSError:
        home.count(hook.root, "disk")
    text, ids = ("", []) if still_there else _standing(hook)
    if ids:
        _note_shown(hook, ids)
    if is_session:
        _wake(hook)
    said = next((line for line in lines if line), "")  # at most one line about ourselves
    whole = "\n".join(part for part in (text, said) if part)
    reply: dict[str, Any] | None = hook.client.context(call, safe(whole)) if whole else None
    return reply


def _standing(hook: Hook) -> "tuple[str, list[str]]":
    if hook.index is None or not hook.settings["brief.enabled"]:
        return "", []
    from ultan.recall.briefing import brief as standing  # noqa: PLC0415 -- only where there is an index

    try:
        nonce = os.urandom(4).hex()  # an entry cannot end a fence that it does not know
        return standing(hook.index, hook.state.recall, hook.settings["brief.budget_chars"], stamp(hook.now)[:10], nonce)
    except IndexUnreadable:
        home.count(hook.root, "index_unreadable")
        return "", []


def _note_shown(hook: Hook, ids: "list[str]") -> None:
    try:  # titles alone: the rule may still be primed once
        hook.event("surfaced", ids=ids, by="brief")
    except OSError:
        home.count(hook.root, "disk")


def _was_compacted(hook: Hook) -> bool:
    """Whether a resumed conversation was compacted while nobody told us."""
    state = hook.state
    if hook.call.source != "resume" or not state.root:
        return False
    try:
        fd = os.open(hook.call.transcript or state.transcript, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
    except OSError:
        return False
    try:
        os.lseek(fd, max(state.offset, os.fstat(fd).st_size - SCAN_BYTES), 0)
        left = SCAN_BYTES
        tail = b""
        while left > 0 and (part := os.read(fd, min(left, 1 << 20))):
            if b'"compact_boundary"' in tail + part:
                return True
            tail, left = part[-32:], left - len(part)
    finally:
        os.close(fd)
    return False


def health(hook: Hook) -> str:
    """One line about Ultan itself: what stopped, what was remembered, or, once, how it works.

    ``<home>/stopped`` stands as long as its reason does; ``<home>/news`` is told once.
    """
    stopped = _line(os.path.join(hook.root, "stopped"))
    if stopped:
        return "Ultan: " + stopped
    news = os.path.join(hook.root, "news")
    told = _line(news)
    if told:
        home.remove(news)
        return "Ultan: " + told
    welcomed = os.path.join(hook.root, "welcomed")
    if not os.path.exists(welcomed):
        home.claim(welcomed)
        if not os.path.exists(os.path.join(hook.root, "config.toml")):
            return WELCOME
    return ""


def _line(path: str) -> str:
    try:
        text = home.read(path, 4096).decode("utf-8", "replace")
    except OSError:
        return ""
    from ultan.recall.rendering import harmless  # noqa: PLC0415 -- only where there is such a line

    return harmless(text)[:LINE_CHARS]


def _wake(hook: Hook) -> None:
    """A session that was killed queued no end: what waits is taken up when the next one starts."""
    from ultan import spool  # noqa: PLC0415 -- loaded already, if anything was queued

    if len(spool.backlog(hook.root)) > 1:
        hook.wake()
