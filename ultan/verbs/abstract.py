"""Abstract: the deep scan for rules that entries imply; a model judges, or a person in ``review``."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ultan.errors import LanguageModelError
from ultan.library.entry import Entry
from ultan.library.executor import Receipt
from ultan.library.retention import MOST_COUNTED
from ultan.library.snapshot import Library
from ultan.llm import LanguageModel
from ultan.recall.text import terms
from ultan.staff import scan
from ultan.staff.abstraction import Candidate, candidates, drafted
from ultan.staff.proposals import Suggestion, Verdict
from ultan.verbs.desk import Desk

MARK = "judged:"
SAID = "#"  # in a mark, before how often the group's entries had been said again
REPLAYED_FROM = 2  # times more that they were said again since, for the group to be read once more
MOST_JUDGED = 6  # candidates a run that a model looks at
MOST_HELD = 3  # candidates a run that a person is asked about


@dataclass(frozen=True, slots=True)
class Group:
    """Entries that may imply one rule, and the words they share."""

    children: tuple[str, ...]
    shared: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Abstracted:
    """What a scan found, and what came of it.

    Attributes:
        groups: looked at in this run, or with a dry run would be.
        written: ids of new parents; ``held`` how many wait in ``review``.
        vetoed: titles that the scholar turned down; ``refused`` reasons of the executor.
        told: why no model could be asked; nothing is remembered then.
        operation: number for ``undo``; 0 if nothing was written.
    """

    groups: tuple[Group, ...] = ()
    written: tuple[str, ...] = ()
    held: int = 0
    vetoed: tuple[str, ...] = ()
    refused: tuple[str, ...] = ()
    told: str = ""
    operation: int = 0
    is_dry_run: bool = False


def abstract(desk: Desk, *, dry_run: bool = False, opened: Callable[[], LanguageModel] | None = None) -> Abstracted:
    """What a deep scan of the home of *desk* found; *opened* gives the model that judges.

    The scan is a replay: what was said again comes first, and a group that was judged is read once
    more when its entries were said again since (Diekelmann & Born 2010: consolidation replays what
    is salient). Without a model the best groups wait in ``review`` as a draft whose rule a person must say. Otherwise a
    group that was judged, or asked about, is not looked at again.
    """
    library = desk.library
    found = unjudged(library)[: MOST_JUDGED if opened is not None else MOST_HELD]
    groups = tuple(Group(tuple(child.id for child in one.children), one.shared) for one in found)
    if dry_run or not found:
        return Abstracted(groups, is_dry_run=dry_run)
    if opened is None:
        receipt = desk.execute(
            [drafted(one) for one in found], by="upkeep", why="entries that may imply a rule", mode="ask", events=_marks(found)
        )
        return _told(groups, receipt, ())
    settings = desk.settings
    try:
        rulings = scan.judge(
            opened(), found, library, nearest=scan.by_words(library),
            librarian=settings["curation.librarian_model"], judge_name=settings["curation.scholar_model"],
        )  # fmt: skip
    except LanguageModelError as error:
        return Abstracted(groups, told=str(error))
    receipt = desk.execute(
        [suggestion.action for suggestion, verdict in rulings if verdict.approve], by="scholar",
        why="deep scan: " + ("; ".join(verdict.reason for _, verdict in rulings) or "no rule seen"),
        mode="ask" if settings["curation.mode"] == "ask" else "auto", events=_marks(found),
        rulings=[*((item, verdict) for item, verdict in rulings if not verdict.approve), *_unseen(found, rulings)],
    )  # fmt: skip
    vetoed = tuple(str(getattr(item.action, "title", "")) for item, verdict in rulings if not verdict.approve)
    return _told(groups, receipt, vetoed)


def unjudged(library: Library) -> list[Candidate]:
    """The groups worth a look, best first: none that was judged, has its parent, or lies in another group."""
    foreign = set(library.foreign)
    live = [
        entry for entry in library.entries.values()
        if entry.status == "active" and not entry.superseded_by and entry.path not in foreign
    ]  # fmt: skip
    taken = _judged(library)
    covered = [*taken, *(frozenset(map(library.resolve, entry.links)) for entry in live if entry.kind == "abstraction")]
    found: list[Candidate] = []
    for one in candidates(live, terms, frozenset(taken)):
        ids = frozenset(child.id for child in one.children)
        if not any(ids <= other for other in covered):
            found.append(one)
            covered.append(ids)
    return found


def _marks(found: Sequence[Candidate]) -> list[str]:
    return [f"{MARK}{'|'.join(sorted(child.id for child in one.children))}{SAID}{said_again(one.children)}" for one in found]


def _judged(library: Library) -> set[frozenset[str]]:
    """Groups that were judged and are not to be replayed: their entries were hardly said again since."""
    found = set()
    for event in library.events:
        if event.startswith(MARK):
            ids, _, before = event.removeprefix(MARK).partition(SAID)
            group = frozenset(ids.split("|"))
            now = said_again([library.entries[id_] for id_ in group if id_ in library.entries])
            if not before.isdigit() or now < int(before) + REPLAYED_FROM:
                found.add(group)
    return found


def said_again(children: Sequence[Entry]) -> int:
    """How often *children* were said again, together."""
    return sum(min(MOST_COUNTED, max(0, child.reinforced)) for child in children)


def _unseen(found: Sequence[Candidate], rulings: Sequence[tuple[Suggestion, Verdict]]) -> list[tuple[Suggestion, Verdict]]:
    """A veto for each group in which the librarian saw no rule, so that the log says so."""
    seen = [set(getattr(item.action, "children", ())) for item, _ in rulings]
    no = Verdict(number=0, approve=False, reason="the librarian saw no rule in it")
    return [
        (Suggestion(action=drafted(one)), no)
        for one in found
        if not any(ids <= {child.id for child in one.children} for ids in seen)
    ]


def _told(groups: tuple[Group, ...], receipt: Receipt, vetoed: tuple[str, ...]) -> Abstracted:
    written = tuple(id_ for verb, id_, _ in receipt.applied if verb == "abstract")
    refused = tuple(refusal.reason for refusal in receipt.refused)
    return Abstracted(groups, written, len(receipt.pending), vetoed, refused, operation=receipt.number if written else 0)
