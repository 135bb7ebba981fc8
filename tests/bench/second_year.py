# ruff: noqa: C901, C420, B905, ARG001, PT018, ISC004 -- kept as its author wrote it, who had not seen how entries fade
"""Simulated years of one person working with a coding agent: what happens, and what is true.

The world is drawn for two years and only the first is handed out.  The second serves one purpose: the truth
of a memory is read from what really happens later, not from a label given beforehand.

A happening is one thing that occurs in a prompt.  A prompt that needs two memories is two `need` happenings,
and a prompt that teaches may need something as well, so happenings outnumber prompts.

Counted rates kept at rate 1.0 (mean over years; single years scatter as lives do)
* signals: 78 % new, 16 % repeats, 5.5 % corrections; 0.304 signals a prompt (30 % of prompts teach).
* 38 % of prompts need nothing; the others need 2.17 memories each, hence about 5.3 needs an entry and year.
* kinds of memory, 12 % global, and roughly which share of all needs each kind receives.
Departures, and why
* 10.5 prompts a session and 4 sessions a day cannot hold together with a given `entries`: the shares are
  kept and the number of prompts follows `entries`.  The counted pace is reached near 2,500 entries; a smaller
  year is that year seen through a sample of its prompts, with the same working days.
* "needed every 2.4 working days" describes memories seen in a sample of 3.6 days, which favours those needed
  often.  Here gaps run from a day to a year, so 150 prompts touch about 25 % of the memories, not the counted
  46 %: a few daily ones take a third of all needs.
* `decision` was not counted; 3 % of memories are decisions, taken from the findings.
* At another rate the teaching stays and the rest (needs, repeats, corrections, empty prompts) goes with the
  rate, so the shares above hold at 1.0 only.
"""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from dataclasses import dataclass, field
from datetime import date, timedelta
from itertools import accumulate
from random import Random
from typing import Any

START = date(2025, 1, 1)
YEAR = 365  # days handed out
HORIZON = 2 * YEAR  # days drawn
FASTEST = 1.5  # needs are drawn at this pace and thinned to `rate`, so paces share one world
SLOWEST = 0.5
AROUND = 5  # days that still count as "around the teaching"

REPEATS_PER_MEMORY = 0.1641 / (0.7812 + 0.0547)
CORRECTIONS_PER_MEMORY = 0.0547 / (0.7812 + 0.0547)
PROMPTS_PER_MEMORY = (1 + REPEATS_PER_MEMORY) / (0.2993 * 1.0159)
NOTHING_PER_MEMORY = 0.38 * PROMPTS_PER_MEMORY

KINDS = {"convention": 0.266, "finding": 0.517, "preference": 0.125, "warn": 0.062, "decision": 0.03}
# Assumption: tastes travel with the person, findings stay with the code they were made in.
GLOBAL_SHARE = {"convention": 0.15, "finding": 0.02, "preference": 0.5, "warn": 0.1, "decision": 0.05}
# Assumption: warnings are shouted, findings are not.
EMPHASIS = {"convention": 0.2, "finding": 0.05, "preference": 0.22, "warn": 0.5, "decision": 0.1}

# Situations in which a memory is needed; weights by kind.
SITUATIONS = ("everyday", "regular", "occasional", "month_end", "season", "release",
              "hot_then_rare", "sleeper", "sprint", "idle")
# Assumption: preferences are mostly needed all the time or not at all; findings are hot and then rare;
# warnings wait for their moment.  About two fifths of what is said is never needed again.
MIX = {
    "convention": (5, 14, 13, 5, 3, 4, 10, 3, 9, 34),
    "finding": (1, 7, 14, 3, 4, 4, 14, 5, 12, 36),
    "preference": (13, 22, 11, 2, 2, 2, 7, 3, 4, 34),
    "warn": (5, 12, 15, 5, 6, 6, 9, 9, 6, 27),
    "decision": (2, 9, 15, 2, 3, 5, 14, 5, 16, 29),
}
# Assumption: these are taught mostly while their situation is on.
BOUND = ("month_end", "season", "release")

NAMES = ("alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta", "iota", "kappa", "lambda", "mu",
         "nu", "xi", "omicron", "pi", "rho", "sigma", "tau", "upsilon", "phi", "chi", "psi", "omega")
# Assumption: public holidays of nowhere in particular.
PUBLIC_HOLIDAYS = ((1, 1), (1, 6), (4, 21), (5, 1), (6, 9), (10, 3), (11, 1), (12, 25), (12, 26))


_DATES = [START + timedelta(days=day) for day in range(HORIZON)]
# Assumption: the end of the month is its last four days and the first two of the next.
_MONTH_ENDS = frozenset(day for day, today in enumerate(_DATES)
                        if today.day <= 2 or (today + timedelta(days=4)).month != today.month)


@dataclass(frozen=True)
class Persona:
    """How one kind of user works."""

    week: tuple[float, ...]  # chance of working, Monday to Sunday
    projects: int  # at 300 entries, beside the steady first one
    lives: dict[str, float]  # mix of project lives
    sessions: tuple[int, int]  # sessions a day, from and to
    switching: float  # chance that the next session is in another project
    crunches: tuple[int, int]  # busy bursts a year
    leave: tuple[int, int]  # length of the long holiday
    pace: float  # Assumption: who works fewer days or juggles more meets a subject again sooner when at work
    tilt: dict[str, float] = field(default_factory=dict)  # on the weights of situations


PERSONAS = {
    # Assumption: an employee with one large code base, satellites now and then, office hours, closing of the month.
    "maintainer": Persona(
        week=(0.96, 0.97, 0.97, 0.96, 0.9, 0.04, 0.03), projects=4,
        lives={"steady": 1, "returning": 3, "ending": 1, "starting": 1}, sessions=(2, 6), switching=0.35,
        crunches=(3, 5), leave=(14, 21), pace=1.0, tilt={"month_end": 1.7, "release": 1.3}),
    # Assumption: a contractor goes from client to client; most of it ends, some clients return.
    "contractor": Persona(
        week=(0.93, 0.95, 0.95, 0.95, 0.88, 0.2, 0.1), projects=8,
        lives={"steady": 0, "returning": 3, "ending": 5, "starting": 2}, sessions=(3, 6), switching=0.45,
        crunches=(5, 8), leave=(8, 16), pace=1.5, tilt={"sprint": 1.3, "season": 0.5, "everyday": 1.2}),
    # Assumption: a researcher lives by term and deadline, lets analyses rest for months, works in the evenings.
    "researcher": Persona(
        week=(0.7, 0.8, 0.75, 0.8, 0.65, 0.3, 0.35), projects=5,
        lives={"steady": 0, "returning": 6, "ending": 1, "starting": 1}, sessions=(2, 5), switching=0.25,
        crunches=(3, 5), leave=(14, 28), pace=1.2, tilt={"season": 2.0, "sleeper": 1.6, "month_end": 0.4}),
    # Assumption: a hobbyist codes at weekends, has too many side projects and says much that never matters.
    "weekender": Persona(
        week=(0.25, 0.3, 0.35, 0.3, 0.4, 0.85, 0.8), projects=7,
        lives={"steady": 1, "returning": 5, "ending": 2, "starting": 2}, sessions=(1, 4), switching=0.5,
        crunches=(2, 4), leave=(7, 14), pace=2.6, tilt={"idle": 1.3, "month_end": 0.3, "hot_then_rare": 1.3}),
}
USERS: tuple[str, ...] = tuple(PERSONAS)


@dataclass
class Place:
    """A project, or everywhere (for global memories), with its rhythm."""

    name: str
    weight: float
    spells: list[tuple[int, int]]  # active from (included) to (excluded)
    seasons: list[tuple[int, int]]  # day of the year, length
    release_every: int
    release_phase: int
    days: list[int] = field(default_factory=list)  # with a session, both years

    def spell_start(self, day: int) -> int | None:
        """Start of the spell of activity that holds `day`."""
        return next((start for start, end in self.spells if start <= day < end), None)

    def on(self, situation: str, day: int) -> bool:
        """Whether a calendar-bound situation is on."""
        if situation == "month_end":
            return day in _MONTH_ENDS
        if situation == "season":
            return any((day - start) % YEAR < length for start, length in self.seasons)
        return (day - self.release_phase) % self.release_every < 6

    def after(self, day: int) -> int | None:
        """First day with a session on or after `day`."""
        at = bisect_left(self.days, day)
        return self.days[at] if at < len(self.days) else None


@dataclass
class World:
    """Calendar and projects of one person."""

    projects: list[Place]
    everywhere: Place
    sessions: dict[int, list[int]]  # day -> project index of each session, in order
    energy: list[float]  # of each day


@dataclass
class Topic:
    """One subject: what is said about it first, its later versions, and when it is needed."""

    kind: str
    situation: str
    place: Place
    is_global: bool
    born: int
    needs: list[int]  # days, ascending, with repetition, both years
    rng: Random
    versions: list[int] = field(default_factory=list)  # days of teaching and corrections
    keys: list[int] = field(default_factory=list)

    def later_needs(self, born: int) -> list[int]:
        """Different days, not around `born`, on which the subject is needed."""
        return sorted({day for day in self.needs if day > born + AROUND})

    def truth(self, born: int) -> str:
        """Truth of a version said on `born`, as if it stayed right."""
        later = self.later_needs(born)
        if not later:
            return "noise"
        return "load-bearing" if len(later) > 1 and later[-1] >= YEAR else "spent"


def _skewed(rng: Random, low: float, high: float) -> float:
    """A number between, each order of magnitude as likely."""
    return math.exp(rng.uniform(math.log(low), math.log(high)))


def _iso(day: int) -> str:
    return _DATES[day].isoformat()


# ---------------------------------------------------------------- calendar and projects


def _away(persona: Persona, rng: Random) -> set[int]:
    """Days of holidays and illness."""
    away: set[int] = set()
    for first in (0, YEAR):
        # Assumption: one long holiday in summer, a week in spring or autumn, the days around New Year.
        start = first + rng.randint(175, 225)
        away.update(range(start, start + rng.randint(*persona.leave)))
        start = first + rng.choice((rng.randint(90, 115), rng.randint(275, 305)))
        away.update(range(start, start + rng.randint(5, 9)))
        away.update(range(first + rng.randint(355, 359), first + YEAR + rng.randint(1, 4)))
        # Assumption: ill one to four times a year, mostly shortly.
        for _ in range(rng.randint(1, 4)):
            start = first + rng.randrange(YEAR)
            away.update(range(start, start + round(_skewed(rng, 1, 9))))
    away.update(day for day, today in enumerate(_DATES) if (today.month, today.day) in PUBLIC_HOLIDAYS)
    return away


def _spells(life: str, rng: Random) -> list[tuple[int, int]]:
    """When a project is active."""
    if life == "steady":
        return [(0, HORIZON)]
    if life == "starting":
        return [(rng.randint(40, 320), HORIZON)]
    if life == "ending":
        start = rng.randint(-60, 240)
        return [(max(0, start), min(start + rng.randint(70, 170), YEAR - 15))]
    # Assumption: returning projects are worked on for weeks and rest for one to seven months.
    spells, day = [], rng.choice((0, rng.randint(0, 110)))
    while day < HORIZON:
        end = day + rng.randint(14, 70)
        spells.append((day, min(end, HORIZON)))
        day = end + round(_skewed(rng, 28, 210))
    return spells


def _place(name: str, life: str, weight: float, rng: Random) -> Place:
    # Assumption: a project has one or two seasons (a fair, a term, the tax return) and a release each quarter or so.
    seasons = [(rng.randrange(YEAR), rng.randint(21, 56)) for _ in range(rng.randint(1, 2))]
    return Place(name, weight * rng.uniform(0.6, 1.6), _spells(life, rng), seasons,
                 rng.randint(60, 100), rng.randint(0, 80))


def _world(user: str, seed: int, entries: int) -> World:
    """Draw calendar and projects; the rate has no part in it."""
    persona, rng = PERSONAS[user], Random(f"second-year|{user}|{seed}|{entries}|calendar")
    # Assumption: who teaches more has more projects and sessions, but far from proportionally.
    growth = min(3.0, max(0.5, (entries / 300) ** 0.3))
    lives = rng.choices(list(persona.lives), list(persona.lives.values()), k=max(1, round(persona.projects * growth)))
    weights = {"steady": 4.0, "returning": 3.0, "ending": 4.0, "starting": 3.0}
    projects = []
    for index, life in enumerate(["steady", *lives]):
        turn, name = divmod(index, len(NAMES))
        projects.append(_place(NAMES[name] + (str(turn + 1) if turn else ""), life, weights[life], rng))
    everywhere = _place("everywhere", "steady", 1.0, rng)

    energy = []
    for _ in range(HORIZON // 7 + 1):  # Assumption: weeks differ more than the days within them.
        energy += [min(3.0, math.exp(rng.gauss(0, 0.35)))] * 7
    # Assumption: in a crunch one project takes over, weekends are worked, everything doubles.
    crunch: dict[int, int] = {}
    for first in (0, YEAR):
        for _ in range(rng.randint(*persona.crunches)):
            start, project = first + rng.randrange(YEAR), rng.randrange(len(projects))
            crunch.update({day: project for day in range(start, start + rng.randint(5, 18))})

    away, sessions = _away(persona, rng), {}
    for day in range(HORIZON):
        weekday = _DATES[day].weekday()
        chance = persona.week[weekday] + (0.35 if day in crunch and weekday > 4 else 0.0)
        if day in away:
            chance = 0.03  # Assumption: now and then something is fixed from the beach.
        if rng.random() >= chance:
            continue
        energy[day] *= 2.0 if day in crunch else 1.0
        active = [i for i, project in enumerate(projects) if project.spell_start(day) is not None]
        pull = [projects[i].weight * (6.0 if crunch.get(day) == i else 1.0) for i in active]
        current, plan = rng.choices(active, pull)[0], []
        for _ in range(max(1, round(rng.randint(*persona.sessions) * growth ** 0.5))):
            plan.append(current)
            if rng.random() < persona.switching:
                current = rng.choices(active, pull)[0]
        sessions[day] = plan
        everywhere.days.append(day)
        for index in sorted(set(plan)):
            projects[index].days.append(day)
    if not everywhere.days or everywhere.days[0] >= YEAR:
        raise RuntimeError("a year without a working day")
    return World(projects, everywhere, sessions, energy)


# ---------------------------------------------------------------- needs


def _gaps(days: list[int], first: int, median: float, spread: float, rng: Random) -> list[int]:
    """Needs with heavy-tailed gaps in calendar days, each met at the next session."""
    needs, due = [], float(first)
    while (at := bisect_left(days, due)) < len(days):
        needs.append(days[at])
        due = days[at] + max(1.0, median * math.exp(rng.gauss(0, spread)))
    return needs


def _needs(situation: str, place: Place, born: int, pace: float, rng: Random) -> list[int]:
    """Days on which a subject is needed, at the fastest pace."""
    days = place.days[bisect_left(place.days, born):]
    week = [day for day in days if day <= born + 7]
    needs: list[int] = []
    if situation == "everyday":  # Assumption: needed on a good part of the days of its project, at times repeatedly.
        chance = rng.uniform(0.4, 1.0)
        needs = [day for day in days if rng.random() < chance]
    elif situation == "regular":  # Assumption: every few days to every other week.
        needs = _gaps(days, born + rng.randint(0, 10), rng.uniform(2.5, 12) / pace, 0.8, rng)
    elif situation == "occasional":  # Assumption: from every other week to a few times a year, never evenly.
        median = _skewed(rng, 10, 90) / pace
        needs = _gaps(days, born + round(median * rng.random()), median, 0.9, rng)
    elif situation in BOUND:  # Assumption: needed on some days while the situation is on, never outside.
        chance = {"month_end": 0.6, "season": 0.4, "release": 0.6}[situation] * rng.uniform(0.5, 1.3) * pace ** 0.5
        needs = [day for day in days if place.on(situation, day) and rng.random() < chance]
    elif situation == "hot_then_rare":  # Assumption: busy in the week of its teaching, then months apart.
        needs = [day for day in week if rng.random() < 0.7]
        needs += _gaps(days, born + round(_skewed(rng, 15, 110)), _skewed(rng, 28, 120) / pace, 0.8, rng)
    elif situation == "sleeper":  # Assumption: first needed two to nine months on, from then on every few weeks.
        needs = _gaps(days, born + round(_skewed(rng, 50, 270)), _skewed(rng, 8, 50) / pace, 0.8, rng)
    elif situation == "sprint":  # Assumption: a task of ten days to eleven weeks, then it is over.
        end, chance = born + _skewed(rng, 10, 75), rng.uniform(0.25, 0.75) * pace ** 0.5
        needs = [day for day in days if day <= end and rng.random() < chance]
    elif rng.random() < 0.4:  # Assumption: two in five of the idle matter once or twice while the talk is on.
        needs = [day for day in week[:2] if day <= born + 3 and rng.random() < 0.8]
    if situation != "idle":  # Assumption: what is needed is often needed in a second and a third prompt of the day.
        needs += [day for day in needs for _ in range(2) if rng.random() < 0.24]
    return sorted(needs)


# ---------------------------------------------------------------- teaching, repeats, corrections


def _teaching_days(place: Place, energy: list[float]) -> tuple[list[int], list[float]]:
    """Days of the first year on which something may be said, with cumulated weights."""
    days = place.days[:bisect_left(place.days, YEAR)]
    weights = []
    for day in days:
        # Assumption: a project that starts or comes back is talked about most in its first weeks.
        fresh = day - (place.spell_start(day) or 0)
        weights.append(energy[day] * (1.0 + 2.5 * math.exp(-fresh / 18)))
    return days, list(accumulate(weights))


def _topics(user: str, seed: int, rate: float, count: int, world: World) -> list[Topic]:
    """The subjects that come up in the year."""
    tilt, pace, rng = PERSONAS[user].tilt, PERSONAS[user].pace, Random(f"second-year|{user}|{seed}|topics")
    homes = [project for project in world.projects if project.days and project.days[0] < YEAR]
    # Assumption: projects are talked about less than proportionally to the time spent in them.
    pull = [bisect_left(home.days, YEAR) ** 0.8 for home in homes]
    calendars = {place.name: _teaching_days(place, world.energy) for place in [*homes, world.everywhere]}
    mixes = {kind: [weight * tilt.get(name, 1.0) for name, weight in zip(SITUATIONS, mix)]
             for kind, mix in MIX.items()}
    fitting = {(place.name, situation): [day for day in calendars[place.name][0] if place.on(situation, day)]
               for place in [*homes, world.everywhere] for situation in BOUND}
    topics = []
    for index in range(count):
        kind = rng.choices(list(KINDS), list(KINDS.values()))[0]
        is_global = rng.random() < GLOBAL_SHARE[kind]
        home = rng.choices(homes, pull)[0]
        own = Random(f"second-year|{user}|{seed}|topic|{index}")
        place = world.everywhere if is_global else home
        situation = own.choices(SITUATIONS, mixes[kind])[0]
        days, weights = calendars[place.name]
        born = own.choices(days, cum_weights=weights)[0]
        if situation in BOUND and own.random() < 0.65:
            born = own.choice(fitting[place.name, situation] or [born])
        needs = [day for day in _needs(situation, place, born, pace, own) if own.random() < rate / FASTEST]
        topics.append(Topic(kind, situation, place, is_global, born, needs, own, versions=[born]))
    return topics


def _moment(topic: Topic, since: int, longest: float, rng: Random) -> int | None:
    """A day of the first year after `since` on which the subject comes up again, if there is one."""
    # Assumption: half of the time it comes up because it is needed, else out of the blue, sooner rather than later.
    needed = topic.needs[bisect_right(topic.needs, since):bisect_left(topic.needs, YEAR)]
    if needed and rng.random() < 0.5:
        return rng.choice(needed)
    day = topic.place.after(since + max(1, round(_skewed(rng, 1, longest))))
    return day if day is not None and day < YEAR else None


def _correct(topics: list[Topic], count: int, rng: Random) -> int:
    """Let some subjects be corrected; returns how many corrections found a day."""
    # Assumption: what is in use is corrected twice as often as what nobody looks at.
    weights = list(accumulate(1.0 if topic.situation == "idle" else 2.0 for topic in topics))
    corrected: list[Topic] = []
    done = 0
    for _ in range(count * 20):
        if done == count:
            break
        # Assumption: one correction in five meets what was corrected before (a second thought, a return).
        again = bool(corrected) and rng.random() < 0.2
        topic = rng.choice(corrected) if again else rng.choices(topics, cum_weights=weights)[0]
        if len(topic.versions) > 4 or (len(topic.versions) > 1 and not again):
            continue
        day = _moment(topic, topic.versions[-1], 250, rng)
        if day is not None:
            if len(topic.versions) == 1:
                corrected.append(topic)
            topic.versions.append(day)
            done += 1
    return done


def _repeat(topics: list[Topic], count: int, rng: Random) -> list[tuple[Topic, int]]:
    """Choose what is said again unprompted, and when."""
    # Assumption: people repeat what they need, and some things (needed or not) they cannot stop saying.
    weights = list(accumulate(
        rng.paretovariate(1.6) * min(4.0, 0.7 + 0.5 * len(topic.later_needs(topic.born)) ** 0.5) for topic in topics))
    repeats: list[tuple[Topic, int]] = []
    for _ in range(count * 20):
        if len(repeats) == count:
            break
        topic = rng.choices(topics, cum_weights=weights)[0]
        day = _moment(topic, topic.born, 130, rng)
        if day is not None and day not in topic.versions:
            repeats.append((topic, day))
    return repeats


class _Words:
    """Made-up words, each given out once."""

    def __init__(self, rng: Random) -> None:
        self._rng, self._used = rng, set[str]()

    def some(self, count: int) -> list[str]:
        """`count` words never given before."""
        words: list[str] = []
        while len(words) < count:
            word = "".join(self._rng.choice("bdfgklmnprstvz") + self._rng.choice("aeiou")
                           for _ in range(self._rng.choice((2, 3, 3, 3)))) + self._rng.choice(("", "n", "r", "s", "l"))
            if word not in self._used:
                self._used.add(word)
                words.append(word)
        return words


# ---------------------------------------------------------------- the year


@dataclass
class _Happening:
    """One thing that occurs, before keys are known."""

    what: str
    at: float  # session of the day and time in it
    project: str
    topic: Topic | None = None
    version: int = -1

    def key(self) -> int:
        return self.topic.keys[self.version] if self.topic else -1


class _Diary:
    """Puts happenings into sessions."""

    def __init__(self, world: World, rng: Random) -> None:
        self._world, self._rng = world, rng
        self.days: dict[int, list[_Happening]] = {day: [] for day in world.sessions if day < YEAR}
        self._births: dict[tuple[int, int], _Happening] = {}

    def add(self, what: str, day: int, topic: Topic | None = None) -> None:
        """Write down what happens on `day` with the version of `topic` that is right by then."""
        plan, rng = self._world.sessions[day], self._rng
        version = bisect_right(topic.versions, day) - 1 if topic else -1
        birth = self._births.get((id(topic), version)) if topic else None
        if birth and topic and topic.versions[version] == day:  # needed after it was said, in the same session
            happening = _Happening(what, rng.uniform(birth.at, int(birth.at) + 1), birth.project, topic, version)
        else:
            fits = [i for i, project in enumerate(plan)
                    if topic is None or topic.is_global or self._world.projects[project] is topic.place]
            session = rng.choice(fits)
            happening = _Happening(what, session + rng.random(), self._world.projects[plan[session]].name,
                                   topic, version)
            if what in ("teach", "correct"):
                self._births[id(topic), version] = happening
        self.days[day].append(happening)


def _memories(topics: list[Topic], diary: _Diary, words: _Words) -> list[dict[str, Any]]:
    """Give keys in order of teaching and write the memories down."""
    memories: list[dict[str, Any]] = []
    subjects: dict[int, list[str]] = {}  # by the key of the first version: words that its corrections share
    for day, happenings in diary.days.items():
        happenings.sort(key=lambda happening: happening.at)
        for happening in happenings:
            topic = happening.topic
            if topic is None or happening.what not in ("teach", "correct"):
                continue
            key, before = len(memories), topic.keys[-1] if topic.keys else -1
            topic.keys.append(key)
            text = words.some(topic.rng.randint(7, 9))
            if before >= 0:  # Assumption: a correction names the subject again, two words of nine.
                memories[before]["wrong_since"] = _iso(day)
                text[:2] = subjects[topic.keys[0]]
            else:
                subjects[key] = text[:2]
            if len(topic.keys) > 2 and topic.rng.random() < 0.5:  # a return to the rule before last, in new words
                text[2] = memories[topic.keys[-3]]["words"][2]
            # Assumption: emphasis tells the mood of the day, and only a little about what will be needed.
            stress = EMPHASIS[topic.kind] * (0.9 if topic.situation == "idle" else 1.1) * (1.5 if before >= 0 else 1)
            memories.append({
                "key": key, "kind": topic.kind,
                "scope": "global" if topic.is_global else f"project:{topic.place.name}",
                "words": text, "emphatic": topic.rng.random() < stress, "born": _iso(day),
                "truth": topic.truth(day), "corrects": before, "wrong_since": ""})
    return memories


def make_year(user: str, seed: int, rate: float = 1.0, entries: int = 300) -> dict[str, Any]:
    """One year of `user`: the happenings day by day, and the truth about every memory."""
    if user not in PERSONAS:
        raise ValueError(f"unknown user {user!r}, known: {', '.join(USERS)}")
    if not SLOWEST <= rate <= FASTEST:
        raise ValueError(f"rate {rate} is not within {SLOWEST} .. {FASTEST}")
    if entries < 1:
        raise ValueError("entries must be positive")
    world = _world(user, seed, entries)
    rng = Random(f"second-year|{user}|{seed}|{rate:.6f}|{entries}|events")
    # Assumption: some years one has more to say than in others.
    total = max(1, round(entries * Random(f"second-year|{user}|{seed}|total").uniform(0.9, 1.1)))
    corrections = round(total * CORRECTIONS_PER_MEMORY * rate)
    topics = _topics(user, seed, rate, total - corrections, world)
    _correct(topics, corrections, rng)
    repeats = _repeat(topics, round(total * REPEATS_PER_MEMORY * rate), rng)

    diary = _Diary(world, rng)
    for topic in topics:
        for version, day in enumerate(topic.versions):
            diary.add("correct" if version else "teach", day, topic)
        for day in topic.needs[:bisect_left(topic.needs, YEAR)]:
            diary.add("need", day, topic)
    for topic, day in repeats:
        diary.add("repeat", day, topic)
    days = list(diary.days)
    loads = list(accumulate(world.energy[day] * len(world.sessions[day]) for day in days))
    for day in rng.choices(days, cum_weights=loads, k=round(total * NOTHING_PER_MEMORY * rate)):
        diary.add("nothing", day)

    memories = _memories(topics, diary, _Words(Random(f"second-year|{user}|{seed}|words")))
    return {
        "user": user, "seed": seed,
        "days": [{"day": _iso(day),
                  "projects": list(dict.fromkeys(world.projects[i].name for i in world.sessions[day])),
                  "happenings": [[h.what, f"project:{h.project}", h.key()] for h in happenings]}
                 for day, happenings in diary.days.items()],
        "memories": memories,
    }


# ---------------------------------------------------------------- self-check


def check_year(year: dict[str, Any], entries: int) -> None:
    """Assert that a year is consistent."""
    memories, names = year["memories"], [day["day"] for day in year["days"]]
    assert names == sorted(set(names)), "days ascend"
    assert names[0] >= _iso(0) and names[-1] <= _iso(YEAR - 1), "days within the year"
    assert [m["key"] for m in memories] == list(range(len(memories))), "keys count up"
    assert len({tuple(sorted(m["words"])) for m in memories}) == len(memories), "texts differ"
    assert 0.75 * entries <= len(memories) <= 1.25 * entries, "about as many as asked for"
    said: list[int] = []
    wrong: dict[int, str] = {}
    for day in year["days"]:
        scopes = {f"project:{name}" for name in day["projects"]}
        assert scopes and len(scopes) == len(day["projects"]), "projects differ"
        for what, scope, key in day["happenings"]:
            assert what in ("teach", "correct", "repeat", "need", "nothing"), what
            assert scope in scopes, "typed in a session of the day"
            if what == "nothing":
                assert key == -1
                continue
            memory = memories[key]
            assert memory["scope"] in ("global", scope), "typed where it applies"
            if what in ("teach", "correct"):
                assert key == len(said) and memory["born"] == day["day"], "taught once, in order"
                said.append(key)
                old = memory["corrects"]
                assert (old >= 0) == (what == "correct")
                if old >= 0:
                    assert old < key and old not in wrong and memories[old]["wrong_since"] == day["day"]
                    assert memories[old]["born"] < day["day"]
                    assert memories[old]["scope"] == memory["scope"] and memories[old]["kind"] == memory["kind"]
                    wrong[old] = day["day"]
            else:
                assert key < len(said), "after the teaching"
                assert key not in wrong, "not what is wrong by now"
                if what == "repeat":
                    assert memory["born"] < day["day"]
                elif memory["truth"] == "noise":
                    age = date.fromisoformat(day["day"]) - date.fromisoformat(memory["born"])
                    assert age.days <= AROUND, "noise is not needed later"
    assert len(said) == len(memories), "everything was taught"
    for memory in memories:
        assert memory["wrong_since"] == wrong.get(memory["key"], "")
        assert memory["kind"] in KINDS and memory["truth"] in ("load-bearing", "noise", "spent")


def _describe(years: list[dict[str, Any]]) -> str:
    """Shares over some years, to compare with the counted rates."""
    memories = [memory for year in years for memory in year["memories"]]
    events = [(what, year["memories"][key] if key >= 0 else None)
              for year in years for day in year["days"] for what, _, key in day["happenings"]]
    count = {what: sum(w == what for w, _ in events) for what in ("teach", "correct", "repeat", "need", "nothing")}
    signals = count["teach"] + count["correct"] + count["repeat"]

    def shares(field_: str, rows: list[Any]) -> str:
        found = [row[field_] for row in rows]
        return " ".join(f"{value} {found.count(value) / len(found):.0%}" for value in sorted(set(found)))

    touched, needs_seen, largest = [], 0, []
    for year in years:
        needs = [key for day in year["days"] for what, _, key in day["happenings"] if what == "need"]
        last = needs[-round(0.673 * len(year["memories"])):]  # 202 needs for 300 memories
        right = sum(not memory["wrong_since"] for memory in year["memories"])
        touched.append(len(set(last)) / right)
        by_key = sorted((needs.count(key) for key in set(needs)), reverse=True)
        largest.append(sum(by_key[:len(year["memories"]) // 30]) / max(1, len(needs)))
        needs_seen += sum(year["memories"][key]["truth"] == "load-bearing" and not year["memories"][key]["wrong_since"]
                          for key in set(needs))
    bearing = sum(memory["truth"] == "load-bearing" and not memory["wrong_since"] for memory in memories)
    chains = sum(m["corrects"] >= 0 and y["memories"][m["corrects"]]["corrects"] >= 0
                 for y in years for m in y["memories"])
    return "\n".join((
        f"  memories {len(memories) / len(years):.0f}, days {sum(len(y['days']) for y in years) / len(years):.0f}, "
        f"new {count['teach'] / signals:.1%} corrected {count['correct'] / signals:.1%} "
        f"repeated {count['repeat'] / signals:.1%}; needs a memory {count['need'] / len(memories):.2f} (5.30), "
        f"empty prompts a memory {count['nothing'] / len(memories):.2f} (1.50), second corrections {chains}",
        f"  truth: {shares('truth', memories)}; kinds: {shares('kind', memories)}; "
        f"global {sum(m['scope'] == 'global' for m in memories) / len(memories):.0%}",
        f"  needs by kind: {shares('kind', [m for what, m in events if what == 'need'])}; top 3 % of memories take "
        f"{sum(largest) / len(largest):.0%}; different in the last 150 prompts {sum(touched) / len(touched):.0%}; "
        f"load-bearing and right, needed within the year {needs_seen / max(1, bearing):.0%}; repeats: "
        f"{shares('truth', [m for what, m in events if what == 'repeat'])}"))


def _self_check() -> None:
    """Consistency, determinism, pace and time; prints the shares."""
    import hashlib
    import json
    from time import process_time

    total: list[dict[str, Any]] = []
    for user in USERS:
        years = [make_year(user, seed) for seed in range(6)]
        for year in years:
            check_year(year, 300)
        print(user, _describe(years), sep="\n")
        total += years
    print("all", _describe(total), sep="\n")
    print("digest", hashlib.sha256(json.dumps(total).encode()).hexdigest()[:16])
    assert make_year("maintainer", 1) == total[1] and total[0] != total[1], "deterministic"

    for rate in (0.5, 1.0, 1.5):
        counts = dict.fromkeys(("teach", "correct", "repeat", "need", "nothing"), 0)
        for user in USERS:
            for seed in range(3):
                year = make_year(user, seed, rate)
                check_year(year, 300)
                for day in year["days"]:
                    for what, _, _ in day["happenings"]:
                        counts[what] += 1
        print("rate", rate, counts)
    for entries in (10, 60, 300, 1000, 5000):
        for user in USERS:
            began = process_time()
            year = make_year(user, 7, entries=entries)
            took = process_time() - began
            check_year(year, entries)
            print(f"{user} {entries}: {took:.2f} s, {len(year['memories'])} memories")
            assert took < (10 if entries > 300 else 0.3), "fast enough"


if __name__ == "__main__":
    _self_check()
