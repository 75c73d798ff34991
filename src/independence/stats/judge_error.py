"""What other judges would have made of an index: the error that intervals under one judge leave out.

Indices by several judges of the same replies are subjects x judges. What a judge adds to all subjects alike moves the
whole board and no subject against another; it is told beside the interval and is not in it. What is left is how a
judge leans towards some subjects: the residual mean square of the two-way layout (Brennan, Generalizability Theory,
2001, section 2.2), for the means over runs and scenarios that an index is made of, so that a judge's inconsistency over
these is in it too. It adds to the variance over runs and scenarios, degrees of freedom by Satterthwaite (1946).
"""

from __future__ import annotations

import math
from typing import NamedTuple

from independence.stats.index_uncertainty import Array, IndexEstimate
from independence.stats.intervals import Interval, joined

JUDGES_LIKE_THESE, AUDITED = "judges-like-these", "audited-like-these"
FEWEST = 3  # subjects


class JudgeVariance(NamedTuple):
    """Judges' part in indices."""

    variance: float  # squared index points, of one judge's leaning towards a subject
    df: float
    severity: float  # standard deviation, over judges, of what one adds to all subjects alike, in index points


def judge_variance(indices: Array) -> JudgeVariance | None:
    """From indices (subjects, judges) of the same replies. None below two judges or `FEWEST` subjects."""
    subjects, judges = indices.shape
    if judges < 2 or subjects < FEWEST:
        return None
    left = indices - indices.mean(axis=0) - indices.mean(axis=1, keepdims=True) + indices.mean()
    df = float((subjects - 1) * (judges - 1))
    severity = float(indices.mean(axis=0).std(ddof=1))
    return JudgeVariance(float((left**2).sum()) / df, df, severity)


def with_judges(estimate: IndexEstimate, judges: JudgeVariance) -> IndexEstimate:
    """The estimate for other judges too: its own sources and the judges' are independent. Never surer than it was."""
    variance, df = joined([(estimate.se**2, estimate.df), (judges.variance, judges.df)])
    wider = estimate.dispersion * float(variance) / estimate.se**2 if estimate.se > 0 else 0.0
    return estimate._replace(se=math.sqrt(variance), df=min(float(df), estimate.df), dispersion=wider)


def recovered(estimate: float, ends: Interval, index: float, like_these: Interval) -> Interval:
    """An interval around an audited estimate that also holds other runs and scenarios.

    `ends` are those of the estimate, for what the model would have said of these dialogues; `like_these` those of the
    index. Errors of both are independent, so distances to the ends add in squares (the method of variance estimates
    recovery: Zou and Donner, Statistics in Medicine 27, 2008), which needs no common degrees of freedom.
    """
    down = math.hypot(estimate - ends.low, index - like_these.low)
    up = math.hypot(ends.high - estimate, like_these.high - index)
    return Interval(estimate - down, estimate + up)
