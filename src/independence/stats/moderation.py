"""Variances of many subjects, each known from a few runs, moderated by what the fleet shows.

With four or five runs a variance is mostly noise, and a subject whose runs happen to agree would get an interval of no
width. Each variance moves towards the fleet's mean, the more the less the fleet's true variances differ (Smyth 2004,
"Linear models and empirical Bayes methods", section 3; the prior's degrees of freedom come from the first two moments,
because scores are whole numbers and exact zeros are common, which a fit to log variances cannot take).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


class ModeratedVariances(NamedTuple):
    """Variances (n,) and the degrees of freedom they are worth (n,)."""

    variance: Array
    df: Array


def moderate(variance: Array, df: Array, shape: Array | None = None) -> ModeratedVariances:
    """Shrink sample variances (n,), known from `df` (n,) > 0 degrees of freedom, towards their mean.

    With `shape` (n,) > 0 the fleet's variances are expected in proportion to it: what is moderated is their ratio. True
    variances are taken as scaled inverse chi-square with d0 degrees of freedom: with c the squared coefficient of
    variation of the true variances, d0 = 2 + 2/c. A subject alone keeps its variance: d0 is at most what the others
    bring.
    """
    if shape is not None:
        ratio = moderate(variance / shape, df)
        return ModeratedVariances(ratio.variance * shape, ratio.df)
    total = df.sum()
    mean = float((df * variance).sum() / total)
    if mean == 0:
        return ModeratedVariances(variance, df)
    squares = float((df * variance**2 / (1 + 2 / df)).sum() / total)  # of the true variances, sampling taken out
    spread = squares / mean**2 - 1
    prior = np.minimum(2 + 2 / spread if spread > 0 else np.inf, total - df)
    return ModeratedVariances((prior * mean + df * variance) / (prior + df), prior + df)


def bounded_shape(mean: Array, error: Array, low: float, high: float) -> Array | None:
    """How variances of scores between `low` and `high` go with their means (n,), known with variances `error` (n,).

    As p (1 - p) does, with p where the mean lies on the scale: scores near an end have no room to vary. Each mean first
    moves towards the fleet's by its unreliability (Efron and Morris 1973), or those who were lucky would also count as
    sure. None where that leaves somebody at an end.
    """
    share, noise = (mean - low) / (high - low), float(error.mean()) / (high - low) ** 2
    seen = float(share.var(ddof=1)) if len(share) > 1 else 0.0
    reliable = max(0.0, 1 - noise / seen) if seen > 0 else 0.0
    fleet = float(share.mean())
    share = np.clip(fleet + reliable * (share - fleet), 0.0, 1.0)
    shape = share * (1 - share)
    return shape if (shape > 0).all() else None
