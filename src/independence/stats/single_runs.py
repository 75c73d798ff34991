"""How sure an index is where many scenarios were run once each: for scenarios like these.

The scenarios are the sample, so nothing has to be run twice: what varies from scenario to scenario holds the variance
over runs too, with what a draw of scenarios may have missed (`unseen`). The interval is Wilson's (1927) at the share of
the most variance that this is at that level, with a t quantile: for scenarios that pass or fail it is Wilson's own.
Strata are joined by Satterthwaite's degrees of freedom.

A subject is judged by its own scenarios alone. Nothing is borrowed from others on the board: they answered the same
scenarios, so an easy draw makes all of them look good at once.
"""

from __future__ import annotations

import math

import numpy as np

from independence.stats import unseen
from independence.stats.index_uncertainty import IndexEstimate
from independence.stats.intervals import joined
from independence.stats.subject_points import SubjectPoints

FEW = 10  # scenarios of a kind, below which they are no sample of it


def like_these(subject: SubjectPoints) -> IndexEstimate | None:
    """The index of a subject with its standard error over scenarios; None where a stratum has fewer than FEW."""
    if any(len(stratum.scenarios) < FEW for stratum in subject.strata):
        return None
    missed = unseen.UNSEEN / len(subject.strata)
    expected, parts = subject.base, []
    for stratum, means in zip(subject.strata, subject.means, strict=True):
        count, mean = len(means), float(means.mean())
        end = max(np.mean(stratum.ends, axis=0).tolist(), key=lambda end: abs(end - mean))
        squares = float(((means - mean) ** 2).sum())
        parts.append((count * unseen.variance(squares, count, end - mean, missed), count - 1.0))
        expected += count * (count * mean + missed * end) / (count + missed)
    low, high = subject.scale
    variance, df = joined(parts)
    dispersion = float(variance) / ((expected - low) * (high - expected))
    return IndexEstimate(subject.index, math.sqrt(variance), float(df), dispersion=dispersion, scale=subject.scale)
