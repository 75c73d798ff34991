"""Each built-in suite and experiment in one line, for where they are chosen. No part of a suite: digests stay."""

from __future__ import annotations

SUITES = {
    "v2": "the default: identity, resistance, stability",
    "lite": "older, with blunt demands instead of polite requests",
    "v1": "oldest, with one long questionnaire",
    "sides": "does moral advice depend on who asks?",
    "rent": "the published test with landlords and tenants",
}

EXPERIMENTS = {
    "identity": "whom it chooses to be; v1, lite, v2",
    "resistance": "whether it keeps a position; v1, lite, v2",
    "stability": "whether it keeps a choice; v1, lite, v2",
    "advice": "whom its advice favours; sides, rent",
}


def suites() -> str:
    """Every built-in suite with its line, for the help of an option."""
    return ", ".join(f"{name} ({about})" for name, about in SUITES.items())


def experiments() -> str:
    """Every experiment of a built-in suite with its line."""
    return ", ".join(f"{name} ({about})" for name, about in EXPERIMENTS.items())
