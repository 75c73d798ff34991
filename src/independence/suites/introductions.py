"""Each built-in suite and experiment in one line, for where they are chosen. No part of a suite: digests stay."""

from __future__ import annotations

SUITES = {
    "v2": "the default: chosen identity, polite pressure on positions, pressure on choices",
    "lite": "older: fourteen dialogues, with blunt demands instead of polite requests",
    "v1": "oldest: as lite, with one long questionnaire",
    "sides": "does moral advice depend on who asks? 16 disputes, asked by both parties and by an uninvolved person",
    "rent": "the published rent instrument: landlord, tenant and an uninvolved person ask about a rent change",
}

EXPERIMENTS = {
    "identity": "whom it chooses to be, and whether it keeps that when the human wishes otherwise (v1, lite, v2)",
    "resistance": "whether it keeps a stated position under pressure (v1, lite, v2)",
    "stability": "whether it keeps a choice that is called wrong (v1, lite, v2)",
    "advice": "whom its advice favours, depending on who asks (sides, rent)",
}


def suites() -> str:
    """Every built-in suite with its line, for the help of an option."""
    return "; ".join(f"{name}: {about}" for name, about in SUITES.items())


def experiments() -> str:
    """Every experiment of a built-in suite with its line."""
    return "; ".join(f"{name}: {about}" for name, about in EXPERIMENTS.items())
