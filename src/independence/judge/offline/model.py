"""Trained weights and what they say: hashed counts and marks in, values and expected errors out. numpy alone."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from independence.judge.offline import calibration
from independence.judge.offline.calibration import Curve
from independence.judge.offline.features import BLOCKS, Features
from independence.judge.offline.grams import Counts
from independence.judge.offline.marks import Matrix

WIDEST = 3.0  # standard deviations a mark may be from its mean
_LOGS = (1 + np.log(np.maximum(np.arange(4096), 1))).astype(np.float32)  # of a count


class Learned(NamedTuple):
    """One field: how a score becomes a value, and how far off to expect."""

    name: str
    usual: float  # mean of what was learned from, 0-1
    curve: Curve
    doubt: Matrix


class Head(NamedTuple):
    """Fields that were learned together. There are two columns of weights a field: least squares, logistic."""

    learned: tuple[Learned, ...]
    extras: tuple[str, ...]  # what it reads beside marks and style
    scenarios: tuple[str, ...]  # digests of what it was trained on
    known: NDArray[np.uint8]  # (buckets,) inverse document frequency in steps, 0: never seen
    weights: NDArray[np.int8]  # (buckets, columns)
    scales: NDArray[np.float32]  # (blocks, columns)
    mean: Matrix  # (marks,)
    deviation: Matrix
    dense: Matrix  # (marks, columns)
    offsets: Matrix  # (scenarios + 1, columns); the last is for any other scenario

    @property
    def fields(self) -> tuple[str, ...]:
        """Names of the fields."""
        return tuple(one.name for one in self.learned)


class Told(NamedTuple):
    """What a head says of n dialogues, 0-1, a column a field."""

    value: Matrix
    error: Matrix  # expected absolute error


def tell(head: Head, features: Features, digests: Sequence[str]) -> Told:
    """Predict every field of a head. A scenario it was not trained on gets the mean offset."""
    places = {digest: at for at, digest in enumerate(head.scenarios)}
    codes = np.array([places.get(digest, len(head.scenarios)) for digest in digests], dtype=np.int64)
    scores = head.offsets[codes] + _marked(head, features)
    start = 0
    for block, counts, scale in zip(BLOCKS, features.blocks, head.scales, strict=True):
        end = start + 2**block.bits
        if scale.any():
            scores += _counted(counts, head.known[start:end], head.weights[start:end], len(codes)) * scale
        start = end
    scenario = (codes[:, None] == np.arange(len(head.scenarios))).astype(float)
    told = [_finished(one, scores[:, 2 * at], scores[:, 2 * at + 1], scenario) for at, one in enumerate(head.learned)]
    return Told(np.array([value for value, _ in told]).T, np.array([error for _, error in told]).T)


def _finished(learned: Learned, ridge: Matrix, logit: Matrix, scenario: Matrix) -> tuple[Matrix, Matrix]:
    one, other = np.clip(ridge, 0, 1), 1 / (1 + np.exp(-np.clip(logit, -35, 35)))
    value = learned.curve.at((one + other) / 2)
    signs = calibration.signs(value, np.abs(one - other), scenario)
    return value, calibration.expected(signs, learned.doubt)


def _marked(head: Head, features: Features) -> Matrix:
    standard = (np.hstack(features.dense(head.extras)) - head.mean) / head.deviation
    return np.asarray(np.clip(standard, -WIDEST, WIDEST) @ head.dense)


def _counted(counts: Counts, known: NDArray[np.uint8], weights: NDArray[np.int8], rows: int) -> Matrix:
    values = _LOGS.take(counts.times, mode="clip") * known.take(counts.column)
    edges = np.searchsorted(counts.row, np.arange(rows + 1)).tolist()
    out = np.zeros((rows, weights.shape[1]))
    for row, (start, end) in enumerate(pairwise(edges)):  # row by row stays in the cache
        own = values[start:end]
        length = float(own @ own) ** 0.5
        if length:
            out[row] = own @ weights.take(counts.column[start:end], axis=0).astype(np.float32) / length
    return out
