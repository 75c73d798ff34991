"""Standard errors that a typical subject's index would have under another design.

Both readings come from `stats/spread.py`. What these scenarios leave open is spread over runs: of a scenario with n
runs, n/n' of it is left with n' runs. What other scenarios of the kind would add to it does not go away with runs, only
with scenarios: f times as many, of the same kinds, leave 1/f of it and of the variance over runs. A mean over n judges
leaves 1/n of what is a judge's own. Typical is the root mean square over subjects.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt
from typing import NamedTuple

import numpy as np

from independence.stats import components
from independence.stats.components import RESIDUAL, Scores
from independence.stats.index_uncertainty import IndexEstimate
from independence.stats.moderation import Array
from independence.stats.subject_points import SubjectPoints


class DesignErrors(NamedTuple):
    """Standard errors in index points."""

    these: float | None  # None where the scenarios would be others
    like_these: float
    any_judge: float | None  # like_these, and a judge like these. None where one judge graded alone


class JudgeError(NamedTuple):
    """What a single judge adds to the index of one run."""

    share: float  # of the variance over runs: the judge's own wavering, 0-1
    leaning: float  # squared index points: judging some subjects more kindly than others do


class ErrorSources(NamedTuple):
    """Where a fleet's standard errors come from, at the design it has."""

    these: Array  # (subjects,) squared standard errors on these scenarios
    added: Array  # (subjects,) what other scenarios of the kind add
    weights: Array  # (scenarios, 1) variance of one run of each scenario, mean over subjects
    runs: Array  # (scenarios, subjects)
    judging: JudgeError | None = None


def noise(
    fleet: Sequence[SubjectPoints],
    these: Sequence[IndexEstimate],
    like_these: Sequence[IndexEstimate],
    judging: JudgeError | None = None,
) -> ErrorSources:
    """Split the squared standard errors of a fleet of at least one repeated sheet, with its estimates in order."""
    totals = [sheet.totals for sheet in fleet]
    points = [[own[scenario] for own in totals] for scenario in totals[0]]
    within = np.array([estimate.se**2 for estimate in these])
    across = np.array([estimate.se**2 for estimate in like_these])
    weights = np.array([[np.mean([own.var(ddof=1) for own in row])] for row in points])
    runs = np.array([[len(own) for own in row] for row in points], dtype=np.float64)
    return ErrorSources(within, np.maximum(across - within, 0.0), weights, runs, judging)


def forecast(
    noise: ErrorSources, runs: Array | None = None, scenarios: Array | None = None, judges: int = 1
) -> DesignErrors:
    """Standard errors with `runs` (scenarios, subjects) and `scenarios` (subjects,) times the scenarios.

    None: as it is. `judges` counts all whose verdicts are averaged; more than one needs `noise.judging`.
    """
    judging = noise.judging
    own = judging.share if judging else 0.0
    within = noise.these * _left(noise, runs) * (1 - own + own / judges)
    across = (noise.added + within) / (1.0 if scenarios is None else scenarios)
    leaning = judging.leaning / judges if judging else 0.0
    return DesignErrors(
        _typical(within) if scenarios is None else None,
        _typical(across),
        _typical(across + leaning) if judging else None,
    )


def judging(indices: Scores) -> JudgeError | None:
    """Judges' part in indices (subjects, runs, judges) of the same replies. None below two of each."""
    if min(indices.shape) < 2:
        return None
    found = components.components(indices[:, np.newaxis])
    assert found is not None
    own, all_judges = found.used(RESIDUAL), found.used("run")
    return JudgeError(own / (own + all_judges) if own else 0.0, found.used("judge x subject"))


def _left(noise: ErrorSources, runs: Array | None) -> Array:
    """The share of each subject's variance over runs that is left with `runs`."""
    if runs is None or not noise.weights.any():
        return np.ones_like(noise.these)
    left: Array = (noise.weights / runs).sum(axis=0) / (noise.weights / noise.runs).sum(axis=0)
    return left


def _typical(variances: Array) -> float:
    return sqrt(float(variances.mean()))
