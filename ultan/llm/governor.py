"""What may still be spent, and why not: caps, the velocity breaker, and back-off (pure).

``cost.json`` in the home holds one ``Spending``. Every call is counted before it is made,
so that a killed curator has spent what it asked for. Caps and the breaker hold whoever asks;
a back-off after a failure may be overruled by a person who asks for another try.
"""

from datetime import UTC, datetime
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from ultan.errors import LanguageModelError, NotLoggedIn, QuotaReached
from ultan.llm import Reply
from ultan.settings import Settings

Reason = Literal["", "quota", "login", "unavailable", "velocity", "calls", "tokens"]

DAY_S = 86400.0
VELOCITY_WINDOW_S = 120.0
BREAKER_S = 600.0  # an open breaker closes by itself after this
KEPT_DAYS = 400
FIRST_WAIT_S = {"quota": 300.0, "login": 900.0, "unavailable": 60.0}
LONGEST_WAIT_S = 6 * 3600.0
HARD = frozenset(("velocity", "calls", "tokens"))
REMEDIES: dict[str, str] = {
    "quota": "the provider's limit is reached; the queue is kept",
    "login": "run `claude` and log in, then `ultan curate --now`",
    "unavailable": "the model did not answer; the queue is kept",
    "velocity": "too many calls in two minutes; look at `ultan log --cost`",
    "calls": "today's cap of calls is reached (curation.calls_a_day)",
    "tokens": "today's cap of tokens is reached (curation.tokens_a_day)",
}


class Sum(BaseModel):
    """Calls, tokens and list price of some calls."""

    calls: int = 0
    tokens: int = 0
    cost_usd: float = 0.0

    def plus(self, calls: int, tokens: int, cost_usd: float) -> "Sum":
        """The sum with one more."""
        return Sum(calls=self.calls + calls, tokens=self.tokens + tokens, cost_usd=round(self.cost_usd + cost_usd, 6))


class Day(Sum):
    """One day's sum, and the sums by role and by who paid."""

    by_role: dict[str, Sum] = Field(default_factory=dict)
    by_payer: dict[str, Sum] = Field(default_factory=dict)


class Spending(BaseModel):
    """Everything in ``cost.json``.

    Attributes:
        days: ISO day in UTC → that day.
        recent: when the last calls were made, seconds since the epoch.
        closed_until: no call before this; ``why`` and ``told`` say what happened.
        strikes: failures in a row, for the length of the back-off.
    """

    model_config = ConfigDict(extra="ignore")

    total: Sum = Field(default_factory=Sum)
    days: dict[str, Day] = Field(default_factory=dict)
    recent: list[float] = Field(default_factory=list)
    closed_until: float = 0.0
    why: Reason = ""
    told: str = ""
    strikes: int = 0


def day_of(now: float) -> str:
    """The ISO day in UTC."""
    return datetime.fromtimestamp(now, UTC).date().isoformat()


def next_midnight(now: float) -> float:
    """When the day in UTC ends."""
    return (now // DAY_S + 1) * DAY_S


def closed(spending: Spending, settings: Settings, now: float, *, insist: bool = False) -> tuple[Reason, float]:
    """Why no call may be made now, and until when; ``("", 0)`` if one may.

    With *insist* (a person asks) a back-off does not count; caps and the breaker do.
    """
    if now < spending.closed_until and spending.why and not (insist and spending.why not in HARD):
        return spending.why, spending.closed_until
    today = spending.days.get(day_of(now), Day())
    if today.calls >= settings["curation.calls_a_day"]:
        return "calls", next_midnight(now)
    if today.tokens >= settings["curation.tokens_a_day"]:
        return "tokens", next_midnight(now)
    if len(_recent(spending, now)) >= settings["curation.calls_in_two_minutes"]:
        return "velocity", now + BREAKER_S
    return "", 0.0


def shut(spending: Spending, why: Reason, until: float, told: str = "") -> Spending:
    """*spending*, with no call before *until*."""
    return spending.model_copy(update={"why": why, "closed_until": until, "told": told or REMEDIES.get(why, "")})


def begun(spending: Spending, role: str, now: float) -> Spending:
    """*spending* with one more call under way."""
    after = _with(spending, role, "", Sum(calls=1), now)
    return after.model_copy(update={"recent": [*_recent(spending, now), now]})


def ended(spending: Spending, role: str, reply: Reply[Any] | None, now: float) -> Spending:
    """*spending* with what the call cost."""
    if reply is None:
        return spending
    return _with(spending, role, reply.paid_by, Sum(tokens=reply.usage.total, cost_usd=reply.cost_usd), now)


def succeeded(spending: Spending) -> Spending:
    """*spending* after an answer: back-off is over."""
    return spending.model_copy(update={"strikes": 0, "why": "", "closed_until": 0.0, "told": ""})


def failed(spending: Spending, error: LanguageModelError, now: float) -> Spending:
    """*spending* after a failure: the reset time where the provider named one, else a doubling wait."""
    why: Reason = "unavailable"
    if isinstance(error, QuotaReached):
        why = "quota"
    elif isinstance(error, NotLoggedIn):
        why = "login"
    wait = min(FIRST_WAIT_S[why] * 2**spending.strikes, LONGEST_WAIT_S)
    after = shut(spending, why, error.until if error.until > now else now + wait, f"{error}. {REMEDIES[why]}")
    return after.model_copy(update={"strikes": min(spending.strikes + 1, 20)})


def _recent(spending: Spending, now: float) -> list[float]:
    return [at for at in spending.recent if now - VELOCITY_WINDOW_S < at <= now]


def _with(spending: Spending, role: str, payer: str, more: Sum, now: float) -> Spending:
    name = day_of(now)
    day = spending.days.get(name, Day())
    by_role, by_payer = dict(day.by_role), dict(day.by_payer)
    by_role[role] = by_role.get(role, Sum()).plus(more.calls, more.tokens, more.cost_usd)
    if payer:
        by_payer[payer] = by_payer.get(payer, Sum()).plus(1, more.tokens, more.cost_usd)
    total = day.plus(more.calls, more.tokens, more.cost_usd)
    days = {**spending.days, name: Day(**total.model_dump(), by_role=by_role, by_payer=by_payer)}
    kept = {day: days[day] for day in sorted(days)[-KEPT_DAYS:]}
    grown = spending.total.plus(more.calls, more.tokens, more.cost_usd)
    return spending.model_copy(update={"days": kept, "total": grown})
