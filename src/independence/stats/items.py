"""How much each item of a board (a scenario, a stem, a dispute) adds to telling its subjects apart.

Classical item analysis (Lord and Novick 1968, chapter 15). NaN stands where a subject has no value of an item.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from independence.stats import comparison, ranks
from independence.stats.contributions import Array
from independence.stats.intervals import Interval, t_quantile

FEWEST = 5  # subjects from which on they are said to correlate
_REST = 1e-9  # what computing adds to equal values


def share_at(values: Array, end: float) -> float | None:
    """The share of values (...,) that are this end of their scale, 0-1; None without any."""
    there = values[~np.isnan(values)]
    return float((np.abs(there - end) < _REST).mean()) if there.size else None


def item_rest(values: Array, at: int) -> tuple[float | None, Interval | None]:
    """Pearson's r of item `at` of values (subjects, items) with the mean of the others, and its 95% interval.

    By Fisher's z (1921); without one where r is 1 or -1. None where either is constant, or of fewer than 5 subjects.
    """
    others = np.delete(values, at, axis=1)
    kept = ~np.isnan(values[:, at]) & ~np.isnan(others).all(axis=1)
    own, rest = values[kept, at], np.array([one[~np.isnan(one)].mean() for one in others[kept]])
    if len(own) < FEWEST or min(np.ptp(own), np.ptp(rest)) < _REST:
        return None, None
    r = float(np.corrcoef(own, rest)[0, 1])
    if abs(r) > 1 - _REST:
        return r, None
    half = t_quantile(math.inf, 0.95) / math.sqrt(len(own) - 3)
    return r, Interval(math.tanh(math.atanh(r) - half), math.tanh(math.atanh(r) + half))


def cronbach(values: Array) -> float | None:
    """Alpha (Cronbach 1951): k / (k - 1) * (1 - sum of the items' variances / variance of their sum).

    Of the subjects that have all k items; None below two items or 5 such subjects, or where the sum is constant.
    """
    whole = values[~np.isnan(values).any(axis=1)]
    subjects, count = whole.shape
    if count < 2 or subjects < FEWEST or np.ptp(whole.sum(axis=1)) < _REST:
        return None
    of_items, of_sum = whole.var(axis=0, ddof=1).sum(), whole.sum(axis=1).var(ddof=1)
    return float(count / (count - 1) * (1 - of_items / of_sum))


def reliability(runs: Sequence[Array]) -> float | None:
    """The share of an item's variance between subjects that runs do not explain, 0-1. `runs`: of each subject (runs,).

    Over subjects with two runs or more; None below two of them, or where they are all alike.
    """
    repeated = [own for own in runs if len(own) > 1]
    between = float(np.var([own.mean() for own in repeated], ddof=1)) if len(repeated) > 1 else 0.0
    within = [own.var(ddof=1) / len(own) for own in repeated]
    return max(0.0, 1 - float(np.mean(within)) / between) if between > _REST else None


def differing(p: Array) -> int:
    """How many of all pairs differ, Holm at 5%. `p` (n, n): see `ranks.pair_p_values`."""
    return int((comparison.adjusted(np.abs(p[np.triu_indices(len(p), 1)])) < ranks.LEVEL).sum())
