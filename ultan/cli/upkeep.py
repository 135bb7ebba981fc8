"""Commands that keep the memory in order."""

import contextlib
import os
import time
from typing import Annotated

import typer

from ultan.cli import blocks, charts, render
from ultan.cli.options import Home, Json, named, opened
from ultan.cli.wiring import Door


def register(group: typer.Typer) -> None:
    """Add these commands to *group*."""
    for name, body in (
        ("curate", curate), ("rebuild", rebuild), ("check", check), ("doctor", doctor), ("stats", stats), ("spend", spend), ("pause", pause),
    ):  # fmt: skip
        group.command(name)(body)


def curate(
    context: typer.Context,
    now: Annotated[bool, typer.Option("--now", help="Do not wait for a quiet moment.")] = False,
    until_empty: Annotated[bool, typer.Option("--until-empty", help="Go on until nothing waits.")] = False,
    by: Annotated[str, typer.Option("--by", help="Who curates this time: clerk, or what is set.")] = "",
    home: Home = "",
    as_json: Json = False,
) -> None:
    """Turn what sessions said into entries."""
    from ultan.verbs.curate import curate as verb  # noqa: PLC0415 -- only when needed

    door, screen = opened(context, home, as_json)
    if named(by) not in ("", "clerk", door.settings["curation.by"]):
        door.need_person()
    with screen.busy("reading what sessions said"):
        report = verb(
            door.root, door.settings, now=context.obj.clock, sleep=time.sleep, by=by or None, once=not until_empty, at_once=now
        )
    _log(door, "curate", report.state, report.by, f"{report.events} events, remembered {report.remembered}", report.told)
    if not now:
        _attune(door)
    screen.show(report, blocks.fields(report, with_empty=False))
    if report.kept:
        raise typer.Exit(1)


def _log(door: Door, *words: str) -> None:
    """Note in ``ultan.log`` what a run did: most runs are started by hooks, and nobody watches."""
    from ultan import housekeeping  # noqa: PLC0415 -- only when needed
    from ultan.library.upkeep import stamp  # noqa: PLC0415 -- only when needed
    from ultan.redaction import redact  # noqa: PLC0415 -- only when needed

    housekeeping.log(door.root, redact("  ".join((stamp(door.now), *filter(None, words))))[0])


def _attune(door: Door) -> None:
    """Bring the near terms of the index up to date; without its encoder recall stays lexical."""
    from ultan.errors import IndexUnreadable, LibraryError, ModelUnavailable  # noqa: PLC0415 -- only when needed
    from ultan.recall.compile import attune  # noqa: PLC0415 -- only when needed
    from ultan.verbs.server import prepare  # noqa: PLC0415 -- only when needed

    with contextlib.suppress(OSError, AttributeError):
        os.nice(10)  # nobody waits for this
    with contextlib.suppress(LibraryError, ModelUnavailable):  # nothing learned yet; doctor tells what the index lacks
        attune(lambda: door.desk.library, door.root, door.settings, door.now)
    with contextlib.suppress(ModelUnavailable, IndexUnreadable, OSError):  # the server makes what is missing
        prepare(door.root, door.settings)


def doctor(context: typer.Context, home: Home = "", as_json: Json = False) -> None:
    """Say where everything stands, one line a check, with the remedy."""
    from ultan.verbs.doctor import doctor as verb  # noqa: PLC0415 -- only when needed

    door, screen = opened(context, home, as_json)
    report = verb(door.root, context.obj.environ, door.now, door.watched_folder)
    screen.show(report.as_json(), render.report(report))
    if not report.is_well:
        raise typer.Exit(1)


def rebuild(context: typer.Context, home: Home = "", as_json: Json = False) -> None:
    """Make the index anew from the entries alone."""
    from ultan.verbs.rebuild import rebuild as verb  # noqa: PLC0415 -- only when needed

    door, screen = opened(context, home, as_json)
    with screen.steps("reading the library") as step:
        rebuilt = verb(door.desk, step)
    screen.show(rebuilt, render.rebuilt(rebuilt))


def check(context: typer.Context, home: Home = "", as_json: Json = False) -> None:
    """Name every promise that is broken, with its remedy; changes nothing."""
    from ultan.verbs.check import check as verb  # noqa: PLC0415 -- only when needed

    door, screen = opened(context, home, as_json)
    checked = verb(door.root, door.now)
    screen.show(checked, render.checked(checked))
    if checked.findings:
        raise typer.Exit(1)


def stats(context: typer.Context, home: Home = "", as_json: Json = False) -> None:
    """Count what is remembered, waiting and used."""
    from ultan.verbs.stats import stats as verb  # noqa: PLC0415 -- only when needed

    door, screen = opened(context, home, as_json)
    counted = verb(door.root, door.library)
    screen.show(counted, blocks.fields(counted))


def spend(
    context: typer.Context,
    estimate: Annotated[bool, typer.Option("--estimate", help="What reading the queue with a model would take.")] = False,
    home: Home = "",
    as_json: Json = False,
) -> None:
    """Show what models have cost, and what they may still; asks nobody."""
    from ultan.verbs import spend as verb  # noqa: PLC0415 -- only when needed

    door, screen = opened(context, home, as_json)
    if estimate:
        told = verb.estimate(door.root, door.settings, door.now)
        screen.show(told, charts.estimated(told))
        return
    spent = verb.spend(door.root, door.settings, door.now)
    screen.show(spent, charts.spent(spent))


def pause(
    context: typer.Context,
    resume: Annotated[bool, typer.Option("--resume", help="End the pause.")] = False,
    home: Home = "",
    as_json: Json = False,
) -> None:
    """Make every hook deaf and mute until `ultan pause --resume`."""
    from ultan.verbs.pause import pause as verb  # noqa: PLC0415 -- only when needed

    door, screen = opened(context, home, as_json)
    if door.is_inside_agent:
        door.need_person()
    door.make_home()
    state = verb(door.root, resume=resume)
    screen.show(state, render.paused(state))
