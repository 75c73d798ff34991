"""How much whole runs that go up and down add to the error of an estimate, as when a host changed between days.

The squared error of independent units is multiplied by a factor of 1 or more. What the runs of a subject show of it
(`contributions.run_spread`) is a chi-square variable, so a few runs say little. Factors are taken from a grid whose
weights are estimated over the board (Laird 1978, "Nonparametric maximum likelihood estimation of a mixing
distribution"), with a part that every subject keeps: so where hosts changed for all, all are less sure, and one
unstable subject among stable ones is still seen. A factor is the mean of those that a subject's runs and the board
leave likely, by logarithms (Smyth 2004), whose variance says how sure that is.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from independence.stats.contributions import Array, Contributions, run_spread

_FACTORS = np.array([1.0, 1.5, 2, 3, 5, 9, 17])
_STEADY = 0.8  # of subjects are expected to have no run effect, before anything is seen
_WORTH = 4.0  # subjects that this expectation counts as
_KEPT = 0.2  # weight that it keeps, whatever the board shows
_STEPS = 10
_ALONE = 1e-3  # share of the variance from which on what several units show is taken as certain
_CALM = 1.5  # factor that independent runs seldom seem to have
_OWN, _LENT = 1.5, 4.0  # degrees of freedom, of either of which one lets run effects be known
EXPECTED = np.where(_FACTORS > 1, (1 - _STEADY) / (len(_FACTORS) - 1), _STEADY)


class RunEffects(NamedTuple):
    """Of n subjects, (n,) each."""

    factor: Array  # of the squared error
    error: Array  # squared relative error of the squared error, that the factor adds
    unstable: Array  # bool: the factor is above `_CALM` by its standard error or more
    known: Array  # bool: three runs or more, or what others lend, say whether runs go up and down


def of(own: Contributions) -> RunEffects:
    """What whole runs add to the error of each subject of a board."""
    seen = run_spread(own)
    # Units that vary alone leave no room for what several would show together.
    sharper = seen.df / np.maximum(1 - seen.alone, _ALONE)
    scale = 1 + np.multiply.outer(seen.carried, _FACTORS - 1)
    fit = -sharper[:, None] / 2 * (np.log(scale) + seen.ratio[:, None] / scale)
    likely = np.exp(fit - fit.max(axis=1, keepdims=True))
    board = np.broadcast_to(EXPECTED, likely.shape)
    found = _shares(likely * board)
    for _ in range(_STEPS):
        others = _WORTH * EXPECTED + found.sum(axis=0) - found
        board = (1 - _KEPT) * _shares(others) + _KEPT * EXPECTED
        found = _shares(likely * board)
    logs = np.log(_FACTORS)
    mean = found @ logs
    spread = np.maximum(found @ logs**2 - mean**2, 0.0)
    factor = np.exp(mean + spread)
    # Without a degree of freedom its factor is what is expected, and `spread` says how sure that is.
    least = 2 / np.maximum(seen.df, 1.0) * (1 - 1 / factor) ** 2
    known = (seen.df >= _OWN) | (seen.df.sum() - seen.df >= _LENT)
    error = np.maximum(spread, least)
    return RunEffects(factor, error, factor * np.exp(-np.sqrt(error)) > _CALM, known)


def _shares(weights: Array) -> Array:
    return np.asarray(weights / weights.sum(axis=1, keepdims=True))
