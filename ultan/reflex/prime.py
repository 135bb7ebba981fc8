"""A prompt → the few entries worth knowing before the agent reads it."""

import os
import time

from ultan import home
from ultan.clients.leaf import Sieve
from ultan.errors import IndexUnreadable
from ultan.reflex.session import Hook, stamp
from ultan.veil import safe

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ultan.events import Piece

CATCH_UP_BYTES = 1 << 20  # of a turn that ended without Stop; a curator reads what is left
NUDGES_A_SESSION = 3
ASKED_CHARS = 32 * 1024


def prime(hook: Hook) -> "dict[str, Any] | None":
    """The reply with what is relevant to the prompt; None, mostly, where nothing is."""
    call = hook.call
    if not hook.client.is_typed(call):
        call.prompt = hook.client.dictated(call.prompt)
        if call.prompt and _first_delivery(hook):
            _queued(hook, dictated=True)  # `ultan save --typed`, which the skill runs next, takes it from there
        return None
    if not _first_delivery(hook):
        return None
    news = _queued(hook)
    shown: str = ""
    ids: list[str] = []
    how: dict[str, Any] = {}
    if hook.settings["priming.enabled"]:
        shown, ids, how = _relevant(hook)
    nudge = _nudge(hook)
    text = "\n".join(part for part in (shown, nudge, news) if part)
    if not text:
        return None
    if ids:
        _note_shown(hook, ids, how)
    reply: dict[str, Any] = hook.client.context(call, safe(text))
    return reply


def _first_delivery(hook: Hook) -> bool:
    try:
        return hook.is_first_delivery()
    except OSError:  # a home that cannot be written is still read
        home.count(hook.root, "disk")
        return True


def _queued(hook: Hook, **known: "Any") -> str:
    """Queue the prompt, after what a turn without Stop left behind; the line to tell, mostly ``""``.

    A disk that says no costs the event, not the answer.
    """
    try:
        news = hook.enrol()
        if hook.settings["capture.enabled"]:
            _catch_up(hook)
            _queue_prompt(hook, **known)
    except OSError:
        home.count(hook.root, "disk")
        return ""
    return news


def _catch_up(hook: Hook) -> None:
    state = hook.state
    path = hook.call.transcript or state.transcript
    try:
        size = os.stat(path).st_size if path else 0
    except OSError:
        return  # the first prompt: the client has not made it yet
    if size <= state.offset and path == state.transcript:
        return
    from ultan.reflex.capture import Cursor  # noqa: PLC0415 -- only where something is left

    sieve = Sieve()
    with Cursor(hook.root, hook.call.session, state) as cursor:
        if not cursor.is_ours:
            return
        known = cursor.advance(path, CATCH_UP_BYTES, sieve)
        if cursor.pieces:
            hook.event("turn_end", cursor.pieces, **known)
        cursor.commit()
    sieve.count(hook.root)


def _queue_prompt(hook: Hook, **known: "Any") -> None:
    from ultan.clients import plain_mark  # noqa: PLC0415
    from ultan.clients.prompts import Heard, mark_of, prompt_pieces  # noqa: PLC0415 -- the same split on both roads
    from ultan.spool import new_id  # noqa: PLC0415

    call, sieve, state = hook.call, Sieve(), hook.state
    state.asked = state.turn + 1 if state.offset else max(state.turn, state.asked) + 1
    name = plain_mark(call.call_id) or f"{call.session}-{new_id(hook.now)}"
    heard = Heard(call.transcript) if call.transcript else None
    pieces: list[Piece] = prompt_pieces(call.prompt, name, stamp(hook.now), state.asked, sieve, heard)
    hook.event("prompt", pieces, transcript=call.transcript, **known)
    if pieces:
        hook.note_queued([piece.id for piece in pieces] + [mark_of(pieces)])
    state.save()
    sieve.count(hook.root)


def _relevant(hook: Hook) -> "tuple[str, list[str], dict[str, Any]]":
    """The block to show, the ids in it, and how it was found; from the warm server if there is one."""
    from ultan.recall import wire  # noqa: PLC0415 -- one look whether a socket is there

    state, call = hook.state, hook.call
    already = hook.seen.already(call.agent)
    question = {
        "text": _ends(call.prompt), "project": state.recall, "files": list(hook.files()), "tail": state.tail,
        "day": stamp(hook.now)[:10], "agent": call.agent, "already": sorted(already),
        "nonce": os.urandom(4).hex(), "session": call.session,
    }  # fmt: skip
    asked = time.monotonic()
    warm = wire.ask(hook.root, "prime", question)
    if warm is not None:
        return warm.text, warm.ids, {"rankings": warm.rankings, "probability": warm.probability}
    _unanswered(hook, time.monotonic() - asked >= wire.DEADLINE_S, os.path.exists(wire.path_of(hook.root)))
    return _cold(hook, question, already)


def _ends(text: str) -> str:
    """What of a prompt is looked at to find entries: of a megabyte somebody pasted, the beginning and the end."""
    return text if len(text) <= ASKED_CHARS else text[: -(-ASKED_CHARS // 2)] + "\n" + text[-(ASKED_CHARS // 2) :]


def _unanswered(hook: Hook, is_late: bool, is_there: bool) -> None:
    """Count a server that did not answer; one that does not run is started for the next prompt, if it may be."""
    if is_there:
        home.count(hook.root, "late" if is_late else "unanswered")
    if is_late:
        return  # it runs, and is busy or wedged: a second one would not help
    try:
        hook.wake_server()
    except OSError:
        home.count(hook.root, "disk")


def _cold(hook: Hook, question: "dict[str, Any]", already: "set[str]") -> "tuple[str, list[str], dict[str, Any]]":
    if hook.index is None:
        return "", [], {}
    from ultan.recall import index, ranking, rendering  # noqa: PLC0415 -- not where nothing is asked

    query = ranking.Query(
        question["text"], question["project"], question["files"], (), question["tail"], question["day"], question["agent"]
    )
    try:
        primed = ranking.prime(hook.index, query, already, question["day"])
    except IndexUnreadable:
        home.count(hook.root, "index_unreadable")
        return "", [], {}
    if not primed.cards and os.path.exists(index.path_of(hook.root, index.FADED)):
        from ultan.recall import second_look  # noqa: PLC0415 -- only where nothing live fits and something faded

        primed = second_look.look(hook.root, query, already, hook.index.settings, primed.probability)
    if not primed.cards:
        home.count(hook.root, "silent")
        return "", [], {}
    lost = rendering.gone(hook.root, primed.cards)
    text = rendering.render(primed.cards, hook.settings["priming.budget_chars"], question["nonce"], question["day"], lost)
    how = {"rankings": list(primed.rankings), "probability": round(primed.probability, 4)}
    return text, [card.id for card in primed.cards], how


def _note_shown(hook: Hook, ids: "list[str]", how: "dict[str, Any]") -> None:
    try:
        hook.seen.add(hook.call.agent, ids)
        hook.event("surfaced", ids=ids, by="prime", turn=hook.state.asked, **how)
    except OSError:
        home.count(hook.root, "disk")
    home.count(hook.root, "primed")


def _nudge(hook: Hook) -> str:
    """One approved remark for this project or session, taken so that no other prompt shows it again."""
    folder = os.path.join(hook.root, "nudges")
    try:
        names = sorted(name for name in os.listdir(folder) if name.endswith(".json"))
    except OSError:
        return ""
    if not names:
        return ""
    from ultan.reflex.nudge import take  # noqa: PLC0415 -- hardly ever

    return take(hook, folder, names, NUDGES_A_SESSION)
