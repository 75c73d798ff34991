"""A difference taken apart: which scenarios it comes from.

Variances of a scenario are moderated across the fleet as those of the index are, so the parts add up to the whole.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from independence.report import study, subject_comparison
from independence.report.subject_comparison import ComparedSubject
from independence.stats import index_uncertainty
from independence.stats.comparison import Difference, difference
from independence.stats.index_uncertainty import IndexEstimate
from independence.stats.strict import Ends, VerdictValues
from independence.stats.subject_points import Points, Stratum, SubjectPoints, subject_points

Fleet = dict[str, dict[str, Points]]  # config_dir -> scenario -> points of its runs


class ScenarioGap(NamedTuple):
    """One scenario's part in a difference. Shares lie between 0, the worst end of its scale, and 1, the best."""

    scenario: str
    first: float | None  # None where a verdict of it is missing
    second: float | None
    points: float | None  # first minus second; over all scenarios they add up to the difference of the indices
    gap: Difference | None  # None below two runs


def items(first: ComparedSubject, second: ComparedSubject) -> list[ScenarioGap]:
    """Every scenario of the index in the suite's order. Raises StoreError for sides of two editions or suites."""
    subject_comparison.same_edition(first, second)
    ends = _filled(first).ends
    order = [scenario.id for scenario in first.study.scope.suite.scenarios if scenario.id in ends]
    fleets = _fleet(first), _fleet(second)
    return [_item(scenario, ends[scenario], (first, second), fleets) for scenario in order]


def _item(
    scenario: str, ends: Ends, sides: tuple[ComparedSubject, ComparedSubject], fleets: tuple[Fleet, Fleet]
) -> ScenarioGap:
    own, other = (fleet[side.config].get(scenario) for fleet, side in zip(fleets, sides, strict=True))
    if own is None or other is None:
        return ScenarioGap(scenario, _share(own, ends), _share(other, ends), None, None)
    points = float(own.mean() - other.mean())
    twice = len(own) > 1 and len(other) > 1
    return ScenarioGap(
        scenario, _share(own, ends), _share(other, ends), points, _gap(scenario, ends, sides, fleets) if twice else None
    )


def _share(points: Points | None, ends: Ends) -> float | None:
    low, high = ends
    return None if points is None else (float(points.mean()) - low) / (high - low)


def _gap(
    scenario: str, ends: Ends, sides: tuple[ComparedSubject, ComparedSubject], fleets: tuple[Fleet, Fleet]
) -> Difference | None:
    first, second = sides
    own, other = (
        {config: points[scenario] for config, points in fleet.items() if len(points.get(scenario, ())) > 1}
        for fleet in fleets
    )
    if not subject_comparison.same_replies(first, second):
        return subject_comparison.solid(
            difference(_estimate(ends, own, first.config), _estimate(ends, other, second.config))
        )
    less = {
        config: own[config] - other[config]
        for config in own
        if config in other and subject_comparison.same_dialogues(first.study, second.study, config)
    }
    low, high = ends
    if first.config not in less:
        return None
    return subject_comparison.solid(Difference(*_estimate((low - high, high - low), less, first.config)))


def _estimate(ends: Ends, fleet: Mapping[str, Points], config: str) -> IndexEstimate:
    """One scenario as if it were a whole index."""
    sheets = [SubjectPoints(0.0, (Stratum(("",), (points,), (ends,)),)) for points in fleet.values()]
    return index_uncertainty.these_scenarios(sheets)[list(fleet).index(config)]


def _fleet(side: ComparedSubject) -> Fleet:
    """The subjects that moderate the index's variances, and the side itself as far as it is whole."""
    fleet = {config: side.study.sheets[config].totals for config in side.study.these}
    if side.config not in fleet:
        holes = {cell.scenario for cell in side.planned if cell.values is None}
        whole = {cell.scenario for cell in side.planned} - holes
        fleet[side.config] = {name: points for name, points in _filled(side).totals.items() if name in whole}
    return fleet


def _filled(side: ComparedSubject) -> SubjectPoints:
    """A sheet that is true of scenarios without a hole; in the others stands whatever."""
    scales, cells = side.study.frame.scenarios, study.scored(side.planned)
    whatever = {scenario: {name: low for name, (low, _) in fields.items()} for scenario, fields in scales.items()}
    cells += [VerdictValues(scenario, 1, None) for scenario in scales.keys() - {cell.scenario for cell in cells}]
    full = [cell._replace(values=whatever[cell.scenario]) if cell.values is None else cell for cell in cells]
    made = subject_points(side.study.frame, full)
    assert made is not None
    return made
