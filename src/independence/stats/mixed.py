"""Linear mixed models with random intercepts, by restricted maximum likelihood (Patterson and Thompson 1971).

y = x beta + an intercept for each level of each factor + noise, all normal. Variances are found by Fisher scoring; one
that the data would rather have below zero stays at zero. Nothing larger than (levels x levels) is ever solved.
Degrees of freedom after Satterthwaite (1946), as Giesbrecht and Burns (1985) carried them over to mixed models.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from independence.stats.index_uncertainty import Array

_STEPS, _HALVINGS = 200, 40
_TOLERANCE = 1e-10  # of the log likelihood
_LEAST = 1e-7  # share of the variance that always counts as noise, so that everything can be inverted


class MixedFit(NamedTuple):
    """A fitted model; the first three are (p,), one for each column of x."""

    beta: Array
    se: Array
    df: Array
    variances: Array  # one for each factor, then that of the noise
    log_likelihood: float  # restricted, without its constant


class _Crossed(NamedTuple):
    """Cross products of [levels of all factors | x | y]: all that fitting looks at."""

    products: Array
    sizes: tuple[int, ...]  # levels of each factor
    rows: int
    columns: int  # of x


class _MixedState(NamedTuple):
    """The model at given variances."""

    beta: Array
    spread: Array  # (p, p) covariance of beta
    levels_x: Array  # Z' V^-1 x
    log_likelihood: float
    score: Array  # derivative of the log likelihood by each variance
    information: Array  # expected


def fit(y: Array, x: Array, factors: Sequence[NDArray[np.intp]]) -> MixedFit | None:
    """Fit y (n,) to x (n, p), factors as level codes (n,) from 0 on.

    None where there is nothing to fit: columns of x that are not independent, no more rows than columns, a factor that
    x has an effect of its own for every level of, or no variance left over.
    """
    rows, columns = x.shape
    if rows <= columns or np.linalg.matrix_rank(x) < columns:
        return None
    residual = y - x @ np.linalg.lstsq(x, y, rcond=None)[0]
    left = float(residual @ residual) / (rows - columns)
    crossed = _crossed(y, x, factors)
    if left <= 1e-20 * max(1.0, float(np.abs(y).max()) ** 2) or _absorbed(crossed):
        return None
    variances, point = _climb(crossed, np.full(len(factors) + 1, left / (len(factors) + 1)), _LEAST * left)
    df = np.array([_satterthwaite(crossed, variances, point, column) for column in range(columns)])
    return MixedFit(point.beta, np.sqrt(np.diag(point.spread)), df, variances, point.log_likelihood)


def _crossed(y: Array, x: Array, factors: Sequence[NDArray[np.intp]]) -> _Crossed:
    sizes = tuple(int(codes.max()) + 1 for codes in factors)
    levels = [np.eye(size)[codes] for size, codes in zip(sizes, factors, strict=True)]
    every = np.column_stack([*levels, x, y])
    rows, columns = x.shape
    return _Crossed(every.T @ every, sizes, rows, columns)


def _absorbed(crossed: _Crossed) -> bool:
    """Whether x leaves nothing of some factor's levels."""
    levels = sum(crossed.sizes)
    fixed = slice(levels, levels + crossed.columns)
    products = crossed.products
    left = products - products[:, fixed] @ np.linalg.solve(products[fixed, fixed], products[fixed])
    return any(np.trace(left[own, own]) < 1e-9 * crossed.rows for own in _blocks(crossed.sizes))


def _climb(crossed: _Crossed, variances: Array, least: float) -> tuple[Array, _MixedState]:
    """Fisher scoring from `variances`, halving steps that lead downhill."""
    point = _evaluate(crossed, variances)
    floor = np.append(np.zeros(len(variances) - 1), least)
    for _ in range(_STEPS):
        free = (variances > floor) | (point.score > 0)
        step = np.zeros(len(variances))
        step[free] = _covariance(point.information, free) @ point.score[free]
        for halving in range(_HALVINGS):
            tried = np.maximum(variances + step / 2**halving, floor)
            found = _evaluate(crossed, tried)
            if found.log_likelihood >= point.log_likelihood:
                break
        else:
            break
        gained = found.log_likelihood - point.log_likelihood
        variances, point = tried, found
        if gained < _TOLERANCE:
            break
    return variances, point


def _evaluate(crossed: _Crossed, variances: Array) -> _MixedState:
    """Everything about V = noise I + sum of variance Z Z', from cross products alone (Woodbury)."""
    noise, levels = float(variances[-1]), sum(crossed.sizes)
    products = crossed.products
    ratios = np.repeat(variances[:-1] / noise, crossed.sizes)
    inner = np.eye(levels) + products[:levels, :levels] * ratios
    weighted = products - (products[:, :levels] * ratios) @ np.linalg.solve(inner, products[:levels])
    weighted /= noise  # [Z x y]' V^-1 [Z x y]
    fixed = slice(levels, levels + crossed.columns)
    spread = np.asarray(np.linalg.inv(weighted[fixed, fixed]), dtype=np.float64)
    beta = spread @ weighted[fixed, -1]
    left = weighted - weighted[:, fixed] @ spread @ weighted[fixed]  # the same with P, which takes x out
    volume = crossed.rows * math.log(noise) + np.linalg.slogdet(inner)[1] - np.linalg.slogdet(spread)[1]
    score, information = _slopes(crossed, variances, left)
    likelihood = -0.5 * float(volume + left[-1, -1])
    return _MixedState(
        beta, spread, levels_x=weighted[:levels, fixed], log_likelihood=likelihood, score=score, information=information
    )


def _slopes(crossed: _Crossed, variances: Array, left: Array) -> tuple[Array, Array]:
    """Score and expected information. What concerns the noise follows from P V P = P."""
    noise, factors = variances[-1], variances[:-1]
    blocks = _blocks(crossed.sizes)
    traces = np.array([np.trace(left[own, own]) for own in blocks])  # of P Z Z'
    squares = np.array([left[own, -1] @ left[own, -1] for own in blocks])  # y' P Z Z' P y
    crossings = np.array([[np.square(left[own, other]).sum() for other in blocks] for own in blocks])
    crossings = crossings.reshape(len(blocks), len(blocks))
    trace = (crossed.rows - crossed.columns - factors @ traces) / noise
    with_noise = (traces - crossings @ factors) / noise
    information = np.empty((len(variances), len(variances)))
    information[:-1, :-1] = crossings
    information[:-1, -1] = information[-1, :-1] = with_noise
    information[-1, -1] = (trace - factors @ with_noise) / noise
    score = np.append(squares - traces, (left[-1, -1] - factors @ squares) / noise - trace)
    return score / 2, information / 2


def _blocks(sizes: Sequence[int]) -> list[slice]:
    ends = np.cumsum(sizes)
    return [slice(int(end) - size, int(end)) for end, size in zip(ends, sizes, strict=True)]


def _satterthwaite(crossed: _Crossed, variances: Array, point: _MixedState, column: int) -> float:
    """2 f^2 / var(f) with f the variance of one coefficient, by how it moves with the variances that are not zero."""
    variance = point.spread[column, column]
    pulls = point.levels_x @ point.spread[:, column]
    parts = np.array([pulls[own] @ pulls[own] for own in _blocks(crossed.sizes)])
    gradient = np.append(parts, (variance - variances[:-1] @ parts) / variances[-1])
    kept = variances > 0
    return float(2 * variance**2 / (gradient[kept] @ _covariance(point.information, kept) @ gradient[kept]))


def _covariance(information: Array, kept: NDArray[np.bool_]) -> Array:
    """Inverse of the information on the kept variances, brought to one size first: noise may be next to nothing."""
    sizes = np.sqrt(np.maximum(np.diag(information)[kept], 0.0))
    sizes = np.where(sizes > 0, sizes, 1.0)
    scales = np.multiply.outer(sizes, sizes)
    return np.asarray(np.linalg.pinv(information[np.ix_(kept, kept)] / scales, hermitian=True) / scales)
