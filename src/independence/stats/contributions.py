"""What one run of one unit adds to an estimate, of several subjects, as arrays.

A unit is what is asked again: a scenario, a stem, a dispute, a commitment. An estimate is a base plus, over units, the
mean over runs of what they add. Runs of one number stand in one column: what changed from run to run moved them
together.
"""

from __future__ import annotations

from functools import cached_property

import msgspec
import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
_REST = 1e-9  # points


class Contributions(msgspec.Struct, frozen=True, dict=True):
    """Of n subjects with the same units; every unit of each has a run."""

    base: Array  # (n,) points of the estimate without any unit
    points: Array  # (n, units, runs), NaN where there is no run
    low: Array  # (n, units) fewest points of a run
    high: Array  # (n, units) most
    given: Array | None = None  # as `points`, NaN too where a missing verdict was filled; None: nothing was

    @cached_property
    def runs(self) -> Array:
        """How many of each unit, (n, units)."""
        return np.asarray((~np.isnan(self.points)).sum(axis=2), dtype=np.float64)

    @cached_property
    def means(self) -> Array:
        """Over runs, (n, units)."""
        return np.asarray(np.nansum(self.points, axis=2) / self.runs)

    @cached_property
    def estimate(self) -> Array:
        """(n,)."""
        return np.asarray(self.base + self.means.sum(axis=1))

    @cached_property
    def ends(self) -> Array:
        """The lowest and the highest estimate that there can be, (2, n)."""
        return np.stack([self.base + self.low.sum(axis=1), self.base + self.high.sum(axis=1)])

    @cached_property
    def variance(self) -> Array:
        """Of one run of each unit, (n, units)."""
        return sample_variance(self.points)

    @cached_property
    def most(self) -> Array:
        """Variance of the estimate (n,) for runs that are all or nothing, in units of p (1 - p) on its scale."""
        low, high = self.ends
        return np.asarray(((self.high - self.low) ** 2 / self.runs).sum(axis=1) / (high - low) ** 2)


def sample_variance(points: Array) -> Array:
    """Sample variances (...,) of points (..., runs), NaN where there is no run; one run alone has none.

    Equal points have none either, though sums of binary fractions leave a rest.
    """
    there = ~np.isnan(points)
    count, filled = there.sum(axis=-1), np.where(there, points, 0.0)
    off = np.where(there, points - (filled.sum(axis=-1) / np.maximum(count, 1))[..., None], 0.0)
    spread = np.where(there, points, -np.inf).max(axis=-1) - np.where(there, points, np.inf).min(axis=-1)
    found = (off**2).sum(axis=-1) / np.maximum(count - 1, 1)
    return np.where((count > 1) & (spread >= _REST), found, 0.0)


class RunSpread(msgspec.Struct, frozen=True):
    """How far runs of n subjects go up and down as a whole, beside what their units alone make them vary; (n,) each."""

    ratio: Array  # of what was seen to what independent units would give; 1 where nothing varies
    df: Array  # degrees of freedom of that
    alone: Array  # share of the variance that is one unit's, 0-1: of one unit nothing can be told
    carried: Array  # what of a component of whole runs shows in `ratio`, beside what it adds to the estimate


def run_spread(own: Contributions) -> RunSpread:
    """Of each subject, by what all units of a run add together (Liang and Zeger 1986), runs of any numbers.

    A run adds U, the sum over its units of (points - mean) / runs of the unit. Where units are independent, the sum of
    U squared is expected to be the trace of a matrix S of their variances, with trace(S)^2 / trace(S^2) degrees of
    freedom (Satterthwaite 1946). A component of whole runs moves each unit by a share of its span.
    """
    points = own.points if own.given is None else own.given
    there = ~np.isnan(points)
    count = np.maximum(there.sum(axis=2), 1.0)
    mean = np.where(there, points, 0.0).sum(axis=2) / count
    width, part = own.high - own.low, there / count[..., None]
    seen = (np.where(there, points - mean[..., None], 0.0) / count[..., None]).sum(axis=1)
    variance = sample_variance(points)
    varies = variance.sum(axis=1) > _REST**2
    # Where nothing varies the numbers of runs still say how much could be known.
    assumed = np.where(varies[:, None], variance, width**2)
    expected, moved = _of_runs(assumed, part), _of_runs(width * count, part)
    trace = np.trace(expected, axis1=1, axis2=2)
    each, carried = assumed / count, (width[..., None] * part).sum(axis=1)
    total = each.sum(axis=1)
    shows = (moved**2).sum(axis=(1, 2)) * total
    return RunSpread(
        ratio=np.where(varies, (seen**2).sum(axis=1) / np.maximum(trace, _REST**2), 1.0),
        df=trace**2 / np.maximum((expected**2).sum(axis=(1, 2)), _REST**4),
        alone=(each**2).sum(axis=1) / total**2,
        carried=shows / np.maximum(trace * (carried**2).sum(axis=1), _REST**4),
    )


def _of_runs(size: Array, part: Array) -> Array:
    """Covariances (n, runs, runs) of what runs add less their units' means; `size`: variance of one run of a unit."""
    found: Array = -np.einsum("nur,nus->nrs", size[..., None] * part**2, part)
    at = np.arange(part.shape[2])
    found[:, at, at] += (size[..., None] * part**2).sum(axis=1)
    return found
