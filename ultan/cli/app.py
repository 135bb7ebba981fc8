"""The door for people: parses words, runs one command, and says what went wrong in one place.

Exit status: 0 done, 1 failed, 2 the words were off, 130 interrupted; who writes to a reader that has
gone (`ultan list | head -1`) ends by the signal that ends other tools then, which a shell shows as
141. Answers go to stdout, everything else to stderr. Commands stand in the modules beside this one, five lines each;
what they decide they ask a verb.
"""

import contextlib
import os
import signal
import sys
import traceback
from collections.abc import Sequence
from typing import Annotated, Any

import typer

from ultan.cli import fading, measuring, reflexes, serving, setup, terminal, trust, upkeep
from ultan.cli.screen import Screen
from ultan.cli.wiring import World
from ultan.errors import UltanError

INTERRUPTED = 130
READER_GONE = 141  # 128 + SIGPIPE
MODULES = (terminal, trust, upkeep, fading, setup, serving, measuring, reflexes)


def app(argv: Sequence[str] | None = None, world: World | None = None) -> None:
    """Run the command in *argv* and leave the process with its exit status."""
    status = run(sys.argv[1:] if argv is None else argv, world or World())
    if status == READER_GONE:
        if hasattr(signal, "SIGPIPE"):
            signal.signal(signal.SIGPIPE, signal.SIG_DFL)
            os.kill(os.getpid(), signal.SIGPIPE)
        os._exit(status)  # without SIGPIPE; an ordinary exit would try to flush once more
    sys.exit(status)


def run(argv: Sequence[str], world: World) -> int:
    """The exit status of the command in *argv*; ``READER_GONE`` if nobody reads its answer to the end."""
    for stream in (world.stdout, world.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")  # a terminal that cannot say ✓ shows ? and goes on
    try:
        status = _status(argv, world, Screen(world.stdout, world.stderr, world.environ))
        _need_readers(world)
    except BrokenPipeError:
        return READER_GONE
    return status


def _status(argv: Sequence[str], world: World, screen: Screen) -> int:
    """As ``run``; the second of the two broad catches.

    Raises:
        BrokenPipeError: one of our streams has no reader any more.
    """
    try:
        group = commands(world, is_rich=screen.is_rich(world.stdout))
        with contextlib.redirect_stdout(world.stdout):  # help is printed by click
            status = group.main(args=list(argv) or ["--help"], prog_name="ultan", standalone_mode=False)
    except UltanError as error:
        screen.fail(str(error), error.hint)
        return error.exit_code
    except (KeyboardInterrupt, typer.Abort):
        screen.say("interrupted")
        return INTERRUPTED
    except SystemExit as left:  # click's own answer to any closed pipe, which says 1 of it
        if not isinstance(left.__context__, BrokenPipeError):
            raise
        _need_readers(world)
        return _unforeseen(left.__context__, screen, world)
    except Exception as error:  # noqa: BLE001 -- the door: whatever happens is said in one line
        return _unforeseen(error, screen, world)
    return status if isinstance(status, int) else 0


def _need_readers(world: World) -> None:
    """Return only if our own streams are read; what they could not write stays in them and fails again.

    Raises:
        BrokenPipeError: one of them is not.
    """
    for stream in (world.stdout, world.stderr):
        stream.flush()


def commands(world: World, *, is_rich: bool = False) -> Any:
    """Every command, as one click group bound to *world*."""
    group = typer.Typer(
        name="ultan", no_args_is_help=False, add_completion=False, pretty_exceptions_enable=False,
        rich_markup_mode="rich" if is_rich else None, context_settings={"obj": world},
    )  # fmt: skip
    group.callback(invoke_without_command=True)(_root)
    for module in MODULES:
        module.register(group)
    return typer.main.get_command(group)


def _root(
    context: typer.Context,
    home: Annotated[str, typer.Option("--home", help="Where the memory lives.", show_default=False)] = "",
    version: Annotated[bool, typer.Option("--version", help="Say the version and leave.")] = False,
) -> None:
    """A personal memory for coding agents: watches, keeps what surprises, brings it back when it matters."""
    context.meta["ultan.home"] = home
    if version:
        from importlib.metadata import version as installed  # noqa: PLC0415 -- 46 ms, only here

        context.obj.stdout.write(installed("ultan") + "\n")
        raise typer.Exit
    if context.invoked_subcommand is None:
        raise typer.BadParameter("no command given")


def _unforeseen(error: Exception, screen: Screen, world: World) -> int:
    """The exit status of an error that is no ``UltanError``: click's own, the disk's, or a fault of ours."""
    if hasattr(error, "format_message"):
        context = getattr(error, "ctx", None)
        path = context.command_path if context else "ultan"
        screen.fail(error.format_message(), f"`{path} --help` shows how it is used")
        return int(getattr(error, "exit_code", 2))
    if isinstance(error, OSError):
        place = f" ({error.filename})" if error.filename else ""
        screen.fail(f"{error.strerror or error}{place}", "run `ultan doctor` to see what the disk says")
        return 1
    from ultan.redaction import redact  # noqa: PLC0415 -- an error's text may quote a secret

    if world.environ.get("ULTAN_TRACE"):
        screen.say(redact("".join(traceback.format_exception(error)))[0])
    screen.fail(
        f"unforeseen: {type(error).__name__}: {redact(str(error))[0][:300]}",
        "this is a fault in Ultan; ULTAN_TRACE=1 shows where",
    )
    return 1
