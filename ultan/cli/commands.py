"""Every command of the terminal, as one group; what parses words is loaded here and nowhere before."""

from typing import Annotated, Any

import typer

from ultan.cli import fading, measuring, models, reflexes, serving, setup, terminal, trust, upkeep
from ultan.cli.wiring import World

SHORT = 62  # characters of a command's line in the overview, on a terminal of eighty
MODULES = (terminal, trust, upkeep, fading, setup, serving, models, measuring, reflexes)


def group(world: World, *, is_rich: bool = False) -> Any:
    """Every command, as one click group bound to *world*."""
    whole = typer.Typer(
        name="ultan", no_args_is_help=False, add_completion=False, pretty_exceptions_enable=False,
        rich_markup_mode="rich" if is_rich else None, context_settings={"obj": world},
    )  # fmt: skip
    whole.callback(invoke_without_command=True)(_root)
    for module in MODULES:
        module.register(whole)
    found: Any = typer.main.get_command(whole)
    for command in () if is_rich else found.commands.values():
        command.short_help = in_short(command.help or "")
    return found


def in_short(text: str) -> str:
    """The first sentence of *text*, or as many of its clauses as a line of the overview holds."""
    sentence = text.split("\n\n", 1)[0].replace("\n", " ").split(". ", 1)[0].rstrip(".")
    if len(sentence) <= SHORT:
        return sentence
    strong = max(sentence.rfind(sign, 0, SHORT + 1) for sign in ":;")
    end = strong if strong > 0 else sentence.find(",", 0, SHORT + 1)
    return sentence[:end] if end > 0 else sentence


def _root(
    context: typer.Context,
    home: Annotated[str, typer.Option("--home", help="Where the memory lives.", show_default=False)] = "",
    version: Annotated[bool, typer.Option("--version", help="Say the version and leave.")] = False,
) -> None:
    """A personal memory for coding agents: watches, keeps what surprises, brings it back when it matters."""
    context.meta["ultan.home"] = home
    if version:
        from importlib.metadata import version as installed  # noqa: PLC0415 -- 46 ms, only here

        context.obj.stdout.write(installed("ultan") + "\n")
        raise typer.Exit
    if context.invoked_subcommand is None:
        raise typer.BadParameter("no command given")
