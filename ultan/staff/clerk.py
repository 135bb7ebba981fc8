"""Transcript → Proposal by rules alone: what the person plainly dictated, at no cost.

The clerk reads only the person's own words (origins ``user``, ``answer``, ``rejection``). Each
statement is weighed by its cues; what weighs enough becomes a draft of a rule in the person's
words, with what it leaves out looked up in what was just said. Drafts of one session are settled
among themselves (the last word wins) and then against the library: known → reinforce, corrected
→ supersede, else create.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from math import fsum
from typing import TYPE_CHECKING

from ultan.events import ANSWER, PERSON, REJECTION, Piece, Transcript
from ultan.library.actions import Cite, Create, Reinforce
from ultan.staff import drafting, relations, subjects
from ultan.staff.cues import table
from ultan.staff.kinds import kind_of
from ultan.staff.proposals import Proposal, Suggestion
from ultan.staff.statements import Heard, Statement, statements
from ultan.staff.subjects import Subject
from ultan.staff.weights import THRESHOLD, WEIGHTS

if TYPE_CHECKING:
    from ultan.library.entry import Entry
    from ultan.library.snapshot import Library

Nearest = Callable[[str, int], Sequence["Entry"]]
CORRECTIVE = 1.2  # weight from which a statement is heard where it takes back what an entry says
CONFIRMED = 2  # trust rank of an entry that a person stated or confirmed
MOST = 20  # suggestions in a proposal; the weightiest are kept
MOST_HEARD = 100  # drafts of a session that are compared with each other
LOOK_BACK = 4  # statements in which an omitted object or value is looked up
NEAREST = 12
AMENDING = frozenset(("correction", "opposite", "onward", "protest", "swapped"))
DANGLING = frozenset(("anaphor", "offtopic"))
ABOUT_CONDUCT = frozenset(("pronoun", "protest", "mannered"))
ABSURD = "it asks for exactly what it forbids"
TAKEN_BACK = "the person said the opposite later in the session"
TOO_MANY = f"of a session the {MOST} plainest rules are kept"
SMALL = 200  # live entries up to which every one is compared


@dataclass(frozen=True, slots=True)
class Draft:
    """A rule on its way into the library."""

    rule: str
    subject: Subject
    score: float
    position: int
    cites: tuple[Cite, ...]
    statement: Statement
    why: str = ""
    origin: str = "user"
    question: str = ""
    marks: frozenset[str] = field(default_factory=frozenset)

    @property
    def amends(self) -> bool:
        """Whether it is said in words that change what held before."""
        return bool(self.marks & AMENDING)


@dataclass(frozen=True, slots=True)
class Considered:
    """A proposal, and what was heard but turned down."""

    proposal: Proposal
    turned_down: tuple[tuple[Suggestion, str], ...] = ()


def propose(
    transcript: Transcript,
    library: "Library",
    *,
    nearest: Nearest | None = None,
    threshold: float = THRESHOLD,
) -> Proposal:
    """What the person dictated in *transcript* after its overlap, as actions on *library*.

    *nearest* gives the entries closest to a text; without it, and in a small library, all that count
    here are compared. *threshold* is the weight from which a statement is proposed. The same
    transcript and library give the same proposal.
    """
    return consider(transcript, library, nearest=nearest, threshold=threshold).proposal


def consider(
    transcript: Transcript,
    library: "Library",
    *,
    nearest: Nearest | None = None,
    threshold: float = THRESHOLD,
) -> Considered:
    """What :func:`propose` proposes, and what was heard but is not proposed, with the reason."""
    compared = _Compared(library, transcript.project, nearest)
    heard = _weightiest(drafts_of(transcript, threshold, heard_from=min(threshold, CORRECTIVE)), MOST_HEARD)
    plain = [draft for draft in heard if draft.score >= threshold or _corrects(draft, compared)]
    lasting, dropped = settled(plain)
    drafts = _weightiest(lasting, MOST)
    dropped += [(draft, TOO_MANY) for draft in lasting if draft not in drafts]
    return Considered(
        Proposal(suggestions=tuple(_suggestion(draft, compared) for draft in drafts)),
        tuple(
            (Suggestion(action=_creation(draft, compared, ())), reason) for draft, reason in dropped[:MOST]
        ),
    )


class _Compared:
    """The entries that a draft may repeat or correct, each looked up once."""

    def __init__(self, library: "Library", project: str, nearest: Nearest | None) -> None:
        self.project = project
        self._library, self._nearest = library, nearest
        self._live = list(library.live(project or None))
        self._known: dict[str, Sequence[Entry]] = {}

    def elsewhere(self, draft: Draft) -> bool:
        """Whether the person said the same in another project."""
        words = draft.subject.words
        return bool(words) and any(
            relations.same(draft.subject, drafting.subject_of_entry(entry))
            for entry in self._library.entries.values()
            if entry.project not in ("", self.project) and entry.status == "active" and entry.trust_rank >= CONFIRMED
            and 2 * sum(word in entry.rule.lower() for word in words) >= len(words)
        )  # fmt: skip

    def __call__(self, draft: Draft) -> Sequence["Entry"]:
        """Its neighbours, and whatever has the same subject; in a small library, all."""
        if self._nearest is None or len(self._live) <= SMALL:
            return self._live
        if draft.rule not in self._known:
            close = {entry.id: entry for entry in self._nearest(draft.rule, NEAREST)}
            named = draft.subject.named
            close |= {entry.id: entry for entry in self._live if named and entry.subject == named}
            self._known[draft.rule] = list(close.values())
        return self._known[draft.rule]


def _corrects(draft: Draft, compared: _Compared) -> bool:
    """Whether *draft* takes back what an entry says; a rule that stands makes its correction plainer."""
    theirs = (drafting.subject_of_entry(entry) for entry in compared(draft) if entry.trust_rank >= CONFIRMED)
    return any(relations.replaces(draft.subject, subject, amends=draft.amends) for subject in theirs)


def _weightiest(drafts: Sequence[Draft], most: int) -> list[Draft]:
    """The *most* weighty of *drafts*, in the order in which they were said."""
    ranked = sorted(range(len(drafts)), key=lambda number: -drafts[number].score)[:most]
    return [drafts[number] for number in sorted(ranked)]


def drafts_of(
    transcript: Transcript, threshold: float = THRESHOLD, *, heard_from: float | None = None
) -> list[Draft]:
    """Everything in *transcript* that reads like a standing rule, in order.

    *threshold* is the weight of a plain rule; from *heard_from* on, weaker ones are given, too.
    """
    bounds = (threshold if heard_from is None else heard_from, threshold)
    drafts: list[Draft] = []
    said: list[Heard] = []
    for number, piece in enumerate(transcript.pieces):
        if piece.origin not in PERSON:
            continue
        if number < transcript.overlap:
            said += [Heard(piece.id, statement) for statement in statements(piece.text)]
        elif piece.origin == ANSWER:
            drafts += _from_answer(piece, number)
        else:
            drafts = _hear(piece, number, said, drafts, bounds)
    return drafts


def settled(drafts: Iterable[Draft]) -> tuple[list[Draft], list[tuple[Draft, str]]]:
    """*drafts* without repetition and contradiction, and what that leaves out, with the reason.

    What is said again adds evidence, the last word wins, and what nobody can follow is no rule.
    """
    kept: list[Draft] = []
    dropped: list[tuple[Draft, str]] = []
    for draft in drafts:
        if draft.subject.is_absurd:
            dropped.append((draft, ABSURD))
            continue
        back = [old for old in kept if relations.replaces(draft.subject, old.subject, amends=draft.amends)]
        dropped += [(old, TAKEN_BACK) for old in back]
        kept = [old for old in kept if old not in back]
        for place, old in enumerate(kept):
            if relations.same(draft.subject, old.subject) or relations.same(old.subject, draft.subject):
                kept[place] = replace(
                    old, cites=(*old.cites, *draft.cites)[:6], score=max(old.score, draft.score)
                )
                break
        else:
            kept.append(draft)
    return kept, dropped


def weigh(statement: Statement, origin: str = "user") -> float:
    """How plainly *statement* lays down a rule."""
    marks = [WEIGHTS.get(mark, 0.0) for mark in statement.marks]
    return fsum((*marks, WEIGHTS["rejection"] if origin == REJECTION else 0.0))  # exact: sets have no order


def _hear(
    piece: Piece, number: int, said: list[Heard], drafts: list[Draft], bounds: tuple[float, float]
) -> list[Draft]:
    """*drafts* and what *piece* adds to them; *said* grows by its statements.

    *bounds* are the weights from which a statement is heard, and from which it is a plain rule.
    """
    read = statements(piece.text)
    for place, statement in enumerate(read):
        heard = Heard(piece.id, statement)
        score = weigh(statement, piece.origin)
        if score >= bounds[0]:
            before = drafting.left_out(statement, said[-LOOK_BACK:])
            if before is None and _dangles(statement):
                said.append(heard)
                continue  # what it speaks of was never said here
            drafts = _added(
                drafts,
                _draft(heard, before, read[place + 1 : place + 3], score, number, piece.origin),
                before,
                bounds[1],
            )
        said.append(heard)
    return drafts


def _dangles(statement: Statement) -> bool:
    """Whether it points at something that was never said here, and is not about how the agent behaves."""
    return statement.marks >= DANGLING and not statement.marks & ABOUT_CONDUCT


def _draft(
    heard: Heard, before: Heard | None, after: list[Statement], score: float, number: int, origin: str
) -> Draft:
    statement = heard.statement
    parts = [before, heard] if before else [heard]
    rule = drafting.rule_text([part.statement for part in parts])
    why = " ".join(later.text for later in after if "reason" in later.marks and weigh(later) < THRESHOLD)
    return Draft(
        rule=rule,
        subject=subjects.subject_of(rule, table(statement.language)),
        score=score,
        position=number,
        cites=tuple(Cite(event=part.piece, quote=part.statement.text[:1000]) for part in parts),
        statement=statement,
        why=why[:1000],
        origin=origin,
        marks=statement.marks,
    )


def _added(drafts: list[Draft], draft: Draft, before: Heard | None, plain: float) -> list[Draft]:
    """*drafts* with *draft*; if it leans on a statement that is drafted already, the two become one.

    A *plain* rule and a weak remark do not: the remark must not speak with the weight of the rule.
    """
    if before is None:
        return [*drafts, draft]
    cited = before.statement.text[:1000]
    for place, old in enumerate(drafts):
        if any(cite.event == before.piece and cite.quote == cited for cite in old.cites):
            if (old.score >= plain) != (draft.score >= plain):
                return [*drafts[:place], old if old.score > draft.score else draft, *drafts[place + 1 :]]
            merged = draft if drafting.says_more(draft.subject, old.subject) else old
            cites = tuple(dict.fromkeys((*old.cites, *draft.cites)))[:6]
            joined = replace(merged, cites=cites, score=max(old.score, draft.score), why=old.why or draft.why)
            return [*drafts[:place], joined, *drafts[place + 1 :]]
    return [*drafts, draft]


def _from_answer(piece: Piece, number: int) -> list[Draft]:
    """A question of the client's dialog that the person answered: a decision, unless it only said go on."""
    asked = statements(piece.about)
    answered = statements(piece.text)
    if not answered or not piece.about.strip():
        return []
    marks = frozenset().union(*(statement.marks for statement in answered))
    momentary = any("oneoff" in statement.marks for statement in (*asked, *answered))
    if momentary and not marks & {"standing", "never"}:
        return []
    text = f"{piece.about.strip()} {piece.text.strip()}"[:1100]
    subject = subjects.subject_of(text, table(answered[0].language))
    cite = Cite(event=piece.id, quote=piece.text.strip()[:1000])
    return [
        Draft(text, subject, THRESHOLD + 1, number, (cite,), answered[0], origin=ANSWER, question=piece.about.strip(),
              marks=marks)
    ]  # fmt: skip


def _suggestion(draft: Draft, compared: _Compared) -> Suggestion:
    supersedes: list[Entry] = []
    known: Entry | None = None
    for entry in compared(draft):
        theirs = drafting.subject_of_entry(entry)
        if relations.replaces(draft.subject, theirs, amends=draft.amends):
            supersedes.append(entry)
        elif known is None and relations.same(draft.subject, theirs):
            known = entry
    if known and not supersedes:
        return Suggestion(
            action=Reinforce(entry=known.id, evidence=draft.cites), reason="the person said it again"
        )
    return Suggestion(
        action=_creation(draft, compared, supersedes),
        reason=_reason(draft, [entry.id for entry in supersedes]),
    )


def _creation(draft: Draft, compared: _Compared, corrected: Sequence["Entry"]) -> Create:
    supersedes = [entry.id for entry in corrected]
    project = compared.project
    is_global = not project or drafting.is_global(draft.statement, elsewhere=compared.elsewhere(draft))
    cues = table(draft.statement.language)
    topic = drafting.topic_of(draft.subject)
    return Create(
        folder=("global/" if is_global else f"projects/{project}/") + topic,
        kind=kind_of(draft.statement, draft.origin),
        title=drafting.title_of(draft.rule, cues),
        rule=draft.rule,
        why=draft.why,
        subject=draft.subject.named,
        **drafting.details_of(draft.subject, draft.rule, cues),
        evidence=draft.cites,
        salience="contradicts" if supersedes or "correction" in draft.marks else "novel",
        supersedes=tuple(supersedes[:8]),
    )


# What the heaviest marks mean to whoever reads the log; the others only add weight.
_SIGNS = {
    "noted": "asked to remember it", "entrust": "asked to remember it", "entrusted": "asked to remember it",
    "rejection": "refused a step", "correction": "corrected the agent", "protest": "objected", "refused": "objected",
    "reminder": "had said it before", "taste": "said what they like", "onward": "spoke of from now on", "standing": "spoke of always",
    "never": "spoke of never", "universal": "spoke of all cases", "everywhere": "spoke of all cases", "local": "spoke of this project",
    "required": "said what must be", "ordained": "laid it down", "declared": "laid it down", "principle": "laid it down",
    "decide": "decided it", "forbid": "forbade it", "forbidden": "forbade it", "swapped": "said what to take instead",
}  # fmt: skip
_SIGNS_TOLD, _HEARD_CHARS = 2, 80


def _reason(draft: Draft, supersedes: list[str]) -> str:
    marks = sorted(draft.marks & _SIGNS.keys(), key=lambda mark: (-WEIGHTS.get(mark, 0.0), mark))
    signs = list(dict.fromkeys(_SIGNS[mark] for mark in marks))[:_SIGNS_TOLD]
    what = f"corrects {', '.join(supersedes)}; " if supersedes else ""
    heard = draft.cites[0].quote if draft.cites else ""
    quote = heard if len(heard) <= _HEARD_CHARS else heard[: _HEARD_CHARS - 1].rstrip() + "…"
    return f"{what}the person {', '.join(signs) or 'said so'}: {' '.join(quote.split())}"[:600]
