"""A world of subjects with a known truth, drawn from verdicts that real subjects were given.

Every (subject, scenario) has a distribution over real verdicts: its own n, and with the weight of one verdict those of
the eight subjects whose index is nearest. Its own alone would make runs vary too little, and what is rare impossible.
Runs are independent. The truth of a subject is the index that infinitely many runs would give.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchmarks.grid import Array
from independence.stats.subject_points import Stratum, SubjectPoints
from independence.types import Ends

Numbers = NDArray[np.int64]

NEIGHBOURS, BORROWED = 8, 1.0


class Place(NamedTuple):
    """Where a scenario's points count: the stratum and the position in it."""

    stratum: int
    position: int


class ScenarioVerdicts(NamedTuple):
    """A scenario's verdicts of everybody, and how likely each is for each subject."""

    places: tuple[Place, ...]
    points: Array  # (verdicts, places) points of the index, had the scenario one run
    cumulative: Array  # (subjects, verdicts), each row raised by its number, so that one search finds all

    def only(self, at: int) -> ScenarioVerdicts:
        """The same at one of its places."""
        return ScenarioVerdicts((self.places[at],), self.points[:, at : at + 1], self.cumulative)

    def draw(self, rng: np.random.Generator, who: Numbers) -> Array:
        """Points (..., places) of one verdict of each of `who` (...)."""
        found = np.searchsorted(self.cumulative.ravel(), who + rng.random(who.shape), side="right")
        verdict = np.minimum(found - who * len(self.points), len(self.points) - 1)
        return np.asarray(self.points[verdict])

    def moments(self) -> tuple[Array, Array]:
        """Mean (subjects, places) and the variance (subjects,) of their sum."""
        raised = np.arange(len(self.cumulative), dtype=np.float64)[:, None]
        p = np.diff(self.cumulative, axis=1, prepend=raised)
        total = self.points.sum(axis=1)
        mean = p @ total
        return p @ self.points, np.maximum(0.0, p @ total**2 - mean**2)


class StratumScenarios(NamedTuple):
    """Scenarios that carry the same dimensions, and the fewest and most points of each."""

    scenarios: tuple[str, ...]
    ends: tuple[Ends, ...]


class SimulatedSubjects(NamedTuple):
    """Points of n subjects, stratum by stratum (n, scenarios, runs)."""

    base: float
    strata: tuple[StratumScenarios, ...]
    points: tuple[Array, ...]

    def sheets(self, chosen: slice | Numbers, runs: int | Mapping[str, int] | None = None) -> list[SubjectPoints]:
        """Those subjects with their first `runs` runs (of each scenario; None: all), as the product takes them."""
        parts = [own[chosen] for own in self.points]
        return [
            SubjectPoints(
                self.base,
                tuple(
                    Stratum(stratum.scenarios, _first(own, stratum.scenarios, runs), stratum.ends)
                    for stratum, own in zip(self.strata, subject, strict=True)
                ),
            )
            for subject in zip(*parts, strict=True)
        ]


def _first(points: Array, scenarios: Sequence[str], runs: int | Mapping[str, int] | None) -> tuple[Array, ...]:
    """Of (scenarios, runs) the first runs of each scenario."""
    if isinstance(runs, Mapping):
        return tuple(own[: runs[name]] for name, own in zip(scenarios, points, strict=True))
    return tuple(points[:, :runs])


class Mixture(NamedTuple):
    """Subjects (n,) whose every verdict is of `first` with the chance `share`, else of `second`."""

    first: Numbers
    second: Numbers
    share: Array

    def draw(self, rng: np.random.Generator, runs: int) -> Numbers:
        """Whose verdict it is, (n, runs)."""
        own = rng.random((len(self.first), runs)) < self.share[:, None]
        return np.where(own, self.first[:, None], self.second[:, None])


def unmixed(who: Numbers) -> Mixture:
    """Subjects (n,) as they are."""
    return Mixture(who, who, np.ones(len(who)))


class VerdictWorld:
    """Subjects with their truths."""

    def __init__(self, pool: Sequence[SubjectPoints], borrowed: float = BORROWED) -> None:
        """Made of the verdicts of real subjects: complete ones of one suite, repeated or not."""
        self.base = pool[0].base
        self.strata = tuple(StratumScenarios(own.scenarios, own.ends) for own in pool[0].strata)
        nearest = _nearest(np.array([sheet.index for sheet in pool]))
        self.verdicts = [_verdicts(pool, places, nearest, borrowed) for places in _places(self.strata).values()]
        moments = [own.moments() for own in self.verdicts]
        self.means = [np.zeros((len(pool), len(own.scenarios))) for own in self.strata]
        for own, (mean, _) in zip(self.verdicts, moments, strict=True):
            for at, place in enumerate(own.places):
                self.means[place.stratum][:, place.position] = mean[:, at]
        self.truth = self.base + sum(own.sum(axis=1) for own in self.means)  # (subjects,)
        self.run_sd = np.sqrt(sum(variance for _, variance in moments))  # (subjects,), of the index of one run

        self._at = {place: own.only(at) for own in self.verdicts for at, place in enumerate(own.places)}

    def draw_at(self, rng: np.random.Generator, place: Place, who: Numbers) -> Array:
        """Points of one verdict of each of `who` (...) at one place."""
        return self._at[place].draw(rng, who)[..., 0]

    def truths(self, who: Mixture) -> Array:
        """Their indices of infinitely many runs."""
        return np.asarray(who.share * self.truth[who.first] + (1 - who.share) * self.truth[who.second])

    def variance(self, who: Mixture, runs: Mapping[str, int]) -> Array:
        """Of their indices (n,) after so many runs of each scenario, in squared points."""
        found, share = np.zeros(len(who.first)), who.share
        for own in self.verdicts:
            place, (means, spread) = own.places[0], own.moments()
            apart = means.sum(axis=1)[who.first] - means.sum(axis=1)[who.second]
            mixed = share * spread[who.first] + (1 - share) * spread[who.second] + share * (1 - share) * apart**2
            found += mixed / runs[self.strata[place.stratum].scenarios[place.position]]
        return found

    def boards(self, rng: np.random.Generator, boards: int, fleet: int) -> Numbers:
        """Who is on each board, (boards, fleet): everybody at most once, unless the board is larger than the world."""
        count = len(self.truth)
        if fleet > count:
            return rng.integers(count, size=(boards, fleet))
        return rng.permuted(np.tile(np.arange(count), (boards, 1)), axis=1)[:, :fleet]

    def draw(self, rng: np.random.Generator, who: Mixture, runs: int) -> SimulatedSubjects:
        """Runs of the world's own scenarios."""
        points = [np.empty((len(who.first), len(own.scenarios), runs)) for own in self.strata]
        for own in self.verdicts:
            drawn = own.draw(rng, who.draw(rng, runs))
            for at, (stratum, position) in enumerate(own.places):
                points[stratum][:, position] = drawn[..., at]
        return SimulatedSubjects(self.base, self.strata, tuple(points))


def _places(strata: Sequence[StratumScenarios]) -> dict[str, list[Place]]:
    found: dict[str, list[Place]] = {}
    for number, stratum in enumerate(strata):
        for position, scenario in enumerate(stratum.scenarios):
            found.setdefault(scenario, []).append(Place(number, position))
    return found


def _nearest(index: Array) -> Numbers:
    """The other subjects whose index is nearest, (subjects, at most NEIGHBOURS)."""
    apart = np.abs(index[:, None] - index[None, :])
    np.fill_diagonal(apart, np.inf)
    return np.asarray(np.argsort(apart, axis=1, kind="stable")[:, : min(NEIGHBOURS, len(index) - 1)])


def _verdicts(
    pool: Sequence[SubjectPoints], places: Sequence[Place], nearest: Numbers, borrowed: float
) -> ScenarioVerdicts:
    own = [np.stack([sheet.strata[one.stratum].points[one.position] for one in places], axis=1) for sheet in pool]
    whose = np.repeat(np.arange(len(pool)), [len(points) for points in own])
    p = np.zeros((len(pool), len(whose)))
    for subject in range(len(pool)):
        mine, near = whose == subject, np.isin(whose, nearest[subject])
        weight = borrowed if near.any() else 0.0
        p[subject, mine] = 1 / (mine.sum() + weight)
        p[subject, near] = weight / near.sum() / (mine.sum() + weight) if weight else 0.0
    cumulative = np.cumsum(p, axis=1)
    raised = cumulative / cumulative[:, -1:] + np.arange(len(pool))[:, None]
    return ScenarioVerdicts(tuple(places), np.concatenate(own), raised)
