"""The bar an action has to clear: whose words it needs, what it may change, what it may say (pure).

Each check raises ``Declined``, or ``Held`` where only a person may decide; what a person asks for or
approves passes most of them.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import date, timedelta
from typing import Any

from ultan.library import actions as act
from ultan.library import grounds as ground
from ultan.library.draft import Declined, Draft, Held
from ultan.library.entry import Entry
from ultan.library.grounds import CONFIRMED, PERSONAL, Grounds

RULE_KINDS = ("convention", "preference", "warn", "abstraction", "decision", "event")


def grounds(draft: Draft, cites: Sequence[act.Cite]) -> Grounds:
    """What *cites* give an action to rest on.

    Raises:
        Declined: a quote that is nowhere, or nothing is cited where something must be.
    """
    found = ground.grounds(
        cites, draft.asked.sources, by=draft.asked.by, session=draft.asked.session, confirmed=draft.asked.confirmed
    )
    if isinstance(found, str):
        raise Declined(found)
    return found


def voiced(draft: Draft, cites: Sequence[act.Cite]) -> Grounds:
    """As ``grounds``; without any evidence it rests on the curator's word, which is the lowest trust."""
    if not cites and not draft.asked.is_person:
        return Grounds(CONFIRMED if draft.asked.confirmed else 0)
    return grounds(draft, cites)


def spoken(draft: Draft, found: Grounds, rule: str) -> str:
    """The person's own words behind *rule*: what is quoted; where a person writes by hand and quotes nothing, the rule."""
    return found.words or (rule if draft.asked.by == "person" else "")


def inherited(draft: Draft, cites: Sequence[act.Cite], parents: Sequence[Entry]) -> Grounds:
    """The lowest trust of the parents and of what is cited."""
    lowest = min(entry.trust_rank for entry in parents)
    if not cites:
        return Grounds(min(lowest, PERSONAL))
    found = grounds(draft, cites)
    return replace(found, trust=min(found.trust, lowest))


def need_person(draft: Draft, what: str) -> None:
    """Decline what only a person at the terminal does."""
    if not draft.asked.is_person:
        raise Declined(f"only a person {what}")


def need_rank(draft: Draft, found: Grounds, entry: Entry, verb: str) -> None:
    """Hold what has less trust than the *entry* that it would change, for a person to decide."""
    if found.trust < entry.trust_rank and not draft.asked.decides:
        raise Held(f"what it cites has less trust than {entry.id}; it may not {verb} it")


def keep_guard(draft: Draft, entry: Entry, cites: Sequence[act.Cite]) -> None:
    """Hold the loss of a guard (a warning, a trigger, a pin) that a model rests on words about something else."""
    is_guard = bool(entry.triggers) or entry.pinned or entry.kind == "warn"
    if draft.asked.by != "scholar" or draft.asked.decides or not is_guard:
        return
    sources = draft.asked.sources or {}
    cited = " ".join(f"{sources[cite.event].about} {cite.quote}" for cite in cites if cite.event in sources)
    known = [entry.title, entry.rule, *entry.tags, *entry.applies_when, *(each.pattern for each in entry.triggers)]
    if ground.is_unsupported(" ".join(known), cited):
        raise Held(f"{entry.id} guards something, and what is cited says nothing about it")


def check_voice(kind: str, scope: str, found: Grounds) -> None:
    """Decline a rule, or something for every project, that nobody said in their own words."""
    if found.trust >= CONFIRMED:
        return
    if kind in RULE_KINDS:
        raise Declined(f"a {kind} needs the person's own words; it cites what is only {found.name}")
    if scope == "global":
        raise Declined(f"what is only {found.name} stays in its project")


def check_rule(draft: Draft, rule: str, scope: str, found: Grounds) -> None:
    """Decline a rule that a person rejected, or that no curator may write by itself."""
    if draft.asked.decides:
        return
    reason = ground.forbidden(rule, scope, found, (*draft.library.tombstones, *draft.tombstones))
    if reason:
        raise Declined(reason)


def check_support(draft: Draft, said: str, cites: Sequence[act.Cite]) -> None:
    """Hold what shares no word with what it cites."""
    if draft.asked.decides:
        return
    pieces = [(draft.asked.sources or {})[cite.event] for cite in cites]
    cited = " ".join(f"{piece.about} {piece.text}" for piece in pieces)
    if ground.is_unsupported(said, cited):
        raise Held("the rule shares no word with what it cites")


def triggers(specs: Iterable[act.TriggerSpec], found: Grounds) -> tuple[tuple[Any, ...], tuple[str, ...]]:
    """The triggers as they may be written, and what was left out of them."""
    specs = tuple(specs)
    if specs and found.trust < CONFIRMED:
        return (), ("triggers left out: they need the person's own words",)
    return ground.triggers_of(specs, found.trust)


def expiry(draft: Draft, wished: str, found: Grounds) -> str:
    """The last day of an entry: as wished where a person speaks, else within ``FINDING_DAYS``."""
    wished = wished if re.fullmatch(r"\d{4}-\d{2}-\d{2}", wished) else ""
    if found.trust >= CONFIRMED:
        return wished
    latest = (date.fromisoformat(draft.asked.today) + timedelta(days=ground.FINDING_DAYS)).isoformat()
    return min(wished, latest) if wished else latest
