"""From what a model says to what it is worth: a rising curve through held-out predictions, and an expected error."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from independence.judge.offline.marks import Matrix

KNOTS = np.array([0.0, 0.1, 0.25, 0.4, 0.6, 0.75, 0.9, 1.0])
_LEAST = 0.002  # of a scale: nothing is certain
_RIDGE = 3.0
_FEWEST = 5  # predictions a step of the curve is drawn through


class CalibrationCurve(NamedTuple):
    """A non-decreasing curve: through points (x, y), level beyond them. All in 0-1."""

    x: Matrix
    y: Matrix

    def at(self, said: Matrix) -> Matrix:
        """The calibrated value of each."""
        return np.interp(said, self.x, self.y)


def fit_curve(said: Matrix, truth: Matrix) -> CalibrationCurve:
    """Isotonic regression (pool adjacent violators), drawn through the middle of its steps."""
    order = np.argsort(said, kind="stable")
    size = max(1, min(_FEWEST, len(order) // 10))
    groups = [order[at : at + size] for at in range(0, len(order), size)]
    blocks: list[tuple[float, float, int]] = []  # (mean said, mean truth, how many)
    for group in groups:
        blocks.append((float(said[group].mean()), float(truth[group].mean()), len(group)))
        while len(blocks) > 1 and blocks[-2][1] >= blocks[-1][1]:
            (x1, y1, n1), (x2, y2, n2) = blocks[-2:]
            blocks[-2:] = [((x1 * n1 + x2 * n2) / (n1 + n2), (y1 * n1 + y2 * n2) / (n1 + n2), n1 + n2)]
    return CalibrationCurve(np.array([x for x, _, _ in blocks]), np.array([y for _, y, _ in blocks]))


def doubt_features(value: Matrix, gap: Matrix, scenario: Matrix) -> Matrix:
    """What tells how far off a prediction is (n, k): where it lies, how far two models differ, in which scenario."""
    hats = np.maximum(0.0, 1 - np.abs(value[:, None] - KNOTS) / 0.2)
    unsettled = (value * (1 - value))[:, None]
    return np.hstack([hats, gap[:, None], gap[:, None] * hats, scenario, scenario * unsettled])


def fit_doubt(signs: Matrix, error: Matrix) -> Matrix:
    """Weights that tell the expected absolute error from its signs."""
    return np.linalg.solve(signs.T @ signs + _RIDGE * np.eye(signs.shape[1]), signs.T @ error).astype(np.float64)


def expected(signs: Matrix, weights: Matrix) -> Matrix:
    """Expected absolute error, as a share of the scale, `_LEAST` to 1."""
    return np.clip(signs @ weights, _LEAST, 1.0)
