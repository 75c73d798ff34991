"""What a comparison of that precision would find."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Callable, Sequence

import numpy as np

from independence.stats.comparison import ComparedSubjects, Difference, Differences, errors, on_these
from independence.stats.index_uncertainty import Array, IndexEstimate
from independence.stats.intervals import above, t_quantile, t_quantiles

_NODES, _REACH = 401, 8.0  # of the distribution of an estimated error, standard deviations to either side
_NEARER = 1e-3  # index points, to which a smallest difference is sought
_MOST_RUNS = 1000
_POWER = 0.8  # with which a difference is to be found


def of_equivalence(found: Difference, margin: float, level: float = 0.05) -> float:
    """Chance (0-1) that equal subjects are called equivalent within +-`margin` points by two one-sided tests.

    Where the difference is 0 its estimate falls within margin - t x SE with that chance, over estimates of the SE too:
    for the one at hand they go as the root of chi square over its degrees of freedom (Schuirmann 1987). The margin is
    counted in standard errors towards the end where they are fewer. 0 where nothing varies.
    """
    if not found.se > 0:
        return 0.0
    spread = _REACH / math.sqrt(2 * found.df)
    seen = np.linspace(max(1e-9, 1 - spread), 1 + spread, _NODES)  # estimated over true SE
    log_density = (found.df - 1) * np.log(seen) - found.df * seen**2 / 2
    density = np.exp(log_density - log_density.max())
    nearest, df = min(found.reached(margin), found.reached(-margin))
    room = np.maximum(nearest - t_quantile(df, 1 - 2 * level) * seen, 0.0)
    inside = [math.erf(one / math.sqrt(2)) for one in room.tolist()]
    return float(density @ inside / density.sum())


def runs_for_equivalence(
    found: Difference, runs: float, margin: float, level: float = 0.05, power: float = 0.5
) -> int | None:
    """Runs of either side from which `of_equivalence` is at least `power`, where `runs` of them gave `found`.

    None where not even 1,000 are enough, or nothing varies.
    """

    def chance(more: int) -> float:
        return of_equivalence(found.with_runs(more / runs), margin, level)

    needed = bisect_left(range(_MOST_RUNS), power, lo=1, key=chance)
    return needed if needed < _MOST_RUNS else None


def first_level(subjects: int, level: float = 0.05) -> float:
    """The level at which one of all pairs of so many subjects is tested, if no other pair differs: the strictest of
    Holm's (1979) steps.
    """
    return level / max(1, subjects * (subjects - 1) // 2)


def minimum_detectable(estimates: Sequence[IndexEstimate], level: float = 0.05) -> float | None:
    """The difference in points at which subjects like these are told apart with 80% power on average.

    Each subject is set beside one of the same dispersion that is lower by so much, at its own degrees of freedom. The
    power of a test with the quantile t is taken as P(T > t - difference / standard error), as Bloom (1995) does for
    one. None below two subjects that vary: then nothing says how far apart they must be; and where not even the whole
    scale would do.
    """
    noisy = [estimate for estimate in estimates if estimate.se > 0]
    if len(noisy) < 2:
        return None
    sides = ComparedSubjects.of(noisy)
    _, df = on_these(sides, sides)

    def seen(points: float) -> Array:
        lower, gap = np.maximum(sides.place - points / sides.width, 0.0), np.full(len(noisy), points)
        return errors(gap, (sides.place, lower), sides, sides).quantile(gap)

    return _smallest(seen, df, max(own.width for own in noisy), level)


def minimum_detectable_paired(pairs: Differences, level: float = 0.05) -> float | None:
    """The smallest difference, of pairs with an error each, that is found with 80% power; None: no pair."""
    se, df = pairs.se[pairs.se > 0], pairs.df[pairs.se > 0]
    return _smallest(lambda points: points / se, df, 100.0, level) if len(se) else None


def _smallest(apart: Callable[[float], Array], df: Array, most: float, level: float) -> float | None:
    """Of tests with these degrees of freedom (n,); `apart`: standard errors (n,) that so many points are."""
    reach = t_quantiles(df, 1 - level)

    def seen(points: float) -> float:
        return math.fsum(above(reach - apart(points), df)) / len(df)

    low, high = 0.0, most
    if seen(high) < _POWER:
        return None
    while high - low > _NEARER:
        middle = (low + high) / 2
        low, high = (middle, high) if seen(middle) < _POWER else (low, middle)
    return high
