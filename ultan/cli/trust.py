"""Commands about trust: what was learned, why, from where; and taking it back."""

from typing import Annotated

import typer

from ultan.cli import blocks, render
from ultan.cli.options import Home, Json, Limit, Name, opened
from ultan.errors import UsageError

Number = Annotated[int | None, typer.Argument(help="Number of an operation, as `ultan log` shows it.")]


def register(group: typer.Typer) -> None:
    """Add these commands to *group*."""
    for name, body in (
        ("review", review), ("adopt", adopt), ("log", log), ("undo", undo), ("restore", restore), ("revoke", revoke),
        ("why", why), ("purge", purge),
    ):  # fmt: skip
        group.command(name)(body)


def review(
    context: typer.Context,
    approve: Annotated[int, typer.Option("--approve", help="Write the held suggestion of this number.")] = 0,
    reject: Annotated[int, typer.Option("--reject", help="Drop it, and do not learn it again.")] = 0,
    confirm: Annotated[str, typer.Option("--confirm", help="Vouch for this entry.")] = "",
    title: Annotated[str, typer.Option("--title", help="With --approve: a better title.")] = "",
    rule: Annotated[str, typer.Option("--rule", help="With --approve: say it better.")] = "",
    folder: Annotated[str, typer.Option("--folder", help="With --approve: where it belongs.")] = "",
    home: Home = "",
    as_json: Json = False,
) -> None:
    """Show what waits for you, with source and words; approve, reject or confirm it. In a terminal, key by key."""
    from ultan.verbs import review as verb  # noqa: PLC0415 -- only when needed

    door, screen = opened(context, home, as_json)
    if not (approve or reject or confirm):
        waiting = verb.review(door.store, door.library)
        if (waiting.held or waiting.foreign) and not as_json and door.has_person and screen.is_rich(screen.out):
            from ultan.cli import reviewing  # noqa: PLC0415 -- only when needed

            reviewing.walk(door, screen, waiting, reviewing.pressed)
            return
        screen.show(waiting, render.waiting(waiting))
        return
    door.need_person()
    if approve:
        decided = verb.approve(door.desk, approve, {"title": title, "rule": rule, "folder": folder})
    elif reject:
        decided = verb.reject(door.desk, reject)
    else:
        decided = verb.confirm(door.desk, confirm)
    screen.show(decided, render.decided(decided))


def adopt(
    context: typer.Context,
    path: Annotated[list[str] | None, typer.Argument(help="Files to take over; without any, all that wait.")] = None,
    home: Home = "",
    as_json: Json = False,
) -> None:
    """Take over files that no operation made: from now on they count as yours."""
    from ultan.verbs import review as verb  # noqa: PLC0415 -- only when needed

    door, screen = opened(context, home, as_json)
    door.need_person()
    decided = verb.adopt(door.desk, path or [])
    screen.show(decided, render.decided(decided))


def log(
    context: typer.Context,
    entry: Annotated[str, typer.Option("--entry", help="Only operations on this entry.")] = "",
    session: Annotated[str, typer.Option("--session", help="Only operations from this session.")] = "",
    cost: Annotated[bool, typer.Option("--cost", help="What models have cost instead, by day, with the last calls.")] = False,
    limit: Limit = 20,
    home: Home = "",
    as_json: Json = False,
) -> None:
    """Show operations, newest first: who, why, which files, and what was refused."""
    from ultan.verbs import undo as verb  # noqa: PLC0415 -- only when needed

    door, screen = opened(context, home, as_json)
    if cost:
        from ultan.cli.charts import costs as chart  # noqa: PLC0415 -- only when needed
        from ultan.verbs.spend import costs  # noqa: PLC0415 -- only when needed

        spent = costs(door.root, door.settings, door.now, limit)
        screen.show(spent, chart(spent))
        return
    rows = verb.log(door.store, limit=limit, entry=entry, session=session)
    screen.show(rows, render.logged(rows))


def undo(context: typer.Context, operation: Number = None, home: Home = "", as_json: Json = False) -> None:
    """Take back an operation; without a number, the last one."""
    from ultan.verbs import undo as verb  # noqa: PLC0415 -- only when needed

    door, screen = opened(context, home, as_json)
    if door.is_inside_agent:
        door.need_person()
    undone = verb.undo(door.desk, operation)
    screen.show(undone, render.undone(undone))


def restore(
    context: typer.Context,
    entry: Name,
    version: Annotated[int | None, typer.Option("--version", help="As it was before this operation.")] = None,
    home: Home = "",
    as_json: Json = False,
) -> None:
    """Bring an entry back: out of the archive, or as it was before an operation."""
    from ultan.verbs import undo as verb  # noqa: PLC0415 -- only when needed

    door, screen = opened(context, home, as_json)
    if door.is_inside_agent:
        door.need_person()
    undone = verb.restore(door.desk, entry, version)
    screen.show(undone, render.undone(undone))


def revoke(
    context: typer.Context,
    source: Annotated[str, typer.Option("--source", help="An origin, such as web:example.com.")] = "",
    session: Annotated[str, typer.Option("--session", help="A session id.")] = "",
    home: Home = "",
    as_json: Json = False,
) -> None:
    """Put away everything learned from a source or a session, and what was made of it."""
    from ultan.verbs import review as verb  # noqa: PLC0415 -- only when needed

    door, screen = opened(context, home, as_json)
    if not (source or session):
        raise UsageError("say --source or --session")
    door.need_person()
    decided = verb.revoke(door.desk, source=source, session=session)
    screen.show(decided, render.decided(decided))


def why(
    context: typer.Context,
    prompt: Annotated[list[str] | None, typer.Argument(help="A prompt, as you would type it.")] = None,
    tool: Annotated[str, typer.Option("--tool", help="A tool call instead, such as 'Bash: pip install flask'.")] = "",
    past: Annotated[int, typer.Option("--past", min=0, help="Instead: the tool calls of that many past sessions here.")] = 0,
    file: Annotated[list[str] | None, typer.Option("--file", help="A file in play.")] = None,
    tail: Annotated[str, typer.Option("--tail", help="The assistant's last words.")] = "",
    home: Home = "",
    as_json: Json = False,
) -> None:
    """Show what a prompt or a tool call would bring back, each stage's figures, and what was left out."""
    from ultan.verbs import why as verb  # noqa: PLC0415 -- only when needed

    door, screen = opened(context, home, as_json)
    if past:
        from ultan.cli.replaying import replayed  # noqa: PLC0415 -- only when needed
        from ultan.clients import claude_past  # noqa: PLC0415 -- only when needed
        from ultan.verbs.replay import replay  # noqa: PLC0415 -- only when needed

        folder = claude_past.past_folder(context.obj.environ, door.project_folder)
        paths = claude_past.past_sessions(folder, door.project_folder)
        told_past = replay(door.index, paths[-past:], project=door.project)
        screen.show(told_past, replayed(told_past))
        return
    if tool:
        met = verb.why_tool(door.index, tool, project=door.project)
        screen.show(met, render.why_tool(met))
        return
    if not prompt:
        raise UsageError("say a prompt, --tool or --past", "ultan why 'please install flask'")
    from ultan.reflex.session import Seen  # noqa: PLC0415 -- only when needed

    told = verb.why(
        door.index, " ".join(prompt), project=door.project, files=file or (), tail=tail, today=blocks.day(door.now)[:10],
        already=sorted(Seen(door.root, door.session).already()) if door.session else (),
        root=door.root,
    )  # fmt: skip
    screen.show(told, render.why(told))


def purge(
    context: typer.Context,
    entry: Annotated[str, typer.Argument(help="An entry to delete, with every version of it.")] = "",
    text: Annotated[str, typer.Option("--text", help="A text to take out of everything; - reads it from standard input.")] = "",
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
    home: Home = "",
    as_json: Json = False,
) -> None:
    """Delete for good: an entry, or a text wherever it was written. Cannot be undone."""
    from ultan.verbs import purge as verb  # noqa: PLC0415 -- only when needed

    door, screen = opened(context, home, as_json)
    door.need_person()
    if bool(entry) == bool(text):
        raise UsageError("say an entry or --text", "ultan purge --text - reads it from standard input, past the shell's history")
    if text == "-":
        text = context.obj.stdin.read().strip("\n")
    elif not yes:
        typer.confirm("This cannot be undone. Delete for good?", abort=True, err=True)
    purged = verb.purge_text(door.desk, text) if text else verb.purge_entry(door.desk, entry)
    screen.show(purged, blocks.fields(purged))
