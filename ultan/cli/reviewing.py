"""``review`` in a terminal: one item at a time, one key each."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from ultan.cli import blocks, render
from ultan.cli.screen import Line, Screen
from ultan.cli.wiring import Door
from ultan.errors import LibraryError, UsageError
from ultan.verbs import review as verb

if TYPE_CHECKING:
    from ultan.verbs.review import Decided, Held, Waiting

MEANING = {"a": "approve", "e": "edit", "r": "reject", "s": "skip", "q": "quit"}
ENDS = frozenset(("\x03", "\x04", "\x1b", ""))


def pressed() -> str:
    """The key that was pressed."""
    import click  # noqa: PLC0415 -- only when a person is there

    return click.getchar()


def walk(
    door: Door, screen: Screen, waiting: "Waiting", key: Callable[[], str],
    edited: Callable[[Door, str], str] | None = None,
) -> int:  # fmt: skip
    """How many items were decided; every decision stands at once, and leaving loses none.

    *key* gives the next key, *edited* the person's version of a text.
    """
    decided = 0
    for place, item in enumerate(waiting.held, 1):
        show(screen, item, place, len(waiting.held))
        chosen = _asked(screen, "aersq", key)
        if chosen == "q":
            return decided
        decided += _decide(door, screen, item, chosen, edited or _in_editor)
    for path in waiting.foreign:
        screen.say(f"\n{path}: not made by Ultan as it is", "bold")
        chosen = _asked(screen, "asq", key)
        if chosen == "q":
            return decided
        if chosen == "a":
            decided += _done(screen, lambda path=path: verb.adopt(door.desk, [path]))  # type: ignore[misc]  # bound now
    if waiting.unconfirmed:
        screen.say(f"{len(waiting.unconfirmed)} entries are not confirmed: `ultan review --json` lists them", "dim")
    return decided


def show(screen: Screen, item: "Held", place: int, of: int) -> None:
    """Show one item: what is to be written, in whose words, from where, and why it waits."""
    screen.say(f"\n{place}/{of}  {item.verb}: {item.title}", "bold")
    for head, text in (("rule", item.rule), ("words", item.quote), ("from", item.source), ("held", item.reason)):
        if text:
            screen.say(f"    {head}: {blocks.one_line(text, 400)}")


def _asked(screen: Screen, keys: str, key: Callable[[], str]) -> str:
    screen.say("  ".join(f"[{each}] {MEANING[each]}" for each in keys), "dim")
    while True:
        chosen = key()
        if chosen in ENDS:
            return "q"
        if chosen.lower() in keys:
            return chosen.lower()


def _decide(door: Door, screen: Screen, item: "Held", chosen: str, edited: Callable[[Door, str], str]) -> int:
    match chosen:
        case "a":
            return _done(screen, lambda: verb.approve(door.desk, item.number))
        case "r":
            return _done(screen, lambda: verb.reject(door.desk, item.number))
        case "e":
            title, rule = _parted(edited(door, f"# {item.title}\n\n{item.rule}\n"))
            return _done(screen, lambda: verb.approve(door.desk, item.number, {"title": title, "rule": rule}))
        case _:
            return 0


def _done(screen: Screen, decide: "Callable[[], Decided]") -> int:
    """1 if it was decided; what goes wrong with one item is said, and the next one comes."""
    try:
        decided = decide()
    except (LibraryError, UsageError) as error:
        screen.fail(str(error), error.hint)
        return 0
    for block in render.decided(decided):
        if isinstance(block, Line):
            screen.say(block.text, block.style)
    return 1


def _parted(text: str) -> tuple[str, str]:
    """The title and the rule of an edited text; what was left out stays as it was."""
    lines = text.strip().split("\n")
    title = lines.pop(0).lstrip("# ").strip() if lines and lines[0].startswith("#") else ""
    return title, "\n".join(lines).strip()


def _in_editor(door: Door, text: str) -> str:
    from ultan.cli.terminal import edited_text  # noqa: PLC0415 -- only when asked

    return edited_text(door, text)
