"""A year of work, made up from counted rates and a seed: who needs what on which day.

Nothing here knows how anything is forgotten. A year is a list of days; a day is a list
of happenings: a memory is taught, said again, corrected or needed, or a prompt comes
that needs nothing. Whether a memory is load-bearing (needed again) or noise is known
to the generator alone and never shown to the library.
"""

import math
import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import date, timedelta
from typing import Any

FIRST_DAY = date(2025, 1, 1)
USERS = ("specialist", "juggler", "seasonal")


@dataclass(frozen=True, slots=True)
class Rates:
    """How often things happen; shares counted from labelled sessions (docs/benchmarks/year-rates.json).

    Attributes:
        turns_a_session: prompts in one session.
        durable_share: prompts that teach something.
        reinforces, contradicts: share of what is taught that repeats or corrects.
        kinds: share of each kind among what is taught.
        global_share: share of what is taught that holds everywhere.
        silent_share: prompts that need no memory.
        needed_share: share of what is taught that is ever needed again.
        reversal_share: corrections that are taken back later (assumed: one in ten).
        sessions_a_day: on a working day (assumed).
        gap_days: working days between two needs of a memory that is needed at all: 202 uses of 138
            entries in 150 prompts, 42 prompts a day; the spread around it is assumed.
    """

    turns_a_session: float = 10.53
    durable_share: float = 0.2993
    reinforces: float = 0.1641
    contradicts: float = 0.0547
    kinds: tuple[tuple[str, float], ...] = (
        ("convention", 0.2656), ("finding", 0.5469), ("preference", 0.125), ("warn", 0.0625),
    )  # fmt: skip
    global_share: float = 0.1172
    silent_share: float = 0.38
    needed_share: float = 0.46
    reversal_share: float = 0.1
    sessions_a_day: float = 4.0
    gap_days: float = 2.4

    def scaled(self, factor: float) -> "Rates":
        """The same year, busier or calmer: everything that is taught and repeated, times *factor*."""
        return replace(
            self,
            durable_share=min(0.9, self.durable_share * factor),
            reinforces=min(0.5, self.reinforces * factor),
            contradicts=min(0.3, self.contradicts * factor),
            gap_days=self.gap_days / factor,
        )


@dataclass(slots=True)
class Memory:
    """One thing that was taught, and the truth about it.

    Attributes:
        key: number, unique in the year; corrections point to what they correct.
        words: what its text is made of; a prompt that needs it shares some of them.
        truth: ``load-bearing`` (needed again and again), ``noise`` (never), or ``spent`` (was needed, is
            no more; not judged).
        every_days: active days of its scope between two needs, on average.
        months: months in which it is needed; empty for all.
        wrong_since: day on which it was corrected, or ``""``.
    """

    key: int
    kind: str
    scope: str
    words: tuple[str, ...]
    born: str
    truth: str
    emphatic: bool
    every_days: float = 0.0
    months: tuple[int, ...] = ()
    corrects: int = -1
    wrong_since: str = ""

    @property
    def load_bearing(self) -> bool:
        """Whether it is needed again and again."""
        return self.truth == "load-bearing"

    @property
    def text(self) -> str:
        """What the person says."""
        return f"{'Always ' if self.emphatic else ''}{' '.join(self.words)} {self.key}."


@dataclass(frozen=True, slots=True)
class Happening:
    """One prompt of the year: ``teach``, ``repeat``, ``correct``, ``need`` or ``nothing``."""

    what: str
    scope: str
    memory: int = -1


@dataclass(frozen=True, slots=True)
class Day:
    """One working day: the projects worked in, and its prompts in order."""

    day: str
    projects: tuple[str, ...]
    happenings: tuple[Happening, ...]


@dataclass(frozen=True, slots=True)
class Year:
    """A user's year: the days on which something happened, and the truth about every memory."""

    user: str
    seed: int
    days: tuple[Day, ...]
    memories: tuple[Memory, ...]


def make_year(user: str, seed: int, rates: Rates | None = None, *, entries: int = 0, days: int = 365) -> Year:
    """The year of one *user* kind; equal seeds give equal years.

    *entries* sets how many memories are taught over the year, about; 0 leaves it to the rates.
    """
    rates = rates or Rates()
    rng = random.Random(f"{user}/{seed}/{rates}")  # noqa: S311 -- a simulation, not a secret
    words = [_word(rng) for _ in range(4000)]
    per_day = rates.sessions_a_day * rates.turns_a_session
    if entries:
        working = sum(1 for _ in _working_days(user, random.Random(rng.random()), days))  # noqa: S311
        taught = rates.durable_share * (1 - rates.reinforces - rates.contradicts)
        per_day = entries / max(1, working) / taught
    memories: list[Memory] = []
    reversals: list[tuple[str, int]] = []
    made = []
    for today, projects in _working_days(user, rng, days):
        happenings = []
        for _ in range(max(1, round(rng.gauss(per_day, per_day / 4)))):
            project = rng.choice(projects)
            happenings.append(_prompt(rng, rates, today, project, memories, reversals, words))
        happenings += _needs(rng, today, projects, memories)
        due = [key for day, key in reversals if day <= today and not memories[key].wrong_since]
        for key in due:
            happenings.append(_correct(rng, today, memories, key, words))
        reversals = [(day, key) for day, key in reversals if day > today]
        made.append(Day(today, tuple(projects), tuple(happenings)))
    return Year(user, seed, tuple(made), tuple(memories))


def year_of(plain: Mapping[str, Any]) -> Year:
    """The year that another generator tells in plain lists and tables (``tests/bench/second_year.py``)."""
    days = tuple(
        Day(one["day"], tuple(one["projects"]), tuple(Happening(*each) for each in one["happenings"])) for one in plain["days"]
    )
    memories = tuple(Memory(**{**one, "words": tuple(one["words"])}) for one in plain["memories"])
    return Year(plain["user"], plain["seed"], days, memories)


def _working_days(user: str, rng: random.Random, days: int) -> Iterator[tuple[str, list[str]]]:
    """Days with the projects worked in; weekends, holidays and quiet projects left out."""
    names = {"specialist": ["alpha"], "juggler": ["alpha", "beta", "gamma", "delta"], "seasonal": ["alpha", "winter", "summer"]}[user]
    holiday = rng.randrange(150, 230)
    quiet_from = {name: rng.randrange(40, 200) for name in names[1:]}
    for number in range(days):
        day = FIRST_DAY + timedelta(days=number)
        if day.weekday() >= 5 or holiday <= number < holiday + 21:
            continue
        if user == "seasonal":
            worked = ["alpha", "winter"] if day.month in (11, 12, 1, 2) else ["alpha", "summer"] if day.month in (5, 6, 7, 8) else ["alpha"]
        elif user == "juggler":
            worked = [name for name in names if name == "alpha" or not quiet_from[name] <= number < quiet_from[name] + 90]
            worked = rng.sample(worked, min(2, len(worked)))
        else:
            worked = names
        yield day.isoformat(), worked


def _word(rng: random.Random) -> str:
    return "".join(rng.choice("bdfgklmnprstvz") + rng.choice("aeiou") for _ in range(rng.randrange(2, 5)))


def _prompt(
    rng: random.Random, rates: Rates, today: str, project: str, memories: list[Memory],
    reversals: list[tuple[str, int]], words: list[str],
) -> Happening:  # fmt: skip
    scope = f"project:{project}"
    if rng.random() >= rates.durable_share:
        return Happening("nothing", scope)
    lot = rng.random()
    alive = [one for one in memories[-400:] if one.load_bearing and not one.wrong_since and one.scope in (scope, "global")]
    if alive and lot < rates.reinforces:
        return Happening("repeat", scope, rng.choice(alive).key)
    if alive and lot < rates.reinforces + rates.contradicts:
        made = _correct(rng, today, memories, rng.choice(alive).key, words)
        if rng.random() < rates.reversal_share:
            later = date.fromisoformat(today) + timedelta(days=rng.randrange(10, 120))
            reversals.append((later.isoformat(), made.memory))
        return made
    kind = rng.choices([name for name, _ in rates.kinds], [share for _, share in rates.kinds])[0]
    load_bearing = rng.random() < rates.needed_share
    memories.append(
        Memory(
            key=len(memories), kind=kind, scope="global" if rng.random() < rates.global_share else scope,
            words=tuple(rng.sample(words, 8)), born=today, truth="load-bearing" if load_bearing else "noise",
            emphatic=rng.random() < (0.4 if load_bearing else 0.1), every_days=_gap(rng, rates),
            months=tuple(sorted(rng.sample(range(1, 13), 4))) if rng.random() < 0.05 else (),
        )
    )  # fmt: skip
    return Happening("teach", scope, len(memories) - 1)


def _gap(rng: random.Random, rates: Rates) -> float:
    """Working days between two needs: a heavy tail over the counted mean, between 1 and 60."""
    spread = 0.9
    return min(60.0, max(1.0, rng.lognormvariate(math.log(rates.gap_days), spread) * math.exp(spread**2 / 2)))


def _correct(rng: random.Random, today: str, memories: list[Memory], key: int, words: list[str]) -> Happening:
    old = memories[key]
    old.wrong_since = today
    memories.append(
        replace(
            old, key=len(memories), words=(*old.words[:6], *rng.sample(words, 2)), born=today, corrects=key, wrong_since="",
            emphatic=rng.random() < 0.5,
        )
    )
    return Happening("correct", old.scope, len(memories) - 1)


def _needs(rng: random.Random, today: str, projects: list[str], memories: list[Memory]) -> list[Happening]:
    scopes = {"global", *(f"project:{name}" for name in projects)}
    month = int(today[5:7])
    return [
        Happening("need", one.scope if one.scope != "global" else f"project:{projects[0]}", one.key)
        for one in memories
        if one.load_bearing and not one.wrong_since and one.scope in scopes and one.born < today
        and (not one.months or month in one.months) and rng.random() < 1.0 / one.every_days
    ]  # fmt: skip
