"""Import: what somebody wrote down elsewhere becomes entries, in one operation that one undo takes back.

A file of instructions (CLAUDE.md, AGENTS.md, .cursorrules) gives one entry for each rule in it;
a folder one for each markdown file. Entries of another library, exported or in its folder, come as they
are, each to its own place, unless a scope is asked for. What says nothing new is left out and counted;
what cannot be read is named.
"""

import io
import os
import re
import zipfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import frontmatter
import yaml  # type: ignore[import-untyped]  # no stubs are installed with it
from pydantic import ValidationError

from ultan import home
from ultan.errors import InvalidEntry, LibraryError, UsageError
from ultan.library.account import about
from ultan.library.actions import Action, Bring, Create
from ultan.library.entry import KINDS, Entry, parse
from ultan.redaction import redact
from ultan.verbs.desk import Desk

INSTRUCTIONS = ("claude.md", "claude.local.md", "agents.md", "gemini.md", ".cursorrules", ".windsurfrules", "copilot-instructions.md")
SKIPPED = frozenset(("readme.md", "index.md", "log.md"))
FILE_BYTES = 64 << 20
RULE_CHARS, HOW_CHARS, TITLE_CHARS = 1200, 4000, 120
_ITEM = re.compile(r"^(?P<indent>\s*)(?:[-*+]|\d+[.)])\s+(?P<text>.+)$")
_HEADING = re.compile(r"^#{1,6}\s+(?P<text>.+?)\s*#*$")
_PLAIN = re.compile(r"[^a-z0-9]+")


@dataclass(frozen=True, slots=True)
class Text:
    """One thing to keep, before it is an action: *topic* is the folder below the scope."""

    origin: str
    title: str
    text: str
    topic: str = ""
    tags: tuple[str, ...] = ()
    kind: str = ""
    cues: tuple[str, ...] = ()
    entry: Entry | None = None  # what it is in the library it comes from


@dataclass(frozen=True, slots=True)
class Imported:
    """What an import brought, or with a dry run would bring.

    Attributes:
        entries: ids (titles in a dry run); ``known`` how many said nothing new.
        skipped: (where, why).
        redacted: secrets that were masked.
    """

    source: str
    entries: tuple[str, ...]
    known: int
    skipped: tuple[tuple[str, str], ...]
    redacted: int
    number: int
    is_dry_run: bool


def import_(
    desk: Desk, source: str, *, scope: str, kind: str = "", is_dry_run: bool = False, keeps_places: bool = False
) -> Imported:  # fmt: skip
    """The entries of *source* in *scope* (``global`` or ``project:<slug>``).

    With *keeps_places* entries of another library keep the place, history and trust they have there.

    Raises:
        UsageError: *source* is not there, or nothing in it can be imported.
    """
    skipped: list[tuple[str, str]] = []
    texts = list(_texts(source, skipped, desk.root))
    if not texts and not skipped:
        raise UsageError(f"{source} holds no markdown", "a folder, a .zip of ultan export, CLAUDE.md, or any .md file")
    top = f"projects/{scope.removeprefix('project:')}" if scope.startswith("project:") else "global"
    known, redacted = 0, 0
    actions: list[Action] = []
    library = desk.library
    said = {_key(entry.rule) for entry in library.entries.values()}
    there = {entry.raw.strip() for pool in (library.entries, library.archived) for entry in pool.values()}
    for text in texts:
        entry = text.entry if keeps_places else None
        if entry is None and text.entry is not None and text.entry.shelved:
            continue  # what its own library put away is no new rule
        clean, masked = redact(entry.raw if entry else text.text)
        redacted += masked
        key = _key(entry.rule if entry else _head(clean, RULE_CHARS)[0])
        is_past = entry is not None and (entry.shelved or bool(entry.superseded_by))
        if clean.strip() in there or (key in said and not is_past):
            known += 1
            continue
        if not is_past:
            said.add(key)
        try:
            actions += [Bring(path=entry.path, text=clean)] if entry else _creates(text, clean, top, kind)
        except ValidationError as error:
            skipped.append((text.origin, error.errors()[0]["msg"]))
    if is_dry_run or not actions:
        titles = tuple(about(action).removesuffix(".md") for action in actions)
        return Imported(source, titles, known, tuple(skipped), redacted, 0, is_dry_run)
    receipt = desk.execute(actions, by="import", why=f"imported from {os.path.basename(source.rstrip(os.sep))}")
    skipped += [(about(refusal.action), refusal.reason) for refusal in receipt.refused]
    if not receipt.applied:
        raise LibraryError(receipt.refused[0].reason if receipt.refused else "nothing was kept")
    names = tuple(dict.fromkeys(name for _, name, _ in receipt.applied))
    known += len(receipt.applied) - len(names)  # parts of a text that say again what a part before them says
    return Imported(source, names, known, tuple(skipped), redacted, receipt.number, is_dry_run=False)


# --- reading ------------------------------------------------------------------------------------


def _texts(source: str, skipped: list[tuple[str, str]], own: str) -> Iterator[Text]:
    place = os.path.abspath(os.path.expanduser(source))
    if not os.path.exists(place):
        raise UsageError(f"{source} is not there")
    if os.path.isdir(place):
        for path in _walk(place, os.path.realpath(own)):
            yield from _file(os.path.join(place, path), path, skipped)
    elif place.lower().endswith(".zip"):
        yield from _zip(place, skipped)
    else:
        yield from _file(place, os.path.basename(place), skipped)


def _walk(folder: str, own: str) -> Iterator[str]:
    """Markdown below *folder*, by name; hidden folders, links and the home we write to, *own*, are passed over."""
    for here, folders, files in os.walk(folder):
        folders[:] = sorted(
            name for name in folders if not name.startswith(".") and os.path.realpath(os.path.join(here, name)) != own
        )
        for name in sorted(files):
            path = os.path.join(here, name)
            if name.lower().endswith(".md") and not name.startswith(".") and not os.path.islink(path):
                yield os.path.relpath(path, folder)


def _zip(place: str, skipped: list[tuple[str, str]]) -> Iterator[Text]:
    try:
        with zipfile.ZipFile(io.BytesIO(home.read(place, FILE_BYTES))) as archive:
            for member in sorted(archive.infolist(), key=lambda member: member.filename):
                name = member.filename.removeprefix("knowledge/")
                if name.lower().endswith(".md") and member.file_size <= FILE_BYTES:
                    yield from documents(archive.read(member).decode("utf-8", "replace"), name, skipped)
    except zipfile.BadZipFile:
        skipped.append((place, "it is no zip file"))


def _file(place: str, name: str, skipped: list[tuple[str, str]]) -> Iterator[Text]:
    try:
        raw = home.read(place, FILE_BYTES + 1)
    except OSError as error:
        skipped.append((name, error.strerror or str(error)))
        return
    if len(raw) > FILE_BYTES:
        skipped.append((name, f"it is larger than {FILE_BYTES >> 20} MB"))
        return
    try:
        text = raw.decode("utf-8").replace("\r\n", "\n").removeprefix("\ufeff")
    except UnicodeDecodeError:
        skipped.append((name, "it is not UTF-8"))
        return
    if os.path.basename(name).lower() in INSTRUCTIONS:
        yield from rules(text, name)
    else:
        yield from documents(text, name, skipped)


def rules(text: str, origin: str) -> Iterator[Text]:
    """Each rule of a file of instructions: a list item with its continuation, or a paragraph; under its headings.

    Code blocks, tables and imports (``@path``) are no rules.
    """
    heading, block = "", list[str]()
    in_code = False
    for line in [*text.split("\n"), ""]:
        if line.lstrip().startswith(("```", "~~~")):
            in_code = not in_code
            continue
        if in_code or line.lstrip().startswith(("|", "@", "<!--", ">")):
            continue
        found, item = _HEADING.match(line), _ITEM.match(line)
        if found or not line.strip() or (item and len(item["indent"]) < 2):
            yield from _rule(block, heading, origin)
            block = [item["text"]] if item else []
            heading = found["text"] if found else heading
        else:
            block.append(item["text"] if item else line.strip())


def _rule(block: list[str], heading: str, origin: str) -> Iterator[Text]:
    text = " ".join(block).strip()
    if len(text.split()) < 3 or text.endswith(":"):
        return
    yield Text(origin, _title(text), text, tags=(_slug(heading),) if heading else (), cues=(heading[:200],) if heading else ())


def documents(text: str, name: str, skipped: list[tuple[str, str]]) -> Iterator[Text]:
    """A markdown file as one text; frontmatter that we know is used."""
    name = name.replace(os.sep, "/").removeprefix("knowledge/")
    if os.path.basename(name).lower() in SKIPPED:
        return
    entry = _entry(text, name)
    if entry is None and name.startswith("_archive/"):
        return
    try:
        front, body = frontmatter.parse(text)
    except (yaml.YAMLError, ValueError) as error:
        skipped.append((name, f"its frontmatter cannot be read: {str(error).splitlines()[0]}"))
        return
    if text.startswith("---\n") and "\n---\n" not in text[4:] + "\n" and not front:
        skipped.append((name, "its frontmatter is never closed"))
        return
    first = next((found["text"] for found in map(_HEADING.match, body.split("\n")) if found), "")
    body = "\n".join(line for line in body.split("\n") if not (first and line.lstrip("# ").strip() == first)).strip()
    title = str(front.get("title") or first or _title(os.path.basename(name)[:-3].replace("-", " ").replace("_", " ")))
    if len(body) < 3:
        skipped.append((name, "it is empty"))
        return
    kind = str(front.get("kind") or front.get("type") or "")
    yield Text(
        name, title, body, "/".join(filter(None, map(_slug, _topic(name)))), _words(front.get("tags")),
        kind if kind in KINDS else "", _words(front.get("applies_when") or front.get("applies-when")), entry,
    )  # fmt: skip


def _entry(text: str, name: str) -> Entry | None:
    """The entry that a library has at *name*; ``None`` for a text that says no id, or lies elsewhere."""
    if not name.removeprefix("_archive/").startswith(("global/", "projects/")):
        return None
    try:
        entry = parse(text, name)
        return entry if frontmatter.parse(text)[0].get("id") == entry.id else None
    except (InvalidEntry, yaml.YAMLError, ValueError):
        return None


def _topic(name: str) -> list[str]:
    parts = name.replace(os.sep, "/").split("/")[:-1]
    return parts[1:] if parts[:1] == ["global"] else parts[2:] if parts[:1] == ["projects"] else parts


def _words(value: object) -> tuple[str, ...]:
    if isinstance(value, str):
        return tuple(filter(None, (part.strip() for part in value.split(","))))
    return tuple(str(part)[:200] for part in value)[:12] if isinstance(value, (list, tuple)) else ()


# --- writing ------------------------------------------------------------------------------------


def _creates(text: Text, clean: str, top: str, kind: str) -> Iterable[Create]:
    """The actions that keep *text*: one, or several where it is longer than an entry may be."""
    folder = "/".join(filter(None, (top, *text.topic.split("/")[:3])))
    title = text.title if len(text.title) >= 3 else f"note {text.title}"
    for number, (rule, how) in enumerate(cut(clean)):
        yield Create(
            folder=folder, kind=kind or text.kind or "convention",  # type: ignore[arg-type]  # validated by the model
            title=(title if not number else f"{title[: TITLE_CHARS - 6]} ({number + 1})")[:TITLE_CHARS],
            rule=rule, how=how, tags=text.tags, applies_when=text.cues,
        )  # fmt: skip


def cut(text: str) -> Iterator[tuple[str, str]]:
    """*text* as pairs of a rule and how to apply it, each within its limits, cut between paragraphs where possible."""
    while text:
        rule, text = _head(text, RULE_CHARS)
        how, text = _head(text, HOW_CHARS)
        yield rule, how


def _head(text: str, most: int) -> tuple[str, str]:
    if len(text) <= most and (most != RULE_CHARS or "\n\n" not in text):
        return text, ""
    for between in ("\n\n", "\n", " "):
        at = text.find(between) if most == RULE_CHARS and between == "\n\n" else text.rfind(between, 0, most)
        if 3 <= at <= most:
            return text[:at].strip(), text[at:].strip()
    return (text, "") if len(text) <= most else (text[:most], text[most:])


def _title(text: str) -> str:
    first = re.split(r"(?<=[.;:])\s", text, maxsplit=1)[0].strip(" .;:*_`")
    cut_off = first[:TITLE_CHARS]
    return first if len(first) <= TITLE_CHARS else cut_off.rpartition(" ")[0] or cut_off


def _slug(text: str) -> str:
    return _PLAIN.sub("-", text.lower()).strip("-")[:40]


def _key(text: str) -> str:
    return " ".join(re.findall(r"\w+", text.casefold()))[:400]
