"""Save: what somebody says in so many words lands in the library at once.

Who speaks decides the trust. A person at a terminal is a person. Inside an agent's session
the agent runs the command, so the words count as the person's only if the person typed them
in this session: they are looked up in what was captured, and cited. Otherwise they are the
assistant's, with the trust and the limits of that.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from pydantic import ValidationError

from ultan import spool
from ultan.clients import claude_code, claude_words
from ultan.errors import LibraryError, UsageError
from ultan.events import ASSISTANT, PERSON, USER, Piece, Transcript
from ultan.library.actions import Action, Cite, Create, Kind, TriggerSpec
from ultan.library.entry import check_kind
from ultan.library.executor import Receipt
from ultan.library.snapshot import Library
from ultan.redaction import redact, strip_private
from ultan.staff import clerk, drafting
from ultan.staff.cues import language_of, table
from ultan.staff.kinds import SIGNS, kind_of, signs_of
from ultan.staff.statements import statements
from ultan.staff.subjects import subject_of
from ultan.verbs.desk import Desk, unfit

HOW_WIDELY = frozenset(("law", "everywhere"))  # signs that alone do not tell what sort of memory it is
TITLE_CHARS = 80
RULE_CHARS = 1200
DICTATION = re.compile(r"(?i)^\s*(please\s+)?(remember|save|note|keep)\b(\s+that\b)?\s*[:,]?\s*")
_DAY = re.compile(r"\d{4}-(0[1-9]|1[0-2])(-(0[1-9]|[12]\d|3[01])([ T]\d{1,2}:\d{2}.*)?)?$")
PAST = {"create": "created", "reinforce": "reinforced", "update": "updated", "deprecate": "deprecated"}
TRANSCRIPT_BYTES = 64 << 20
PARTS = ("kind", "title", "folder", "tags", "cues", "files", "triggers")  # of what is given, all but the scope


@dataclass(frozen=True, slots=True)
class Given:
    """What was said beside the text; empty means: find it out.

    Attributes:
        folder: below the scope's own folder, such as ``python/tools``.
        more: further fields of ``actions.Create``.
    """

    kind: str = ""
    scope: str = ""
    title: str = ""
    folder: str = ""
    tags: tuple[str, ...] = ()
    cues: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    triggers: tuple[TriggerSpec, ...] = ()
    more: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Saved:
    """What became of a text: the entry, what was done to it, the number that undoes it."""

    entry: str
    did: str
    title: str
    kind: str
    scope: str
    trust: str
    number: int
    speaker: str
    note: str = ""


def save(desk: Desk, text: str, given: Given, *, project: str, heard: Piece | None = None, session: str = "") -> Saved:
    """The entry that *text* became, or the one that says it already.

    *heard* is the piece of a session the text was said in; None: a person says it here.

    Raises:
        UsageError: nothing to keep, more than an entry holds, an unknown kind, or a part that does not fit.
        LibraryError: the executor refused, with its reason.
    """
    text = _clean(text)
    if len(text) < 3:
        raise UsageError("there is nothing to keep", "ultan save 'Always use uv, never pip'")
    check_kind(given.kind)
    rule, how = _halves(text, given)
    when = given.more.get("when", "")
    if when and not _DAY.match(when):
        raise UsageError(f"{when} is no day", "--when 2026-03-12, or --when '2026-03-12 14:30'")
    piece = Piece(heard.id, heard.origin, _clean(heard.text), heard.at, heard.turn, heard.about) if heard else Piece("", USER, text)
    try:
        action = _action(desk, text, given, piece, project, {"rule": rule, **({"how": how} if how else {})})
    except ValidationError as error:
        raise unfit(error) from None
    if heard is None:
        receipt = desk.execute([action], why="saved by hand")
    else:
        is_heard = piece.origin in PERSON or _may_be_said_by_an_assistant(action)
        receipt = desk.execute(
            [action], by="clerk", why="saved in a session" if is_heard else "an agent asked to keep words you did not type",
            session=session, sources={piece.id: piece}, mode="auto" if is_heard else "ask",
        )  # fmt: skip
    return _saved(desk, receipt, action, "person" if piece.origin in PERSON else piece.origin)


def triggers(words: Sequence[str], *, blocks: bool = False) -> tuple[TriggerSpec, ...]:
    """Triggers in the form ``TOOL:PATTERN``; without a known tool before the colon, of Bash.

    Raises:
        UsageError: an empty pattern, or a longer one than a trigger may have.
    """
    found = []
    for word in words:
        tool, colon, pattern = word.partition(":")
        if not colon or not tool.replace("|", "").replace("*", "").replace("_", "").isalnum():
            tool, pattern = "Bash", word
        if not pattern.strip():
            raise UsageError(f"the trigger {word} has no pattern", "--trigger 'Bash:pip install'")
        try:
            found.append(TriggerSpec(tool=tool, pattern=pattern, severity="block" if blocks else "advise"))
        except ValidationError as error:
            raise unfit(error) from None
    return tuple(found)


@dataclass(frozen=True, slots=True)
class Dictated:
    """What the person typed after `/ultan`, the piece it stands in, and the event that holds it."""

    text: str
    piece: Piece
    event: str


def dictated(root: str, session: str) -> Dictated:
    """The last text dictated to us in *session*, as the prompt's hook queued it; no model had it in its hands.

    Raises:
        UsageError: nothing was.
    """
    for event in reversed(spool.take(root, spool.backlog(root))):
        piece = next((piece for piece in event.pieces if piece.origin in PERSON), None)
        if event.session == session and event.data.get("dictated") and piece:
            return Dictated(DICTATION.sub("", piece.text, count=1).strip(), piece, event.id)
    raise UsageError("nothing was dictated in this session", "/ultan remember: always use uv, never pip")


def heard(root: str, session: str, text: str, environ: Mapping[str, str]) -> Piece:
    """The piece of *session* in which the person said *text*; else the same words as the assistant's.

    Looks through what hooks queued and through the client's own transcript, which alone has the
    words that follow our own commands.
    """
    text = _clean(text)
    wanted = _squeezed(text)
    for piece in _said(root, session, environ):
        if piece.origin in PERSON and wanted in _squeezed(_clean(piece.text)):
            return piece
    return Piece(f"save-{session[:40]}", ASSISTANT, text)


def _said(root: str, session: str, environ: Mapping[str, str]) -> Iterator[Piece]:
    for event in spool.take(root, spool.backlog(root)):
        if event.session == session:
            yield from event.pieces
    path = claude_words.transcript_of(session, environ)
    if path:
        yield from claude_words.told_us(path)
        yield from claude_code.read_transcript(path, 0, TRANSCRIPT_BYTES)[0]


def _clean(text: str) -> str:
    """*text* without what is marked private and without credentials, before anything is read off it."""
    return redact(strip_private(text)[0])[0].strip()


def _squeezed(text: str) -> str:
    return " ".join(text.casefold().split())


def _quote(piece: Piece, text: str) -> str:
    """The exact words of *piece* that say *text*: its own text where white space or case differ."""
    return text[:1000] if text in piece.text else piece.text[:1000]


def _halves(text: str, given: Given) -> tuple[str, str]:
    """*text* as the rule of an entry and, where it is longer than that, how to apply it: nothing is cut off.

    Raises:
        UsageError: it is longer than one entry may be.
    """
    if len(text) <= RULE_CHARS:
        return text, ""
    from ultan.verbs.import_ import HOW_CHARS, cut  # noqa: PLC0415 -- only a long text needs it

    most = RULE_CHARS if given.more.get("how") else RULE_CHARS + HOW_CHARS
    pairs = list(cut(text)) if len(text) <= most else []
    if len(pairs) != 1:
        raise UsageError(
            f"{len(text):,} characters are more than one entry holds (about {most:,})",
            "`ultan import FILE` makes several entries of a long text",
        )
    return pairs[0]


def _action(desk: Desk, text: str, given: Given, piece: Piece, project: str, parts: Mapping[str, str]) -> Action:
    """What to do about *text*, kept as *parts*: the clerk's reading of it, with what was *given* in its place."""
    said = Transcript("", project, [Piece(piece.id or "terminal", USER, text)])
    proposal = clerk.propose(said, _in_scope(desk.library, given.scope, project))
    found = next((item.action for item in proposal.suggestions), None)
    cites = (Cite(event=piece.id, quote=_quote(piece, text)),) if piece.id else ()
    if found is not None and not isinstance(found, Create):
        if any((*(getattr(given, part) for part in PARTS), *given.more.values())):
            raise LibraryError(
                f"{getattr(found, 'entry', 'an entry')} says that already; what else was asked for would be lost",
                "`ultan edit` changes it; without other options, its words are reinforced",
            )
        return found.model_copy(update={"evidence": cites} if "evidence" in type(found).model_fields else {})
    if found is None:
        found = _unjudged(text, parts["rule"], _home_of(given.scope, project))
    wished: dict[str, Any] = {
        "kind": given.kind, "title": given.title, "tags": given.tags, "applies_when": given.cues, "files": given.files,
        "triggers": given.triggers, "folder": _folder(found.folder, given, project), **given.more,
    }  # fmt: skip
    changed = {name: value for name, value in wished.items() if value}
    return Create.model_validate({**found.model_dump(), **changed, **parts, "evidence": cites})


def _unjudged(text: str, rule: str, folder: str) -> Create:
    """What the clerk would not keep by itself and a person wants kept; found by what it reads off all the same."""
    cues = table(language_of(rule))
    subject = subject_of(rule, cues)
    return Create(folder=folder, kind=_kind(text, folder), title=_title(text), rule=rule, **drafting.details_of(subject, rule, cues))


def _kind(text: str, folder: str) -> Kind:
    """What sort of memory words are that the clerk would not keep by itself.

    Who keeps them by hand means them to last, so nothing in them speaks of the moment alone.
    """
    said = next(iter(statements(text)), None)
    lasting = said and replace(said, marks=said.marks - SIGNS["momentary"])
    if lasting and signs_of(lasting) - HOW_WIDELY:
        return kind_of(lasting, USER)
    return "convention" if folder.startswith("projects/") else "preference"


def _in_scope(library: Library, scope: str, project: str) -> Library:
    """*library*; where a scope was asked for, only what stands there, so that nothing elsewhere is taken for it."""
    if not scope:
        return library
    top = _home_of(scope, project) + "/"
    return replace(library, entries={name: entry for name, entry in library.entries.items() if name.startswith(top)})


def _may_be_said_by_an_assistant(action: Action) -> bool:
    """Whether *action* is only a finding of one project; all else waits for a person's word."""
    return isinstance(action, Create) and action.kind == "finding" and action.folder.startswith("projects/")


def _folder(found: str, given: Given, project: str) -> str:
    """Where it goes: the scope that was given, else found; below it the topic that was given, else found."""
    parts = found.split("/")
    depth = 1 if parts[0] == "global" else 2
    top = _home_of(given.scope, project) if given.scope else "/".join(parts[:depth])
    return "/".join(filter(None, (top, given.folder.strip("/") or "/".join(parts[depth:]))))


def _home_of(scope: str, project: str) -> str:
    slug = scope.removeprefix("project:") if scope.startswith("project:") else ("" if scope == "global" else project)
    return f"projects/{slug}" if slug else "global"


def _title(text: str) -> str:
    first = " ".join(text.partition(". ")[0].split()).rstrip(".")
    cut_off = first[:TITLE_CHARS]
    return first if len(first) <= TITLE_CHARS else cut_off.rpartition(" ")[0] or cut_off


def _saved(desk: Desk, receipt: Receipt, action: Action, speaker: str) -> Saved:
    if not receipt.applied:
        if receipt.pending:
            return Saved("", "held", getattr(action, "title", ""), "", "", "", 0, speaker, "`ultan review` shows it")
        raise LibraryError(receipt.refused[0].reason if receipt.refused else "nothing was kept")
    did, name, note = receipt.applied[0]
    entry = desk.library.find(name)
    told = [part for part in note.split("; ") if did != "create" or not part.startswith("strength ")]
    notes = (*told, *receipt.notes)
    return Saved(
        entry.id, PAST.get(did, did), entry.title, entry.kind, entry.scope, entry.trust, receipt.number, speaker,
        "; ".join(filter(None, notes)),
    )  # fmt: skip
