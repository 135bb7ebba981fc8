"""Checkup: what doctor looks at, one module a subject."""
