"""Drift: a strong entry that goes unused or fits no more is asked about once, by a model on its own words, else in ``review``."""

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass

from ultan.errors import LanguageModelError
from ultan.library.actions import Action, Affirm, Update
from ultan.library.held import pending
from ultan.library.retention import Fading, renewed_on
from ultan.library.snapshot import Library
from ultan.llm import LanguageModel
from ultan.staff import drift as staff
from ultan.staff import scholar
from ultan.staff.proposals import Suggestion, Verdict
from ultan.verbs.desk import Desk
from ultan.verbs.nearest import nearest_entries

STILL_UNUSED = 0.0625
"""Retention after twice the time in which a trace falls to a quarter: a model said stay, and still nobody used it."""
AGAIN = ":again"
MOST_QUESTIONS = 5  # a run: a person asked for more at once answers none


@dataclass(frozen=True, slots=True)
class Asked:
    """What came of asking.

    Attributes:
        held: entries that wait in ``review``; ``updated`` those said anew by a model and the scholar.
        kept: entries that a model looked at and left as they are.
        told: why a model could not be asked, or ``""``; its entries are asked about another time.
    """

    held: tuple[str, ...] = ()
    updated: tuple[str, ...] = ()
    kept: tuple[str, ...] = ()
    told: str = ""


NOBODY_ASKED = Asked()


def mark_of(one: Fading, today: str) -> str:
    """The event that stands for a question about this entry since it was last written or relied on."""
    return f"drift:{one.entry.id}:{renewed_on(one.entry, today)}" + (f":{one.cause}" if one.cause else "")


def questions(
    drifting: Iterable[Fading], today: str, asked: Collection[str], waiting: Collection[str] = (), *, thinks: bool
) -> list[tuple[Fading, str, bool]]:
    """Whom to ask about which of *drifting* today: the entry, the event of the question, and whether a model may answer.

    Each is asked about once until it is written or relied on again; *asked* are the events of earlier
    questions, *waiting* the entries that a person is still asked about. What a model looked at (*thinks*) and
    left as it is, and what then goes unused for as long again, is a person's to decide.
    """
    found = []
    for one in sorted(drifting, key=lambda one: (one.retention, one.entry.id)):
        mark = mark_of(one, today)
        if one.entry.id in waiting:
            continue
        if mark not in asked:
            found.append((one, mark, thinks))
        elif thinks and one.retention < STILL_UNUSED and mark + AGAIN not in asked:
            found.append((one, mark + AGAIN, False))
    return found[:MOST_QUESTIONS]


def ask(
    desk: Desk, drifting: Sequence[Fading], library: Library, today: str,
    opened: Callable[[], LanguageModel] | None = None,
) -> Asked:  # fmt: skip
    """What came of asking about *drifting* entries, each once until it is written or relied on again.

    With a model (*opened* when first needed) the librarian proposes an ``update`` that rests on the
    words the entry cites, and the scholar rules; an entry without such words, and every entry
    without a model, waits for the person as an ``affirm``.
    """
    open_now = {getattr(item.action, "entry", "") for item in pending(desk.store)} if library.held else set()
    fresh = questions(drifting, today, library.events, open_now, thinks=opened is not None)
    thinkable = [one for one, _, thinks in fresh if thinks and staff.citable(one.entry)]
    held = _hold(desk, [(one, mark) for one, mark, _ in fresh if one not in thinkable], library)
    updated: list[str] = []
    kept: list[str] = []
    try:
        if opened is not None and thinkable:
            model = opened()
            for one in thinkable:
                (updated if _think(desk, one, library, model, today) else kept).append(one.entry.id)
    except LanguageModelError as error:
        return Asked(held, tuple(updated), tuple(kept), str(error))
    return Asked(held, tuple(updated), tuple(kept))


def _hold(desk: Desk, ones: Sequence[tuple[Fading, str]], library: Library) -> tuple[str, ...]:
    if not ones:
        return ()
    actions: list[Action] = [Affirm(entry=one.entry.id, reason=one.reason[:200]) for one, _ in ones]
    receipt = desk.execute(actions, by="upkeep", why="drift", events=[mark for _, mark in ones], library=library)
    return tuple(item.action.entry for item in receipt.pending if isinstance(item.action, Affirm))


def _think(desk: Desk, one: Fading, library: Library, model: LanguageModel, today: str) -> bool:
    """Whether a model's update of the entry was approved and written, or held where everything is."""
    entry, settings = one.entry, desk.settings
    nearest = nearest_entries(desk.root, library, entry.project)
    suggested = staff.propose(model, entry, one.reason, library, nearest=nearest, name=settings["curation.librarian_model"])
    nothing = Suggestion(action=Update(entry=entry.id), reason="")
    rulings = [(nothing, Verdict(number=0, approve=False, reason="the librarian leaves it as it is"))]
    if suggested:
        verdicts, _ = scholar.rule(
            model, suggested, library, nearest=nearest, project=entry.project, name=settings["curation.scholar_model"]
        )
        rulings = list(zip((item.suggestion for item in suggested), verdicts, strict=True))
    receipt = desk.execute(
        [suggestion.action for suggestion, verdict in rulings if verdict.approve], by="scholar",
        why=f"drift of {entry.id}: " + "; ".join(verdict.reason for _, verdict in rulings),
        session=entry.evidence[0].session, sources={piece.id: piece for piece in staff.citable(entry)},
        mode="ask" if settings["curation.mode"] == "ask" else "auto", events=[mark_of(one, today)],
        rulings=[(suggestion, verdict) for suggestion, verdict in rulings if not verdict.approve],
    )  # fmt: skip
    return bool(receipt.applied or receipt.pending)
