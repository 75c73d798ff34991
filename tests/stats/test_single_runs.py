from __future__ import annotations

import numpy as np
import pytest

from independence.stats import single_runs
from independence.stats.single_runs import UNSEEN
from independence.stats.subject_points import SubjectPoints

from . import sheets


def test_scenarios_are_the_sample_and_a_few_more_stand_at_the_far_end() -> None:
    points = [float(one) for one in np.random.default_rng(2).integers(3, 6, 12)]
    found = single_runs.like_these(sheets.of(*([one] for one in points), most=5.0))
    assert found is not None
    assert found.point == pytest.approx(sum(points))
    unseen = UNSEEN * np.mean(points) ** 2 / 11
    assert found.se**2 == pytest.approx(12 * (np.var(points, ddof=1) + unseen))
    assert found.df == pytest.approx(11)


def test_who_never_failed_is_not_certain() -> None:
    found = single_runs.like_these(sheets.of(*[[5.0]] * 20, most=5.0))
    assert found is not None
    assert found.se == pytest.approx(100 * (UNSEEN / 19 / 20) ** 0.5)
    bottom = single_runs.like_these(sheets.of(*[[0.0]] * 20, most=5.0))
    assert bottom is not None
    assert bottom.se == pytest.approx(found.se)


def test_strata_add_up_by_satterthwaite() -> None:
    first, second = (sheets.of(*([float(one)] for one in own)) for own in (range(10), [3, 1, 4, 1, 5, 9, 2, 6, 5, 3]))
    found = single_runs.like_these(SubjectPoints(1.0, (*first.strata, *second.strata)))
    variances = []
    for one in (first, second):
        points = np.array([own[0] for own in one.strata[0].points])
        variances.append(10 * (np.var(points, ddof=1) + UNSEEN / 2 * (20 - points.mean()) ** 2 / 9))
    assert found is not None
    assert found.se**2 == pytest.approx(sum(variances))
    assert found.df == pytest.approx(sum(variances) ** 2 / sum(one**2 / 9 for one in variances))


def test_few_scenarios_are_no_sample() -> None:
    assert single_runs.like_these(sheets.of(*[[1.0], [2.0]] * 4)) is None
