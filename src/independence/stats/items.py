"""What each scenario does for an index: how hard it is, whom it tells apart, what it adds in signal and in noise.

The unit is the dialogue: a scenario's verdicts in points of the index, over all dimensions that read them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from independence.stats.index_uncertainty import Array
from independence.stats.intervals import Interval, t_interval
from independence.stats.lost_points import variance_shares
from independence.stats.subject_points import SubjectPoints

SANITY_DISCRIMINATION, SANITY_CEILING = 0.2, 0.9
_FEWEST_SUBJECTS = 3  # two always correlate perfectly
_TOLERANCE = 1e-9  # of a sum of points


class ItemStatistics(NamedTuple):
    """One scenario over subjects. Shares are 0-1."""

    scenario: str
    difficulty: float | None  # mean share of its points that is lost, 0-100; None where it has none to give
    interval: Interval | None  # 95 %, t over subjects. None below two subjects or without any spread
    discrimination: float | None  # correlation of its mean points with the rest of the index
    ceiling: float | None  # share of verdicts with all its points
    always: float | None  # share of subjects that never lost any
    carried: float | None  # share of the variance of the index over subjects; all scenarios add up to 1
    noise: float | None  # share of the variance of one run of the index within subjects; all add up to 1

    @property
    def sanity(self) -> bool:
        """True where it hardly tells subjects apart: a check that all should pass rather than a part of an index."""
        flat = self.discrimination is not None and self.discrimination < SANITY_DISCRIMINATION
        return flat or (self.ceiling is not None and self.ceiling >= SANITY_CEILING)


def items(fleet: Sequence[SubjectPoints]) -> list[ItemStatistics]:
    """Statistics of every scenario of the index, stratum by stratum, over complete subjects of one suite."""
    if not fleet:
        return []
    totals, ends = [sheet.totals for sheet in fleet], fleet[0].ends
    points = {scenario: [own[scenario] for own in totals] for scenario in ends}
    means = np.array([[own.mean() for own in row] for row in points.values()])  # (scenarios, subjects)
    index = means.sum(axis=0)
    shares = variance_shares(means)
    carried = [None] * len(means) if shares is None else shares.tolist()
    noise = _shares(np.array([_one_run(row) for row in points.values()]))
    out = []
    for number, (scenario, row) in enumerate(points.items()):
        low, high = ends[scenario]
        lost = 100 * (high - means[number]) / (high - low) if high > low else None
        full, always = _ceiling_shares(row, high) if high > low else (None, None)
        out.append(
            ItemStatistics(
                scenario,
                None if lost is None else float(lost.mean()),
                interval=None if lost is None else t_interval(lost.tolist()),
                discrimination=_correlation(means[number], index - means[number]),
                ceiling=full,
                always=always,
                carried=carried[number],
                noise=noise[number],
            )
        )
    return out


def _ceiling_shares(row: Sequence[Array], high: float) -> tuple[float, float]:
    """Share of verdicts, and of subjects with all their verdicts, at the high end."""
    hits = [own >= high - _TOLERANCE for own in row]
    return float(np.concatenate(hits).mean()), float(np.mean([own.all() for own in hits]))


def _one_run(row: Sequence[Array]) -> float:
    """Variance of one run within subjects, mean over those that repeated."""
    return float(np.mean([own.var(ddof=1) for own in row if len(own) > 1] or [0.0]))


def _shares(parts: Array) -> list[float | None]:
    """Each part of their sum; None where there is nothing to share."""
    total = float(parts.sum())
    return [float(part) / total if total > _TOLERANCE else None for part in parts]


def _correlation(first: Array, second: Array) -> float | None:
    if len(first) < _FEWEST_SUBJECTS or min(np.ptp(first), np.ptp(second)) < _TOLERANCE:
        return None
    return float(np.corrcoef(first, second)[0, 1])
