"""All pairs at once give what one pair gives."""

from __future__ import annotations

import math
from itertools import combinations

import numpy as np
import pytest
from scipy import special

from independence.stats import index_uncertainty, intervals, ranks, tails
from independence.stats.ranks import RankedSubject
from independence.stats.subject_points import Stratum, SubjectPoints

RNG = np.random.default_rng(20_261_123)


def subject(runs: int = 4, flat: bool = False) -> SubjectPoints:
    """Three scenarios in one stratum, one alone, which also stands in a stratum of its own."""
    points = tuple(np.full(runs, 4.0) if flat else RNG.integers(0, 11, runs) * 0.9 for _ in range(3))
    alone = (np.full(runs, 2.0) if flat else RNG.integers(0, 11, runs) * 0.5,)
    ends = (0.0, 9.0)
    return SubjectPoints(10.0, (Stratum(("a", "b", "c"), points, (ends,) * 3), Stratum(("d",), alone, ((0.0, 5.0),))))


def ranked(sheets: list[SubjectPoints]) -> list[RankedSubject]:
    known = index_uncertainty.these_scenarios(sheets)
    return [RankedSubject(one.point, one.point, one, sheet) for one, sheet in zip(known, sheets, strict=True)]


def one_by_one(subjects: list[RankedSubject], like_these: bool) -> np.ndarray:
    p = np.ones((len(subjects), len(subjects)))
    for (row, first), (column, second) in combinations(enumerate(subjects), 2):
        found = ranks.nearest_difference(first, second, like_these)
        p[row, column], p[column, row] = math.copysign(found.p, found.points), math.copysign(found.p, -found.points)
    return p


@pytest.mark.parametrize("like_these", [False, True])
def test_p_values_of_all_pairs_are_those_of_each(like_these: bool) -> None:
    sheets = [subject(runs) for runs in (2, 3, 4, 5, 9, 4, 4, 2)]
    sheets += [sheets[0], subject(flat=True), subject(flat=True)]  # equals, and two that do not vary
    subjects = ranked(sheets)
    off = tuple(np.full(len(stratum.scenarios), 0.3) for stratum in sheets[1].strata)
    subjects[1] = subjects[1]._replace(highest=subjects[1].lowest + 4, off=off)
    subjects[4] = subjects[4]._replace(highest=subjects[4].lowest + 60, off=off)
    found, wanted = ranks.pair_p_values(subjects, like_these), one_by_one(subjects, like_these)
    assert found == pytest.approx(wanted, rel=1e-10, abs=1e-14)
    assert (np.signbit(found) == np.signbit(wanted)).all()


@pytest.mark.parametrize("count", [0, 1])
def test_too_few_subjects_make_no_pair(count: int) -> None:
    assert ranks.pair_p_values(ranked([subject() for _ in range(count)]), True).tolist() == [[1.0]] * count


def test_tails_of_many_are_those_of_one_and_scipy_s() -> None:
    df = np.exp(RNG.uniform(math.log(0.4), math.log(1e6), 3_000))
    statistic = np.exp(RNG.uniform(-18, 4, 3_000)) * (RNG.random(3_000) > 0.01)
    found = tails.outside(statistic, df)
    assert found == pytest.approx([intervals.outside(*pair) for pair in zip(statistic, df, strict=True)], rel=1e-12)
    assert found == pytest.approx(2 * special.stdtr(df, -statistic), rel=1e-8, abs=1e-300)
    signed = statistic * np.where(RNG.random(3_000) < 0.5, -1, 1)
    above = tails.above(signed, df)
    assert above == pytest.approx([intervals.above(*pair) for pair in zip(signed, df, strict=True)], rel=1e-12)


@pytest.mark.parametrize("df", [1e5, 1e6, 3.3e6])
def test_quantiles_with_many_degrees_of_freedom_are_scipy_s(df: float) -> None:
    assert intervals.t_quantile(df, 0.95) == pytest.approx(special.stdtrit(df, 0.975), rel=1e-9)
