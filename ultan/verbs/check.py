"""Check: every promise the home keeps, read-only; what is broken is named with its remedy."""

from dataclasses import dataclass

from ultan.library import check as promises
from ultan.library.checks.finding import Finding


@dataclass(frozen=True, slots=True)
class Checked:
    """What is broken; empty means that every promise holds."""

    findings: tuple[Finding, ...]


def check(root: str, now: float) -> Checked:
    """Everything under the home *root* that breaks a promise."""
    return Checked(tuple(promises.findings(root, now)))
