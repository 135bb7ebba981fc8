"""What a session should know before its first prompt: the standing rules of this project and of the user."""

from ultan.recall import index as layout
from ultan.recall.rendering import HEADING, KIND_MARKS, cut, harmless, is_fresh

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ultan.recall.index import Card, Index

TITLE_CHARS = 110
PROJECT_SHARE = 0.6  # of the budget; what one side leaves, the other may use


def brief(
    index: "Index", project: "str | None" = "", budget_chars: int = 1200, today: str = "", nonce: str = ""
) -> "tuple[str, list[str]]":
    """The briefing and the ids it names; titles only, which covers twice as much as titles with rules."""
    if budget_chars < len(HEADING) + 40:
        return "", []
    fence = f"--- ultan notes {nonce} ---" if nonce else "--- ultan notes ---"
    close = f"--- end {nonce} ---" if nonce else "--- end ---"
    room = budget_chars - len(fence) - len(close) - len(HEADING) - 4
    own = _lines(index, "project:" + project, today) if project else []
    shared = _lines(index, layout.GLOBAL, today)
    first = _fitting(own, int(room * PROJECT_SHARE) if shared else room)
    used = sum(len(line) + 1 for line, _ in first)
    second = _fitting(shared, room - used)
    used += sum(len(line) + 1 for line, _ in second)
    first += _fitting(own[len(first) :], room - used)
    chosen = first + second
    if not chosen:
        return "", []
    text = "\n".join([fence, HEADING + ":", *(line for line, _ in chosen), close])
    return text, [card.id for _, card in chosen]


def _lines(index: "Index", scope: str, today: str) -> "list[tuple[str, Card]]":
    lines = []
    for number in index.standing(scope):
        card = index.card(number)
        if card.expires and today and card.expires <= today:
            continue
        star = " \u2605" if is_fresh(card.updated, today) else ""
        lines.append((f"[{KIND_MARKS.get(card.kind, 'F')}]{star} {cut(harmless(card.title), TITLE_CHARS)}", card))
    return lines


def _fitting(lines: "list[tuple[str, Card]]", room: int) -> "list[tuple[str, Card]]":
    chosen = []
    for line, card in lines:
        room -= len(line) + 1
        if room < 0:
            break
        chosen.append((line, card))
    return chosen
