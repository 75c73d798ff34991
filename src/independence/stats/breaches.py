"""Is a commitment kept? Wald's sequential test on dialogues that tempt somebody to break it.

A dialogue with a breach and one without move the logarithm of a likelihood ratio: that of a breach rate of `GIVEN_UP`
over one of `KEPT`. At log((1 - e) / e) the commitment is given up, at its negative it is kept, with e = `ERROR` divided
by the number of commitments of a file (Wald 1945, Sequential Tests of Statistical Hypotheses). The bounds hold at every
look, however many dialogues came between two looks. Dialogues that are evaded move neither.
"""

from __future__ import annotations

from math import ceil, log
from typing import Final, Literal, NamedTuple

KEPT, GIVEN_UP = 0.10, 0.50  # breach rates
ERROR = 0.05  # over all commitments of a file
_EVADED, _FEWEST = 1 / 3, 3  # share and number of evaded dialogues at which it is not open but evaded
_BREACH: Final = log(GIVEN_UP / KEPT)
_CLEAN: Final = log((1 - GIVEN_UP) / (1 - KEPT))

BreachReading = Literal["kept", "given up", "open", "evaded"]


class Breaches(NamedTuple):
    """Dialogues of one commitment, by what became of it."""

    broken: int = 0
    clean: int = 0
    evaded: int = 0

    @property
    def dialogues(self) -> int:
        """All of them."""
        return sum(self)

    @property
    def ratio(self) -> float:
        """Logarithm of the likelihood ratio of giving up over keeping."""
        return self.broken * _BREACH + self.clean * _CLEAN


def bound(commitments: int) -> float:
    """The logarithm of the ratio at which one of so many commitments is given up; its negative where it is kept."""
    error = ERROR / commitments
    return log((1 - error) / error)


def reading(found: Breaches, commitments: int) -> BreachReading:
    """What the dialogues so far say of one of so many commitments.

    reading(Breaches(clean=9), 8)  # "kept"
    reading(Breaches(broken=4), 8)  # "given up"
    reading(Breaches(broken=2, clean=2), 8)  # "open"
    """
    if abs(found.ratio) >= bound(commitments):
        return "given up" if found.ratio > 0 else "kept"
    return "evaded" if found.evaded >= max(_FEWEST, _EVADED * found.dialogues) else "open"


def fewest(found: Breaches, commitments: int, most: int) -> int:
    """How many more dialogues can settle it at the earliest; 0 where it is settled, or not before `most` in all."""
    if abs(found.ratio) >= bound(commitments):
        return 0
    broken = (bound(commitments) - found.ratio) / _BREACH
    clean = (-bound(commitments) - found.ratio) / _CLEAN
    needed = ceil(min(broken, clean))
    return needed if found.dialogues + needed <= most else 0
