"""The frontmatter of a file: where it stands, and what it says: plainly as a rule, else as YAML."""

from dataclasses import dataclass

from ultan.errors import InvalidEntry
from ultan.library.plainfront import Value, read_plain

FRONT_BYTES = 8 * 1024
BOM = "\ufeff"


@dataclass(frozen=True, slots=True)
class Parts:
    """A file in four: the opening line, the frontmatter, the closing line, and the rest; joined, they are the file."""

    opening: str
    block: str
    closing: str
    rest: str

    @property
    def newline(self) -> str:
        """How the file ends its lines."""
        return "\r\n" if self.opening.endswith("\r\n") else "\n"

    @property
    def body(self) -> str:
        """The rest without the one blank line that rendering puts before it."""
        return self.rest.removeprefix("\r\n") if self.rest.startswith("\r\n") else self.rest.removeprefix("\n")


def split(text: str, path: str) -> Parts:
    """*text* in its parts.

    Raises:
        InvalidEntry: no frontmatter, an unclosed one, or one that is too large.
    """
    lines = lines_of(text)
    if not lines or lines[0].removeprefix(BOM).rstrip() != "---":
        raise InvalidEntry(f"{path}: no frontmatter (a first line of three dashes)")
    size = 0
    for number, line in enumerate(lines[1:], 1):
        if line.rstrip() == "---":
            return Parts(lines[0], "".join(lines[1:number]), line, "".join(lines[number + 1 :]))
        size += len(line.encode("utf-8", "surrogatepass"))
        if size > FRONT_BYTES:
            raise InvalidEntry(f"{path}: frontmatter larger than {FRONT_BYTES // 1024} KB, or never closed")
    raise InvalidEntry(f"{path}: the frontmatter is never closed (a second line of three dashes)")


def lines_of(text: str) -> list[str]:
    """Lines with their ends; only the line feed ends a line, as in YAML files people write."""
    parts = text.split("\n")
    return [part + "\n" for part in parts[:-1]] + ([parts[-1]] if parts[-1] else [])


def front(text: str, path: str = "") -> dict[str, Value]:
    """The frontmatter of *text* as it stands there, names on disk and nothing converted.

    Raises:
        InvalidEntry: as ``split`` and ``plainyaml.through_yaml``.
    """
    return load(split(text, path).block, path)


def load(block: str, path: str) -> dict[str, Value]:
    """The table in *block*.

    Raises:
        InvalidEntry: as ``plainyaml.through_yaml``.
    """
    plain = read_plain(block)
    if plain is not None:
        return plain
    from ultan.library.plainyaml import through_yaml  # noqa: PLC0415 -- the parser costs a bare interpreter, and few files need it

    return through_yaml(block, path)
