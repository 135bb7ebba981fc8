# ruff: noqa: INP001 -- a script beside the pages it writes
"""Writes the reference pages that are made from the code; ``tests/test_docs.py`` compares them.

Run it after changing a command or a setting: ``nox -s docs``.
"""

import inspect
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ultan import errors, settings
from ultan.cli.app import commands
from ultan.cli.wiring import World
from ultan.recall import index, situations
from ultan.verbs.config import span

HERE = Path(__file__).parent
MADE = "<!-- made by docs/generate.py from the code; edit the code instead -->"


def cli() -> str:
    """The page of every command with its arguments and options."""
    lines = [
        MADE, "", "# Commands", "",
        "Every command takes `--home`, and `--json` where it prints data.",
        "Answers go to stdout, as JSON with `--json`; remarks, questions and errors go to stderr.",
        "A command that raises trust or spend, or deletes, needs a person at a terminal.", "",
    ]  # fmt: skip
    lines += _group(commands(World(environ={})), "ultan")
    return "\n".join(lines) + "\n"


def _group(group: Any, path: str) -> Iterator[str]:
    for name, command in group.commands.items():
        if hasattr(command, "commands"):
            yield from _group(command, f"{path} {name}")
            continue
        arguments = [param for param in command.params if param.param_type_name == "argument"]
        options = [param for param in command.params if param.param_type_name == "option"]
        shown = " ".join(_argument(param) for param in arguments)
        yield f"## `{path} {name}{' ' + shown if shown else ''}`"
        yield ""
        yield (command.help or "").strip()
        yield ""
        rows = [(_argument(param), getattr(param, "help", "") or "") for param in arguments]
        rows += [
            (", ".join((*param.opts, *param.secondary_opts)), param.help or "") for param in options
            if param.name not in ("home", "as_json")
        ]  # fmt: skip
        if rows:
            yield "| word | meaning |"
            yield "|---|---|"
            yield from (f"| `{word}` | {meaning.replace('|', chr(92) + '|')} |" for word, meaning in rows)
            yield ""


def _argument(param: Any) -> str:
    name = str(param.name).upper() + ("…" if param.nargs == -1 else "")
    return name if param.required else f"[{name}]"


def settings_page() -> str:
    """The page of every setting with default, range and meaning."""
    lines = [
        MADE, "", "# Settings", "",
        "`ultan config` lists them, `ultan config KEY VALUE` sets one in `config.toml` of the home.",
        "A variable of the environment wins over the file: `ULTAN_PRIMING__ENTRIES=2`.",
        "Settings marked ● raise trust or spend: only a person at a terminal can set them.",
        "Settings marked ○ are written into the index, so that a hook reads no TOML.", "",
        "| setting | default | range | meaning |", "|---|---|---|---|",
    ]  # fmt: skip
    for row in settings.TABLE:
        marks = " ●" * row.person_only + " ○" * row.baked
        default = "yes" if row.default is True else "no" if row.default is False else str(row.default)
        default = "" if row.default == () else f"`{default}`" if default else ""
        lines.append(f"| `{row.key}`{marks} | {default} | {span(row).replace('|', chr(92) + '|')} | {row.meaning} |")
    return "\n".join(lines) + "\n"


def exit_codes() -> str:
    """The page of exit codes and every way Ultan can fail."""
    lines = [
        MADE, "", "# Exit codes and errors", "",
        "| code | meaning |", "|---|---|", "| 0 | done |", "| 1 | failed: `error: …` and `hint: …` on stderr |",
        "| 2 | the words of the command were off |", "| 130 | interrupted |",
        "| 141 | nobody reads the answer any more (`ultan list \\| head -1`): ended by SIGPIPE, as other tools are |", "",
        "Hook verbs always end with 0: a memory must never stop the agent.", "",
        "| error | meaning | hint |", "|---|---|---|",
    ]  # fmt: skip
    for error in _tree(errors.UltanError):
        meaning = (error.__doc__ or "").split("\n")[0]
        lines.append(f"| {error.__name__} | {meaning} | {error.hint.replace('|', chr(92) + '|')} |")
    return "\n".join(lines) + "\n"


def _tree(error: type[errors.UltanError]) -> Iterator[type[errors.UltanError]]:
    yield error
    for inner in error.__subclasses__():
        if inner.__module__ == errors.__name__:
            yield from _tree(inner)


def index_format() -> str:
    """The page of the index's format: the docstring of its reader."""
    return f"{MADE}\n\n# Index format\n\n{inspect.cleandoc(index.__doc__ or '')}\n"


def situations_page() -> str:
    """The page of the situations that cues and triggers may name."""
    lines = [
        MADE, "", "# Situations", "",
        "What a prompt is taken for, told by its form and its words; `ultan why PROMPT` says which are on.",
        "An entry is found in a situation if one of its cues speaks of it in the words of notes, or is its name, or",
        "if it has a trigger with `tool: situation` and the name as its `pattern`.", "",
        "| situation | words and phrases of a prompt | words of a note |", "|---|---|---|",
    ]  # fmt: skip
    for title, table in (("what kind of message it is", situations.MESSAGES), ("what is being done", situations.ACTIVITIES)):
        lines.append(f"| *{title}* | | |")
        for name, (words, phrases, described) in table.items():
            told = ", ".join(filter(None, (words, *(f"\u201c{phrase}\u201d" for phrase in phrases)))) or "by form alone"
            lines.append(f"| `{name}` | {told} | {described or 'only by name'} |")
    certain = "a Markdown file written, `git commit`, `git push`, a merge, a package added, a tree deleted"
    lines += ["", f"A tool call is in a situation only where that is certain: {certain}."]
    return "\n".join(lines) + "\n"


PAGES = {
    "reference/situations.md": situations_page,
    "reference/index-format.md": index_format,
    "reference/cli.md": cli,
    "reference/settings.md": settings_page,
    "reference/exit-codes.md": exit_codes,
}


def main() -> int:
    """Write every page; the exit status."""
    for name, page in PAGES.items():
        (HERE / name).write_text(page(), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
