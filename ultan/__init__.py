"""Ultan: a personal memory for coding agents."""
