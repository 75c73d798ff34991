"""One field learned from one set of lessons: which features, two linear models, a curve, and the error to expect."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from independence.judge.offline import model
from independence.judge.offline.features import EXTRAS
from independence.judge.offline.marks import Matrix
from independence.judge.offline.model import CalibrationCurve
from independence.judge.offline.training.feature_matrices import PIECES, Kernels, Rows

_RIDGE, _LOGIT = 1.0, 0.1  # penalties
_MARKS, _STYLE, _BEARING, _PERSONA = 0.12**2, 0.2**2, 0.1**2, 0.3**2
_PRICE = 1.02  # extras take a third of the time, so they have to lower the squares by more than this
_RECIPES: tuple[dict[str, float], ...] = (
    {"words": 1, "letters": 1, "scenario": 1},
    {"words": 1, "letters": 1, "style": _STYLE, "scenario": 1},
    {
        "words": 1, "letters": 1, "opening words": 1, "opening letters": 1, "earlier words": 1, "marks": _MARKS,
        "scenario": 1,
    },
    {
        "words": 1, "letters": 1, "opening words": 1, "opening letters": 1, "earlier words": 1, "marks": _MARKS,
        "bearing": _BEARING, "scenario": 1,
    },
    {
        "words": 1, "letters": 1, "opening words": 1, "opening letters": 1, "earlier words": 1, "marks": _MARKS,
        "persona": _PERSONA, "scenario": 1,
    },
)  # fmt: skip


class FittedField(NamedTuple):
    """A field's model over the training rows."""

    weights: tuple[float, ...]  # of every piece
    base: Matrix  # by scenario code: the mean, and last that of a scenario nobody saw
    ridge: Matrix  # (training rows,)
    logit: Matrix
    curve: CalibrationCurve
    doubt: Matrix


class FittedPredictions(NamedTuple):
    """Predictions, 0-1."""

    value: Matrix
    error: Matrix  # expected absolute error


def recipes(extras: Collection[str]) -> list[tuple[float, ...]]:
    """Weights of the pieces that are tried, where only some extras were read."""
    kept = [one for one in _RECIPES if all(name in extras for name in EXTRAS if name in one)]
    return [tuple(one.get(piece, 0.0) for piece in PIECES) for one in kept]


class TrainingRows(NamedTuple):
    """Training rows of one field, ready to be learned."""

    kernels: Kernels
    train: Rows
    share: Matrix  # (training rows,), 0-1
    scenario: NDArray[np.intp]  # (all rows,)
    scenarios: int
    groups: Sequence[Rows]  # training rows by family, as places in `train`
    extras: Collection[str]


def fit(pupil: TrainingRows) -> FittedField:
    """Choose features by what is said of families left out, then fit."""
    base = _base(pupil)
    own = pupil.scenario[pupil.train]
    target = pupil.share - base[own]
    tried = []
    for weights in recipes(pupil.extras):
        alike = pupil.kernels.of(weights)[np.ix_(pupil.train, pupil.train)]
        solved = least_squares(alike, target, _RIDGE, pupil.groups)
        price = _PRICE if any(weights[PIECES.index(name)] for name in EXTRAS) else 1.0
        tried.append((price * float(np.square(solved.left_out_predictions - target).mean()), weights, alike, solved))
    _, weights, alike, ridge = min(tried, key=lambda one: one[0])
    logit = logistic(alike + 1.0, pupil.share, _LOGIT, pupil.groups)
    return _calibrated_fit(pupil, weights, base, ridge, logit)


def _calibrated_fit(
    pupil: TrainingRows, weights: tuple[float, ...], base: Matrix, ridge: LinearFit, logit: LinearFit
) -> FittedField:
    own = pupil.scenario[pupil.train]
    one, other = np.clip(base[own] + ridge.left_out_predictions, 0, 1), expit(logit.left_out_predictions)
    curve = model.fit_curve((one + other) / 2, pupil.share)
    value = curve.at((one + other) / 2)
    signs = model.doubt_features(value, np.abs(one - other), indicators(own, pupil.scenarios))
    doubt = model.fit_doubt(signs, np.abs(value - pupil.share))
    return FittedField(
        weights=weights, base=base, ridge=ridge.coefficients, logit=logit.coefficients, curve=curve, doubt=doubt
    )


def predict_rows(fitted: FittedField, pupil: TrainingRows, rows: Rows) -> FittedPredictions:
    """What the model says of any rows."""
    alike = pupil.kernels.of(fitted.weights)[np.ix_(rows, pupil.train)]
    codes = pupil.scenario[rows]
    seen = np.isin(codes, pupil.scenario[pupil.train])
    one = np.clip(fitted.base[np.where(seen, codes, -1)] + alike @ fitted.ridge, 0, 1)
    other = expit((alike + 1.0) @ fitted.logit)
    value = fitted.curve.at((one + other) / 2)
    scenario = indicators(codes, pupil.scenarios) * seen[:, None]
    signs = model.doubt_features(value, np.abs(one - other), scenario)
    return FittedPredictions(value, model.expected(signs, fitted.doubt))


def indicators(codes: NDArray[np.intp], count: int) -> Matrix:
    """Columns (n, count) of 0 and 1."""
    return np.asarray(codes[:, None] == np.arange(count), dtype=np.float64)


def _base(pupil: TrainingRows) -> Matrix:
    own = pupil.scenario[pupil.train]
    sums = np.bincount(own, weights=pupil.share, minlength=pupil.scenarios)
    counts = np.bincount(own, minlength=pupil.scenarios)
    means = sums / np.maximum(counts, 1)
    return np.append(means, means[counts > 0].mean())


_STEPS = 15
_SETTLED = 1e-4
_FLATTEST = 1e-4  # least weight of a lesson whose share is as good as certain


class LinearFit(NamedTuple):
    """A fitted model and what it says of each group without having seen it."""

    coefficients: Matrix
    left_out_predictions: Matrix


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
