"""The percentile bootstrap of the published boards: seed 42, 10,000 resamples of the runs, to the last digit."""

from __future__ import annotations

import functools
import random
from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from independence.stats.intervals import Interval

SEED: Final = 42
RESAMPLES: Final = 10_000
_WORD: Final = 32  # bits of one draw of the generator


def percentile_interval(values: Sequence[float]) -> Interval:
    """95% percentile interval of the mean over resamples of `values` (at least one), clamped to 0-100."""
    own = np.array(values, dtype=np.float64)
    first, *others = published_draws(own.size).T
    total = own[first]
    for draws in others:  # left to right, as the published sum went
        total += own[draws]
    places = [min(int(share * RESAMPLES), RESAMPLES - 1) for share in (0.025, 0.975)]
    low, high = np.partition(total / own.size, places)[places].tolist()
    return Interval(low, high).within(0.0, 100.0)


@functools.lru_cache(maxsize=64)
def published_draws(n: int) -> NDArray[np.intp]:
    """Indices (10,000 x n) that `random.Random(42).choice` picks from n items. They depend on n alone.

    `choice` takes the top bits of one 32-bit word, as many as n has, and draws again while the number is n or more. A
    number of many bits is made of such words, the first the lowest, so that all are drawn at once.
    """
    words, wanted, found = random.Random(SEED), RESAMPLES * n, np.empty(0, np.intp)
    while found.size < wanted:
        drawn = np.frombuffer(words.getrandbits(_WORD * wanted).to_bytes(4 * wanted, "little"), "<u4")
        drawn = drawn >> (_WORD - n.bit_length())
        found = np.concatenate((found, drawn[drawn < n].astype(np.intp)))
    picked = np.asfortranarray(found[:wanted].reshape(RESAMPLES, n))  # a mean reads its columns one by one
    picked.setflags(write=False)
    return picked
