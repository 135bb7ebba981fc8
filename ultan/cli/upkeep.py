"""Commands that keep the memory in order."""

from typing import Annotated

import typer

from ultan.cli import render
from ultan.cli.options import Home, Json, opened


def register(group: typer.Typer) -> None:
    """Add these commands to *group*."""
    for name, body in (("rebuild", rebuild), ("check", check), ("stats", stats), ("pause", pause)):
        group.command(name)(body)


def rebuild(context: typer.Context, home: Home = "", as_json: Json = False) -> None:
    """Make the index anew from the entries alone."""
    from ultan.verbs.rebuild import rebuild as verb  # noqa: PLC0415 -- only when needed

    door, screen = opened(context, home, as_json)
    rebuilt = verb(door.desk)
    screen.show(rebuilt, render.rebuilt(rebuilt))


def check(context: typer.Context, home: Home = "", as_json: Json = False) -> None:
    """Name every promise that is broken, with its remedy; changes nothing."""
    from ultan.verbs.check import check as verb  # noqa: PLC0415 -- only when needed

    door, screen = opened(context, home, as_json)
    checked = verb(door.root)
    screen.show(checked, render.checked(checked))
    if checked.findings:
        raise typer.Exit(1)


def stats(context: typer.Context, home: Home = "", as_json: Json = False) -> None:
    """Count what is remembered, waiting and used."""
    from ultan.verbs.stats import stats as verb  # noqa: PLC0415 -- only when needed

    door, screen = opened(context, home, as_json)
    counted = verb(door.root, door.library)
    screen.show(counted, render.fields(counted))


def pause(
    context: typer.Context,
    resume: Annotated[bool, typer.Option("--resume", help="End the pause.")] = False,
    home: Home = "",
    as_json: Json = False,
) -> None:
    """Make every hook deaf and mute until `ultan pause --resume`."""
    from ultan.verbs.pause import pause as verb  # noqa: PLC0415 -- only when needed

    door, screen = opened(context, home, as_json)
    door.make_home()
    state = verb(door.root, resume=resume)
    screen.show(state, render.paused(state))
