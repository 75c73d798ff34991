from __future__ import annotations

import numpy as np
import pytest

from independence.stats import single_runs
from independence.stats.subject_points import SubjectPoints

from . import sheets


def test_scenarios_are_the_sample() -> None:
    points = [float(one) for one in np.random.default_rng(2).integers(0, 5, 12)]
    found = single_runs.like_these(sheets.of(*([one] for one in points)))
    assert found is not None
    assert found.point == pytest.approx(sum(points))
    assert found.se**2 == pytest.approx(12 * np.var(points, ddof=1))
    assert found.df == pytest.approx(11)


def test_strata_add_up_by_satterthwaite() -> None:
    first, second = (sheets.of(*([float(one)] for one in own)) for own in (range(10), [3, 1, 4, 1, 5, 9, 2, 6, 5, 3]))
    found = single_runs.like_these(SubjectPoints(1.0, (*first.strata, *second.strata)))
    parts = [single_runs.like_these(one) for one in (first, second)]
    assert found is not None
    variances = [part.se**2 for part in parts if part]
    assert found.se**2 == pytest.approx(sum(variances))
    assert found.df == pytest.approx(sum(variances) ** 2 / sum(one**2 / 9 for one in variances))


def test_few_scenarios_are_no_sample() -> None:
    assert single_runs.like_these(sheets.of(*[[1.0], [2.0]] * 4)) is None
