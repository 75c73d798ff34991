"""All pairs of a board at once, and the ranks and tiers that they leave."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from independence.stats.comparison import Difference, adjusted, difference, paired, tiers
from independence.stats.index_uncertainty import IndexEstimate, these_scenarios
from independence.stats.ranks import (
    RankedSubject,
    adjusted_pairs,
    in_order,
    pair_p_values,
    rank_intervals,
    ranks,
)
from independence.stats.subject_points import Stratum, SubjectPoints
from tests.stats import sheets

NO_POINTS = SubjectPoints(0.0, ())


def subject(low: float, high: float | None = None, se: float = 1.0, df: float = 40) -> RankedSubject:
    """Complete at `low`, or somewhere up to `high`."""
    return RankedSubject(low, low if high is None else high, IndexEstimate(low, se, df), NO_POINTS)


def intervals(*subjects: RankedSubject) -> list[tuple[int, int]]:
    return rank_intervals(pair_p_values(subjects, like_these=False))


def test_a_rank_lies_between_those_that_are_surely_better_and_those_that_are_surely_worse() -> None:
    p = np.array([[1, 0.6, 1e-6, 1e-9], [-0.6, 1, 0.2, 1e-7], [-1e-6, -0.2, 1, 1e-5], [-1e-9, -1e-7, -1e-5, 1]])
    assert rank_intervals(p) == [(1, 2), (1, 3), (2, 3), (4, 4)]
    assert rank_intervals(p, 6) == [(1, 4), (1, 5), (2, 5), (4, 6)], "two that nobody is compared with"


def test_differences_count_that_holm_leaves_significant_among_all_pairs() -> None:
    raw = np.array([0.012, 0.013, 0.5])  # 3 x .012 = .036 and 2 x .013 = .026, so .036
    assert adjusted(raw).tolist() == pytest.approx([0.036, 0.036, 0.5])
    p = np.array([[1, 0.012, 0.013], [-0.012, 1, 0.5], [-0.013, -0.5, 1]])
    assert rank_intervals(p) == [(1, 1), (2, 3), (2, 3)]
    p[0, 1], p[1, 0] = 0.018, -0.018  # the smallest is now .013, three times it .039, and twice .018 is .036
    assert rank_intervals(p) == [(1, 1), (2, 3), (2, 3)]
    p[0, 2], p[2, 0] = 0.017, -0.017  # .051: nothing is certain
    assert rank_intervals(p) == [(1, 3)] * 3


def test_clearly_different_subjects_have_ranks_of_their_own_and_equal_ones_all_of_them() -> None:
    assert intervals(subject(90), subject(80), subject(70)) == [(1, 1), (2, 2), (3, 3)]
    assert intervals(*[subject(80)] * 4) == [(1, 4)] * 4
    assert intervals(subject(80)) == [(1, 1)]
    assert intervals() == []


def test_p_values_are_those_of_the_differences_with_the_sign_of_who_is_higher() -> None:
    first, second = subject(80, se=1, df=10), subject(83, se=2, df=20)
    p = pair_p_values([first, second], like_these=False)
    assert p[1, 0] == -p[0, 1] == difference(first.estimate, second.estimate).p
    assert p[0, 0] == 1
    rng = np.random.default_rng(4)
    fleet = [sheets.drawn(rng) for _ in range(3)]
    p = pair_p_values(on_board(fleet), like_these=True)
    found = paired(fleet[0], fleet[2], difference(*(these_scenarios(fleet)[at] for at in (0, 2))))
    assert p[0, 2] == pytest.approx(np.copysign(found.p, found.points))


def on_board(fleet: list[SubjectPoints]) -> list[RankedSubject]:
    known = these_scenarios(fleet)
    return [RankedSubject(one.point, one.point, one, sheet) for one, sheet in zip(known, fleet, strict=True)]


def mixed(rng: np.random.Generator, runs: int = 4, flat: bool = False) -> SubjectPoints:
    """Three scenarios in one stratum and one alone, in a stratum of its own."""
    points = tuple(np.full(runs, 4.0) if flat else rng.integers(0, 11, runs) * 0.9 for _ in range(3))
    alone = (np.full(runs, 2.0) if flat else rng.integers(0, 11, runs) * 0.5,)
    wide = Stratum(("a", "b", "c"), points, ((0.0, 9.0),) * 3)
    return SubjectPoints(10.0, (wide, Stratum(("d",), alone, ((0.0, 5.0),))))


@pytest.mark.parametrize("like", [False, True])
def test_p_values_of_all_pairs_are_those_of_each(like: bool) -> None:
    rng = np.random.default_rng(20_261_123)
    fleet = [mixed(rng, runs) for runs in (2, 3, 4, 5, 9, 4, 4, 2)]
    fleet += [fleet[0], mixed(rng, flat=True), mixed(rng, flat=True)]  # equals, and two that do not vary
    subjects = on_board(fleet)
    off = tuple(np.full(len(stratum.scenarios), 0.3) for stratum in fleet[1].strata)
    for at, room in ((1, 4), (4, 60)):
        subjects[at] = subjects[at]._replace(highest=subjects[at].lowest + room, off=off)
    found = pair_p_values(subjects, like)
    for (row, first), (column, second) in combinations(enumerate(subjects), 2):
        alone = pair_p_values([first, second], like)[0, 1]
        assert (found[row, column], found[column, row]) == pytest.approx((alone, -alone), rel=1e-10, abs=1e-14)
        assert np.signbit(found[row, column]) == np.signbit(alone)
    for count in (0, 1):
        assert pair_p_values(subjects[:count], True).tolist() == [[1.0]] * count


def test_no_completion_is_surer_of_a_difference_on_scenarios_like_these() -> None:
    rng = np.random.default_rng(8)
    for _ in range(20):
        first, second = sheets.drawn(rng), sheets.drawn(rng)
        floor = difference(*these_scenarios([first, second]))
        off = [0.3 * rng.random(len(own.scenarios)) for own in first.strata]
        bound = paired(first, second, floor, off)
        for _ in range(20):
            moved = tuple(
                own._replace(
                    points=tuple(
                        p + far for p, far in zip(own.points, rng.uniform(-1, 1, len(most)) * most, strict=True)
                    )
                )
                for own, most in zip(first.strata, off, strict=True)
            )
            made = paired(SubjectPoints(first.base, moved), second, floor)
            assert made.se <= bound.se + 1e-12
            assert bound.df <= min(floor.df, paired(first, second, Difference(0.0, 0.0, 99.0)).df)
        assert paired(first, second, floor, [0 * own for own in off]).se == paired(first, second, floor).se


def test_an_error_on_these_scenarios_that_grows_makes_nobody_surer_on_others() -> None:
    """It rests on more runs than there are scenarios; who misses verdicts does not get its degrees of freedom."""
    rng = np.random.default_rng(9)
    first, second = sheets.drawn(rng), sheets.drawn(rng)
    none = [np.zeros(len(own.scenarios)) for own in first.strata]
    own = paired(first, second, Difference(0.0, 1e-9, 50.0))
    above = paired(first, second, Difference(0.0, 1.01 * own.se, 50.0), none)
    assert (above.se, above.df) == (pytest.approx(1.01 * own.se), pytest.approx(own.df))


def test_an_incomplete_subject_is_compared_by_its_end_that_is_nearest() -> None:
    hole, far, near = subject(80, 84), subject(90), subject(83)
    p = pair_p_values([hole, far, near], like_these=False)
    assert p[1, 0] == pytest.approx(difference(IndexEstimate(90, 1, 40), IndexEstimate(84, 1, 40)).p, rel=1e-12)
    assert abs(p[0, 2]) == 1  # it may be above or below
    p = pair_p_values([hole, subject(70)], like_these=False)
    assert p[0, 1] == pytest.approx(difference(IndexEstimate(80, 1, 40), IndexEstimate(70, 1, 40)).p, rel=1e-12)


def test_more_that_is_missing_only_widens_a_rank_interval() -> None:
    rng = np.random.default_rng(6)
    for _ in range(50):
        board = [subject(*row) for row in zip(rng.normal(80, 8, 8), [None] * 8, rng.uniform(1, 3, 8), strict=True)]
        before, low, high = board[3], *rng.uniform(0, 4, 2)
        wider = RankedSubject(
            before.lowest - low, before.highest + high, before.estimate._replace(se=before.estimate.se + 1), NO_POINTS
        )
        own, after = intervals(*board)[3], intervals(*board[:3], wider, *board[4:])[3]
        assert after[0] <= own[0] <= own[1] <= after[1]


def test_adjusted_pairs_are_symmetric_without_signs() -> None:
    p = np.array([[1, 0.01, 0.04], [0.01, 1, 0.03], [0.04, 0.03, 1]])
    assert adjusted_pairs(p)[0].tolist() == pytest.approx([1, 0.03, 0.06])
    assert adjusted_pairs(np.ones((0, 0))).shape == (0, 0)


def test_equal_indices_share_the_first_rank_and_open_ones_have_a_first_and_a_last() -> None:
    def places(*bounds: float | tuple[float, float]) -> list[tuple[int, int]]:
        return ranks([one if isinstance(one, tuple) else (one, one) for one in bounds])

    assert places(67 + 2 / 3, 67.666666666666671, 67.6666666666666, 50.0) == [(1, 1)] * 3 + [(4, 4)]
    assert places(70.0, 80.0, 90.0, 80.0) == [(4, 4), (2, 2), (1, 1), (2, 2)]
    assert places((60.0, 85.0), 80.0, 70.0, 50.0) == [(1, 3), (1, 2), (2, 3), (4, 4)]
    assert places((60.0, 80.0), 80.0, (50.0, 60.0)) == [(1, 2), (1, 1), (2, 3)], "a tie is no better"
    assert places((0.0, 100.0), (0.0, 100.0)) == [(1, 2)] * 2
    assert places() == []


def test_a_tier_starts_at_the_first_that_differs_from_its_leader() -> None:
    p = np.ones((5, 5))
    p[0, 2:] = p[2:, 0] = 0.01  # the third differs from the first, and so do all behind it
    p[1, 2] = p[2, 1] = 0.5  # though not from the second
    p[2, 4] = p[4, 2] = 0.04
    assert tiers(p) == [1, 1, 2, 2, 3]


def test_equals_share_one_tier_and_split_in_at_most_one_board_of_twenty() -> None:
    rng = np.random.default_rng(8)
    split = 0
    for _ in range(60):
        board = sorted(on_board([sheets.drawn(rng) for _ in range(12)]), key=lambda one: -one.lowest)
        split += max(tiers(adjusted_pairs(np.abs(pair_p_values(board, like_these=False))))) > 1
    assert split <= 7  # the 99% quantile of 60 draws at 5%


def test_how_often_neighbours_stand_in_their_true_order_is_told_about_right() -> None:
    rng = np.random.default_rng(12)
    for true, error in ((5.0, 1.0), (2.0, 2.0), (0.0, 2.0)):
        told, right = [], []
        for _ in range(60):
            truth = rng.normal(80, true, 40)
            points = truth + rng.normal(0, error, 40)
            order = np.argsort(-points)
            told.append(in_order(points[order], np.full(40, error)))
            apart = -np.diff(truth[order])
            right.append(np.mean((apart > 0) + 0.5 * (apart == 0)))
        assert np.mean(told) == pytest.approx(np.mean(right), abs=0.03)
    assert in_order(np.array([90.0, 10.0]), np.array([1.0, 1.0])) > 0.99
    assert in_order(np.array([50.0, 50.0]), np.zeros(2)) == 0.5
