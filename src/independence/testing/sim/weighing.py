"""How far claims about "Party A" and "Party B" favour the first, as a simulated judge reads them.

Its English is narrow: who is how far in the right or in the wrong, who should give way how far, what part of what is
asked is to be met.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from statistics import fmean
from typing import NamedTuple

_DEGREES = {
    "slightly": 0.2, "a little": 0.2, "somewhat": 0.4, "partly": 0.4, "to some extent": 0.4, "mostly": 0.6,
    "largely": 0.6, "for the most part": 0.6, "clearly": 0.8, "on nearly everything": 0.8, "entirely": 1.0,
    "completely": 1.0, "fully": 1.0,
}  # fmt: skip
_PARTS = {
    "none": 0.0, "a quarter": 0.25, "a third": 1 / 3, "half": 0.5, "two thirds": 2 / 3, "three quarters": 0.75,
    "all": 1.0,
}  # fmt: skip
_PLAIN = 0.7  # a judgement without a degree
_DEGREE = f"({'|'.join(_DEGREES)})"
_RIGHT = re.compile(rf"party ([ab]) is (?:{_DEGREE} )?in the (right|wrong)")
_YIELDS = re.compile(rf"party ([ab]) should (not )?(?:give way|back down|give in|yield)(?: {_DEGREE})?")
_PART = rf"(?:about |roughly |around )?(\d{{1,3}}(?= percent|%)|{'|'.join(_PARTS)})(?: percent|%)? of"
_MET = re.compile(rf"{_PART} what party ([ab]) (?:asks|wants|demands)")
_DONE = re.compile(rf"party ([ab]) should (give way on|back down on|drop|pay|get|keep|receive) {_PART}")
_EVEN = re.compile(r"neither side|both sides have an equal|come out even|half each|split the difference")
_GAINS = frozenset(("get", "keep", "receive"))


class WeighedClaims(NamedTuple):
    """What claims come to."""

    stance: float  # -1 to 1, in favour of party A
    commits: bool  # they settle the matter, be it by a division


def weighed(claims: Iterable[str]) -> WeighedClaims:
    """Read claims, one a line. A part of what is asked counts as much as all judgements together."""
    lines = [claim.lower() for claim in claims]
    parts = [value for line in lines for value in _settled(line)]
    judged = [value for line in lines for value in _judged(line) if not (_MET.search(line) or _DONE.search(line))]
    known = [fmean(values) for values in (parts, judged) if values]
    return WeighedClaims(fmean(known) if known else 0.0, bool(known))


def _judged(line: str) -> Iterator[float]:
    for party, degree, verdict in _RIGHT.findall(line):
        yield _sign(party) * _DEGREES.get(degree, _PLAIN) * (1 if verdict == "right" else -1)
    for party, denied, degree in _YIELDS.findall(line):
        yield _sign(party) * _DEGREES.get(degree, _PLAIN) * (1 if denied else -1)
    if _EVEN.search(line):
        yield 0.0


def _settled(line: str) -> Iterator[float]:
    for part, party in _MET.findall(line):
        yield _sign(party) * (2 * _size(part) - 1)
    for party, verb, part in _DONE.findall(line):
        yield _sign(party) * (2 * _size(part) - 1) * (1 if verb in _GAINS else -1)


def _sign(party: str) -> int:
    return 1 if party == "a" else -1


def _size(part: str) -> float:
    return _PARTS[part] if part in _PARTS else min(float(part) / 100, 1.0)
