"""Commands that measure: any data set in the documented format, JSON out."""

from typing import Annotated

import typer

from ultan.cli.render import Screen, fields

Data = Annotated[str, typer.Argument(envvar="ULTAN_BENCH_DATA", help="Folder of the data set.")]
Json = Annotated[bool, typer.Option("--json", help="One JSON document on stdout.")]


def register(group: typer.Typer) -> None:
    """Add these commands to *group*, below ``bench``."""
    bench = typer.Typer(name="bench", help="Measure recall, notices, curation and fading on any data set.")
    for name, body in (("year", year),):
        bench.command(name)(body)
    group.add_typer(bench)


def year(
    context: typer.Context,
    seeds: Annotated[int, typer.Option("--seeds", min=1, help="How many simulated years for each kind of user.")] = 1,
    entries: Annotated[int, typer.Option("--entries", min=0, help="Entries of each year; 0 as many as it brings.")] = 0,
    as_json: Json = False,
) -> None:
    """Play simulated years under every policy of forgetting."""
    from ultan.verbs.bench_year import bench_year as verb  # noqa: PLC0415 -- only when needed

    _show(context, verb(range(100, 100 + seeds), entries=entries), as_json=as_json)


def _show(context: typer.Context, value: object, *, as_json: bool) -> None:
    Screen(context.obj.stdout, context.obj.stderr, context.obj.environ, as_json=as_json).show(value, fields(value))
