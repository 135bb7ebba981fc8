"""Save as most people say it, ``ultan save TEXT``, without the parser of all commands.

Typer and the sixty commands it would set up cost more than reading, keeping and compiling together.
Words that need parsing (any that begins with a dash) go the usual way; both end in ``kept``.
"""

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING

from ultan.cli.screen import Screen
from ultan.cli.wiring import Door, World

if TYPE_CHECKING:
    from ultan.verbs.save import Dictated, Given, Saved


def is_plain(argv: Sequence[str]) -> bool:
    """Whether *argv* is ``save`` and words to remember, nothing else."""
    return len(argv) > 1 and argv[0] == "save" and not any(word.startswith("-") or not word for word in argv[1:])


def save(words: Sequence[str], world: World, screen: Screen) -> None:
    """Keep *words* and show what became of them.

    Raises:
        UltanError: as ``verbs.save.save``.
    """
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # numpy: no pool of threads for products that nobody asks for
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "1")  # pydantic: no search through all that is installed
    from ultan.cli import render  # noqa: PLC0415 -- after the above
    from ultan.verbs.save import Given  # noqa: PLC0415

    door = Door(world)
    door.make_home()
    saved = kept(door, " ".join(words), Given(), door.enrol_project())
    screen.show(saved, render.saved(saved))


def kept(
    door: Door, words: str, given: "Given", project: str, note: "Dictated | None" = None, session: str = ""
) -> "Saved":
    """What became of *words*, said by a person, or in a session by whoever the transcript says."""
    from ultan import spool  # noqa: PLC0415 -- see save
    from ultan.verbs import save as verb  # noqa: PLC0415

    heard = note.piece if note else None
    if door.is_inside_agent and not note:
        heard = verb.heard(door.root, door.session, words, door.world.environ)
    saved = verb.save(door.desk, words, given, project=project, heard=heard, session=session or door.session)
    if note:
        spool.done(door.root, [note.event])
    return saved
