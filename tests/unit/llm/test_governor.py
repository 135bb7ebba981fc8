"""The governor: caps and the breaker hold whoever asks; a back-off ends by itself."""

from ultan.errors import ModelUnavailable, NotLoggedIn, QuotaReached
from ultan.llm import Reply, Usage
from ultan.llm import governor as rules
from ultan.settings import Settings

NOON = 1_780_000_000.0
SETTINGS = Settings({"curation.calls_a_day": 5, "curation.tokens_a_day": 1000, "curation.calls_in_two_minutes": 3})


def called(times, start=NOON, apart=300.0, tokens=10):
    spending = rules.Spending()
    for place in range(times):
        at = start + place * apart
        spending = rules.begun(spending, "librarian", at)
        spending = rules.ended(spending, "librarian", Reply(None, Usage(tokens), 0.01, paid_by="subscription"), at)
    return spending


def why(spending, at, **more):
    return rules.closed(spending, SETTINGS, at, **more)[0]


def test_the_cap_of_calls_ends_with_the_day():
    spending = called(5)
    assert why(spending, NOON + 2000) == "calls"
    assert why(spending, NOON + 2000, insist=True) == "calls"
    assert rules.closed(spending, SETTINGS, NOON + 2000)[1] == rules.next_midnight(NOON)
    assert why(spending, rules.next_midnight(NOON)) == ""


def test_the_cap_of_tokens_counts_all_of_them():
    assert why(called(2, tokens=499), NOON + 600) == ""
    assert why(called(2, tokens=500), NOON + 600) == "tokens"


def test_a_killed_call_has_been_spent():
    spending = rules.begun(rules.Spending(), "librarian", NOON)
    assert spending.days[rules.day_of(NOON)].calls == 1
    assert spending.total.calls == 1


def test_the_breaker_opens_on_a_burst_and_closes():
    spending = called(3, apart=10)
    assert why(spending, NOON + 30) == "velocity"
    shut = rules.shut(spending, "velocity", NOON + 30 + rules.BREAKER_S)
    assert why(shut, NOON + 300, insist=True) == "velocity"
    assert why(shut, NOON + 30 + rules.BREAKER_S) == ""


def test_a_back_off_doubles_ends_at_the_reset_time_and_may_be_overruled_by_a_person():
    once = rules.failed(rules.Spending(), ModelUnavailable("no answer"), NOON)
    twice = rules.failed(once, ModelUnavailable("no answer"), NOON)
    assert twice.closed_until - NOON == 2 * (once.closed_until - NOON)
    assert why(twice, NOON + 1) == "unavailable"
    assert why(twice, NOON + 1, insist=True) == ""
    limit = QuotaReached("weekly limit")
    limit.until = NOON + 86_000
    assert rules.failed(twice, limit, NOON).closed_until == NOON + 86_000
    assert rules.succeeded(twice) == rules.Spending()
    forever = rules.Spending()
    for _ in range(30):
        forever = rules.failed(forever, NotLoggedIn("log in"), NOON)
    assert forever.closed_until - NOON == rules.LONGEST_WAIT_S


def test_who_paid_is_summed_apart():
    spending = called(2)
    day = spending.days[rules.day_of(NOON)]
    assert day.by_payer["subscription"].calls == 2
    assert day.by_role["librarian"].tokens == 20
    assert day.cost_usd == 0.02


def test_a_clock_that_jumps_back_opens_nothing_twice():
    spending = called(3, apart=10)
    assert why(spending, NOON - 86_400) == ""
    assert spending == rules.Spending.model_validate_json(spending.model_dump_json())
