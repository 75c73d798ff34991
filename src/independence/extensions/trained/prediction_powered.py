"""Prediction-powered means: cheap predictions of everything, corrected by the few values that were measured.

The correction is the difference estimator of survey sampling, also known as prediction-powered inference: the sum of
predictions plus the measured differences, each weighted by the inverse of its probability of being measured (Horvitz
and Thompson 1952; Angelopoulos et al. 2023, equation 2; Zrnic and Candès 2024 for unequal probabilities). It is
unbiased over the draw, whatever the predictions are worth.

A group has too few measured values to tell its own error, so the variance is pooled over all groups: a difference is
taken to have variance s^2 * size^2, s^2 common to a stratum. Strata that are `fitted` have their predictions replaced
by a line through their measured values first (the regression estimator), with squared differences inflated for the fit
by 1 / (1 - leverage) and n / (n - 1).

A value that was to be measured and came to nothing is not taken as missing at random. Its total has bounds: with that
value at either end of what it can be, at the weight it was drawn with (Manski, Partial Identification of Probability
Distributions, 2003, ch. 1). Lines are fitted to what came.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from statistics import fmean
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from independence.stats.intervals import t_quantile

Array = NDArray[np.float64]
Places = NDArray[np.intp]
Mask = NDArray[np.bool_]

FEWEST = 5  # measured values from which a stratum is fitted or a variance is told
_STEEPEST = 2.0
_LEAST_LEFT = 0.1  # of 1 - leverage
_LEVEL = 0.95
_TINY = 1e-12
_LEAST_ERROR = 0.3  # of the mean; at 0.3 intervals of imported subjects cover 94.3%, without it 93.3%


def floored(errors: Sequence[float]) -> list[float]:
    """Expected errors, none below a share of their mean: whoever is sure of a prediction may be wrong about that."""
    least = _LEAST_ERROR * fmean(errors) if errors else 0.0
    return [max(error, least) for error in errors]


class MeasuredSample(NamedTuple):
    """n units, some measured. All in the unit of the total."""

    group: Places  # 0..groups-1
    stratum: Places
    predicted: Array
    measured: Array  # NaN where not measured
    probability: Array  # of having been measured; 1 where that was certain
    size: Array  # how far off a prediction may be, up to a factor common to its stratum
    weight: Array  # share of its group that a unit is: a line is fitted to values of one unit alone
    ends: Array  # (n, 2) least and most that a value which came to nothing can be; NaN of all others


class PoweredTotals(NamedTuple):
    """Totals by group, with 95% intervals (groups,)."""

    total: Array
    half: Array  # half the width of the interval; NaN where nothing tells it
    bounds: Array  # (groups, 2) least and most total; both are the total where everything came


def totals(sample: MeasuredSample, groups: int, fitted: Collection[int] = ()) -> PoweredTotals:
    """Estimate every group's total of measured values, had all been measured."""
    total, variance, reach = np.zeros(groups), np.zeros(groups), np.zeros((groups, 2))
    fewest = float("inf")
    for stratum in np.unique(sample.stratum):
        own = np.flatnonzero(sample.stratum == stratum)
        told = _stratum(MeasuredSample._make(values[own] for values in sample), stratum in fitted)
        total += np.bincount(sample.group[own], told.total, groups)
        variance += np.bincount(sample.group[own], told.variance, groups)
        np.add.at(reach, sample.group[own], told.reach)
        if (np.isfinite(told.variance) & (told.variance > 0)).any():
            fewest = min(fewest, told.measured)
    factor = t_quantile(fewest - 1, _LEVEL) if np.isfinite(fewest) else 0.0
    known = np.isfinite(variance)
    half = np.where(known, factor * np.sqrt(np.where(known, variance, 0.0)), np.nan)
    return PoweredTotals(total, half, total[:, None] + reach)


class _StratumTotal(NamedTuple):
    total: Array  # by unit
    variance: Array  # by unit, of its share in the error of the total
    reach: Array  # (units, 2) how far a value that came to nothing may move the total down and up
    measured: int  # values that were drawn and tell the variance


def _stratum(own: MeasuredSample, fit: bool) -> _StratumTotal:
    measured = ~np.isnan(own.measured)
    predicted, left = _line(own, measured) if fit else (own.predicted, np.ones(len(own.group)))
    difference = np.where(measured, own.measured - predicted, 0.0)
    chance, lost = np.maximum(own.probability, _TINY), ~np.isnan(own.ends[:, 0])
    total = predicted + np.where(measured, difference / chance, 0.0)
    reach = np.where(lost[:, None], (own.ends - predicted[:, None]) / chance[:, None], 0.0)
    open_ = own.probability < 1
    drawn = measured & open_ if not fit else measured
    unknowable = np.where(open_, own.probability <= 0, ~(measured | lost))
    if drawn.sum() < FEWEST:
        unknowable |= open_
    variance = np.where(unknowable, np.inf, 0.0)
    if drawn.sum() >= FEWEST:
        squares = difference[drawn] ** 2 / left[drawn] / own.probability[drawn]
        common = squares.sum() / np.sum(own.size[drawn] ** 2 / own.probability[drawn])
        common *= drawn.sum() / (drawn.sum() - 1) if fit else 1.0
        variance = variance + common * own.size**2 * (1 - chance) / chance
    return _StratumTotal(total, variance, reach, int(drawn.sum()))


def _line(own: MeasuredSample, measured: Mask) -> tuple[Array, Array]:
    """Predictions on a line through the measured values, and what is left of a difference after the fit (1 - h)."""
    left = np.ones(len(own.group))
    if measured.sum() < FEWEST:
        return own.predicted, left
    said, truth = own.predicted / own.weight, own.measured / own.weight
    middle, target = said[measured].mean(), truth[measured].mean()
    apart = said - middle
    spread = float(np.sum(apart[measured] ** 2))
    slope, taken = 1.0, np.full(len(said), 1 / measured.sum())
    if spread > _TINY:
        slope = float(np.clip(np.sum(apart[measured] * (truth[measured] - target)) / spread, 0.0, _STEEPEST))
        taken = taken + apart**2 / spread
    left = np.maximum(1 - taken, _LEAST_LEFT)
    return (target + slope * apart) * own.weight, left
