"""How much one run of each scenario shakes the index, pooled over the subjects of a place."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from independence.report.study import Study

PRIOR_DF = 4


class RunNoise(NamedTuple):
    """Variance of one run in squared index points, and the degrees of freedom behind it, by scenario."""

    variance: dict[str, float]
    df: dict[str, int]

    def beside(self, prior: Mapping[str, float]) -> dict[str, float]:
        """These variances, moved towards `prior` as if that had been seen with PRIOR_DF degrees of freedom.

        Only the proportions of `prior` count: it is brought to the same sum.
        """
        scale = sum(self.variance.values()) / sum(prior[name] for name in self.variance)
        return {
            name: (self.df[name] * seen + PRIOR_DF * scale * prior[name]) / (self.df[name] + PRIOR_DF)
            for name, seen in self.variance.items()
        }


def pooled(study: Study) -> RunNoise | None:
    """Within-subject variances weighted by their degrees of freedom; None where no subject has two runs of all."""
    sums: dict[str, float] = {}
    counts: dict[str, int] = {}
    for config in study.these:
        for scenario, points in study.sheets[config].totals.items():
            sums[scenario] = sums.get(scenario, 0.0) + float(points.var(ddof=1)) * (len(points) - 1)
            counts[scenario] = counts.get(scenario, 0) + len(points) - 1
    if not counts:
        return None
    return RunNoise({scenario: sums[scenario] / counts[scenario] for scenario in sums}, counts)
