"""Commands on models: ``ultan model fetch``."""

from typing import Annotated

import typer

from ultan.cli.options import Home, Json, opened
from ultan.cli.screen import Line


def register(group: typer.Typer) -> None:
    """Add these commands to *group*, below ``model``."""
    model = typer.Typer(name="model", help="Bring the models of the extra `neural` to this machine.")
    model.command("fetch")(fetch)
    model.callback()(_model)
    group.add_typer(model)


def _model() -> None:
    """Bring the models of the extra `neural` to this machine."""


def fetch(
    context: typer.Context,
    name: Annotated[
        str, typer.Argument(help="A model on the hub; else `encoder.model` and `rerank.model`.", show_default=False)
    ] = "",
    home: Home = "",
    as_json: Json = False,
) -> None:
    """Fetch the transformer encoder and reranker once, anonymously, into the hub's own cache (HF_HOME)."""
    from ultan.verbs.model import fetch as verb  # noqa: PLC0415 -- only when needed

    door, screen = opened(context, home, as_json)
    fetched = verb(door.settings, name)
    screen.show(fetched, [Line(f"{one.model} is here ({one.role})", "green") for one in fetched])
