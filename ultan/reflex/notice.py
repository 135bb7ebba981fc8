"""A tool call → advice or a veto, from triggers, from the file it touches, from the error it met.

``block`` needs an entry that a person wrote or confirmed, and a brake: more than five
denials in ten minutes, and the rest is advice, so that no trigger can brick an agent.
Nothing here ever allows or asks: no reply is the reply for a call that nothing is known of.
"""

import os

from ultan import home
from ultan.errors import IndexUnreadable
from ultan.reflex.session import Hook, stamp

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ultan.recall.index import Card

BRAKE_DENIALS, BRAKE_S = 5, 600.0
AGAIN_S = 600.0  # the same advice to the same agent, at the earliest
MOST = 3
RULE_CHARS = 400
FILE_TOOLS = frozenset(("Read", "Edit", "Write", "MultiEdit", "NotebookEdit"))
TRUSTED = frozenset(("person", "confirmed"))
QUESTIONS = "AskUserQuestion"


def notice(hook: Hook) -> "dict[str, Any] | None":
    """The reply with advice or a veto; None where nothing applies."""
    call = hook.call
    try:
        if call.event == "tool_failed":
            return _on_error(hook)
        if hook.index is None or not hook.settings["notice.enabled"]:
            return _after(hook, None)
        if call.tool == QUESTIONS:
            return _on_question(hook)
        return _after(hook, _on_call(hook))
    except IndexUnreadable:
        home.count(hook.root, "index_unreadable")
        return None


def _after(hook: Hook, reply: "dict[str, Any] | None") -> "dict[str, Any] | None":
    """*reply*, after noting which file is in play."""
    if hook.call.tool in FILE_TOOLS:
        from ultan.clients.claude_tools import file_of  # noqa: PLC0415 -- file tools only
        from ultan.veil import safe  # noqa: PLC0415 -- what is written is without credentials, names too

        path = safe(file_of(hook.call.tool_input))
        if path:
            _quietly(hook, lambda: hook.note_file(path))
    return reply


def _quietly(hook: Hook, write: "Any") -> None:
    """Run *write*; a disk that says no is counted and costs nothing else."""
    try:
        write()
    except OSError:
        home.count(hook.root, "disk")


# --- triggers and files -----------------------------------------------------------------------------


def _on_call(hook: Hook) -> "dict[str, Any] | None":
    from ultan.recall import triggers  # noqa: PLC0415 -- only with an index

    call, index = hook.call, hook.index
    assert index is not None
    found = triggers.notices(index, call.tool, call.tool_input, _project(hook))
    if found:
        return _noticed(hook, found)
    if call.tool in FILE_TOOLS:
        from ultan.clients.claude_tools import file_of  # noqa: PLC0415 -- file tools only

        cards = triggers.by_file(index, file_of(call.tool_input), _project(hook))
        if reply := _told(hook, cards, "file"):
            return reply
    return _told(hook, triggers.by_situation(index, call.tool, call.tool_input, _project(hook)), "situation")


def _project(hook: Hook) -> str:
    _quietly(hook, hook.enrol)
    return hook.state.recall


def _noticed(hook: Hook, found: "list[Any]") -> "dict[str, Any] | None":
    """Deny for the first trigger that may, else advise for those not told a moment ago."""
    blocking = [one for one in found if one.severity == "block" and one.card.trust in TRUSTED]
    past = _past(hook)
    if blocking and hook.settings["notice.blocks"]:
        recent = sum(1 for at, what, _ in past if what == "denied" and 0 <= hook.now - at <= BRAKE_S)
        if recent < BRAKE_DENIALS:
            return _denied(hook, blocking[0].card)
        home.trouble(hook.root, f'{{"at": {hook.now:.0f}, "kind": "brake", "what": "{blocking[0].card.id}"}}')
    agent = hook.call.agent or "-"
    told = {name for at, what, name in past if what == "advised" and 0 <= hook.now - at <= AGAIN_S}
    fresh = [one.card for one in found if f"{agent} {one.card.id}" not in told][:MOST]
    if not fresh or not _is_first(hook):
        return None
    for card in fresh:
        _note(hook, "advised", f"{agent} {card.id}")
        _event(hook, "noticed", id=card.id, severity="advise", denied=False, tool=hook.call.tool)
    home.count(hook.root, "advised", len(fresh))
    return _context(hook, [note_of(card) for card in fresh])


def _denied(hook: Hook, card: "Card") -> "dict[str, Any] | None":
    """The veto; to a second delivery of the same call the same answer, noted once."""
    if _is_first(hook):
        _note(hook, "denied", card.id)
        _event(hook, "noticed", id=card.id, severity="block", denied=True, tool=hook.call.tool)
        home.count(hook.root, "denied")
    from ultan.veil import safe  # noqa: PLC0415 -- only where something is shown

    reason = f"{note_of(card)} (a confirmed rule; the person lifts it with `ultan edit {card.id}`)"
    reply: dict[str, Any] = hook.client.denial(hook.call, safe(reason))
    return reply


def note_of(card: "Card") -> str:
    """The line for one entry: library note, link, rule."""
    from ultan.recall.rendering import cut, harmless  # noqa: PLC0415 -- only where something is shown

    rule = cut(harmless(card.rule or card.title), RULE_CHARS)
    return f"Library note: [[{harmless(card.id)}]] applies here \u2013 {rule}"


def _told(hook: Hook, cards: "list[Card]", by: str) -> "dict[str, Any] | None":
    """Entries that concern the call at hand, each once per agent and conversation."""
    if not cards:
        return None
    already = hook.seen.already(hook.call.agent)
    fresh = [card for card in cards if card.id not in already and card.trust != "observed"][:MOST]
    if not fresh or not _is_first(hook):
        return None
    ids = [card.id for card in fresh]
    _quietly(hook, lambda: hook.seen.add(hook.call.agent, ids))
    _event(hook, "surfaced", ids=ids, by=by, tool=hook.call.tool)
    return _context(hook, [note_of(card) for card in fresh])


def _context(hook: Hook, notes: "list[str]") -> "dict[str, Any]":
    from ultan.veil import safe  # noqa: PLC0415 -- only where something is shown

    reply: dict[str, Any] = hook.client.context(hook.call, safe("\n".join(notes)))
    return reply


# --- errors and questions -----------------------------------------------------------------------------


def _on_error(hook: Hook) -> "dict[str, Any] | None":
    from ultan.reflex.capture import take_result  # noqa: PLC0415 -- failures only

    if hook.settings["capture.enabled"]:
        _quietly(hook, lambda: take_result(hook))
    if hook.index is None or not hook.settings["notice.enabled"] or not hook.call.error:
        return None
    from ultan.recall import triggers  # noqa: PLC0415 -- only with an index

    return _told(hook, triggers.by_error(hook.index, hook.call.error, _project(hook)), "error")


def _on_question(hook: Hook) -> "dict[str, Any] | None":
    """Deny a dialog once where a confirmed entry answers it; the same questions asked again pass."""
    if not hook.settings["notice.answer_questions"]:
        return None
    from ultan.recall import triggers  # noqa: PLC0415 -- dialogs only

    questions = hook.call.tool_input.get("questions")
    assert hook.index is not None
    card = triggers.by_question(hook.index, _asked(questions), _project(hook))
    if card is None or card.trust not in TRUSTED or not _asked_first(hook, questions):
        return None
    _event(hook, "surfaced", ids=[card.id], by="question", tool=QUESTIONS)
    from ultan.veil import safe  # noqa: PLC0415 -- only where something is shown

    reason = f"{note_of(card)}. The person decided this before; ask again if this does not settle it."
    reply: dict[str, Any] = hook.client.denial(hook.call, safe(reason))
    return reply


def _asked(questions: "Any") -> "list[tuple[str, list[str]]]":
    """The questions of a dialog, each with what may be chosen."""
    rows = [row for row in questions if isinstance(row, dict)] if isinstance(questions, list) else []
    return [(row["question"], _labels(row.get("options"))) for row in rows if isinstance(row.get("question"), str)]


def _labels(options: "Any") -> "list[str]":
    rows = [row for row in options if isinstance(row, dict)] if isinstance(options, list) else []
    return [row["label"] for row in rows if isinstance(row.get("label"), str)]


def _asked_first(hook: Hook, questions: "Any") -> bool:
    import zlib  # noqa: PLC0415 -- dialogs only

    from ultan import plainjson  # noqa: PLC0415

    name = f"asked-{zlib.crc32(plainjson.dumps(questions).encode('utf-8', 'replace')):08x}"
    try:
        home.make_folder(hook.folder)
        return home.claim(os.path.join(hook.folder, name))
    except OSError:
        return False  # what cannot be noted cannot be lifted by asking again: let it pass


# --- what was said before -----------------------------------------------------------------------------


def _past(hook: Hook) -> "list[tuple[float, str, str]]":
    """(seconds, advised or denied, whom and what) of this session, the newest part."""
    found = []
    for line in hook.lines("notices"):
        at, _, rest = line.partition("\t")
        what, _, name = rest.partition("\t")
        if at.replace(".", "", 1).isdigit():
            found.append((float(at), what, name))
    return found


def _note(hook: Hook, what: str, name: str) -> None:
    _quietly(hook, lambda: hook.add_line("notices", f"{hook.now:.3f}\t{what}\t{name}"))


def _is_first(hook: Hook) -> bool:
    try:
        return hook.is_first_delivery()
    except OSError:
        return True


def _event(hook: Hook, kind: str, **known: "Any") -> None:
    _quietly(hook, lambda: hook.event(kind, at=stamp(hook.now), **known))
