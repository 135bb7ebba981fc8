"""What a curator is about to write, noted before it writes, so that whoever starts next can finish or begin again."""

import os

from pydantic import BaseModel, ConfigDict, ValidationError

from ultan import home
from ultan.library.actions import Bump
from ultan.verbs.reading import Progress


class Intent(BaseModel):
    """What is being written for one session, as it stood before the write."""

    model_config = ConfigDict(extra="ignore")

    events: list[str]
    progress: Progress
    bumps: list[Bump] = []


class Intents(BaseModel):
    """The intents of a batch, in the order of their execution."""

    items: list[Intent] = []


def keep_intents(root: str, intents: Intents) -> None:
    """Write *intents* down."""
    home.write(_path(root), intents.model_dump_json().encode())


def kept_intents(root: str) -> Intents:
    """The intents of a curator that did not finish its batch; none, where none or nothing readable is kept."""
    try:
        return Intents.model_validate_json(home.read(_path(root)))
    except (OSError, ValidationError):
        home.remove(_path(root))
        return Intents()


def drop_intents(root: str) -> None:
    """Take the note away, for good."""
    home.remove(_path(root), durable=True)


def _path(root: str) -> str:
    return os.path.join(root, "runs", "intent.json")
