"""How sure an index is where many scenarios were run once each: for scenarios like these.

The scenarios are the sample, so nothing has to be run twice: what varies from scenario to scenario holds the variance
over runs too. A t interval over the scenarios of each stratum; strata are joined by Satterthwaite's degrees of freedom.
A subject is judged by its own scenarios alone. Nothing is borrowed from others on the board: they answered the same
scenarios, so an easy draw makes all of them look good at once.
"""

from __future__ import annotations

import math

import numpy as np

from independence.stats.index_uncertainty import IndexEstimate
from independence.stats.intervals import joined
from independence.stats.subject_points import SubjectPoints

FEW = 10  # scenarios of a kind, below which they are no sample of it


def like_these(sheet: SubjectPoints) -> IndexEstimate | None:
    """The index of a subject with its standard error over scenarios; None where a stratum has fewer than FEW."""
    if any(len(stratum.scenarios) < FEW for stratum in sheet.strata):
        return None
    parts = []
    for stratum in sheet.strata:
        means = [float(points.mean()) for points in stratum.points]
        parts.append((len(means) * float(np.var(means, ddof=1)), len(means) - 1.0))
    variance, df = joined(parts)
    return IndexEstimate(sheet.index, math.sqrt(variance), df)
