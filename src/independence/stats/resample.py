"""The published percentile bootstrap over runs, with the very draws it was published with."""

from __future__ import annotations

import functools
import random
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from independence.stats.intervals import Interval

SEED = 42
RESAMPLES = 10_000
_WORD = 32  # bits of one draw of the generator


def percentile_interval(values: Sequence[float]) -> Interval:
    """95 % percentile interval of the mean over resamples of `values` (at least one), clamped to 0-100."""
    picked = np.asarray(values, dtype=np.float64)[published_draws(len(values))]
    total = picked[:, 0].copy()
    for column in range(1, picked.shape[1]):  # left to right, as the published sum went
        total += picked[:, column]
    means = np.sort(total / len(values))
    low, high = (means[min(int(share * RESAMPLES), RESAMPLES - 1)] for share in (0.025, 0.975))
    return Interval(max(0.0, float(low)), min(100.0, float(high)))


@functools.lru_cache(maxsize=64)
def published_draws(n: int) -> NDArray[np.intp]:
    """Indices (10,000 x n) that `random.Random(42).choice` picks from n items. They depend on n alone.

    `choice` takes the top bits of one 32-bit word, as many as n has, and draws again while the number is n or more.
    Words come from numpy's generator set to the same state, so that all draws are made at once.
    """
    words = np.random.MT19937()
    _, state, _ = random.Random(SEED).getstate()
    words.state = {"bit_generator": "MT19937", "state": {"key": np.array(state[:-1], np.uint32), "pos": state[-1]}}
    wanted, found = RESAMPLES * n, np.empty(0, np.intp)
    while found.size < wanted:
        drawn = (words.random_raw(2 * wanted) >> np.uint64(_WORD - n.bit_length())).astype(np.intp)
        found = np.concatenate((found, drawn[drawn < n]))
    picked = found[:wanted].reshape(RESAMPLES, n)
    picked.setflags(write=False)
    return picked
