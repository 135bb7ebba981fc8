"""Commands for setting up, moving in and out, and looking around."""

from typing import Annotated

import typer

from ultan.cli import render
from ultan.cli.options import Home, Json, opened


def register(group: typer.Typer) -> None:
    """Add these commands to *group*."""
    for name, body in (("config", config),):
        group.command(name)(body)


def config(
    context: typer.Context,
    key: Annotated[str, typer.Argument(help="A setting, such as curation.by.")] = "",
    value: Annotated[str | None, typer.Argument(help="Its new value; an empty text goes back to the default.")] = None,
    home: Home = "",
    as_json: Json = False,
) -> None:
    """Show every setting, or set one."""
    from importlib.metadata import version  # noqa: PLC0415 -- 46 ms

    from ultan.verbs import config as verb  # noqa: PLC0415 -- only when needed

    door, screen = opened(context, home, as_json)
    if key and value is not None:
        if verb.is_person_only(key):
            door.need_person()
        door.make_home()
        verb.change(door.root, key, value)
        door.bake()
    found = verb.config(door.root, context.obj.environ, version("ultan"))
    if key:
        verb.is_person_only(key)  # an unknown key is told with the closest known one
        found = verb.Configuration(found.home, found.version, tuple(row for row in found.settings if row.key == key))
    screen.show(found, render.configuration(found))
