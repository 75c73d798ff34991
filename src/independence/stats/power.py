"""What a comparison of that precision would find."""

from __future__ import annotations

from independence.stats.comparison import Correction, Difference
from independence.stats.intervals import outside, t_quantile


def of_equivalence(found: Difference, margin: float, level: float = 0.05) -> float:
    """Chance (0-1) that equal subjects are called equivalent within +-`margin` points by two one-sided tests.

    Where the difference is 0 its estimate falls within margin - t x SE with that chance (Schuirmann 1987); 0 where that
    is no range, or nothing varies.
    """
    if not found.se > 0:
        return 0.0
    room = margin / found.se - t_quantile(found.df, 1 - 2 * level)
    return 1 - outside(room, found.df) if room > 0 else 0.0


def first_level(subjects: int, correction: Correction, level: float = 0.05) -> float:
    """The level at which a correction over all pairs of so many subjects tests one of them, if no other pair differs.

    It is the strictest of Holm's (1979) steps, and of those of Benjamini and Hochberg (1995).
    """
    return level if correction == "none" else level / max(1, subjects * (subjects - 1) // 2)
