"""What models cost, in plain words."""

from ultan.cli.charts import estimated, spent
from ultan.settings import Settings
from ultan.verbs.spend import Estimate, spend


def text(rows):
    return "\n".join(row.text for row in rows if hasattr(row, "text"))


def test_where_no_model_was_asked_two_lines_say_all(home, now):
    assert text(spent(spend(home, Settings(), now))) == (
        "no model was ever asked: the clerk is free\ntoday: 50 calls and 2000000 tokens are left"
    )


def test_an_estimate_says_on_what_it_rests_and_whether_it_fits():
    assert text(estimated(Estimate(0, 0, 0, 0.0, False, True))) == "nothing waits that a model would read"
    told = text(estimated(Estimate(3, 6, 40_000, 0.12, False, False)))
    assert "3 sessions wait: about 6 calls, 40000 tokens, 0.12 USD (a guess from list prices)" in told
    assert "more than today's caps allow" in told
