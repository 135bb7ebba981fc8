"""Where a strong entry no longer fits: it is shown where none of its words is said, or a newer entry is at odds with it.

Pure; ``decay`` asks about what is found here (``verbs/drift.py``). Strong traces are revised, not
pruned, and what opens them to revision is a context or a fact that they did not predict (Lee,
Nader & Schiller 2017; Exton-McGuinness et al. 2015).
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from datetime import date, timedelta

from ultan.library.entry import Entry
from ultan.library.grounds import CONFIRMED, stems
from ultan.library.retention import Constants, Fading, is_day, renewed_on

MISPLACED_FROM = 5
"""Showings in a row to prompts without a common word, after which an entry is asked about."""
ABOUT_THE_SAME = 0.34
"""Share of words that two rules have in common that speak about one matter."""
RECENT_DAYS = 60
_NEGATION = re.compile(
    r"(?i)\b(not|never|no|none|without|avoid|stop|don't|doesn't|isn't|nicht|nie|niemals|kein\w*|ohne|ne|pas|jamais|sans"
    r"|nunca|jamás|sin|não|nem|sem|mai|non|senza|не|никогда|без)\b"
)
_NUMBER = re.compile(r"\d+(?:\.\d+)*")


def fits(entry: Entry, prompt: str) -> bool:
    """Whether *prompt* has a word in common with what *entry* says or names as its situations."""
    said = " ".join((entry.title, entry.rule, entry.subject, *entry.tags, *entry.applies_when, *entry.files))
    return bool(stems(said) & stems(prompt))


def are_at_odds(one: str, other: str) -> bool:
    """Whether two rules speak about one matter and differ in a negation or a number."""
    mine, theirs = stems(_plain(one)), stems(_plain(other))
    common = len(mine & theirs)
    if not common or common / len(mine | theirs) < ABOUT_THE_SAME:
        return False
    numbers, others = set(_NUMBER.findall(one)), set(_NUMBER.findall(other))
    return bool(_NEGATION.search(one)) != bool(_NEGATION.search(other)) or (bool(numbers and others) and numbers != others)


def _plain(rule: str) -> str:
    return _NUMBER.sub(" ", _NEGATION.sub(" ", rule))


def tensions(
    standing: Iterable[Fading], today: str, misplaced: Mapping[str, tuple[int, str]], constants: Constants
) -> Iterator[Fading]:
    """The strong entries of *standing* that no longer fit, each once, as drift with its reason.

    *misplaced* says how often in a row an entry was shown where it does not fit, and since when.
    """
    every = [one for one in standing if one.verdict in ("keep", "fade", "drift")]
    since = (date.fromisoformat(today) - timedelta(days=RECENT_DAYS)).isoformat()
    recent = [one.entry for one in every if is_day(one.entry.created) and since <= one.entry.created <= today]
    for one in every:
        entry = one.entry
        if entry.encoding_strength < constants.strong or entry.pinned:
            continue
        newer = next((each for each in recent if _opposes(each, entry, today)), None)
        count, first = misplaced.get(entry.id, (0, ""))
        if newer is not None:
            yield replace(one, verdict="drift", cause=newer.id, reason=f"{newer.id} says otherwise in part: {newer.rule}"[:200])
        elif count >= MISPLACED_FROM and max(entry.last_helpful, entry.last_reinforced) < first:
            yield replace(
                one, verdict="drift", cause="misplaced",
                reason=f"shown {count} times in a row where none of its words was said: is it worded too widely?",
            )  # fmt: skip


def _opposes(newer: Entry, old: Entry, today: str) -> bool:
    return (
        newer.id != old.id
        and newer.trust_rank >= CONFIRMED
        and newer.created > renewed_on(old, today)
        and newer.scope in (old.scope, "global")
        and old.id not in newer.supersedes
        and are_at_odds(newer.rule, old.rule)
    )
