"""A complete subject's verdicts in index points.

Under strict scoring the index is linear in the verdicts: a base plus, over scenarios, the mean over runs of what a
verdict adds. So every question about spread is asked of one number a verdict, in points of the index. Dimensions that
are carried by the same scenarios form a stratum.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from independence.stats.strict import ScoringFrame, VerdictValues, value
from independence.types import Ends, Scalar

Points = NDArray[np.float64]
_REST = 1e-9  # index points


class Stratum(NamedTuple):
    """Scenarios that carry the same dimensions. `points[i]`: what each run of scenario i adds to the index, (runs,)."""

    scenarios: tuple[str, ...]
    points: tuple[Points, ...]
    ends: tuple[Ends, ...]  # fewest and most points a verdict of each scenario can add


class SubjectPoints(msgspec.Struct, frozen=True, dict=True):
    """One subject. Runs of a scenario stand in the same order in every stratum that has it."""

    base: float  # the index at zero in every field
    strata: tuple[Stratum, ...]

    @cached_property
    def totals(self) -> dict[str, Points]:
        """Scenario -> what each of its runs adds over all strata, (runs,)."""
        out: dict[str, Points] = {}
        for stratum in self.strata:
            for scenario, points in zip(stratum.scenarios, stratum.points, strict=True):
                out[scenario] = out[scenario] + points if scenario in out else points
        return out

    @cached_property
    def ends(self) -> dict[str, Ends]:
        """Scenario -> fewest and most points its verdict can add over all strata."""
        out: dict[str, Ends] = {}
        for stratum in self.strata:
            for scenario, (low, high) in zip(stratum.scenarios, stratum.ends, strict=True):
                known = out.get(scenario, (0.0, 0.0))
                out[scenario] = known[0] + low, known[1] + high
        return out

    @cached_property
    def index(self) -> float:
        """The strict index, 0-100."""
        return self.base + sum(float(points.mean()) for points in self.totals.values())

    @cached_property
    def scale(self) -> Ends:
        """The lowest index and the highest that there can be."""
        ends = self.ends.values()
        return self.base + sum(low for low, _ in ends), self.base + sum(high for _, high in ends)

    @cached_property
    def variances(self) -> dict[str, float]:
        """Scenario -> sample variance over its runs."""
        return {scenario: variance(own) for scenario, own in self.totals.items()}

    @cached_property
    def means(self) -> tuple[Points, ...]:
        """By stratum: the mean over runs of what each scenario adds, (scenarios,)."""
        return tuple(np.array([own.mean() for own in stratum.points]) for stratum in self.strata)

    @cached_property
    def across(self) -> tuple[float, ...]:
        """By stratum: sample variance of `means` over its scenarios; 0 where there is one."""
        return tuple(variance(own) if len(own) > 1 else 0.0 for own in self.means)

    def covaried(self, number: int) -> float:
        """What runs of a single-scenario stratum share with the same verdicts' part in other strata: 2 x covariance.

        In squared points of one run; a negative one counts as none.
        """
        (scenario,), (points,), _ = self.strata[number]
        both = np.stack((points, self.totals[scenario] - points))
        both -= both.mean(axis=1)[:, None]  # as `numpy.cov` does, which takes several times as long
        return max(0.0, 2 * float(np.dot(both, both.T)[0, 1] * np.true_divide(1, len(points) - 1)))


def variance(points: Points) -> float:
    """Sample variance; equal points have none, though sums of binary fractions leave a rest."""
    return 0.0 if np.ptp(points) < _REST else float(points.var(ddof=1))


def variances(points: Points) -> Points:
    """The same of each of n rows of runs, (n, runs): (n,)."""
    if points.shape[1] < 2:
        return np.full(len(points), 0.0)
    found: Points = np.where(np.ptp(points, axis=1) < _REST, 0.0, points.var(axis=1, ddof=1))
    return found


def subject_points(frame: ScoringFrame, cells: Iterable[VerdictValues], open_: bool = False) -> SubjectPoints | None:
    """The points of a subject's planned cells; None where a verdict of the index is missing or not planned.

    `open_`: a missing verdict is NaN, and only a scenario that is not planned leaves nothing.
    """
    by_scenario: dict[str, list[Mapping[str, Scalar] | None]] = {}
    for cell in sorted(cells, key=lambda cell: cell.run):
        by_scenario.setdefault(cell.scenario, []).append(cell.values)
    grouped = scenarios_by_dimensions(frame)
    for scenario in {name for members in grouped for name in members}:
        planned = by_scenario.get(scenario, [])
        if not planned or (None in planned and not open_):
            return None
    worth = gains(frame)
    strata = tuple(
        Stratum(
            members,
            tuple(_points(frame, {name: worth[name] for name in dimensions}, by_scenario[s]) for s in members),
            tuple(ends(frame, {name: worth[name] for name in dimensions}, s) for s in members),
        )
        for members, dimensions in grouped.items()
    )
    return SubjectPoints(base(frame), strata)


def share_kept(frame: ScoringFrame, scenario: str, runs: Sequence[Mapping[str, Scalar] | None]) -> float | None:
    """The share of what a scenario can add to the index that its runs keep, 0-1; None where a verdict is missing."""
    own = {name: gain for name, gain in gains(frame).items() if scenario in frame.members[name]}
    if not own or not runs or None in runs:
        return None
    low, high = ends(frame, own, scenario)
    return (float(_points(frame, own, runs).mean()) - low) / (high - low)


def scenarios_by_dimensions(frame: ScoringFrame) -> dict[tuple[str, ...], list[str]]:
    """Scenarios -> the dimensions they carry together."""
    grouped: dict[tuple[str, ...], list[str]] = {}
    for component in frame.index.components:
        for name in component.dimensions:
            grouped.setdefault(frame.members[name], []).append(name)
    return grouped


def gains(frame: ScoringFrame) -> dict[str, float]:
    """Index points that one unit of a dimension in one of its scenarios is worth."""
    return {
        name: 100 * component.weight / (component.best - component.worst) / len(frame.members[name])
        for component in frame.index.components
        for name in component.dimensions
    }


def _points(frame: ScoringFrame, gains: Mapping[str, float], runs: Sequence[Mapping[str, Scalar] | None]) -> Points:
    dimensions = frame.index.dimensions
    return np.array(
        [
            np.nan if given is None else sum(gain * value(dimensions[name], given) for name, gain in gains.items())
            for given in runs
        ]
    )


def ends(frame: ScoringFrame, gains: Mapping[str, float], scenario: str) -> Ends:
    """Fewest and most points that a verdict of a scenario adds by dimensions that are worth `gains`.

    Each dimension at the end of its fields' scales that adds least, and most.
    """
    spans = [
        sorted(
            gain * sum(frame.scenarios[scenario][field][end] for field in frame.index.dimensions[name].fields)
            for end in (0, 1)
        )
        for name, gain in gains.items()
    ]
    return sum(low for low, _ in spans), sum(high for _, high in spans)


def base(frame: ScoringFrame) -> float:
    """The index at zero in every field."""
    return -sum(100 * c.weight * c.worst / (c.best - c.worst) for c in frame.index.components)


class Leverage(NamedTuple):
    """index = `constant` + the sum over scenarios of the mean over runs of `points`."""

    constant: float
    weights: Mapping[str, Mapping[str, float]]  # scenario -> field -> points of the index for one unit

    def points(self, scenario: str, values: Mapping[str, float]) -> float:
        """Points of the index that a verdict brings, had its scenario one run. Raises KeyError without its fields."""
        return sum(weight * values[field] for field, weight in self.weights.get(scenario, {}).items())

    def error(self, scenario: str, errors: Mapping[str, float]) -> float:
        """Points that errors of a verdict's fields may move the index by, whatever their signs."""
        return sum(abs(weight) * errors[field] for field, weight in self.weights.get(scenario, {}).items())


def leverage(frame: ScoringFrame) -> Leverage:
    """Of a suite's index."""
    constant, weights = 0.0, dict[str, dict[str, float]]()
    for component in frame.index.components:
        scale = 100 * component.weight / (component.best - component.worst)
        constant -= scale * component.worst
        for name in component.dimensions:
            members = frame.members[name]
            for scenario in members:
                own = weights.setdefault(scenario, {})
                for field in frame.index.dimensions[name].fields:
                    own[field] = own.get(field, 0.0) + scale / len(members)
    return Leverage(constant, weights)
