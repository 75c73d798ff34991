"""Subjects of a board together: every number is the one that each has alone, to the last digit."""

from __future__ import annotations

import numpy as np
import pytest

from independence.stats import engagement, strict, subject_points
from independence.stats.contributions import sample_variance
from independence.stats.strict import ScoringFrame, VerdictValues
from independence.suites import load
from independence.types import Scalar


def fleet(seed: int, holes: float = 0.0, *, whole: bool = True) -> tuple[ScoringFrame, dict[str, list[VerdictValues]]]:
    """Subjects of v2 with runs of their own number; values that are no whole numbers unless `whole`."""
    rng, suite = np.random.default_rng(seed), load.load("v2").suite
    frame, required = strict.frame(suite), engagement.requirements(suite)
    out: dict[str, list[VerdictValues]] = {}
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
                cells.append(
                    VerdictValues(scenario.id, run, None if gone else values, bool(evaded), evaded is not None)
                )
        out[f"s{number}"] = cells
    return frame, out


CASES = [(1, 0.0, True), (2, 0.05, True), (4, 0.02, False), (5, 0.5, True)]


@pytest.mark.parametrize(("seed", "holes", "whole"), CASES)
def test_a_score_does_not_depend_on_who_else_is_there(seed: int, holes: float, whole: bool) -> None:
    frame, cells = fleet(seed, holes, whole=whole)
    found = strict.scores(frame, strict.columns(cells))
    assert list(found) == list(cells)
    for subject, own in cells.items():
        assert found[subject] == strict.score(frame, own)
        engaged = [cell for cell in own if not cell.evaded]
        if all(cell.values is not None for cell in engaged):
            assert found[subject].engaged == strict.score(frame, engaged).engaged
            assert found[subject].evaded == len(own) - len(engaged)


@pytest.mark.parametrize(("seed", "holes", "whole"), CASES)
def test_points_do_not_depend_on_who_else_is_there_and_add_up_to_the_index(
    seed: int, holes: float, whole: bool
) -> None:
    frame, cells = fleet(seed, holes / 20, whole=whole)
    columns = strict.columns(cells)
    found, scores = subject_points.points(frame, columns), strict.scores(frame, columns)
    assert list(found) == [subject for subject, one in scores.items() if one.index is not None]
    for subject, made in found.items():
        alone = subject_points.subject_points(frame, cells[subject])
        assert (made.index, made.scale, made.ends) == (alone.index, alone.scale, alone.ends)
        assert made.index == pytest.approx(scores[subject].index, abs=1e-9)
        assert all(np.array_equal(own, alone.totals[name]) for name, own in made.totals.items())


def test_variances_are_those_of_each_row_and_of_equal_points_none() -> None:
    rows = [np.array([1.0, 4.0]), np.array([0.3, 0.1 + 0.2, 0.3]), np.array([5.0]), np.array([2.0, 2.0, 8.0])]
    assert [float(sample_variance(row)) for row in rows] == pytest.approx([4.5, 0, 0, 12])
    table = np.array([[*row, *[np.nan] * (3 - len(row))] for row in rows])
    assert sample_variance(table).tolist() == pytest.approx([4.5, 0, 0, 12])


def test_what_runs_share_is_the_covariance_that_numpy_gives() -> None:
    frame, cells = fleet(6, whole=False)
    for made in subject_points.points(frame, strict.columns(cells)).values():
        for number, stratum in enumerate(made.strata):
            if len(stratum.scenarios) == 1 and len(stratum.points[0]) > 1:
                points, rest = stratum.points[0], made.totals[stratum.scenarios[0]] - stratum.points[0]
                assert made.covaried(number) == max(0.0, 2 * float(np.cov(points, rest)[0, 1]))


def test_a_verdict_without_a_field_of_the_index_and_a_plan_without_verdicts_are_refused() -> None:
    frame, cells = fleet(8)
    cells["s0"][0] = cells["s0"][0]._replace(values={})
    with pytest.raises(KeyError):
        strict.scores(frame, strict.columns(cells))
    with pytest.raises(ValueError, match="no planned verdicts"):
        strict.score(frame, [])
