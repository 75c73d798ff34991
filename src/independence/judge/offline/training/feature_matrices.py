"""Lessons as matrices, and how alike every two of them are: by words, by letters, by marks, by scenario."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from independence.judge.offline import features as reading
from independence.judge.offline.features import BLOCKS
from independence.judge.offline.grams import ColumnCounts
from independence.judge.offline.marks import Matrix
from independence.judge.offline.training.training_set import TrainingExample

LEVELS = 24.0  # steps an inverse document frequency of 1 is stored in
BATCH = 64
_RARE = 2  # lessons that must have a column, letters one more
_COMMON = 25  # lessons from which a column is multiplied densely
_WIDEST = 3.0  # standard deviations a mark may be from its mean
DENSE = ("marks", "style", *reading.EXTRAS)
PIECES = (*(block.name for block in BLOCKS), *DENSE, "scenario")
Rows = NDArray[np.intp]


class TrainingFeatures(NamedTuple):
    """What n lessons look like."""

    blocks: tuple[Any, ...]  # sparse (n, 2**bits), sublinear counts
    dense: tuple[Matrix, ...]  # (n, k) each
    scenario: NDArray[np.intp]  # (n,) code of each lesson's scenario
    scenarios: tuple[str, ...]  # digests


class FeatureNorms(NamedTuple):
    """What was learned about features without looking at verdicts."""

    known: tuple[NDArray[np.uint8], ...]  # by block: inverse document frequency in `LEVELS` steps, 0: unknown
    mean: tuple[Matrix, ...]  # by dense part
    deviation: tuple[Matrix, ...]


class Kernels(NamedTuple):
    """Products of all rows with all rows, one matrix a piece, and what they were normed with."""

    pieces: tuple[NDArray[np.float32], ...]  # (n, n), in the order of `PIECES`
    norms: FeatureNorms

    def of(self, weights: Sequence[float]) -> Matrix:
        """The weighted sum of the pieces."""
        total = np.zeros(self.pieces[0].shape)
        for piece, weight in zip(self.pieces, weights, strict=True):
            if weight:
                total += np.float32(weight) * piece
        return total


def training_features(lessons: Sequence[TrainingExample], extras: Collection[str]) -> TrainingFeatures:
    """Read lessons. Extras that are not wanted are columns of nothing."""
    from scipy import sparse

    rows = [
        reading.features([one.view for one in lessons[at : at + BATCH]], extras) for at in range(0, len(lessons), BATCH)
    ]
    blocks = tuple(
        sparse.vstack([_matrix(row.blocks[at], len(row.marks), block.bits) for row in rows], format="csr")
        for at, block in enumerate(BLOCKS)
    )
    empty = np.zeros((len(lessons), 0))
    dense = (
        *(np.vstack(parts) for parts in zip(*(row.dense(()) for row in rows), strict=True)),
        *(np.vstack([row.extra[name] for row in rows]) if name in extras else empty for name in reading.EXTRAS),
    )
    scenarios = tuple(sorted({one.digest for one in lessons}))
    codes = np.array([scenarios.index(one.digest) for one in lessons])
    return TrainingFeatures(blocks, dense, codes, scenarios)


def _matrix(counts: ColumnCounts, rows: int, bits: int) -> Any:
    from scipy import sparse

    values = (1 + np.log(counts.times)).astype(np.float32)
    return sparse.csr_matrix((values, (counts.row, counts.column)), shape=(rows, 2**bits))


def norms(given: TrainingFeatures, train: Rows) -> FeatureNorms:
    """Frequencies, means and deviations of the training rows alone."""
    known = []
    for block, matrix in zip(BLOCKS, given.blocks, strict=True):
        having = np.bincount(matrix[train].indices, minlength=matrix.shape[1])
        inverse = np.log((1 + len(train)) / (1 + having)) + 1
        least = _RARE + ("letters" in block.name)
        known.append(np.where(having >= least, np.clip(np.round(inverse * LEVELS), 1, 255), 0).astype(np.uint8))
    chosen = [part[train] for part in given.dense]
    return FeatureNorms(
        tuple(known), tuple(p.mean(axis=0) for p in chosen), tuple(p.std(axis=0) + 1e-6 for p in chosen)
    )


def normed(given: TrainingFeatures, by: FeatureNorms) -> tuple[list[Any], list[Matrix]]:
    """Blocks with rows of length 1, dense parts in standard deviations."""
    from scipy import sparse

    blocks = []
    for matrix, known in zip(given.blocks, by.known, strict=True):
        values = matrix.data * known[matrix.indices].astype(np.float32)
        weighed = sparse.csr_matrix((values, matrix.indices, matrix.indptr), shape=matrix.shape)
        lengths = np.sqrt(np.asarray(weighed.multiply(weighed).sum(axis=1)).ravel())
        blocks.append(sparse.diags(1 / np.where(lengths > 0, lengths, 1)).astype(np.float32) @ weighed)
    parts = zip(given.dense, by.mean, by.deviation, strict=True)
    return blocks, [np.clip((part - mean) / deviation, -_WIDEST, _WIDEST) for part, mean, deviation in parts]


def kernels_of(given: TrainingFeatures, train: Rows) -> Kernels:
    """How alike all rows are, normed by the training rows."""
    by = norms(given, train)
    blocks, dense = normed(given, by)
    pieces = [_products(matrix) for matrix in blocks]
    pieces += [(part @ part.T).astype(np.float32) for part in dense]
    return Kernels((*pieces, _same(given.scenario, train)), by)


def _products(matrix: Any) -> NDArray[np.float32]:
    """Rows times rows; columns that many rows have go the dense way, which is faster for them."""
    having = np.bincount(matrix.indices[matrix.data != 0], minlength=matrix.shape[1])
    columns = matrix.tocsc()
    common = columns[:, np.flatnonzero(having > _COMMON)].toarray()
    rare = columns[:, np.flatnonzero((having > 1) & (having <= _COMMON))].tocsr()
    products: NDArray[np.float32] = np.asarray(common @ common.T + (rare @ rare.T).toarray(), dtype=np.float32)
    np.fill_diagonal(products, np.asarray(matrix.multiply(matrix).sum(axis=1)).ravel())
    return products


def _same(scenario: NDArray[np.intp], train: Rows) -> NDArray[np.float32]:
    """1 for rows of one scenario; a row of a scenario that is not trained on is a little like all."""
    same = np.asarray(scenario[:, None] == scenario[None, :], dtype=np.float32)
    seen = np.unique(scenario[train])
    strange = ~np.isin(scenario, seen)
    same[strange, :] = 1 / len(seen)
    return same
