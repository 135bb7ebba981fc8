"""``import --sessions``: what there is, what it would cost, a progress bar, what came of it."""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import typer

from ultan.cli import blocks
from ultan.cli.screen import Block, Line, Screen
from ultan.cli.wiring import Door
from ultan.errors import UsageError

if TYPE_CHECKING:
    from ultan.verbs.past import Brought, Past

MODELS = ("claude", "provider")


def holds_sessions(source: str) -> bool:
    """Whether *source* is a folder of the client's transcripts."""
    return os.path.isdir(source) and any(name.endswith(".jsonl") for name in os.listdir(source))


def bring(door: Door, screen: Screen, source: str, *, project: str, scope: str, by: str, is_dry_run: bool) -> None:
    """Import past sessions from *source*, else of the project we stand in.

    Raises:
        UsageError: there are none, or nobody is called *by*.
    """
    from ultan.clients.claude_past import past_folder  # noqa: PLC0415 -- only when needed
    from ultan.verbs import past as verb  # noqa: PLC0415 -- only when needed

    if by not in ("clerk", *MODELS):
        raise UsageError(f"sessions are read by the clerk, claude or provider, not by {by}")
    place = "" if source else door.project_folder
    found = verb.past(door.root, source or past_folder(door.world.environ, place), place)
    if by in MODELS:
        with screen.busy("estimating"):
            found = verb.priced(door.root, found, door.settings, door.now)
    if is_dry_run:
        screen.show(found, past(found))
        return
    if by in MODELS and found.sessions:
        door.need_person()
        for line in past(found):
            screen.say(line.text)
        typer.confirm("Ask the model?", abort=True, err=True)
    into = scope.removeprefix("project:") if scope.startswith("project:") else project
    with _bar(screen, found.unread_bytes) as told:
        brought = verb.import_past(
            door.desk, found, project=into, place=place or door.project_folder, by=by, clock=door.world.clock, told=told
        )
    screen.show(brought, brought_in(brought))
    if brought.kept:
        raise typer.Exit(1)


@contextmanager
def _bar(screen: Screen, total: int) -> Iterator[Callable[[int, int], None] | None]:
    """A progress bar on stderr, on a terminal; nothing elsewhere."""
    if not screen.is_rich(screen.err):
        yield None
        return
    from rich import progress  # noqa: PLC0415 -- only on a terminal

    columns = (
        progress.TextColumn("reading sessions"), progress.BarColumn(), progress.DownloadColumn(),
        progress.TimeRemainingColumn(),
    )  # fmt: skip
    with progress.Progress(*columns, console=screen.console(screen.err), transient=True) as bar:
        task = bar.add_task("", total=total)
        yield lambda done, whole: bar.update(task, completed=done, total=whole)


def past(value: "Past") -> list[Line]:
    """What there is to bring in."""
    rows = [Line(f"{len(value.sessions)} sessions to read, {value.unread_bytes / 1e6:.1f} MB; {value.known} read already")]
    if value.notes:
        rows.append(Line(f"{len(value.notes)} notes of the client's own memory"))
    if value.estimate is not None:
        told = value.estimate
        basis = "by this home's own record" if told.is_measured else "a guess from list prices"
        rows.append(Line(f"about {told.calls} calls, {told.tokens} tokens, {told.cost_usd:.2f} USD ({basis})"))
        if not told.fits:
            rows.append(Line("more than today's caps allow: it stops there, and the same command goes on another day", "yellow"))
    return rows


def brought_in(value: "Brought") -> list[Block]:
    """What the import brought."""
    rows: list[Block] = [
        Line(f"{value.sessions} sessions read: {value.remembered} remembered, {value.reinforced} said again", "green")
    ]
    if value.pending:
        rows.append(Line(f"  {value.pending} wait for you: `ultan review`"))
    if value.notes:
        rows.append(Line(f"  {value.notes} notes of the client's own memory, not confirmed: `ultan review`"))
    rows.extend(Line(f"  not kept: {blocks.one_line(reason)}", "yellow") for reason in dict.fromkeys(value.refused[:20]))
    if value.kept:
        rows.append(Line(f"  stopped: {value.told}", "yellow"))
        rows.append(Line(f"  {value.left} sessions are left: the same command goes on where it stopped"))
    if value.operations:
        rows.append(Line(f"  `ultan log` lists it, `ultan undo {value.operations[-1]}` takes the last operation back", "dim"))
    return rows
