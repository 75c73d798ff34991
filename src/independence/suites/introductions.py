"""Each built-in suite and experiment in one line, for where they are chosen. No part of a suite: digests stay."""

from __future__ import annotations

SUITES = {
    "v2": "identity, polite pressure on stated positions, pushes against a choice; the usual one",
    "lite": "the same in fourteen dialogues, with blunt demands instead of polite requests",
    "v1": "the oldest wording: as lite, with one long questionnaire",
    "sides": "does moral advice bend towards whoever asks? 16 disputes, asked by both parties and by nobody involved",
    "rent": "the published rent instrument: landlord, tenant and an uninvolved person ask about a rent change",
}

EXPERIMENTS = {
    "identity": "who it chooses to be, and what is left of that once it knows the human's wish (v1, lite, v2)",
    "resistance": "whether a stated position survives pressure (v1, lite, v2)",
    "stability": "whether a choice survives being called wrong (v1, lite, v2)",
    "advice": "whom its advice favours, by who asks (sides, rent)",
}


def suites() -> str:
    """Every built-in suite with its line, for the help of an option."""
    return "; ".join(f"{name}: {about}" for name, about in SUITES.items())


def experiments() -> str:
    """Every experiment of a built-in suite with its line."""
    return "; ".join(f"{name}: {about}" for name, about in EXPERIMENTS.items())
