"""Whether runs that were added later differ from those before them, as where a model or its host changed in between.

Each unit is compared with itself, so a stage that repeats hard scenarios more is no lower for it. The error is that of
the runs of each unit, earlier and later ones together, so that nothing rests on a unit whose few runs were alike by
chance.
`python -m benchmarks coverage/worlds` measures how often stable subjects are said to have changed.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from independence.stats.comparison import Differences
from independence.stats.contributions import Contributions
from independence.stats.intervals import joined


def differences(own: Contributions, stages: NDArray[np.intp]) -> list[Differences]:
    """Of n subjects, for each stage but the first: runs from it on minus those before, on the scale of the estimate.

    `stages`: in which stage each of `own.points` was added, from 0. A change is taken to move every unit by the same
    share of its span. Who has no runs to compare has no error, and p is 1.
    """
    there, width = ~np.isnan(own.points), own.high - own.low
    off = np.where(there, own.points - own.means[..., None], 0.0) / own.runs[..., None]
    found = []
    for stage in range(1, int(stages[there].max()) + 1):
        later = there & (stages >= stage)
        share = later.sum(axis=2) / own.runs
        parts = own.variance / own.runs * share * (1 - share)
        variance, df = joined(zip(parts.T, np.maximum(own.runs - 1, 1).T, strict=True))
        moved = (width * share * (1 - share)).sum(axis=1) / width.sum(axis=1)
        points, error = (
            np.divide(each, moved, out=np.zeros(len(moved)), where=moved > 0)
            for each in (np.where(later, off, 0.0).sum(axis=(1, 2)), np.sqrt(variance))
        )
        quantile = np.divide(np.abs(points), error, out=np.zeros(len(error)), where=error > 0)
        found.append(Differences(points, error, df, quantile))
    return found
