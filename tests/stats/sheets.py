"""Sheets made by hand or drawn, in points of a 0-100 index."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from independence.stats.subject_points import Stratum, SubjectPoints


def of(*runs: Sequence[float], most: float = 20.0) -> SubjectPoints:
    """One stratum; each argument is a scenario's points by run, none more than `most`."""
    names = tuple(f"s{number}" for number in range(len(runs)))
    return SubjectPoints(
        0.0, (Stratum(names, tuple(np.array(own, float) for own in runs), ((0.0, most),) * len(runs)),)
    )


def drawn(
    rng: np.random.Generator, scenarios: int = 5, runs: int = 5, mean: float = 12.0, spread: float = 2.0
) -> SubjectPoints:
    return of(*np.clip(rng.normal(mean, spread, (scenarios, runs)), 0, 20))
