"""The hook verbs, so that ``--help`` lists them; each body is the call that ``__main__`` makes at once."""

import os
from typing import Any

import typer

from ultan.cli.wiring import World

SENTENCES = {
    "capture": "Queue what a hook saw (for hooks: client JSON on stdin).",
    "prime": "Answer a prompt with the entries that matter (for hooks).",
    "notice": "Answer a tool call with the rule it breaks (for hooks).",
    "brief": "Answer a session's start with its standing rules (for hooks).",
}


def register(group: typer.Typer) -> None:
    """Add the hook verbs to *group*."""
    for verb, sentence in SENTENCES.items():
        group.command(
            verb,
            help=sentence,
            hidden=False,
            context_settings={"ignore_unknown_options": True, "allow_extra_args": True},
        )(_body(verb))


def _body(verb: str) -> Any:
    def body(context: typer.Context) -> None:
        from ultan import reflex  # noqa: PLC0415 -- the fast side, only here

        world: World = context.obj
        raise typer.Exit(
            reflex.run(verb, list(context.args), 0, 1, dict(world.environ or os.environ))
        )

    return body
