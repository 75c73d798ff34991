"""Do intervals cover what they say they cover? Simulated data with a known truth, through the product's own code."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchmarks.figure import Figure, Result
from independence.stats import comparison, index_uncertainty, published
from independence.stats.comparison import all_pairs
from independence.stats.index_uncertainty import IndexEstimate
from independence.stats.intervals import t_interval
from independence.stats.subject_points import Stratum, SubjectPoints

SETS, SCENARIOS, RUNS, FLEET = 20_000, 5, 5, 20
MEAN, SCENARIO_SD, RUN_SD = 8.5, 1.3, 1.3
CEILINGS = (0.64, 0.81)  # shares of scores at the top that published data show
NULL_BOARDS = 2_000
Scores = NDArray[np.float64]


class Truth(NamedTuple):
    """Simulated scores (sets, scenarios, runs) on 0-10, the mean of each set's scenarios, the population's mean."""

    scores: Scores
    these: Scores
    like_these: float


def measure(sets: int = SETS, boards: int = NULL_BOARDS) -> list[Result]:
    """Coverage of every reading, with the published bootstrap's beside it, and false splits of equals into tiers."""
    rng = np.random.default_rng(20_261_121)
    return [*_coverages(simulated(rng, sets, MEAN)), *_ceilings(rng, sets), *_tiers(rng, boards)]


def simulated(rng: np.random.Generator, sets: int, mean: float) -> Truth:
    """Scenario means around `mean`, runs around those, everything clipped to the scale; truths in closed form."""
    centres = rng.normal(mean, SCENARIO_SD, (sets, SCENARIOS))
    scores = np.clip(centres[:, :, None] + rng.normal(0, RUN_SD, (sets, SCENARIOS, RUNS)), 0, 10)
    return Truth(scores, clipped_mean(centres, RUN_SD).mean(axis=1), _population(mean))


def clipped_mean(centre: Scores, deviation: float) -> Scores:
    """Expectation of a normal variable clipped to 0-10."""
    from scipy.special import ndtr

    low, high = -centre / deviation, (10 - centre) / deviation
    density = (np.exp(-(low**2) / 2) - np.exp(-(high**2) / 2)) / math.sqrt(2 * math.pi)
    inside = centre * (ndtr(high) - ndtr(low)) + deviation * density
    return np.asarray(10 * (1 - ndtr(high)) + inside)


def _population(mean: float) -> float:
    # A scenario's centre and its run add up to one normal variable, which is what is clipped.
    return float(clipped_mean(np.array([mean]), math.hypot(SCENARIO_SD, RUN_SD))[0])


def sheets(scores: Scores) -> list[SubjectPoints]:
    """Scores (sets, scenarios, runs) as sheets whose index is the mean score on 0-10."""
    names = tuple(f"s{number}" for number in range(scores.shape[1]))
    ends = ((0.0, 10.0 / len(names)),) * len(names)
    return [SubjectPoints(0.0, (Stratum(names, tuple(own / len(names)), ends),)) for own in scores]


def _fleets(scores: Scores, size: int) -> list[list[SubjectPoints]]:
    every = sheets(scores)
    return [every[start : start + size] for start in range(0, len(every), size)]


def _covered(fleets: Sequence[Sequence[SubjectPoints]], truths: Scores, reading: str) -> tuple[float, float]:
    """Share of intervals that hold their truth, and their mean width; no interval at all counts as a miss."""
    estimate = (
        index_uncertainty.these_scenarios
        if reading == index_uncertainty.THESE
        else index_uncertainty.scenarios_like_these
    )
    ends = [one.interval() for fleet in fleets for one in estimate(fleet)]
    hit = [end is not None and end.low <= truth <= end.high for end, truth in zip(ends, truths, strict=True)]
    return float(np.mean(hit)), float(np.mean([end.high - end.low for end in ends if end is not None]))


def _coverages(truth: Truth) -> list[Result]:
    population = np.full(len(truth.these), truth.like_these)
    results: list[Result] = []
    for size, who in ((1, "alone"), (FLEET, f"in fleets of {FLEET}")):
        fleets = _fleets(truth.scores, size)
        these, width = _covered(fleets, truth.these, index_uncertainty.THESE)
        detail = f"mean width {width:.2f} of 10"
        results.append(Figure(f"these-scenarios covers, {who}", 100 * these, "%", 93, "higher", detail))
        results.append(Figure(f"these-scenarios covers, {who}", 100 * these, "%", 97, "lower", detail))
        like, width = _covered(fleets, population, index_uncertainty.LIKE_THESE)
        detail = f"mean width {width:.2f} of 10"
        results.append(Figure(f"scenarios-like-these covers, {who}", 100 * like, "%", 93, "higher", detail))
    return [*results, *_over_runs(truth, population)]


def _over_runs(truth: Truth, population: Scores) -> list[Result]:
    """What the published bootstrap and a t interval over runs cover of either truth. Shown without a bound."""
    per_run = [tuple(own) for own in truth.scores.mean(axis=1)]
    ways: dict[str, Sequence[tuple[float, float] | None]] = {
        "published bootstrap": [published.percentile_interval(own) for own in per_run],
        "t over runs": [t_interval(own) for own in per_run],
    }
    results: list[Result] = []
    for name, ends in ways.items():
        for what, aims in (("these scenarios", truth.these), ("scenarios like these", population)):
            hit = [end is not None and end[0] <= aim <= end[1] for end, aim in zip(ends, aims, strict=True)]
            results.append(Figure(f"{name} covers {what}", 100 * float(np.mean(hit)), "%"))
    return results


def _ceilings(rng: np.random.Generator, sets: int) -> list[Result]:
    """Coverage where most scores stand at the top. Shown without a bound: five runs there cannot show what is rare."""
    results: list[Result] = []
    for share in CEILINGS:
        mean = _mean_with_ceiling(share)
        truth = simulated(rng, sets, mean)
        for size, who in ((1, "alone"), (FLEET, f"in fleets of {FLEET}")):
            fleets = _fleets(truth.scores, size)
            for reading, aims in (
                (index_uncertainty.THESE, truth.these),
                (index_uncertainty.LIKE_THESE, np.full(sets, truth.like_these)),
            ):
                covered, width = _covered(fleets, aims, reading)
                name = f"{reading} covers, {share:.0%} at the ceiling, {who}"
                results.append(Figure(name, 100 * covered, "%", detail=f"mean width {width:.2f} of 10"))
    return results


def _mean_with_ceiling(share: float) -> float:
    from scipy.special import ndtri

    return 10 + float(ndtri(share)) * math.hypot(SCENARIO_SD, RUN_SD)


def _tiers(rng: np.random.Generator, boards: int) -> list[Result]:
    """How often a board of equals is split into tiers at all."""
    centres = rng.normal(MEAN, SCENARIO_SD, (boards, 1, SCENARIOS, 1))
    scores = np.clip(centres + rng.normal(0, RUN_SD, (boards, FLEET, SCENARIOS, RUNS)), 0, 10)
    split = sum(max(comparison.tiers(all_pairs(_best_first(own), "holm"))) > 1 for own in scores)
    name = f"boards of {FLEET} equals split into tiers"
    return [Figure(name, 100 * split / boards, "%", 5, "lower", f"{boards} boards")]


def _best_first(scores: Scores) -> list[IndexEstimate]:
    return sorted(index_uncertainty.these_scenarios(sheets(scores)), key=lambda one: -one.point)
