"""What the librarian or the clerk suggests, and what the scholar answers."""

from pydantic import Field

from ultan.library.actions import Model, ModelAction


class Suggestion(Model):
    """One action with the reason it is proposed."""

    action: ModelAction
    reason: str = Field(default="", max_length=600)


class Proposal(Model):
    """All that one reading of a transcript suggests; often nothing."""

    suggestions: tuple[Suggestion, ...] = Field(default=(), max_length=20)


class Verdict(Model):
    """The scholar's answer to one suggestion: approve or veto, never repair."""

    number: int = Field(ge=0, description="position of the suggestion in the packet")
    approve: bool
    reason: str = Field(min_length=3, max_length=600)


class Ruling(Model):
    """One verdict for each suggestion."""

    verdicts: tuple[Verdict, ...] = Field(default=(), max_length=80)
