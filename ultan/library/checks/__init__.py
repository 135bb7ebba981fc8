"""Checks: what a home promises, one module a subject; each changes nothing."""
