"""Options that many commands share, and the door every command opens with them."""

from typing import Annotated

import typer

from ultan.cli.screen import Screen
from ultan.cli.wiring import Door
from ultan.errors import UsageError

CURATORS = ("clerk", "claude", "provider")

Home = Annotated[str, typer.Option("--home", help="Where the memory lives.", show_default=False)]
Json = Annotated[bool, typer.Option("--json", help="One JSON document on stdout.")]
Name = Annotated[str, typer.Argument(help="Id, slug or title of an entry.")]
Limit = Annotated[int, typer.Option("--limit", "-n", min=1, max=1000, help="Rows, at most.")]
Kind = Annotated[str, typer.Option("--kind", help="convention, preference, finding, warn, abstraction, decision or event.")]
Scope = Annotated[str, typer.Option("--scope", help="global, project (the one we stand in), or project:<slug>.")]
Tags = Annotated[list[str] | None, typer.Option("--tags", "--tag", help="Tags, with commas or repeated.")]
Reason = Annotated[str, typer.Option("--reason", help="Why; kept in the log.")]


def opened(context: typer.Context, home: str, as_json: bool = False) -> tuple[Door, Screen]:
    """The door of a command and the screen it answers on; a home after the command wins."""
    world = context.obj
    door = Door(world, home or context.meta.get("ultan.home", ""))
    return door, Screen(world.stdout, world.stderr, world.environ, as_json=as_json)


def named(word: str, *more: str) -> str:
    """*word*, if somebody who can curate, or one of *more*, is called so.

    Raises:
        UsageError: nobody is.
    """
    who = (*CURATORS, *more)
    if word and word not in who:
        raise UsageError(f"nobody is called {word}", f"--by {', '.join(who)}")
    return word


def parted(texts: list[str] | None) -> tuple[str, ...]:
    """Texts given with commas, repeatedly, or both."""
    return tuple(part.strip() for text in texts or () for part in text.split(",") if part.strip())


def scope_of(word: str, door: Door) -> str:
    """A scope in the entry's own words: ``project`` becomes the project we stand in."""
    if word in ("project", "here"):
        if not door.project:
            raise typer.BadParameter("we stand in no project; say project:<slug> or global")
        return f"project:{door.project}"
    if word in ("", "global") or word.startswith("project:"):
        return word
    raise typer.BadParameter(f"a scope is global, project or project:<slug>, not {word}")
