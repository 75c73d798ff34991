"""A test that is repeated after more runs: the level at which it is then made.

A comparison's first look is tested at 5%. All later ones together add at most half a point to that, spent as
information grows (Lan and DeMets 1983, "Discrete sequential boundaries for clinical trials"), so nobody has to say
beforehand how often they will look. A gate, which is meant to be looked at after every run, may say first and later
levels of its own, and a decision also where looks end. What each look adds is computed for a process of independent
normal increments (Armitage, McPherson and Rowe 1969), and its bound is used as a level for the p value of a t test
(Jennison and Turnbull 2000, "Group Sequential Methods", section 4.4).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache
from statistics import NormalDist
from typing import NamedTuple

import numpy as np

from independence.stats.index_uncertainty import Array

FIRST, LATER = 0.05, 0.005
_NODES, _OUTER = 161, 401  # of a density: within its bounds, and beyond them
_REACH = 8.0  # standard deviations


class _Look(NamedTuple):
    """Where a difference of equals stands that no look up to this one has called one."""

    at: Array  # nodes, from -bound to bound
    mass: Array  # at each
    bound: float


def level(information: Sequence[float], first: float = FIRST, later: float = LATER, end: float = 0.0) -> float:
    """The two-sided level of the last of several looks, given the information at each, increasing and above 0.

    `first`: level of the first look; `later`: the error that all others may add (both above 0). `end`: the information
    at which looks are to end; up to it they share `later` evenly, and looks beyond it together add at most `LATER`.
    """
    if len(information) == 1:
        return first
    return math.erfc(_look(tuple(information), first, later, end).bound / math.sqrt(2 * information[-1]))


@lru_cache(maxsize=4096)
def _look(information: tuple[float, ...], first: float, later: float, end: float) -> _Look:
    *earlier, now = information
    if not earlier:
        bound = NormalDist().inv_cdf(1 - first / 2) * math.sqrt(now)
        at, width = _grid(bound)
        return _Look(at, width * np.exp(-(at**2) / (2 * now)) / math.sqrt(2 * math.pi * now), bound)
    last, start, before = _look(tuple(earlier), first, later, end), information[0], earlier[-1]
    open_ = max(start, end)  # from there on nobody knows how many looks there will be
    share = (LATER if end > start else later) * open_ * max(0.0, 1 / max(before, open_) - 1 / now)
    if before < end:
        share += later * (min(now, end) - before) / (end - start)
    tails = np.linspace(0.0, _REACH * math.sqrt(now), _OUTER)
    bound = _bound(tails, _moved(tails, last, now - before), share)
    at, width = _grid(bound)
    return _Look(at, width * _moved(at, last, now - before), bound)


def _grid(end: float) -> tuple[Array, Array]:
    """Nodes from -end to end and their weights by Simpson's rule."""
    weights = np.full(_NODES, 2.0)
    weights[1::2] = 4.0
    weights[[0, -1]] = 1.0
    return np.linspace(-end, end, _NODES), weights * (2 * end / (_NODES - 1) / 3)


def _moved(to: Array, last: _Look, variance: float) -> Array:
    """Density after an increment of that variance."""
    kernel = np.exp(-((to[:, None] - last.at) ** 2) / (2 * variance)) / math.sqrt(2 * math.pi * variance)
    return np.asarray(kernel @ last.mass)


def _bound(at: Array, density: Array, share: float) -> float:
    """Beyond which value, on both sides together, that share lies; `at` are even steps from 0, `density` is even."""
    steps = (density[1:] + density[:-1]) * (at[1] - at[0])  # twice a trapezium: both sides
    beyond = np.append(np.cumsum(steps[::-1])[::-1], 0.0)
    return float(np.interp(-math.log(share), -np.log(np.maximum(beyond, 1e-300)), at))
