"""Does a judge favour its own family? Allowing for how lenient it is, and for how much of the scale it uses.

A judge that is lenient to all is above the others everywhere, so the mean over its own subjects ("self bias", as it was
published) says little; the difference to other subjects counts. And a judge that stretches the scale is above the
others on strong subjects and below them on weak ones, whoever made them. So its index is regressed on the mean of the
other judges', with one slope and a level for each of the two groups: the distance of the levels is the preference
(analysis of covariance). Both sides of the regression have errors, so the slope is Deming's (W. E. Deming, "Statistical
Adjustment of Data", 1943): least squares would flatten it and leave a part of the stretch in the preference. Judges
are taken to err alike, so the mean of m judges has a variance of errors m times smaller than one.

A judge that stretches the scale by 15% is shown to prefer or to neglect its own family in 4 to 7% of simulated sets;
by 30%, where it reaches the end of its scale and the line bends, in 5 to 10% (`python -m benchmarks judges`).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from statistics import fmean
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from independence.stats.intervals import Interval, around, joined

Points = Mapping[str, NDArray[np.float64]]  # scenario -> what each run adds to the index, (runs,)
Array = NDArray[np.float64]
FEWEST = 5  # subjects from which a slope is fitted
_NOTHING = 1e-9  # index points


class JudgedSubject(NamedTuple):
    """One subject's dialogues under a judge and under the mean of `references` others, in points of the index."""

    judge: Points
    reference: Points
    references: int

    @property
    def delta(self) -> float:
        """How far the judge's index is above that of the others."""
        return _total(self.judge) - _total(self.reference)

    def run_variance(self, slope: float) -> tuple[float, float] | None:
        """Of judge - slope x reference over runs of the same scenarios, with its degrees of freedom.

        None where a scenario has one run.
        """
        gaps = [own - slope * self.reference[name] for name, own in self.judge.items()]
        if any(len(gap) < 2 for gap in gaps):
            return None
        variance, df = joined((gap.var(ddof=1) / len(gap), len(gap) - 1.0) for gap in gaps)
        return float(variance), float(df)


class FamilyPreference(NamedTuple):
    """A judge's own family against other subjects, in points of the index."""

    own: int  # subjects
    others: int
    self_bias: float | None  # mean over own subjects
    elsewhere: float | None  # mean over others
    slope: float | None  # of the judge on the others: above 1 it stretches the scale. None: not known, taken as 1
    difference: float | None  # own family minus others at the same index by the other judges
    interval: Interval | None


def judged(judge: Points, reference: Sequence[Points]) -> JudgedSubject:
    """Set a judge beside others on the same dialogues of one subject. Raises ValueError without another."""
    if not reference:
        raise ValueError("no judge to compare with")
    mean = {name: np.asarray(np.mean([other[name] for other in reference], axis=0)) for name in judge}
    return JudgedSubject(judge, mean, len(reference))


def prefer(own: Sequence[JudgedSubject], others: Sequence[JudgedSubject], level: float = 0.95) -> FamilyPreference:
    """Set a judge's own subjects against the others. No slope below `FEWEST` subjects, and no interval without one.

    The interval is for subjects like these: judges like some styles better than others, whoever made the model, and a
    difference must be large against that. The variance of a subject's distance from the line is pooled over both groups
    (t with subjects - 3 degrees of freedom, so that one own subject is enough), and never taken below what the runs
    alone say: within subject x scenario, Satterthwaite (1946). To it comes what the slope may be off by, times the
    distance of the two groups.
    """
    self_bias, elsewhere = (fmean(one.delta for one in group) if group else None for group in (own, others))
    slope, difference, interval = None, None, None
    if self_bias is not None and elsewhere is not None:
        difference, line = self_bias - elsewhere, _line(own, others)
        if line:
            slope = line.slope
            difference += (1 - slope) * line.apart
            between = line.left * (1 / len(own) + 1 / len(others)) + line.slope_variance * line.apart**2
            variance, df = max((between, float(line.df)), _within(line.slope, own, others))
            interval = around(difference, math.sqrt(variance), df, level) if variance > _NOTHING**2 else None
    return FamilyPreference(
        len(own), len(others), self_bias=self_bias, elsewhere=elsewhere, slope=slope, difference=difference,
        interval=interval,
    )  # fmt: skip


class _PreferenceLine(NamedTuple):
    """The common slope of both groups."""

    slope: float
    apart: float  # mean of own subjects minus mean of others, by the other judges
    left: float  # variance of subjects around the lines
    slope_variance: float
    df: int


def _line(own: Sequence[JudgedSubject], others: Sequence[JudgedSubject]) -> _PreferenceLine | None:
    """None for too few subjects, or where those of a group hardly differ by either side."""
    groups = [np.array([(_total(one.reference), _total(one.judge)) for one in group]) for group in (own, others)]
    count = len(own) + len(others)
    moved = np.concatenate([group - group.mean(axis=0) for group in groups])
    xx, xy, yy = (float(moved[:, a] @ moved[:, b]) for a, b in ((0, 0), (0, 1), (1, 1)))
    if count < FEWEST or xy <= _NOTHING:
        return None
    ratio = fmean(one.references for one in (*own, *others))
    apart = yy - ratio * xx
    slope = (apart + math.hypot(apart, 2 * math.sqrt(ratio) * xy)) / (2 * xy)
    left = float(np.square(moved[:, 1] - slope * moved[:, 0]).sum()) / (count - 3)
    # Kendall and Stuart, The Advanced Theory of Statistics, vol. 2, ch. 29: the ratio of the errors is known.
    slope_variance = slope**2 * max(xx * yy / xy**2 - 1, 0.0) / (count - 3)
    distance = float(groups[0][:, 0].mean() - groups[1][:, 0].mean())
    return _PreferenceLine(slope, distance, left=left, slope_variance=slope_variance, df=count - 3)


def _within(slope: float, own: Sequence[JudgedSubject], others: Sequence[JudgedSubject]) -> tuple[float, float]:
    """The variance of the difference over runs; none where a scenario has one run."""
    parts = [(one.run_variance(slope), len(group)) for group in (own, others) for one in group]
    known = [(part[0] / size**2, part[1]) for part, size in parts if part is not None]
    variance, df = joined(known if len(known) == len(parts) else ())
    return float(variance), float(df)


def _total(points: Points) -> float:
    return sum(float(own.mean()) for own in points.values())
