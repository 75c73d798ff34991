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
from independence.stats.subject_points import Points, SubjectPoints
from independence.types import Ends

_DIGITS = 9  # of points, in which equal ends are equal
FEW = 10  # scenarios of a kind, below which they are no sample of it


def like_these(subject: SubjectPoints) -> IndexEstimate | None:
    """The index of a subject with its standard error over scenarios; None where a kind has fewer than FEW."""
    kinds = _kinds(subject)
    if any(len(ends) < FEW for ends, _ in kinds):
        return None
    missed = unseen.UNSEEN / len(kinds)
    expected, parts = subject.base, []
    for ends, means in kinds:
        count, mean = len(means), float(means.mean())
        end = max(np.mean(ends, axis=0).tolist(), key=lambda end: abs(end - mean))
        squares = float(((means - mean) ** 2).sum())
        parts.append((count * unseen.variance(squares, count, end - mean, missed), count - 1.0))
        expected += count * (count * mean + missed * end) / (count + missed)
    low, high = subject.scale
    variance, df = joined(parts)
    dispersion = float(variance) / ((expected - low) * (high - expected))
    return IndexEstimate(subject.index, math.sqrt(variance), float(df), dispersion=dispersion, scale=subject.scale)


def _kinds(subject: SubjectPoints) -> list[tuple[list[Ends], Points]]:
    """The ends of each scenario's points and what it adds, (scenarios,), by kind.

    Strata of fewer than FEW whose scenarios can add the same points are one kind. The spread between such strata
    then counts too, so the error is rather too large.
    """
    found: dict[object, tuple[list[Ends], list[Points]]] = {}
    for number, (stratum, means) in enumerate(zip(subject.strata, subject.means, strict=True)):
        alike = frozenset((round(low, _DIGITS), round(high, _DIGITS)) for low, high in stratum.ends)
        ends, added = found.setdefault(alike if len(means) < FEW else number, ([], []))
        ends.extend(stratum.ends)
        added.append(means)
    return [(ends, np.concatenate(added)) for ends, added in found.values()]
