"""The door for people: parses words, runs one command, and says what went wrong in one place.

Exit status: 0 done, 1 failed, 2 the words were off, 130 interrupted; who writes to a reader that has
gone (`ultan list | head -1`) ends by the signal that ends other tools then, which a shell shows as
141. Answers go to stdout, everything else to stderr. Commands stand in the modules that ``commands`` names, five
lines each; what they decide they ask a verb.
"""

import contextlib
import os
import select
import signal
import sys
from collections.abc import Sequence
from typing import Any, TextIO

from ultan.cli import saving
from ultan.cli.screen import Screen
from ultan.cli.wiring import World
from ultan.errors import UltanError

INTERRUPTED = 130
READER_GONE = 141  # 128 + SIGPIPE


def app(argv: Sequence[str] | None = None, world: World | None = None) -> None:
    """Run the command in *argv* and leave the process with its exit status."""
    status = run(_words(sys.argv[1:]) if argv is None else argv, world or World())
    if status == READER_GONE:
        if hasattr(signal, "SIGPIPE"):
            signal.signal(signal.SIGPIPE, signal.SIG_DFL)
            os.kill(os.getpid(), signal.SIGPIPE)
        os._exit(status)  # without SIGPIPE; an ordinary exit would try to flush once more
    sys.exit(status)


def _words(argv: Sequence[str]) -> list[str]:
    """*argv* as UTF-8, whatever the locale made of it; what is none keeps a sign for each strange byte."""
    return [os.fsencode(word).decode("utf-8", "replace") for word in argv]


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
        if saving.is_plain(argv):
            saving.save(argv[1:], world, screen)
            return 0
        group = commands(world, is_rich=screen.is_rich(world.stdout))
        with contextlib.redirect_stdout(world.stdout):  # help is printed by click
            status = group.main(args=list(argv) or ["--help"], prog_name="ultan", standalone_mode=False)
    except UltanError as error:
        screen.fail(str(error), error.hint)
        return error.exit_code
    except _left_by_hand() as left:
        was_interrupted = isinstance(left, KeyboardInterrupt) or isinstance(left.__context__, (KeyboardInterrupt, EOFError))
        screen.say("interrupted" if was_interrupted else "nothing was done")
        return INTERRUPTED if was_interrupted else 1
    except SystemExit as left:  # click's own answer to any closed pipe, which says 1 of it
        if not isinstance(left.__context__, BrokenPipeError):
            raise
        _need_readers(world)
        return _unforeseen(left.__context__, screen, world)
    except Exception as error:  # noqa: BLE001 -- the door: whatever happens is said in one line
        return _unforeseen(error, screen, world)
    return status if isinstance(status, int) else 0


def _need_readers(world: World) -> None:
    """Return only if our own streams are read: flushing fails again, or the system knows that the reader has gone.

    Raises:
        BrokenPipeError: one of them is not.
    """
    for stream in (world.stdout, world.stderr):
        stream.flush()
        if _is_deserted(stream):
            raise BrokenPipeError


def _is_deserted(stream: TextIO) -> bool:
    """Whether *stream* is a pipe that nobody reads; a stream without a descriptor never is."""
    try:
        watched = select.poll()
        watched.register(stream.fileno(), select.POLLERR)
        return bool(watched.poll(0))
    except (OSError, ValueError, AttributeError):  # closed, made of memory, or a system without poll
        return False


def commands(world: World, *, is_rich: bool = False) -> Any:
    """Every command, as one click group bound to *world*."""
    from ultan.cli.commands import group  # noqa: PLC0415 -- Typer and sixty commands: most of a plain save, which needs none

    return group(world, is_rich=is_rich)


def _left_by_hand() -> tuple[type[BaseException], ...]:
    """What ends a command where a person wants it ended."""
    typer = sys.modules.get("typer")
    return (KeyboardInterrupt, typer.Abort) if typer else (KeyboardInterrupt,)


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
        import traceback  # noqa: PLC0415 -- only here

        screen.say(redact("".join(traceback.format_exception(error)))[0])
    screen.fail(
        f"unforeseen: {type(error).__name__}: {redact(str(error))[0][:300]}",
        "this is a fault in Ultan; ULTAN_TRACE=1 shows where",
    )
    return 1
