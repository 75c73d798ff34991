"""A comparison that is looked at again after more runs: which p value it then takes.

The first look is tested at 5 %. All later ones together add at most half a point to that, spent as information grows
(Lan and DeMets 1983, "Discrete sequential boundaries for clinical trials"), so nobody has to say beforehand how often
they will look. What each look adds is computed for a process of independent normal increments (Armitage, McPherson
and Rowe 1969), and its bound is used as a level for the p value of a t test (Jennison and Turnbull 2000, "Group
Sequential Methods", section 4.4).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache
from statistics import NormalDist

import numpy as np

from independence.stats.index_uncertainty import Array

FIRST, LATER = 0.05, 0.005
_NODES, _REACH = 401, 8.0  # of a density, and how many standard deviations of it are followed


def level(information: Sequence[float]) -> float:
    """The two-sided level of the last of several looks, given the information at each, increasing and above 0."""
    return _level(tuple(information))


@lru_cache(maxsize=1024)
def _level(information: tuple[float, ...]) -> float:
    first, *others = information
    if not others:
        return FIRST
    bound = NormalDist().inv_cdf(1 - FIRST / 2) * math.sqrt(first)
    at, width = _grid(bound)
    density = np.exp(-(at**2) / (2 * first)) / math.sqrt(2 * math.pi * first)
    before, spent = first, 0.0
    for now in others:
        due = LATER * (1 - first / now)
        tails = np.linspace(0.0, _REACH * math.sqrt(now), _NODES)
        bound = _bound(tails, _moved(tails, at, density * width, now - before), due - spent)
        to, to_width = _grid(bound)
        density = _moved(to, at, density * width, now - before)
        at, width, before, spent = to, to_width, now, due
    return math.erfc(bound / math.sqrt(2 * before))


def _grid(end: float) -> tuple[Array, Array]:
    """Nodes from -end to end and their weights by Simpson's rule."""
    weights = np.full(_NODES, 2.0)
    weights[1::2] = 4.0
    weights[[0, -1]] = 1.0
    return np.linspace(-end, end, _NODES), weights * (2 * end / (_NODES - 1) / 3)


def _moved(to: Array, at: Array, mass: Array, variance: float) -> Array:
    """Density after an increment of that variance, of mass that stood at `at`."""
    kernel = np.exp(-((to[:, None] - at) ** 2) / (2 * variance)) / math.sqrt(2 * math.pi * variance)
    return np.asarray(kernel @ mass)


def _bound(at: Array, density: Array, share: float) -> float:
    """Beyond which value, on both sides together, that share lies; `at` are even steps from 0, `density` is even."""
    steps = (density[1:] + density[:-1]) * (at[1] - at[0])  # twice a trapezium: both sides
    beyond = np.append(np.cumsum(steps[::-1])[::-1], 0.0)
    return float(np.interp(-math.log(share), -np.log(np.maximum(beyond, 1e-300)), at))
