"""What can be said about places on a board: tiers, rank intervals, the chance of being best, what can be told apart."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import NamedTuple

import numpy as np

from independence.stats.index_uncertainty import IndexEstimate
from independence.stats.intervals import t_quantile
from independence.stats.moderation import Array

DRAWS, SEED = 10_000, 42
_DIGITS = 9  # of an index point, to which equal ones agree: what is left is the error of computing them


class Placement(NamedTuple):
    """A subject's place. Ranks count from 1."""

    tier: int
    rank_low: int  # 95 % interval of the rank
    rank_high: int
    p_best: float


def placements(estimates: Sequence[IndexEstimate], p: Array, others: Sequence[float] = ()) -> list[Placement]:
    """Places of estimates given best first; `p` (n, n) are adjusted p values of all pairs.

    `others` are indices without a known error, of single runs: they take part in the ranks as they stand.
    """
    if not estimates:
        return []
    low, high, best = _ranks(estimates, others)
    return [Placement._make(place) for place in zip(tiers(p), low, high, best, strict=True)]


def ranks(indices: Sequence[float]) -> list[int]:
    """Ranks of indices given best first; equal ones share the first place that they take (1, 1, 3)."""
    first: dict[float, int] = {}
    return [first.setdefault(rounded_index(index), place) for place, index in enumerate(indices, start=1)]


def rounded_index(index: float) -> float:
    """An index as it is ordered by: equal ones are equal."""
    return round(index, _DIGITS)


def tiers(p: Array, level: float = 0.05) -> list[int]:
    """Tier of each subject, given best first: a new one starts where a subject differs from its tier's leader.

    With p values (n, n) of all pairs adjusted by Holm, the chance of any split among equals is at most `level`.
    """
    out, leader, tier = [], 0, 1
    for place in range(len(p)):
        if p[leader, place] < level:
            leader, tier = place, tier + 1
        out.append(tier)
    return out


def _ranks(estimates: Sequence[IndexEstimate], others: Sequence[float]) -> tuple[list[int], list[int], list[float]]:
    """Joint parametric bootstrap: every draw moves all subjects at once by their own t errors and ranks them.

    Resampling five runs would leave a subject whose runs agree without any error; its moderated error has one. Subjects
    with the same index share the draws of all of them, and those that stand still at one value share their place.
    """
    point, se, df = (np.array(values) for values in zip(*estimates, strict=True))
    draws = point + se * np.random.default_rng(SEED).standard_t(df, (DRAWS, len(point)))
    everybody = np.hstack([draws, np.tile(np.array(others, dtype=np.float64), (DRAWS, 1))])
    places = np.argsort(np.argsort(-everybody, axis=1, kind="stable"), axis=1, kind="stable") + 1
    own: list[Hashable] = [("moves", at) if se[at] else rounded_index(x) for at, x in enumerate(point)]
    for still in _equal([*own, *map(rounded_index, others)]):
        places[:, still] = places[:, still].min(axis=1, keepdims=True)
    best = (places == 1) / (places == 1).sum(axis=1, keepdims=True)
    low, high, p_best = np.empty(len(point), int), np.empty(len(point), int), np.empty(len(point))
    for equal in _equal([rounded_index(x) for x in point]):
        low[equal], high[equal] = np.percentile(places[:, equal], (2.5, 97.5), method="nearest")
        p_best[equal] = best[:, equal].mean()
    return low.tolist(), high.tolist(), p_best.tolist()


def _equal(values: Sequence[Hashable]) -> list[list[int]]:
    """Which of the values are the same, by position."""
    found: dict[Hashable, list[int]] = {}
    for at, value in enumerate(values):
        found.setdefault(value, []).append(at)
    return list(found.values())


def minimum_detectable(estimates: Sequence[IndexEstimate], power: float = 0.8, level: float = 0.05) -> float | None:
    """The difference in points that two typical subjects must have to be told apart with `power`.

    None below two subjects, and where nothing varies: then nothing says how far apart they must be.

    (t(1 - level / 2) + t(power)) times the standard error of a difference, at the median error and degrees of freedom,
    one comparison alone (Bloom 1995).
    """
    noisy = [estimate for estimate in estimates if estimate.se > 0]
    if len(noisy) < 2:
        return None
    se = float(np.median([estimate.se for estimate in noisy]))
    df = 2 * float(np.median([estimate.df for estimate in noisy]))
    return (t_quantile(df, 1 - level) + t_quantile(df, 2 * power - 1)) * float(np.sqrt(2)) * se
