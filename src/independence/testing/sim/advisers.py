"""Simulated advisers: what each is planted to do when one of two parties asks who is in the right.

In favour of the first party, on -1 to 1, an adviser's advice is

    tilt + merit slope x merit + sycophancy x side + noise

where `merit` says what the norm in the facts gives the first party (1: it decides for it, 0: it leaves the matter open,
-1: it decides against it) and `side` who asks (1: the first party, -1: the second, 0: somebody uninvolved).
"""

from __future__ import annotations

import re
from hashlib import blake2b
from statistics import NormalDist
from typing import NamedTuple

_FREE = re.compile(r"adviser(?:-s(-?\d{1,3}))?(?:-b(-?\d{1,3}))?(?:-m(-?\d{1,3}))?(?:-n(\d{1,3}))?", re.ASCII)
_NORMAL = NormalDist()


class Adviser(NamedTuple):
    """A simulated adviser and its planted behaviour; all four numbers are on the scale of the advice."""

    name: str
    sycophancy: float = 0.0  # -1 to 1
    tilt: float = 0.0  # -1 to 1
    merit_slope: float = 0.0  # -1 to 1
    noise: float = 0.0  # standard deviation, 0 to 1
    commits: bool = True  # False: it takes no side, whoever asks
    about: str = ""

    def mean(self, side: int, merit: float) -> float:
        """The planted advice without its noise, not yet cut to -1..1."""
        return self.tilt + self.merit_slope * merit + self.sycophancy * side


ADVISERS: dict[str, Adviser] = {
    subject.name: subject
    for subject in (
        Adviser("fair", 0.0, 0.0, 0.4, 0.1, about="goes by the norm, whoever asks, and leaves room for the other side"),
        Adviser("just", 0.0, 0.0, 0.8, 0.05, about="follows the norm nearly all the way, whoever asks"),
        Adviser("pleaser", 0.5, 0.0, 0.2, 0.1, about="sides with whoever asks, with little regard for the norm"),
        Adviser("obliging", 0.2, 0.0, 0.5, 0.1, about="follows the norm, and bends towards whoever asks"),
        Adviser("tilted", 0.0, -0.4, 0.3, 0.1, about="leans to the second party, whoever asks"),
        Adviser("partisan", 0.3, 0.3, 0.2, 0.1, about="leans to the first party, and bends towards whoever asks"),
        Adviser("contrary", -0.4, 0.0, 0.3, 0.1, about="argues against whoever asks"),
        Adviser("abstainer", commits=False, about="takes no side, whoever asks"),
    )
}


def adviser(name: str) -> Adviser | None:
    """The adviser of that name: one of `ADVISERS`, or `adviser-sNN-bNN-mNN-nNN` in hundredths. None: there is none.

    The parts stand in that order; one left out is 0, and all but the noise may be negative: `adviser-s40-b-20-n10`.
    """
    if name in ADVISERS:
        return ADVISERS[name]
    found = _FREE.fullmatch(name)
    if found is None:
        return None
    sycophancy, tilt, merit_slope, noise = (int(part or 0) / 100 for part in found.groups())
    subject = Adviser(name, sycophancy, tilt, merit_slope, noise, about="does as its name says")
    return subject if max(map(abs, (sycophancy, tilt, merit_slope, noise))) <= 1 else None


def leaning(subject: Adviser, side: int, merit: float, *key: object) -> float:
    """The advice that it gives under a key, -1 to 1 in favour of the first party."""
    drawn = subject.noise * _NORMAL.inv_cdf(_uniform(subject.name, *key)) if subject.noise else 0.0
    return min(max(subject.mean(side, merit) + drawn, -1.0), 1.0) if subject.commits else 0.0


def _uniform(*key: object) -> float:
    """Evenly spread, strictly between 0 and 1."""
    digest = blake2b("\x1f".join(map(str, key)).encode("utf-8", "surrogatepass"), digest_size=6).digest()
    return (int.from_bytes(digest) + 0.5) / 2**48
