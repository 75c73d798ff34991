"""What a comparison of that precision would find."""

from __future__ import annotations

import math

import numpy as np

from independence.stats.comparison import Correction, Difference
from independence.stats.intervals import t_quantile

_NODES, _REACH = 401, 8.0  # of the distribution of an estimated error, standard deviations to either side


def of_equivalence(found: Difference, margin: float, level: float = 0.05) -> float:
    """Chance (0-1) that equal subjects are called equivalent within +-`margin` points by two one-sided tests.

    Where the difference is 0 its estimate falls within margin - t x SE with that chance, over estimates of the SE too:
    for the one at hand they go as the root of chi square over its degrees of freedom (Schuirmann 1987). 0 where nothing
    varies.
    """
    if not found.se > 0:
        return 0.0
    spread = _REACH / math.sqrt(2 * found.df)
    seen = np.linspace(max(1e-9, 1 - spread), 1 + spread, _NODES)  # estimated over true SE
    log_density = (found.df - 1) * np.log(seen) - found.df * seen**2 / 2
    density = np.exp(log_density - log_density.max())
    room = np.maximum(margin / found.se - t_quantile(found.df, 1 - 2 * level) * seen, 0.0)
    inside = [math.erf(one / math.sqrt(2)) for one in room.tolist()]
    return float(density @ inside / density.sum())


def first_level(subjects: int, correction: Correction, level: float = 0.05) -> float:
    """The level at which a correction over all pairs of so many subjects tests one of them, if no other pair differs.

    It is the strictest of Holm's (1979) steps, and of those of Benjamini and Hochberg (1995).
    """
    return level if correction == "none" else level / max(1, subjects * (subjects - 1) // 2)
