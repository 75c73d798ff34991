"""Two linear models told from likeness alone: least squares, and logistic regression on shares.

With n lessons both are n numbers (`a`), and a prediction is likeness to the lessons times these. What the model would
have said of a family had it not seen it comes from the same inverse (leave-group-out identity; for the logistic model
at its last Newton step).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from independence.judge.offline.marks import Matrix
from independence.judge.offline.training.feature_matrices import Rows

_STEPS = 15
_SETTLED = 1e-4
_FLATTEST = 1e-4  # least weight of a lesson whose share is as good as certain


class LinearFit(NamedTuple):
    """A fitted model and what it says of each group without having seen it."""

    a: Matrix
    without: Matrix


def least_squares(alike: Matrix, target: Matrix, penalty: float, groups: Sequence[Rows]) -> LinearFit:
    """Ridge regression of `target` (n,) without an intercept."""
    inverse: Matrix = np.linalg.inv(alike + penalty * np.eye(len(target))).astype(np.float64)
    a: Matrix = inverse @ target
    return LinearFit(a, np.subtract(target, _left_out(inverse, a, groups)))


def logistic(alike: Matrix, share: Matrix, penalty: float, groups: Sequence[Rows]) -> LinearFit:
    """Logistic regression of `share` (n,) in 0-1; `without` is on the logit scale."""
    count = len(share)
    a: Matrix = np.zeros(count)
    score: Matrix = np.zeros(count)
    system: Matrix = alike
    working: Matrix = score
    for _ in range(_STEPS):
        chance = expit(score)
        weight = np.maximum(chance * (1 - chance), _FLATTEST)
        working = score + (share - chance) / weight
        system = alike.copy()
        system.flat[:: count + 1] += penalty / weight
        new: Matrix = np.linalg.solve(system, working).astype(np.float64)
        moved = float(np.abs(alike @ new - score).max())
        a, score = new, alike @ new
        if moved < _SETTLED:
            break
    inverse: Matrix = np.linalg.inv(system).astype(np.float64)
    return LinearFit(a, working - _left_out(inverse, a, groups))


def expit(score: Matrix) -> Matrix:
    """The logistic function."""
    return 1 / (1 + np.exp(-np.clip(score, -35, 35)))


def _left_out(inverse: Matrix, a: Matrix, groups: Sequence[Rows]) -> Matrix:
    """Residuals of every group, had it been left out."""
    out = np.zeros(len(a))
    for rows in groups:
        out[rows] = np.linalg.solve(inverse[np.ix_(rows, rows)], a[rows])
    return out
