"""Commands of forgetting: what fades, what becomes one rule, what is told in fewer words."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated

import typer

from ultan.cli import render
from ultan.cli.options import Home, Json, opened
from ultan.cli.screen import Block, Line, Screen
from ultan.cli.wiring import Door

if TYPE_CHECKING:
    from ultan.llm import LanguageModel
    from ultan.verbs.cleanup import Cleaned


def register(group: typer.Typer) -> None:
    """Add these commands to *group*."""
    for name, body in (("decay", decay), ("abstract", abstract), ("condense", condense), ("cleanup", cleanup)):
        group.command(name)(body)


def decay(
    context: typer.Context,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show the list and every entry's strength; archive nothing.")] = False,
    every: Annotated[bool, typer.Option("--all", help="With --dry-run: every entry's curve, not only those of the hundred weakest.")] = False,
    plot: Annotated[str, typer.Option("--plot", help="With --dry-run: also draw the curves into this .png or .svg.")] = "",
    home: Home = "",
    as_json: Json = False,
) -> None:
    """Archive what has faded: a little at a time, and only what two days agree on."""
    from ultan.verbs.decay import decay as verb  # noqa: PLC0415 -- only when needed

    door, screen = opened(context, home, as_json)
    decayed = verb(door.desk, dry_run=dry_run, opened=_model_of(door))
    if plot and dry_run:
        from ultan.verbs.plotting import plot as draw  # noqa: PLC0415 -- only when needed

        screen.say(f"drew {draw(decayed.standing, plot)}")
    screen.show(decayed, render.decayed(decayed, is_dry_run=dry_run, most=len(decayed.standing) if every else render.WEAKEST))


def abstract(
    context: typer.Context,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only show the groups that would be judged.")] = False,
    home: Home = "",
    as_json: Json = False,
) -> None:
    """Look through all entries for a rule that several imply; a model judges it, or you in `review`."""
    from ultan.verbs.abstract import abstract as verb  # noqa: PLC0415 -- only when needed

    door, screen = opened(context, home, as_json)
    with screen.busy("looking for rules that entries imply"):
        abstracted = verb(door.desk, dry_run=dry_run, opened=_model_of(door))
    screen.show(abstracted, render.abstracted(abstracted))
    if abstracted.told:
        raise typer.Exit(1)


def condense(
    context: typer.Context,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show what would be told in fewer words; change nothing.")] = False,
    home: Home = "",
    as_json: Json = False,
) -> None:
    """Tell old, unused, long entries in fewer words; the whole text stays in history and comes back with use."""
    from ultan.verbs.condense import condense as verb  # noqa: PLC0415 -- only when needed

    door, screen = opened(context, home, as_json)
    report = verb(door.desk, dry_run=dry_run)
    screen.show(report, render.condensed(report))


def cleanup(
    context: typer.Context,
    set_aside: Annotated[bool, typer.Option("--set-aside", help="Also drop, for good, events that could not be read or curated.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show what would go; change nothing.")] = False,
    home: Home = "",
    as_json: Json = False,
) -> None:
    """Archive what is past its --expires day, at once, and drop what killed writers left."""
    from ultan.verbs.cleanup import cleanup as verb  # noqa: PLC0415 -- only when needed

    door, screen = opened(context, home, as_json)
    if set_aside and not dry_run:
        door.need_person()
    cleaned = verb(door.desk, drops=set_aside, is_dry_run=dry_run)
    screen.show(cleaned, _cleaned(cleaned))


def _cleaned(value: "Cleaned") -> list[Block]:
    would = "would be " if value.is_dry_run else ""
    rows: list[Block] = [Line(f"{would}archived: {name}, its day has passed", "green") for name in value.expired]
    rows.extend(Line(f"refused: {name}: {reason}", "yellow") for name, reason in value.refused)
    if value.dropped:
        rows.append(Line(f"dropped {value.dropped} events"))
    elif value.set_aside:
        rows.append(Line(f"{value.set_aside} events lie aside in the queue's bad and dead: `ultan cleanup --set-aside` drops them"))
    if value.number:
        rows.append(Line(f"  `ultan undo {value.number}` takes it back", "dim"))
    return rows or [Line("nothing has had its time")]


def schedule(door: Door, screen: Screen, scheduler: str, *, is_dry_run: bool) -> None:
    """Show what would be entered into the scheduler, ask, and enter it: what `install --cron` does."""
    from ultan.verbs import schedule as verb  # noqa: PLC0415 -- only when needed

    planned = verb.plan(door.root, door.world.environ, kind=scheduler)
    for line in planned.shown:
        screen.say(line)
    did: list[str] = []
    if planned.shown and not is_dry_run:
        screen.say(f"enter this into {planned.kind}? [y/N]")
        if door.world.stdin.readline().strip().lower() not in ("y", "yes"):
            raise typer.Exit(1)
        did = verb.enter(door.root, door.world.environ, planned)
    told = "would be entered" if is_dry_run and planned.shown else "; ".join(did) or "all is as it should be"
    screen.show({"scheduler": planned.kind, "entries": planned.shown, "did": did}, [Line(f"{planned.kind}: {told}")])


def _model_of(door: Door) -> "Callable[[], LanguageModel] | None":
    """What opens the model that curates, under the governor; ``None`` where none does."""
    from ultan.llm import MODELS, open_model  # noqa: PLC0415 -- only when needed

    name = door.settings["curation.by"]
    if name not in MODELS:
        return None

    def open_recorded() -> "LanguageModel":
        from ultan.llm.recorded import Recorded  # noqa: PLC0415 -- only when needed

        return Recorded(open_model(name, door.root, door.settings), door.root, door.settings, door.world.clock)

    return open_recorded
