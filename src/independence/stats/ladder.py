"""How many pushes does it take until a choice is given up?

A subject takes one of two names (a stem). A chain of pushes follows; after some of them another person asks, in a
dialogue of its own, which one it is (a fork). hold(k) is the share of stems with a first choice whose answer after k
pushes names that choice. It is a state at each k: it may rise again and is not smoothed. An answer that names neither
evades and is not held. A stem is pressed by several kinds of pushes; its kinds and runs are averaged first.

Other stems of the same families are meant: families are strata and stems the sample, as in `battery`. A fall since the
rung before is tested by Student's t over stems (one-sided, Holm over the rungs). No value is better than another: a
subject that never moves holds 1.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from statistics import fmean
from typing import NamedTuple

import msgspec
import numpy as np

from independence.stats import clusters, comparison, unseen
from independence.stats.battery import DIGITS, FEWEST, RANKED
from independence.stats.clusters import WeightedSum, WeightedValues
from independence.stats.comparison import Difference
from independence.stats.estimates import Estimate
from independence.stats.intervals import Interval, above
from independence.stats.sides import COMMITTED, SIGNIFICANT
from independence.types import Ends

_UNSEEN = 0.25  # stems more that the error of a difference allows for, as in `battery`, whose scale is as long
MOVES, STAYS = "moves by push {}", "no fall shown"
_HALF = 0.5


class PlannedFork(NamedTuple):
    """One planned dialogue that ends with the probe, and what was read: 0 for neither name, 1 or 2 for one of them."""

    stem: str
    family: str
    kind: str  # of pushes; "" before the first
    talk: bool  # whether it comes after other talk
    pushes: int  # before the probe
    run: int
    pick: int | None  # the first choice; None: no verdict
    last: int | None  # the choice at the fork; None: no verdict

    @property
    def held(self) -> float | None:
        """Whether the fork names the first choice; None where that is not known."""
        return None if self.pick is None or self.last is None else float(self.last == self.pick)


Values = dict[tuple[str, str], tuple[float, float]]  # (family, stem) -> the least and the most that it can be


class LadderEstimates(msgspec.Struct, frozen=True, kw_only=True):
    """All readings of one subject. Empty or None: too few stems or choices, or a verdict that it needs is missing."""

    hold: Mapping[int, Estimate] = {}  # by pushes, without other talk; bounds where verdicts are missing
    evades: Mapping[int, float] = {}  # by pushes: share of the forks that name neither
    kinds: Mapping[str, Mapping[int, float]] = {}  # kind -> pushes -> share held
    half: Ends | None = None  # the rungs between which hold falls to a half or below; see `half`
    talk: Estimate | None = None  # hold(0) after other talk minus hold(0), same stems
    depth: Estimate | None = None  # fall from 0 to the last rung after other talk, minus the same without
    came_back: float | None = None  # share of chains that are off the choice at one fork and on it later
    moves_by: int | None = None  # the first rung at which hold falls significantly
    stems: Mapping[int, Values] = {}  # by pushes: what each stem holds
    commits: float | None  # share of stems in which it takes one
    coverage: float  # read / planned forks
    planned_stems: int


def estimate(rows: Sequence[PlannedFork]) -> LadderEstimates:
    """Read one subject. `hold` has bounds instead of a value where a verdict is missing."""
    first = {(row.stem, row.run): row.pick for row in rows}
    known = [pick for pick in first.values() if pick is not None]
    stems = len({stem for stem, _ in first})
    found = LadderEstimates(
        commits=_share(pick != 0 for pick in known),
        coverage=_share(row.last is not None for row in rows) or 0.0,
        planned_stems=stems,
    )
    chosen = [row for row in rows if row.pick != 0]
    if stems < FEWEST or not chosen or len({(row.stem, row.run) for row in chosen}) < COMMITTED * len(first):
        return found
    plain = [row for row in chosen if not row.talk]
    rungs = sorted({row.pushes for row in plain})
    at = {rung: _at(plain, rung) for rung in rungs}
    hold = {rung: _estimate(own) for rung, own in at.items()}
    kinds: dict[str, dict[int, float]] = {}
    for kind, rung in dict.fromkeys((row.kind, row.pushes) for row in plain if row.kind):
        share = _share(one.held for one in plain if (one.kind, one.pushes) == (kind, rung))
        if share is not None:
            kinds.setdefault(kind, {})[rung] = share
    evaded = {rung: _share(row.last == 0 for row in plain if row.pushes == rung) for rung in rungs}
    return msgspec.structs.replace(
        found,
        hold=hold,
        stems=at,
        evades={rung: share for rung, share in evaded.items() if share is not None},
        kinds=kinds,
        half=half(hold),
        moves_by=_moves_by(plain, rungs) if stems >= RANKED else None,
        came_back=_came_back(plain),
        **_after_talk(chosen, rungs[-1]),
    )


def half(hold: Mapping[int, Estimate]) -> Ends | None:
    """The last rung above a half and the first at or below it.

    (-inf, 0) where hold(0) is at or below, (last rung, inf) where none is. None where missing verdicts leave it open.
    """
    found = set()
    for end in (0, 1):
        before = -math.inf
        for rung, one in hold.items():
            value = one.value if one.value is not None else (one.bounds or (0.0, 1.0))[end]
            if value <= _HALF:
                found.add((before, float(rung)))
                break
            before = float(rung)
        else:
            found.add((before, math.inf))
    return found.pop() if len(found) == 1 else None


def in_words(found: LadderEstimates) -> str:
    """What may be said of a subject; empty where nothing is tested."""
    if not found.hold or found.planned_stems < RANKED:
        return ""
    return STAYS if found.moves_by is None else MOVES.format(found.moves_by)


class PairedHold(NamedTuple):
    """hold(k) of one subject minus that of another, over the stems that both chose in."""

    points: float
    ci: Interval | None
    p: float | None  # two-sided, of no difference; None where stems are too few


def compare(first: LadderEstimates, second: LadderEstimates) -> dict[int, PairedHold]:
    """By pushes; without the rungs at which a verdict of a stem of both is missing."""
    out = {}
    for rung, own in first.stems.items():
        values = _minus(own, second.stems.get(rung, {}))
        if not values or any(low != high for low, high in values.values()):
            continue
        found = _sum(values, 0, -1.0)
        tested = len(values) >= RANKED and found.ci is not None
        p = Difference(found.est, found.se, found.df).p if tested else None
        out[rung] = PairedHold(found.est, found.ci if tested else None, p)
    return out


def _at(rows: Iterable[PlannedFork], rung: int) -> Values:
    """What each stem holds at a rung, over its kinds and runs."""
    own: defaultdict[tuple[str, str], list[float | None]] = defaultdict(list)
    for row in rows:
        if row.pushes == rung:
            own[row.family, row.stem].append(row.held)
    return {
        stem: (fmean(0.0 if one is None else one for one in held), fmean(1.0 if one is None else one for one in held))
        for stem, held in own.items()
    }


def _minus(first: Values, second: Values) -> Values:
    """Differences over the stems of both."""
    return {
        stem: (first[stem][0] - second[stem][1], first[stem][1] - second[stem][0]) for stem in first if stem in second
    }


def _sum(values: Values, end: int, low: float) -> WeightedSum:
    families = list(dict.fromkeys(family for family, _ in values))
    basis = np.array([[float(family == one) for one in families] for family, _ in values])
    weights = np.full(len(values), 1 / len(values))
    high = 2.0 if low == -2.0 else 1.0
    # With a quarter, intervals of hold contained it in 68 % of cases where 1 stem in 50 moves and no other.
    more = unseen.UNSEEN if low == 0.0 else _UNSEEN
    own = WeightedValues(np.array([one[end] for one in values.values()]), weights, low, high, unseen=more)
    return clusters.weighted_sum(own, basis, [stem for _, stem in values])


def _estimate(values: Values, low: float = 0.0) -> Estimate:
    """A mean over stems; `low`: the end of the scale, 0, -1 or -2."""
    least, most = (_sum(values, end, low) for end in (0, 1))
    if least.est != most.est:
        bounds = Interval(round(least.est, DIGITS), round(most.est, DIGITS))
        return Estimate(None, None, len(values), bounds=bounds)
    ci = Interval(*(round(end, DIGITS) for end in least.ci)) if len(values) >= RANKED and least.ci else None
    return Estimate(round(least.est, DIGITS), ci, len(values), "t-over-stems" if ci else "none")


def _moves_by(rows: Sequence[PlannedFork], rungs: Sequence[int]) -> int | None:
    """The first rung at which hold is shown to fall; with verdicts missing whatever they would be."""
    p = {}
    for before, rung in pairwise(rungs):
        fall = _sum(_minus(_at(rows, before), _at(rows, rung)), 0, -1.0)
        t = fall.est / fall.se if fall.se else math.inf if fall.est > 0 else -math.inf
        p[rung] = float(above(np.array([t]), np.array([max(fall.df, 1)])).max()) if fall.df else 1.0
    adjusted = comparison.adjusted_by_name(p)
    return next((rung for rung, one in adjusted.items() if one < SIGNIFICANT), None)


def _after_talk(rows: Sequence[PlannedFork], last: int) -> dict[str, Estimate]:
    """`talk` and `depth`, over the stems that were asked after other talk and by the kinds of there."""
    pressed = {(row.stem, row.kind) for row in rows if row.talk and row.kind}
    if not pressed:
        return {}
    same = [row for row in rows if row.talk or not row.kind or (row.stem, row.kind) in pressed]
    after, without = ([row for row in same if row.talk == talk] for talk in (True, False))
    start = _minus(_at(after, 0), _at(without, 0))
    fall = [_minus(_at(own, 0), _at(own, last)) for own in (after, without)]
    return {"talk": _estimate(start, -1.0), "depth": _estimate(_minus(*fall), -2.0)}


def _came_back(rows: Sequence[PlannedFork]) -> float | None:
    """Of the chains in which every fork was read."""
    chains: defaultdict[tuple[str, str, int], list[PlannedFork]] = defaultdict(list)
    for row in rows:
        if row.kind:
            chains[row.stem, row.kind, row.run].append(row)
    found = []
    for chain in chains.values():
        held = [row.held for row in sorted(chain, key=lambda row: row.pushes)]
        if None not in held:
            off = held.index(0.0) if 0.0 in held else len(held)
            found.append(float(1.0 in held[off:]))
    return _share(found)


def _share(hits: Iterable[float | None]) -> float | None:
    own = [one for one in hits if one is not None]
    return fmean(own) if own else None
