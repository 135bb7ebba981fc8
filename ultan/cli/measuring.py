"""Commands that measure: any data set in the documented format, JSON out."""

import typer


def register(group: typer.Typer) -> None:
    """Add these commands to *group*."""
