"""The hook verbs, so that ``--help`` lists them; each body is the call that ``__main__`` makes at once."""

import os
from typing import Any

import typer

from ultan.cli.wiring import World

SENTENCES = {
    "capture": "Queue what a hook saw (for hooks: client JSON on stdin); `--dry-run FILE` shows what a payload or a transcript would queue.",
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
        if verb == "capture" and "--dry-run" in context.args:
            from ultan.cli import previewing  # noqa: PLC0415 -- only here
            from ultan.cli.options import opened  # noqa: PLC0415 -- only here

            source, place, as_json = previewing.words_of(context.args)
            previewing.dry_run(*opened(context, place, as_json), source)
            return
        raise typer.Exit(
            reflex.run(verb, list(context.args), 0, 1, dict(world.environ or os.environ))
        )

    return body
