"""The front door: a reflex is answered at once, everything else goes to Typer.

Hooks come through here too, started as ``python -I -S -c BOOT`` (``clients/claude_code.py``),
so nothing is imported before the verb is known.
"""

import gc
import sys


def main() -> None:
    """Answer a hook and end the process, or hand the words to the command line."""
    from ultan import reflex  # noqa: PLC0415 -- a hook pays for this line, and for nothing else

    verb = sys.argv[1] if len(sys.argv) > 1 else ""
    if verb in reflex.VERBS and "--help" not in sys.argv and "--dry-run" not in sys.argv:
        gc.disable()  # a process of milliseconds has nothing to collect
        reflex.answer(verb, sys.argv[2:])
    try:
        from ultan.cli.app import app  # noqa: PLC0415 -- Typer costs ten hooks

        app()
    except KeyboardInterrupt:  # while it was still being loaded
        sys.exit(130)


if __name__ == "__main__":
    main()
