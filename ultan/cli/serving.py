"""Commands that keep something running."""

import os
import signal
import time
from typing import Annotated, Any

import typer

from ultan.cli import blocks
from ultan.cli.options import Home, Json, opened
from ultan.cli.wiring import Door


def register(group: typer.Typer) -> None:
    """Add these commands to *group*."""
    for name, body in (("mcp", mcp), ("serve", serve)):
        group.command(name)(body)


def mcp(context: typer.Context, home: Home = "") -> None:
    """Offer recall, show and save to a client over stdio (MCP)."""
    from importlib.metadata import version  # noqa: PLC0415 -- only when needed

    from ultan.serving.mcp import serve_stdio  # noqa: PLC0415 -- only when needed

    door, _ = opened(context, home)
    serve_stdio(counter(door), version("ultan"))
    os._exit(0)  # the client has gone: taking a thousand modules apart would keep it waiting for nothing


def serve(
    context: typer.Context,
    idle: Annotated[int, typer.Option("--idle", min=0, help="Minutes without a question until it ends; 0 takes the setting.")] = 0,
    home: Home = "",
    as_json: Json = False,
) -> None:
    """Answer hooks with models in memory, over a socket in the home."""
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # before numpy: threads that spin cost more than they give
    from ultan import encoders  # noqa: PLC0415 -- only when needed
    from ultan.serving.socket import Server  # noqa: PLC0415 -- only when needed

    door, screen = opened(context, home, as_json)
    door.make_home()
    server = Server(
        door.root, encoders.load(door.settings), idle_s=60.0 * (idle or door.settings["serve.idle_min"]),
        ready=lambda: screen.say("listening"), reranker=encoders.load_reranker(door.settings), share=door.settings["rerank.weight"],
    )  # fmt: skip
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: server.stop())
    ended = server.run()
    screen.show(ended, blocks.fields(ended))


def counter(first: Door) -> Any:
    """What the tools of the protocol reach where *first* stands; each call opens what it needs anew.

    A session lasts for hours: settings change in it, and a folder becomes a project.
    """
    from ultan.serving.mcp import Counter, as_values  # noqa: PLC0415 -- only when needed

    def recall(query: str, limit: int) -> Any:
        from ultan.errors import IndexUnreadable  # noqa: PLC0415 -- only when asked
        from ultan.recall.index import open_index  # noqa: PLC0415 -- only when asked
        from ultan.verbs.search import Wish, search  # noqa: PLC0415 -- only when asked

        door = Door(first.world, first.root)
        index: Any
        try:
            index = open_index(door.root)
        except IndexUnreadable as error:
            index = error
        today = time.strftime("%Y-%m-%d", time.localtime(door.now))
        return as_values(search(door.library, index, query, project=door.project, limit=limit, wish=Wish(), today=today))

    def show(name: str) -> Any:
        from ultan.verbs import show as verb  # noqa: PLC0415 -- only when asked

        door = Door(first.world, first.root)
        shown = verb.show(door.library, name)
        if door.session:
            verb.fetched(door.root, [shown.entry.id], session=door.session, now=door.now)
        return {
            "id": shown.entry.id, "text": shown.text, "siblings": shown.siblings, "subfolders": shown.subfolders,
            "readme": shown.readme, "links": shown.links, "linked_from": shown.linked_from,
        }  # fmt: skip

    def save(text: str, scope: str) -> Any:
        from ultan.cli.options import scope_of  # noqa: PLC0415 -- only when asked
        from ultan.verbs import save as verb  # noqa: PLC0415 -- only when asked

        door = Door(first.world, first.root)
        door.make_home()
        piece = verb.heard(door.root, door.session, text, door.world.environ)
        given = verb.Given(scope=scope_of(scope, door))
        return as_values(verb.save(door.desk, text, given, project=door.project, heard=piece, session=door.session))

    return Counter(recall, show, save)
