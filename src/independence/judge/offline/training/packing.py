"""From fits over lessons to the weights that are kept: one number a column of features, in a byte."""

from __future__ import annotations

import numpy as np

from independence.judge.offline.features import BLOCKS, EXTRAS
from independence.judge.offline.marks import Matrix
from independence.judge.offline.model import FieldModel, Head
from independence.judge.offline.training.feature_matrices import DENSE, PIECES, Kernels, TrainingFeatures, normed
from independence.judge.offline.training.fitting import FittedField
from independence.judge.offline.weights import HeadInfo

_STEPS = 127


def pack(given: TrainingFeatures, alike: Kernels, fits: dict[str, FittedField], usual: dict[str, float]) -> Head:
    """The head of fields that were learned from the same lessons."""
    by = alike.norms
    blocks, dense = normed(given, by)
    columns = np.array([column for one in fits.values() for column in (one.ridge, one.logit)]).T
    pieces = np.array([one.weights for one in fits.values() for _ in range(2)]).T  # (pieces, columns)
    extras = tuple(name for name in EXTRAS if pieces[PIECES.index(name)].any())
    parts = [DENSE.index(name) for name in ("marks", "style", *extras)]
    packed, scales = [], []
    for at in range(len(BLOCKS)):
        exact: Matrix = np.asarray(blocks[at].T @ (columns * pieces[at]))
        scale = np.abs(exact).max(axis=0) / _STEPS
        packed.append(np.round(exact / np.where(scale > 0, scale, 1)).astype(np.int8))
        scales.append(scale)
    marks = [dense[at].T @ (columns * pieces[PIECES.index(DENSE[at])]) for at in parts]
    return Head(
        tuple(FieldModel(name, usual[name], one.curve, one.doubt) for name, one in fits.items()),
        extras,
        given.scenarios,
        np.concatenate(by.known),
        np.concatenate(packed),
        np.array(scales, dtype=np.float32),
        np.concatenate([by.mean[at] for at in parts]),
        np.concatenate([by.deviation[at] for at in parts]),
        np.vstack(marks),
        _offsets(given, fits, columns, pieces[PIECES.index("scenario")]),
    )


def about(head: Head) -> HeadInfo:
    """What the file tells of a head."""
    return HeadInfo(head.fields, tuple(one.usual for one in head.learned), head.extras, head.scenarios)


def _offsets(given: TrainingFeatures, fits: dict[str, FittedField], columns: Matrix, weights: Matrix) -> Matrix:
    count = len(given.scenarios)
    inside = np.array([columns[given.scenario == code].sum(axis=0) for code in range(count)]) * weights
    offsets = np.vstack([inside, inside.mean(axis=0)])
    offsets[:, 0::2] += np.array([one.base for one in fits.values()]).T
    offsets[:, 1::2] += columns[:, 1::2].sum(axis=0)
    return offsets
