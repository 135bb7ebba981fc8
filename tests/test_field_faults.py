"""``docs/field-faults.md`` names tests: each of them must be there."""

import re
from pathlib import Path

ROOT = Path(__file__).parent.parent
PAGE = (ROOT / "docs" / "field-faults.md").read_text(encoding="utf-8")
ROWS = re.findall(r"^\| (\d+) \| ([^|]+) \| (.+) \|$", PAGE, re.MULTILINE)


def test_every_fault_has_a_row_with_an_answer():
    assert len(ROWS) == len({number for number, _, _ in ROWS}) == 108
    for number, _, answer in ROWS:
        assert "::test_" in answer or answer.startswith(("Cannot arise", "later: ")), number


def test_every_test_a_row_names_is_there():
    for number, _, answer in ROWS:
        for name in re.findall(r"`([\w/.]+::test_\w+)`", answer):
            path, _, test = name.partition("::")
            source = (ROOT / "tests" / path).read_text(encoding="utf-8")
            assert f"def {test}(" in source, f"row {number} names {name}"


def test_the_count_at_the_head_is_that_of_the_rows():
    later = sum(answer.startswith("later") for _, _, answer in ROWS)
    never = sum("Cannot arise" in answer for _, _, answer in ROWS)
    assert f"{len(ROWS)} faults: {later} wait for a part that is not there yet, {never} cannot arise" in PAGE
