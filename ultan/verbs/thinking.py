"""Who proposes: the clerk by rules, or the librarian under the scholar's ruling."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from ultan.errors import LanguageModelError, NotLoggedIn, QuotaReached
from ultan.library.actions import ModelAction
from ultan.library.snapshot import Library
from ultan.llm import LanguageModel
from ultan.settings import Settings
from ultan.staff import clerk, librarian, scholar
from ultan.staff.librarian import Suggested
from ultan.staff.packet import PACKET_CHARS
from ultan.staff.proposals import Suggestion, Verdict
from ultan.staff.tools import Nearest
from ultan.verbs.reading import Reading

MOST_VERDICTS = 40
SPLIT = 3  # a session that failed again and again is read in packets of a third
WHY_CHARS = 600


@dataclass(frozen=True, slots=True)
class Draft:
    """What may be done about one session.

    Attributes:
        actions: approved; ``vetoes`` what was turned down, with its verdict.
        why: the reasons, for the operation log.
        by: ``clerk`` or ``scholar``; decides what the executor allows.
        is_judged: whether somebody looked at what was shown and said what helped.
    """

    actions: tuple[ModelAction, ...] = ()
    vetoes: tuple[tuple[Suggestion, Verdict], ...] = ()
    why: str = ""
    by: str = "clerk"
    is_judged: bool = False


@dataclass(frozen=True, slots=True)
class Failure:
    """A session that could not be read now."""

    error: LanguageModelError


def clerk_draft(reading: Reading, library: Library, nearest: Nearest) -> Draft:
    """What the clerk does about *reading*: all of its proposal; what it turned down goes into the log."""
    considered = clerk.consider(reading.transcript, library, nearest=nearest)
    proposed = considered.proposal.suggestions
    vetoes = [(suggestion, Verdict(number=place, approve=False, reason=reason))
              for place, (suggestion, reason) in enumerate(considered.turned_down)]  # fmt: skip
    reasons = [item.reason for item in proposed if item.reason]
    return Draft(tuple(item.action for item in proposed), tuple(vetoes), why=_joined(reasons))


def staff_drafts(
    ready: Sequence[tuple[Reading, int]], library: Library, model: LanguageModel, settings: Settings, *,
    nearest: Callable[[Reading], Nearest], tries: int, calls_left: Callable[[], int],
) -> Iterator[tuple[Reading, Draft | Failure]]:  # fmt: skip
    """A draft or a failure for each (reading, failures so far), in order.

    They go in waves, each proposed and ruled on before the next begins: a day's cap then leaves
    some sessions finished and the others untouched, not all of them half done. Once a limit or a
    login stands in the way, nobody is asked again.
    """
    most = max(settings["curation.packets"], settings["curation.parallel"])
    waiting, barred = list(ready), None
    while waiting:
        size = min(most, max(1, calls_left() - 1))  # a call is left for the ruling
        wave, waiting = waiting[:size], waiting[size:]
        if barred is not None:
            for reading, _ in wave:
                yield reading, barred if reading.needs_thought else Draft(by="scholar")
            continue
        for reading, outcome in _wave(wave, library, model, settings, nearest, tries):
            if isinstance(outcome, Failure) and isinstance(outcome.error, (QuotaReached, NotLoggedIn)):
                barred = outcome
            yield reading, outcome


def _wave(
    ready: Sequence[tuple[Reading, int]], library: Library, model: LanguageModel, settings: Settings,
    nearest: Callable[[Reading], Nearest], tries: int,
) -> Iterator[tuple[Reading, Draft | Failure]]:  # fmt: skip
    """What came of some sessions, in order.

    The librarian reads ``curation.parallel`` of them at once; one failure touches no other. The
    scholar rules on those of a project together.
    """
    thinking = [(reading, failures) for reading, failures in ready if reading.needs_thought]
    proposed: dict[str, list[Suggested] | Failure] = {}

    def suggest(item: tuple[Reading, int]) -> list[Suggested] | Failure:
        reading, failures = item
        try:
            return librarian.propose(
                model, reading.transcript, library, nearest=nearest(reading),
                name=settings["curation.librarian_model"],
                chars=PACKET_CHARS // SPLIT if failures >= tries else PACKET_CHARS,
            )[0]  # fmt: skip
        except LanguageModelError as error:
            return Failure(error)

    with ThreadPoolExecutor(settings["curation.parallel"]) as pool:
        for (reading, _), outcome in zip(thinking, pool.map(suggest, thinking), strict=True):
            proposed[reading.session] = outcome
    ruled: dict[str, Draft | Failure] = {}
    for group in _groups(thinking, proposed, settings["curation.packets"], tries):
        ruled |= _ruled(group, proposed, library, model, settings, nearest)
    for reading, _ in ready:
        found = proposed.get(reading.session, [])
        if isinstance(found, Failure):
            yield reading, found
        else:
            yield reading, ruled.get(reading.session, Draft(by="scholar", is_judged=reading.needs_thought))


def _groups(
    thinking: Iterable[tuple[Reading, int]], proposed: dict[str, list[Suggested] | Failure], most: int, tries: int
) -> list[list[Reading]]:
    """Sessions that the scholar looks at together: of one project, not too many, troubled ones alone."""
    open_groups: dict[str, list[Reading]] = {}
    done: list[list[Reading]] = []
    for reading, failures in thinking:
        found = proposed[reading.session]
        if isinstance(found, Failure) or not found:
            continue
        if failures >= tries:
            done.append([reading])
            continue
        group = open_groups.setdefault(reading.project, [])
        held = sum(len(_suggested(proposed, each)) for each in group)
        if len(group) >= most or (group and held + len(found) > MOST_VERDICTS):
            done.append(group)
            group = open_groups[reading.project] = []
        group.append(reading)
    return done + [group for group in open_groups.values() if group]


def _suggested(proposed: dict[str, list[Suggested] | Failure], reading: Reading) -> list[Suggested]:
    found = proposed[reading.session]
    return [] if isinstance(found, Failure) else found


def _ruled(
    group: Sequence[Reading], proposed: dict[str, list[Suggested] | Failure], library: Library, model: LanguageModel,
    settings: Settings, nearest: Callable[[Reading], Nearest],
) -> dict[str, Draft | Failure]:  # fmt: skip
    """Session → what the scholar let pass."""
    everything = [(reading, item) for reading in group for item in _suggested(proposed, reading)]
    try:
        verdicts, _ = scholar.rule(
            model, [item for _, item in everything], library, nearest=nearest(group[0]), project=group[0].project,
            name=settings["curation.scholar_model"], session=group[0].session,
        )  # fmt: skip
    except LanguageModelError as error:
        return {reading.session: Failure(error) for reading in group}
    found: dict[str, Draft | Failure] = {}
    for reading in group:
        mine = [(item, verdict) for (owner, item), verdict in zip(everything, verdicts, strict=True) if owner is reading]
        found[reading.session] = Draft(
            tuple(item.suggestion.action for item, verdict in mine if verdict.approve),
            tuple((item.suggestion, verdict) for item, verdict in mine if not verdict.approve),
            _joined([f"{item.suggestion.reason}; scholar: {verdict.reason}" for item, verdict in mine if verdict.approve]),
            by="scholar", is_judged=True,
        )  # fmt: skip
    return found


def _joined(reasons: Iterable[str]) -> str:
    return "; ".join(dict.fromkeys(reason for reason in reasons if reason))[:WHY_CHARS]
