"""Many subjects at once: every number is the one that each alone has, to the last digit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pytest

from independence.stats import (
    engagement,
    fleet_points,
    fleet_scores,
    index_uncertainty,
    strict,
    subject_points,
    verdict_columns,
)
from independence.stats.strict import ScoringFrame, VerdictValues
from independence.stats.verdict_columns import VerdictCell
from independence.suites import load
from independence.types import Scalar


def fleet(seed: int, holes: float = 0.0, *, whole: bool = True) -> tuple[ScoringFrame, dict[str, list[VerdictCell]]]:
    """Subjects of v2 with runs of their own number; values that are no whole numbers unless `whole`."""
    rng, suite = np.random.default_rng(seed), load.load("v2").suite
    frame, required = strict.frame(suite), engagement.requirements(suite)
    out: dict[str, list[VerdictCell]] = {}
    for number in range(12):
        cells = []
        for run in range(1, 2 + int(rng.integers(1, 14))):
            for scenario in suite.scenarios:
                given: dict[str, Scalar] = {}
                for name, field in suite.rubrics[scenario.rubric].fields.items():
                    low, high = field.range or (0, 1)
                    drawn = float(rng.uniform(low, high))
                    given[name] = rng.random() < 0.8 if field.range is None else round(drawn) if whole else drawn
                own = required.get(scenario.id)
                values, evaded = (given, None) if own is None else engagement.counted(given, own)
                gone = rng.random() < holes
                cells.append(VerdictCell(scenario.id, run, None if gone else values, bool(evaded), evaded is not None))
        out[f"s{number}"] = cells
    return frame, out


def values(cells: Sequence[VerdictCell]) -> list[VerdictValues]:
    return [VerdictValues(cell.scenario, cell.run, cell.values) for cell in cells]


CASES = [(1, 0.0, True), (2, 0.05, True), (4, 0.02, False), (5, 0.5, True)]


@pytest.mark.parametrize(("seed", "holes", "whole"), CASES)
def test_scores_are_those_of_each_alone(seed: int, holes: float, whole: bool) -> None:
    frame, cells = fleet(seed, holes, whole=whole)
    found = fleet_scores.scores(frame, verdict_columns.columns_of(frame, cells))
    assert list(found) == list(cells)
    for subject, own in cells.items():
        assert found[subject].strict == strict.score(frame, values(own))
        engaged = [cell for cell in own if not cell.evaded]
        assert found[subject].engaged == strict.index_of(frame, values(engaged))


@pytest.mark.parametrize(("seed", "holes", "whole"), CASES)
def test_points_are_those_of_each_alone(seed: int, holes: float, whole: bool) -> None:
    frame, cells = fleet(seed, holes / 20, whole=whole)
    found = fleet_points.complete_points(frame, verdict_columns.columns_of(frame, cells))
    alone = {subject: subject_points.subject_points(frame, values(own)) for subject, own in cells.items()}
    assert list(found) == [subject for subject, one in alone.items() if one is not None]
    for subject, made in found.items():
        one = alone[subject]
        assert (made.index, made.scale, made.ends) == (one.index, one.scale, one.ends)
        assert made.variances == one.variances
        assert made.across == one.across
        assert same(made.totals, one.totals)
    repeated = [subject for subject, one in found.items() if index_uncertainty.repeated(one)]
    sheets = [one for subject in repeated if (one := alone[subject]) is not None]
    for of in (index_uncertainty.these_scenarios, index_uncertainty.scenarios_like_these):
        assert of([found[subject] for subject in repeated]) == of(sheets)


def same(first: Mapping[str, subject_points.Points], second: Mapping[str, subject_points.Points]) -> bool:
    return list(first) == list(second) and all(np.array_equal(own, second[name]) for name, own in first.items())


def test_what_runs_share_is_the_covariance_that_numpy_gives() -> None:
    frame, cells = fleet(6, whole=False)
    for made in fleet_points.complete_points(frame, verdict_columns.columns_of(frame, cells)).values():
        for number, stratum in enumerate(made.strata):
            if len(stratum.scenarios) == 1 and len(stratum.points[0]) > 1:
                points, rest = stratum.points[0], made.totals[stratum.scenarios[0]] - stratum.points[0]
                assert made.covaried(number) == max(0.0, 2 * float(np.cov(points, rest)[0, 1]))


def test_columns_of_parts_are_those_of_all() -> None:
    frame, cells = fleet(7, 0.1)
    names = list(cells)
    parts = [
        verdict_columns.columns_of(frame, {name: cells[name] for name in own}) for own in (names[1::2], names[::2])
    ]
    whole, together = verdict_columns.columns_of(frame, cells), verdict_columns.joined(parts, names)
    assert fleet_scores.scores(frame, together) == fleet_scores.scores(frame, whole)


def test_a_verdict_without_a_field_of_the_index_and_a_plan_without_verdicts_are_refused() -> None:
    frame, cells = fleet(8)
    cells["s0"][0] = cells["s0"][0]._replace(values={})
    with pytest.raises(KeyError):
        fleet_scores.scores(frame, verdict_columns.columns_of(frame, cells))
    with pytest.raises(ValueError, match="no planned verdicts"):
        strict.score(frame, [])


def test_counted_columns_are_what_each_verdict_counts() -> None:
    suite, rng = load.load("v2").suite, np.random.default_rng(10)
    for scenario, own in engagement.requirements(suite).items():
        fields = suite.rubrics[suite.scenario(scenario).rubric].fields
        drawn = {
            name: rng.random(40) < 0.6 if field.range is None else rng.uniform(*field.range, 40)
            for name, field in fields.items()
        }
        found = engagement.counted_columns({name: own_.astype(np.float64) for name, own_ in drawn.items()}, own)
        for at in range(40):
            alone = engagement.counted({name: column[at].item() for name, column in drawn.items()}, own)
            assert {name: float(value) for name, value in alone.values.items()} == {
                name: column[at] for name, column in found.values.items()
            }
            assert alone.evaded == (bool(found.evaded[at]) if found.told else None)
