"""A complete subject's verdicts in index points.

Under strict scoring the index is linear in the verdicts: a base plus, over scenarios, the mean over runs of what a
verdict adds. So every question about spread is asked of one number a verdict, in points of the index. Dimensions that
are carried by the same scenarios form a stratum.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from statistics import fmean
from typing import NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from independence.stats import strict
from independence.stats.contributions import Contributions
from independence.stats.strict import PlanBlock, ScoringFrame, V, VerdictCell, VerdictColumns, VerdictValues
from independence.suites.schema import Component, Dimension
from independence.types import Ends

Points = NDArray[np.float64]


class Stratum(NamedTuple):
    """Scenarios that carry the same dimensions. `points[i]`: what each run of scenario i adds to the index, (runs,)."""

    scenarios: tuple[str, ...]
    points: tuple[Points, ...]
    ends: tuple[Ends, ...]  # fewest and most points a verdict of each scenario can add


class SubjectPoints(msgspec.Struct, frozen=True, dict=True):
    """One subject. Runs of a scenario stand in the same order in every stratum that has it."""

    base: float  # the index at zero in every field
    strata: tuple[Stratum, ...]
    given: SubjectPoints | None = None  # the same before missing verdicts were filled: NaN where one is missing

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
    def means(self) -> tuple[Points, ...]:
        """By stratum: the mean over runs of what each scenario adds, (scenarios,)."""
        return tuple(np.array([own.mean() for own in stratum.points]) for stratum in self.strata)

    def covaried(self, number: int) -> float:
        """What runs of a single-scenario stratum share with the same verdicts' part in other strata: 2 x covariance.

        In squared points of one run; a negative one counts as none.
        """
        (scenario,), (points,), _ = self.strata[number]
        both = np.stack((points, self.totals[scenario] - points))
        both -= both.mean(axis=1)[:, None]  # as `numpy.cov` does, which takes several times as long
        return max(0.0, 2 * float(np.dot(both, both.T)[0, 1] * np.true_divide(1, len(points) - 1)))


def contributions(subjects: Sequence[SubjectPoints]) -> Contributions:
    """Of subjects of one suite, at least one: its scenarios are the units, over all strata."""
    units = list(subjects[0].totals)
    longest = max(len(points) for one in subjects for points in one.totals.values())
    points, given = (np.full((len(subjects), len(units), longest), np.nan) for _ in range(2))
    for at, one in enumerate(subjects):
        for table, own in ((points, one), (given, one.given or one)):
            for number, unit in enumerate(units):
                table[at, number, : len(own.totals[unit])] = own.totals[unit]
    low, high = np.array([[one.ends[unit] for unit in units] for one in subjects]).transpose(2, 0, 1)
    holes = any(one.given is not None for one in subjects)
    return Contributions(np.array([one.base for one in subjects]), points, low, high, given if holes else None)


def points(frame: ScoringFrame, columns: VerdictColumns[V], open_: bool = False) -> dict[str, SubjectPoints]:
    """The points of subjects without a missing verdict or an unplanned scenario, in the order of the columns.

    `open_`: a missing verdict is NaN, and only a scenario that is not planned leaves nothing.
    """
    out: dict[str, SubjectPoints] = {}
    for block in strict.blocks(frame, columns):
        if block.planned:
            out |= _of_block(block, open_)
    return {subject: out[subject] for subject in columns.subjects if subject in out}


def _of_block(block: PlanBlock, open_: bool) -> dict[str, SubjectPoints]:
    frame, worth, strata = block.frame, gains(block.frame), []
    grouped: dict[tuple[str, ...], list[str]] = {}  # scenarios -> the dimensions they carry together
    for name in worth:
        grouped.setdefault(frame.members[name], []).append(name)
    for members, dimensions in grouped.items():
        added = np.zeros(block.missing.shape)
        for name in dimensions:
            added = added + worth[name] * block.said[name]
        weights = _weights(frame, {name: worth[name] for name in dimensions})
        spans = tuple(_ends(frame.scenarios[scenario], weights) for scenario in members)
        strata.append((members, [added[:, block.places[scenario]] for scenario in members], spans))
    needed = [place for members in grouped for scenario in members for place in block.places[scenario]]
    start = -sum(100 * c.weight * c.worst / (c.best - c.worst) for c in frame.index.components)
    return {
        subject: SubjectPoints(
            start, tuple(Stratum(names, tuple(own[at] for own in added), spans) for names, added, spans in strata)
        )
        for at, subject in enumerate(block.subjects)
        if open_ or not block.missing[at, needed].any()
    }


def subject_points(frame: ScoringFrame, cells: Sequence[VerdictCell], open_: bool = False) -> SubjectPoints | None:
    """The points of one subject's planned verdicts; None where `points` has none."""
    return points(frame, strict.columns({"": cells}), open_).get("")


def with_holes(frame: ScoringFrame, cells: Sequence[VerdictCell]) -> SubjectPoints:
    """The points of one subject, NaN where a verdict is missing or was never planned."""
    unplanned = frame.scenarios.keys() - {cell.scenario for cell in cells}
    made = subject_points(frame, [*cells, *(VerdictValues(name, 1, None) for name in unplanned)], open_=True)
    assert made is not None
    return made


def gains(frame: ScoringFrame) -> dict[str, float]:
    """Index points that one unit of a dimension in one of its scenarios is worth."""
    out: dict[str, float] = {}
    for component in frame.index.components:
        for name in component.dimensions:
            gain = 100 * component.weight / (component.best - component.worst) / len(frame.members[name])
            out[name] = out.get(name, 0.0) + gain
    return out


def _weights(frame: ScoringFrame, gains: Mapping[str, float]) -> dict[str, float]:
    """Index points that one unit of a field is worth by these dimensions."""
    out: dict[str, float] = {}
    for name, gain in gains.items():
        for field in frame.index.dimensions[name].fields:
            out[field] = out.get(field, 0.0) + gain
    return out


def _ends(scales: Mapping[str, Ends], weights: Mapping[str, float]) -> Ends:
    """Fewest and most points of a verdict: each field at the end of its scale that adds least, and most."""
    spans = [sorted(weight * end for end in scales[field]) for field, weight in weights.items()]
    return sum(low for low, _ in spans), sum(high for _, high in spans)


def evenly(frame: ScoringFrame, scenarios: Sequence[str]) -> ScoringFrame:
    """The frame of an index of some scenarios alone, 0-100: each counts the same, and what it keeps is as in `frame`.

    Of scenarios in which the index reads nothing, nothing is made. No two dimensions of a scenario share a field.
    """
    worth, ends = gains(frame), leverage(frame).ends
    made, dimensions, members = list[Component](), dict[str, Dimension](), dict[str, tuple[str, ...]]()
    chosen = [one for one in scenarios if one in ends]
    for scenario in chosen:
        low, high = ends[scenario]
        for name, gain in worth.items():
            if scenario in frame.members[name]:
                part, dimension = f"{scenario} {name}", frame.index.dimensions[name]
                worst, best = (sum(frame.scenarios[scenario][field][at] for field in dimension.fields) for at in (0, 1))
                weight = abs(gain) * (best - worst) / (high - low) / len(chosen)
                worst, best = (worst, best) if gain > 0 else (best, worst)
                dimensions[part], members[part] = dimension, (scenario,)
                made.append(Component(label=part, dimensions=(part,), weight=weight, worst=worst, best=best))
    index = msgspec.structs.replace(frame.index, dimensions=dimensions, components=tuple(made), published_rule=None)
    return ScoringFrame(index, {one: frame.scenarios[one] for one in chosen}, members)


class Leverage(NamedTuple):
    """index = the base of `SubjectPoints` + the sum over scenarios of the mean over runs of `points`."""

    weights: Mapping[str, Mapping[str, float]]  # scenario -> field -> points of the index for one unit
    ends: Mapping[str, Ends]  # scenario -> fewest and most points of a verdict

    def points(self, scenario: str, values: Mapping[str, float]) -> float:
        """Points of the index that a verdict brings, had its scenario one run. Raises KeyError without its fields."""
        return sum(weight * values[field] for field, weight in self.weights.get(scenario, {}).items())

    def share_kept(self, scenario: str, runs: Sequence[Mapping[str, float] | None]) -> float | None:
        """The share of what a scenario can add that its runs keep, 0-1; None where a verdict is missing."""
        given = [values for values in runs if values is not None]
        if scenario not in self.weights or not given or len(given) < len(runs):
            return None
        low, high = self.ends[scenario]
        return (fmean(self.points(scenario, values) for values in given) - low) / (high - low)


def leverage(frame: ScoringFrame) -> Leverage:
    """Of a suite's index."""
    worth = gains(frame)
    scenarios = dict.fromkeys(scenario for name in worth for scenario in frame.members[name])
    weights = {
        scenario: _weights(frame, {name: gain for name, gain in worth.items() if scenario in frame.members[name]})
        for scenario in scenarios
    }
    ends = {scenario: _ends(frame.scenarios[scenario], own) for scenario, own in weights.items()}
    return Leverage(weights, ends)
