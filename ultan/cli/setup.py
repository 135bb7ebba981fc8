"""Commands for setting up, moving in and out, and looking around."""

from dataclasses import replace
from typing import TYPE_CHECKING, Annotated

import typer

from ultan import settings
from ultan.cli import blocks, bringing, fading, render
from ultan.cli.options import Home, Json, Kind, Scope, named, opened, scope_of
from ultan.cli.screen import Screen
from ultan.cli.wiring import Door
from ultan.errors import UsageError

if TYPE_CHECKING:
    from ultan.verbs.install import Done
    from ultan.verbs.units import Change

DryRun = Annotated[bool, typer.Option("--dry-run", help="Show what would be done, and do nothing.")]
Project = Annotated[bool, typer.Option("--project", help="Only the project we stand in.")]


def register(group: typer.Typer) -> None:
    """Add these commands to *group*."""
    for name, body in (
        ("install", install), ("uninstall", uninstall), ("config", config), ("import", import_), ("export", export), ("tour", tour),
    ):  # fmt: skip
        group.command(name)(body)


def install(
    context: typer.Context,
    project: Project = False,
    by: Annotated[str, typer.Option("--by", help="Who curates: clerk (free), claude, provider or off.")] = "",
    remove_original: Annotated[bool, typer.Option("--remove-original", help="Take out hooks of the original Ultan.")] = False,
    serve: Annotated[bool, typer.Option("--serve", help="Also write a systemd or launchd unit for the warm server.")] = False,
    cron: Annotated[bool, typer.Option("--cron", help="Only enter the upkeep to run at set times; shown first.")] = False,
    scheduler: Annotated[str, typer.Option("--scheduler", help="With --cron: crontab, systemd or launchd; else what is here.")] = "",
    allow_tools: Annotated[bool, typer.Option("--allow-tools", help="Also let recall, show and save run unasked: one permission rule.")] = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not show and ask first.")] = False,
    dry_run: DryRun = False,
    home: Home = "",
    as_json: Json = False,
) -> None:
    """Add the hooks and skills to your Claude Code settings; in a terminal they are shown first."""
    from ultan.verbs import provision, units  # noqa: PLC0415 -- only when needed
    from ultan.verbs.install import install as verb  # noqa: PLC0415 -- only when needed

    door, screen = opened(context, home, as_json)
    is_costly = named(by, "off") not in ("", "clerk", "off")
    if not dry_run and (is_costly or door.is_inside_agent or cron or allow_tools):
        door.need_person()
    if cron:
        fading.schedule(door, screen, scheduler, is_dry_run=dry_run)
        return
    place = door.project_folder if project else ""
    if not (dry_run or yes or as_json) and door.has_person and context.obj.stdin.isatty():
        shown = verb(
            door.root, context.obj.environ, now=door.now, project=place, is_dry_run=True, removes_original=remove_original,
            allows_tools=allow_tools,
        )  # fmt: skip
        screen.show(shown, render.done(shown))
        if not by and not door.has_chosen("curation.by"):
            by = typer.prompt("Who curates? clerk (rules alone, free), claude, provider or off", default="clerk", err=True)
            settings.checked("curation.by", by)
        if not allow_tools and any("--allow-tools" in line for line in shown.told):
            allow_tools = typer.confirm("Let Ultan's tools recall, show and save run without asking you?", default=False, err=True)
        typer.confirm("Write this?", default=True, abort=True, err=True)
    done = verb(
        door.root, context.obj.environ, now=door.now, project=place, by=by, is_dry_run=dry_run, removes_original=remove_original,
        allows_tools=allow_tools,
    )  # fmt: skip
    if serve:
        done = _with(done, units.install(door.root, context.obj.environ, provision.here().python, is_dry_run=dry_run))
    screen.show(done, render.done(done))


def _with(done: "Done", change: "Change") -> "Done":
    return replace(done, did=(*done.did, *change.did), told=(*done.told, *change.told))


def uninstall(
    context: typer.Context, project: Project = False, dry_run: DryRun = False, home: Home = "", as_json: Json = False
) -> None:
    """Take them out again; the settings are then byte-identical to before."""
    from ultan.verbs import schedule, units  # noqa: PLC0415 -- only when needed
    from ultan.verbs.install import uninstall as verb  # noqa: PLC0415 -- only when needed

    door, screen = opened(context, home, as_json)
    if not dry_run and door.is_inside_agent:
        door.need_person()
    done = verb(
        door.root, context.obj.environ, project=door.project_folder if project else "", is_dry_run=dry_run
    )
    if not project:
        done = _with(done, units.uninstall(door.root, context.obj.environ, is_dry_run=dry_run))
        done = replace(done, did=(*done.did, *schedule.withdraw(door.root, context.obj.environ, is_dry_run=dry_run)))
    screen.show(done, render.done(done))


def config(
    context: typer.Context,
    key: Annotated[str, typer.Argument(help="A setting, such as curation.by.")] = "",
    value: Annotated[str | None, typer.Argument(help="Its new value; an empty text goes back to the default.")] = None,
    approve_policy: Annotated[bool, typer.Option("--approve-policy", help="Let this repository's .ultan.toml count, as it stands now.")] = False,
    home: Home = "",
    as_json: Json = False,
) -> None:
    """Show every setting, or set one."""
    from importlib.metadata import version  # noqa: PLC0415 -- 46 ms

    from ultan.verbs import config as verb  # noqa: PLC0415 -- only when needed

    door, screen = opened(context, home, as_json)
    if approve_policy:
        from ultan.verbs.policy import approve  # noqa: PLC0415 -- only when needed

        door.need_person()
        door.make_home()
        approved = approve(door.root, door.enrol_project(), door.project_folder)
        screen.show(approved, blocks.fields(approved))
        return
    if key and value is not None:
        if verb.is_person_only(key):
            door.need_person()
        door.make_home()
        verb.change(door.root, key, value)
        door.bake()
        if key == "curation.by":
            _priced(door, screen, value)
    found = verb.config(door.root, context.obj.environ, version("ultan"))
    if key:
        verb.is_person_only(key)  # an unknown key is told with the closest known one
        found = verb.Configuration(found.home, found.version, tuple(row for row in found.settings if row.key == key))
    screen.show(found, render.configuration(found))


def _priced(door: Door, screen: Screen, who: str) -> None:
    """Say, before the first call, what it takes if *who* reads what waits."""
    from ultan.llm import MODELS  # noqa: PLC0415 -- only when needed
    from ultan.verbs.spend import estimate  # noqa: PLC0415 -- only when needed

    if who in MODELS:
        told = estimate(door.root, door.settings, door.now)
        screen.say(
            f"the queue would take about {told.calls} calls and {told.tokens} tokens, {told.cost_usd:.2f} USD at list prices; "
            f"at most {door.settings['curation.calls_a_day']} calls a day (`ultan spend --estimate`)"
        )


def import_(
    context: typer.Context,
    source: Annotated[str, typer.Argument(help="CLAUDE.md, AGENTS.md, .cursorrules, a folder of markdown, an exported .zip, or a folder of sessions.")] = "",
    sessions: Annotated[bool, typer.Option("--sessions", help="Past sessions of this project, and the client's own memory of it.")] = False,
    by: Annotated[str, typer.Option("--by", help="With sessions: who reads them; a model is priced first.")] = "clerk",
    scope: Scope = "",
    kind: Kind = "",
    dry_run: DryRun = False,
    home: Home = "",
    as_json: Json = False,
) -> None:
    """Bring in what you wrote down elsewhere, in one operation that one undo takes back."""
    from ultan.verbs.import_ import import_ as verb  # noqa: PLC0415 -- only when needed

    door, screen = opened(context, home, as_json)
    if door.is_inside_agent:
        door.need_person()
    door.make_home()
    project = door.enrol_project()
    if sessions or bringing.holds_sessions(source):
        bringing.bring(door, screen, source, project=project, scope=scope_of(scope, door), by=by, is_dry_run=dry_run)
        return
    if not source:
        raise UsageError("say what to import, or --sessions", "ultan import CLAUDE.md")
    where = scope_of(scope, door) or (f"project:{project}" if project else "global")
    with screen.busy(f"reading {source}"):
        imported = verb(door.desk, source, scope=where, kind=kind, is_dry_run=dry_run, keeps_places=not (scope or kind))
    screen.show(imported, render.imported(imported))


def export(
    context: typer.Context,
    target: Annotated[str, typer.Argument(help="A file that ends in .zip, .json or .md.")],
    replace: Annotated[bool, typer.Option("--replace", help="Write over a file that exists.")] = False,
    home: Home = "",
    as_json: Json = False,
) -> None:
    """Write the library to one file."""
    from ultan.verbs.export import export as verb  # noqa: PLC0415 -- only when needed

    door, screen = opened(context, home, as_json)
    exported = verb(door.library, door.store, target, replaces=replace)
    screen.show(exported, blocks.fields(exported))


def tour(
    context: typer.Context,
    mine: Annotated[bool, typer.Option("--mine", help="With your own last sessions, read-only and without a model.")] = False,
    sessions: Annotated[int, typer.Option("--sessions", min=1, max=100, help="How many of them.")] = 3,
    as_json: Json = False,
) -> None:
    """Play two sessions through the real hooks in a throw-away home, and show each step."""
    from ultan.verbs import tour as verb  # noqa: PLC0415 -- only when needed

    screen = Screen(context.obj.stdout, context.obj.stderr, context.obj.environ, as_json=as_json)
    played = verb.mine(context.obj.environ, most=sessions, now=context.obj.clock()) if mine else verb.tour()
    screen.show(played, render.played(played))
