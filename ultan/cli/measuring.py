# ruff: noqa: ARG001 -- every command takes --json; here it is always so
"""Commands that measure: any data set in the documented format, JSON out."""

import os
import tempfile
from typing import Annotated

import typer

from ultan import settings
from ultan.cli.options import opened
from ultan.cli.screen import Screen
from ultan.errors import UsageError

Data = Annotated[str, typer.Argument(help="Folder of the data set; else ULTAN_BENCH_DATA, else ../shared/data.", show_default=False)]
Json = Annotated[bool, typer.Option("--json", help="Always so: benches answer in JSON.")]


def register(group: typer.Typer) -> None:
    """Add these commands to *group*, below ``bench``."""
    bench = typer.Typer(name="bench", help="Measure recall, notices, curation, fading and latency.")
    for name, body in (("recall", recall), ("notice", notice), ("curate", curate), ("qa", qa), ("year", year), ("latency", latency)):
        bench.command(name)(body)
    group.add_typer(bench)


def recall(
    context: typer.Context,
    data: Data = "",
    mode: Annotated[str, typer.Option("--mode", help="cold, or warm: the encoder's rankings too, in process.")] = "cold",
    top: Annotated[int, typer.Option("--top", min=1, max=1000, help="Places that are looked at.")] = 10,
    no_abstain: Annotated[bool, typer.Option("--no-abstain", help="Show something at every prompt.")] = False,
    group: Annotated[list[str] | None, typer.Option("--group", help="Groups taken together, as A+B.")] = None,
    baselines: Annotated[bool, typer.Option("--baselines", help="Also grep, BM25, vectors and rank fusion.")] = False,
    as_json: Json = True,
) -> None:
    """Measure what comes back at a prompt: by group and overall, with silence."""
    from ultan import encoders  # noqa: PLC0415 -- only when needed
    from ultan.verbs.bench_recall import bench_recall as verb  # noqa: PLC0415 -- only when needed

    if mode not in ("cold", "warm"):
        raise UsageError(f"a mode is cold or warm, not {mode}")
    encoder = encoders.load(settings.Settings()) if mode == "warm" or baselines else None
    folder = found(context, data, "queries.jsonl", "prompts.jsonl")
    _answer(
        context, verb(folder, mode=mode, top=top, abstain=not no_abstain, groups=group or (), encoder=encoder, baselines=baselines)
    )


def notice(context: typer.Context, data: Data = "", as_json: Json = True) -> None:
    """Measure which tool calls fire a trigger, and which should."""
    from ultan.verbs.bench_notice import bench_notice as verb  # noqa: PLC0415 -- only when needed

    _answer(context, verb(found(context, data, "toolcalls.jsonl")))


def curate(
    context: typer.Context,
    data: Data = "",
    by: Annotated[str, typer.Option("--by", help="clerk, or a baseline: cue-list or tf-idf.")] = "clerk",
    curve: Annotated[bool, typer.Option("--curve", help="Also precision and recall over the threshold.")] = False,
    as_json: Json = True,
) -> None:
    """Measure what is kept of labelled sessions, or of conventions that change."""
    from ultan.verbs.bench_curate import bench_curate as verb  # noqa: PLC0415 -- only when needed

    _answer(context, verb(found(context, data, "sessions_gold.jsonl", "dialogues"), by=by, curve=curve))


def qa(
    context: typer.Context,
    data: Data = "",
    reader: Annotated[str, typer.Option("--reader", help="Row of the models that answers: claude or provider.")] = "claude",
    judge: Annotated[str, typer.Option("--judge", help="Row of the models that grades.")] = "claude",
    mode: Annotated[str, typer.Option("--mode", help="cold, or warm: the encoder's rankings too, in process.")] = "cold",
    top: Annotated[int, typer.Option("--top", min=1, max=100, help="Entries that the reader sees.")] = 10,
    most: Annotated[int, typer.Option("--most", min=0, help="Questions that are asked; 0: all.")] = 0,
    as_json: Json = True,
) -> None:
    """Let a model answer questions from what recall finds, and another grade the answers; both cost calls."""
    from ultan import encoders  # noqa: PLC0415 -- only when needed
    from ultan.llm import open_model  # noqa: PLC0415 -- only when needed
    from ultan.verbs.bench_qa import bench_qa as verb  # noqa: PLC0415 -- only when needed

    if mode not in ("cold", "warm"):
        raise UsageError(f"a mode is cold or warm, not {mode}")
    door, _ = opened(context, "", as_json)
    door.need_person()
    folder = found(context, data, "queries.jsonl", "prompts.jsonl")
    models = [open_model(name, door.root, door.settings) for name in (reader, judge)]
    _answer(context, verb(
        folder, reader=models[0], judge=models[1], mode=mode, top=top, most=most, settings=door.settings,
        encoder=encoders.load(door.settings) if mode == "warm" else None,
        reader_model=door.settings["curation.librarian_model"], judge_model=door.settings["curation.scholar_model"],
    ))  # fmt: skip


def year(
    context: typer.Context,
    seeds: Annotated[int, typer.Option("--seeds", min=1, help="How many simulated years for each kind of user.")] = 1,
    entries: Annotated[int, typer.Option("--entries", min=1, help="About how many entries are taught in a year.")] = 300,
    pace: Annotated[float, typer.Option("--pace", min=0.1, max=3, help="How fast things happen; 1 as counted.")] = 1.0,
    real: Annotated[bool, typer.Option("--real", help="In the library itself, not on bare entries; slow.")] = False,
    as_json: Json = True,
) -> None:
    """Play simulated years under every policy of forgetting."""
    from ultan.verbs.bench_year import bench_year as verb  # noqa: PLC0415 -- only when needed

    _answer(context, verb(range(100, 100 + seeds), entries=entries, pace=pace, real=real))


def latency(
    context: typer.Context,
    rounds: Annotated[int, typer.Option("--rounds", min=3, help="Runs of each hook, interleaved with the bare interpreter.")] = 60,
    entries: Annotated[int, typer.Option("--entries", min=1, help="Entries of the synthetic library, each with a trigger.")] = 10_000,
    as_json: Json = True,
) -> None:
    """Measure the installed hooks in a throw-away home, as ratios to a bare interpreter."""
    from ultan import home  # noqa: PLC0415 -- only when needed
    from ultan.verbs import bench_latency as verb  # noqa: PLC0415 -- only when needed
    from ultan.verbs.doctor import installed  # noqa: PLC0415 -- only when needed

    argv_of, python = installed(context.obj.environ)
    with tempfile.TemporaryDirectory(prefix="ultan-bench-") as folder:
        project = os.path.join(folder, "proj")
        home.make_folder(project)
        told = verb.bench_latency(
            {name: argv_of[name] for name in verb.BOUNDS}, python, rounds=rounds, count=entries,
            root=os.path.join(folder, "home"), project=project,
        )  # fmt: skip
    _answer(context, told)


def found(context: typer.Context, data: str, *names: str) -> str:
    """The folder that holds one of *names*: the one given, else the usual places.

    Raises:
        UsageError: there is none.
    """
    usual = context.obj.environ.get("ULTAN_BENCH_DATA") or os.path.join(context.obj.folder, "..", "shared", "data")
    places = [data] if data else [usual, os.path.join(usual, "primebench")]
    for place in places:
        if any(os.path.exists(os.path.join(place, name)) for name in names):
            return place
    raise UsageError(f"there is no {' or '.join(names)} in {places[0]}", "name the folder of the data set")


def _answer(context: typer.Context, value: object) -> None:
    Screen(context.obj.stdout, context.obj.stderr, context.obj.environ, as_json=True).show(value, [])
