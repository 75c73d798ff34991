"""Where the variance of scores lies, and how far it lets an average be trusted.

Balanced design, all factors random: subjects x scenarios x runs nested in subjects, and x judges where several graded
the same replies. Components are the classical analysis-of-variance estimates: mean squares solved for their expected
values (Henderson 1953; Cornfield and Tukey 1956). They may come out below zero where there is little to find; they are
reported as they are and count as zero where they are used. Generalizability coefficients after Cronbach et al. (1972)
and Brennan (2001).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import combinations
from math import prod, sqrt
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from independence.stats.index_uncertainty import Array, IndexEstimate
from independence.stats.subject_points import SubjectPoints

Scores = NDArray[np.float64]
"""(subjects, scenarios, runs) or (subjects, scenarios, runs, judges); runs of different subjects have nothing in
common."""

RESIDUAL = "residual"
_AXES = "psrj"  # subject, scenario, run, judge
_NAMES = {
    "p": "subject",
    "s": "scenario",
    "ps": "subject x scenario",
    "pr": "run",
    "psr": "reply",
    "j": "judge",
    "pj": "judge x subject",
    "sj": "judge x scenario",
    "psj": "judge x subject x scenario",
    "prj": "judge x run",
}
_NOISE = 1e-14  # of the largest mean square: less is the error of computing, which differs from machine to machine


class VarianceComponent(NamedTuple):
    """One part of the variance, in squared points of the scores."""

    effect: str
    axes: str  # letters of the factors it varies with
    variance: float  # as estimated, below zero included
    se: float  # as if effects were normal (Searle 1971)


class VarianceComponents(NamedTuple):
    """All parts that a design can tell apart; what it cannot is in the residual."""

    subjects: int
    scenarios: int
    runs: int
    judges: int
    parts: tuple[VarianceComponent, ...]

    def of(self, effect: str) -> VarianceComponent | None:
        """The part of that name; None where the design does not show it."""
        return next((part for part in self.parts if part.effect == effect), None)

    def used(self, effect: str) -> float:
        """Its variance where something is made of it: not below zero, zero where the design does not show it."""
        part = self.of(effect)
        return max(0.0, part.variance) if part else 0.0

    def share(self, effect: str) -> float | None:
        """Its share of the sum of all parts, 0-1. None where the design does not show it or nothing varies."""
        total = sum(max(0.0, part.variance) for part in self.parts)
        return self.used(effect) / total if total and self.of(effect) else None


class Reliability(NamedTuple):
    """Generalizability coefficients of subjects' means, 0-1: the share of their variance that would come back."""

    these: float | None  # with other runs (and judges) of the same scenarios
    like_these: float | None  # with other scenarios of the kind


def balanced_runs(counts: Sequence[int]) -> int:
    """How many runs the largest balanced part has, of subjects that have `counts` complete ones; 0 below two subjects.

    The number that keeps most scores, first runs of subjects that have as many; at least two wherever two subjects do.
    """
    have = {runs: sum(count >= runs for count in counts) for runs in Counter(counts) if runs > 0}
    kept = [(runs > 1, runs * subjects, subjects, runs) for runs, subjects in have.items() if subjects > 1]
    return max(kept)[-1] if kept else 0


def variance_components(scores: Scores) -> VarianceComponents | None:
    """Estimate the components of balanced scores. None below two subjects, or with one score a subject.

    A factor with one level is no factor. The part that varies with all factors there are is the residual.
    """
    sizes = dict(zip(_AXES, (*scores.shape, 1)[: len(_AXES)], strict=True))
    factors = "".join(axis for axis in _AXES if sizes[axis] > 1)
    if "p" not in factors or len(factors) == 1:
        return None
    effects = _effects(factors)
    mean_squares, df = zip(*(_mean_square(scores, effect, factors) for effect in effects), strict=True)
    # E(mean square of an effect) = sum, over the effects that contain it, of their variance x scores per level.
    levels = [prod(sizes[axis] for axis in factors if axis not in effect) for effect in effects]
    contained = np.array([[set(effect) <= set(other) for other in effects] for effect in effects])
    solved = np.linalg.inv(contained * np.array(levels, dtype=np.float64))
    squares = np.array(mean_squares)
    variances = solved @ squares
    variances[np.abs(variances) < _NOISE * squares.max()] = 0.0
    errors = np.sqrt(solved**2 @ (2 * squares**2 / (np.array(df) + 2)))
    parts = tuple(
        VarianceComponent(RESIDUAL if effect == factors else _NAMES[effect], effect, float(variance), float(error))
        for effect, variance, error in zip(effects, variances, errors, strict=True)
    )
    return VarianceComponents(sizes["p"], sizes["s"], sizes["r"], sizes["j"], parts)


def _effects(factors: str) -> list[str]:
    every = ["".join(own) for count in range(1, len(factors) + 1) for own in combinations(factors, count)]
    return [effect for effect in every if "r" not in effect or "p" in effect]


def _mean_square(scores: Scores, effect: str, factors: str) -> tuple[float, int]:
    """Mean square of an effect and its degrees of freedom. Subjects only hold their runs apart where runs take part."""
    nesting = "p" if "r" in effect else ""
    deviations = scores if scores.ndim == len(_AXES) else scores[..., np.newaxis]
    df, per_level = 1, 1
    for number, axis in enumerate(_AXES):
        if axis not in factors:
            continue
        size = deviations.shape[number]
        if axis not in effect:
            per_level *= size
            deviations = deviations.mean(axis=number, keepdims=True)
        elif axis in nesting:
            df *= size
        else:
            df *= size - 1
            deviations = deviations - deviations.mean(axis=number, keepdims=True)
    return float(per_level * np.square(deviations).sum()) / df, df


def reliability(found: VarianceComponents, scenarios: int | None = None, runs: int | None = None) -> Reliability:
    """Coefficients of means over `scenarios` and `runs` (None: as many as there were) and over all judges there were.

    Of variance between subjects, the share that does not come from drawing scenarios, runs and judges. `these` keeps
    the scenarios, so what a subject does on one of them belongs to it: None for another number of scenarios, or where
    runs were not repeated. Another number of runs is None too where they were not.
    """
    levels = {"s": scenarios or found.scenarios, "r": runs or found.runs, "j": found.judges}
    if found.runs == 1 and levels["r"] > 1:
        return Reliability(None, None)
    means = {
        part.axes: max(0.0, part.variance) / prod(levels[axis] for axis in part.axes if axis != "p")
        for part in found.parts
        if "p" in part.axes
    }
    total = sum(means.values())
    own = means["p"]
    if not total:
        return Reliability(None, None)
    same = levels["s"] == found.scenarios and found.runs > 1
    return Reliability((own + means.get("ps", 0.0)) / total if same else None, own / total)


def composite(strata: Sequence[Scores]) -> Reliability:
    """Coefficients of a sum over strata, each (subjects, scenarios, runs) in points of that sum.

    A stratum of one scenario says nothing about others of its kind: it adds no variance of scenarios.
    """
    of_runs = variance_components(np.sum([stratum.sum(axis=1, keepdims=True) for stratum in strata], axis=0))
    if of_runs is None:
        return Reliability(None, None)
    own = of_runs.used("subject")
    total = own + of_runs.used(RESIDUAL) / of_runs.runs
    drawn = 0.0
    for stratum in strata:
        found = variance_components(stratum) if stratum.shape[1] > 1 else None
        drawn += stratum.shape[1] * found.used("subject x scenario") if found else 0.0
    return Reliability(own / total, max(0.0, own - drawn) / total) if total else Reliability(None, None)


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
    found = variance_components(indices[:, np.newaxis])
    assert found is not None
    own, all_judges = found.used(RESIDUAL), found.used("run")
    return JudgeError(own / (own + all_judges) if own else 0.0, found.used("judge x subject"))


def _left(noise: ErrorSources, runs: Array | None) -> Array:
    """The share of each subject's variance over runs that is left with `runs`."""
    if runs is None:
        return np.ones_like(noise.these)
    weights = noise.weights if noise.weights.any() else np.ones_like(noise.weights)
    left: Array = (weights / runs).sum(axis=0) / (weights / noise.runs).sum(axis=0)
    return left


def typical(errors: Sequence[float]) -> float | None:
    """The root mean square of standard errors; None where there are none, or nothing varies."""
    return _typical(np.square(errors)) if any(errors) else None


def _typical(variances: Array) -> float:
    return sqrt(float(variances.mean()))
