"""Commands on entries: save, search, show, list and what a person does to one entry."""

import os
import shlex
import subprocess
import time
from typing import Annotated, Any

import typer

from ultan import home as home_folder
from ultan.cli import render, saving
from ultan.cli.options import Home, Json, Kind, Name, Reason, Scope, Tags, named, opened, parted, scope_of
from ultan.cli.wiring import Door
from ultan.errors import IndexUnreadable, UltanError

DEFAULT_EDITOR = "vi"


def register(group: typer.Typer) -> None:
    """Add these commands to *group*."""
    for name, body in (
        ("save", save), ("search", search), ("ask", ask), ("show", show), ("list", list_), ("related", related), ("edit", edit),
        ("reinforce", reinforce), ("contradict", contradict), ("archive", archive), ("pin", pin), ("unpin", unpin),
    ):  # fmt: skip
        group.command(name)(body)


def save(
    context: typer.Context,
    text: Annotated[list[str] | None, typer.Argument(help="What to remember; - reads standard input.")] = None,
    typed: Annotated[str, typer.Option(help="Take what was dictated with /ultan in this session.", metavar="SESSION")] = "",
    kind: Kind = "",
    scope: Scope = "",
    title: Annotated[str, typer.Option(help="The rule in a few words; else taken from the text.")] = "",
    folder: Annotated[str, typer.Option(help="Topic folder below the scope, such as python/tools.")] = "",
    tags: Tags = None,
    cue: Annotated[list[str] | None, typer.Option("--cue", help="A situation in which it matters.")] = None,
    file: Annotated[list[str] | None, typer.Option("--file", help="Glob of files it is about.")] = None,
    trigger: Annotated[list[str] | None, typer.Option("--trigger", help="TOOL:PATTERN (RE2) it is about.")] = None,
    block: Annotated[bool, typer.Option("--block", help="The triggers deny instead of advising.")] = False,
    why: Annotated[str, typer.Option(help="The reason behind it.")] = "",
    how: Annotated[str, typer.Option(help="How to apply it.")] = "",
    when: Annotated[str, typer.Option(help="Day or time of an event.")] = "",
    participant: Annotated[list[str] | None, typer.Option("--participant", help="Who took part.")] = None,
    location: Annotated[str, typer.Option(help="Where it happened.")] = "",
    alternative: Annotated[list[str] | None, typer.Option("--alternative", help="What was decided against.")] = None,
    subject: Annotated[str, typer.Option(help="What it is about, in a word or two.")] = "",
    expires: Annotated[str, typer.Option(help="ISO day after which it no longer holds.")] = "",
    supersedes: Annotated[list[str] | None, typer.Option("--supersedes", help="Entry that this corrects.")] = None,
    pin: Annotated[bool, typer.Option("--pin", help="Never let it fade.")] = False,
    home: Home = "",
    as_json: Json = False,
) -> None:
    """Remember TEXT, at once."""
    from ultan.verbs import save as verb  # noqa: PLC0415 -- pydantic and yaml, only when needed

    door, screen = opened(context, home, as_json)
    note = verb.dictated(door.root, typed) if typed else None
    words = note.text if note else context.obj.stdin.read() if text == ["-"] else " ".join(text or ())
    more = {
        "why": why, "how": how, "when": when, "participants": parted(participant), "location": location,
        "alternatives": parted(alternative), "subject": subject, "expires": expires, "pinned": pin,
        "supersedes": parted(supersedes),
    }  # fmt: skip
    door.make_home()
    project = door.enrol_project()
    given = verb.Given(
        kind=kind, scope=scope_of(scope, door), title=title, folder=folder, tags=parted(tags), cues=parted(cue),
        files=parted(file), triggers=verb.triggers(trigger or (), blocks=block), more=more,
    )  # fmt: skip
    saved = saving.kept(door, words, given, project, note, typed)
    screen.show(saved, render.saved(saved))


def search(
    context: typer.Context,
    query: Annotated[list[str], typer.Argument(help="Words, a question, or an error text.")],
    kind: Kind = "",
    scope: Scope = "",
    tags: Tags = None,
    archived: Annotated[bool, typer.Option("--archived", help="Look among archived entries.")] = False,
    everywhere: Annotated[bool, typer.Option("--everywhere", help="In every project, not only this one.")] = False,
    limit: Annotated[int, typer.Option("--limit", "-n", min=0, max=200, help="Rows, at most; 0 takes the setting.")] = 0,
    home: Home = "",
    as_json: Json = False,
) -> None:
    """Find entries by the ranking that primes prompts."""
    from ultan.verbs.search import Wish, search as verb  # noqa: I001, PLC0415 -- only when needed

    door, screen = opened(context, home, as_json)
    wish = Wish(kind, scope_of(scope, door), parted(tags), archived)
    index: Any
    try:
        index = door.index
    except IndexUnreadable as error:
        index = error
    resolve = None
    if door.settings["recall.temporal_model"]:
        from ultan.verbs.temporal import resolver  # noqa: PLC0415 -- only where a model is set for it

        resolve = resolver(door.root, door.settings, context.obj.clock)
    asked = wish.scope.removeprefix("project:") if wish.scope.startswith("project:") else door.project
    found = verb(
        door.library, index, " ".join(query), project=None if everywhere else asked,
        limit=limit or door.settings["search.limit"], wish=wish,
        today=time.strftime("%Y-%m-%d", time.localtime(door.now)), resolve=resolve,
    )  # fmt: skip
    if found.note:
        screen.say(f"note: {found.note}")
    screen.show(found, render.found(found))


def ask(
    context: typer.Context,
    question: Annotated[list[str], typer.Argument(help="A question in your own words.")],
    by: Annotated[str, typer.Option("--by", help="Who answers: clerk (the entries themselves), or what curates.")] = "",
    home: Home = "",
    as_json: Json = False,
) -> None:
    """Answer a question from what is remembered, with the entries it rests on."""
    from ultan.verbs.ask import ask as verb  # noqa: PLC0415 -- only when needed

    door, screen = opened(context, home, as_json)
    if named(by) not in ("", "clerk", door.settings["curation.by"]):
        door.need_person()
    with screen.busy("asking"):
        answer = verb(door.root, " ".join(question), door.settings, now=context.obj.clock, project=door.project, by=by)
    screen.show(answer, render.answer(answer))


def show(
    context: typer.Context,
    entry: Name,
    history: Annotated[bool, typer.Option("--history", help="Also every operation that touched it, and the chain of corrections.")] = False,
    home: Home = "",
    as_json: Json = False,
) -> None:
    """Show an entry with its siblings, subfolders, parent README and links both ways."""
    from ultan.verbs import show as verb  # noqa: PLC0415 -- only when needed

    door, screen = opened(context, home, as_json)
    today = verb.Today(door.root, door.settings, door.now)
    shown = verb.show(door.library, entry, store=door.store, today=today, history=history)
    if door.session:
        verb.fetched(door.root, [shown.entry.id], session=door.session, now=door.now)
    screen.show(shown, render.shown(shown))


def list_(
    context: typer.Context,
    kind: Kind = "",
    scope: Scope = "",
    tags: Tags = None,
    archived: Annotated[bool, typer.Option("--archived", help="Archived entries instead.")] = False,
    home: Home = "",
    as_json: Json = False,
) -> None:
    """List entries."""
    from ultan.verbs.list_ import list_ as verb  # noqa: PLC0415 -- only when needed
    from ultan.verbs.search import Wish  # noqa: PLC0415 -- only when needed

    door, screen = opened(context, home, as_json)
    listing = verb(door.library, Wish(kind, scope_of(scope, door), parted(tags), archived), door.root)
    screen.show(listing, render.listing(listing))


def related(context: typer.Context, entry: Name, home: Home = "", as_json: Json = False) -> None:
    """List what stands beside an entry, and why."""
    from ultan.verbs.show import related as verb  # noqa: PLC0415 -- only when needed

    door, screen = opened(context, home, as_json)
    found = verb(door.library, entry)
    screen.show(found, render.related(found))


def edit(
    context: typer.Context,
    entry: Name,
    source: Annotated[str, typer.Option("--from", help="Take the new text from this file; - is standard input.")] = "",
    home: Home = "",
    as_json: Json = False,
) -> None:
    """Edit an entry in $VISUAL or $EDITOR, or take its new text from a file."""
    from ultan.verbs.change import edit as verb  # noqa: PLC0415 -- only when needed

    door, screen = opened(context, home, as_json)
    door.need_person()
    before = door.library.find(entry)
    changed = verb(door.desk, before.id, _new_text(door, before.raw, source))
    screen.show(changed, render.changed(changed))


def reinforce(context: typer.Context, entry: Name, home: Home = "", as_json: Json = False) -> None:
    """Say again what an entry says: it fades later."""
    _change(context, "reinforce", entry, home, as_json=as_json)


def contradict(context: typer.Context, entry: Name, reason: Reason = "", home: Home = "", as_json: Json = False) -> None:
    """Say that an entry is wrong: its strength starts again from nothing."""
    _change(context, "contradict", entry, home, as_json=as_json, reason=reason)


def archive(context: typer.Context, entry: Name, reason: Reason = "", home: Home = "", as_json: Json = False) -> None:
    """Put an entry away; `ultan restore` brings it back."""
    _change(context, "archive", entry, home, as_json=as_json, reason=reason)


def pin(context: typer.Context, entry: Name, home: Home = "", as_json: Json = False) -> None:
    """Keep an entry from fading."""
    _change(context, "pin", entry, home, as_json=as_json)


def unpin(context: typer.Context, entry: Name, home: Home = "", as_json: Json = False) -> None:
    """Let an entry fade again."""
    _change(context, "pin", entry, home, as_json=as_json, pinned=False)


def _change(context: typer.Context, verb: str, entry: str, home: str, *, as_json: bool, **how: Any) -> None:
    from ultan.verbs import change  # noqa: PLC0415 -- only when needed

    door, screen = opened(context, home, as_json)
    if door.is_inside_agent:
        door.need_person()
    changed: change.Changed = getattr(change, verb)(door.desk, entry, **how)
    screen.show(changed, render.changed(changed))


def _new_text(door: Door, text: str, source: str) -> str:
    """The whole new text of an entry: from a file, from standard input, or out of the person's editor."""
    if source == "-":
        return door.world.stdin.read()
    if source:
        with open(source, encoding="utf-8") as file:
            return file.read()
    return edited_text(door, text)


def edited_text(door: Door, text: str) -> str:
    """What the person made of *text* in their editor."""
    editor = door.world.environ.get("VISUAL") or door.world.environ.get("EDITOR") or DEFAULT_EDITOR
    draft = os.path.join(door.root, "runs", f"draft-{os.getpid()}.md")
    home_folder.make_folder(os.path.dirname(draft))
    home_folder.write(draft, text.encode())
    done = subprocess.run([*shlex.split(editor), draft], check=False)  # noqa: S603 -- the person's own editor
    changed = home_folder.read(draft).decode("utf-8", "replace")
    home_folder.remove(draft)
    if done.returncode:
        raise UltanError(f"{editor} ended with {done.returncode}: nothing was changed")
    return changed
