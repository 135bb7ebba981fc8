"""Screen: shows blocks (lines, tables, markdown) as Rich on a terminal, as the same words without colour anywhere else.

Whatever a text came from, what reaches the terminal is inert (RELIABILITY R26): our own colours are
the only escapes. Values go to stdout as JSON where that is asked for.
"""

import dataclasses
import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TextIO

if TYPE_CHECKING:
    from rich.console import Console

HIDDEN = frozenset(("raw",))  # an entry's bytes are what the other fields already say


@dataclass(frozen=True, slots=True)
class Line:
    """One line; *style* is a Rich style and lost in plain text."""

    text: str
    style: str = ""


@dataclass(frozen=True, slots=True)
class Table:
    """Rows under headings; in plain text, columns of equal width."""

    columns: Sequence[str]
    rows: Sequence[Sequence[str]]


@dataclass(frozen=True, slots=True)
class Markdown:
    """Text of an entry, as it is written."""

    text: str


@dataclass(frozen=True, slots=True)
class Tree:
    """A label with branches under it; in plain text, indented."""

    label: str
    branches: "Sequence[Tree]" = ()


Block = Line | Table | Markdown | Tree


class Screen:
    """Where a command shows its answer: on stdout, as JSON where asked for; all else on stderr."""

    def __init__(self, out: TextIO, err: TextIO, environ: Mapping[str, str], *, as_json: bool = False) -> None:
        """Keep the streams; colours need a terminal and no ``NO_COLOR``."""
        self.out, self.err, self.environ, self.as_json = out, err, environ, as_json

    def show(self, value: Any, blocks: Iterable[Block]) -> None:
        """Print *value* as one JSON document, or *blocks* for people."""
        if self.as_json:
            text = json.dumps(jsonable(value), ensure_ascii=not _speaks_unicode(self.out), indent=2)
            self.out.write(text + "\n")
        else:
            self._print(self.out, blocks)
        self.out.flush()

    def say(self, text: str, style: str = "") -> None:
        """One remark on stderr: never part of the answer."""
        self._print(self.err, [Line(text, style)])

    def fail(self, message: str, hint: str = "") -> None:
        """``error: …`` and ``hint: …`` on stderr, in the words of an ``UltanError``; credentials in what they quote are masked."""
        from ultan.veil import safe  # noqa: PLC0415 -- where all goes well nothing is quoted

        self._print(self.err, [Line(f"error: {safe(message)}", "bold red")])
        if hint:
            self._print(self.err, [Line(f"hint: {safe(hint)}", "dim")])

    @contextmanager
    def busy(self, what: str) -> Iterator[None]:
        """A sign of life on stderr while something takes its time; only on a terminal."""
        if not self.is_rich(self.err):
            yield
            return
        with self.console(self.err).status(what):
            yield

    @contextmanager
    def steps(self, what: str) -> Iterator[Callable[[str, int, int], None]]:
        """A progress bar on stderr, told the name of a step, how much is done and of how much; only on a terminal."""
        if not self.is_rich(self.err):
            yield lambda _name, _done, _total: None
            return
        from rich.progress import Progress  # noqa: PLC0415 -- only on a terminal

        with Progress(console=self.console(self.err), transient=True) as bar:
            task = bar.add_task(what, total=None)
            yield lambda name, done, total: bar.update(task, description=name, completed=done, total=total)

    def is_rich(self, stream: TextIO) -> bool:
        """Whether *stream* is a terminal that takes colours and boxes."""
        try:
            is_terminal = stream.isatty()
        except (AttributeError, ValueError):
            return False
        return is_terminal and self.environ.get("TERM") != "dumb"

    def _print(self, stream: TextIO, blocks: Iterable[Block]) -> None:
        if self.is_rich(stream):
            console = self.console(stream)
            for block in blocks:
                console.print(_rich(block, console.width), soft_wrap=isinstance(block, Line))
            return
        for block in blocks:
            stream.writelines(line.rstrip() + "\n" for line in _plain(block))
        stream.flush()

    def console(self, stream: TextIO) -> "Console":
        """A Rich console on *stream*."""
        from rich.console import Console  # noqa: PLC0415 -- 40 ms, only on a terminal

        return Console(
            file=stream, highlight=False, markup=False, emoji=False, no_color=bool(self.environ.get("NO_COLOR"))
        )


_UNSEEN = dict.fromkeys((
    *(code for code in range(0x20) if code not in (0x09, 0x0A)), *range(0x7F, 0xA0),  # C0, C1
    0xAD, 0x61C, 0x180E, *range(0x200B, 0x2010), *range(0x2028, 0x202F), *range(0x2060, 0x2070), 0xFEFF,  # bidi, width
    *range(0xFFF9, 0xFFFC), *range(0xE0000, 0xE0080),  # interlinear marks, tags
))  # fmt: skip


def inert(text: str) -> str:
    """*text* without control, direction and invisible characters; newline and tab stay."""
    return text.translate(_UNSEEN)


def _rich(block: Block, width: int) -> Any:
    match block:
        case Line(text, style):
            from rich.text import Text  # noqa: PLC0415 -- only on a terminal

            return Text(inert(text), style=style)
        case Table(columns, rows):
            from rich import table  # noqa: PLC0415 -- only on a terminal
            from rich.text import Text  # noqa: PLC0415 -- only on a terminal

            grid = table.Table(box=None, pad_edge=False, header_style="bold")
            for column in columns:
                grid.add_column(column, overflow="fold")
            if grid.columns:  # a name is copied: it stays in one piece where it leaves the rest half of the width
                longest = max(map(len, (columns[0], *(row[0] for row in rows))))
                grid.columns[0].min_width = min(longest, max(1, (width + 1) // 2))
            for row in rows:
                grid.add_row(*(Text(inert(cell)) for cell in row))
            return grid
        case Markdown(text):
            from rich import markdown  # noqa: PLC0415 -- only on a terminal

            return markdown.Markdown(inert(text), hyperlinks=False)
        case Tree(label, branches):
            from rich import tree  # noqa: PLC0415 -- only on a terminal
            from rich.text import Text  # noqa: PLC0415 -- only on a terminal

            grown = tree.Tree(Text(inert(label)))
            for branch in branches:
                grown.add(_rich(branch, width))
            return grown


def _plain(block: Block) -> list[str]:
    match block:
        case Line(text) | Markdown(text):
            return inert(text).split("\n")
        case Table(columns, rows):
            cells = [[inert(cell).replace("\n", " ") for cell in row] for row in (columns, *rows)]
            widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
            return [
                "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) for row in cells
            ]
        case Tree(label, branches):
            head, *rest = inert(label).split("\n")
            return [head, *("  " + line for line in rest), *("  " + line for branch in branches for line in _plain(branch))]


def _speaks_unicode(stream: TextIO) -> bool:
    return (getattr(stream, "encoding", "") or "").lower().replace("-", "").startswith("utf")


def jsonable(value: Any) -> Any:  # noqa: PLR0911 -- one line a kind of value
    """*value* in JSON's own types: records by field name, dates and paths as texts."""
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, Mapping):
        return {str(key): jsonable(item) for key, item in value.items()}
    if isinstance(value, (list, tuple, set, frozenset)):
        if isinstance(value, tuple) and hasattr(value, "_fields"):
            return {name: jsonable(getattr(value, name)) for name in value._fields}
        items = sorted(value) if isinstance(value, (set, frozenset)) else value
        return [jsonable(item) for item in items]
    if hasattr(value, "model_dump"):
        return value.model_dump(mode="json")
    if dataclasses.is_dataclass(value):
        fields = [field.name for field in dataclasses.fields(value)]
    elif hasattr(type(value), "__slots__"):
        fields = list(type(value).__slots__)
    else:
        return os.fspath(value) if hasattr(value, "__fspath__") else str(value)
    return {
        name: jsonable(getattr(value, name)) for name in fields if not name.startswith("_") and name not in HIDDEN
    }
